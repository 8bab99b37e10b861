//! Columns whose types `dtype=` or a schema declares.
//!
//! The loops of inference read those declared types that inference also produces. A reader of the type reads other types, and
//! columns with a cell that those loops refuse; it accepts every spelling and reports what is wrong. Each piece of the input has
//! its own reader, and their arrays are concatenated.

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

/// Number of cells passed to a reader in one call.
const RUN: usize = 64;

/// A column whose type is declared.
pub(super) struct DeclaredColumn {
    /// Its position in a row.
    pub(super) position: usize,
    /// The equivalent inferred type; `None` if only the reader can read its cells.
    pub(super) kind: Option<InferredType>,
    pub(super) nullable: bool,
    /// Creates the readers of all pieces.
    reader: Box<dyn TextReader>,
    /// Whether its cells are numbers, with the decimal point and thousands separator of the input.
    number: bool,
    /// Whether NaN is a value of its type; otherwise NaN is null.
    nan: bool,
    /// Whether quoted empty text is null.
    empty_is_null: bool,
    /// Whether its type has 32-bit offsets.
    narrow: bool,
    /// Whether invalid cells become null.
    lenient: bool,
}

/// A run of cells of one column.
pub(super) struct CellRun<'a, S> {
    pub(super) rules: &'a DialectRules,
    /// The input from the first of these cells on, at least to the last.
    pub(super) bytes: &'a [u8],
    /// Offset of `bytes` in the input.
    pub(super) at: usize,
    pub(super) spans: S,
    pub(super) rows: usize,
}

/// An invalid cell: its offset in the input, and its fault.
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

    /// Adapts the column to input without a Colonnade header: quoted empty text is null, unless the type has empty values.
    pub(super) fn without_header(self, field: &Field) -> Self {
        use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};
        let has_empty = matches!(field.data_type(), Utf8 | LargeUtf8 | Binary | LargeBinary);
        Self { empty_is_null: !has_empty, ..self }
    }

    /// The reader of one piece with at most `rows` rows.
    pub(super) fn reader(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        self.reader.fork(rows)
    }

    /// Passes cells to a reader of the column, in runs. Adds the offsets of cells that became null to `wrong`.
    ///
    /// # Errors
    /// The first invalid cell, unless invalid cells become null.
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
                // The row has no such cell.
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

    /// The text of a cell in the spelling that readers expect; `None` if it is null.
    fn cell<'r>(
        &self,
        rules: &DialectRules,
        raw: &'r [u8],
    ) -> std::result::Result<Option<Cow<'r, str>>, CellFault> {
        // Fast path for most numbers: no quotes, no null value, nothing to convert.
        if self.number
            && rules.has_plain_numbers()
            && !raw.is_empty()
            && !rules.opens(raw)
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

    /// Concatenates the arrays of all pieces; `None` if their bytes exceed 32-bit offsets.
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

/// The equivalent inferred type; `None` if inference never produces the type.
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

/// Whether the cells of a type are numbers, which use the input's decimal point.
fn is_number(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_number(values),
        DataType::RunEndEncoded(_, values) => is_number(values.data_type()),
        t => t.is_integer() || t.is_floating() || t.is_decimal(),
    }
}

/// Whether NaN is a value of a type.
fn has_nan(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => has_nan(values),
        DataType::RunEndEncoded(_, values) => has_nan(values.data_type()),
        DataType::FixedSizeList(item, 2) => item.data_type().is_floating(),
        t => t.is_floating(),
    }
}

/// Whether a type has 32-bit offsets.
fn has_narrow_offsets(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::Binary => true,
        DataType::RunEndEncoded(_, values) => has_narrow_offsets(values.data_type()),
        t => t.is_nested(),
    }
}
