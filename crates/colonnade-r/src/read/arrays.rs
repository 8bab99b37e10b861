//! The columns and levels of a frame in Arrow's layout, each with its NumPy dtype and its tag.

use arrow_data::ArrayData;
use colonnade::Result;
use colonnade::arrow::export::Exporter;
use colonnade::frame::{Block, Column, DType, Frame, Labels, Level, Part};

use crate::r_memory::defect;

/// A column, a level or a child, before its kind is known.
pub(super) struct Source {
    pub(super) data: ArrayData,
    pub(super) dtype: Option<DType>,
    pub(super) ordered: bool,
    pub(super) tag: Option<String>,
}

impl Source {
    fn of_column(column: &Column, data: ArrayData) -> Self {
        Self { data, dtype: None, ordered: column.ordered, tag: column.tag.clone() }
    }

    fn of_block(block: &Block, data: ArrayData) -> Self {
        Self { data, dtype: Some(block.grid.dtype), ordered: false, tag: None }
    }
}

/// The columns, then the levels of row labels. Packed blocks are not copied.
pub(super) fn sources(frame: &Frame) -> Result<Vec<Source>> {
    let arrays = Exporter::without_metadata(frame)?.arrays(frame)?;
    let mut arrays = arrays.into_iter();
    let mut next = || arrays.next().ok_or_else(|| defect("an array is missing"));
    let mut out = Vec::with_capacity(frame.ncols);
    for slot in frame.slots()? {
        out.push(match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => Source::of_block(block, next()?),
            Some(Part::Column(column, _)) => Source::of_column(column, next()?),
            None => return Err(defect("a column without a part")),
        });
    }
    if let Labels::Levels(levels) = &frame.index.labels {
        for level in levels {
            out.push(match level {
                Level::Block(block) => Source::of_block(block, next()?),
                Level::Column(column) => Source::of_column(column, next()?),
            });
        }
    }
    Ok(out)
}
