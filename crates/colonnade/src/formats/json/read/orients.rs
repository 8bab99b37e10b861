//! Reads each orient: finds the columns, rows and labels in a value.

use crate::error::{ErrorKind, Result};
use crate::formats::json::write::options::JsonOrient;
use crate::frame::Axis;
use crate::infer::columns::BlockOrColumn;

use super::cells;
use super::columns::columns_of_members;
use super::context::Context;
use super::declared::DeclaredColumns;
use super::frames::{null_column, scanned_axis};
use super::inference::RangeColumn;
use super::keys::RowKeys;
use super::members::ObjectMembers;
use super::ranges::ScannedRows;
use super::rows::{JsonRows, RowContainer};
use super::table::{CellPositions, ScannedTable};
use super::walk::RowForm;
use crate::cells::json::fault::JsonFault;
use crate::cells::json::scan::Scan;

/// Columns and labels, and the end of the value.
pub(crate) struct ScannedFrame {
    pub(crate) table: ScannedTable,
    pub(crate) index: Option<Axis>,
    pub(crate) names: Option<Axis>,
    pub(crate) end: usize,
}

/// Scans the schemaless value at the current position.
pub(crate) fn take(context: &Context<'_>, mut scan: Scan<'_>, orient: JsonOrient) -> Result<ScannedFrame> {
    let plain = |(table, end)| ScannedFrame { table, index: None, names: None, end };
    match orient {
        JsonOrient::Records => rows(context, scan.at, (RowContainer::Array, RowForm::Named), 1).map(plain),
        JsonOrient::Values => rows(context, scan.at, (RowContainer::Array, RowForm::Listed), 1).map(plain),
        JsonOrient::Index => rows(context, scan.at, (RowContainer::Object, RowForm::Named), 1).map(plain),
        JsonOrient::Columns => {
            let members = context.locate(ObjectMembers::begin(&mut scan, 0, &context.rules))?;
            columns_of_members(context, scan, members, &DeclaredColumns::default()).map(plain)
        }
        JsonOrient::Split | JsonOrient::Table => split(context, scan),
    }
}

/// Scans an object of scalars as one row.
pub(crate) fn row(context: &Context<'_>, scan: Scan<'_>) -> Result<(ScannedTable, usize)> {
    let start = scan.at;
    // The object is scanned as one row without an array around it, like a line that may be truncated.
    let mut walk = super::walk::RowScanner::new(RowKeys::default(), Vec::new());
    let mut scan = scan;
    context.locate(walk.scan_object(&mut scan, 0, &context.rules, |_| RangeColumn::default()))?;
    let columns = walk.columns.into_iter().map(|part| part.column).collect();
    let body =
        CellPositions::Rows(JsonRows { start, rows: RowContainer::One, row: RowForm::Named, depth: 0 });
    Ok((ScannedTable { keys: walk.keys, columns, rows: 1, labels: None, missing: 0, body }, scan.at))
}

/// Scans the rows of the array or object at `at`, inside `depth` arrays and objects including itself.
pub(crate) fn rows(
    context: &Context<'_>,
    at: usize,
    kind: (RowContainer, RowForm),
    depth: u64,
) -> Result<(ScannedTable, usize)> {
    declared_rows(context, at, kind, depth, &DeclaredColumns::default())
}

fn declared_rows(
    context: &Context<'_>,
    at: usize,
    (rows, row): (RowContainer, RowForm),
    depth: u64,
    declared: &DeclaredColumns,
) -> Result<(ScannedTable, usize)> {
    let mut scan = Scan::new(context.bytes, at, false);
    context.locate(scan.deepen(depth - 1, &context.rules))?;
    let (open, close, what) = match rows {
        RowContainer::Object => (b'{', b'}', "an object of rows"),
        _ => (b'[', b']', "an array of rows"),
    };
    context.locate(scan.expect(open, what))?;
    scan.space();
    let source = JsonRows { start: scan.at, rows, row, depth };
    let body = CellPositions::Rows(source);
    if scan.peek() == close {
        let body = CellPositions::Columns(Vec::new(), depth);
        let table = ScannedTable {
            keys: RowKeys::default(),
            columns: Vec::new(),
            rows: 0,
            labels: None,
            missing: 0,
            body,
        };
        return Ok((table, scan.at + 1));
    }
    let ScannedRows { keys, columns, rows, labels, missing, end, .. } = context.collect(&source, declared)?;
    Ok((ScannedTable { keys, columns, rows, labels, missing, body }, end))
}

/// Scans the rows among the remaining members of an object with Colonnade's header.
pub(crate) fn rows_of_members(
    context: &Context<'_>,
    mut scan: Scan<'_>,
    mut members: ObjectMembers,
    orient: JsonOrient,
    declared: &DeclaredColumns,
) -> Result<(ScannedTable, usize)> {
    let (expected_key, kind) = match orient {
        JsonOrient::Records | JsonOrient::Columns => ("records", (RowContainer::Array, RowForm::Named)),
        JsonOrient::Index => ("index", (RowContainer::Object, RowForm::Named)),
        JsonOrient::Table => ("data", (RowContainer::Array, RowForm::Named)),
        JsonOrient::Split | JsonOrient::Values => ("data", (RowContainer::Array, RowForm::Listed)),
    };
    let mut found = None;
    while let Some((key, at)) = context.locate(members.next(&mut scan))? {
        if key == expected_key {
            let (table, end) = declared_rows(context, scan.at, kind, 2, declared)?;
            found = Some(table);
            scan.at = end;
        } else if orient == JsonOrient::Split && key == "columns" {
            let start = scan.at;
            context.locate(scan.value(1, &context.rules))?;
            let found: Option<Vec<String>> = serde_json::from_str(scan.text(start..scan.at)).ok();
            if found.as_deref() != Some(declared.names()) {
                let message = "expected the fields of the header in their order, found others. The file was changed by a \
                               program that does not know the header: drop the entry __colonnade__ to read it as a foreign \
                               one.";
                return Err(context.error(JsonFault::malformed(start, message)));
            }
        } else if matches!(
            (orient, key.as_str()),
            (JsonOrient::Split, "index") | (JsonOrient::Table, "schema")
        ) {
            // This member serves other readers; the header has the same information.
            context.locate(scan.value(1, &context.rules))?;
        } else {
            let message = format!("expected \"{expected_key}\" behind the header, found the key {key:?}.");
            return Err(context.error(JsonFault::malformed(at, message)));
        }
    }
    let end = scan.at;
    let none = || {
        context.error(JsonFault::malformed(
            end,
            format!("expected \"{expected_key}\" behind the header, found none."),
        ))
    };
    let mut table = found.ok_or_else(none)?;
    table.labels = None;
    Ok((table, end))
}

/// Scans an object of `columns`, `data` and optionally `index`.
fn split(context: &Context<'_>, mut scan: Scan<'_>) -> Result<ScannedFrame> {
    let mut members = context.locate(ObjectMembers::begin(&mut scan, 0, &context.rules))?;
    let (mut names, mut index, mut table) = (None, None, None);
    let mut data_at = scan.at;
    while let Some((key, at)) = context.locate(members.next(&mut scan))? {
        match key.as_str() {
            "columns" | "index" => {
                let (axis, end) = labels(context, scan.at)?;
                scan.at = end;
                *(if key == "columns" { &mut names } else { &mut index }) = Some(axis);
            }
            "data" => {
                data_at = scan.at;
                let (found, end) = rows(context, scan.at, (RowContainer::Array, RowForm::Listed), 2)?;
                scan.at = end;
                table = Some(found);
            }
            _ => {
                let message = format!("expected \"columns\", \"index\" and \"data\", found the key {key:?}.");
                return Err(context.error(JsonFault::malformed(at, message)));
            }
        }
    }
    let end = scan.at;
    let missing = |what: &str| {
        context.error(JsonFault::malformed(end, format!("expected a member {what:?}, found none.")))
    };
    let names = names.ok_or_else(|| missing("columns"))?;
    let mut table = table.ok_or_else(|| missing("data"))?;
    let wrong = |message: String| context.error(JsonFault::malformed(data_at, message));
    if table.rows == 0 {
        // Rows without cells leave no trace in "data".
        table.rows = index.as_ref().filter(|_| names.is_empty()).map_or(0, Axis::len);
        let rows = table.rows;
        table.columns = (0..names.len()).map(|_| null_column(rows)).collect::<Result<_>>()?;
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
    Ok(ScannedFrame { table, index, names: Some(names), end })
}

/// Scans the labels of the array at `at`: one level, or arrays with one label per level.
fn labels(context: &Context<'_>, at: usize) -> Result<(Axis, usize)> {
    let mut scan = Scan::new(context.bytes, at, false);
    context.locate(scan.expect(b'[', "an array of labels"))?;
    scan.space();
    if scan.peek() == b'[' {
        let (table, end) = rows(context, at, (RowContainer::Array, RowForm::Listed), 2)?;
        let (_, columns) = table.finish(context)?;
        return Ok((scanned_axis(untagged_levels(context, at, columns)?)?, end));
    }
    let mut scan = Scan::new(context.bytes, at, false);
    let column =
        cells::inferred(&mut scan, RangeColumn::default(), &mut RowKeys::default(), 1, &context.rules);
    let (column, _) = context.locate(column)?;
    let end = scan.at;
    if column.is_empty() {
        return Ok((Axis::range(0), end));
    }
    if column.is_unknown() || column.is_nested() {
        let message = "expected labels of one kind (text, integers, floats, booleans), found several. Write them as text.";
        return Err(context.error(JsonFault::new(ErrorKind::Unsupported, at, message)));
    }
    Ok((scanned_axis(vec![column.finish()?])?, end))
}

fn untagged_levels(
    context: &Context<'_>,
    at: usize,
    columns: Vec<BlockOrColumn>,
) -> Result<Vec<BlockOrColumn>> {
    let odd =
        |column: &BlockOrColumn| matches!(column, BlockOrColumn::Column(column) if column.tag.is_some());
    if columns.iter().any(odd) {
        let message = "expected labels of one kind in each level, found several. Write them as text.";
        return Err(context.error(JsonFault::new(ErrorKind::Unsupported, at, message)));
    }
    Ok(columns)
}
