//! Chooses the decoder of a column by its type and by how its values are stored.

use arrow_schema::DataType;

use crate::formats::parquet::types::{self, Physical};

use super::conversion::{FlatLeaf, fixed_conversion};

/// The decoder of a column, which decides its layout in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnPlan {
    /// Values of one width, with a validity bitmap if there are nulls.
    Fixed(FlatLeaf),
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
pub(super) fn column_plan(data_type: &DataType, flat: &FlatLeaf) -> ColumnPlan {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Utf8, Utf8View};
    match data_type {
        DataType::Dictionary(..) => ColumnPlan::Category,
        Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView
            if flat.physical == Physical::Bytes =>
        {
            ColumnPlan::Text
        }
        _ if flat.way == types::LeafConversion::Nothing => ColumnPlan::Nothing,
        _ if fixed_conversion(data_type, flat).is_some() => ColumnPlan::Fixed(*flat),
        _ => ColumnPlan::Nested,
    }
}
