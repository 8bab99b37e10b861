//! Arrays and maps.

use super::*;

#[test]
fn arrays_are_lists() {
    let bytes = [0x93, 1, 0xc0, 0xcd, 1, 0, 0xc0, 0x90, 0xdc, 0, 1, 0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0];
    let found = array(&taken(&bytes, 4, &options()));
    let found = found.as_any().downcast_ref::<arrow_array::LargeListArray>().unwrap();
    assert_eq!(found.value_offsets(), [0, 3, 3, 3, 4]);
    assert!(found.is_null(1) && found.is_valid(2));
    let expected = arrow_array::Float64Array::from(vec![Some(1.0), None, Some(256.0), Some(1.5)]);
    assert_eq!(found.values().as_any().downcast_ref(), Some(&expected));
    let deep = array(&taken(&[0x91, 0x92, 0x90, 0x91, 0xa1, b'x', 0xc0], 2, &options()));
    assert_eq!(deep.data_type().to_string().matches("LargeList").count(), 3);
}

#[test]
fn maps_are_structs_and_missing_keys_are_null() {
    let bytes =
        [&b"\xc0\x82\xa1a\x01\xa1b\xa1x"[..], b"\x81\xa1b\xa1y", b"\x80", b"\x82\xa1c\x91\xc3\xa1a\x02"]
            .concat();
    let found = array(&taken(&bytes, 5, &options()));
    let found = found.as_any().downcast_ref::<arrow_array::StructArray>().unwrap();
    assert_eq!(found.column_names(), ["a", "b", "c"]);
    assert!(found.is_null(0) && found.is_valid(3));
    let a = arrow_array::Int64Array::from(vec![None, Some(1), None, None, Some(2)]);
    let b = arrow_array::LargeStringArray::from(vec![None, Some("x"), Some("y"), None, None]);
    assert_eq!(found.column(0).as_any().downcast_ref(), Some(&a));
    assert_eq!(found.column(1).as_any().downcast_ref(), Some(&b));
    assert_eq!(found.column(2).null_count(), 4);
}

#[test]
fn a_repeated_key_is_refused_by_name() {
    let error = whole(b"\xc0\x91\x82\xa1a\x01\xa1a\x02", 2, &options()).unwrap_err();
    assert_eq!((error.cell, error.offset, error.path.as_str()), (1, 6, "[0]"));
    assert!(error.error.to_string().contains("\"a\" twice"), "{}", error.error);
}

#[test]
fn errors_inside_cells_have_a_path_and_an_offset() {
    let error = whole(b"\x01\x01\x81\xa1a\x92\xa1x\xa1\xff", 3, &options()).unwrap_err();
    let error = error.in_column("$.c", 10, 1000);
    let text = error.to_string();
    assert!(text.contains("$.c[12]") && text.contains("at byte 1008"), "{text}");
    let error = whole(b"\x81\xa1a\x92\xa1x\xa1\xff", 1, &options()).unwrap_err();
    assert_eq!((error.offset, error.path.as_str()), (6, ".a[1]"));
    let error = whole(b"\x91\xc1", 1, &options()).unwrap_err();
    assert_eq!(error.offset, 1);
}

#[test]
fn depth_is_limited_and_deep_cells_keep_their_bytes() {
    let nest = |n: usize| [vec![0x91; n], vec![1]].concat();
    assert!(whole(&nest(64), 1, &options()).is_ok());
    let error = whole(&nest(65), 1, &options()).unwrap_err();
    assert!(matches!(error.error.kind(), crate::ErrorKind::LimitExceeded), "{}", error.error);
    let mut column = InferredColumn::new(&options()).with_depth(2);
    assert!(column.take(&nest(63), 1).is_err());
    let mut deep = options();
    deep.limits.max_depth = 100_000;
    assert_eq!(mixed(&whole(&nest(50_000), 1, &deep).unwrap())[0].as_ref().unwrap().len(), 50_001);
}
