// Tests cut numbers to bytes on purpose.
#![allow(clippy::cast_possible_truncation)]

use arrow_array::{Array, make_array};

use super::*;
use crate::frame::Block;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn options() -> ReadOptions {
    ReadOptions::default()
}

fn loose() -> ReadOptions {
    ReadOptions { invalid_utf8: Otherwise::Bytes, ext: Otherwise::Bytes, ..ReadOptions::default() }
}

/// Takes all cells at once.
fn whole(bytes: &[u8], cells: usize, options: &ReadOptions) -> Result<Finished, CellError> {
    let mut column = Inferred::new(options).with_rows(cells);
    let taken = column.take(bytes, cells)?;
    assert_eq!(taken, Taken { cells, nbytes: bytes.len() });
    assert_eq!(column.len(), cells);
    column.finish().map_err(|error| CellError { cell: 0, offset: 0, path: String::new(), error })
}

/// Takes cells as bytes come, `step` more at a time.
fn pieces(bytes: &[u8], cells: usize, step: usize, options: &ReadOptions) -> Result<Finished, CellError> {
    let mut column = Inferred::new(options);
    let mut done = Taken::default();
    let mut end = 0;
    while end < bytes.len() {
        end = (end + step).min(bytes.len());
        let taken = column.take(&bytes[done.nbytes..end], cells - done.cells)?;
        done.cells += taken.cells;
        done.nbytes += taken.nbytes;
    }
    assert_eq!(done, Taken { cells, nbytes: bytes.len() });
    column.finish().map_err(|error| CellError { cell: 0, offset: 0, path: String::new(), error })
}

/// A column as text: its type and every cell.
fn shown(finished: &Finished) -> String {
    match finished {
        Finished::Block(Block { grid, buffer }) => {
            format!("{} {} {:?}", grid.dtype.descr(), grid.nrows, buffer.as_slice())
        }
        Finished::Column(column) => {
            column.data.validate_full().unwrap();
            format!("{:?} {:?}", column.tag, make_array(column.data.clone()))
        }
    }
}

/// The column of these cells, the same in every way of coming.
fn taken(bytes: &[u8], cells: usize, options: &ReadOptions) -> Finished {
    let finished = whole(bytes, cells, options).unwrap();
    for step in [1, 2, 3, 7, 100] {
        assert_eq!(shown(&pieces(bytes, cells, step, options).unwrap()), shown(&finished), "{step}");
    }
    finished
}

fn words(finished: &Finished, descr: &str) -> Vec<u64> {
    let Finished::Block(block) = finished else { panic!("expected a block, found {finished:?}") };
    assert_eq!(block.grid.dtype.descr(), descr);
    let words = block.buffer.as_slice().as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w));
    words.collect()
}

fn array(finished: &Finished) -> arrow_array::ArrayRef {
    let Finished::Column(column) = finished else { panic!("expected a column, found {finished:?}") };
    column.data.validate_full().unwrap();
    make_array(column.data.clone())
}

/// An integer in every width that holds it, one of them by chance.
fn any_int(value: i128, dice: &mut Dice, out: &mut Vec<u8>) {
    let mut forms: Vec<Vec<u8>> = Vec::new();
    let raw = value.to_be_bytes();
    let mut form = |marker: u8, width: usize| {
        forms.push([&[marker][..], &raw[16 - width..]].concat());
    };
    if (-32..128).contains(&value) {
        out.push(value as u8);
        if dice.roll(2) == 0 {
            return;
        }
        out.pop();
    }
    for (marker, width) in [(0xcc, 1), (0xcd, 2), (0xce, 4), (0xcf, 8)] {
        if value >= 0 && value < 1 << (8 * width) {
            form(marker, width);
        }
    }
    for (marker, width) in [(0xd0, 1), (0xd1, 2), (0xd2, 4), (0xd3, 8)] {
        if value >= -(1i128 << (8 * width - 1)) && value < 1 << (8 * width - 1) {
            form(marker, width);
        }
    }
    out.extend(&forms[dice.roll(forms.len() as u64) as usize]);
}

#[test]
fn integers_of_any_width_are_one_column() {
    let mut dice = Dice(1);
    for spread in [5, 200, 70_000, 5_000_000_000, i64::MAX as u64] {
        for runs in [1, 3, 40] {
            let (mut bytes, mut values) = (Vec::new(), Vec::new());
            for _ in 0..30 {
                let value = i128::from(dice.roll(u64::MAX >> 31) * dice.roll(1 << 31) % spread)
                    - i128::from(spread / 2);
                for _ in 0..runs {
                    any_int(value, &mut dice, &mut bytes);
                    values.push((value as i64).cast_unsigned());
                }
            }
            assert_eq!(words(&taken(&bytes, values.len(), &options()), "<i8"), values);
        }
    }
}

#[test]
fn runs_of_one_width_are_integers() {
    for (marker, width) in
        [(0xcc, 1), (0xcd, 2), (0xce, 4), (0xcf, 8), (0xd0, 1), (0xd1, 2), (0xd2, 4), (0xd3, 8)]
    {
        let (mut bytes, mut values) = (Vec::new(), Vec::new());
        for i in 0..300u64 {
            let raw = (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 1).to_be_bytes();
            bytes.push(marker);
            bytes.extend(&raw[..width]);
            let shift = 64 - 8 * width;
            let word = u64::from_be_bytes(raw);
            let value =
                if marker < 0xd0 { word >> shift } else { (word.cast_signed() >> shift).cast_unsigned() };
            values.push(value);
        }
        assert_eq!(words(&taken(&bytes, 300, &options()), "<i8"), values, "{marker:x}");
    }
}

#[test]
fn unsigned_only_where_one_is_above() {
    let mut bytes = Vec::new();
    for i in 0..600u64 {
        bytes.push(0xcf);
        bytes.extend((i + if i > 400 { 1 << 63 } else { 0 }).to_be_bytes());
    }
    let values: Vec<u64> = (0..600).map(|i| i + if i > 400 { 1 << 63 } else { 0 }).collect();
    assert_eq!(words(&taken(&bytes, 600, &options()), "<u8"), values);
}

#[test]
fn small_integers_and_nils() {
    let bytes: Vec<u8> =
        (0..100).map(|i| if i % 7 == 3 { 0xc0 } else { (i as u8).wrapping_sub(20) }).collect();
    let found = array(&taken(&bytes, 100, &options()));
    let found = found.as_any().downcast_ref::<arrow_array::Int64Array>().unwrap().clone();
    let expected: arrow_array::Int64Array = (0..100).map(|i| (i % 7 != 3).then_some(i - 20)).collect();
    assert_eq!(found, expected);
}

#[test]
fn nils_alone_are_a_null_column_and_leading_ones_are_counted() {
    assert_eq!(array(&taken(&[0xc0; 50], 50, &options())).data_type(), &arrow_schema::DataType::Null);
    let mut bytes = vec![0xc0; 50];
    bytes.extend([0xc3, 0xc2, 0xc0, 0xc3]);
    let found = array(&taken(&bytes, 54, &options()));
    let mut expected = vec![None; 50];
    expected.extend([Some(true), Some(false), None, Some(true)]);
    assert_eq!(found.as_any().downcast_ref(), Some(&arrow_array::BooleanArray::from(expected)));
}

#[test]
fn booleans_are_bytes() {
    let cells: Vec<bool> = (0..500).map(|i| i * i % 3 == 0).collect();
    let bytes: Vec<u8> = cells.iter().map(|&b| 0xc2 + u8::from(b)).collect();
    let Finished::Block(block) = taken(&bytes, 500, &options()) else { panic!() };
    assert_eq!(block.grid.dtype.descr(), "|b1");
    assert_eq!(block.buffer.as_slice(), cells.iter().map(|&b| u8::from(b)).collect::<Vec<_>>());
}

#[test]
fn floats_keep_their_bits_and_narrow_ones_are_widened() {
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for i in 0..300u32 {
        if i / 20 % 3 == 1 {
            bytes.push(0xca);
            let value = (f64::from(i) * 0.1) as f32;
            bytes.extend(value.to_be_bytes());
            values.push(f64::from(value).to_bits());
        } else {
            bytes.push(0xcb);
            bytes.extend((f64::from(i) * 0.1).to_be_bytes());
            values.push((f64::from(i) * 0.1).to_bits());
        }
    }
    bytes.extend([0xcb, 0x7f, 0xf0, 0, 0, 0, 0, 0, 0x2a]);
    values.push(0x7ff0_0000_0000_002a);
    bytes.extend([0xca, 0xff, 0x80, 0, 1]);
    values.push(0xfff0_0000_2000_0000);
    assert_eq!(words(&taken(&bytes, values.len(), &options()), "<f8"), values);
}

#[test]
fn integers_among_floats_are_floats_where_they_are_exact() {
    let mut bytes = vec![1, 0xff, 0xcd, 0x01, 0x00, 0xc0];
    bytes.extend([0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 2]);
    bytes.extend([0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0]);
    let found = array(&taken(&bytes, 7, &options()));
    let expected =
        [Some(1.0), Some(-1.0), Some(256.0), None, Some(1.5), Some(2.0), Some(9_223_372_036_854_775_808.0)];
    assert_eq!(found.as_any().downcast_ref(), Some(&arrow_array::Float64Array::from(expected.to_vec())));
}

fn text(value: &str, dice: &mut Dice, out: &mut Vec<u8>) {
    let n = value.len();
    match dice.roll(4) {
        0 if n < 32 => out.push(0xa0 | n as u8),
        1 if n < 256 => out.extend([0xd9, n as u8]),
        2 => {
            out.push(0xdb);
            out.extend((n as u32).to_be_bytes());
        }
        _ => {
            out.push(0xda);
            out.extend((n as u16).to_be_bytes());
        }
    }
    out.extend(value.as_bytes());
}

#[test]
fn text_of_any_width_is_one_column() {
    let mut dice = Dice(7);
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for i in 0..400usize {
        let value =
            "aß€𝄞z".chars().cycle().skip(i % 5).take([0, 1, 5, 9, 14, 40, 400][i % 7]).collect::<String>();
        text(&value, &mut dice, &mut bytes);
        values.push(Some(value));
        if i % 50 == 17 {
            bytes.push(0xc0);
            values.push(None);
        }
    }
    let found = array(&taken(&bytes, values.len(), &options()));
    assert_eq!(found.as_any().downcast_ref(), Some(&arrow_array::LargeStringArray::from(values)));
}

#[test]
fn a_character_cut_in_two_cells_is_no_text() {
    let mut bytes = [0xa1, b'a'].repeat(40);
    bytes.extend([0xa1, 0xc3, 0xa1, 0xa9]);
    bytes.extend([0xa1, b'a'].repeat(40));
    let error = whole(&bytes, 82, &options()).unwrap_err();
    assert_eq!((error.cell, error.offset), (40, 80));
    assert!(error.error.to_string().contains("found the byte C3"), "{}", error.error);
    let found = array(&taken(&bytes, 82, &loose()));
    let found = found.as_any().downcast_ref::<arrow_array::LargeBinaryArray>().unwrap();
    assert_eq!((found.value(0), found.value(40), found.value(41)), (&b"a"[..], &[0xc3][..], &[0xa9][..]));
}

#[test]
fn bytes_of_any_width_are_one_column() {
    let mut bytes = Vec::new();
    let mut values = Vec::new();
    for i in 0..200usize {
        let n = [0, 3, 31, 33, 300][i % 5];
        match i % 3 {
            0 if n < 256 => bytes.extend([0xc4, n as u8]),
            1 => {
                bytes.push(0xc6);
                bytes.extend((n as u32).to_be_bytes());
            }
            _ => {
                bytes.push(0xc5);
                bytes.extend((n as u16).to_be_bytes());
            }
        }
        let value = vec![0x80 + (i % 100) as u8; n];
        bytes.extend(&value);
        values.push(value);
    }
    let found = array(&taken(&bytes, 200, &options()));
    let expected = arrow_array::LargeBinaryArray::from_iter_values(values);
    assert_eq!(found.as_any().downcast_ref(), Some(&expected));
}

fn mixed(finished: &Finished) -> Vec<Option<Vec<u8>>> {
    let Finished::Column(column) = finished else { panic!("expected a column") };
    assert_eq!(column.tag.as_deref(), Some(MIXED_TAG));
    let cells = array(finished);
    let cells = cells.as_any().downcast_ref::<arrow_array::LargeBinaryArray>().unwrap().clone();
    cells.iter().map(|cell| cell.map(<[u8]>::to_vec)).collect()
}

fn cells(all: &[&[u8]]) -> Vec<Option<Vec<u8>>> {
    all.iter().map(|cell| (*cell != [0xc0]).then(|| cell.to_vec())).collect()
}

#[test]
fn cells_of_different_kinds_are_kept_as_they_are() {
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
fn what_was_stored_is_written_again_in_its_smallest_form() {
    let bytes =
        [&[0xcd, 0, 5][..], &[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], &[0xa0]].concat();
    assert_eq!(mixed(&taken(&bytes, 3, &options())), cells(&[&[5], &[0xd1, 0xff, 0x7f], &[0xa0]]));
    let text = [&[0xda, 0, 1, b'x'][..], &[0xda, 0, 40], &[b'y'; 40], &[0xc2]].concat();
    let long = [&[0xd9, 40][..], &[b'y'; 40]].concat();
    assert_eq!(mixed(&taken(&text, 3, &options())), cells(&[b"\xa1x", &long, &[0xc2]]));
}

#[test]
fn timestamps_have_the_finest_unit_that_holds_them_all() {
    let short = [0xd6, 0xff, 0, 0, 0, 9];
    let middle = [&[0xd7, 0xff][..], &(500_000_000u64 << 34 | 7).to_be_bytes()].concat();
    let long = |nanos: u32, seconds: i64| {
        [&[0xc7, 12, 0xff][..], &nanos.to_be_bytes(), &seconds.to_be_bytes()].concat()
    };
    let shown = |parts: &[&[u8]]| {
        let found = array(&taken(&parts.concat(), parts.len(), &options()));
        let words: Vec<i64> = found.to_data().buffers()[0].typed_data::<i64>().to_vec();
        (found.data_type().to_string(), words)
    };
    let (unit, words) = shown(&[&short, &middle, &[0xc0], &long(999_999_999, -1)]);
    assert_eq!((unit.as_str(), words), ("Timestamp(ns, \"UTC\")", vec![9_000_000_000, 7_500_000_000, 0, -1]));
    let (unit, words) = shown(&[&short, &long(5_000, 40_000_000_000)]);
    assert_eq!((unit.as_str(), words), ("Timestamp(µs, \"UTC\")", vec![9_000_000, 40_000_000_000_000_005]));
    let (unit, words) = shown(&[&long(0, i64::MAX), &short]);
    assert_eq!((unit.as_str(), words), ("Timestamp(s, \"UTC\")", vec![i64::MAX, 9]));
    let none = [long(1, i64::MAX), short.to_vec()];
    assert_eq!(mixed(&taken(&none.concat(), 2, &options())), cells(&[&none[0], &none[1]]));
    for bad in [long(1_000_000_000, 0), [&[0xd7, 0xff][..], &[0xff; 8]].concat(), vec![0xd4, 0xff, 0]] {
        let bytes = [&short[..], &short, &bad].concat();
        let error = whole(&bytes, 3, &options()).unwrap_err();
        assert_eq!((error.cell, error.offset), (2, 12));
    }
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
fn a_key_twice_is_refused_by_name() {
    let error = whole(b"\xc0\x91\x82\xa1a\x01\xa1a\x02", 2, &options()).unwrap_err();
    assert_eq!((error.cell, error.offset, error.path.as_str()), (1, 6, "[0]"));
    assert!(error.error.to_string().contains("\"a\" twice"), "{}", error.error);
}

#[test]
fn errors_inside_cells_have_their_path_and_byte() {
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
fn maps_that_share_no_keys_are_kept_as_they_are() {
    let mut bytes = Vec::new();
    for i in 0..3000u32 {
        bytes.extend([&[0x81, 0xa4][..], format!("{i:04}").as_bytes(), &[1]].concat());
    }
    assert_eq!(mixed(&whole(&bytes, 3000, &options()).unwrap()).len(), 3000);
}

#[test]
fn depth_is_limited_and_what_is_deep_is_kept_as_it_is() {
    let nest = |n: usize| [vec![0x91; n], vec![1]].concat();
    assert!(whole(&nest(64), 1, &options()).is_ok());
    let error = whole(&nest(65), 1, &options()).unwrap_err();
    assert!(matches!(error.error.kind(), crate::ErrorKind::LimitExceeded), "{}", error.error);
    let mut column = Inferred::new(&options()).with_depth(2);
    assert!(column.take(&nest(63), 1).is_err());
    let mut deep = options();
    deep.limits.max_depth = 100_000;
    assert_eq!(mixed(&whole(&nest(50_000), 1, &deep).unwrap())[0].as_ref().unwrap().len(), 50_001);
}

#[test]
fn missing_keys_are_nulls_of_any_family() {
    for cell in [&[1][..], b"\xa1x", &[0xc3], &[0x91, 1], b"\x81\xa1a\x01", &[0xd6, 0xff, 0, 0, 0, 1]] {
        let mut column = Inferred::new(&options());
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
fn text_that_is_none_is_bytes_in_mixed_cells_as_well() {
    let found = taken(b"\x01\x92\xa1\xff\xa1x", 2, &loose());
    assert_eq!(mixed(&found), cells(&[&[1], b"\x92\xc4\x01\xff\xa1x"]));
    assert!(whole(b"\x01\x92\xa1\xff\xa1x", 2, &options()).is_err());
}

#[test]
fn a_claim_of_cells_allocates_nothing() {
    for cell in [&[0x01][..], &[0xc3], &[0xa1, b'x'], &[0xcb, 0, 0, 0, 0, 0, 0, 0, 0], &[0xc0]] {
        let mut column = Inferred::new(&options()).with_rows(u32::MAX as usize);
        assert_eq!(column.take(cell, u32::MAX as usize).unwrap().cells, 1);
        assert!(
            column.take(&[0xdb, 0xff, 0xff, 0xff, 0xff, 1], u32::MAX as usize - 1).map_or(0, |t| t.cells)
                == 0
        );
    }
}

/// Seconds that this thread has had a processor: others use the machine as well.
fn processor_s() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes the `timespec` that is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// `cargo test --release -p colonnade inferred_timing -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn inferred_timing() {
    const N: usize = 337_000;
    let mut dice = Dice(3);
    let mut time = |name: &str, cell: &mut dyn FnMut(&mut Dice, usize, &mut Vec<u8>)| {
        let mut bytes = Vec::new();
        for i in 0..N {
            cell(&mut dice, i, &mut bytes);
        }
        let mut best = f64::MAX;
        for _ in 0..15 {
            let start = processor_s();
            let mut column = Inferred::new(&ReadOptions::default()).with_rows(N);
            let taken = column.take(&bytes, N).unwrap();
            let finished = column.finish().unwrap();
            best = best.min(processor_s() - start);
            assert_eq!((taken.nbytes, finished.nrows()), (bytes.len(), N));
        }
        println!("{name:24} {:6.2} ns/cell", best * 1e9 / N as f64);
    };
    let smallest = |value: i64, out: &mut Vec<u8>| match value {
        -32..=127 => out.push(value as u8),
        128..=255 => out.extend([0xcc, value as u8]),
        256..=65535 => out.extend([&[0xcd][..], &(value as u16).to_be_bytes()].concat()),
        -128..=-33 => out.extend([0xd0, value as u8]),
        _ => out.extend([&[0xd1][..], &(value as i16).to_be_bytes()].concat()),
    };
    time("int, 1 byte", &mut |dice, _, out| smallest(dice.roll(100) as i64, out));
    time("int, 3 bytes", &mut |dice, _, out| smallest(300 + dice.roll(2000) as i64, out));
    time("int, 1 to 3 bytes", &mut |dice, _, out| smallest(dice.roll(600) as i64 - 60, out));
    time("int, nearly all 3 bytes", &mut |dice, _, out| smallest(dice.roll(5000) as i64, out));
    time("int, 2 % nil", &mut |dice, _, out| match dice.roll(50) {
        0 => out.push(0xc0),
        _ => smallest(300 + dice.roll(2000) as i64, out),
    });
    let float = |value: f64, out: &mut Vec<u8>| out.extend([&[0xcb][..], &value.to_be_bytes()].concat());
    time("float", &mut |_, i, out| float(i as f64 * 0.1, out));
    time("float, 2 % nil", &mut |dice, i, out| match dice.roll(50) {
        0 => out.push(0xc0),
        _ => float(i as f64 * 0.1, out),
    });
    time("float, half as int", &mut |dice, i, out| match dice.roll(2) {
        0 => smallest(i as i64 % 3000, out),
        _ => float(i as f64 * 0.1, out),
    });
    time("bool", &mut |dice, _, out| out.push(0xc2 + dice.roll(2) as u8));
    time("str, 3 bytes", &mut |_, i, out| out.extend([0xa3, b'A', b'B', b'A' + (i % 26) as u8]));
    time("str, 2 to 12 bytes", &mut |dice, _, out| {
        let n = 2 + dice.roll(11) as u8;
        out.push(0xa0 | n);
        out.extend(vec![b'x'; n as usize]);
    });
    time("str, 1 % nil", &mut |dice, _, out| match dice.roll(100) {
        0 => out.push(0xc0),
        _ => out.extend(b"\xa6N12345"),
    });
    time("nil", &mut |_, _, out| out.push(0xc0));
}
