//! Converts floats to their shortest text, and back to the same bits.

use std::cmp::Ordering;

use super::{CellFault, Nonfinite, Syntax, TextStyle};
use crate::cells::digits;
use crate::cells::exact_double::double_from_int;
use crate::cells::typed::half;
use crate::error::{Error, Result};

/// A float of one width.
pub(super) trait Float: Copy {
    /// The name in errors.
    const NAME: &'static str;
    /// Number of hexadecimal digits of the bits.
    const DIGITS: usize;
    /// The bits of the NaN without a payload.
    const NAN: u64;
    /// The bits of infinity.
    const INFINITY: u64;
    /// The sign bit.
    const SIGN: u64;

    fn bits(self) -> u64;
    fn of_bits(bits: u64) -> Option<Self>;
    /// Appends a finite value if its digits need no search; most columns are full of such values. Otherwise returns false
    /// and appends nothing.
    #[inline]
    fn put_simple(self, _out: &mut Vec<u8>) -> bool {
        false
    }
    /// Returns the digits of a finite value.
    fn digits(self, buffer: &mut zmij::Buffer) -> &str;
    /// Parses digits; `None` if the value is out of range, or if this width does not hold it exactly.
    fn parse(digits: &str) -> Option<Self>;
}

impl Float for f64 {
    const NAME: &'static str = "float64";
    const DIGITS: usize = 16;
    const NAN: u64 = 0x7ff8 << 48;
    const INFINITY: u64 = 0x7ff0 << 48;
    const SIGN: u64 = 1 << 63;

    #[inline]
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn of_bits(bits: u64) -> Option<Self> {
        Some(Self::from_bits(bits))
    }
    #[inline]
    fn put_simple(self, out: &mut Vec<u8>) -> bool {
        digits::float(self, out)
    }
    #[inline]
    fn digits(self, buffer: &mut zmij::Buffer) -> &str {
        buffer.format_finite(self)
    }
    #[inline]
    fn parse(digits: &str) -> Option<Self> {
        digits.parse::<Self>().ok().filter(|v| v.is_finite())
    }
}

impl Float for f32 {
    const NAME: &'static str = "float32";
    const DIGITS: usize = 8;
    const NAN: u64 = 0x7fc0 << 16;
    const INFINITY: u64 = 0x7f80 << 16;
    const SIGN: u64 = 1 << 31;

    fn bits(self) -> u64 {
        self.to_bits().into()
    }
    fn of_bits(bits: u64) -> Option<Self> {
        u32::try_from(bits).ok().map(Self::from_bits)
    }
    fn digits(self, buffer: &mut zmij::Buffer) -> &str {
        buffer.format_finite(self)
    }
    fn parse(digits: &str) -> Option<Self> {
        digits.parse::<Self>().ok().filter(|v| v.is_finite())
    }
}

/// The bits of a half float.
#[derive(Clone, Copy)]
pub(super) struct HalfBits(pub(super) u16);

impl Float for HalfBits {
    const NAME: &'static str = "float16";
    const DIGITS: usize = 4;
    const NAN: u64 = 0x7e00;
    const INFINITY: u64 = 0x7c00;
    const SIGN: u64 = 1 << 15;

    fn bits(self) -> u64 {
        self.0.into()
    }
    fn of_bits(bits: u64) -> Option<Self> {
        u16::try_from(bits).ok().map(Self)
    }
    fn digits(self, buffer: &mut zmij::Buffer) -> &str {
        buffer.format_finite(f32::from_bits(half::widen(self.0)))
    }
    fn parse(digits: &str) -> Option<Self> {
        half::narrow(f32::parse(digits)?.to_bits()).map(Self)
    }
}

/// Parses the half float nearest to a number's text, ties to even. Infinity must be spelled by name.
pub(super) fn nearest_half(text: &str) -> std::result::Result<u16, CellFault> {
    let Some(value) = f64::parse(text).filter(|_| numeric(text)) else {
        return number(text).map(|HalfBits(bits)| bits);
    };
    half::nearest(value, || compare(text, value)).ok_or_else(|| float_fault::<HalfBits>(text))
}

/// Compares the magnitude of a number's text with a float half way between two halves; all digits count.
#[cold]
fn compare(text: &str, value: f64) -> Ordering {
    // Such a float is a multiple of 2⁻²⁵, which has 25 digits after the point.
    Decimal::of(text).cmp(&Decimal::of(&format!("{value:.25}")))
}

/// The magnitude of a number's text: 0.`digits` times ten to the power of `point`, without zeros at either end.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Decimal {
    point: i64,
    digits: Vec<u8>,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let text = text.trim_start_matches(['-', '+']);
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = || whole.bytes().chain(fraction.bytes());
        let zeros = all().take_while(|digit| *digit == b'0').count();
        let mut digits: Vec<u8> = all().skip(zeros).collect();
        digits.truncate(digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1));
        // A number with a power beyond 64 bits is no float, or is zero.
        let power = power.parse::<i64>().unwrap_or(0);
        let places =
            i64::try_from(whole.len()).unwrap_or(i64::MAX) - i64::try_from(zeros).unwrap_or(i64::MAX);
        Self { point: places.saturating_add(power), digits }
    }
}

/// Appends a float.
#[inline]
pub(super) fn put<F: Float>(value: F, style: TextStyle, out: &mut Vec<u8>) -> Result<()> {
    if value.bits() & F::INFINITY == F::INFINITY {
        return put_nonfinite(value, style, out);
    }
    if value.put_simple(out) {
        return Ok(());
    }
    let mut buffer = zmij::Buffer::new();
    let digits = value.digits(&mut buffer);
    if style.syntax == Syntax::Yaml
        && let Some((mantissa, power)) = digits.split_once('e')
        && !mantissa.contains('.')
    {
        // Readers of YAML 1.1 require a point in a float.
        out.extend_from_slice(mantissa.as_bytes());
        out.extend_from_slice(b".0e");
        out.extend_from_slice(power.as_bytes());
        return Ok(());
    }
    out.extend_from_slice(digits.as_bytes());
    Ok(())
}

fn put_nonfinite<F: Float>(value: F, style: TextStyle, out: &mut Vec<u8>) -> Result<()> {
    let bits = value.bits();
    if bits == F::NAN {
        // By far the most common case.
        let word: &[u8] = match (style.nonfinite, style.syntax) {
            (Nonfinite::Null, _) => b"null",
            (Nonfinite::Tagged, Syntax::Json) => b"\"NaN\"",
            (Nonfinite::Tagged, Syntax::Csv) if style.header => b"nan",
            _ => return put_any(value, style, out),
        };
        out.extend_from_slice(word);
        return Ok(());
    }
    put_any(value, style, out)
}

#[cold]
fn put_any<F: Float>(value: F, style: TextStyle, out: &mut Vec<u8>) -> Result<()> {
    let bits = value.bits();
    let infinite = bits & !F::SIGN == F::INFINITY;
    let sign = if infinite && bits & F::SIGN != 0 { "-" } else { "" };
    // Only the spellings of exact formats include the payload.
    let payload = if infinite || bits == F::NAN || !style.header {
        String::new()
    } else {
        format!("(0x{bits:0digits$x})", digits = F::DIGITS)
    };
    let word = match (style.nonfinite, style.syntax) {
        (Nonfinite::Null, _) => "null".into(),
        (Nonfinite::Error, _) => {
            let found = if infinite { format!("{sign}infinity") } else { "NaN".into() };
            let message = format!(
                "expected a finite number, found {found}. Write nonfinite=\"null\" or \"literal\", or \
                 schema=\"header\"."
            );
            return Err(Error::unrepresentable(style.format, message));
        }
        // Without a header as `csv::write` spells wider floats.
        (_, Syntax::Csv) if !infinite && !style.header => "NaN".into(),
        (_, Syntax::Csv) => format!("{sign}{}{payload}", if infinite { "inf" } else { "nan" }),
        (_, Syntax::Yaml) if payload.is_empty() => format!("{sign}.{}", if infinite { "inf" } else { "nan" }),
        (Nonfinite::Literal, _) => format!("{sign}{}", if infinite { "Infinity" } else { "NaN" }),
        _ => format!("\"{sign}{}{payload}\"", if infinite { "Infinity" } else { "NaN" }),
    };
    out.extend_from_slice(word.as_bytes());
    Ok(())
}

/// Parses a word for NaN or an infinity; `None` for other texts.
fn nonfinite<F: Float>(text: &str) -> Option<F> {
    let (sign, word) = match text.strip_prefix('-') {
        Some(word) => (F::SIGN, word),
        None => (0, text.strip_prefix('+').unwrap_or(text)),
    };
    match word {
        "Infinity" | "inf" | ".inf" | ".Inf" | ".INF" => return F::of_bits(F::INFINITY | sign),
        "NaN" | "nan" | ".nan" | ".NaN" | ".NAN" => return F::of_bits(F::NAN | sign),
        _ => {}
    }
    let payload = text.strip_prefix("NaN(0x").or_else(|| text.strip_prefix("nan(0x"))?.strip_suffix(')')?;
    let is_valid = payload.len() == F::DIGITS && payload.bytes().all(|b| b.is_ascii_hexdigit());
    let bits = u64::from_str_radix(payload, 16).ok().filter(|_| is_valid)?;
    (bits & !F::SIGN > F::INFINITY).then(|| F::of_bits(bits))?
}

/// Whether `text` consists of the characters of numbers; Rust's own parser also accepts words.
fn numeric(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
}

/// Parses a number's text as a float.
#[inline]
pub(super) fn number<F: Float>(text: &str) -> std::result::Result<F, CellFault> {
    let found = if numeric(text) { F::parse(text) } else { nonfinite(text) };
    found.ok_or_else(|| float_fault::<F>(text))
}

/// Parses a number's text as a float and refuses integers that would be rounded.
pub(super) fn exact_number<F: Float>(text: &str) -> std::result::Result<F, CellFault> {
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_whole && !text.parse().is_ok_and(|value| double_from_int(value).is_some()) {
        let shown = crate::excerpt::excerpt(text);
        let message =
            format!("expected a {}, as in the rows before, found {shown}, which it would round.", F::NAME);
        return Err(CellFault::malformed(message));
    }
    number(text)
}

/// Parses a JSON string that spells NaN or an infinity.
pub(super) fn nonfinite_number<F: Float>(text: &str) -> std::result::Result<F, CellFault> {
    nonfinite(text).ok_or_else(|| float_fault::<F>(text))
}

#[cold]
fn float_fault<F: Float>(text: &str) -> CellFault {
    let shown = crate::excerpt::excerpt(text);
    let why = if numeric(text) && text.parse::<f64>().is_ok() { ", which is not one of them" } else { "" };
    CellFault::malformed(format!("expected a {}, found {shown}{why}.", F::NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_spelled_as_all_floats_are() {
        let mut values = vec![0.0, -0.0, 0.5, 1e15, -1e15, 1e16, f64::from(u32::MAX), 999_999_999_999_999.0];
        values.extend((0..60).flat_map(|power| [1i64 << power, -(1i64 << power) + 1]).map(|v| v as f64));
        values.extend(
            (0..16).flat_map(|power| [10f64.powi(power), 10f64.powi(power) - 1.0, -10f64.powi(power)]),
        );
        for value in values {
            let mut out = Vec::new();
            put(value, TextStyle::json("json"), &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), zmij::Buffer::new().format_finite(value));
        }
    }

    const STYLES: [TextStyle; 3] = [TextStyle::json("json"), TextStyle::csv(true), TextStyle::yaml(true)];

    fn text<F: Float>(value: F, style: TextStyle) -> String {
        let mut out = Vec::new();
        put(value, style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn same<F: Float>(value: F) {
        for style in STYLES {
            let text = text(value, style);
            let found = number::<F>(text.trim_matches('"')).unwrap();
            assert_eq!(found.bits(), value.bits(), "{text}");
        }
    }

    #[test]
    fn every_half_comes_back() {
        for bits in 0..=u16::MAX {
            same(HalfBits(bits));
        }
    }

    #[test]
    fn bits_come_back() {
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            same(f64::from_bits(bits));
            same(f32::from_bits(u32::try_from(bits >> 32).unwrap()));
        }
        for bits in [
            0,
            1,
            1 << 63,
            f64::NAN.to_bits(),
            0xfff8 << 48,
            0x7ff0_0000_0000_0001,
            0x7ff0 << 48,
            0xfff0 << 48,
            (1 << 52) - 1,
            1 << 52,
        ] {
            same(f64::from_bits(bits));
        }
    }

    #[test]
    fn spellings() {
        let all = |value: f64| STYLES.iter().map(|s| text(value, *s)).collect::<Vec<_>>();
        assert_eq!(all(1.0), ["1.0", "1.0", "1.0"]);
        assert_eq!(all(-0.0), ["-0.0", "-0.0", "-0.0"]);
        assert_eq!(all(1e300), ["1e+300", "1e+300", "1.0e+300"]);
        assert_eq!(all(1.5e-7), ["1.5e-7", "1.5e-7", "1.5e-7"]);
        assert_eq!(all(f64::NAN), ["\"NaN\"", "nan", ".nan"]);
        assert_eq!(all(f64::NEG_INFINITY), ["\"-Infinity\"", "-inf", "-.inf"]);
        let payload = f64::from_bits(0x7ff8_0000_0000_0001);
        assert_eq!(
            all(payload),
            ["\"NaN(0x7ff8000000000001)\"", "nan(0x7ff8000000000001)", "\"NaN(0x7ff8000000000001)\""]
        );
        assert_eq!(text(0.1f32, STYLES[0]), "0.1");
        let plain = |nonfinite| TextStyle::plain_json("json", nonfinite);
        assert_eq!(text(f64::NAN, plain(Nonfinite::Null)), "null");
        assert_eq!(text(f64::NEG_INFINITY, plain(Nonfinite::Literal)), "-Infinity");
        put(f64::NAN, plain(Nonfinite::Error), &mut Vec::new()).unwrap_err();
    }

    #[test]
    fn text_that_is_no_float_is_refused() {
        for text in [
            "",
            "x",
            "1e999",
            "-1e999",
            "1.5.5",
            "infinity",
            "NaN(0x7ff0000000000000)",
            "NaN(0x1)",
            "0x10",
            " 1",
            "1_0",
            "１",
        ] {
            number::<f64>(text).err().unwrap();
        }
        number::<f32>("1e39").err().unwrap();
        number::<HalfBits>("0.1").err().unwrap();
        for beyond in ["65520", "65520.0000000000000000001", "1e39", "-1e39", "1e308", "1e309"] {
            nearest_half(beyond).err().unwrap();
        }
        nearest_half("1e-8").map(|bits| assert_eq!(bits, 0)).unwrap();
        assert_eq!(nearest_half("-0.1").unwrap(), 0xae66);
        for (text, bits) in [
            ("1.00048828125", 0x3c00),
            ("1.00048828125000000000000000001", 0x3c01),
            ("1.00146484374999999999999999999", 0x3c01),
            ("1.00146484375", 0x3c02),
            ("-100048828125000000000000000001e-29", 0xbc01),
            ("0000.00000100048828125000000000000000001E6", 0x3c01),
            ("65519.99999999999999999999999999", 0x7bff),
            ("2.98023223876953125e-8", 0),
            ("2.98023223876953125000000000000000000000001e-8", 1),
        ] {
            assert_eq!(nearest_half(text).unwrap(), bits, "{text}");
        }
        nonfinite_number::<f64>("1.5").err().unwrap();
        assert_eq!(number::<f64>("1").unwrap(), 1.0);
        assert_eq!(number::<f64>("-.5").unwrap(), -0.5);
    }
}
