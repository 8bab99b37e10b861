//! Reads whole NDJSON: one object per line. The first line may be a header.

use crate::error::{ErrorKind, Result};
use crate::memory::Buffer;
use crate::progress::{NoProgress, Progress};
use crate::text::header::Header;
use crate::text::{Decoded, header};

use super::context::Context;
use super::declared::Declared;
use super::options::{LinesReadOptions, ReadOptions};
use super::ranges::Collected;
use super::root::{done, header_value, with_context};
use super::rows::{Rows, Source};
use super::table::{Body, Table};
use super::walk::Row;
use super::{frames, with_header};
use crate::cells::json::fault::{Fault, Scanned};
use crate::cells::json::scan::Scan;

/// The format's name in errors.
pub(crate) const FORMAT: &str = "ndjson";

/// Decodes the frame of `input`.
///
/// # Errors
/// Malformed, truncated, over a limit, with line, column and byte.
pub fn decode(input: &Buffer, options: &LinesReadOptions) -> Result<Decoded> {
    decode_with(input, options, &NoProgress)
}

/// Decodes the frame of `input` and reports progress.
///
/// # Errors
/// As [`decode`]; cancelled.
pub fn decode_with(input: &Buffer, options: &LinesReadOptions, progress: &dyn Progress) -> Result<Decoded> {
    let options = ReadOptions::from(*options);
    with_context(FORMAT, input, (&options, progress), decode_text)
        .and_then(|found| done(input, progress, found))
}

pub(crate) fn decode_text(context: &Context<'_>) -> Result<Decoded> {
    let (header, start) = first(context)?;
    let declared = header.as_ref().map_or_else(Declared::default, |h| Declared::of(&h.schema));
    let table = table(context, start, &declared)?;
    match header {
        Some(header) => with_header::frame(context, header, table, "records"),
        None => Ok(Decoded::new(frames::assemble(context, table, None, None)?, "records", None)),
    }
}

/// Scans the header, if the first line is Colonnade's. Returns it and the start of the rows.
pub(crate) fn first(context: &Context<'_>) -> Result<(Option<Header>, usize)> {
    let mut scan = Scan::new(context.bytes, 0, true);
    scan.space();
    let Some(value) = header_value(&scan, &context.rules) else {
        context.scanned(check_object(context))?;
        return Ok((None, 0));
    };
    scan.at = value;
    let header = with_header::header(context, &mut scan, 1)?;
    scan.space();
    context.scanned(scan.expect(b'}', "the end of the header's object"))?;
    scan.space();
    if header.orient != "records" {
        let message = format!("header: orient: expected records, found {:?}.", header.orient);
        return Err(crate::Error::malformed(context.format, message).in_member(header::KEY));
    }
    if scan.at < context.bytes.len() {
        context.scanned(scan.expect(b'\n', "the end of the line"))?;
    }
    Ok((Some(header), scan.at))
}

/// Refuses a first line with a valid value other than an object: such lines are no table, whatever follows. A line that
/// breaks the specification, or a later line with another value, is refused when it is read.
fn check_object(context: &Context<'_>) -> Scanned<()> {
    let mut scan = Scan::new(context.bytes, 0, false);
    scan.space();
    let at = scan.at;
    if scan.peek() == b'{' || scan.value(0, &context.rules).is_err() {
        return Ok(());
    }
    let found = if context.bytes.get(at) == Some(&b'[') { "an array" } else { "a single value" };
    let message = format!(
        "expected a table (an object a line), found {found}. Put it into an object under a column's name."
    );
    Err(Fault::new(ErrorKind::Unsupported, at, message))
}

/// Scans the rows from `start` on.
pub(crate) fn table(context: &Context<'_>, start: usize, declared: &Declared) -> Result<Table> {
    let source = Source { start, rows: Rows::Lines, row: Row::Named, depth: 0 };
    let Collected { keys, columns, rows, missing, .. } = context.collect(&source, declared)?;
    Ok(Table { keys, columns, rows, labels: None, missing, body: Body::Rows(source) })
}
