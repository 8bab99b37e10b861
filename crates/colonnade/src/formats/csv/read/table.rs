//! The memory of decoded columns: one word per cell, column by column, in one region.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, TimeUnit};

use super::column::{CellWord, PieceColumn};
use super::kinds::InferredType;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::frame::{Block, Column, DType, Grid};
use crate::memory::{Buffer, Region, RegionMut};

/// Number of words in a cache line.
const LINE: usize = 8;

/// Columns of words, at a constant distance of `stride` words.
#[derive(Debug)]
pub(super) struct WordTable {
    region: RegionMut,
    rows: usize,
    stride: usize,
    /// The place of each column in the region.
    order: Vec<usize>,
}

/// A decoded column.
#[derive(Debug)]
pub(super) struct FinishedColumn {
    pub(super) kind: InferredType,
    pub(super) nulls: Option<NullBuffer>,
    /// The bytes of a text column.
    pub(super) text: Option<Buffer>,
    /// The array from the readers of a declared type. The column then has no words.
    pub(super) array: Option<ArrayData>,
    /// Whether it is in Arrow's layout even without nulls, as in chunks, where some chunks may have nulls.
    pub(super) arrow: bool,
}

/// The representation of a column in the frame.
#[derive(Debug)]
pub(super) enum ColumnForm {
    /// Numbers without nulls: one block, or part of a block with neighbours.
    Block(DType),
    /// Booleans without nulls, which take one byte each in a frame.
    Bools,
    Column(Column),
}

impl WordTable {
    /// Allocates `rows` rows for the first `count` places. `order` has the place of each column.
    pub(super) fn new(rows: usize, order: Vec<usize>, count: usize) -> Result<Self> {
        // Text has one end offset more than rows. An odd number of cache lines avoids cache conflicts between columns.
        let lines = (rows + 1).div_ceil(LINE) | 1;
        let stride = lines * LINE;
        let nbytes = stride.checked_mul(8).and_then(|n| n.checked_mul(count));
        let nbytes = nbytes.ok_or_else(|| Error::limit("csv", "the cells pass the address space."))?;
        let region = Region::allocate(nbytes)?;
        Ok(Self { region, rows, stride, order })
    }

    /// The words of all columns by position, `rows + 1` each.
    pub(super) fn columns(&mut self) -> Vec<&mut [CellWord]> {
        let (stride, rows) = (self.stride, self.rows);
        let slots = self.region.as_mut_slice().as_chunks_mut::<8>().0;
        let mut places: Vec<Option<&mut [CellWord]>> =
            slots.chunks_mut(stride).map(|column| column.get_mut(..rows + 1)).collect();
        self.order
            .iter()
            .map(|place| places.get_mut(*place).and_then(Option::take).unwrap_or_default())
            .collect()
    }

    /// Offset of a column's first word in the region, in bytes.
    fn offset(&self, position: usize) -> usize {
        self.order.get(position).copied().unwrap_or(0) * self.stride * 8
    }

    /// Converts the words of `rows` rows to the parts of a frame.
    pub(super) fn finish(self, rows: usize, columns: Vec<FinishedColumn>) -> Result<Vec<crate::frame::Part>> {
        let offsets: Vec<usize> = (0..columns.len()).map(|i| self.offset(i)).collect();
        let stride = crate::frame::as_stride(self.stride * 8);
        let whole = Buffer::from_region(self.region.finish(), true);
        let mut parts = Vec::with_capacity(columns.len());
        let mut numbers: Vec<(usize, usize, DType)> = Vec::new();
        let mut bools: Vec<(usize, usize)> = Vec::new();
        for (position, (column, offset)) in columns.into_iter().zip(offsets).enumerate() {
            match column_form(column, rows, offset, &whole)? {
                ColumnForm::Block(dtype) => numbers.push((offset, position, dtype)),
                ColumnForm::Bools => bools.push((offset, position)),
                ColumnForm::Column(column) => parts.push(crate::frame::Part::Column(column, position)),
            }
        }
        // Neighbours of one type form one block.
        numbers.sort_unstable_by_key(|(offset, ..)| *offset);
        let distance = self.stride * 8;
        for run in numbers.chunk_by(|a, b| a.2 == b.2 && b.0 - a.0 == distance) {
            let Some((offset, _, dtype)) = run.first() else { continue };
            let mut grid = Grid::column_major(*dtype, rows, run.len(), *offset);
            grid.col_stride = stride;
            let block = Block::new(grid, whole.clone()).ok_or_else(short)?;
            parts.push(crate::frame::Part::Block(
                block,
                run.iter().map(|(_, position, _)| *position).collect(),
            ));
        }
        if !bools.is_empty() {
            let mut bytes = Vec::with_capacity(rows * bools.len());
            for (offset, _) in &bools {
                let words = whole.slice(*offset, rows * 8).ok_or_else(short)?;
                bytes.extend(words.as_slice().as_chunks::<8>().0.iter().map(|word| word[0]));
            }
            let grid = Grid::column_major(dtype("|b1")?, rows, bools.len(), 0);
            let block = Block::new(grid, Buffer::from_vec(bytes)).ok_or_else(short)?;
            parts.push(crate::frame::Part::Block(
                block,
                bools.iter().map(|(_, position)| *position).collect(),
            ));
        }
        Ok(parts)
    }
}

#[cold]
fn short() -> Error {
    Error::malformed("csv", "a column is shorter than its rows.")
}

fn column_form(column: FinishedColumn, rows: usize, offset: usize, whole: &Buffer) -> Result<ColumnForm> {
    if let Some(data) = column.array {
        return Ok(ColumnForm::Column(Column::new(data)));
    }
    let arrow = column.arrow;
    let words = |n: usize| whole.slice(offset, n * 8).ok_or_else(short);
    let data_type = match (column.kind, arrow || column.nulls.is_some()) {
        (InferredType::Int, false) => return Ok(ColumnForm::Block(dtype("<i8")?)),
        (InferredType::UInt, false) => return Ok(ColumnForm::Block(dtype("<u8")?)),
        (InferredType::Float | InferredType::Nothing, false) => return Ok(ColumnForm::Block(dtype("<f8")?)),
        (InferredType::Int, true) => DataType::Int64,
        (InferredType::UInt, true) => DataType::UInt64,
        (InferredType::Float | InferredType::Nothing, true) => DataType::Float64,
        (InferredType::Time { nanos, zoned: false }, _) if !arrow => {
            // Null cells are NaT.
            return Ok(ColumnForm::Block(dtype(if nanos { "<M8[ns]" } else { "<M8[us]" })?));
        }
        (InferredType::Time { nanos, zoned }, _) => {
            let unit = if nanos { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
            DataType::Timestamp(unit, zoned.then(|| "UTC".into()))
        }
        (InferredType::Bool, false) => return Ok(ColumnForm::Bools),
        (InferredType::Bool, true) => {
            let cells = words(rows)?;
            let bits: BooleanBuffer =
                cells.as_slice().as_chunks::<8>().0.iter().map(|word| word[0] != 0).collect();
            let builder = ArrayDataBuilder::new(DataType::Boolean).len(rows).nulls(column.nulls);
            return built_column(builder.add_buffer(bits.into_inner()));
        }
        (InferredType::Text | InferredType::Decimal(_), _) => {
            let text = column.text.unwrap_or_else(|| Buffer::from_vec(Vec::new()));
            let builder = ArrayDataBuilder::new(DataType::LargeUtf8)
                .len(rows)
                .nulls(column.nulls)
                .add_buffer(words(rows + 1)?.to_arrow())
                .add_buffer(text.to_arrow());
            // `trusted_array` is correct here: `take_text` writes the end of each cell when it appends the cell's bytes, and
            // accepts only UTF-8. The bytes are checked at their final place, and nothing outside changes them.
            return Ok(ColumnForm::Column(Column::new(trusted_array(builder))));
        }
    };
    built_column(
        ArrayDataBuilder::new(data_type).len(rows).nulls(column.nulls).add_buffer(words(rows)?.to_arrow()),
    )
}

fn built_column(builder: ArrayDataBuilder) -> Result<ColumnForm> {
    let data =
        builder.build().map_err(|e| Error::malformed("csv", format!("Arrow refused a column: {e}.")))?;
    Ok(ColumnForm::Column(Column::new(data)))
}

fn dtype(descr: &str) -> Result<DType> {
    DType::parse(descr).ok_or_else(|| Error::unsupported("csv", format!("no dtype {descr}.")))
}

/// The validity of `rows` rows; `None` without nulls.
pub(super) fn validity(parts: &[(PieceColumn, usize)], rows: usize) -> Option<NullBuffer> {
    if parts.iter().all(|(part, _)| part.nulls.is_empty()) {
        return None;
    }
    let mut bits = vec![u64::MAX; rows.div_ceil(64)];
    let mut first = 0;
    for (part, count) in parts {
        for (i, word) in part.nulls.iter().enumerate().filter(|(_, word)| **word != 0) {
            let at = first + i * 64;
            let (low, high) =
                (word << (at % 64), word.unbounded_shr(64 - u32::try_from(at % 64).unwrap_or(0)));
            for (place, null) in [(at / 64, low), (at / 64 + 1, high)] {
                if let Some(valid) = bits.get_mut(place) {
                    *valid &= !null;
                }
            }
        }
        first += count;
    }
    let bytes: Vec<u8> = bits.into_iter().flat_map(u64::to_le_bytes).collect();
    Some(NullBuffer::new(BooleanBuffer::new(bytes.into(), 0, rows)))
}

/// Moves the words of the pieces together, since some pieces have fewer rows than lines.
pub(super) fn close_gaps(words: &mut [CellWord], pieces: impl Iterator<Item = (usize, usize)>) {
    let mut to = 0;
    for (from, count) in pieces {
        if from != to {
            words.copy_within(from..from + count, to);
        }
        to += count;
    }
}
