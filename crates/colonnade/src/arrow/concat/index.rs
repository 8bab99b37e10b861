//! Joins row labels.

use arrow_schema::DataType;

use crate::error::{Error, Result};
use crate::frame::{Axis, Block, DType, DTypeKind, Frame, Labels, Level};

use super::blocks::{self, BlockColumn};
use super::columns;
use super::compatibility::axis_text;

pub(super) fn join(frames: &[&Frame], nrows: usize) -> Result<Axis> {
    let axes: Vec<&Axis> = frames.iter().map(|f| &f.index).collect();
    let Some(first) = axes.first() else { return Ok(Axis::range(nrows)) };
    if axes.iter().all(|axis| matches!(axis.labels, Labels::Auto { .. })) {
        return join_ranges(first, &axes, nrows);
    }
    let mut levels: Vec<Vec<&Level>> = vec![Vec::with_capacity(axes.len()); first.depth()];
    for (i, axis) in axes.iter().enumerate() {
        match &axis.labels {
            Labels::Levels(pieces) if pieces.len() == levels.len() => {
                levels.iter_mut().zip(pieces).for_each(|(list, level)| list.push(level));
            }
            _ => return Err(difference(i, &axis_text(first), &axis_text(axis))),
        }
    }
    let labels = levels.iter().map(|list| join_level(list, nrows)).collect::<Result<_>>()?;
    Ok(Axis { labels: Labels::Levels(labels), ..(*first).clone() })
}

fn difference(batch: usize, one: &str, other: &str) -> Error {
    let message = format!(
        "batch {batch} differs from batch 0: index: expected {one}, found {other}. Bring all batches to one schema first."
    );
    Error::malformed("frame", message)
}

/// Joins ranges to one range if they continue each other, or if all begin at the same label; otherwise to explicit labels.
fn join_ranges(first: &Axis, axes: &[&Axis], nrows: usize) -> Result<Axis> {
    let mut range: Option<(i64, i64)> = None;
    let (mut continues, mut restarts) = (true, true);
    let mut next: Option<i64> = None;
    for axis in axes {
        let Labels::Auto { start, step, count, .. } = axis.labels else { continue };
        if count == 0 {
            continue;
        }
        match range {
            None => range = Some((start, step)),
            Some((first, first_step)) => {
                continues &= first_step == step && next == Some(start);
                restarts &= first_step == step && first == start;
            }
        }
        next = i64::try_from(count).ok().and_then(|n| start.checked_add(step.checked_mul(n)?));
    }
    let Some((start, step)) = range else { return Ok((*first).clone()) };
    let stop = i64::try_from(nrows).ok().and_then(|n| start.checked_add(step.checked_mul(n)?));
    if let (true, Some(stop)) = (continues || restarts, stop) {
        return Ok(Axis { labels: Labels::Auto { start, stop, step, count: nrows }, ..(*first).clone() });
    }
    let labels: Vec<Block> = axes.iter().map(|axis| axis.range_labels()).collect::<Result<_>>()?;
    let columns = labels.iter().map(|block| BlockColumn { block, column: 0 }).collect();
    let dtype = labels.first().map(|b| b.grid.dtype).or_else(|| DType::parse("<i8"));
    let dtype = dtype.ok_or_else(|| Error::unsupported("frame", "no dtype <i8."))?;
    let labels = Labels::Levels(vec![Level::Block(blocks::join(dtype, nrows, vec![columns])?)]);
    Ok(Axis { labels, classes: vec!["Index".into()], ..(*first).clone() })
}

fn join_level(levels: &[&Level], nrows: usize) -> Result<Level> {
    let blocks: Vec<&Block> =
        levels.iter().filter_map(|l| if let Level::Block(block) = l { Some(block) } else { None }).collect();
    if blocks.len() == levels.len() {
        let columns: Vec<_> = blocks.iter().map(|block| BlockColumn { block, column: 0 }).collect();
        let dtype = common_dtype(&columns)?;
        return Ok(Level::Block(super::blocks::join(dtype, nrows, vec![columns])?));
    }
    let first = levels.iter().find_map(|l| if let Level::Column(column) = l { Some(column) } else { None });
    let data_type = first.map_or(&DataType::Null, |column| column.data.data_type());
    let columns = levels.iter().map(|level| match level {
        Level::Block(block) => columns::from_block(block, data_type),
        Level::Column(column) => Ok(column.clone()),
    });
    let columns: Vec<_> = columns.collect::<Result<_>>()?;
    let borrowed: Vec<_> = columns.iter().collect();
    for (i, column) in borrowed.iter().enumerate() {
        let text = |c: &crate::frame::Column| {
            let tag = c.tag.as_ref().map_or(String::new(), |tag| format!(" tagged {tag}"));
            format!("{}{tag}", crate::frame::type_name(c.data.data_type(), c.ordered))
        };
        if let Some(first) = borrowed.first()
            && (first.data.data_type(), &first.tag) != (column.data.data_type(), &column.tag)
        {
            return Err(difference(i, &text(first), &text(column)));
        }
    }
    Ok(Level::Column(columns::join_one(&borrowed)?))
}

/// The common dtype of all pieces: the widest of fixed-width text and bytes, else the equal one.
pub(super) fn common_dtype(columns: &[BlockColumn<'_>]) -> Result<DType> {
    let mut out: Option<DType> = None;
    for (i, column) in columns.iter().enumerate() {
        let dtype = column.block.grid.dtype;
        out = Some(match out {
            None => dtype,
            Some(common) if common == dtype => common,
            Some(common)
                if (common.kind, common.order) == (dtype.kind, dtype.order)
                    && matches!(common.kind, DTypeKind::Unicode | DTypeKind::Bytes) =>
            {
                if common.itemsize >= dtype.itemsize { common } else { dtype }
            }
            Some(common) => return Err(difference(i, &common.descr(), &dtype.descr())),
        });
    }
    out.ok_or_else(|| Error::malformed("frame", "a level without labels."))
}
