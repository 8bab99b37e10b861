//! Values of dictionaries. The header stores one array for each, nested dictionaries before the outer one.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::allowance::{Allowance, SharedAllowance};
use super::{CellError, MsgpackStyle, Range, out, reader, writer};
use crate::cells::msgpack::column::{FORMAT, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};
use crate::frame::children;
use crate::limits::Limits;

/// Dictionary values, consumed in the order of the fields.
#[derive(Debug, Clone, Default)]
pub struct HeaderDictionaries {
    arrays: VecDeque<ArrayData>,
    /// The allowance of one frame, which its readers share.
    budget: Option<SharedAllowance>,
}

impl HeaderDictionaries {
    /// Creates them from values in the order of [`dictionary_types`].
    #[must_use]
    pub fn of(values: Vec<ArrayData>) -> Self {
        Self { arrays: values.into(), budget: None }
    }

    /// Returns the allowance for nulls of the frame.
    pub(super) fn budget(&mut self, limits: &Limits) -> SharedAllowance {
        Arc::clone(self.budget.get_or_insert_with(|| Arc::new(Allowance::new(limits))))
    }

    /// Takes the dictionaries of one field. They share the frame's allowance.
    pub(crate) fn of_field(&mut self, field: &Field, limits: &Limits) -> Self {
        let budget = Some(self.budget(limits));
        let count = count(field.data_type()).min(self.arrays.len());
        Self { arrays: self.arrays.drain(..count).collect(), budget }
    }

    /// Takes the dictionaries nested in a type and then its own, which it returns; codes refer to the outer one.
    pub(crate) fn next(&mut self, values: &DataType) -> Result<ArrayData> {
        self.arrays.drain(..count(values).min(self.arrays.len()));
        match self.arrays.pop_front() {
            Some(found) if found.data_type() == values => Ok(found),
            found => {
                let found = found.map_or_else(|| "none".into(), |data| format!("{}", data.data_type()));
                let message = format!("dictionaries: expected values of {values}, found {found}.");
                Err(Error::malformed(FORMAT, message))
            }
        }
    }
}

/// Visits the dictionaries of a type, nested ones before the outer one.
fn visit<'t>(data_type: &'t DataType, found: &mut dyn FnMut(&'t DataType)) {
    if let DataType::Dictionary(_, values) = data_type {
        visit(values, found);
        found(values);
    }
    for child in children(data_type) {
        visit(child.data_type(), found);
    }
}

/// Returns the value types of all dictionaries of some fields, nested ones before the outer one.
#[must_use]
pub fn dictionary_types(fields: &Fields) -> Vec<&DataType> {
    let mut types = Vec::new();
    for field in fields {
        visit(field.data_type(), &mut |values| types.push(values));
    }
    types
}

/// Returns the values of all dictionaries of some arrays, in the order of [`dictionary_types`].
#[must_use]
pub fn dictionaries_of(arrays: &[ArrayData]) -> Vec<ArrayData> {
    let mut found = Vec::new();
    for array in arrays {
        collect(array, &mut found);
    }
    found
}

/// Counts the dictionaries inside a type.
#[must_use]
pub fn dictionaries_inside(data_type: &DataType) -> usize {
    count(data_type)
}

fn count(data_type: &DataType) -> usize {
    let mut count = 0;
    visit(data_type, &mut |_| count += 1);
    count
}

fn collect(data: &ArrayData, found: &mut Vec<ArrayData>) {
    for child in data.child_data() {
        collect(child, found);
    }
    if let (DataType::Dictionary(..), [values]) = (data.data_type(), data.child_data()) {
        found.push(values.clone());
    }
}

/// Writes the header's `dictionaries` of some arrays: one array of values for each.
///
/// # Errors
/// As the values' own cells.
pub fn write_dictionaries(arrays: &[ArrayData], style: MsgpackStyle) -> Result<Vec<u8>> {
    let found = dictionaries_of(arrays);
    let mut written = Vec::new();
    out::array(&mut written, found.len())?;
    for values in &found {
        let writer = writer(&field_of(values.data_type()), None, values, style)?;
        out::array(&mut written, values.len())?;
        let rows: Range<usize> = 0..values.len();
        let front = written.len();
        written.resize(front + writer.measure(rows.clone())?, 0);
        writer.write(rows, written.get_mut(front..).unwrap_or_default())?;
    }
    Ok(written)
}

fn field_of(values: &DataType) -> Field {
    Field::new("values", values.clone(), true)
}

/// Reads the dictionaries of `fields` from the header's array at the front of `bytes`. Returns them and the array's length.
///
/// # Errors
/// Malformed: another number of dictionaries than the fields have, values of another type, or truncated bytes.
pub fn read_dictionaries(
    fields: &[FieldRef],
    bytes: &[u8],
    options: &ReadOptions,
) -> std::result::Result<(HeaderDictionaries, usize), CellError> {
    let mut types = Vec::new();
    for field in fields {
        visit(field.data_type(), &mut |values| types.push(values));
    }
    let (found, mut at) = array(bytes, 0)?;
    if found != types.len() {
        let expected = types.len();
        return Err(malformed(
            0,
            format!("dictionaries: expected {expected}, one a field of codes, found {found}."),
        ));
    }
    let mut out: VecDeque<ArrayData> = VecDeque::with_capacity(found);
    let budget = Some(Arc::new(Allowance::new(&options.limits)));
    for (i, values) in types.iter().enumerate() {
        let placed = |offset: usize| move |e: CellError| e.after(0, offset).in_entry(i);
        let (rows, length) = array(bytes, at).map_err(placed(0))?;
        at += length;
        // The dictionaries inside these values have just been read.
        let inside = count(values);
        let arrays = out.iter().skip(i.saturating_sub(inside)).cloned().collect();
        let mut inner = HeaderDictionaries { arrays, budget: budget.clone() };
        let plain = |error: Error| CellError { cell: 0, offset: at, path: format!("[{i}]"), error };
        let mut reader = reader(&field_of(values), None, None, options, &mut inner).map_err(plain)?;
        let rest = bytes.get(at..).unwrap_or_default();
        let taken = reader.take(rest, rows).map_err(placed(at))?;
        if taken.cells < rows {
            let message =
                format!("expected {rows} values of a dictionary, found {}; the input ends.", taken.cells);
            return Err(malformed(at + taken.nbytes, message).in_entry(i));
        }
        out.push_back(reader.finish().map_err(plain)?);
        at += taken.nbytes;
    }
    Ok((HeaderDictionaries { arrays: out, budget }, at))
}

/// Reads the head of an array at `at`. Returns the number of entries and the head's length.
fn array(bytes: &[u8], at: usize) -> std::result::Result<(usize, usize), CellError> {
    match head(bytes.get(at..).unwrap_or_default()).map_err(|e| e.after(0, at))? {
        Some((MsgpackHead::Array(entries), length)) => Ok((entries as usize, length)),
        Some((other, _)) => {
            Err(malformed(at, format!("dictionaries: expected an array, found {}.", other.name())))
        }
        None => Err(malformed(at, "dictionaries: expected an array, found the end of the input.")),
    }
}
