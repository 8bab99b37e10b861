//! The texts of a dictionary's values. Unique texts identify categories in writer and reader.

use std::collections::HashMap;

use super::TextWriter;
use crate::error::Result;

/// The texts of all categories.
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// The end offset of each text.
    ends: Vec<usize>,
    nulls: Vec<bool>,
}

impl Texts {
    /// Formats the `count` values of a dictionary with `writer`.
    pub(super) fn new(writer: &dyn TextWriter, count: usize) -> Result<Self> {
        let mut out = Self { bytes: Vec::new(), ends: Vec::with_capacity(count), nulls: Vec::new() };
        for row in 0..count {
            writer.write(row, &mut out.bytes)?;
            out.ends.push(out.bytes.len());
            out.nulls.push(writer.is_null(row));
        }
        Ok(out)
    }

    pub(super) fn text(&self, code: usize) -> Option<&[u8]> {
        let start = if code == 0 { 0 } else { *self.ends.get(code - 1)? };
        self.bytes.get(start..*self.ends.get(code)?)
    }

    pub(super) fn is_null(&self, code: usize) -> bool {
        self.nulls.get(code).copied().unwrap_or(false)
    }

    /// Maps each text to its code; `None` if two texts are equal, in which case cells are codes.
    pub(super) fn codes(&self) -> Option<HashMap<Vec<u8>, usize>> {
        let mut out = HashMap::with_capacity(self.ends.len());
        for code in 0..self.ends.len() {
            if self.is_null(code) || out.insert(self.text(code)?.to_vec(), code).is_some() {
                return None;
            }
        }
        Some(out)
    }
}
