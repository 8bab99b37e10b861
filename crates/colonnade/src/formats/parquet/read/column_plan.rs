//! How a column is decoded: into which layout, by its type and by how its values are stored.

use arrow_schema::DataType;

use crate::formats::parquet::types::{self, Physical};

use super::conversion::{Flat, kind};

/// How a field lands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Values of one width, validity beside them where there are nulls.
    Fixed(Flat),
    /// Offsets and bytes.
    Text,
    /// Codes, and the values that they stand for.
    Category,
    /// Nulls alone.
    Nothing,
    /// Arrays that the crate makes.
    Nested,
}

/// How values of this type land, as they are stored.
pub(super) fn way_of(data_type: &DataType, flat: &Flat) -> Way {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    match data_type {
        DataType::Dictionary(..) => Way::Category,
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView
            if flat.physical == Physical::Bytes =>
        {
            Way::Text
        }
        _ if flat.way == types::LeafConversion::Nothing => Way::Nothing,
        _ if kind(data_type, flat).is_some() => Way::Fixed(*flat),
        _ => Way::Nested,
    }
}
