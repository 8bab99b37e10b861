//! Reads whole NDJSON: one object per line. The first line may be a header.

use crate::error::{ErrorKind, Result};
use crate::memory::Buffer;
use crate::progress::{NoProgress, Progress};
use crate::text::header::TextHeader;
use crate::text::{DecodedText, header};

use super::context::Context;
use super::declared::DeclaredColumns;
use super::options::{LinesReadOptions, ReadOptions};
use super::ranges::ScannedRows;
use super::root::{header_value, report_done, with_context};
use super::rows::{JsonRows, RowContainer};
use super::table::{CellPositions, ScannedTable};
use super::walk::RowForm;
use super::{frames, with_header};
use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::scan::Scan;

/// The format's name in errors.
pub(crate) const FORMAT: &str = "ndjson";

/// Decodes the frame of `input`.
///
/// # Errors
/// Malformed, truncated, over a limit, with line, column and byte.
pub fn decode(input: &Buffer, options: &LinesReadOptions) -> Result<DecodedText> {
    decode_with(input, options, &NoProgress)
}

/// Decodes the frame of `input` and reports progress.
///
/// # Errors
/// As [`decode`]; cancelled.
pub fn decode_with(
    input: &Buffer,
    options: &LinesReadOptions,
    progress: &dyn Progress,
) -> Result<DecodedText> {
    let options = ReadOptions::from(*options);
    with_context(FORMAT, input, (&options, progress), decode_text)
        .and_then(|found| report_done(input, progress, found))
}

pub(crate) fn decode_text(context: &Context<'_>) -> Result<DecodedText> {
    let (header, start) = first(context)?;
    let declared = header.as_ref().map_or_else(DeclaredColumns::default, |h| DeclaredColumns::of(&h.schema));
    let table = table(context, start, &declared)?;
    match header {
        Some(header) => with_header::frame(context, header, table, "records"),
        None => Ok(DecodedText::new(frames::assemble(context, table, None, None)?, "records", None)),
    }
}

/// Scans the header, if the first line is Colonnade's. Returns it and the start of the rows.
pub(crate) fn first(context: &Context<'_>) -> Result<(Option<TextHeader>, usize)> {
    let mut scan = Scan::new(context.bytes, 0, true);
    scan.space();
    let Some(value) = header_value(&scan, &context.rules) else {
        context.locate(check_object(context))?;
        return Ok((None, 0));
    };
    scan.at = value;
    let header = with_header::header(context, &mut scan, 1)?;
    scan.space();
    context.locate(scan.expect(b'}', "the end of the header's object"))?;
    scan.space();
    if header.orient != "records" {
        let message = format!("header: orient: expected records, found {:?}.", header.orient);
        return Err(crate::Error::malformed(context.format, message).in_member(header::KEY));
    }
    if scan.at < context.bytes.len() {
        context.locate(scan.expect(b'\n', "the end of the line"))?;
    }
    Ok((Some(header), scan.at))
}

/// Refuses a first line with a valid value other than an object: such lines are never a table. A line that
/// breaks the specification, or a later line with another value, is refused when it is read.
fn check_object(context: &Context<'_>) -> Scanned<()> {
    let mut scan = Scan::new(context.bytes, 0, false);
    scan.space();
    let at = scan.at;
    if scan.peek() == b'{' || scan.value(0, &context.rules).is_err() {
        return Ok(());
    }
    let (found, next) = match context.bytes.get(at) {
        Some(b'[') => ("an array", "If the whole file is one value, it is JSON: pass format=\"json\"."),
        _ => ("a single value", "Put it into an object under a column's name."),
    };
    let message = format!("expected a table (an object a line), found {found}. {next}");
    Err(JsonFault::new(ErrorKind::Unsupported, at, message))
}

/// Scans the rows from `start` on.
pub(crate) fn table(context: &Context<'_>, start: usize, declared: &DeclaredColumns) -> Result<ScannedTable> {
    let source = JsonRows { start, rows: RowContainer::Lines, row: RowForm::Named, depth: 0 };
    let ScannedRows { keys, columns, rows, missing, .. } = context.collect(&source, declared)?;
    Ok(ScannedTable { keys, columns, rows, labels: None, missing, body: CellPositions::Rows(source) })
}
