//! Builds the frame: applies the rows of names and the index columns to the decoded columns.

use serde_json::{Value, json};

use super::FORMAT;
use super::dtypes;
use super::options::IndexColumns;
use super::whole::InputReader;
use crate::arrow::text_labels;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Labels, Level, Part, Tags};
use crate::infer::nulls::is_rounded;

/// Null and NaN differ in these columns, as in Arrow. pandas converts such a frame like a table of pyarrow: numbers with nulls
/// become floats with NaN, as in `pandas.read_csv`.
const ORIGIN: &str = r#"{"library":"pyarrow","schema_metadata":[]}"#;

/// Numbers with nulls become nullable dtypes of pandas.
const NULLABLE: &str = r#"{"library":"pyarrow"}"#;

impl InputReader<'_> {
    /// Builds the frame of data columns, row labels and column labels.
    pub(super) fn frame(&self, parts: Vec<Part>, rows: usize) -> Result<Frame> {
        let ncols = self.opening.ncols;
        let levels: Vec<usize> = match &self.options.index_columns {
            IndexColumns::None => Vec::new(),
            IndexColumns::Positions(positions) => self.index_positions(positions)?,
            IndexColumns::Names(names) => self.named(names, "index_col")?,
        };
        let data: Vec<usize> = (0..ncols).filter(|c| !levels.contains(c)).collect();
        // Integers stay integers if the column has nulls and a float would round them. Nullable dtypes of pandas in `dtypes` stay
        // too.
        let nullable = self.options.declared_dtypes().any(dtypes::is_nullable);
        let origin =
            if nullable { Some(NULLABLE) } else { (!parts.iter().any(is_rounded)).then_some(ORIGIN) };
        let origin = origin.map(Into::into);
        let tags = Tags { name: "null".into(), origin, attrs: None };
        let whole = Frame::new(Axis::range(rows), Axis::range(ncols), parts, tags)?;
        let columns = self.labels(&data)?;
        if levels.is_empty() {
            return Ok(Frame { columns, ..whole });
        }
        let slots = whole.slots()?;
        let level = |c: &usize| {
            let slot = slots.get(*c)?;
            match whole.parts.get(slot.part)? {
                Part::Block(block, _) => Some(Level::Block(block.column(slot.column))),
                Part::Column(column, _) => Some(Level::Column(column.clone())),
            }
        };
        let labels: Vec<Level> = levels.iter().filter_map(level).collect();
        let name = |c: &usize| match self.opening.name(*c) {
            Some(name) if !name.is_empty() => json!(name),
            _ => Value::Null,
        };
        let names: Vec<Value> = levels.iter().map(name).collect();
        let name = match names.as_slice() {
            [one] => one.to_string(),
            names if names.iter().all(Value::is_null) => "null".into(),
            names => json!({ "$tuple": names }).to_string(),
        };
        let index = Axis {
            class: if labels.len() == 1 { "Index" } else { "IndexHierarchy" }.into(),
            classes: vec!["Index".into(); labels.len()],
            labels: Labels::Levels(labels),
            name,
            meta: None,
        };
        Ok(Frame { index, ..whole.select(&data, columns)? })
    }

    /// The positions of the index columns, each checked.
    fn index_positions(&self, positions: &[usize]) -> Result<Vec<usize>> {
        let ncols = self.opening.ncols;
        match positions.iter().find(|position| **position >= ncols) {
            Some(position) => {
                let message = format!(
                    "index_col: expected positions below {ncols}, the number of columns, found {position}."
                );
                Err(Error::invalid_option(FORMAT, message))
            }
            None => Ok(positions.to_vec()),
        }
    }

    /// The labels of these columns: one level per row of names, or numbers.
    fn labels(&self, columns: &[usize]) -> Result<Axis> {
        let mut levels = Vec::new();
        for row in &self.opening.names {
            let texts: Vec<&str> = columns.iter().map(|c| row.get(*c).map_or("", String::as_str)).collect();
            match text_labels(&texts, "null".into())?.labels {
                Labels::Levels(level) => levels.extend(level),
                Labels::Auto { .. } => {}
            }
        }
        Ok(match levels.len() {
            // Column numbers. The remaining columns keep their numbers.
            0 => Axis::range(self.opening.ncols).select(columns)?,
            n => Axis {
                class: if n == 1 { "Index" } else { "IndexHierarchy" }.into(),
                classes: vec!["Index".into(); n],
                labels: Labels::Levels(levels),
                name: "null".into(),
                meta: None,
            },
        })
    }
}
