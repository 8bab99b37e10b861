//! Behaviour of the ZIP records, against archives that other tools wrote.

use proptest::prelude::*;

use super::record::{CENTRAL, END, LOCAL};
use super::{
    Directory, LocalHeader, Method, aligned_len, central_header, check_duplicate_names, check_no_nul,
    check_overlaps, data_descriptor, data_offset, data_offsets, end_of_central_directory, flag, padded_len,
};
use crate::container::npy::tests::verdicts;
use crate::error::{ErrorKind, Result};

/// A member to be written: name, flags, data.
type TestMember = (Vec<u8>, u16, Vec<u8>);

/// An archive of stored members after `prefix` bytes, data aligned to `alignment`.
fn archive(prefix: usize, members: &[TestMember], alignment: u32) -> Vec<u8> {
    let (mut out, mut central) = (vec![b'#'; prefix], Vec::new());
    for (name, flags, data) in members {
        let (crc32, nbytes) = (crc32fast::hash(data), data.len() as u64);
        let offset = (out.len() - prefix) as u64;
        let mut header = LocalHeader {
            name,
            method: 0,
            flags: *flags,
            crc32,
            compressed_nbytes: nbytes,
            nbytes,
            total_len: 0,
        };
        header.total_len = aligned_len(header.min_len(), offset, 0, alignment);
        header.write(&mut out);
        assert_eq!((out.len() - prefix) % alignment as usize, 0);
        out.extend(data);
        if flags & flag::DESCRIPTOR != 0 {
            data_descriptor(&mut out, crc32, nbytes, nbytes, header.is_zip64());
        }
        central_header(&mut central, name, 0, *flags, crc32, nbytes, nbytes, offset);
    }
    let start = (out.len() - prefix) as u64;
    out.extend(&central);
    end_of_central_directory(&mut out, members.len() as u64, start, central.len() as u64);
    out
}

fn two() -> Vec<u8> {
    archive(0, &[(b"a".to_vec(), 0, b"data".to_vec()), (b"b".to_vec(), 0, b"more".to_vec())], 1)
}

fn read(file: &[u8]) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let directory = Directory::parse(file, 1_000_000)?;
    let offsets = data_offsets(file, &directory)?;
    let members = directory.entries.iter().zip(&offsets).enumerate().map(|(i, (entry, &offset))| {
        let start = usize::try_from(offset).unwrap();
        let data = &file[start..start + usize::try_from(entry.compressed_nbytes).unwrap()];
        (directory.name(i).to_vec(), data.to_vec())
    });
    Ok(members.collect())
}

fn message(file: &[u8]) -> String {
    read(file).unwrap_err().to_string()
}

/// Replaces the bytes at the `n`th occurrence of `signature` plus `offset`.
fn patched(mut file: Vec<u8>, signature: [u8; 4], n: usize, offset: usize, bytes: &[u8]) -> Vec<u8> {
    let at =
        file.windows(4).enumerate().filter(|(_, window)| **window == signature).nth(n).unwrap().0 + offset;
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

#[test]
fn signatures_and_crc_are_those_of_the_specification() {
    assert_eq!(crc32fast::hash(b"123456789"), 0xCBF4_3926);
    let mut end = Vec::new();
    end_of_central_directory(&mut end, 2, 0x0102_0304, 0x0506);
    assert_eq!(end, b"PK\x05\x06\0\0\0\0\x02\0\x02\0\x06\x05\0\0\x04\x03\x02\x01\0\0");
    let mut local = Vec::new();
    LocalHeader {
        name: b"n",
        method: 8,
        flags: 0,
        crc32: 0x0403_0201,
        compressed_nbytes: 5,
        nbytes: 6,
        total_len: 31,
    }
    .write(&mut local);
    assert_eq!(local, b"PK\x03\x04\x14\0\0\0\x08\0\0\0\x21\0\x01\x02\x03\x04\x05\0\0\0\x06\0\0\0\x01\0\0\0n");
    let mut descriptor = Vec::new();
    data_descriptor(&mut descriptor, 1, 2, 3, false);
    data_descriptor(&mut descriptor, 1, 2, 3, true);
    assert_eq!(
        descriptor,
        b"PK\x07\x08\x01\0\0\0\x02\0\0\0\x03\0\0\0PK\x07\x08\x01\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0"
    );
}

#[test]
fn padding_is_one_extra_field() {
    for (alignment, prefix_name) in [(64_u32, "n"), (4096, "a longer name"), (1, ""), (2, "x")] {
        for offset in 0_u64..200 {
            let mut header = LocalHeader {
                name: prefix_name.as_bytes(),
                method: 0,
                flags: 0,
                crc32: 0,
                compressed_nbytes: 0,
                nbytes: 0,
                total_len: 0,
            };
            header.total_len = aligned_len(header.min_len(), offset, 128, alignment);
            assert_eq!((offset + header.total_len as u64 + 128) % u64::from(alignment), 0);
            assert!(header.total_len - header.min_len() < 6 + alignment as usize);
            let mut out = Vec::new();
            header.write(&mut out);
            assert_eq!(out.len(), header.total_len);
            let extra = &out[30 + prefix_name.len()..];
            assert!(extra.is_empty() || extra.starts_with(&[0x35, 0xD9]));
            assert!(
                extra.is_empty() || usize::from(u16::from_le_bytes([extra[2], extra[3]])) == extra.len() - 4
            );
        }
    }
    for (gap, fits) in [(0, true), (1, false), (5, false), (6, true), (65_515, true), (65_516, false)] {
        assert_eq!(padded_len(31, 31 + gap), fits.then_some(31 + gap));
    }
    assert_eq!(padded_len(31, 30), None);
}

#[test]
fn large_values_take_zip64_and_only_those() {
    let size = 5_000_000_000_u64;
    let mut header = LocalHeader {
        name: b"n",
        method: 0,
        flags: 0,
        crc32: 7,
        compressed_nbytes: size,
        nbytes: size,
        total_len: 64,
    };
    assert_eq!((header.is_zip64(), header.min_len()), (true, 51));
    let mut local = Vec::new();
    header.write(&mut local);
    assert_eq!(local.len(), 64);
    assert_eq!(&local[18..26], [0xFF; 8]);
    assert_eq!(&local[31..35], [1, 0, 16, 0]);
    assert_eq!(&local[35..43], size.to_le_bytes());

    // To a pipe: the sizes decide about ZIP64 and are not written.
    header.flags = flag::DESCRIPTOR;
    let mut streamed = Vec::new();
    header.write(&mut streamed);
    assert_eq!(&streamed[14..18], [0; 4]);
    assert_eq!(&streamed[35..51], [0; 16]);

    let mut central = Vec::new();
    central_header(&mut central, b"n", 93, 0, 7, 10, size, size + 1);
    assert_eq!((&central[6..8], central.len()), (&[63, 0][..], 47 + 4 + 16));
    assert_eq!(&central[51..67], [size.to_le_bytes(), (size + 1).to_le_bytes()].concat());

    // The directory is read back without the member's data.
    let mut file = central.clone();
    end_of_central_directory(&mut file, 1, 0, central.len() as u64);
    let entry = Directory::parse(&file, 1).unwrap().entries[0];
    assert_eq!((entry.compressed_nbytes, entry.nbytes, entry.local_offset), (10, size, size + 1));
    assert!(message(&file).contains("passes the end of the file"));
    let short = patched(file, CENTRAL, 0, 46 + 1 + 2, &[8]);
    assert!(message(&short).contains("extra field 0xf201 of 10757 bytes passes its area"));

    let mut file = central.clone();
    end_of_central_directory(&mut file, 70_000, u64::MAX - 1000, central.len() as u64);
    assert_eq!(&file[67..71], b"PK\x06\x06");
    assert!(message(&file).contains("passes its end record"));
}

#[test]
fn more_members_than_16_bits() {
    let members: Vec<TestMember> =
        (0..65_536).map(|i| (format!("{i}").into_bytes(), 0, Vec::new())).collect();
    for count in [65_534, 65_535, 65_536] {
        let file = archive(3, &members[..count], 1);
        let zip64 = file.windows(4).any(|window| window == b"PK\x06\x07");
        assert_eq!(zip64, count > 65_534, "{count}");
        let directory = Directory::parse(&file, 1_000_000).unwrap();
        assert_eq!((directory.entries.len(), directory.prefix), (count, 3));
        let offsets = data_offsets(&file, &directory).unwrap();
        check_overlaps(&directory, &offsets).unwrap();
        check_duplicate_names(&directory).unwrap();
        assert!(matches!(Directory::parse(&file, 65_533).unwrap_err().kind(), ErrorKind::LimitExceeded));
    }
}

#[test]
fn the_end_is_found_behind_comments_and_junk() {
    let plain = two();
    let expected = read(&plain).unwrap();
    let with_comment = |comment: &[u8]| {
        let mut file = plain.clone();
        let at = file.len() - 2;
        file[at..].copy_from_slice(&u16::try_from(comment.len()).unwrap().to_le_bytes());
        file.extend(comment);
        file
    };
    for comment in [
        &b"hello"[..],
        &[b'x'; 65_535],
        b"PK\x05\x06",
        b"hello PK\x05\x06 and twenty more bytes behind it",
        &[END, END, END, END, END, END, END].concat(),
    ] {
        let file = with_comment(comment);
        assert_eq!(read(&file).unwrap(), expected);
        let directory = Directory::parse(&file, 10).unwrap();
        assert_eq!(&file[directory.comment], comment);
    }
    // An archive in the comment is not the archive.
    assert_eq!(read(&with_comment(&archive(0, &[(b"c".to_vec(), 0, vec![])], 1))).unwrap(), expected);
    let junk = [plain.clone(), b"junk".to_vec()].concat();
    assert_eq!(read(&junk).unwrap(), expected);
    assert_eq!(read(&archive(1000, &[(b"c".to_vec(), 0, vec![1])], 1)).unwrap(), [(b"c".to_vec(), vec![1])]);
    let directory = Directory::parse(&archive(1000, &[(b"c".to_vec(), 0, vec![1])], 1), 10).unwrap();
    assert_eq!(directory.entries[0].local_offset, 1000);
}

#[test]
fn an_archive_that_was_cut_short_is_never_its_last_member() {
    let bundle = archive(0, &[(b"x.npz".to_vec(), 0, two()), (b"y.npz".to_vec(), 0, two())], 1);
    for len in 0..bundle.len() {
        assert!(read(&bundle[..len]).is_err(), "{len}");
    }
}

#[test]
fn damage_is_named() {
    let cases: [(Vec<u8>, &str); 13] = [
        (patched(two(), END, 0, 10, &[3]), "expected as many members on this disk"),
        (patched(two(), END, 0, 8, &[3, 0, 3, 0]), "declares 3 members, found 2"),
        (patched(two(), END, 0, 12, &[0xFF, 0xFF]), "passes its end record"),
        (patched(two(), END, 0, 4, &[1]), "split over several"),
        (patched(two(), CENTRAL, 1, 0, b"XX"), "expected a central directory header"),
        (patched(two(), CENTRAL, 1, 28, &[99]), "the central directory needs"),
        (patched(two(), CENTRAL, 1, 8, &[1]), "\"b\": at byte 35: the member is encrypted"),
        (patched(two(), CENTRAL, 1, 8, &[0x20]), "patch"),
        (patched(two(), CENTRAL, 1, 16, &[1, 2, 3, 4]), "the central directory's is 04030201"),
        (patched(two(), LOCAL, 1, 0, b"XX"), "expected a local header"),
        (patched(two(), LOCAL, 1, 30, b"c"), "name is c, the central directory's is b"),
        (patched(two(), LOCAL, 0, 8, &[8]), "method"),
        (
            patched(patched(two(), LOCAL, 1, 18, &[5]), CENTRAL, 1, 20, &[5]),
            "a stored member declares 5 bytes",
        ),
    ];
    for (file, expected) in cases {
        assert!(message(&file).contains(expected), "{expected}: {}", message(&file));
    }
    let large = [5, 0, 0, 0, 5, 0, 0, 0];
    let file = patched(patched(two(), LOCAL, 1, 18, &large), CENTRAL, 1, 20, &large);
    assert!(message(&file).contains("passes the central directory"), "{}", message(&file));
    let directory = Directory::parse(&two(), 10).unwrap();
    assert!(matches!(data_offset(&two(), &directory, 2).unwrap_err().kind(), ErrorKind::NotFound));
}

#[test]
fn members_overlap_or_share_a_name() {
    let file = patched(two(), CENTRAL, 1, 42, &[0]);
    let file = patched(file, CENTRAL, 1, 46, b"a");
    let file = patched(file, CENTRAL, 1, 16, &crc32fast::hash(b"data").to_le_bytes());
    let directory = Directory::parse(&file, 10).unwrap();
    let offsets = data_offsets(&file, &directory).unwrap();
    assert!(check_overlaps(&directory, &offsets).unwrap_err().to_string().contains("overlaps"));
    let twice = check_duplicate_names(&directory).unwrap_err();
    assert_eq!(twice.location().member.as_deref(), Some("a"));

    // The directory's order is free.
    let mut file = two();
    let start = file.windows(4).position(|window| *window == CENTRAL).unwrap();
    let (first, second) = (file[start..start + 47].to_vec(), file[start + 47..start + 94].to_vec());
    file[start..start + 94].copy_from_slice(&[second, first].concat());
    let directory = Directory::parse(&file, 10).unwrap();
    let offsets = data_offsets(&file, &directory).unwrap();
    check_overlaps(&directory, &offsets).unwrap();
    check_duplicate_names(&directory).unwrap();
    assert_eq!((directory.position(b"a"), directory.position(b"c")), (Some(1), None));
}

#[test]
fn names_are_utf8_or_code_page_437() {
    let names: [(&[u8], &str); 4] =
        [(b"a\0b", "a\0b"), ("é".as_bytes(), "é"), (&[0x82, 0xFF], "é\u{a0}"), (b"folder/", "folder/")];
    let members: Vec<TestMember> = names.iter().map(|(name, _)| (name.to_vec(), 0, Vec::new())).collect();
    let mut file = archive(0, &members, 1);
    // The writer marks names that are not ASCII; the third is not UTF-8, like names of old tools.
    file = patched(file, CENTRAL, 2, 9, &[0]);
    let directory = Directory::parse(&file, 10).unwrap();
    for (i, (_, text)) in names.iter().enumerate() {
        assert_eq!(directory.name_str(i), *text);
    }
    assert!(directory.is_folder(3) && !directory.is_folder(1));
    assert_eq!(check_no_nul(&directory).unwrap_err().location().member.as_deref(), Some("a\0b"));
}

/// The test neither decompresses nor checks CRCs, because no verdict depends on them.
#[test]
fn corpora_are_read_as_their_verdicts_say() {
    for (verdict, path, bytes) in verdicts(&["zip", "npz"]) {
        let members = Directory::parse(&bytes, 1 << 20)
            .and_then(|directory| data_offsets(&bytes, &directory).map(|offsets| (directory, offsets)));
        if let Ok((directory, offsets)) = &members {
            let _ = (
                check_overlaps(directory, offsets),
                check_duplicate_names(directory),
                check_no_nul(directory),
            );
        }
        match verdict.as_str() {
            "ACCEPT" => assert!(members.is_ok(), "{path}: {members:?}"),
            // Their members are arrays of objects, which the reader of NPY headers refuses.
            "REJECT" if path.ends_with("objarr.npz") => assert!(members.is_ok()),
            "REJECT" => assert!(members.is_err(), "{path}"),
            _ => {}
        }
    }
}

#[test]
fn methods_have_their_codes() {
    for code in [0, 8, 93, 12, 99] {
        assert_eq!(Method::from_code(code).code(), code);
    }
}

fn members() -> impl Strategy<Value = Vec<TestMember>> {
    let flags = prop_oneof![Just(0), Just(flag::DESCRIPTOR)];
    let data = proptest::collection::vec(any::<u8>(), 0..40);
    proptest::collection::vec((proptest::collection::vec(any::<u8>(), 0..20), flags, data), 0..6)
}

proptest! {
    #[test]
    fn written_archives_are_read_back(prefix in 0_usize..50, members in members(), alignment in prop_oneof![Just(1_u32), Just(64)]) {
        let file = archive(prefix, &members, alignment);
        let expected: Vec<_> = members.into_iter().map(|(name, _, data)| (name, data)).collect();
        prop_assert_eq!(read(&file).unwrap(), expected);
    }

    #[test]
    fn damaged_archives_never_panic(prefix in 0_usize..3, members in members(), flips in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4), cut in any::<usize>()) {
        let mut file = archive(prefix, &members, 1);
        let length = file.len();
        for (at, byte) in flips {
            file[at % length] = byte;
        }
        for len in [length, cut % (length + 1)] {
            if let Ok(directory) = Directory::parse(&file[..len], 100) {
                for i in 0..directory.entries.len() {
                    let _ = (data_offset(&file[..len], &directory, i), directory.name_str(i));
                }
                let _ = (check_duplicate_names(&directory), check_no_nul(&directory));
            }
        }
    }
}
