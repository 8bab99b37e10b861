//! Reads categories: cells are values of the header's dictionary, or codes.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::nested::JsonCells;
use super::super::write::categories::texts;
use super::*;

/// A reader of categories, by their text or by their codes.
struct CategoryReader {
    /// Shared by the readers of all pieces of the input.
    lookup: Arc<CategoryLookup>,
    values: ArrayData,
    codes: NumberReader<i64, ParseCode>,
    limits: Limits,
    style: TextStyle,
    /// What the text of a cell holds if it is JSON.
    in_json: Option<JsonCells>,
}

/// The parser of codes.
type ParseCode = fn(&ReaderContext, TextCell<'_>) -> ParseResult<i64>;

enum CategoryLookup {
    /// The code of each text, and whether the categories themselves are text, stored without quotes.
    Texts(HashMap<Vec<u8>, usize>, bool),
    /// Cells are codes.
    Codes,
}

pub(super) fn categories(
    codes: &DataType,
    common: ReaderContext,
    in_json: Option<JsonCells>,
    style: TextStyle,
    dictionaries: &mut HeaderDictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    let DataType::Dictionary(_, values_type) = &common.data_type else {
        return Err(Error::malformed(style.format, "expected categories."));
    };
    let values = dictionaries.next(values_type)?;
    let syntax = if style.syntax == Syntax::Csv && in_json.is_none() { Syntax::Csv } else { Syntax::Json };
    let style = TextStyle { syntax, header: true, nonfinite: Nonfinite::Tagged, ..style };
    let is_text = matches!(**values_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let category_style = if is_text { TextStyle { syntax: Syntax::Csv, ..style } } else { style };
    let texts = texts(&values, category_style)?.codes();
    let lookup = texts.map_or(CategoryLookup::Codes, |texts| CategoryLookup::Texts(texts, is_text));
    if !codes.is_dictionary_key_type() {
        return Err(Error::malformed(
            style.format,
            format!("expected codes that are integers, found {codes}."),
        ));
    }
    let codes = NumberReader::new(integer::<i64> as ParseCode, common, 0);
    Ok(Box::new(CategoryReader { lookup: Arc::new(lookup), values, codes, limits: *limits, style, in_json }))
}

impl CategoryReader {
    fn code(&self, cell: TextCell<'_>) -> ParseResult<usize> {
        let none = || {
            let fault = self.codes.common.expected(cell);
            let found =
                fault.message.split_once(", found ").map_or("another.", |(_, found)| found).to_owned();
            CellFault::malformed(format!("expected one of {} categories, found {found}", self.values.len()))
        };
        let (texts, is_text) = match &*self.lookup {
            CategoryLookup::Texts(texts, is_text) => (texts, *is_text),
            CategoryLookup::Codes => {
                let code = integer::<usize>(&self.codes.common, cell)?;
                return if code < self.values.len() { Ok(code) } else { Err(none()) };
            }
        };
        let cell = match cell {
            TextCell::Str(text) if self.in_json.is_some() => TextCell::Raw(text),
            other => other,
        };
        let mut quoted = Vec::new();
        let key = match cell {
            TextCell::Str(text) if is_text || self.style.syntax == Syntax::Csv => text.as_bytes(),
            _ if is_text => return Err(none()),
            TextCell::Str(text) => {
                strings::json(text.as_bytes(), &mut quoted);
                &quoted
            }
            TextCell::Bool(true) => b"true",
            TextCell::Bool(false) => b"false",
            TextCell::Number(text) | TextCell::Raw(text) => text.as_bytes(),
            TextCell::Null => b"null",
        };
        if let Some(code) = texts.get(key) {
            return Ok(*code);
        }
        if is_text || self.in_json.is_some_and(|cells| cells.cell(cell).is_err()) {
            return Err(none());
        }
        // Another spelling of a known value.
        let field = Field::new("values", self.values.data_type().clone(), true);
        let again = || -> Result<Option<usize>> {
            let mut inner = HeaderDictionaries::of(Vec::new());
            let mut reader = reader(&field, None, None, self.style, &mut inner, &self.limits)?;
            if reader.push(cell).is_err() {
                return Ok(None);
            }
            let data = reader.finish()?;
            let mut text = Vec::new();
            write::writer(&field, None, &data, self.style)?.write(0, &mut text)?;
            Ok(texts.get(&text).copied())
        };
        again().ok().flatten().ok_or_else(none)
    }
}

impl TextReader for CategoryReader {
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        if cell == TextCell::Null {
            return self.codes.push(cell);
        }
        let code = self.code(cell)?;
        let code = i64::try_from(code).map_err(|_| self.codes.common.expected(cell))?;
        self.codes.values.push(code);
        self.codes.nulls.append_non_null();
        Ok(())
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        let codes = NumberReader::new(self.codes.decode, self.codes.common.clone(), rows);
        let (lookup, values) = (Arc::clone(&self.lookup), self.values.clone());
        Ok(Box::new(Self { lookup, values, codes, ..*self }))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        self.codes.nulls(n)
    }

    fn len(&self) -> usize {
        self.codes.values.len()
    }

    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        let common = &self.codes.common;
        let DataType::Dictionary(codes, _) = &common.data_type else {
            return Err(Error::malformed("text", "expected categories."));
        };
        fn narrow<T: TryFrom<i64> + ArrowNativeType>(values: &[i64]) -> Option<Buffer> {
            let all: Option<Vec<T>> = values.iter().map(|v| T::try_from(*v).ok()).collect();
            all.map(Buffer::from_vec)
        }
        let all = &self.codes.values;
        let buffer = match codes.as_ref() {
            DataType::Int8 => narrow::<i8>(all),
            DataType::Int16 => narrow::<i16>(all),
            DataType::Int32 => narrow::<i32>(all),
            DataType::UInt8 => narrow::<u8>(all),
            DataType::UInt16 => narrow::<u16>(all),
            DataType::UInt32 => narrow::<u32>(all),
            DataType::UInt64 => narrow::<u64>(all),
            _ => narrow::<i64>(all),
        };
        let too_many = || Error::malformed("text", "more categories than codes of the type can count.");
        let builder = ArrayDataBuilder::new(common.data_type.clone()).len(all.len());
        let builder = builder.add_buffer(buffer.ok_or_else(too_many)?).add_child_data(self.values.clone());
        build_array(builder.nulls(self.codes.nulls.finish()))
    }
}
