//! Mixed cells, columns without a cell, and unknown extensions.

use super::*;

#[test]
fn mixed_cells_keep_their_bytes() {
    let one_float = [0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0];
    let beyond = [0xcf, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let odd = [0xcf, 0x00, 0x20, 0, 0, 0, 0, 0, 1];
    let time = [0xd6, 0xff, 0, 0, 0, 9];
    for parts in [
        &[&[1][..], b"\xa1a", &[0xc0], &[0xc3]][..],
        &[b"\xa1a", &[0xc0], &[0xc4, 1, 0xff], &[0xff]],
        &[&[0xc0], &[0xc2], &[0xc3], &[1]],
        &[&[0xff], &[0xc0], &beyond, &[7]],
        &[&beyond, &[0xc0], &[0xff]],
        &[&one_float, &[1], &odd, &[0xc0]],
        &[&odd, &[0xc0], &one_float],
        &[&[2], &one_float, b"\xa0"],
        &[&time, &[0xc0], &[0xd0, 0x80]],
        &[&[0x92, 1, 0xa1, b'x'], &[0xc0], &[3]],
        &[&[1], &[0x91, 1], &[0x81, 0xa1, b'a', 0xc0]],
        &[&[0x91, 1], &[0xc0], &[0x91, 0xc3]],
        &[&[0x81, 1, 2], &[0xc0]],
        &[&[0xc0], &[0x81, 0xa1, b'a', 0xcd, 0, 1], &[0x81, 0xa1, b'a', 0xa0]],
        &[b"\xa1a", &[0x91, 0x91, 0x91, 0xc0]],
    ] {
        assert_eq!(mixed(&taken(&parts.concat(), parts.len(), &options())), cells(parts), "{parts:?}");
    }
}

#[test]
fn stored_cells_are_encoded_again_in_the_smallest_form() {
    let bytes =
        [&[0xcd, 0, 5][..], &[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], &[0xa0]].concat();
    assert_eq!(mixed(&taken(&bytes, 3, &options())), cells(&[&[5], &[0xd1, 0xff, 0x7f], &[0xa0]]));
    let text = [&[0xda, 0, 1, b'x'][..], &[0xda, 0, 40], &[b'y'; 40], &[0xc2]].concat();
    let long = [&[0xd9, 40][..], &[b'y'; 40]].concat();
    assert_eq!(mixed(&taken(&text, 3, &options())), cells(&[b"\xa1x", &long, &[0xc2]]));
}

#[test]
fn extensions_are_refused_or_kept_with_their_type() {
    let bytes = [0xc0, 0xd4, 5, 0xaa, 0xc7, 3, 0xfe, 1, 2, 3];
    let error = whole(&bytes, 3, &options()).unwrap_err();
    assert_eq!((error.cell, error.offset), (1, 1));
    assert!(error.error.to_string().contains("extension type 5"), "{}", error.error);
    let found = array(&taken(&bytes, 3, &loose()));
    let found = found.as_any().downcast_ref::<arrow_array::StructArray>().unwrap();
    let codes = found.column(0).as_any().downcast_ref::<arrow_array::Int8Array>().unwrap();
    let data = found.column(1).as_any().downcast_ref::<arrow_array::LargeBinaryArray>().unwrap();
    assert!(found.is_null(0));
    assert_eq!(
        (codes.value(1), data.value(1), codes.value(2), data.value(2)),
        (5, &[0xaa][..], -2, &[1, 2, 3][..])
    );
    assert!(whole(&[1, 0x91, 0xd4, 5, 0], 2, &options()).is_err());
    assert_eq!(mixed(&taken(&[1, 0xd4, 5, 0], 2, &loose())), cells(&[&[1], &[0xd4, 5, 0]]));
}

#[test]
fn maps_that_share_no_keys_keep_their_bytes() {
    let mut bytes = Vec::new();
    for i in 0..3000u32 {
        bytes.extend([&[0x81, 0xa4][..], format!("{i:04}").as_bytes(), &[1]].concat());
    }
    assert_eq!(mixed(&whole(&bytes, 3000, &options()).unwrap()).len(), 3000);
}

#[test]
fn missing_keys_are_nulls_of_any_family() {
    for cell in [&[1][..], b"\xa1x", &[0xc3], &[0x91, 1], b"\x81\xa1a\x01", &[0xd6, 0xff, 0, 0, 0, 1]] {
        let mut column = InferredColumn::new(&options());
        column.nulls(2).unwrap();
        column.take(cell, 1).unwrap();
        column.nulls(1).unwrap();
        column.take(cell, 1).unwrap();
        column.nulls(20).unwrap();
        let found = array(&column.finish().unwrap());
        let valid: Vec<usize> = (0..25).filter(|&row| row < found.len() && found.is_valid(row)).collect();
        assert_eq!((found.len(), valid), (25, vec![2, 4]), "{cell:?}");
    }
}

#[test]
fn a_claimed_cell_count_allocates_nothing() {
    for cell in [&[0x01][..], &[0xc3], &[0xa1, b'x'], &[0xcb, 0, 0, 0, 0, 0, 0, 0, 0], &[0xc0]] {
        let mut column = InferredColumn::new(&options()).with_rows(u32::MAX as usize);
        assert_eq!(column.take(cell, u32::MAX as usize).unwrap().cells, 1);
        assert!(
            column.take(&[0xdb, 0xff, 0xff, 0xff, 0xff, 1], u32::MAX as usize - 1).map_or(0, |t| t.cells)
                == 0
        );
    }
}
