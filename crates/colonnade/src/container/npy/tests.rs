//! Behaviour of the NPY header, against bytes that NumPy and StaticFrame wrote.

mod properties;

use std::path::PathBuf;

use super::descr::{Descr, DescrField};
use super::header::{NpyHeader, header_len, parse_header};
use super::write::{write_header, write_numpy_header};
use crate::error::{ErrorKind, Result};
use crate::frame::dtype::DType;

pub(super) const LIMIT: usize = 65_536;

/// Rows `(verdict, path, bytes)` of the corpora's verdicts, of one kind; empty where the corpora are absent.
pub(crate) fn verdicts(kinds: &[&str]) -> Vec<(String, String, Vec<u8>)> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let root = std::env::var_os("COLONNADE_CORPORA").map_or(default, PathBuf::from);
    let Ok(table) = std::fs::read_to_string(root.join("VERDICTS.tsv")) else {
        eprintln!("skipped: no corpora at {}", root.display());
        return Vec::new();
    };
    let rows = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    rows.filter(|row| kinds.contains(&row[2]))
        .filter_map(|row| {
            Some((row[1].to_owned(), row[3].to_owned(), std::fs::read(root.join(row[3])).ok()?))
        })
        .collect()
}

fn scalar(descr: &str) -> Descr {
    Descr::Scalar(DType::parse(descr).unwrap())
}

fn field(name: &str, descr: Descr, shape: &[usize]) -> DescrField {
    DescrField { name: name.to_owned(), title: None, descr, shape: shape.to_vec() }
}

/// An NPY 1.0 with this header text and no data.
fn npy(text: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

pub(super) fn parse(text: &str) -> Result<NpyHeader> {
    parse_header(&npy(text), None, LIMIT)
}

fn message(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn static_frame_spelling_is_reproduced() {
    let cases: [(&str, bool, &[usize], &str, usize); 6] = [
        ("<f8", false, &[3], r#"{"descr":"<f8","fortran_order":True,"shape":(3,)}"#, 64),
        ("|b1", false, &[3, 4], r#"{"descr":"|b1","fortran_order":False,"shape":(3, 4)}"#, 64),
        ("<M8[ns]", true, &[3, 4], r#"{"descr":"<M8[ns]","fortran_order":True,"shape":(3, 4)}"#, 128),
        ("<U3", false, &[3, 1], r#"{"descr":"<U3","fortran_order":True,"shape":(3, 1)}"#, 64),
        ("<i8", false, &[0, 4], r#"{"descr":"<i8","fortran_order":True,"shape":(0, 4)}"#, 64),
        // On the boundary without padding: both writers then add a whole 64.
        ("<f8", true, &[10_000], r#"{"descr":"<f8","fortran_order":True,"shape":(10000,)}"#, 128),
    ];
    for (descr, fortran_order, shape, text, len) in cases {
        let mut out = b"before".to_vec();
        write_header(&mut out, &DType::parse(descr).unwrap(), fortran_order, shape);
        let out = &out[6..];
        assert_eq!(out.len(), len, "{text}");
        assert_eq!(&out[..8], b"\x93NUMPY\x01\x00");
        assert_eq!(usize::from(u16::from_le_bytes([out[8], out[9]])), len - 10);
        assert!(out[10..].starts_with(text.as_bytes()), "{}", out.escape_ascii());
        assert!(out[10 + text.len()..len - 1].iter().all(|&byte| byte == b' '));
        assert_eq!(out[len - 1], b'\n');
        let header = parse_header(out, None, LIMIT).unwrap();
        assert_eq!((header.shape.as_slice(), header.data_offset), (shape, len));
    }
}

#[test]
fn numpy_spelling_is_reproduced() {
    let padded = Descr::Struct(vec![
        field("a", scalar("|u1"), &[]),
        field("", scalar("|V3"), &[]),
        field("b", scalar("<i4"), &[]),
    ]);
    let nested = Descr::Struct(vec![field(
        "n",
        Descr::Struct(vec![field("x", scalar("<i2"), &[]), field("y", scalar("<f4"), &[2, 3])]),
        &[2],
    )]);
    let titled = DescrField { title: Some("t t".to_owned()), ..field("c", scalar("|S3"), &[]) };
    // What np.save of NumPy 2.4 writes: version, length of header and preamble, text.
    type HeaderCase<'a> = (Descr, bool, &'a [usize], u8, usize, &'a str);
    let cases: [HeaderCase<'_>; 11] = [
        (scalar("<f8"), false, &[3], 1, 128, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }"),
        (scalar("<f8"), true, &[3, 4], 1, 128, "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }"),
        (scalar("<f8"), true, &[3, 1], 1, 128, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }"),
        (scalar("<f8"), false, &[], 1, 128, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"),
        (
            scalar("<f8"),
            false,
            &[2, 0],
            1,
            128,
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 0), }",
        ),
        (
            padded,
            false,
            &[3],
            1,
            128,
            "{'descr': [('a', '|u1'), ('', '|V3'), ('b', '<i4')], 'fortran_order': False, 'shape': (3,), }",
        ),
        (
            nested,
            false,
            &[3],
            1,
            192,
            "{'descr': [('n', [('x', '<i2'), ('y', '<f4', (2, 3))], (2,))], 'fortran_order': False, 'shape': (3,), }",
        ),
        (
            Descr::Struct(vec![titled]),
            false,
            &[3],
            1,
            128,
            "{'descr': [(('t t', 'c'), '|S3')], 'fortran_order': False, 'shape': (3,), }",
        ),
        (
            Descr::Struct(vec![field("it's", scalar("<i4"), &[])]),
            false,
            &[3],
            1,
            128,
            "{'descr': [(\"it's\", '<i4')], 'fortran_order': False, 'shape': (3,), }",
        ),
        (
            Descr::Struct(vec![field("q\"'\n\\", scalar("<i4"), &[])]),
            false,
            &[3],
            1,
            128,
            "{'descr': [('q\"\\'\\n\\\\', '<i4')], 'fortran_order': False, 'shape': (3,), }",
        ),
        (
            Descr::Struct(vec![field("名", scalar("<i4"), &[])]),
            false,
            &[3],
            3,
            128,
            "{'descr': [('名', '<i4')], 'fortran_order': False, 'shape': (3,), }",
        ),
    ];
    for (descr, fortran_order, shape, version, len, text) in cases {
        let mut out = Vec::new();
        write_numpy_header(&mut out, &descr, fortran_order, shape);
        let start = if version == 1 { 10 } else { 12 };
        assert_eq!((out[6], out.len()), (version, len), "{text}");
        assert!(out[start..].starts_with(text.as_bytes()), "{}", out.escape_ascii());
        let header = parse_header(&out, None, LIMIT).unwrap();
        assert_eq!((&header.descr, header.shape.as_slice(), header.data_offset), (&descr, shape, len));
    }
}

#[test]
fn latin1_names_and_long_headers_take_numpy_versions() {
    let mut out = Vec::new();
    write_numpy_header(&mut out, &Descr::Struct(vec![field("é", scalar("<i4"), &[])]), false, &[3]);
    assert_eq!(out[6], 1);
    assert!(out[10..].starts_with(b"{'descr': [('\xe9', '<i4')]"));

    let many: Vec<DescrField> = (0..5000).map(|i| field(&format!("f{i}"), scalar("<i4"), &[])).collect();
    let mut out = Vec::new();
    write_numpy_header(&mut out, &Descr::Struct(many.clone()), false, &[3]);
    assert_eq!((out[6], out.len() % 64), (2, 0));
    assert_eq!(header_len(&out[..12]).unwrap(), out.len());
    assert_eq!(parse_header(&out, None, 1 << 20).unwrap().descr, Descr::Struct(many));
    let error = parse_header(&out, None, LIMIT).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
}

#[test]
fn any_order_and_white_space_of_keys() {
    let expected = parse("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n").unwrap();
    for text in [
        "{'shape': (3,), 'fortran_order': False, 'descr': '<i8'}",
        "\t{ \"descr\" :'<i8' ,\n'fortran_order':False,'shape':( 3 , )\r\n}  ",
        "{'descr': u'<i8', 'fortran_order': False, 'shape': (3L,), }\n",
        "{'descr': '\\x3ci8', 'fortran_order': False, 'shape': (0x3,), }\n",
        "({'descr': ('<i8'), 'fortran_order': False, 'shape': (+3,), })",
    ] {
        let header = parse(text).unwrap();
        assert_eq!((header.descr, header.shape), (expected.descr.clone(), expected.shape.clone()), "{text}");
    }
}

#[test]
fn text_around_the_dict_is_refused_at_its_byte() {
    for (text, at, expected) in [
        ("", 10, "found the end of the header"),
        ("[]", 10, "expected a dict"),
        ("{'descr': '<i8', 'fortran_order': False}", 10, "found a dict of 2 keys"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), 'x': 1}", 66, "found \"x\""),
        ("{'descr': '<i8', 'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", 27, "each key once"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (3,)} x", 66, "the end of the header"),
        ("{'descr': '<i8', 'fortran_order': 1, 'shape': (3,)}", 44, "True or False"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (03,)}", 61, "an integer"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (3.0,)}", 61, "an integer"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (3,,)}", 63, "a string, an integer"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (3)}", 60, "a tuple"),
        ("{'descr': '<i8', 'fortran_order': False, 'shape': (99999999999999999999,)}", 61, "at most 64 bits"),
        ("{'descr': '<i8' 'x', 'fortran_order': False, 'shape': (3,)}", 26, "a comma"),
        ("{'descr': b'<i8', 'fortran_order': False, 'shape': (3,)}", 20, "a string"),
        ("{'descr': __import__('os'), 'fortran_order': False, 'shape': (3,)}", 20, "a string"),
        (
            "{'descr': [('a', '<i4'), ('a', '<i8')], 'fortran_order': False, 'shape': (3,)}",
            20,
            "found \"a\" twice",
        ),
        ("{'descr': [('', '<i4')], 'fortran_order': False, 'shape': (3,)}", 21, "a name"),
        ("{'descr': '<i8\\q', 'fortran_order': False, 'shape': (3,)}", 24, "an escape"),
        ("{'descr': '\\ud800', 'fortran_order': False, 'shape': (3,)}", 21, "an escape"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Malformed), "{text}: {error}");
        assert_eq!(error.location().offset, Some(at), "{text}: {error}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn objects_are_named_and_never_read() {
    for descr in ["'|O'", "'O8'", "[('a', '<i4'), ('b', [('c', '|O')])]"] {
        let error =
            parse(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (3,), }}")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unsupported), "{error}");
        assert!(error.to_string().contains("never read"), "{error}");
    }
    assert_eq!(
        message("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }"),
        "npy: at byte 20: expected a scalar dtype, found '|O'. Pickled objects are never read: \
         convert the array to a fixed dtype and save it again."
    );
}

#[test]
fn nesting_is_bounded() {
    for open in ["(", "[", "{1:", "{(1,):"] {
        let error = parse(&open.repeat(10_000)).unwrap_err();
        assert!(error.to_string().contains("32 levels"), "{error}");
    }
}

#[test]
fn sizes_are_checked_before_anything_could_allocate() {
    let text = "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }";
    let bytes = npy(text);
    let end = bytes.len() as u64 + 24;
    assert_eq!(parse_header(&bytes, Some(end), LIMIT).unwrap().data_nbytes(), 24);
    let header = parse_header(&bytes, Some(end + 3), LIMIT).unwrap();
    assert!(header.check_whole(end).is_ok());
    assert!(matches!(header.check_whole(end + 3).unwrap_err().kind(), ErrorKind::Malformed));
    for total in [0, 12, bytes.len() as u64 - 1, bytes.len() as u64, end - 1] {
        let error = parse_header(&bytes, Some(total), LIMIT).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Truncated { had, .. } if *had == total),
            "{total}: {error}"
        );
    }
    for shape in ["(9223372036854775807,)", "(0, 9223372036854775807)", "(4294967296, 4294967296, 0)"] {
        let error =
            parse(&format!("{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
    }
    let giant =
        "{'descr': [('a', '|V2147483647', (4294967295, 4294967295))], 'fortran_order': False, 'shape': (), }";
    assert!(matches!(parse(giant).unwrap_err().kind(), ErrorKind::LimitExceeded));
}

#[test]
fn preamble_says_how_much_to_read() {
    let bytes = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }");
    assert_eq!(header_len(&bytes[..10]).unwrap(), bytes.len());
    for cut in 0..10 {
        assert!(
            matches!(header_len(&bytes[..cut]).unwrap_err().kind(), ErrorKind::Truncated { .. }),
            "{cut}"
        );
    }
    assert!(matches!(header_len(b"PK\x03\x04").unwrap_err().kind(), ErrorKind::Malformed));
    assert!(matches!(header_len(b"\x93NUMPY\x01\x01v\x00").unwrap_err().kind(), ErrorKind::Unsupported));
    assert_eq!(header_len(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").unwrap(), 12 + 0xFFFF_FFFF);
}

#[test]
fn corpora_are_read_as_their_verdicts_say() {
    for (verdict, path, bytes) in verdicts(&["npy"]) {
        let header = parse_header(&bytes, Some(bytes.len() as u64), LIMIT);
        match verdict.as_str() {
            "ACCEPT" => assert!(header.is_ok(), "{path}: {header:?}"),
            // Lone surrogates are data: the reader of the values refuses them.
            "REJECT" if path.ends_with("dtype_U_surrogate.npy") => assert!(header.is_ok()),
            "REJECT" => assert!(header.is_err(), "{path}: {header:?}"),
            _ => {}
        }
    }
}
