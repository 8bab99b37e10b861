//! The columns of a header, prepared for scanning.

use arrow_schema::{DataType, Schema};

use crate::text::header;

use super::inference::Part;
use super::keys::Keys;
use super::walk::Walk;

/// The declared columns; empty without a header.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    keys: Keys,
    /// Whether each column has floats.
    floats: Vec<bool>,
}

impl Declared {
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
    pub(crate) fn named(&self) -> Walk<Part> {
        Walk::new(self.keys.clone(), self.floats.iter().copied().map(Part::new).collect())
    }

    /// Returns columns for one range of rows that are arrays.
    pub(crate) fn listed(&self) -> Walk<Part> {
        Walk::new(Keys::default(), self.floats.iter().copied().map(Part::new).collect())
    }

    /// Returns the keys in their order.
    pub(crate) fn names(&self) -> &[String] {
        self.keys.names()
    }

    /// Returns the column of a key.
    pub(crate) fn column(&self, key: &str) -> Part {
        let is_float = self.keys.place(key).and_then(|place| self.floats.get(place));
        is_float.copied().map_or_else(Part::default, Part::new)
    }
}
