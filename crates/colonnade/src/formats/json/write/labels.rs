//! Row labels as the keys of JSON objects.

use std::collections::HashSet;

use crate::arrow::names;
use crate::error::{Error, Result};
use crate::frame::{self, Axis};

use super::FORMAT;
use super::text::put_string;

/// The keys of rows, quoted and with a colon.
#[derive(Debug)]
pub enum LabelKeys {
    /// Integers at a constant distance.
    Range {
        /// The first label.
        start: i64,
        /// The distance of two labels.
        step: i64,
    },
    /// All other labels, as text.
    Spelled {
        /// All keys.
        bytes: Vec<u8>,
        /// The end of each key.
        ends: Vec<usize>,
    },
}

impl LabelKeys {
    /// Formats the labels of an axis as Python's `str` does; several levels become tuples.
    ///
    /// # Errors
    /// `Unrepresentable`: repeated labels, which keys of an object may not be.
    pub fn new(axis: &Axis, orient: &str) -> Result<Self> {
        if let frame::Labels::Auto { start, step, .. } = axis.labels {
            return Ok(Self::Range { start, step });
        }
        let texts = names::texts(axis)?;
        let mut seen = HashSet::with_capacity(texts.len());
        let mut bytes = Vec::new();
        let mut ends = Vec::with_capacity(texts.len());
        for (row, text) in texts.iter().enumerate() {
            let text = text.as_deref().unwrap_or("None");
            if !seen.insert(text) {
                let message = format!(
                    "orient={orient:?}: expected row labels that do not repeat, as they are the keys of an object, found {text:?} \
                     again in row {row}. Write orient=\"records\", or reset the index."
                );
                return Err(Error::unrepresentable(FORMAT, message));
            }
            put_string(text, &mut bytes);
            bytes.push(b':');
            ends.push(bytes.len());
        }
        Ok(Self::Spelled { bytes, ends })
    }

    /// Appends the key of `row`.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        match self {
            Self::Range { start, step } => {
                let reach = step.saturating_mul(i64::try_from(row).unwrap_or(i64::MAX));
                out.push(b'"');
                out.extend_from_slice(itoa::Buffer::new().format(start.saturating_add(reach)).as_bytes());
                out.extend_from_slice(b"\":");
            }
            Self::Spelled { bytes, ends } => {
                let at = |i: Option<usize>| i.and_then(|i| ends.get(i)).copied().unwrap_or(0);
                let key = bytes.get(at(row.checked_sub(1))..at(Some(row)));
                out.extend_from_slice(key.unwrap_or(b"\"\":"));
            }
        }
    }

    /// Returns the approximate number of bytes of a key.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        match self {
            Self::Range { .. } => 10,
            Self::Spelled { bytes, ends } => bytes.len() / ends.len().max(1),
        }
    }
}
