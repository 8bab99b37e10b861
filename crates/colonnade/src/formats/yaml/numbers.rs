//! Numbers of 64 bits.

use crate::cells::number::{self, ParsedInt};
use crate::excerpt::number_excerpt;

/// Parses an integer. Anything but `Int` and `UInt` does not fit 64 bits.
pub(in crate::formats::yaml) fn integer64(digits: &str) -> ParsedInt {
    number::integer(digits.as_bytes())
}

/// Parses a float of YAML: finite, infinite or NaN. `None` if it overflows.
pub(in crate::formats::yaml) fn float(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => number::float(text).filter(|value| value.is_finite()),
    }
}

pub(in crate::formats::yaml) fn too_large(text: &str) -> String {
    let text = number_excerpt(text);
    format!("expected a float of 64 bits, found {text}, which is beyond them. Quote it to read it as text.")
}

pub(in crate::formats::yaml) fn too_wide(digits: &str) -> String {
    let digits = number_excerpt(digits);
    format!("expected an integer of 64 bits, found {digits}. Quote it to read it as text.")
}
