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

/// Returns the type of a leaf: the claimed type `claimed` if the claim is accepted, otherwise `found`, the type of the file's own
/// schema. `is_colonnade`: this package wrote the file.
#[must_use]
pub fn accepted_type(
    found: &DataType,
    element: &Element<'_>,
    physical: Physical,
    claimed: &DataType,
    is_colonnade: bool,
) -> DataType {
    if found == claimed || is_colonnade && is_stored_as(element, physical, claimed) {
        return claimed.clone();
    }
    if let DataType::Dictionary(_, values) = claimed
        && is_colonnade
        && accepted_type(found, element, physical, values, true) == **values
    {
        return claimed.clone();
    }
    accepted_from_any_writer(found, physical, claimed).unwrap_or_else(|| found.clone())
}

/// Returns the type for a claim that is accepted from any writer.
fn accepted_from_any_writer(found: &DataType, physical: Physical, claimed: &DataType) -> Option<DataType> {
    use DataType::{
        Binary, BinaryView, Dictionary, Duration, Int64, LargeBinary, LargeUtf8, Timestamp, Utf8, Utf8View,
    };
    match (found, claimed) {
        (Int64, Duration(_)) | (Utf8, LargeUtf8 | Utf8View) | (Binary, LargeBinary | BinaryView) => {
            Some(claimed.clone())
        }
        (Timestamp(unit, Some(_)), Timestamp(_, Some(zone))) if !zone.is_empty() => {
            Some(Timestamp(*unit, Some(zone.clone())))
        }
        (Utf8 | Binary, Dictionary(key, _)) => Some(Dictionary(key.clone(), Box::new(found.clone()))),
        _ => {
            let (precision, scale) = digits(found)?;
            let width = decimal_width(claimed)?;
            let stored = match physical {
                Physical::Int32 => 4,
                Physical::Int64 => 8,
                Physical::Fixed(n) => n,
                // A BYTE_ARRAY has any length; the decoder refuses values that do not fit.
                Physical::Bytes => 0,
                _ => return None,
            };
            (digits(claimed)? == (precision, scale) && stored <= u32::from(width)).then(|| claimed.clone())
        }
    }
}

/// Whether this package's writer stores a column of the type `claimed` as this leaf.
fn is_stored_as(element: &Element<'_>, physical: Physical, claimed: &DataType) -> bool {
    let logical = element.logical.or_else(|| element.converted.and_then(logical_of));
    let bare = logical.is_none() && element.converted.is_none();
    let same = |stored: &LeafType| {
        let meant = match (logical, stored.logical) {
            // Arrow's time of day has no zone.
            (Some(Logical::Time(found, _)), Some(Logical::Time(expected, _))) => found == expected,
            (Some(found), Some(expected)) => found == expected,
            (None, None) => element.converted == stored.converted,
            _ => false,
        };
        physical == stored.physical && meant
    };
    LeafType::of_type(claimed, None).is_some_and(|stored| same(&stored))
        || bare && LeafType::exact(claimed).is_some_and(|stored| stored.physical == physical)
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
