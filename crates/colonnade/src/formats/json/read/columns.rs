//! Scans columns that are the members of one object: arrays of cells, or objects of cells by row label.

use std::ops::Range;

use crate::error::Result;
use crate::infer::columns::InferredColumn;
use crate::parallel;

use super::cells;
use super::context::Context;
use super::declared::DeclaredColumns;
use super::keys::RowKeys;
use super::members::ObjectMembers;
use super::table::{CellPositions, ScannedTable};
use super::walk::add_missing;
use crate::cells::json::fault::JsonFault;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, too_many_columns};
use crate::json_skip;

/// Scans the remaining members of an object as columns.
pub(crate) fn columns_of_members(
    context: &Context<'_>,
    mut scan: Scan<'_>,
    mut members: ObjectMembers,
    declared: &DeclaredColumns,
) -> Result<(ScannedTable, usize)> {
    if let Some(found) = scan_parallel(context, scan.clone(), members.clone(), declared)? {
        return Ok(found);
    }
    let rules = &context.rules;
    let mut keys = RowKeys::default();
    let mut labels: Option<RowKeys> = None;
    let mut columns: Vec<InferredColumn> = Vec::new();
    let mut starts = Vec::new();
    let (mut rows, mut missing) = (0, 0);
    while let Some((key, at)) = context.locate(members.next(&mut scan))? {
        if columns.len() as u64 >= rules.max_columns {
            return Err(context.error(too_many_columns(at, rules)));
        }
        let is_labelled = scan.peek() == b'{';
        let start = scan.at;
        if columns.is_empty() && is_labelled {
            labels = Some(RowKeys::default());
        }
        if is_labelled != labels.is_some() && matches!(scan.peek(), b'[' | b'{') {
            let message = "expected all columns as arrays, or all as objects of cells by row label, found both. Write them in \
                           one form.";
            return Err(context.error(JsonFault::malformed(start, message).within(&key)));
        }
        let mut none = RowKeys::default();
        let column =
            cells::inferred(&mut scan, declared.column(&key), labels.as_mut().unwrap_or(&mut none), 1, rules);
        let (column, gaps) = context.locate(column.map_err(|fault| fault.within(&key)))?;
        missing = context.locate(add_missing(missing + gaps, 0, start, rules))?;
        match &labels {
            Some(labels) => rows = labels.len(),
            None if columns.is_empty() => rows = column.len(),
            None if column.len() != rows => {
                let message = format!(
                    "expected columns of one length, found {rows} cells in {:?} and {} in {key:?}. Write frames of different \
                     length as an object of frames.",
                    keys.name(0),
                    column.len()
                );
                return Err(context.error(JsonFault::malformed(start, message).within(&key)));
            }
            None => {}
        }
        keys.add(&key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
        columns.push(column);
        starts.push(start);
        context.progress.advance(scan.at as u64, Some(context.bytes.len() as u64))?;
    }
    for column in &mut columns {
        missing = context.locate(add_missing(missing, rows - column.len(), scan.at, rules))?;
        column.nulls(rows - column.len())?;
    }
    Ok((
        ScannedTable { keys, columns, rows, labels, missing, body: CellPositions::Columns(starts, 1) },
        scan.at,
    ))
}

/// A member, and the range of its value if the value is valid.
struct ColumnMember {
    key: String,
    value: Range<usize>,
}

/// A column and its number of missing cells.
type ScannedColumn = (InferredColumn, u64);

/// Scans the columns in several threads, each of which takes the next columns. Returns `None` if threads do not pay, or if
/// any value is not as expected; the sequential scan then reports the error, if there is one.
fn scan_parallel(
    context: &Context<'_>,
    scan: Scan<'_>,
    members: ObjectMembers,
    declared: &DeclaredColumns,
) -> Result<Option<(ScannedTable, usize)>> {
    if context.options.threads < 2 || scan.rest().len() < 2 * context.range_nbytes {
        return Ok(None);
    }
    let input = (context.bytes, &context.rules);
    let Some((listed, end)) = list(context, scan, members) else { return Ok(None) };
    let is_labelled = listed.first().is_some_and(|m| context.bytes.get(m.value.start) == Some(&b'{'));
    // Row labels come from the first column; the other columns are compared with them.
    let mut labels = RowKeys::default();
    let (first, rest) = listed.split_at(usize::from(is_labelled));
    let mut columns = Vec::with_capacity(listed.len());
    for member in first {
        let Some(column) = column(input, member, declared, &mut labels) else { return Ok(None) };
        columns.push(column);
    }
    let groups = groups(rest, context.range_nbytes / 4);
    let tasks = groups.iter().map(|group| {
        let labels = &labels;
        let nbytes = group.iter().map(|member| member.value.len()).sum();
        let work = move || Ok(group.iter().map(|member| column(input, member, declared, labels)).collect());
        (nbytes, work)
    });
    let found: Vec<Option<Vec<ScannedColumn>>> =
        parallel::map(tasks.collect(), context.options.threads, context.progress)?;
    for group in found {
        let Some(group) = group else { return Ok(None) };
        columns.extend(group);
    }
    Ok(table(context, &listed, columns, is_labelled.then_some(labels)).map(|table| (table, end)))
}

/// Finds the members up to the end of the object without checking their values.
fn list(
    context: &Context<'_>,
    mut scan: Scan<'_>,
    mut members: ObjectMembers,
) -> Option<(Vec<ColumnMember>, usize)> {
    let mut listed: Vec<ColumnMember> = Vec::new();
    let mut open = None;
    while let Some((key, _)) = members.next(&mut scan).ok()? {
        let is_same = scan.peek() == *open.get_or_insert(scan.peek());
        if !is_same || !matches!(scan.peek(), b'[' | b'{') || listed.len() as u64 >= context.rules.max_columns
        {
            return None;
        }
        let value = scan.at..json_skip::value_end(context.bytes, scan.at)?;
        scan.at = value.end;
        listed.push(ColumnMember { key, value });
    }
    Some((listed, scan.at))
}

/// Scans a member's column; `None` if it does not end at the expected position.
fn column(
    (bytes, rules): (&[u8], &JsonRules),
    member: &ColumnMember,
    declared: &DeclaredColumns,
    labels: impl cells::RowLabels,
) -> Option<ScannedColumn> {
    let mut scan = Scan::new(bytes, member.value.start, false);
    let found = cells::inferred(&mut scan, declared.column(&member.key), labels, 1, rules);
    found.ok().filter(|_| scan.at == member.value.end)
}

/// Combines members into groups of about `nbytes`, one task each: a task per small member costs more than its scan.
fn groups(mut members: &[ColumnMember], nbytes: usize) -> Vec<&[ColumnMember]> {
    let mut out = Vec::new();
    while !members.is_empty() {
        let mut sum = 0;
        let is_within = |member: &&ColumnMember| {
            let before = sum;
            sum += member.value.len();
            before < nbytes.max(1)
        };
        let count = members.iter().take_while(is_within).count();
        let (group, rest) = members.split_at(count);
        out.push(group);
        members = rest;
    }
    out
}

/// Builds the table of columns, which must have one length.
fn table(
    context: &Context<'_>,
    listed: &[ColumnMember],
    mut columns: Vec<ScannedColumn>,
    labels: Option<RowKeys>,
) -> Option<ScannedTable> {
    let rows = match &labels {
        Some(labels) => labels.len(),
        None => columns.first().map_or(0, |(column, _)| column.len()),
    };
    let mut missing = 0;
    for (column, gaps) in &mut columns {
        let short = rows.checked_sub(column.len()).filter(|&short| short == 0 || labels.is_some())?;
        missing = add_missing(missing + *gaps, short, 0, &context.rules).ok()?;
        column.nulls(short).ok()?;
    }
    let mut keys = RowKeys::default();
    for ColumnMember { key, .. } in listed {
        keys.add(key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
    }
    let starts = listed.iter().map(|member| member.value.start).collect();
    let columns = columns.into_iter().map(|(column, _)| column).collect();
    Some(ScannedTable { keys, columns, rows, labels, missing, body: CellPositions::Columns(starts, 1) })
}
