//! Assembles frames from columns and labels without a header.

use crate::arrow::text_labels;
use crate::error::{Error, Result};
use crate::frame::{Axis, Block, DType, Frame, Grid, Labels, Level, Part, Tags};
use crate::infer::columns::{BlockOrColumn, InferredColumn};
use crate::infer::dates;
use crate::memory::Buffer;
use crate::progress::NoProgress;

use super::context::Context;
use super::inference::empty_column;
use super::keys::RowKeys;
use super::table::ScannedTable;

/// Assembles the frame of a table. If `index` or column labels are not given, they come from the table or are automatic.
pub(crate) fn assemble(
    context: &Context<'_>,
    mut table: ScannedTable,
    index: Option<Axis>,
    names: Option<Axis>,
) -> Result<Frame> {
    let rows = table.rows;
    let index = match (index, table.labels.take()) {
        (Some(index), _) => index,
        (None, Some(labels)) => label_axis(labels.names())?,
        (None, None) => Axis::range(rows),
    };
    let width = table.columns.len();
    let (keys, columns) = table.finish(context)?;
    let names = match names {
        Some(names) => names,
        None if keys.len() == width && (width > 0 || rows == 0) => text_axis(&keys)?,
        None => Axis::range(width),
    };
    let frame = of_columns(columns, index, names)?;
    if !context.options.dates {
        return Ok(frame);
    }
    dates::in_frame(frame, context.options.threads, &NoProgress)
}

/// Assembles the frame of named columns. If row labels are not given, they are automatic.
pub(crate) fn assemble_columns(
    rows: usize,
    columns: Vec<(String, BlockOrColumn)>,
    index: Option<Axis>,
) -> Result<Frame> {
    let texts: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let names = if texts.is_empty() { Axis::range(0) } else { text_labels(&texts, "null".into())? };
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    of_columns(columns, index.unwrap_or_else(|| Axis::range(rows)), names)
}

fn of_columns(columns: Vec<BlockOrColumn>, index: Axis, names: Axis) -> Result<Frame> {
    let parts = columns.into_iter().enumerate().map(|(i, column)| match column {
        BlockOrColumn::Block(block) => Part::Block(block, vec![i]),
        BlockOrColumn::Column(column) => Part::Column(column, i),
    });
    let tags = Tags { name: "null".into(), ..Tags::default() };
    Frame::new(index, names, parts.collect(), tags)
}

fn text_axis(keys: &RowKeys) -> Result<Axis> {
    if keys.len() == 0 {
        return Ok(Axis::range(0));
    }
    let texts: Vec<&str> = keys.names().iter().map(String::as_str).collect();
    text_labels(&texts, "null".into())
}

/// Builds the axis of row labels that were keys, which are always text. If all are spelled as integers they become
/// integers, as in pandas; automatic if they count from 0.
pub(crate) fn label_axis(texts: &[String]) -> Result<Axis> {
    let whole = |text: &String| text.parse::<i64>().ok().filter(|value| value.to_string() == *text);
    let Some(values) = texts.iter().map(whole).collect::<Option<Vec<i64>>>() else {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        return text_labels(&texts, "null".into());
    };
    if values.iter().zip(0..).all(|(value, expected)| *value == expected) {
        return Ok(Axis::range(values.len()));
    }
    let bytes: Vec<u8> = values.iter().copied().flat_map(i64::to_le_bytes).collect();
    let dtype = DType::parse("<i8").ok_or_else(|| Error::unsupported("json", "no dtype <i8."))?;
    let grid = Grid::column_major(dtype, values.len(), 1, 0);
    Ok(levels(vec![Level::Block(Block { grid, buffer: Buffer::from_vec(bytes) })]))
}

/// Builds the axis of labels that were scanned as cells, one column per level. Integers that count from 0 become automatic.
pub(crate) fn scanned_axis(columns: Vec<BlockOrColumn>) -> Result<Axis> {
    if let [BlockOrColumn::Block(block)] = columns.as_slice()
        && block.grid.dtype.descr() == "<i8"
        && block.packed().is_some_and(|bytes| {
            bytes
                .as_chunks::<8>()
                .0
                .iter()
                .zip(0..)
                .all(|(raw, expected)| i64::from_le_bytes(*raw) == expected)
        })
    {
        return Ok(Axis::range(block.grid.nrows));
    }
    if let [BlockOrColumn::Column(column)] = columns.as_slice()
        && let Some(texts) = column.strings()
    {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        return text_labels(&texts, "null".into());
    }
    Ok(levels(
        columns
            .into_iter()
            .map(|column| match column {
                BlockOrColumn::Block(block) => Level::Block(block),
                BlockOrColumn::Column(column) => Level::Column(column),
            })
            .collect(),
    ))
}

/// Builds an axis of labels without names.
pub(crate) fn levels(levels: Vec<Level>) -> Axis {
    let classes = vec!["Index".into(); levels.len()];
    let class = if levels.len() > 1 { "IndexHierarchy" } else { "Index" };
    Axis { labels: Labels::Levels(levels), class: class.into(), classes, name: "null".into(), meta: None }
}

/// Returns a column of nulls, for a name without a cell in any row.
pub(crate) fn null_column(rows: usize) -> Result<InferredColumn> {
    let mut column = empty_column();
    column.nulls(rows)?;
    Ok(column)
}
