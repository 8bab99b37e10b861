//! Reuses the exporter of an earlier frame for a frame of the same layout, so that the schema and its metadata are not
//! built again.
//!
//! A later chunk may differ from the first in what the schema does not contain. Here nothing may differ: the number of
//! rows, column labels, dtypes, tags, names and classes of both axes, and the start of a range of row labels.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::Result;
use crate::frame::{
    Axis, Block, Column, DType, Frame, Grid, Labels, Level, Part, Tags, has_dictionary, same_type,
};
use crate::memory::Buffer;

use super::concat::dictionary::keys_of;
use super::deep_copy;
use super::export::Exporter;
use super::gather;
use super::layout::ColumnLayout;
use super::native::{self, NativeType};

/// An exporter for whole frames of one layout. It keeps no reference to the frame that it was made from.
#[derive(Debug)]
pub struct RepeatedExporter {
    exporter: Arc<Exporter>,
    nrows: usize,
    tags: Tags,
    columns: Axis,
    /// The row labels without rows.
    index: Axis,
    /// The position and the number of categories of each dictionary, because pandas' metadata contains the number.
    categories: Vec<(usize, usize)>,
}

impl RepeatedExporter {
    /// An exporter for frames with the layout of `frame`.
    ///
    /// # Errors
    /// As [`Exporter::new`].
    pub fn new(frame: &Frame) -> Result<Self> {
        let columns = copy_axis(&frame.columns)?;
        let index = copy_axis(&frame.index.slice(0, 0))?;
        let exporter = Exporter::new(frame, Some(frame.nrows))?.with_axes(index.clone(), columns.clone());
        Ok(Self {
            exporter: Arc::new(exporter),
            nrows: frame.nrows,
            tags: frame.tags.clone(),
            columns,
            index,
            categories: categories(frame).collect(),
        })
    }

    /// The exporter.
    #[must_use]
    pub fn exporter(&self) -> &Arc<Exporter> {
        &self.exporter
    }

    /// Whether the exporter of `frame` would be equal.
    #[must_use]
    pub fn matches(&self, frame: &Frame) -> bool {
        self.nrows == frame.nrows
            && self.columns.len() == frame.ncols
            && same_tags(&self.tags, &frame.tags)
            && same_names_and_classes(&self.columns, &frame.columns)
            && same_names_and_classes(&self.index, &frame.index)
            && same_labels(&self.columns, &frame.columns)
            && self.same_index(&frame.index)
            && self.same_parts(frame)
            && self.categories.iter().copied().eq(categories(frame))
    }

    fn same_index(&self, index: &Axis) -> bool {
        let (_, layouts) = self.exporter.layouts();
        match (&self.index.labels, &index.labels) {
            (Labels::Auto { start, step, .. }, Labels::Auto { start: other, step: by, .. }) => {
                (start, step) == (other, by)
            }
            (Labels::Levels(_), Labels::Levels(levels)) => {
                let same = |(layout, level): (&ColumnLayout, &Level)| match level {
                    Level::Block(block) => matches_block(layout, block),
                    Level::Column(column) => matches_column(layout, column),
                };
                layouts.len() == levels.len() && layouts.iter().zip(levels).all(same)
            }
            _ => false,
        }
    }

    fn same_parts(&self, frame: &Frame) -> bool {
        let (layouts, _) = self.exporter.layouts();
        frame.parts.iter().all(|part| match part {
            Part::Block(block, positions) => {
                let same = |(i, &position): (usize, &usize)| match layouts.get(position) {
                    Some(ColumnLayout::Native(native)) if !native::depends_on_values(block.grid.dtype) => {
                        native.dtype == block.grid.dtype
                    }
                    Some(layout) => matches_block(layout, &block.column(i)),
                    None => false,
                };
                positions.iter().enumerate().all(same)
            }
            Part::Column(column, position) => {
                layouts.get(*position).is_some_and(|layout| matches_column(layout, column))
            }
        })
    }
}

fn matches_block(layout: &ColumnLayout, block: &Block) -> bool {
    let ColumnLayout::Native(native) = layout else { return false };
    let dtype = block.grid.dtype;
    native.dtype == dtype
        && (!native::depends_on_values(dtype)
            || NativeType::of(block).is_ok_and(|found| found.data_type == native.data_type))
}

fn matches_column(layout: &ColumnLayout, column: &Column) -> bool {
    let ColumnLayout::Arrow { data_type, ordered, tag } = layout else { return false };
    *ordered == column.ordered && *tag == column.tag && same_type(data_type, column.data.data_type())
}

/// Returns position and number of categories of each dictionary; row label levels follow the columns.
fn categories(frame: &Frame) -> impl Iterator<Item = (usize, usize)> + '_ {
    let count = |(position, column): (usize, &Column)| match column.data.data_type() {
        DataType::Dictionary(..) => Some((position, column.data.child_data().first().map(ArrayData::len)?)),
        _ => None,
    };
    frame.arrow_columns().filter_map(count)
}

fn same_tags(a: &Tags, b: &Tags) -> bool {
    a.name == b.name && a.attrs == b.attrs && a.origin == b.origin
}

/// Whether two axes are equal except for their labels.
fn same_names_and_classes(a: &Axis, b: &Axis) -> bool {
    a.class == b.class && a.name == b.name && a.meta == b.meta && a.classes == b.classes
}

impl Axis {
    /// Whether both axes have the same labels, bit by bit and of the same types, and the same names, classes and meta.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        same_names_and_classes(self, other) && same_labels(self, other)
    }

    /// Copies the axis to memory that nothing else writes, and that keeps nothing else alive.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub fn detached(&self) -> Result<Self> {
        copy_axis(self)
    }
}

fn same_labels(a: &Axis, b: &Axis) -> bool {
    match (&a.labels, &b.labels) {
        (
            Labels::Auto { start, stop, step, count },
            Labels::Auto { start: other, stop: end, step: by, count: many },
        ) => (start, stop, step, count) == (other, end, by, many),
        (Labels::Levels(a), Labels::Levels(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_level(a, b))
        }
        _ => false,
    }
}

fn same_level(a: &Level, b: &Level) -> bool {
    match (a, b) {
        (Level::Block(a), Level::Block(b)) => {
            let packed = a.packed();
            a.grid.dtype == b.grid.dtype
                && a.grid.nrows == b.grid.nrows
                && packed.is_some()
                && packed == b.packed()
        }
        (Level::Column(a), Level::Column(b)) => {
            a.ordered == b.ordered
                && a.tag == b.tag
                && same_type(a.data.data_type(), b.data.data_type())
                && same_array(&a.data, &b.data)
        }
        _ => false,
    }
}

/// Whether two arrays of one type have the same values and the same dictionaries. Arrow compares arrays without unused
/// categories, but those are part of the labels.
fn same_array(a: &ArrayData, b: &ArrayData) -> bool {
    if let (DataType::Dictionary(..), [values], [others]) = (a.data_type(), a.child_data(), b.child_data()) {
        return values.len() == others.len() && same_array(values, others) && same_codes(a, b);
    }
    let children = a.child_data().iter().zip(b.child_data());
    // Children may differ where no label refers to them. They count as different, which only means that the layout is built
    // again.
    a == b && children.into_iter().all(|(a, b)| !has_dictionary(a.data_type()) || same_array(a, b))
}

fn same_codes(a: &ArrayData, b: &ArrayData) -> bool {
    let DataType::Dictionary(key_type, _) = a.data_type() else { return false };
    matches!((keys_of(a, key_type), keys_of(b, key_type)), (Ok(a), Ok(b)) if a == b)
}

/// Copies an axis.
fn copy_axis(axis: &Axis) -> Result<Axis> {
    let labels = match &axis.labels {
        Labels::Auto { .. } => axis.labels.clone(),
        Labels::Levels(levels) => Labels::Levels(levels.iter().map(copy_level).collect::<Result<_>>()?),
    };
    Ok(Axis { labels, ..axis.clone() })
}

fn copy_level(level: &Level) -> Result<Level> {
    Ok(match level {
        Level::Block(block) => {
            let grid = block.grid;
            // Keeps the byte order of the labels: `packed` would swap the bytes.
            let dtype = DType { order: crate::frame::ByteOrder::Little, ..grid.dtype };
            let native = Block { grid: Grid { dtype, ..grid }, buffer: block.buffer.clone() };
            let buffer = Buffer::from_arrow(gather::packed(&native)?);
            Level::Block(Block { grid: Grid::column_major(grid.dtype, grid.nrows, grid.width, 0), buffer })
        }
        Level::Column(column) => {
            Level::Column(Column { data: deep_copy::deep_copy(&column.data)?, ..column.clone() })
        }
    })
}
