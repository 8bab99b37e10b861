//! Decides which types that `ARROW:schema` claims for a leaf are accepted. No other code compares the claims with the file's
//! schema.
//!
//! | leaf | accepted claims | from |
//! |---|---|---|
//! | INT64 without annotation, INT(64) | `duration` of any unit | any writer |
//! | TIMESTAMP adjusted to UTC | the same unit with another zone | any writer |
//! | text | `large_utf8`, `utf8_view`, a dictionary of text | any writer |
//! | bytes | `large_binary`, `binary_view`, a dictionary of bytes | any writer |
//! | DECIMAL | the same precision and scale, with another width that holds all values | any writer |
//! | the leaf of [`LeafType::of`] for a type | that type | this package |
//! | bytes or integers without annotation, the leaf of [`LeafType::exact`] for a type | that type | this package |
//! | any of these | a dictionary of the type | this package |
//!
//! All other claims are ignored. The claims accepted from any writer are those of Arrow's C++ reader.

use arrow_schema::DataType;

use super::{LeafType, Physical, decimal_width};
use crate::formats::parquet::logical_type::{Logical, logical_of};
use crate::formats::parquet::schema::Element;

/// Returns the type of a leaf: the claimed type `told` if the claim is accepted, otherwise `found`, the type of the file's own
/// schema. `ours`: this package wrote the file.
#[must_use]
pub fn granted(
    found: &DataType,
    element: &Element<'_>,
    physical: Physical,
    told: &DataType,
    ours: bool,
) -> DataType {
    if found == told || ours && is_how_it_is_stored(element, physical, told) {
        return told.clone();
    }
    if let DataType::Dictionary(_, values) = told
        && ours
        && granted(found, element, physical, values, true) == **values
    {
        return told.clone();
    }
    by_anyone(found, physical, told).unwrap_or_else(|| found.clone())
}

/// Returns the type for a claim that is accepted from any writer.
fn by_anyone(found: &DataType, physical: Physical, told: &DataType) -> Option<DataType> {
    use DataType::{
        Binary, BinaryView, Dictionary, Duration, Int64, LargeBinary, LargeUtf8, Timestamp, Utf8, Utf8View,
    };
    match (found, told) {
        (Int64, Duration(_)) | (Utf8, LargeUtf8 | Utf8View) | (Binary, LargeBinary | BinaryView) => {
            Some(told.clone())
        }
        (Timestamp(unit, Some(_)), Timestamp(_, Some(zone))) if !zone.is_empty() => {
            Some(Timestamp(*unit, Some(zone.clone())))
        }
        (Utf8 | Binary, Dictionary(key, _)) => Some(Dictionary(key.clone(), Box::new(found.clone()))),
        _ => {
            let (precision, scale) = digits(found)?;
            let width = decimal_width(told)?;
            let stored = match physical {
                Physical::Int32 => 4,
                Physical::Int64 => 8,
                Physical::Fixed(n) => n,
                // A BYTE_ARRAY has any length; the decoder refuses values that do not fit.
                Physical::Bytes => 0,
                _ => return None,
            };
            (digits(told)? == (precision, scale) && stored <= u32::from(width)).then(|| told.clone())
        }
    }
}

/// Whether this package's writer stores a column of the type `told` as this leaf.
fn is_how_it_is_stored(element: &Element<'_>, physical: Physical, told: &DataType) -> bool {
    let logical = element.logical.or_else(|| element.converted.and_then(logical_of));
    let bare = logical.is_none() && element.converted.is_none();
    let same = |stored: &LeafType| {
        let meant = match (logical, stored.logical) {
            // Arrow's time of day has no zone.
            (Some(Logical::Time(found, _)), Some(Logical::Time(wanted, _))) => found == wanted,
            (Some(found), Some(wanted)) => found == wanted,
            (None, None) => element.converted == stored.converted,
            _ => false,
        };
        physical == stored.physical && meant
    };
    LeafType::of_type(told, None).is_some_and(|stored| same(&stored))
        || bare && LeafType::exact(told).is_some_and(|stored| stored.physical == physical)
}

fn digits(data_type: &DataType) -> Option<(u8, i8)> {
    match data_type {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => Some((*precision, *scale)),
        _ => None,
    }
}
