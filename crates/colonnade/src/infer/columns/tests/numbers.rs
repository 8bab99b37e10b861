//! Numbers, booleans and times.

use super::*;

/// Writes an integer in one of the widths that hold it, chosen at random.
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
fn only_nils_are_a_null_column_and_leading_nils_are_counted() {
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
    let BlockOrColumn::Block(block) = taken(&bytes, 500, &options()) else { panic!() };
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
