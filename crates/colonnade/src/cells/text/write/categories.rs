//! Writes categories: cells are values, or codes if two values have the same text.

use super::super::dictionary::Texts;
use super::*;
use crate::cells::typed::IntegerCodes;

/// Formats the values of a dictionary.
pub(in crate::cells::text) fn texts(values: &ArrayData, style: TextStyle) -> Result<Texts> {
    let field = Field::new("values", values.data_type().clone(), true);
    let writer = writer(&field, None, values, style)?;
    Texts::new(writer.as_ref(), values.len())
}

/// A writer of categories.
pub(super) struct CategoryWriter {
    codes: IntegerCodes,
    nulls: Option<NullBuffer>,
    texts: Texts,
    by_code: bool,
    style: TextStyle,
}

impl CategoryWriter {
    /// Creates the writer. `category_style`: the style of the categories; `style`: the style of nulls.
    pub(super) fn new(
        codes: &DataType,
        data: &ArrayData,
        category_style: TextStyle,
        style: TextStyle,
    ) -> Result<Self> {
        let values = data.child_data().first().ok_or_else(changed)?;
        let texts = texts(values, category_style)?;
        let by_code = style.header && texts.codes().is_none();
        Ok(Self {
            codes: IntegerCodes::new(codes, data)?,
            nulls: data.nulls().cloned(),
            texts,
            by_code,
            style,
        })
    }
}

impl TextWriter for CategoryWriter {
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
