//! Writes frames as JSON, in every orient with and without a header, and as NDJSON.

mod columns;
mod indent;
mod labels;
pub mod lines;
pub mod options;
mod orients;
mod rows;
mod table;
mod text;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use crate::cells::text as cells;
use crate::cells::text::TextStyle;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::{Progress, Share};
use crate::sink::Sink;
use crate::text::header::{ExportedFrame, KEY};
use crate::text::loss::{IndexPlace, Loss, NamePlace, PlainText, losses as plain_losses};
use crate::text::pieces;

use indent::IndentedSink;
use labels::LabelKeys;
use options::{JsonOrient, NonfiniteOption, WriteOptions};

/// The format's name in errors.
pub(crate) const FORMAT: &str = "json";

/// Encodes `frame`.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; the sink's own.
pub fn encode(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    match options.indent {
        None => put(frame, options, sink, progress),
        Some(spaces) => put(frame, options, &mut IndentedSink::new(sink, spaces), progress),
    }
}

/// Encodes a map of labels to frames.
///
/// # Errors
/// As [`encode`]; `InvalidOption`: a repeated label.
pub fn encode_bundle(
    frames: &[(String, Frame)],
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let mut indented;
    let sink = match options.indent {
        None => sink,
        Some(spaces) => {
            indented = IndentedSink::new(sink, spaces);
            &mut indented
        }
    };
    let mut seen = HashSet::new();
    let mut front = b"{".to_vec();
    let shares = Share::each(progress, frames.iter().map(|(_, frame)| frame.nbytes()));
    for ((label, frame), share) in frames.iter().zip(&shares) {
        if !seen.insert(label) || label == KEY {
            let message = format!(
                "expected labels that are all different and not {KEY:?}, found {label:?}. Rename one."
            );
            return Err(Error::invalid_option(FORMAT, message));
        }
        front.extend(text::key(label));
        sink.write(&front)?;
        put(frame, options, sink, share).map_err(|e| e.in_member(label.as_str()))?;
        share.end()?;
        front = b",".to_vec();
    }
    Ok(sink.write(if frames.is_empty() { b"{}" } else { b"}" })?)
}

/// Returns what these options lose of `frame`: nothing with a header.
///
/// # Errors
/// As [`plain_losses`].
pub fn losses(frame: &Frame, options: &WriteOptions) -> Result<Vec<Loss>> {
    use JsonOrient::{Columns, Index, Records, Split, Table, Values};
    if options.header {
        return Ok(Vec::new());
    }
    let plain = PlainText {
        csv: None,
        nonfinite_is_null: options.nonfinite == NonfiniteOption::Null,
        index: match options.orient {
            Records => IndexPlace::Columns,
            Columns | Index | Split => IndexPlace::Labels,
            Table | Values => IndexPlace::ByOption,
        },
        names: match options.orient {
            Records | Index => NamePlace::Keys { in_rows: true },
            Columns | Table => NamePlace::Keys { in_rows: false },
            Split => NamePlace::Front,
            Values => NamePlace::Nowhere,
        },
        is_typed: options.orient == Table,
        threads: options.threads,
    };
    plain_losses(frame, &plain)
}

/// Returns the style of the cells.
fn style(format: &'static str, header: bool, nonfinite: NonfiniteOption) -> TextStyle {
    let nonfinite = match nonfinite {
        NonfiniteOption::Null => cells::Nonfinite::Null,
        NonfiniteOption::Literal => cells::Nonfinite::Literal,
        NonfiniteOption::Error => cells::Nonfinite::Error,
    };
    if header { TextStyle::json(format) } else { TextStyle::plain_json(format, nonfinite) }
}

fn put(frame: &Frame, options: &WriteOptions, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
    let orient = options.orient;
    let exported = ExportedFrame::new(frame)?;
    let style = style(FORMAT, options.header, options.nonfinite);
    let header = match options.header {
        true => Some(exported.header(orient.name()).to_json(style)?),
        false => None,
    };
    let mut index = Vec::new();
    let mut names = String::new();
    let fields = match (options.header, orient) {
        (true, _) => columns::all_fields(&exported)?,
        (false, JsonOrient::Columns | JsonOrient::Index | JsonOrient::Values) => {
            columns::data(frame, &exported)?
        }
        (false, JsonOrient::Records) if frame.index.counts_from_zero() => columns::data(frame, &exported)?,
        (false, JsonOrient::Records | JsonOrient::Table) => columns::with_index(frame, &exported)?,
        (false, JsonOrient::Split) => {
            index = columns::index(frame)?;
            names = columns::names(frame, style)?;
            columns::data(frame, &exported)?
        }
    };
    let levels = if options.header { 0 } else { fields.len() - frame.ncols };
    let table = match orient {
        JsonOrient::Table => table::schema(&fields, levels, style)?,
        _ => String::new(),
    };
    let labels = match (orient, options.header) {
        (JsonOrient::Index, _) | (JsonOrient::Columns, false) => {
            Some(Arc::new(LabelKeys::new(&frame.index, orient.name())?))
        }
        _ => None,
    };
    let parts = orients::SectionParts {
        columns: &fields,
        index: &index,
        names: &names,
        table: &table,
        header: header.as_deref(),
        labels,
        nrows: frame.nrows,
    };
    let sections = orients::sections(orient, parts, style)?;
    pieces::write(&sections, options.threads, None, sink, progress)
}
