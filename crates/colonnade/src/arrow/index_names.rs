//! Names columns and row labels for formats without a header.

use std::collections::HashSet;

use arrow_data::ArrayData;
use arrow_schema::{Field, Schema};

use super::export::Exporter;
use crate::error::Result;
use crate::frame::{Axis, Frame, Labels, Level, Tags};

/// A column and the name under which it is written.
#[derive(Debug)]
pub struct NamedColumn {
    /// The name.
    pub name: String,
    /// The type and the metadata.
    pub field: Field,
    /// The values.
    pub data: ArrayData,
}

impl NamedColumn {
    /// The column under its own name.
    #[must_use]
    pub fn new(field: &Field, data: &ArrayData) -> Self {
        Self { name: field.name().clone(), field: field.clone(), data: data.clone() }
    }
}

/// Returns the columns in the order of `DataFrame.reset_index`: row labels first, unless they are 0, 1, 2... `schema` and
/// `arrays` are the results of an [`Exporter`] for `frame`.
///
/// # Errors
/// Labels that do not fit into memory.
pub fn columns(frame: &Frame, schema: &Schema, arrays: &[ArrayData]) -> Result<Vec<NamedColumn>> {
    let all: Vec<NamedColumn> =
        schema.fields().iter().zip(arrays).map(|(f, a)| NamedColumn::new(f, a)).collect();
    let data = all.get(..frame.ncols).unwrap_or(&[]);
    let mut out = if frame.index.counts_from_zero() { Vec::new() } else { labels(&frame.index)? };
    rename(&mut out, data.iter().map(|column| column.name.as_str()));
    out.extend(all.into_iter().take(frame.ncols));
    Ok(out)
}

/// Names unnamed levels as `DataFrame.reset_index` does, and renames levels whose name is also a column's.
pub fn rename<'n>(levels: &mut [NamedColumn], columns: impl Iterator<Item = &'n str>) {
    let mut used: HashSet<String> = columns.map(str::to_owned).collect();
    let depth = levels.len();
    for (i, level) in levels.iter_mut().enumerate() {
        if level.name == format!("__index_level_{i}__") {
            // A level without a name.
            let index = depth == 1 && !used.contains("index");
            level.name = if index { "index".into() } else { format!("level_{i}") };
        }
        while !used.insert(level.name.clone()) {
            level.name.push('_');
        }
    }
}

/// Returns the labels of an axis, one array for each level, ranges as explicit labels.
///
/// # Errors
/// Labels that Arrow cannot represent, or that do not fit into memory.
pub fn labels(axis: &Axis) -> Result<Vec<NamedColumn>> {
    let index = match axis.labels {
        Labels::Auto { .. } => Axis {
            labels: Labels::Levels(vec![Level::Block(axis.range_labels()?)]),
            classes: vec!["Index".into()],
            ..axis.clone()
        },
        Labels::Levels(_) => axis.clone(),
    };
    let frame = Frame::new(index, Axis::range(0), Vec::new(), Tags::default())?;
    let exporter = Exporter::without_metadata(&frame)?;
    let arrays = exporter.arrays(&frame)?;
    Ok(exporter.schema().fields().iter().zip(&arrays).map(|(f, a)| NamedColumn::new(f, a)).collect())
}
