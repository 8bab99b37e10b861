//! Numbers against the parsers of the standard library.

use super::number::*;
use proptest::prelude::*;

fn padded(text: &str) -> Vec<u8> {
    [text.as_bytes(), b",1234567890123456789"].concat()
}

/// The bits of the double that the standard library reads; NaN by name is no float here.
fn by_std(text: &str) -> Option<u64> {
    text.parse().ok().filter(|value: &f64| !value.is_nan()).map(f64::to_bits)
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
    fn long_floats_are_those_of_the_standard_library(
        text in "[-+]?[0-9]{0,30}\\.?[0-9]{0,40}([eE][-+]?[0-9]{0,4})?",
        near in any::<u64>(),
        digits in 0usize..25,
    ) {
        prop_assert_eq!(float(&text).map(f64::to_bits), by_std(&text), "{}", text);
        let value = f64::from_bits(near);
        if value.is_finite() {
            // The shortest text, and longer ones that lie beside a double or between two.
            for text in [format!("{value}"), format!("{value:e}"), format!("{value:.digits$e}"), format!("{value:e}5")] {
                prop_assert_eq!(float(&text).map(f64::to_bits), by_std(&text), "{}", text);
            }
        }
    }

    #[test]
    fn texts_that_are_no_floats_are_those_of_the_standard_library(text in "[-+.0-9eEiInNfFaAtTyY_ ]{0,9}") {
        prop_assert_eq!(float(&text).map(f64::to_bits), by_std(&text), "{}", text);
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

#[test]
fn the_grammar_of_floats_is_that_of_the_standard_library() {
    let texts = [
        "",
        ".",
        "-",
        "+",
        "+.",
        "-.e1",
        ".5",
        "5.",
        "+5",
        "-5.",
        "+.5e-3",
        "1e",
        "1e+",
        "1e-",
        "1E5",
        "1e5.",
        "1_0",
        " 1",
        "1 ",
        "0x1",
        "--1",
        "+-1",
        "inf",
        "+inf",
        "-INF",
        "Infinity",
        "-infinity",
        "infinit",
        "inf1",
        "infinityx",
        "i",
        "nan",
        "-nan",
        "+NaN",
        "1f",
        "0",
        "-0",
        "00",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "0e99999999999999999999",
    ];
    for text in texts {
        assert_eq!(float(text).map(f64::to_bits), by_std(text), "{text}");
    }
}

#[test]
fn doubles_at_the_ends_and_between_two_are_rounded_as_the_standard_library_does() {
    let long = |before: usize, after: usize| format!("{}1{}", "0".repeat(before), "0".repeat(after));
    let texts = [
        "2.2250738585072011e-308", // the largest subnormal, and the number that hung other parsers
        "4.9406564584124654e-324",
        "2.4703282292062327e-324", // half of the least double: zero
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158079e308", // the last text that is no infinity
        "1.7976931348623159e308",
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000000001",
        "9007199254740992.9999999999999999999999999999999999",
        "8.5e-1000000",
        &format!("0.{}e310", long(300, 500)),
        &format!("{}e-800", long(40, 800)),
        &format!("0.{}", long(400, 0)),
        &format!("1{}.5", "0".repeat(400)),
    ];
    for text in texts {
        assert_eq!(float(text).map(f64::to_bits), by_std(text), "{text}");
    }
}

/// Every text of five bytes of numbers and their neighbours, before bytes that go on and bytes that end a number.
fn short_texts() -> impl Iterator<Item = Vec<u8>> {
    const BYTES: &[u8] = b"019.eE,/";
    let count = BYTES.len().pow(5);
    let tails: [&[u8]; 4] = [b",,,,", b"}  ]", b"5678", b"67e1"];
    (0..count).flat_map(move |mut number| {
        let text: Vec<u8> = (0..5)
            .map(|_| {
                let byte = BYTES[number % BYTES.len()];
                number /= BYTES.len();
                byte
            })
            .collect();
        tails.map(|tail| [&text, tail].concat())
    })
}

/// The number of digits at the front.
fn count_digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[test]
fn short_numbers_are_taken_whole_or_not_at_all() {
    let is_end = |byte: u8| !matches!(byte, b'.' | b'e' | b'E');
    let parse = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().parse::<f64>().unwrap();
    for text in short_texts() {
        let whole = count_digits(&text);
        let has_zero = whole > 1 && text[0] == b'0';
        let int = (1..=7).contains(&whole) && !has_zero && is_end(text[whole]);
        let expected = int.then(|| (std::str::from_utf8(&text[..whole]).unwrap().parse().unwrap(), whole));
        assert_eq!(leading_short_int(&text), expected, "{}", text.escape_ascii());

        let decimals = if text.get(whole) == Some(&b'.') { count_digits(&text[whole + 1..]) } else { 0 };
        let end = whole + 1 + decimals;
        let float = whole > 0 && decimals > 0 && end <= 7 && !has_zero && is_end(text[end]);
        let expected = float.then(|| (parse(&text[..end]), end));
        assert_eq!(leading_short_float(&text), expected, "{}", text.escape_ascii());
    }
    assert_eq!((leading_short_int(b"1234567"), leading_short_float(b"1.5,   ")), (None, None));
}
