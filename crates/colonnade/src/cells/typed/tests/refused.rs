//! Literal bytes: the specification's smallest forms, and cells that are refused.

use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Fields, Metadata, TimeUnit, UnionFields, UnionMode};

use super::*;
use crate::error::ErrorKind;

fn of(data_type: &DataType, bytes: &[u8]) -> std::result::Result<CellExtent, CellError> {
    of_field(&Field::new("x", data_type.clone(), true), bytes, &options())
}

fn of_field(
    field: &Field,
    bytes: &[u8],
    options: &ReadOptions,
) -> std::result::Result<CellExtent, CellError> {
    let mut reader = reader(field, None, None, options, &mut HeaderDictionaries::default()).unwrap();
    let taken = reader.take(bytes, 100)?;
    let data = reader.finish().unwrap();
    data.validate_full().unwrap();
    assert_eq!(data.len(), taken.cells);
    Ok(taken)
}

fn refused(data_type: &DataType, bytes: &[u8], offset: usize, path: &str, says: &str) {
    let e = of(data_type, bytes).unwrap_err();
    assert_eq!((e.offset, e.path.as_str()), (offset, path), "{e:?}");
    assert!(e.error.to_string().contains(says), "{e:?}");
}

#[test]
fn integers_take_the_smallest_form() {
    let cases: &[(i64, &[u8])] = &[
        (0, &[0x00]),
        (127, &[0x7f]),
        (128, &[0xcc, 0x80]),
        (255, &[0xcc, 0xff]),
        (256, &[0xcd, 0x01, 0x00]),
        (65_535, &[0xcd, 0xff, 0xff]),
        (65_536, &[0xce, 0x00, 0x01, 0x00, 0x00]),
        (4_294_967_295, &[0xce, 0xff, 0xff, 0xff, 0xff]),
        (4_294_967_296, &[0xcf, 0, 0, 0, 1, 0, 0, 0, 0]),
        (i64::MAX, &[0xcf, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        (-1, &[0xff]),
        (-32, &[0xe0]),
        (-33, &[0xd0, 0xdf]),
        (-128, &[0xd0, 0x80]),
        (-129, &[0xd1, 0xff, 0x7f]),
        (-32_768, &[0xd1, 0x80, 0x00]),
        (-32_769, &[0xd2, 0xff, 0xff, 0x7f, 0xff]),
        (-2_147_483_648, &[0xd2, 0x80, 0, 0, 0]),
        (-2_147_483_649, &[0xd3, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]),
        (i64::MIN, &[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0]),
    ];
    for (value, expected) in cases {
        assert_eq!(written(&Int64Array::from(vec![*value]).to_data(), PLAIN), *expected, "{value}");
    }
    assert_eq!(
        written(&UInt64Array::from(vec![u64::MAX]).to_data(), PLAIN),
        [0xcf, 255, 255, 255, 255, 255, 255, 255, 255]
    );
}

#[test]
fn text_bytes_and_entries_take_the_smallest_head() {
    let heads: [(usize, [&[u8]; 3]); 7] = [
        (0, [&[0xa0], &[0xa0], &[0xc4, 0]]),
        (31, [&[0xbf], &[0xbf], &[0xc4, 31]]),
        (32, [&[0xd9, 32], &[0xda, 0, 32], &[0xc4, 32]]),
        (255, [&[0xd9, 255], &[0xda, 0, 255], &[0xc4, 255]]),
        (256, [&[0xda, 1, 0], &[0xda, 1, 0], &[0xc5, 1, 0]]),
        (65_535, [&[0xda, 255, 255], &[0xda, 255, 255], &[0xc5, 255, 255]]),
        (65_536, [&[0xdb, 0, 1, 0, 0], &[0xdb, 0, 1, 0, 0], &[0xc6, 0, 1, 0, 0]]),
    ];
    for (length, [text, old, binary]) in heads {
        let string = StringArray::from(vec!["x".repeat(length)]).to_data();
        let bytes = BinaryArray::from(vec!["x".repeat(length).as_bytes()]).to_data();
        assert!(written(&string, PLAIN).starts_with(text), "{length}");
        assert!(written(&string, OLD).starts_with(old), "{length}");
        assert!(written(&bytes, PLAIN).starts_with(binary), "{length}");
        assert!(written(&bytes, OLD).starts_with(old), "{length}");
    }
    let heads: &[(i32, &[u8])] = &[
        (0, &[0x90]),
        (15, &[0x9f]),
        (16, &[0xdc, 0, 16]),
        (65_535, &[0xdc, 255, 255]),
        (65_536, &[0xdd, 0, 1, 0, 0]),
    ];
    for (length, head) in heads {
        let offsets = arrow_buffer::OffsetBuffer::new(ScalarBuffer::from(vec![0, *length]));
        let item = Arc::new(Field::new("item", DataType::Null, true));
        let list =
            ListArray::new(item, offsets, Arc::new(NullArray::new(usize::try_from(*length).unwrap())), None);
        assert!(written(&list.to_data(), PLAIN).starts_with(head), "{length}");
    }
}

#[test]
fn instants_take_the_smallest_form() {
    let cases: &[(i64, &[u8])] = &[
        (0, &[0xd6, 0xff, 0, 0, 0, 0]),
        (4_294_967_295_000_000_000, &[0xd6, 0xff, 255, 255, 255, 255]),
        (4_294_967_296_000_000_000, &[0xd7, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]),
        (1, &[0xd7, 0xff, 0, 0, 0, 4, 0, 0, 0, 0]),
        (999_999_999, &[0xd7, 0xff, 0xee, 0x6b, 0x27, 0xfc, 0, 0, 0, 0]),
        (-1, &[0xc7, 12, 0xff, 0x3b, 0x9a, 0xc9, 0xff, 255, 255, 255, 255, 255, 255, 255, 255]),
    ];
    for (value, expected) in cases {
        assert_eq!(
            written(&TimestampNanosecondArray::from(vec![*value]).to_data(), PLAIN),
            *expected,
            "{value}"
        );
    }
    let seconds = TimestampSecondArray::from(vec![(1i64 << 34) - 1, 1 << 34]).to_data();
    let expected = [
        &[0xd7, 0xff, 0, 0, 0, 3, 255, 255, 255, 255][..],
        &[0xc7, 12, 0xff, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0],
    ];
    assert_eq!(written(&seconds, PLAIN), expected.concat());
    assert_eq!(written(&Date32Array::from(vec![1]).to_data(), PLAIN), [0xd6, 0xff, 0, 1, 0x51, 0x80]);
}

#[test]
fn not_a_time_is_nil_where_numpys_dtype_says_so() {
    let data = TimestampNanosecondArray::from(vec![i64::MIN, 0]).to_data();
    let writer = writer(&field(&data), DType::parse("<M8[ns]"), &data, PLAIN).unwrap();
    assert_eq!(written_by(&*writer, 2), [0xc0, 0xd6, 0xff, 0, 0, 0, 0]);
}

#[test]
fn mixed_cells_are_written_as_they_are() {
    let cells: &[&[u8]] = &[&[0x01], &[0xa1, b'x'], &[0x92, 0xc0, 0xc3], &[0xd4, 7, 9]];
    let data = LargeBinaryArray::from(cells.to_vec()).to_data();
    let text = format!("{{\"tag\":{CELLS_TAG}}}");
    let field = field(&data).with_metadata(Metadata::new().with(crate::arrow::meta::KEY, text));
    let bytes = written_by(&*super::writer(&field, None, &data, PLAIN).unwrap(), 4);
    assert_eq!(bytes, cells.concat());
    for pieces in [1, bytes.len()] {
        let mut reader =
            super::reader(&field, None, Some(CELLS_TAG), &options(), &mut HeaderDictionaries::default())
                .unwrap();
        let (mut at, mut rows) = (0, 0);
        for end in (0..=bytes.len()).step_by(pieces) {
            let taken = reader.take(&bytes[at..end], 4 - rows).unwrap();
            (at, rows) = (at + taken.nbytes, rows + taken.cells);
        }
        assert_eq!(reader.finish().unwrap(), data);
    }
}

#[test]
fn cells_of_another_type_are_refused_with_their_place() {
    refused(&DataType::Int8, &[1, 0xcc, 200], 1, "", "expected int8, found the integer 200");
    refused(&DataType::UInt64, &[0xff], 0, "", "found the integer -1");
    refused(&DataType::Boolean, &[0xc3, 1], 1, "", "expected a boolean");
    refused(&DataType::Utf8, &[0xa2, b'a', 0xff], 2, "", "UTF-8");
    refused(&DataType::Utf8View, &[0xa1, 0xff], 1, "", "UTF-8");
    refused(&DataType::Utf8, &[0xc4, 1, b'a'], 0, "", "expected text, found bin");
    refused(&DataType::Null, &[0xc0, 0], 1, "", "expected nil");
    refused(&DataType::FixedSizeBinary(2), &[0xc4, 1, 0], 0, "", "expected 2 bytes, found 1");
    refused(
        &DataType::Float32,
        &[0xcb, 0x3f, 0xb9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a],
        0,
        "",
        "found the float 0.1",
    );
    refused(&DataType::Date32, &[0xd6, 0xff, 0, 0, 0, 1], 0, "", "found a timestamp");
    refused(
        &DataType::Timestamp(TimeUnit::Second, None),
        &[0xd7, 0xff, 0, 0, 0, 4, 0, 0, 0, 0],
        0,
        "",
        "found a timestamp",
    );
    refused(&DataType::Timestamp(TimeUnit::Second, None), &[0xd4, 0xff, 0], 0, "", "found a timestamp");
    refused(
        &DataType::Decimal128(5, 2),
        &[0xa5, b'1', b'.', b'2', b'3', b'4'],
        0,
        "",
        "found the text \"1.234\"",
    );
    let list = DataType::new_list(DataType::Int8, false);
    refused(&list, &[0x92, 1, 0xa0], 2, "[1]", "expected int8");
    refused(&list, &[0x90, 0x91, 0xc0], 2, "[0]", "found nil");
    refused(&list, &[0x80], 0, "", "expected an array, found a map");
    refused(&list, &[0x92, 1, 0xc1], 2, "", "C1");
    refused(&DataType::new_fixed_size_list(DataType::Int8, 2, true), &[0x91, 1], 0, "", "2 entries, found 1");
    let fields = vec![Field::new("a", DataType::Int8, true), Field::new("b c", list, false)];
    let record = DataType::Struct(Fields::from(fields));
    refused(&record, b"\x82\xa1a\x01\xa3b c\x91\xa0", 9, "[\"b c\"][0]", "expected int8");
    refused(&record, b"\x81\xa1a\x01", 0, "[\"b c\"]", "found none");
    refused(&record, b"\x82\xa1a\x01\xa1a\x01", 4, ".a", "found it again");
    refused(&record, b"\x81\xa1x\x01", 1, "", "found the text \"x\"");
    refused(&record, b"\x81\x01\x01", 1, "", "the key of a member");
    assert_eq!(of(&record, b"\x81\xa3b c\x91\x01").unwrap().cells, 1);
    let union = UnionFields::try_new([4], vec![Field::new("a", DataType::Int8, true)]).unwrap();
    let union = DataType::Union(union, UnionMode::Dense);
    refused(&union, &[0x92, 5, 1], 1, "", "[4], found 5");
    refused(&union, &[0xc0], 0, "", "found nil");
    refused(&union, &[0x92, 4, 0xa0], 2, "[1]", "expected int8");
}

#[test]
fn codes_are_of_a_category() {
    let array = vec!["a", "b"].into_iter().collect::<DictionaryArray<types::Int8Type>>();
    let data = array.to_data();
    for code in [0x02, 0xff] {
        let known = &mut dictionaries(&data, PLAIN);
        let mut reader = reader(&field(&data), None, None, &options(), known).unwrap();
        let e = reader.take(&[0, 1, code], 3).unwrap_err();
        assert_eq!((e.cell, e.offset), (2, 2));
    }
    let none = &mut HeaderDictionaries::default();
    assert!(reader(&field(&data), None, None, &options(), none).is_err());
    let fields = [Arc::new(field(&data))];
    let bytes = write_dictionaries(&[data], PLAIN).unwrap();
    assert_eq!(bytes, b"\x91\x92\xa1a\xa1b");
    for end in 0..bytes.len() {
        assert!(read_dictionaries(&fields, &bytes[..end], &options()).is_err());
    }
    assert!(read_dictionaries(&fields, b"\x91\xdf\xff\xff\xff\xff\xc0", &options()).is_err());
    assert!(read_dictionaries(&fields, b"\x91\xdd\xff\xff\xff\xff\xc0", &options()).is_err());
}

#[test]
fn other_writers_spellings_are_read() {
    assert_eq!(of(&DataType::Float64, &[1, 0xca, 0x3f, 0x80, 0, 0, 0xff]).unwrap().cells, 3);
    assert_eq!(of(&DataType::Float32, &[1, 0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0]).unwrap().cells, 2);
    assert_eq!(of(&DataType::Int8, &[0xd3, 0, 0, 0, 0, 0, 0, 0, 1]).unwrap().cells, 1);
    assert_eq!(of(&DataType::Binary, &[0xa1, 0xff]).unwrap().cells, 1);
    assert_eq!(of(&DataType::Utf8, &[0xdb, 0, 0, 0, 1, b'a']).unwrap().cells, 1);
    let pair = vec![Field::new("key", DataType::Int8, false), Field::new("value", DataType::Int8, true)];
    let entries = Field::new("entries", DataType::Struct(Fields::from(pair)), false);
    let map = DataType::Map(Arc::new(entries), false);
    assert_eq!(of(&map, &[0x81, 1, 2, 0x91, 0x92, 1, 0xc0]).unwrap().cells, 2);
    refused(&map, &[0x91, 0x91, 1], 1, "[0]", "another length");
    refused(&map, &[0x81, 0xc0, 1], 1, "[0]", "found nil");
}

#[test]
fn nulls_of_wide_types_and_depth_have_limits() {
    let wide = DataType::new_fixed_size_list(DataType::FixedSizeBinary(1 << 30), 1 << 30, true);
    let e = of_field(&Field::new("x", wide, true), &[0xc0], &options()).unwrap_err();
    assert!(matches!(e.error.kind(), ErrorKind::LimitExceeded), "{e:?}");
    let mut small = options();
    small.limits.max_nbytes = 1000;
    let vector = Field::new("x", DataType::new_fixed_size_list(DataType::Float64, 100, true), true);
    assert_eq!(of_field(&vector, &[0xc0], &small).unwrap().cells, 1);
    assert_eq!(of_field(&vector, &[0xc0, 0xc0], &small).unwrap_err().cell, 1);
    let mut deep = DataType::Int8;
    for _ in 0..65 {
        deep = DataType::new_list(deep, true);
    }
    let field = Field::new("x", deep, true);
    assert!(reader(&field, None, None, &options(), &mut HeaderDictionaries::default()).is_err());
    let mut reader = reader(
        &Field::new("x", DataType::Binary, true),
        None,
        Some(CELLS_TAG),
        &options(),
        &mut HeaderDictionaries::default(),
    )
    .unwrap();
    let e = reader.take(&[0x91; 100_000], 1).unwrap_err();
    assert!(matches!(e.error.kind(), ErrorKind::LimitExceeded), "{e:?}");
}

#[test]
fn nulls_of_wide_types_are_limited_by_the_bytes_read() {
    let limit = |e: &CellError| matches!(e.error.kind(), ErrorKind::LimitExceeded);
    for wide in [
        DataType::FixedSizeBinary(i32::MAX),
        DataType::new_fixed_size_list(DataType::Null, i32::MAX, true),
        DataType::new_fixed_size_list(
            DataType::new_fixed_size_list(DataType::Int8, 1 << 16, true),
            1 << 15,
            true,
        ),
    ] {
        let e = of_field(&Field::new("x", wide.clone(), true), &[0xc0], &options()).unwrap_err();
        assert!(limit(&e) && e.error.to_string().contains("max_unbacked_nbytes"), "{e:?}");
        // Inside lists and structs too, as a nil or as a missing member.
        let e = of(&DataType::new_list(wide.clone(), true), &[0x91, 0xc0]).unwrap_err();
        assert!(limit(&e), "{e:?}");
        let member = Field::new("w", wide.clone(), true);
        let e = of(&DataType::Struct(vec![member].into()), &[0x80]).unwrap_err();
        assert!(limit(&e), "{e:?}");
        // A sparse union allocates it for every value of another child.
        let children = [(0, Field::new("i", DataType::Int8, true)), (1, Field::new("w", wide, true))];
        let union = DataType::Union(UnionFields::from_fields(children.map(|(_, f)| f)), UnionMode::Sparse);
        let e = of_field(&Field::new("x", union, false), &[0x92, 0, 7], &options()).unwrap_err();
        assert!(limit(&e), "{e:?}");
    }
    // Bytes that were read allow nulls. All columns of a frame share one allowance.
    let mut tight = options();
    tight.limits.max_unbacked_nbytes = 20_000;
    let field = Field::new("x", DataType::FixedSizeBinary(5000), true);
    let value = [&[0xc5, 0x13, 0x88][..], &[7; 5000]].concat();
    assert_eq!(of_field(&field, &[0xc0; 11], &tight).unwrap_err().cell, 4);
    assert_eq!(of_field(&field, &[&value[..], &[0xc0; 90]].concat(), &tight).unwrap().cells, 91);
    let mut shared = HeaderDictionaries::default();
    let mut first = reader(&field, None, None, &tight, &mut shared).unwrap();
    let mut second = reader(&field, None, None, &tight, &mut shared).unwrap();
    assert_eq!(first.take(&[0xc0; 3], 3).unwrap().cells, 3);
    assert_eq!(second.take(&[0xc0; 20], 20).unwrap_err().cell, 1);
}

#[test]
fn non_nullable_children_hold_no_nulls() {
    let fields = [Field::new("i", DataType::Int8, false), Field::new("s", DataType::Utf8, false)];
    for mode in [UnionMode::Sparse, UnionMode::Dense] {
        let union = DataType::Union(UnionFields::from_fields(fields.clone()), mode);
        let field = Field::new("x", union, false);
        let cells = [0x92, 0, 7, 0x92, 1, 0xa1, b'a', 0x92, 0, 8];
        assert_eq!(of_field(&field, &cells, &options()).unwrap().cells, 3);
        for (bytes, path) in [(&[0x92, 0, 0xc0][..], "[1]"), (&[0x92, 1, 0xc0], "[1]"), (&[0xc0], "")] {
            let e = of_field(&field, bytes, &options()).unwrap_err();
            assert!(e.path == path && e.error.to_string().contains("found nil"), "{e:?}");
        }
    }
    let record = DataType::Struct(Fields::from(fields.to_vec()));
    refused(&record, &[0x81, 0xa1, b'i', 1], 0, ".s", "found none");
    refused(&record, &[0x82, 0xa1, b'i', 1, 0xa1, b's', 0xc0], 6, ".s", "found nil");
    assert_eq!(of(&record, &[0xc0, 0x82, 0xa1, b's', 0xa0, 0xa1, b'i', 1]).unwrap().cells, 2);
    refused(&DataType::new_list(DataType::Int8, false), &[0x91, 0xc0], 1, "[0]", "found nil");
    refused(&DataType::new_fixed_size_list(DataType::Int8, 1, false), &[0x91, 0xc0], 1, "[0]", "found nil");
}

#[test]
fn decimals_take_the_smallest_form() {
    let digits =
        Decimal128Array::from(vec![-(i128::pow(10, 38) - 1)]).with_precision_and_scale(38, 10).unwrap();
    assert!(written(&digits.to_data(), PLAIN).starts_with(&[0xd9, 40, b'-', b'9']));
    assert!(written(&digits.to_data(), OLD).starts_with(&[0xda, 0, 40, b'-', b'9']));
}

#[test]
fn any_bytes_give_valid_arrays_or_errors() {
    let list = DataType::new_list(DataType::Utf8, true);
    let fields = vec![Field::new("a", DataType::Int8, false), Field::new("b", list.clone(), true)];
    let record = DataType::Struct(Fields::from(fields));
    for data_type in [list, record, DataType::Utf8View, DataType::Decimal128(5, 2)] {
        let mut state = 1u32;
        for _ in 0..3000 {
            let byte = |state: &mut u32| {
                *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let raw = state.to_be_bytes();
                [0xa1, b'a', 0x91, 0x82, 0xc0, raw[1], b'b', 0x92][usize::from(raw[0] & 7)]
            };
            let bytes: Vec<u8> = (0..24).map(|_| byte(&mut state)).collect();
            let _ = of(&data_type, &bytes);
        }
    }
}

#[test]
fn a_tag_declares_the_extensions_of_its_cells() {
    use crate::cells::typed::{MIXED_TAG, extensions, is_cells};
    assert!(is_cells(Some(MIXED_TAG)) && is_cells(Some(CELLS_TAG)));
    assert_eq!(extensions(Some(MIXED_TAG)), Some(1));
    for tag in [None, Some(CELLS_TAG), Some("{"), Some("[]"), Some(r#"{"extensions":"1"}"#)] {
        assert_eq!(extensions(tag), None);
    }
}
