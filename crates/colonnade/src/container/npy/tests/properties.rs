//! Property tests of NPY headers: written headers are read back, both parsers agree, damage never panics.

use proptest::prelude::*;

use super::super::descr::{Descr, DescrField};
use super::super::header::{NpyHeader, header_len, parse_header};
use super::super::write::{write_header, write_numpy_header};
use super::super::{fast_path, literal};
use super::{LIMIT, parse};
use crate::error::Result;
use crate::frame::dtype::DType;

/// Parses the whole header text with the grammar only.
fn by_grammar(text: &str) -> Result<NpyHeader> {
    // A leading space is legal, but the fast path does not know it.
    parse(&format!(" {text}"))
}

fn dtypes() -> impl Strategy<Value = DType> {
    let fixed = proptest::sample::select(vec![
        "|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u4", "<u8", "<f2", ">f4", "<f8", "<f16", "<c8",
        ">c16", "<c32", "<M8", ">M8[D]", "<M8[25s]", "<m8[ns]", "<m8[7as]",
    ]);
    prop_oneof![
        fixed.prop_map(str::to_owned),
        (0_u32..300).prop_map(|n| format!("|S{n}")),
        (0_u32..300).prop_map(|n| format!(">U{n}")),
        (0_u32..300).prop_map(|n| format!("|V{n}")),
    ]
    .prop_map(|descr| DType::parse(&descr).unwrap())
}

fn descrs() -> impl Strategy<Value = Descr> {
    dtypes().prop_map(Descr::Scalar).prop_recursive(3, 12, 4, |inner| {
        let names = proptest::collection::hash_set("(?s).{1,6}", 1..4);
        let parts = (inner, proptest::collection::vec(0_usize..4, 0..3), proptest::option::of("(?s).{0,4}"));
        (names, proptest::collection::vec(parts, 4)).prop_map(|(names, parts)| {
            let fields = names.into_iter().zip(parts).map(|(name, (descr, shape, title))| DescrField {
                name,
                title,
                descr,
                shape,
            });
            Descr::Struct(fields.collect())
        })
    })
}

proptest! {
    #[test]
    fn written_headers_are_read_back(dtype in dtypes(), fortran in any::<bool>(), shape in proptest::collection::vec(0_usize..100_000, 0..4)) {
        let mut out = Vec::new();
        write_header(&mut out, &dtype, fortran, &shape);
        let header = parse_header(&out, None, LIMIT).unwrap();
        prop_assert_eq!(out.len() % 64, 0);
        prop_assert_eq!(header.data_offset, out.len());
        prop_assert_eq!(header.count(), shape.iter().product::<usize>());
        prop_assert_eq!(header.itemsize(), dtype.itemsize as usize);
        prop_assert_eq!(&header.shape, &shape);
        prop_assert_eq!(header.descr, Descr::Scalar(dtype));
        prop_assert!(header.fortran_order || !fortran);
    }

    #[test]
    fn written_structs_are_read_back(descr in descrs(), shape in proptest::collection::vec(0_usize..100, 0..3)) {
        let mut out = Vec::new();
        write_numpy_header(&mut out, &descr, false, &shape);
        let header = parse_header(&out, None, 1 << 20).unwrap();
        prop_assert_eq!(header.data_offset, out.len());
        prop_assert_eq!((header.descr, header.fortran_order, header.shape), (descr, false, shape));
    }

    #[test]
    fn fast_path_and_grammar_agree(ours in any::<bool>(), at in 0_usize..64, byte in prop_oneof![any::<u8>(), Just(b' '), Just(b'0')], number in any::<u32>()) {
        let mut text = if ours {
            format!("{{\"descr\":\"<f8\",\"fortran_order\":True,\"shape\":({number},)}}   \n").into_bytes()
        } else {
            format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({number}, 2), }}   \n").into_bytes()
        };
        let length = text.len();
        text[at % length] = byte;
        if let (Some((dtype, fortran_order, shape)), Ok(text)) = (fast_path::parse(&text), std::str::from_utf8(&text)) {
            let header = by_grammar(text).unwrap();
            prop_assert_eq!((header.descr, header.fortran_order, header.shape), (Descr::Scalar(dtype), fortran_order, shape));
        }
    }

    #[test]
    fn damaged_headers_never_panic(descr in descrs(), at in any::<usize>(), byte in any::<u8>(), cut in any::<usize>()) {
        let mut out = Vec::new();
        write_numpy_header(&mut out, &descr, true, &[3, 4]);
        let length = out.len();
        out[at % length] = byte;
        let _ = parse_header(&out, Some(1000), LIMIT);
        out.truncate(cut % (length + 1));
        let _ = parse_header(&out, None, LIMIT);
        let _ = header_len(&out);
    }

    #[test]
    fn any_text_never_panics(text in "[\\[\\](){},:'\"\\\\xuULO0-9<>a-f \n\u{e9}-]{0,80}", version in 1_u8..4) {
        let _ = literal::parse(text.as_bytes(), version, 10);
    }
}
