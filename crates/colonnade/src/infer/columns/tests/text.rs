//! Text and bytes.

use super::*;

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
fn a_character_split_over_two_cells_is_invalid_utf8() {
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

#[test]
fn invalid_utf8_is_bytes_in_mixed_cells_too() {
    let found = taken(b"\x01\x92\xa1\xff\xa1x", 2, &loose());
    assert_eq!(mixed(&found), cells(&[&[1], b"\x92\xc4\x01\xff\xa1x"]));
    assert!(whole(b"\x01\x92\xa1\xff\xa1x", 2, &options()).is_err());
}
