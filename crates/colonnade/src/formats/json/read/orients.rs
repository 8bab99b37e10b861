//! Reads each orient: finds the columns, rows and labels in a value.

use crate::error::{ErrorKind, Result};
use crate::formats::json::write::options::Orient;
use crate::frame::Axis;
use crate::infer::columns::Finished;

use super::cells;
use super::columns::columns_of_members;
use super::context::Context;
use super::declared::Declared;
use super::frames::{nothing, scanned_axis};
use super::inference::Part;
use super::keys::Keys;
use super::members::Members;
use super::ranges::Collected;
use super::rows::{Rows, Source};
use super::table::{Body, Table};
use super::walk::Row;
use crate::cells::json::fault::Fault;
use crate::cells::json::scan::Scan;

/// Columns and labels, and the end of the value.
pub(crate) struct Found {
    pub(crate) table: Table,
    pub(crate) index: Option<Axis>,
    pub(crate) names: Option<Axis>,
    pub(crate) end: usize,
}

/// Scans the schemaless value at the current position.
pub(crate) fn take(context: &Context<'_>, mut scan: Scan<'_>, orient: Orient) -> Result<Found> {
    let plain = |(table, end)| Found { table, index: None, names: None, end };
    match orient {
        Orient::Records => rows(context, scan.at, (Rows::Array, Row::Named), 1).map(plain),
        Orient::Values => rows(context, scan.at, (Rows::Array, Row::Listed), 1).map(plain),
        Orient::Index => rows(context, scan.at, (Rows::Object, Row::Named), 1).map(plain),
        Orient::Columns => {
            let members = context.scanned(Members::begin(&mut scan, 0, &context.rules))?;
            columns_of_members(context, scan, members, &Declared::default()).map(plain)
        }
        Orient::Split | Orient::Table => split(context, scan),
    }
}

/// Scans an object of scalars as one row.
pub(crate) fn row(context: &Context<'_>, scan: Scan<'_>) -> Result<(Table, usize)> {
    let start = scan.at;
    // The object is scanned as one row without an array around it, like a line that may be truncated.
    let mut walk = super::walk::Walk::new(Keys::default(), Vec::new());
    let mut scan = scan;
    context.scanned(walk.named(&mut scan, 0, &context.rules, |_| Part::default()))?;
    let columns = walk.columns.into_iter().map(|part| part.column).collect();
    let body = Body::Rows(Source { start, rows: Rows::One, row: Row::Named, depth: 0 });
    Ok((Table { keys: walk.keys, columns, rows: 1, labels: None, missing: 0, body }, scan.at))
}

/// Scans the rows of the array or object at `at`, inside `depth` arrays and objects including itself.
pub(crate) fn rows(
    context: &Context<'_>,
    at: usize,
    kind: (Rows, Row),
    depth: u64,
) -> Result<(Table, usize)> {
    declared_rows(context, at, kind, depth, &Declared::default())
}

fn declared_rows(
    context: &Context<'_>,
    at: usize,
    (rows, row): (Rows, Row),
    depth: u64,
    declared: &Declared,
) -> Result<(Table, usize)> {
    let mut scan = Scan::new(context.bytes, at, false);
    context.scanned(scan.deepen(depth - 1, &context.rules))?;
    let (open, close, what) = match rows {
        Rows::Object => (b'{', b'}', "an object of rows"),
        _ => (b'[', b']', "an array of rows"),
    };
    context.scanned(scan.expect(open, what))?;
    scan.space();
    let source = Source { start: scan.at, rows, row, depth };
    let body = Body::Rows(source);
    if scan.peek() == close {
        let body = Body::Columns(Vec::new(), depth);
        let table =
            Table { keys: Keys::default(), columns: Vec::new(), rows: 0, labels: None, missing: 0, body };
        return Ok((table, scan.at + 1));
    }
    let Collected { keys, columns, rows, labels, missing, end, .. } = context.collect(&source, declared)?;
    Ok((Table { keys, columns, rows, labels, missing, body }, end))
}

/// Scans the rows among the remaining members of an object with Colonnade's header.
pub(crate) fn rows_of_members(
    context: &Context<'_>,
    mut scan: Scan<'_>,
    mut members: Members,
    orient: Orient,
    declared: &Declared,
) -> Result<(Table, usize)> {
    let (wanted, kind) = match orient {
        Orient::Records | Orient::Columns => ("records", (Rows::Array, Row::Named)),
        Orient::Index => ("index", (Rows::Object, Row::Named)),
        Orient::Table => ("data", (Rows::Array, Row::Named)),
        Orient::Split | Orient::Values => ("data", (Rows::Array, Row::Listed)),
    };
    let mut found = None;
    while let Some((key, at)) = context.scanned(members.next(&mut scan))? {
        if key == wanted {
            let (table, end) = declared_rows(context, scan.at, kind, 2, declared)?;
            found = Some(table);
            scan.at = end;
        } else if orient == Orient::Split && key == "columns" {
            let start = scan.at;
            context.scanned(scan.value(1, &context.rules))?;
            let found: Option<Vec<String>> = serde_json::from_str(scan.text(start..scan.at)).ok();
            if found.as_deref() != Some(declared.names()) {
                let message = "expected the fields of the header in their order, found others. The file was changed by a \
                               program that does not know the header: drop the entry __colonnade__ to read it as a foreign \
                               one.";
                return Err(context.error(Fault::malformed(start, message)));
            }
        } else if matches!((orient, key.as_str()), (Orient::Split, "index") | (Orient::Table, "schema")) {
            // This member serves other readers; the header has the same information.
            context.scanned(scan.value(1, &context.rules))?;
        } else {
            let message = format!("expected \"{wanted}\" behind the header, found the key {key:?}.");
            return Err(context.error(Fault::malformed(at, message)));
        }
    }
    let end = scan.at;
    let none = || {
        context.error(Fault::malformed(end, format!("expected \"{wanted}\" behind the header, found none.")))
    };
    let mut table = found.ok_or_else(none)?;
    table.labels = None;
    Ok((table, end))
}

/// Scans an object of `columns`, `data` and optionally `index`.
fn split(context: &Context<'_>, mut scan: Scan<'_>) -> Result<Found> {
    let mut members = context.scanned(Members::begin(&mut scan, 0, &context.rules))?;
    let (mut names, mut index, mut table) = (None, None, None);
    let mut data_at = scan.at;
    while let Some((key, at)) = context.scanned(members.next(&mut scan))? {
        match key.as_str() {
            "columns" | "index" => {
                let (axis, end) = labels(context, scan.at)?;
                scan.at = end;
                *(if key == "columns" { &mut names } else { &mut index }) = Some(axis);
            }
            "data" => {
                data_at = scan.at;
                let (found, end) = rows(context, scan.at, (Rows::Array, Row::Listed), 2)?;
                scan.at = end;
                table = Some(found);
            }
            _ => {
                let message = format!("expected \"columns\", \"index\" and \"data\", found the key {key:?}.");
                return Err(context.error(Fault::malformed(at, message)));
            }
        }
    }
    let end = scan.at;
    let missing =
        |what: &str| context.error(Fault::malformed(end, format!("expected a member {what:?}, found none.")));
    let names = names.ok_or_else(|| missing("columns"))?;
    let mut table = table.ok_or_else(|| missing("data"))?;
    let wrong = |message: String| context.error(Fault::malformed(data_at, message));
    if table.rows == 0 {
        // Rows without cells leave no trace in "data".
        table.rows = index.as_ref().filter(|_| names.is_empty()).map_or(0, Axis::len);
        let rows = table.rows;
        table.columns = (0..names.len()).map(|_| nothing(rows)).collect::<Result<_>>()?;
    }
    if names.len() != table.columns.len() {
        return Err(wrong(format!(
            "expected rows of {} cells as \"columns\" has, found {}.",
            names.len(),
            table.columns.len()
        )));
    }
    if let Some(index) = &index
        && index.len() != table.rows
    {
        return Err(wrong(format!("expected {} rows as \"index\" has, found {}.", index.len(), table.rows)));
    }
    Ok(Found { table, index, names: Some(names), end })
}

/// Scans the labels of the array at `at`: one level, or arrays with one label per level.
fn labels(context: &Context<'_>, at: usize) -> Result<(Axis, usize)> {
    let mut scan = Scan::new(context.bytes, at, false);
    context.scanned(scan.expect(b'[', "an array of labels"))?;
    scan.space();
    if scan.peek() == b'[' {
        let (table, end) = rows(context, at, (Rows::Array, Row::Listed), 2)?;
        let (_, columns) = table.finish(context)?;
        return Ok((scanned_axis(simple(context, at, columns)?)?, end));
    }
    let mut scan = Scan::new(context.bytes, at, false);
    let column = cells::inferred(&mut scan, Part::default(), &mut Keys::default(), 1, &context.rules);
    let (column, _) = context.scanned(column)?;
    let end = scan.at;
    if column.is_empty() {
        return Ok((Axis::range(0), end));
    }
    if column.is_unknown() || column.is_nested() {
        let message = "expected labels of one kind (text, integers, floats, booleans), found several. Write them as text.";
        return Err(context.error(Fault::new(ErrorKind::Unsupported, at, message)));
    }
    Ok((scanned_axis(vec![column.finish()?])?, end))
}

fn simple(context: &Context<'_>, at: usize, columns: Vec<Finished>) -> Result<Vec<Finished>> {
    let odd = |column: &Finished| matches!(column, Finished::Column(column) if column.tag.is_some());
    if columns.iter().any(odd) {
        let message = "expected labels of one kind in each level, found several. Write them as text.";
        return Err(context.error(Fault::new(ErrorKind::Unsupported, at, message)));
    }
    Ok(columns)
}
