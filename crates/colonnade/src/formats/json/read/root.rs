//! Reads one JSON value as a frame.

use crate::error::{Error, ErrorKind, Result};
use crate::formats::json::write::options::JsonOrient;
use crate::memory::Buffer;
use crate::progress::{NoProgress, Progress, ScaledProgress};
use crate::text::input::SourceText;
use crate::text::opened::LabelledRanges;
use crate::text::{DecodedText, header};

use super::context::{Context, RANGE_NBYTES};
use super::declared::DeclaredColumns;
use super::members::ObjectMembers;
use super::options::ReadOptions;
use super::orients;
use super::shape::{self, JsonShape};
use super::{frames, listed, with_header};
use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;

/// The format's name in errors.
pub(crate) const FORMAT: &str = "json";

/// Decodes the frame of `input`.
///
/// # Errors
/// Malformed, truncated, over a limit, with line, column and byte; several frames.
pub fn decode(input: &Buffer, options: &ReadOptions) -> Result<DecodedText> {
    decode_with(input, options, &NoProgress)
}

/// Decodes the frame of `input` and reports progress.
///
/// # Errors
/// As [`decode`]; cancelled.
pub fn decode_with(input: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<DecodedText> {
    with_context(FORMAT, input, (options, progress), decode_text)
        .and_then(|found| report_done(input, progress, found))
}

/// Reports that all of `input` is done.
pub(crate) fn report_done<T>(input: &Buffer, progress: &dyn Progress, found: T) -> Result<T> {
    let nbytes = input.as_slice().len() as u64;
    progress.advance(nbytes, Some(nbytes)).map(|()| found)
}

/// Returns the labels and ranges of a bundle's frames; `None` if `input` is one frame.
///
/// # Errors
/// As [`decode`].
pub fn bundle(input: &Buffer, options: &ReadOptions) -> Result<Option<LabelledRanges>> {
    with_context(FORMAT, input, (options, &NoProgress), |context| {
        let mut scan = Scan::new(context.bytes, 0, false);
        scan.space();
        let is_own = header_value(&scan, &context.rules).is_some();
        if !may_be_bundle(&scan, options.orient, &context.rules) || is_own {
            return Ok(None);
        }
        if context.locate(shape::sniff(scan.clone(), None, &context.rules))? != JsonShape::Bundle {
            return Ok(None);
        }
        // The ranges refer to the source. Entries are in order, so computing all of them costs one pass.
        let text = SourceText::of(FORMAT, input, options.part, options.encoding, options.threads)?;
        let mut known = (0, usize::try_from(text.place(0).byte).unwrap_or(usize::MAX));
        let mut source = |at: usize| {
            known = (at, known.1.saturating_add(text.source_nbytes(known.0..at)));
            known.1
        };
        let entries = context.locate(shape::entries(&mut scan, &context.rules))?;
        check_no_rest(context, scan.at)?;
        Ok(Some(entries.into_iter().map(|e| (e.key, source(e.value.start)..source(e.value.end))).collect()))
    })
}

/// Whether the value at the current position may be a bundle whose frames have the given orient. Objects of objects without
/// a header are columns instead.
fn may_be_bundle(scan: &Scan<'_>, orient: Option<JsonOrient>, rules: &JsonRules) -> bool {
    if scan.peek() != b'{' {
        return false;
    }
    if matches!(orient, None | Some(JsonOrient::Records | JsonOrient::Values)) {
        return true;
    }
    let mut scan = scan.clone();
    let first = ObjectMembers::begin(&mut scan, 0, rules).and_then(|mut members| members.next(&mut scan));
    matches!(first, Ok(Some(_))) && scan.peek() == b'{' && header_value(&scan, rules).is_some()
}

/// Decodes `input` to text and passes it to `work`.
pub(crate) fn with_context<T>(
    format: &'static str,
    input: &Buffer,
    (options, progress): (&ReadOptions, &dyn Progress),
    work: impl FnOnce(&Context<'_>) -> Result<T>,
) -> Result<T> {
    let (nbytes, cap) = (input.as_slice().len() as u64, options.limits.max_nbytes);
    if nbytes > cap {
        let message =
            format!("{nbytes} bytes, over the limit of {cap}. Raise Limits(max_nbytes=...) to read them.");
        return Err(Error::limit(format, message));
    }
    let text = SourceText::of(format, input, options.part, options.encoding, options.threads)?;
    let place = |at: usize| text.place(at);
    let (bytes, rules, range_nbytes) = (text.as_bytes(), options.rules(text.as_bytes().len()), RANGE_NBYTES);
    let progress = &ScaledProgress::new(progress, bytes.len() as u64, nbytes);
    let label: fn(&Context<'_>, usize) -> Option<String> =
        if format == FORMAT { listed::label } else { |_, _| None };
    work(&Context { bytes, options, rules, format, range_nbytes, hint: "", progress, place: &place, label })
}

/// Returns the start of the header's value, if the object at the current position has Colonnade's header.
pub(crate) fn header_value(scan: &Scan<'_>, rules: &JsonRules) -> Option<usize> {
    let mut scan = scan.clone();
    let mut members = ObjectMembers::begin(&mut scan, 0, rules).ok()?;
    match members.next(&mut scan) {
        Ok(Some((key, _))) if key == header::KEY => Some(scan.at),
        _ => None,
    }
}

pub(crate) fn decode_text(context: &Context<'_>) -> Result<DecodedText> {
    let mut scan = Scan::new(context.bytes, 0, false);
    scan.space();
    if header_value(&scan, &context.rules).is_some() {
        return decode_with_header(context, scan);
    }
    let (table, index, names, orient, end) =
        match context.locate(shape::sniff(scan.clone(), context.options.orient, &context.rules))? {
            JsonShape::Bundle => {
                let message = "expected one frame, found an object of several. Open one of them by its label \
                               (read_bundle), or say orient=\"columns\" where they are columns of objects.";
                return Err((context.place)(scan.at).error(ErrorKind::Unsupported, FORMAT, None, message));
            }
            JsonShape::Row => {
                let (table, end) = orients::row(context, scan)?;
                (table, None, None, JsonOrient::Records, end)
            }
            JsonShape::Laid(JsonOrient::Table) => {
                let (frame, end) = super::schema::frame(context, scan)?;
                check_no_rest(context, end)?;
                return Ok(DecodedText::new(frame, JsonOrient::Table.name(), None));
            }
            JsonShape::Laid(orient) => {
                let found = orients::take(context, scan, orient)?;
                (found.table, found.index, found.names, orient, found.end)
            }
        };
    check_no_rest(context, end)?;
    let frame = frames::assemble(context, table, index, names)?;
    Ok(DecodedText::new(frame, orient.name(), None))
}

/// Checks that only white space follows.
fn check_no_rest(context: &Context<'_>, end: usize) -> Result<()> {
    let mut scan = Scan::new(context.bytes, end, false);
    scan.space();
    if scan.at < context.bytes.len() {
        let mut fault = scan.unexpected("the end of the input behind the value");
        let between = context.bytes.get(end..scan.at).unwrap_or(&[]);
        if between.contains(&b'\n') && scan.peek() == b'{' {
            fault.message.push_str(" If each line is a value, it is NDJSON: pass format=\"ndjson\".");
        }
        return Err(context.error(fault));
    }
    Ok(())
}

fn decode_with_header(context: &Context<'_>, mut scan: Scan<'_>) -> Result<DecodedText> {
    let rules = &context.rules;
    let mut members = context.locate(ObjectMembers::begin(&mut scan, 0, rules))?;
    context.locate(members.next(&mut scan))?;
    let start = scan.at;
    let header = with_header::header(context, &mut scan, 1)?;
    let orient = JsonOrient::from_name(&header.orient).map_err(|_| {
        let message = format!("header: orient: expected one that JSON has, found {:?}.", header.orient);
        Error::malformed(FORMAT, message).in_member(header::KEY)
    })?;
    if let Some(asked) = context.options.orient.filter(|asked| *asked != orient) {
        let message = format!(
            "expected what orient={:?} lays out, found a header that says {:?}. Leave orient= out to have it detected.",
            asked.name(),
            orient.name()
        );
        return Err((context.place)(start).error(ErrorKind::Malformed, FORMAT, Some(header::KEY), message));
    }
    let declared = DeclaredColumns::of(&header.schema);
    let (table, end) = match orient {
        JsonOrient::Columns => super::columns::columns_of_members(context, scan, members, &declared)?,
        _ => orients::rows_of_members(context, scan, members, orient, &declared)?,
    };
    check_no_rest(context, end)?;
    with_header::frame(context, header, table, orient.name())
}
