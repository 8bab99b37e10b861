//! Categories as text: what tells them apart, on both sides.

use std::collections::HashMap;

use super::TextWriter;
use crate::error::Result;

/// The text of every category.
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    nulls: Vec<bool>,
}

impl Texts {
    /// Of the dictionary whose `count` values `writer` writes.
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

    /// The code of each text; `None` where texts do not tell categories apart: cells are codes then.
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
