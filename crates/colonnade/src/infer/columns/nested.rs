//! Lists and structs. Their items and members are inferred columns.

use std::collections::HashMap;

use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, Fields};

use arrow_buffer::NullBuffer;

use crate::arrow::trusted::trusted_array;
use crate::cells::msgpack::column::{CellError, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::{Fallback, ReadOptions};

use super::grow::GrowingBuffer;
use super::text::utf8;
use super::{InferredColumn, StopReason};

/// Nested columns.
#[derive(Debug)]
pub(super) enum NestedColumns {
    /// The start of each list among the items, and the end of the last one.
    List { offsets: GrowingBuffer, item: Box<InferredColumn> },
    /// Members by name.
    Map(StructMembers),
}

/// The members of maps, in order of first appearance.
#[derive(Debug, Default)]
pub(super) struct StructMembers {
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<InferredColumn>,
    places: HashMap<String, usize>,
    /// The number of entries in all maps so far.
    pub(super) entries: usize,
}

impl NestedColumns {
    pub(super) fn new(is_list: bool, options: &ReadOptions, depth: u64) -> Result<Self, CellError> {
        if !is_list {
            return Ok(Self::Map(StructMembers::default()));
        }
        let mut offsets = GrowingBuffer::default();
        offsets.push_word(0)?;
        Ok(Self::List { offsets, item: Box::new(InferredColumn::of_one_type(options, depth + 1)) })
    }

    /// Appends `n` empty cells. Members get theirs with their next cell.
    pub(super) fn empty(&mut self, n: usize) -> Result<(), CellError> {
        match self {
            Self::List { offsets, item } => offsets.repeat((item.len() as u64).to_le_bytes(), n),
            Self::Map(_) => Ok(()),
        }
    }

    /// Appends the entries of row `row` from the front of `bytes`. Returns their number of bytes.
    pub(super) fn take(
        &mut self,
        count: u32,
        bytes: &[u8],
        row: usize,
        (options, depth): (&ReadOptions, u64),
    ) -> Result<usize, StopReason> {
        match self {
            Self::List { offsets, item } => {
                let in_entry = |e: CellError| {
                    let entry = e.cell;
                    CellError { cell: 0, ..e }.in_entry(entry)
                };
                let taken = item.run(bytes, count as usize).map_err(|stop| stop.map(in_entry))?;
                if taken.cells < count as usize {
                    return Err(truncated_value(taken.nbytes));
                }
                offsets.push_word(item.len() as u64)?;
                Ok(taken.nbytes)
            }
            Self::Map(members) => members.take(count, bytes, row, (options, depth)),
        }
    }

    /// Returns Arrow's column of `rows` cells.
    pub(super) fn finish(self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayData, StopReason> {
        match self {
            Self::List { offsets, item } => {
                let item = item.data()?;
                let field = Field::new("item", item.data_type().clone(), true);
                let builder = ArrayDataBuilder::new(DataType::LargeList(field.into()))
                    .len(rows)
                    .nulls(nulls)
                    .add_buffer(offsets.finish().to_arrow())
                    .add_child_data(item);
                // Trusted: every cell appended one offset, the number of items at that point; the items were built here.
                Ok(trusted_array(builder))
            }
            Self::Map(members) => members.finish(rows, nulls),
        }
    }
}

/// Returns the error for a value that is shorter than its head claims.
#[cold]
fn truncated_value(at: usize) -> StopReason {
    StopReason::Cell(malformed(at, "expected another value, found the end."))
}

impl StructMembers {
    fn take(
        &mut self,
        count: u32,
        bytes: &[u8],
        row: usize,
        (options, depth): (&ReadOptions, u64),
    ) -> Result<usize, StopReason> {
        let mut at = 0;
        for turn in 0..count as usize {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some((MsgpackHead::Str(length), start)) = head(rest).map_err(|e| e.after(0, at))? else {
                // Keys other than text cannot name members.
                return Err(StopReason::Mixed);
            };
            let key_nbytes = start + length as usize;
            let key = rest.get(start..key_nbytes).ok_or_else(|| truncated_value(at))?;
            let place = match self.member_at(turn, key) {
                Some(place) => place,
                None => match std::str::from_utf8(key) {
                    Ok(name) => self.place(name, (options, depth)),
                    Err(_) if options.invalid_utf8 == Fallback::Bytes => return Err(StopReason::Mixed),
                    Err(_) => {
                        return Err(utf8(key).err().map_or(StopReason::Mixed, |e| e.after(0, at).into()));
                    }
                },
            };
            let (column, name) = self.column(place).ok_or_else(|| truncated_value(at))?;
            if !column.align(row)? {
                let message = format!("expected every key once, found {name:?} twice in one map.");
                return Err(malformed(at, message).into());
            }
            at += key_nbytes;
            let taken = column
                .run(bytes.get(at..).unwrap_or_default(), 1)
                .map_err(|stop| stop.map(|e| e.in_field(name).after(0, at)))?;
            if taken.cells == 0 {
                return Err(truncated_value(at));
            }
            at += taken.nbytes;
        }
        self.end(count as usize, row)?;
        Ok(at)
    }

    /// Returns the member of a key if it is the one at `turn`: most maps have the same keys in the same order.
    #[inline]
    pub(super) fn member_at(&self, turn: usize, key: &[u8]) -> Option<usize> {
        self.names.get(turn).filter(|name| name.as_bytes() == key).map(|_| turn)
    }

    /// Returns the member of a key, and adds it if it is new.
    pub(super) fn place(&mut self, name: &str, (options, depth): (&ReadOptions, u64)) -> usize {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = self.names.len();
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        self.columns.push(InferredColumn::of_one_type(options, depth + 1));
        place
    }

    /// Returns a member's column and name.
    #[inline]
    pub(super) fn column(&mut self, place: usize) -> Option<(&mut InferredColumn, &str)> {
        self.columns.get_mut(place).zip(self.names.get(place).map(String::as_str))
    }

    /// Ends the map of row `row` after `entries` entries.
    #[inline]
    pub(super) fn end(&mut self, entries: usize, row: usize) -> Result<(), StopReason> {
        self.entries += entries;
        if self.is_scattered(row + 1) { Err(StopReason::Mixed) } else { Ok(()) }
    }

    /// Whether maps share so few keys that their columns would be mostly nulls and far larger than the input.
    pub(super) fn is_scattered(&self, rows: usize) -> bool {
        let room = self.entries.saturating_mul(64).saturating_add(rows.saturating_mul(16));
        self.names.len().saturating_mul(rows) > room.saturating_add(1 << 16)
    }

    fn finish(self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayData, StopReason> {
        if self.is_scattered(rows) {
            return Err(StopReason::Mixed);
        }
        let mut fields = Vec::new();
        let mut data = Vec::new();
        for (name, mut column) in self.names.into_iter().zip(self.columns) {
            column.empty(rows - column.len())?;
            let column = column.data()?;
            fields.push(Field::new(name, column.data_type().clone(), true));
            data.push(column);
        }
        Ok(structure(Fields::from(fields), rows, nulls, data))
    }
}

/// Builds a struct of columns with `rows` rows each, which were built here.
pub(super) fn structure(
    fields: Fields,
    rows: usize,
    nulls: Option<NullBuffer>,
    columns: Vec<ArrayData>,
) -> ArrayData {
    let builder = ArrayDataBuilder::new(DataType::Struct(fields)).len(rows).nulls(nulls).child_data(columns);
    // Trusted: the fields' types were made from the columns, which have `rows` rows each.
    trusted_array(builder)
}
