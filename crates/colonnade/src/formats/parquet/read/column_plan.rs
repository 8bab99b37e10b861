//! Chooses the decoder of a column by its type and by how its values are stored.

use arrow_schema::DataType;

use crate::formats::parquet::types::{self, Physical};

use super::conversion::{Flat, kind};

/// The decoder of a column, which decides its layout in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Values of one width, with a validity bitmap if there are nulls.
    Fixed(Flat),
    /// Offsets and bytes.
    Text,
    /// Codes and a dictionary.
    Category,
    /// Only nulls.
    Nothing,
    /// Lists, structs and maps.
    Nested,
}

/// Chooses the decoder for values of this type that are stored as `flat`.
pub(super) fn way_of(data_type: &DataType, flat: &Flat) -> Way {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    match data_type {
        DataType::Dictionary(..) => Way::Category,
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView
            if flat.physical == Physical::Bytes =>
        {
            Way::Text
        }
        _ if flat.way == types::Way::Nothing => Way::Nothing,
        _ if kind(data_type, flat).is_some() => Way::Fixed(*flat),
        _ => Way::Nested,
    }
}
