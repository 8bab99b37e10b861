//! Frames with a header, which declares the type of every column.
//!
//! Cells are scanned as without a header, because most cells have the type that they appear to have. Other types are
//! converted from the scanned values, or read from the bytes in a second pass.

use arrow_data::ArrayData;

use crate::arrow::import::FramePlan;
use crate::cells::text::TextStyle;
use crate::error::{Error, ErrorKind, Result};
use crate::excerpt::excerpt;
use crate::frame::Frame;
use crate::text::DecodedText;
use crate::text::header::{self, TextHeader};

use super::context::Context;
use super::second_pass::{SecondPass, SecondPassColumn};
use super::table::ScannedTable;
use super::typed;
use super::walk::add_missing;
use crate::cells::json::scan::Scan;

/// Reads the header whose value begins at `at`, and skips it.
pub(crate) fn header(context: &Context<'_>, scan: &mut Scan<'_>, depth: u64) -> Result<TextHeader> {
    let start = scan.at;
    context.locate(scan.value(depth, &context.rules))?;
    let limits = &context.options.limits;
    TextHeader::parse(scan.text(start..scan.at), TextStyle::json(context.format), limits).map_err(|e| {
        let message = e.message().to_owned();
        (context.place)(start).error(e.into_kind(), context.format, Some(header::KEY), message)
    })
}

/// Builds the frame of the scanned table.
pub(crate) fn frame(
    context: &Context<'_>,
    mut header: TextHeader,
    mut table: ScannedTable,
    orient: &'static str,
) -> Result<DecodedText> {
    let plan = header.plan().map_err(|e| in_format(context, e))?;
    if table.columns.is_empty() && table.rows == 0 && header.schema.fields().is_empty() {
        // Rows without columns leave no trace except their number.
        table.rows = header.nrows.unwrap_or(0);
        context.locate(add_missing(0, table.rows, 0, &context.rules))?;
    }
    let rows = table.rows;
    if let Some(expected) = header.nrows.filter(|&n| n != rows) {
        return Err(row_count_error(context.format, expected, rows));
    }
    let arrays = arrays(context, &header, &plan, table)?;
    header.nrows = Some(rows);
    let frame = header.frame(plan, arrays).map_err(|e| in_format(context, e))?;
    Ok(DecodedText::new(frame, orient, Some(header::VERSION)))
}

/// Returns the error for a number of rows other than the header's.
pub(crate) fn row_count_error(format: &'static str, expected: usize, rows: usize) -> Error {
    let message = format!("expected {expected} rows as the header says, found {rows}.");
    let kind = match rows < expected {
        true => ErrorKind::Truncated { needed: expected as u64, had: rows as u64 },
        false => ErrorKind::Malformed,
    };
    Error::new(kind, format, message)
}

/// Builds the frame of one chunk, whose first row is row `first_row` of the input.
pub(crate) fn chunk(
    context: &Context<'_>,
    header: &TextHeader,
    table: ScannedTable,
    first_row: usize,
) -> Result<Frame> {
    let plan = header.plan().map_err(|e| in_format(context, e))?;
    let rows = table.rows;
    let arrays = arrays(context, header, &plan, table)?;
    plan.batch(&arrays, rows, first_row).map_err(|e| in_format(context, e))
}

fn in_format(context: &Context<'_>, error: Error) -> Error {
    error.in_format(context.format)
}

/// Builds one array per field.
fn arrays(
    context: &Context<'_>,
    header: &TextHeader,
    plan: &FramePlan,
    mut table: ScannedTable,
) -> Result<Vec<ArrayData>> {
    let readers = || {
        let style = TextStyle::json(context.format);
        let style = if is_inferred(context) { style.of_inferred() } else { style };
        let readers = header.readers(plan, style, &context.options.limits);
        readers.map(|all| all.into_iter().map(Some).collect::<Vec<_>>()).map_err(|e| in_format(context, e))
    };
    let fields = header.schema.fields();
    let places = places(context, header, &table)?;
    if table.missing > 0 && !is_inferred(context) {
        let message = format!(
            "expected every field of the header in every row, found {} cells missing. The file was changed by a program that \
             does not know the header: drop the entry __colonnade__ to read it as a foreign one.",
            table.missing
        );
        return Err(Error::malformed(context.format, message));
    }
    let rows = table.rows;
    let mut columns: Vec<Option<ArrayData>> = Vec::with_capacity(table.columns.len());
    for column in std::mem::take(&mut table.columns) {
        columns.push(if column.is_unknown() { None } else { Some(column.array()?) });
    }
    let mut again: Vec<SecondPass> = columns.iter().map(|_| SecondPass::Skip(0)).collect();
    let (mut first, mut second) = (readers()?, None);
    let mut out: Vec<Option<ArrayData>> = Vec::with_capacity(fields.len());
    for (i, ((field, field_plan), place)) in fields.iter().zip(&plan.fields).zip(&places).enumerate() {
        let Some(mut reader) = first.get_mut(i).and_then(Option::take) else { continue };
        let found = place.and_then(|p| columns.get_mut(p)).and_then(Option::take);
        let fed = match &found {
            Some(data) => {
                if let Some(direct) = typed::direct(field, field_plan, data)? {
                    out.push(Some(direct));
                    continue;
                }
                typed::feed(reader.as_mut(), data)
            }
            // A column without rows has no key.
            None => place.is_none() && reader.nulls(rows).is_ok(),
        };
        if fed {
            out.push(Some(
                reader.finish().map_err(|e| in_format(context, e).in_member(field.name().clone()))?,
            ));
            continue;
        }
        // The cells were not stored, or one was refused: read them from the bytes, which gives the place of an error. A
        // reader that has taken some cells is unusable.
        let fresh = match &mut second {
            Some(fresh) => fresh,
            none => none.insert(readers()?),
        };
        if let (Some(reader), Some(target)) =
            (fresh.get_mut(i).and_then(Option::take), place.and_then(|p| again.get_mut(p)))
        {
            *target = SecondPass::Typed(reader);
        }
        out.push(None);
    }
    if out.iter().any(Option::is_none) {
        let mut taken: Vec<Option<SecondPassColumn>> = Vec::with_capacity(again.len());
        for one in context.locate(table.second_pass(context, again))? {
            taken.push(one.finish().map_err(|e| in_format(context, e))?);
        }
        for (slot, place) in out.iter_mut().zip(&places) {
            if let (None, Some(Some(SecondPassColumn::Typed(data)))) =
                (&slot, place.and_then(|p| taken.get_mut(p)).map(Option::take))
            {
                *slot = Some(data);
            }
        }
    }
    let none =
        || Error::malformed(context.format, "expected a column for each field of the header, found fewer.");
    out.into_iter().map(|data| data.ok_or_else(none)).collect()
}

/// Whether the types come from the first chunk of schemaless rows, in which some rows may lack keys.
fn is_inferred(context: &Context<'_>) -> bool {
    !context.hint.is_empty()
}

/// Maps each field to its scanned column; `None` if no row has its key.
fn places(context: &Context<'_>, header: &TextHeader, table: &ScannedTable) -> Result<Vec<Option<usize>>> {
    let keys = header::keys(&header.schema);
    let is_named = table.keys.len() > 0 || table.columns.is_empty();
    if !is_named {
        if table.columns.len() != keys.len() {
            let message = format!(
                "expected rows of {} cells, one a field of the header, found {}.",
                keys.len(),
                table.columns.len()
            );
            return Err(Error::malformed(context.format, message));
        }
        return Ok((0..keys.len()).map(Some).collect());
    }
    let places: Vec<Option<usize>> = keys.iter().map(|key| table.keys.place(key)).collect();
    let known = places.iter().flatten().count();
    if known < table.keys.len() {
        let unknown = table.keys.names().iter().find(|name| !keys.contains(name)).map_or("", String::as_str);
        let message = format!(
            "expected the fields of the header alone, found {}. The file was changed by a program that does not know the \
             header: drop the entry __colonnade__ to read it as a foreign one.",
            excerpt(unknown)
        );
        return Err(Error::malformed(context.format, message));
    }
    if let Some(missing) = keys.iter().zip(&places).find(|(_, place)| place.is_none()).map(|(key, _)| key)
        && table.rows > 0
        && !is_inferred(context)
    {
        let message = format!(
            "expected a field {} as the header says, found none. The file was changed by a program that does not know the \
             header: drop the entry __colonnade__ to read it as a foreign one.",
            excerpt(missing)
        );
        return Err(Error::malformed(context.format, message));
    }
    Ok(places)
}
