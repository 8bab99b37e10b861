//! Borrows the columns of a frame and the levels of its row labels.

use arrow_data::ArrayData;

use crate::arrow::gather;
use crate::error::{Error, Result};
use crate::frame::{Block, ByteOrder, Frame, Grid, Labels, Level, Part};
use crate::memory::Buffer;

/// Columns that are packed together: a row of them spans one or two cache lines.
const TILE_COLUMNS: usize = 16;

/// A column of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum ColumnSource<'f> {
    /// A block, and the position of the column in it.
    Block(&'f Block, usize),
    /// A column in Arrow's layout.
    Array(&'f ArrayData),
}

/// Returns all columns of the frame, then all levels of the row labels, in the order of the exporter's schema.
///
/// # Errors
/// Frames with a missing column.
pub(super) fn sources(frame: &Frame) -> Result<Vec<ColumnSource<'_>>> {
    let mut out = Vec::with_capacity(frame.ncols + 1);
    for slot in frame.slots()? {
        out.push(match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => ColumnSource::Block(block, slot.column),
            Some(Part::Column(column, _)) => ColumnSource::Array(&column.data),
            None => return Err(Error::malformed("frame", format!("column {} has no part.", out.len()))),
        });
    }
    if let Labels::Levels(levels) = &frame.index.labels {
        out.extend(levels.iter().map(|level| match level {
            Level::Block(block) => ColumnSource::Block(block, 0),
            Level::Column(column) => ColumnSource::Array(&column.data),
        }));
    }
    Ok(out)
}

impl ColumnSource<'_> {
    /// Approximate bytes of the rows.
    pub(super) fn nbytes(&self, nrows: usize) -> usize {
        match self {
            Self::Block(block, _) => nrows.saturating_mul(block.grid.dtype.itemsize as usize),
            Self::Array(data) => array_nbytes(data),
        }
    }
}

impl ColumnSource<'_> {
    /// Upper bound of the number of values of the largest leaf.
    pub(super) fn nvalues(&self, nrows: usize) -> usize {
        fn most(data: &ArrayData) -> usize {
            data.child_data().iter().map(most).fold(data.len(), usize::max)
        }
        match self {
            Self::Array(data) if data.data_type().is_nested() => most(data),
            _ => nrows,
        }
    }
}

/// The most bytes that one column has in rows of the frame.
///
/// # Errors
/// As [`sources`].
pub(super) fn widest_nbytes(frame: &Frame) -> Result<usize> {
    Ok(sources(frame)?.iter().map(|source| source.nbytes(frame.nrows)).max().unwrap_or(0))
}

fn array_nbytes(data: &ArrayData) -> usize {
    use arrow_schema::DataType;
    let n = data.len();
    match data.data_type() {
        DataType::Utf8View | DataType::BinaryView => {
            let views = data.buffers().first().map_or(&[][..], |views| views.as_chunks::<16>().0);
            let rows = views.get(data.offset()..data.offset() + n).unwrap_or(&[]);
            let length = |view: &[u8; 16]| view.first_chunk().map_or(0, |n| u32::from_le_bytes(*n) as usize);
            n * 4 + rows.iter().map(length).sum::<usize>()
        }
        other => match other.primitive_width() {
            Some(width) => n * width,
            None => data.get_slice_memory_size().unwrap_or(n * 16),
        },
    }
}

fn is_contiguous(block: &Block) -> bool {
    let grid = Grid { width: block.grid.width.min(1), ..block.grid };
    grid.is_column_major() && grid.dtype.order != ByteOrder::Big
}

/// Passes on the columns of `these`: NumPy columns as contiguous blocks in native byte order, arrays unchanged. Neighbouring
/// strided columns are packed together.
///
/// # Errors
/// Errors of the operating system: no memory.
pub(super) fn each_packed<'f>(
    these: &[ColumnSource<'f>],
    mut take: impl FnMut(usize, PackedColumn<'f>) -> Result<()>,
) -> Result<()> {
    let mut at = 0;
    while let Some(source) = these.get(at) {
        let (block, first) = match source {
            ColumnSource::Array(data) => {
                take(at, PackedColumn::Array(data))?;
                at += 1;
                continue;
            }
            ColumnSource::Block(block, column) => (*block, *column),
        };
        if is_contiguous(block) {
            take(at, PackedColumn::Block(block.column(first)))?;
            at += 1;
            continue;
        }
        let follows = |(k, source): (usize, &ColumnSource<'f>)| match source {
            ColumnSource::Block(other, column) => std::ptr::eq(*other, block) && *column == first + k,
            ColumnSource::Array(_) => false,
        };
        let rest = these.get(at..).unwrap_or(&[]);
        let width =
            rest.iter().take(TILE_COLUMNS).enumerate().take_while(|(k, s)| follows((*k, s))).count().max(1);
        let tile = Block { grid: block.grid.columns(first, width, 1), buffer: block.buffer.clone() };
        let buffer = Buffer::from_arrow(gather::packed(&tile)?);
        let mut dtype = block.grid.dtype;
        if dtype.order == ByteOrder::Big {
            dtype.order = ByteOrder::Little;
        }
        let grid = Grid::column_major(dtype, block.grid.nrows, width, 0);
        let packed = Block { grid, buffer };
        for column in 0..width {
            take(at + column, PackedColumn::Block(packed.column(column)))?;
        }
        at += width;
    }
    Ok(())
}

/// A column with contiguous cells.
#[derive(Debug, Clone)]
pub(super) enum PackedColumn<'f> {
    /// A NumPy block of one column.
    Block(Block),
    /// An Arrow array.
    Array(&'f ArrayData),
}
