//! Finds what a plain text file, without a schema, does not bring back when it is read with default options.
//!
//! | column | what is lost |
//! |---|---|
//! | booleans, integers and floats of any width; dates; times without a zone or in UTC | nothing |
//! | text | its type, where all cells look like values; in CSV a cell that looks like null |
//! | NaN beside null, infinities in JSON | they become null |
//! | all other types | the type |
//!
//! The width of numbers, the unit of times and row labels 0, 1, 2... are no loss. These rules mirror the inference of the
//! readers: change both together.

mod axes;
mod columns;
mod words;

use std::collections::HashSet;

use serde_json::Value;

use crate::arrow::export::Exporter;
use crate::error::Result;
use crate::frame::Frame;
use crate::parallel;
use crate::progress::NoProgress;

use words::ValueWords;

/// Something that reading a plain file does not bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The column; `None` for the frame and its labels.
    pub column: Option<String>,
    /// What happens: `"categories come back as their values"`.
    pub what: String,
}

/// How a format writes a frame without a schema, as far as it decides what is lost.
#[derive(Debug, Clone)]
pub struct PlainText<'a> {
    /// How CSV spells cells; `None` for JSON and YAML, whose syntax tells text, numbers and null apart.
    pub csv: Option<PlainCsv<'a>>,
    /// Whether NaN and infinities are written as null.
    pub nonfinite_is_null: bool,
    /// Where row labels are written.
    pub index: IndexPlace,
    /// How names of columns are written.
    pub names: NamePlace,
    /// Whether a description of the fields is written too (`orient="table"`), so that columns keep their types.
    pub is_typed: bool,
    /// Number of threads.
    pub threads: usize,
}

/// How CSV spells cells.
#[derive(Debug, Clone, Copy)]
pub struct PlainCsv<'a> {
    /// The text of null.
    pub na_rep: &'a str,
    /// The decimal mark.
    pub decimal: u8,
}

/// Where row labels are written, unless they are 0, 1, 2...
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexPlace {
    /// In columns before the data.
    Columns,
    /// As the labels of rows.
    Labels,
    /// Where an option says, or nowhere.
    ByOption,
}

/// How names of columns are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamePlace {
    /// In front of the data.
    Front,
    /// As keys, which do not repeat. `in_rows`: of every row, so that there are none without a row.
    Keys {
        /// Whether each row has them.
        in_rows: bool,
    },
    /// An option leaves them out.
    Nowhere,
}

/// Whether the frame came from a library that tells null and NaN apart in all columns.
pub(crate) fn tells_nan_from_null(frame: &Frame) -> bool {
    let origin = frame.tags.origin.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let library = origin.as_ref().and_then(|origin| origin.get("library")?.as_str());
    matches!(library, Some("polars" | "pyarrow" | "arrow"))
}

/// The columns of 128-bit integers, which polars' adapter stores as text.
fn wide_integers(frame: &Frame) -> HashSet<String> {
    let origin = frame.tags.origin.as_deref().filter(|text| text.contains("\"int128\""));
    let origin = origin.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let names = origin.as_ref().and_then(|origin| origin.get("int128")?.as_object());
    names.map(|names| names.keys().cloned().collect()).unwrap_or_default()
}

/// Returns what is lost, the frame's labels first, then columns in their order.
///
/// # Errors
/// Malformed metadata; labels or dtypes that no text holds.
pub fn losses(frame: &Frame, plain: &PlainText<'_>) -> Result<Vec<Loss>> {
    let mut out = axes::losses(frame, plain);
    if plain.is_typed {
        return Ok(out);
    }
    let wide = wide_integers(frame);
    let exporter = Exporter::without_metadata(frame)?;
    let (schema, arrays) = (exporter.schema(), exporter.arrays(frame)?);
    let nan_is_missing = !tells_nan_from_null(frame);
    let words = plain.csv.map(|csv| ValueWords::new(csv.na_rep, csv.decimal));
    let fields = schema.fields().iter().zip(&arrays).take(frame.ncols);
    let tasks = fields.map(|(field, data)| {
        let words = words.as_ref();
        let is_wide = wide.contains(field.name());
        let work = move || {
            if is_wide {
                let what = "128-bit integers come back as text or as other types".into();
                return Ok(Some(Loss { column: Some(field.name().clone()), what }));
            }
            let column = columns::PlainColumn { field, data, plain, words, nan_is_missing };
            let what = column.loss().map_err(|e| e.in_member(field.name().as_str()))?;
            Ok(what.map(|what| Loss { column: Some(field.name().clone()), what }))
        };
        (data.len() * 8, work)
    });
    let found = parallel::map(tasks.collect(), plain.threads, &NoProgress)?;
    out.extend(found.into_iter().flatten());
    Ok(out)
}
