//! The positions that the columns of a frame are decoded to while they arrive.

use std::sync::OnceLock;

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::error::{Error, Result};
use crate::frame::Frame;

use super::super::LocatedFrame;
use super::super::text::StringColumn;
use super::growing_blocks::GrowingBlocks;
use crate::cells::msgpack::column::{CellError, CellExtent, CellReader, FORMAT};
use crate::cells::typed::TypedCells;

/// The first size of text, which grows with the received bytes.
const TEXT_NBYTES: usize = 16 << 20;

/// The data columns, and the levels of the row labels, which have separate blocks.
#[derive(Debug)]
pub(super) struct ColumnTargets {
    sets: [TargetSet; 2],
    /// The part and the position of each field.
    homes: Vec<ColumnHome>,
    /// The cell decoder of the current column, if it is not in a block.
    now: Option<ArrayReader>,
}

struct TargetSet {
    fields: Vec<usize>,
    blocks: GrowingBlocks,
    /// The fields outside of blocks, with their decoded arrays.
    rest: Vec<(usize, OnceLock<ArrayData>)>,
    readers: Vec<Option<Box<dyn TypedCells>>>,
}

impl std::fmt::Debug for TargetSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Set").field("fields", &self.fields).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy)]
struct ColumnHome {
    set: usize,
    place: ColumnPosition,
}

#[derive(Debug, Clone, Copy)]
enum ColumnPosition {
    /// A column of a block.
    Block { group: usize, column: usize },
    /// The index among the fields outside of blocks.
    Array(usize),
}

enum ArrayReader {
    Short(Box<StringColumn<4>>),
    Long(Box<StringColumn<8>>),
    Typed(Box<dyn TypedCells>),
    Packed(Vec<u8>),
}

impl std::fmt::Debug for ArrayReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reader")
    }
}

fn no_target() -> Error {
    Error::malformed(FORMAT, "an unexpected column arrived.")
}

impl ColumnTargets {
    pub(super) fn of(located: &LocatedFrame) -> Result<Self> {
        let sets = [
            TargetSet::of(located, located.plan.column_fields())?,
            TargetSet::of(located, located.plan.level_fields())?,
        ];
        let mut homes = Vec::new();
        homes.resize(
            located.plan.fields.len(),
            ColumnHome { set: 0, place: ColumnPosition::Array(usize::MAX) },
        );
        for (number, set) in sets.iter().enumerate() {
            let mut put = |i: usize, place: ColumnPosition| {
                if let Some(home) = set.fields.get(i).and_then(|&field| homes.get_mut(field)) {
                    *home = ColumnHome { set: number, place };
                }
            };
            for (i, (group, column)) in set.blocks.places() {
                put(i, ColumnPosition::Block { group, column });
            }
            for (slot, (i, _)) in set.rest.iter().enumerate() {
                put(*i, ColumnPosition::Array(slot));
            }
        }
        Ok(Self { sets, homes, now: None })
    }

    fn home(&mut self, field: usize) -> Result<(&mut TargetSet, ColumnPosition)> {
        let home = self.homes.get(field).copied().ok_or_else(no_target)?;
        Ok((self.sets.get_mut(home.set).ok_or_else(no_target)?, home.place))
    }

    /// Whether a field is decoded to a block of booleans, which cannot be packed.
    pub(super) fn is_bool(&self, field: usize) -> bool {
        let home = self.homes.get(field);
        let set = home.and_then(|home| self.sets.get(home.set));
        matches!((home, set), (Some(ColumnHome { place: ColumnPosition::Block { group, .. }, .. }), Some(set)) if set.blocks.is_bool(*group))
    }

    /// Returns the size of the packed values of a field.
    pub(super) fn packed_nbytes(&mut self, located: &LocatedFrame, field: usize) -> Result<usize> {
        let (set, place) = self.home(field)?;
        let width = match place {
            ColumnPosition::Block { group, .. } => Some(set.blocks.item(group)),
            ColumnPosition::Array(_) => located.header.schema.field(field).data_type().primitive_width(),
        };
        self.now = matches!(place, ColumnPosition::Array(_)).then(|| ArrayReader::Packed(Vec::new()));
        let nbytes = width.and_then(|w| w.checked_mul(located.header.nrows));
        let malformed = || {
            let data_type = located.header.schema.field(field).data_type();
            let nrows = located.header.nrows;
            let message = format!("expected {nrows} packed values of {data_type}, found bytes.");
            Error::malformed(FORMAT, message).in_member(located.path(field))
        };
        nbytes.ok_or_else(malformed)
    }

    /// Begins the array of a field.
    pub(super) fn begin(&mut self, located: &LocatedFrame, field: usize) -> Result<()> {
        let (set, place) = self.home(field)?;
        let ColumnPosition::Array(slot) = place else { return Ok(()) };
        let nulls = located.header.nulls.get(field).is_none_or(|&n| n > 0);
        let nbytes = located.nbytes(field).min(TEXT_NBYTES);
        let (nrows, data_type) = (located.header.nrows, located.header.schema.field(field).data_type());
        let reader = match data_type {
            DataType::Utf8 => {
                ArrayReader::Short(Box::new(StringColumn::new(data_type.clone(), nrows, nbytes, nulls)?))
            }
            DataType::LargeUtf8 => {
                ArrayReader::Long(Box::new(StringColumn::new(data_type.clone(), nrows, nbytes, nulls)?))
            }
            _ => {
                let none = || Error::unsupported(FORMAT, format!("no reader of {data_type}."));
                let reader = set.readers.get_mut(slot).and_then(Option::take).ok_or_else(none);
                ArrayReader::Typed(reader.map_err(|e| e.in_member(located.path(field)))?)
            }
        };
        self.now = Some(reader);
        Ok(())
    }

    /// Decodes cells of a field from the front of its bytes, after `row` of them.
    pub(super) fn take(
        &mut self,
        located: &LocatedFrame,
        field: usize,
        row: usize,
        bytes: &[u8],
    ) -> Result<std::result::Result<CellExtent, CellError>> {
        let max_cells = located.header.nrows - row;
        Ok(match &mut self.now {
            Some(ArrayReader::Short(text)) => {
                text.room(bytes.len())?;
                text.take(bytes, max_cells)
            }
            Some(ArrayReader::Long(text)) => {
                text.room(bytes.len())?;
                text.take(bytes, max_cells)
            }
            Some(ArrayReader::Typed(cells)) => cells.take(bytes, max_cells),
            Some(ArrayReader::Packed(_)) => return Err(no_target()),
            None => {
                let (set, place) = self.home(field)?;
                let ColumnPosition::Block { group, column } = place else { return Err(no_target()) };
                // A cell has at least one byte.
                let max_cells = max_cells.min(bytes.len());
                set.blocks.cells(group, column, row, max_cells)?.take(bytes, max_cells)
            }
        })
    }

    /// Copies packed bytes of a field, after `done` of them.
    pub(super) fn copy(
        &mut self,
        _located: &LocatedFrame,
        field: usize,
        done: usize,
        bytes: &[u8],
    ) -> Result<()> {
        if let Some(ArrayReader::Packed(packed_bytes)) = &mut self.now {
            packed_bytes.extend_from_slice(bytes);
            return Ok(());
        }
        let (set, place) = self.home(field)?;
        let ColumnPosition::Block { group, column } = place else { return Err(no_target()) };
        set.blocks.bytes(group, column, done, bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Ends a field after its last cell.
    pub(super) fn end(&mut self, located: &LocatedFrame, field: usize) -> Result<()> {
        let named = |e: Error| e.in_member(located.path(field));
        let Some(reader) = self.now.take() else { return Ok(()) };
        let data = match reader {
            ArrayReader::Short(text) => text.finish(),
            ArrayReader::Long(text) => text.finish(),
            ArrayReader::Typed(cells) => cells.finish(),
            ArrayReader::Packed(bytes) => {
                located.packed(located.header.schema.field(field).data_type(), &bytes)
            }
        };
        let data = data.map_err(named)?;
        let (set, place) = self.home(field)?;
        if let ColumnPosition::Array(slot) = place
            && let Some((_, slot)) = set.rest.get(slot)
        {
            let _ = slot.set(data);
        }
        Ok(())
    }

    /// Returns the frame.
    pub(super) fn finish(self, located: &LocatedFrame) -> Result<Frame> {
        let [data, levels] = self.sets;
        let (fields, decoded) = levels.collect_decoded(located)?;
        let index = located.plan.decoded_index(&fields, decoded, located.header.nrows)?;
        let (_, decoded) = data.collect_decoded(located)?;
        located.plan.decoded_frame(&located.plan.chosen(FORMAT, None)?, decoded, index)
    }
}

impl TargetSet {
    fn of(located: &LocatedFrame, fields: Vec<usize>) -> Result<Self> {
        let (groups, rest) = located.groups(&fields, &|_| None)?;
        let readers = located.readers(&fields, &rest)?;
        let rest = rest.into_iter().map(|i| (i, OnceLock::new())).collect();
        Ok(Self { blocks: GrowingBlocks::of(groups, located.header.nrows)?, fields, rest, readers })
    }

    fn collect_decoded(self, located: &LocatedFrame) -> Result<(Vec<usize>, DecodedColumns)> {
        let decoded = located.collect_decoded(&self.fields, self.blocks.finish()?, self.rest.into_iter())?;
        Ok((self.fields, decoded))
    }
}
