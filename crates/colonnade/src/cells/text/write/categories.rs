//! Writes categories: cells are values, or codes if two values have the same text.

use std::collections::HashMap;

use super::super::dictionary::Texts;
use super::*;
use crate::cells::typed::IntegerCodes;

/// Formats the values of a dictionary.
pub(in crate::cells::text) fn texts(values: &ArrayData, style: TextStyle) -> Result<Texts> {
    let writer = writer(&values_field(values), None, values, style)?;
    Texts::new(writer.as_ref(), values.len())
}

fn values_field(values: &ArrayData) -> Field {
    Field::new("values", values.data_type().clone(), true)
}

/// A writer of categories.
pub(super) struct CategoryWriter {
    codes: IntegerCodes,
    nulls: Option<NullBuffer>,
    texts: Texts,
    by_code: bool,
    style: TextStyle,
    /// The messages about categories that are NaN or infinite, if those are errors. A category without cells is none.
    refused: HashMap<usize, String>,
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
        let mut refused = HashMap::new();
        let mut text_style = category_style;
        if category_style.nonfinite == Nonfinite::Error {
            text_style.nonfinite = Nonfinite::Literal;
            let writer = writer(&values_field(values), None, values, category_style)?;
            for code in 0..values.len() {
                if let Err(error) = writer.write(code, &mut Vec::new()) {
                    refused.insert(code, error.message().to_owned());
                }
            }
        }
        let texts = texts(values, text_style)?;
        let by_code = style.header && texts.codes().is_none();
        Ok(Self {
            codes: IntegerCodes::new(codes, data)?,
            nulls: data.nulls().cloned(),
            texts,
            by_code,
            style,
            refused,
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
        if let Some(message) = self.refused.get(&code) {
            return Err(Error::unrepresentable(self.style.format, message.as_str()));
        }
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
