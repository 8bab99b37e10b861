//! Arrays and maps in cells: lists and structs of columns that are inferred in turn.

use std::collections::HashMap;

use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, Fields};

use arrow_buffer::NullBuffer;

use crate::arrow::trusted::trusted_array;
use crate::cells::msgpack::column::{CellError, malformed};
use crate::cells::msgpack::head::{Head, head};
use crate::cells::msgpack::options::{Otherwise, ReadOptions};

use super::grow::Grow;
use super::text::utf8;
use super::{Inferred, Stop};

/// Columns inside cells.
#[derive(Debug)]
pub(super) enum Nested {
    /// Where each list starts among the items, and where the last one ends.
    List { offsets: Grow, item: Box<Inferred> },
    /// Members by name.
    Map(Members),
}

/// The members of maps, in the order in which they first appeared.
#[derive(Debug, Default)]
pub(super) struct Members {
    names: Vec<String>,
    columns: Vec<Inferred>,
    places: HashMap<String, usize>,
    /// Entries of all maps so far.
    entries: usize,
}

impl Nested {
    pub(super) fn new(head: Head, options: &ReadOptions, depth: u64) -> Result<Self, CellError> {
        if matches!(head, Head::Map(_)) {
            return Ok(Self::Map(Members::default()));
        }
        let mut offsets = Grow::default();
        offsets.push(&0u64.to_le_bytes())?;
        Ok(Self::List { offsets, item: Box::new(Inferred::inside(options, depth + 1)) })
    }

    /// Appends `n` cells with nothing in them; members learn of theirs with the next cell.
    pub(super) fn empty(&mut self, n: usize) -> Result<(), CellError> {
        match self {
            Self::List { offsets, item } => offsets.repeat((item.len() as u64).to_le_bytes(), n),
            Self::Map(_) => Ok(()),
        }
    }

    /// Whether it takes what `head` begins.
    pub(super) fn takes(&self, head: Head) -> bool {
        matches!((self, head), (Self::List { .. }, Head::Array(_)) | (Self::Map(_), Head::Map(_)))
    }

    /// Appends the entries of row `row` from the front of `bytes`; answers their bytes.
    pub(super) fn put(
        &mut self,
        count: u32,
        bytes: &[u8],
        row: usize,
        (options, depth): (&ReadOptions, u64),
    ) -> Result<usize, Stop> {
        match self {
            Self::List { offsets, item } => {
                let taken = item.run(bytes, count as usize).map_err(|stop| match stop {
                    Stop::Cell(e) => {
                        let entry = e.cell;
                        Stop::Cell(CellError { cell: 0, ..e }.in_entry(entry))
                    }
                    Stop::Mixed => Stop::Mixed,
                })?;
                if taken.cells < count as usize {
                    return Err(cut(taken.nbytes));
                }
                offsets.push(&(item.len() as u64).to_le_bytes())?;
                Ok(taken.nbytes)
            }
            Self::Map(members) => members.put(count, bytes, row, (options, depth)),
        }
    }

    /// Arrow's column of `rows` cells.
    pub(super) fn finish(self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayData, Stop> {
        match self {
            Self::List { offsets, item } => {
                let item = item.data()?;
                let field = Field::new("item", item.data_type().clone(), true);
                let builder = ArrayDataBuilder::new(DataType::LargeList(field.into()))
                    .len(rows)
                    .nulls(nulls)
                    .add_buffer(offsets.finish().to_arrow())
                    .add_child_data(item);
                // Trusted: every cell appended one offset, the number of items then; the items were built here.
                Ok(trusted_array(builder))
            }
            Self::Map(members) => members.finish(rows, nulls),
        }
    }
}

/// A value that its length says is whole, and is not.
#[cold]
fn cut(at: usize) -> Stop {
    Stop::Cell(malformed(at, "expected another value, found the end."))
}

impl Members {
    fn put(
        &mut self,
        count: u32,
        bytes: &[u8],
        row: usize,
        (options, depth): (&ReadOptions, u64),
    ) -> Result<usize, Stop> {
        let mut at = 0;
        for turn in 0..count as usize {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some((Head::Str(length), start)) = head(rest).map_err(|e| e.after(0, at))? else {
                // Keys that are no text make no members.
                return Err(Stop::Mixed);
            };
            let key_nbytes = start + length as usize;
            let key = rest.get(start..key_nbytes).ok_or_else(|| cut(at))?;
            let place = self.place(turn, key, at, (options, depth))?;
            let (Some(column), Some(name)) = (self.columns.get_mut(place), self.names.get(place)) else {
                return Err(cut(at));
            };
            if column.len() > row {
                let message = format!("expected every key once, found {name:?} twice in one map.");
                return Err(malformed(at, message).into());
            }
            column.empty(row - column.len())?;
            at += key_nbytes;
            let taken = column.run(bytes.get(at..).unwrap_or_default(), 1).map_err(|stop| match stop {
                Stop::Cell(e) => Stop::Cell(e.in_field(name).after(0, at)),
                Stop::Mixed => Stop::Mixed,
            })?;
            if taken.cells == 0 {
                return Err(cut(at));
            }
            at += taken.nbytes;
        }
        self.entries += count as usize;
        if self.is_scattered(row + 1) { Err(Stop::Mixed) } else { Ok(at) }
    }

    /// The member of a key: most maps have the same keys in the same order, so `turn` is nearly always right.
    fn place(
        &mut self,
        turn: usize,
        key: &[u8],
        at: usize,
        (options, depth): (&ReadOptions, u64),
    ) -> Result<usize, Stop> {
        if self.names.get(turn).is_some_and(|name| name.as_bytes() == key) {
            return Ok(turn);
        }
        let Ok(name) = std::str::from_utf8(key) else {
            return match options.invalid_utf8 {
                Otherwise::Bytes => Err(Stop::Mixed),
                Otherwise::Error => Err(utf8(key).err().map_or(Stop::Mixed, |e| e.after(0, at).into())),
            };
        };
        if let Some(&place) = self.places.get(name) {
            return Ok(place);
        }
        let place = self.names.len();
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        self.columns.push(Inferred::inside(options, depth + 1));
        Ok(place)
    }

    /// Whether maps share so few keys that their columns would be mostly nulls, and far larger than what came.
    fn is_scattered(&self, rows: usize) -> bool {
        let room = self.entries.saturating_mul(64).saturating_add(rows.saturating_mul(16));
        self.names.len().saturating_mul(rows) > room.saturating_add(1 << 16)
    }

    fn finish(self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayData, Stop> {
        if self.is_scattered(rows) {
            return Err(Stop::Mixed);
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

/// A struct of columns of `rows` rows each, which were built here.
pub(super) fn structure(
    fields: Fields,
    rows: usize,
    nulls: Option<NullBuffer>,
    columns: Vec<ArrayData>,
) -> ArrayData {
    let builder = ArrayDataBuilder::new(DataType::Struct(fields)).len(rows).nulls(nulls).child_data(columns);
    // Trusted: the columns have the fields' types, of which each was made from its column, and `rows` rows each.
    trusted_array(builder)
}
