//! What is known of columns before they are scanned: nothing of foreign ones, much of our own.

use arrow_schema::{DataType, Schema};

use crate::text::header;

use super::auto::{Auto, Kind};
use super::keys::Keys;
use super::walk::Walk;

/// Columns that will come, if anybody has said so.
#[derive(Debug, Default)]
pub(crate) struct Seeds {
    keys: Keys,
    likely: Vec<Likely>,
}

#[derive(Debug, Clone, Copy)]
enum Likely {
    Any,
    Int,
    Float,
    Text,
}

impl Seeds {
    /// Those of a header.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut seeds = Self::default();
        for (key, field) in header::keys(schema).iter().zip(schema.fields()) {
            seeds.keys.add(key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
            seeds.likely.push(match field.data_type() {
                DataType::Float64 | DataType::Float32 => Likely::Float,
                DataType::Utf8 | DataType::LargeUtf8 => Likely::Text,
                data_type if data_type.is_integer() => Likely::Int,
                _ => Likely::Any,
            });
        }
        seeds
    }

    fn auto(likely: Likely) -> Auto {
        let kind = match likely {
            Likely::Any => Kind::Nil,
            Likely::Int => Kind::Int { words: Vec::new(), negative: false, big: false },
            Likely::Float => Kind::Float(Vec::new()),
            Likely::Text => Kind::Text { ends: Vec::new(), bytes: Vec::new() },
        };
        Auto { kind, is_tagged: matches!(likely, Likely::Float), ..Auto::default() }
    }

    /// Columns for one range of rows that have keys.
    pub(crate) fn named(&self) -> Walk<Auto> {
        Walk::new(self.keys.clone(), self.likely.iter().copied().map(Self::auto).collect())
    }

    /// Columns for one range of rows that are arrays.
    pub(crate) fn listed(&self) -> Walk<Auto> {
        Walk::new(Keys::default(), self.likely.iter().copied().map(Self::auto).collect())
    }

    /// Keys, in their order.
    pub(crate) fn names(&self) -> &[String] {
        self.keys.names()
    }

    /// The column of a key.
    pub(crate) fn column(&self, key: &str) -> Auto {
        let likely = self.keys.place(key).and_then(|place| self.likely.get(place));
        likely.copied().map_or_else(Auto::default, Self::auto)
    }
}
