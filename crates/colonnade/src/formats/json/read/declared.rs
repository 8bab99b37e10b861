//! The columns that a header declares, before they are scanned.

use arrow_schema::{DataType, Schema};

use crate::text::header;

use super::inference::Part;
use super::keys::Keys;
use super::walk::Walk;

/// The declared columns; none without a header.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    keys: Keys,
    /// Whether each is of floats.
    floats: Vec<bool>,
}

impl Declared {
    /// Those of a header.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut declared = Self::default();
        for (key, field) in header::keys(schema).iter().zip(schema.fields()) {
            declared.keys.add(key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
            declared.floats.push(matches!(field.data_type(), DataType::Float64 | DataType::Float32));
        }
        declared
    }

    /// Columns for one range of rows that have keys.
    pub(crate) fn named(&self) -> Walk<Part> {
        Walk::new(self.keys.clone(), self.floats.iter().copied().map(Part::new).collect())
    }

    /// Columns for one range of rows that are arrays.
    pub(crate) fn listed(&self) -> Walk<Part> {
        Walk::new(Keys::default(), self.floats.iter().copied().map(Part::new).collect())
    }

    /// Keys, in their order.
    pub(crate) fn names(&self) -> &[String] {
        self.keys.names()
    }

    /// The column of a key.
    pub(crate) fn column(&self, key: &str) -> Part {
        let is_float = self.keys.place(key).and_then(|place| self.floats.get(place));
        is_float.copied().map_or_else(Part::default, Part::new)
    }
}
