//! What is known of columns before they are scanned: nothing of foreign ones, much of our own.

use arrow_schema::Schema;

use crate::text::header;

use super::inference::{Likely, Part};
use super::keys::Keys;
use super::walk::Walk;

/// Columns that will come, if anybody has said so.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    keys: Keys,
    likely: Vec<Likely>,
}

impl Declared {
    /// Those of a header.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut declared = Self::default();
        for (key, field) in header::keys(schema).iter().zip(schema.fields()) {
            declared.keys.add(key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
            declared.likely.push(Likely::of(field.data_type()));
        }
        declared
    }

    /// Columns for one range of rows that have keys.
    pub(crate) fn named(&self) -> Walk<Part> {
        Walk::new(self.keys.clone(), self.likely.iter().copied().map(Part::new).collect())
    }

    /// Columns for one range of rows that are arrays.
    pub(crate) fn listed(&self) -> Walk<Part> {
        Walk::new(Keys::default(), self.likely.iter().copied().map(Part::new).collect())
    }

    /// Keys, in their order.
    pub(crate) fn names(&self) -> &[String] {
        self.keys.names()
    }

    /// The column of a key.
    pub(crate) fn column(&self, key: &str) -> Part {
        let likely = self.keys.place(key).and_then(|place| self.likely.get(place));
        likely.copied().map_or_else(Part::default, Part::new)
    }
}
