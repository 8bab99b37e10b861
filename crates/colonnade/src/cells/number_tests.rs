//! Numbers against the parsers of the standard library.

use super::number::*;
use proptest::prelude::*;

fn padded(text: &str) -> Vec<u8> {
    [text.as_bytes(), b",1234567890123456789"].concat()
}

proptest! {
    #[test]
    fn short_ints_equal_their_text(value in -99_999_999i64..=99_999_999) {
        let text = value.to_string();
        let expected = (text.len() <= 8).then_some(value);
        prop_assert_eq!(short_int(&padded(&text), 0, text.len()), expected);
        prop_assert_eq!(integer(text.as_bytes()), ParsedInt::Int(value));
    }

    #[test]
    fn short_floats_are_the_nearest(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}") {
        let expected: Option<f64> = text.parse().ok();
        if let Some(found) = short_float(&padded(&text), 0, text.len(), b'.') {
            prop_assert_eq!(Some(found.to_bits()), expected.map(f64::to_bits), "{}", text);
        }
        prop_assert_eq!(float(&text).map(f64::to_bits), expected.map(f64::to_bits));
    }

    #[test]
    fn other_text_is_none(text in "[-+0-9a.]{1,9}") {
        let (bytes, n) = (padded(&text), text.len());
        if text.parse::<i64>().is_err() {
            prop_assert_eq!(short_int(&bytes, 0, n), None);
        }
        if text.parse::<f64>().is_err() {
            prop_assert_eq!(short_float(&bytes, 0, n, b'.'), None);
        }
    }
}

#[test]
fn integers_end_where_their_types_do() {
    assert_eq!(integer(b"9223372036854775807"), ParsedInt::Int(i64::MAX));
    assert_eq!(integer(b"9223372036854775808"), ParsedInt::UInt(1 << 63));
    assert_eq!(integer(b"-9223372036854775808"), ParsedInt::Int(i64::MIN));
    assert_eq!(integer(b"-9223372036854775809"), ParsedInt::Huge);
    assert_eq!(integer(b"18446744073709551615"), ParsedInt::UInt(u64::MAX));
    assert_eq!(integer(b"18446744073709551616"), ParsedInt::Huge);
    assert_eq!(integer(b"+7"), ParsedInt::Int(7));
    for text in ["", "-", "+", "1.", "1e3", " 1", "0x1", "--1"] {
        assert_eq!(integer(text.as_bytes()), ParsedInt::Not, "{text}");
    }
}

#[test]
fn short_cells_need_bytes_behind_them() {
    assert_eq!(short_int(b"12", 0, 2), None);
    assert_eq!(short_float(b"1.5", 0, 3, b'.'), None);
}

#[test]
fn names_of_infinities_are_floats_and_nan_is_a_null_word() {
    assert_eq!(float("-inf"), Some(f64::NEG_INFINITY));
    assert_eq!(float("Infinity"), Some(f64::INFINITY));
    assert_eq!(float("nan"), None);
    assert_eq!(float("1e999"), Some(f64::INFINITY));
}
