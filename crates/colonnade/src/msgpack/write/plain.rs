//! Frames without a header: what is a column, and under which name.

use std::collections::HashSet;

use arrow_data::ArrayData;
use arrow_schema::{Field, Schema};

use crate::arrow::export::Exporter;
use crate::error::Result;
use crate::frame::{Axis, Frame, Labels, Level, Tags};

use super::heads;
use super::section::{Cell, Section};

/// A column under the name that it is written by.
pub struct Named {
    /// Key.
    pub name: String,
    /// Type and metadata.
    pub field: Field,
    /// Rows.
    pub data: ArrayData,
}

impl Named {
    /// Under its own name.
    pub fn new(field: &Field, data: &ArrayData) -> Self {
        Self { name: field.name().clone(), field: field.clone(), data: data.clone() }
    }
}

/// Columns as `DataFrame.reset_index` has them: row labels first, unless they are 0, 1, 2... `schema` and `arrays`:
/// what an [`Exporter`] makes of `frame`.
///
/// # Errors
/// Labels that no memory holds.
pub fn columns(frame: &Frame, schema: &Schema, arrays: &[ArrayData]) -> Result<Vec<Named>> {
    let all: Vec<Named> = schema.fields().iter().zip(arrays).map(|(f, a)| Named::new(f, a)).collect();
    let data = all.get(..frame.ncols).unwrap_or(&[]);
    let mut out = match frame.index.labels {
        Labels::Auto { start: 0, step: 1, .. } => Vec::new(),
        _ => labels(&frame.index)?,
    };
    let mut used: HashSet<String> = data.iter().map(|column| column.name.clone()).collect();
    let depth = out.len();
    for (i, level) in out.iter_mut().enumerate() {
        if level.name == format!("__index_level_{i}__") {
            // A level without a name of its own.
            let index = depth == 1 && !used.contains("index");
            level.name = if index { "index".into() } else { format!("level_{i}") };
        }
        while !used.insert(level.name.clone()) {
            level.name.push('_');
        }
    }
    out.extend(all.into_iter().take(frame.ncols));
    Ok(out)
}

/// The labels of an axis, one array a level; ranges are spelled out.
///
/// # Errors
/// Labels that Arrow, or no memory, holds.
pub fn labels(axis: &Axis) -> Result<Vec<Named>> {
    let index = match axis.labels {
        Labels::Auto { .. } => Axis {
            labels: Labels::Levels(vec![Level::Block(axis.spelled_out()?)]),
            classes: vec!["Index".into()],
            ..axis.clone()
        },
        Labels::Levels(_) => axis.clone(),
    };
    let frame = Frame::new(index, Axis::range(0), Vec::new(), Tags::default())?;
    let exporter = Exporter::without_metadata(&frame)?;
    let arrays = exporter.arrays(&frame)?;
    Ok(exporter.schema().fields().iter().zip(&arrays).map(|(f, a)| Named::new(f, a)).collect())
}

/// A map of arrays: a section a column.
///
/// # Errors
/// `Unrepresentable`: more rows or columns than MessagePack counts.
pub fn sections(columns: Vec<Cell<'_>>, nrows: usize, compatible: bool) -> Result<Vec<Section<'_>>> {
    let mut opening = Vec::new();
    heads::map(&mut opening, columns.len())?;
    let mut out = Vec::with_capacity(columns.len());
    for column in columns {
        heads::text(&mut opening, &column.name, compatible)?;
        heads::array(&mut opening, nrows)?;
        out.push(Section {
            opening: std::mem::take(&mut opening),
            columns: vec![column],
            nrows,
            ..Section::default()
        });
    }
    if out.is_empty() {
        out.push(Section { opening, ..Section::default() });
    }
    Ok(out)
}
