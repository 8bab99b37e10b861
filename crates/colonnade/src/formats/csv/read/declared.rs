//! Columns whose types `dtypes=` or a schema declares.
//!
//! Types that cells are inferred as too are read by the loops of inference. Others, and columns in which those loops meet a cell
//! that does not fit, are read by the reader of their type, which knows every spelling and says what is wrong. Each piece of the
//! input has a reader of its own, and their arrays are joined.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, make_array};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat;

use super::FORMAT;
use super::column::CellSpans;
use super::kinds::InferredType;
use super::null_values::NullValue;
use super::rules::DialectRules;
use crate::cells::text::{CellFault, TextCell, TextReader};
use crate::error::{Error, Result};

/// Cells that a reader takes in one call.
const RUN: usize = 64;

/// A column whose type is declared.
pub(super) struct DeclaredColumn {
    /// Its place in a row.
    pub(super) position: usize,
    /// What inference would call its type; `None` where only the reader knows its cells.
    pub(super) kind: Option<InferredType>,
    pub(super) nullable: bool,
    /// Makes the readers of all pieces.
    reader: Box<dyn TextReader>,
    /// Whether its cells are numbers, with a decimal point and separators of the input's own.
    number: bool,
    /// Whether NaN is one of them; it is null elsewhere.
    nan: bool,
    /// Whether nothing between quotes is null.
    empty_is_null: bool,
    /// Whether offsets of 32 bits count its bytes.
    narrow: bool,
    /// Whether wrong cells are null.
    lenient: bool,
}

/// Some cells of one column.
pub(super) struct CellRun<'a, S> {
    pub(super) rules: &'a DialectRules,
    /// The input from the first of these cells on, or further.
    pub(super) bytes: &'a [u8],
    /// Where these bytes stand in the input.
    pub(super) at: usize,
    pub(super) spans: S,
    pub(super) rows: usize,
}

/// A wrong cell: where it stands in the input, and what is wrong.
type WrongCell = (usize, CellFault);

impl DeclaredColumn {
    pub(super) fn new(position: usize, field: &Field, reader: Box<dyn TextReader>, lenient: bool) -> Self {
        let data_type = field.data_type();
        Self {
            position,
            kind: kind(data_type),
            nullable: field.is_nullable(),
            reader,
            number: is_number(data_type),
            nan: has_nan(data_type),
            empty_is_null: false,
            narrow: has_narrow_offsets(data_type),
            lenient,
        }
    }

    /// The same, of an input without our header: nothing between quotes is null, unless an empty text is a cell of the type.
    pub(super) fn without_header(self, field: &Field) -> Self {
        use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};
        let has_empty = matches!(field.data_type(), Utf8 | LargeUtf8 | Binary | LargeBinary);
        Self { empty_is_null: !has_empty, ..self }
    }

    /// The reader of one piece of at most `rows` rows.
    pub(super) fn reader(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        self.reader.fork(rows)
    }

    /// Gives cells to a reader of the column, in runs. Adds the places of cells that became null to `wrong`.
    ///
    /// # Errors
    /// The first wrong cell, unless wrong cells are null.
    pub(super) fn take<S: CellSpans>(
        &self,
        cells: &CellRun<'_, S>,
        reader: &mut dyn TextReader,
        wrong: &mut Vec<usize>,
    ) -> std::result::Result<(), WrongCell> {
        let place = |row: usize| cells.at + cells.spans.span(row).0;
        let mut refuse = |row: usize, fault: CellFault, reader: &mut dyn TextReader| {
            let nulled = if self.lenient { reader.nulls(1) } else { Err(fault) };
            wrong.push(place(row));
            nulled.map_err(|fault| (place(row), fault))
        };
        let mut run = [TextCell::Null; RUN];
        let mut row = 0;
        while row < cells.rows {
            let (first, mut filled, mut other) = (row, 0, None);
            for slot in run.iter_mut().take(cells.rows - row) {
                let (start, end) = cells.spans.span(row);
                row += 1;
                *slot = match cells.bytes.get(start..end).map(|raw| self.cell(cells.rules, raw)) {
                    Some(Ok(None)) => TextCell::Null,
                    Some(Ok(Some(Cow::Borrowed(text)))) => TextCell::Str(text),
                    found => {
                        other = Some(found);
                        break;
                    }
                };
                filled += 1;
            }
            let mut done = 0;
            while let Err((taken, fault)) = reader.push_run(run.get(done..filled).unwrap_or_default()) {
                done += taken;
                refuse(first + done, fault, reader)?;
                done += 1;
            }
            let pushed = match other {
                None => Ok(()),
                // The row is too short.
                Some(None) => {
                    reader.nulls(1).map_err(|fault| (cells.at, fault))?;
                    Ok(())
                }
                Some(Some(Ok(text))) => reader.push(text.as_deref().map_or(TextCell::Null, TextCell::Str)),
                Some(Some(Err(fault))) => Err(fault),
            };
            pushed.or_else(|fault| refuse(row - 1, fault, reader))?;
        }
        Ok(())
    }

    /// The text of a cell, in the form that readers know; `None` where it is null.
    fn cell<'r>(
        &self,
        rules: &DialectRules,
        raw: &'r [u8],
    ) -> std::result::Result<Option<Cow<'r, str>>, CellFault> {
        // Most cells of numbers: no quotes, no null value, nothing to convert.
        if self.number
            && rules.has_plain_numbers()
            && raw.first().is_some_and(|first| *first != rules.quote)
            && raw.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'.'))
            && let Ok(text) = std::str::from_utf8(raw)
        {
            return Ok(Some(Cow::Borrowed(text)));
        }
        let text = rules.text(raw);
        let is_null = match rules.null_value(&text) {
            NullValue::Null => true,
            NullValue::NaN => !self.nan,
            NullValue::Other => self.empty_is_null && text.quoted && text.bytes.is_empty(),
        };
        if is_null {
            return Ok(None);
        }
        let bytes = match text.bytes {
            bytes if !self.number => bytes,
            Cow::Borrowed(bytes) => rules.plain_number(bytes),
            Cow::Owned(bytes) => Cow::Owned(rules.plain_number(&bytes).into_owned()),
        };
        let found = match bytes {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).map(Cow::Borrowed).ok(),
            Cow::Owned(bytes) => String::from_utf8(bytes).map(Cow::Owned).ok(),
        };
        found.map(Some).ok_or_else(|| CellFault::malformed("expected UTF-8."))
    }

    /// The arrays of all pieces as one; `None` where offsets of 32 bits cannot count its bytes.
    pub(super) fn join(&self, readers: Vec<Box<dyn TextReader>>) -> Result<Option<ArrayData>> {
        let arrays = readers.into_iter().map(|reader| reader.finish()).collect::<Result<Vec<ArrayData>>>()?;
        if arrays.is_empty() {
            return self.reader(0)?.finish().map(Some);
        }
        let nbytes: usize = arrays.iter().map(ArrayData::get_buffer_memory_size).sum();
        if self.narrow && arrays.len() > 1 && i32::try_from(nbytes).is_err() {
            return Ok(None);
        }
        let mut arrays: Vec<ArrayRef> = arrays.into_iter().map(make_array).collect();
        let whole = match arrays.len() {
            1 => arrays.swap_remove(0),
            _ => {
                let list: Vec<&dyn Array> = arrays.iter().map(Arc::as_ref).collect();
                concat(&list)
                    .map_err(|e| Error::malformed(FORMAT, format!("Arrow refused a column: {e}.")))?
            }
        };
        Ok(Some(whole.to_data()))
    }
}

/// What inference calls a type; `None` where it has none.
fn kind(data_type: &DataType) -> Option<InferredType> {
    match data_type {
        DataType::Boolean => Some(InferredType::Bool),
        DataType::Int64 => Some(InferredType::Int),
        DataType::UInt64 => Some(InferredType::UInt),
        DataType::Float64 => Some(InferredType::Float),
        DataType::LargeUtf8 => Some(InferredType::Text),
        _ => None,
    }
}

/// Whether the cells of a type are numbers: then they have the input's decimal point.
fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_number(values),
        DataType::RunEndEncoded(_, values) => is_number(values.data_type()),
        t => t.is_integer() || t.is_floating() || t.is_decimal(),
    }
}

/// Whether NaN is a cell of a type.
fn has_nan(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => has_nan(values),
        DataType::RunEndEncoded(_, values) => has_nan(values.data_type()),
        DataType::FixedSizeList(item, 2) => item.data_type().is_floating(),
        t => t.is_floating(),
    }
}

/// Whether offsets of 32 bits count the bytes of a type.
fn has_narrow_offsets(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::Binary => true,
        DataType::RunEndEncoded(_, values) => has_narrow_offsets(values.data_type()),
        t => t.is_nested(),
    }
}
