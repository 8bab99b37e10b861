//! Columns and row labels under the names that data without a header have them by.

use std::collections::HashSet;

use arrow_data::ArrayData;
use arrow_schema::{Field, Schema};

use super::export::Exporter;
use crate::error::Result;
use crate::frame::{Axis, Frame, Labels, Level, Tags};

/// A column under the name that it is written by.
#[derive(Debug)]
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
    #[must_use]
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
    rename(&mut out, data.iter().map(|column| column.name.as_str()));
    out.extend(all.into_iter().take(frame.ncols));
    Ok(out)
}

/// Names for levels that have none, as `DataFrame.reset_index` gives them, and others where a column has the same.
pub fn rename<'n>(levels: &mut [Named], columns: impl Iterator<Item = &'n str>) {
    let mut used: HashSet<String> = columns.map(str::to_owned).collect();
    let depth = levels.len();
    for (i, level) in levels.iter_mut().enumerate() {
        if level.name == format!("__index_level_{i}__") {
            // A level without a name of its own.
            let index = depth == 1 && !used.contains("index");
            level.name = if index { "index".into() } else { format!("level_{i}") };
        }
        while !used.insert(level.name.clone()) {
            level.name.push('_');
        }
    }
}

/// The labels of an axis, one array a level; ranges are spelled out.
///
/// # Errors
/// Labels that Arrow, or no memory, holds.
pub fn labels(axis: &Axis) -> Result<Vec<Named>> {
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
    Ok(exporter.schema().fields().iter().zip(&arrays).map(|(f, a)| Named::new(f, a)).collect())
}
