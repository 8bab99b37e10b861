//! Checks that the annotation of a schema element is valid for its physical type.

use crate::error::{Error, Result};

use super::Physical;
use crate::formats::parquet::logical_type::{INTERVAL, Logical, LogicalTimeUnit, MAP_KEY_VALUE};
use crate::formats::parquet::schema::Element;

/// Digits of Arrow's widest decimal.
const MAX_DIGITS: i32 = 76;
/// Bytes of Arrow's widest decimal.
const MAX_DECIMAL_NBYTES: u32 = 32;

/// Returns the physical type of a leaf.
///
/// # Errors
/// Malformed: an unknown number, or FIXED_LEN_BYTE_ARRAY without a length.
pub fn physical_of(element: &Element<'_>) -> Result<Physical> {
    let number = element.physical.unwrap_or(-1);
    Physical::from_number(number, element.length).ok_or_else(|| {
        let message = format!(
            "its physical type is number {number} with a length of {}. The file is damaged; write it again.",
            element.length.unwrap_or(0)
        );
        Error::malformed("parquet", message)
    })
}

/// Refuses a leaf whose annotation is not valid for its physical type.
///
/// # Errors
/// Malformed: annotation and physical type contradict each other. Unsupported: a decimal wider than Arrow's.
pub fn check(element: &Element<'_>, physical: Physical) -> Result<()> {
    use Physical::{Bytes, Fixed, Int32, Int64};
    let expected = match element.logical {
        Some(Logical::String | Logical::Enum | Logical::Json | Logical::Bson) => {
            (physical != Bytes).then_some("BYTE_ARRAY")
        }
        Some(Logical::Decimal(scale, precision)) => return check_decimal(scale, precision, physical),
        Some(Logical::Date | Logical::Time(LogicalTimeUnit::Milli, _) | Logical::Integer(8 | 16 | 32, _)) => {
            (physical != Int32).then_some("INT32")
        }
        Some(Logical::Timestamp(..)) if physical == Fixed(12) => {
            let message = "a TIMESTAMP of 12 bytes is not read here. Write it as INT64.";
            return Err(Error::unsupported("parquet", message));
        }
        Some(Logical::Time(..) | Logical::Timestamp(..) | Logical::Integer(64, _)) => {
            (physical != Int64).then_some("INT64")
        }
        Some(Logical::Integer(..)) => Some("a width of 8, 16, 32 or 64 bits"),
        Some(Logical::Uuid) => (physical != Fixed(16)).then_some("FIXED_LEN_BYTE_ARRAY of 16 bytes"),
        Some(Logical::Float16) => (physical != Fixed(2)).then_some("FIXED_LEN_BYTE_ARRAY of 2 bytes"),
        Some(Logical::Map | Logical::List) => Some("a group"),
        Some(Logical::Unknown | Logical::Other(_)) => None,
        None if element.converted == Some(INTERVAL) => {
            (physical != Fixed(12)).then_some("FIXED_LEN_BYTE_ARRAY of 12 bytes")
        }
        None if element.converted == Some(MAP_KEY_VALUE) => Some("a group"),
        None => None,
    };
    expected.map_or(Ok(()), |expected| Err(contradiction(element, expected, &name(physical))))
}

/// Refuses a group with an annotation for leaves.
///
/// # Errors
/// Malformed: the annotation is not one of groups.
pub fn check_group(element: &Element<'_>) -> Result<()> {
    match (element.logical, element.converted) {
        (Some(Logical::Map | Logical::List | Logical::Other(_)), _) => Ok(()),
        (Some(_), _) | (None, Some(INTERVAL)) => Err(contradiction(element, "values", "a group")),
        (None, _) => Ok(()),
    }
}

fn check_decimal(scale: i32, precision: i32, physical: Physical) -> Result<()> {
    if precision > MAX_DIGITS || matches!(physical, Physical::Fixed(n) if n > MAX_DECIMAL_NBYTES) {
        let message = format!(
            "DECIMAL({precision}, {scale}) on {}: decimals are read up to {MAX_DIGITS} digits and \
             {MAX_DECIMAL_NBYTES} bytes. Write it with fewer digits, or as text.",
            name(physical)
        );
        return Err(Error::unsupported("parquet", message));
    }
    // A precision above the capacity of the bytes is harmless: every value still fits.
    let held = matches!(physical, Physical::Int32 | Physical::Int64 | Physical::Bytes | Physical::Fixed(1..));
    if held && precision >= 1 && (0..=precision).contains(&scale) {
        return Ok(());
    }
    let message = format!(
        "annotation DECIMAL({precision}, {scale}) on {}: expected INT32, INT64 or bytes, one digit or more, and no more \
         of them behind the point. The schema contradicts itself; write the file again.",
        name(physical)
    );
    Err(Error::malformed("parquet", message))
}

/// Returns the number of decimal digits that every value of a physical type can hold.
#[must_use]
pub fn max_digits(physical: Physical) -> i32 {
    match physical {
        Physical::Int32 => 9,
        Physical::Int64 => 18,
        Physical::Bytes => MAX_DIGITS,
        // log10(2) = 0.30103; one bit is the sign.
        Physical::Fixed(n) => {
            let bits = i32::try_from(n).unwrap_or(i32::MAX).saturating_mul(8).saturating_sub(1);
            bits.saturating_mul(30_103) / 100_000
        }
        _ => 0,
    }
}

fn contradiction(element: &Element<'_>, expected: &str, found: &str) -> Error {
    let word = match (element.logical, element.converted) {
        (Some(logical), _) => annotation_name(logical),
        (None, Some(INTERVAL)) => "INTERVAL".into(),
        _ => "MAP_KEY_VALUE".into(),
    };
    let message = format!(
        "annotation {word}: expected {expected}, found {found}. The schema contradicts itself; write the file again."
    );
    Error::malformed("parquet", message)
}

/// The name of an annotation in the specification.
fn annotation_name(logical: Logical) -> String {
    let unit = |unit| match unit {
        LogicalTimeUnit::Milli => "MILLIS",
        LogicalTimeUnit::Micro => "MICROS",
        LogicalTimeUnit::Nano => "NANOS",
    };
    match logical {
        Logical::Time(of, _) => format!("TIME({})", unit(of)),
        Logical::Timestamp(of, _) => format!("TIMESTAMP({})", unit(of)),
        Logical::Integer(bits, signed) => format!("{}INT({bits})", if signed { "" } else { "U" }),
        other => format!("{other:?}").to_uppercase(),
    }
}

fn name(physical: Physical) -> String {
    match physical {
        Physical::Boolean => "BOOLEAN".into(),
        Physical::Int32 => "INT32".into(),
        Physical::Int64 => "INT64".into(),
        Physical::Int96 => "INT96".into(),
        Physical::Float => "FLOAT".into(),
        Physical::Double => "DOUBLE".into(),
        Physical::Bytes => "BYTE_ARRAY".into(),
        Physical::Fixed(n) => format!("FIXED_LEN_BYTE_ARRAY of {n} bytes"),
    }
}
