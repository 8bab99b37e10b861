//! Categories as text: what tells them apart, on both sides.

use std::collections::HashMap;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::{Style, Syntax, TextWriter, write};
use crate::cells::msgpack::column::changed;
use crate::cells::typed::Codes;
use crate::error::Result;

/// The text of every category.
pub(super) struct Texts {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    nulls: Vec<bool>,
}

impl Texts {
    pub(super) fn new(values: &ArrayData, style: Style) -> Result<Self> {
        let field = Field::new("values", values.data_type().clone(), true);
        let writer = write::writer(&field, None, values, style)?;
        let mut out = Self { bytes: Vec::new(), ends: Vec::with_capacity(values.len()), nulls: Vec::new() };
        for row in 0..values.len() {
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

/// Cells that are categories.
pub(super) struct Categories {
    codes: Codes,
    nulls: Option<arrow_buffer::NullBuffer>,
    texts: Texts,
    by_code: bool,
    style: Style,
}

impl Categories {
    /// `spelled`: how categories are; `style`: how null is.
    pub(super) fn new(codes: &DataType, data: &ArrayData, spelled: Style, style: Style) -> Result<Self> {
        let values = data.child_data().first().ok_or_else(changed)?;
        let texts = Texts::new(values, spelled)?;
        let by_code = style.header && texts.codes().is_none();
        Ok(Self { codes: Codes::new(codes, data)?, nulls: data.nulls().cloned(), texts, by_code, style })
    }
}

impl TextWriter for Categories {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            if self.style.syntax != Syntax::Csv {
                out.extend_from_slice(b"null");
            }
            return Ok(());
        }
        let code = self.codes.at(row).ok_or_else(changed)?;
        if self.by_code {
            out.extend_from_slice(itoa::Buffer::new().format(code).as_bytes());
        } else {
            out.extend_from_slice(self.texts.text(code).ok_or_else(changed)?);
        }
        Ok(())
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
            || !self.by_code && self.codes.at(row).is_some_and(|code| self.texts.is_null(code))
    }

    fn is_plain(&self) -> bool {
        self.by_code
    }
}
