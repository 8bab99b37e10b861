//! The columns of a header, prepared for scanning.

use arrow_schema::{DataType, Schema};

use crate::text::header;

use super::inference::RangeColumn;
use super::keys::RowKeys;
use super::walk::RowScanner;

/// The declared columns; empty without a header.
#[derive(Debug, Default)]
pub(crate) struct DeclaredColumns {
    keys: RowKeys,
    /// Whether each column has floats.
    floats: Vec<bool>,
}

impl DeclaredColumns {
    /// Creates the columns of a header's schema.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut declared = Self::default();
        for (key, field) in header::keys(schema).iter().zip(schema.fields()) {
            declared.keys.add(key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
            declared.floats.push(matches!(field.data_type(), DataType::Float64 | DataType::Float32));
        }
        declared
    }

    /// Returns columns for one range of rows that are objects.
    pub(crate) fn object_scanner(&self) -> RowScanner<RangeColumn> {
        RowScanner::new(self.keys.clone(), self.floats.iter().copied().map(RangeColumn::new).collect())
    }

    /// Returns columns for one range of rows that are arrays.
    pub(crate) fn array_scanner(&self) -> RowScanner<RangeColumn> {
        RowScanner::new(RowKeys::default(), self.floats.iter().copied().map(RangeColumn::new).collect())
    }

    /// Returns the keys in their order.
    pub(crate) fn names(&self) -> &[String] {
        self.keys.names()
    }

    /// Returns the column of a key.
    pub(crate) fn column(&self, key: &str) -> RangeColumn {
        let is_float = self.keys.place(key).and_then(|place| self.floats.get(place));
        is_float.copied().map_or_else(RangeColumn::default, RangeColumn::new)
    }
}
