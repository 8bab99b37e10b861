//! What metadata may make of a leaf: the one place that weighs a claim of `ARROW:schema` against the file's own schema.
//!
//! | the leaf is | a claim may make it | by |
//! |---|---|---|
//! | INT64 without a meaning, INT(64) | `duration` of any unit | anyone |
//! | TIMESTAMP of UTC | the file's unit in another zone | anyone |
//! | text | `large_utf8`, `utf8_view`, a dictionary of text | anyone |
//! | bytes | `large_binary`, `binary_view`, a dictionary of bytes | anyone |
//! | DECIMAL | the same precision and scale, of another width that holds all values | anyone |
//! | what [`Stored::of`] makes of a type | that type | this package |
//! | bytes or integers without a meaning that [`Stored::exact`] makes of a type | that type | this package |
//! | any of these | a dictionary of it | this package |
//!
//! All else is ignored. The list for anyone is that of Arrow's C++ reader.

use arrow_schema::DataType;

use super::{Physical, Stored, decimal_width};
use crate::formats::parquet::logical_type::{Logical, logical_of};
use crate::formats::parquet::schema::Element;

/// The type of a leaf of the file's own type `found`, where metadata claim that it is `told`. `ours`: this package wrote it.
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

/// What any writer may claim.
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
                // Of any length; one that does not fit is refused as it is decoded.
                Physical::Bytes => 0,
                _ => return None,
            };
            (digits(told)? == (precision, scale) && stored <= u32::from(width)).then(|| told.clone())
        }
    }
}

/// Whether a column of the type `told` is stored as this leaf by our own writer.
fn is_how_it_is_stored(element: &Element<'_>, physical: Physical, told: &DataType) -> bool {
    let logical = element.logical.or_else(|| element.converted.and_then(logical_of));
    let bare = logical.is_none() && element.converted.is_none();
    let same = |stored: &Stored| {
        let meant = match (logical, stored.logical) {
            // Arrow has no word for the zone of a time of day.
            (Some(Logical::Time(found, _)), Some(Logical::Time(wanted, _))) => found == wanted,
            (Some(found), Some(wanted)) => found == wanted,
            (None, None) => element.converted == stored.converted,
            _ => false,
        };
        physical == stored.physical && meant
    };
    Stored::of_type(told, None).is_some_and(|stored| same(&stored))
        || bare && Stored::exact(told).is_some_and(|stored| stored.physical == physical)
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
