//! Columns that are members of one object: arrays of cells, or objects of them by row label.

use std::ops::Range;

use crate::error::Result;
use crate::infer::columns::Inferred;
use crate::parallel;

use super::cells;
use super::context::Context;
use super::declared::Declared;
use super::keys::Keys;
use super::members::Members;
use super::table::{Body, Table};
use super::walk::counted;
use crate::cells::json::fault::Fault;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{Rules, too_many};
use crate::json_skip;

/// The columns that are the rest of an object's members.
pub(crate) fn columns_of_members(
    context: &Context<'_>,
    mut scan: Scan<'_>,
    mut members: Members,
    declared: &Declared,
) -> Result<(Table, usize)> {
    if let Some(found) = side_by_side(context, scan.clone(), members.clone(), declared)? {
        return Ok(found);
    }
    let rules = &context.rules;
    let mut keys = Keys::default();
    let mut labels: Option<Keys> = None;
    let mut columns: Vec<Inferred> = Vec::new();
    let mut starts = Vec::new();
    let (mut rows, mut missing) = (0, 0);
    while let Some((key, at)) = context.scanned(members.next(&mut scan))? {
        if columns.len() as u64 >= rules.max_columns {
            return Err(context.error(too_many(at, rules)));
        }
        let is_labelled = scan.peek() == b'{';
        let start = scan.at;
        if columns.is_empty() && is_labelled {
            labels = Some(Keys::default());
        }
        if is_labelled != labels.is_some() && matches!(scan.peek(), b'[' | b'{') {
            let message = "expected all columns as arrays, or all as objects of cells by row label, found both. Write them in \
                           one form.";
            return Err(context.error(Fault::malformed(start, message).within(&key)));
        }
        let mut none = Keys::default();
        let column =
            cells::inferred(&mut scan, declared.column(&key), labels.as_mut().unwrap_or(&mut none), 1, rules);
        let (column, gaps) = context.scanned(column.map_err(|fault| fault.within(&key)))?;
        missing = context.scanned(counted(missing + gaps, 0, start, rules))?;
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
                return Err(context.error(Fault::malformed(start, message).within(&key)));
            }
            None => {}
        }
        keys.add(&key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
        columns.push(column);
        starts.push(start);
        context.progress.advance(scan.at as u64, Some(context.bytes.len() as u64))?;
    }
    for column in &mut columns {
        missing = context.scanned(counted(missing, rows - column.len(), scan.at, rules))?;
        column.nulls(rows - column.len())?;
    }
    Ok((Table { keys, columns, rows, labels, missing, body: Body::Columns(starts, 1) }, scan.at))
}

/// A member, and where its value stands if it is sound.
struct Member {
    key: String,
    value: Range<usize>,
}

/// A column, and its cells that are missing.
type Column = (Inferred, u64);

/// The same by several threads: each takes the columns that are next. `None` where that does not pay, or where anything is not
/// as it looked: whoever takes one after the other says what is wrong, if it is.
fn side_by_side(
    context: &Context<'_>,
    scan: Scan<'_>,
    members: Members,
    declared: &Declared,
) -> Result<Option<(Table, usize)>> {
    if context.options.threads < 2 || scan.rest().len() < 2 * context.range_nbytes {
        return Ok(None);
    }
    let input = (context.bytes, &context.rules);
    let Some((listed, end)) = list(context, scan, members) else { return Ok(None) };
    let is_labelled = listed.first().is_some_and(|m| context.bytes.get(m.value.start) == Some(&b'{'));
    // Row labels are those of the first column, which the others are compared with.
    let mut labels = Keys::default();
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
    let found: Vec<Option<Vec<Column>>> =
        parallel::map(tasks.collect(), context.options.threads, context.progress)?;
    for group in found {
        let Some(group) = group else { return Ok(None) };
        columns.extend(group);
    }
    Ok(table(context, &listed, columns, is_labelled.then_some(labels)).map(|table| (table, end)))
}

/// The members up to the end of the object, without a look at their values.
fn list(context: &Context<'_>, mut scan: Scan<'_>, mut members: Members) -> Option<(Vec<Member>, usize)> {
    let mut listed: Vec<Member> = Vec::new();
    let mut open = None;
    while let Some((key, _)) = members.next(&mut scan).ok()? {
        let is_same = scan.peek() == *open.get_or_insert(scan.peek());
        if !is_same || !matches!(scan.peek(), b'[' | b'{') || listed.len() as u64 >= context.rules.max_columns
        {
            return None;
        }
        let value = scan.at..json_skip::value_end(context.bytes, scan.at)?;
        scan.at = value.end;
        listed.push(Member { key, value });
    }
    Some((listed, scan.at))
}

/// The column that a member is, if it ends where it was thought to.
fn column(
    (bytes, rules): (&[u8], &Rules),
    member: &Member,
    declared: &Declared,
    labels: impl cells::Labels,
) -> Option<Column> {
    let mut scan = Scan::new(bytes, member.value.start, false);
    let found = cells::inferred(&mut scan, declared.column(&member.key), labels, 1, rules);
    found.ok().filter(|_| scan.at == member.value.end)
}

/// Members in groups of about `nbytes`: a task each, as small ones cost more to hand out than to scan.
fn groups(mut members: &[Member], nbytes: usize) -> Vec<&[Member]> {
    let mut out = Vec::new();
    while !members.is_empty() {
        let mut sum = 0;
        let is_within = |member: &&Member| {
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

/// The table of columns that have one length.
fn table(
    context: &Context<'_>,
    listed: &[Member],
    mut columns: Vec<Column>,
    labels: Option<Keys>,
) -> Option<Table> {
    let rows = match &labels {
        Some(labels) => labels.len(),
        None => columns.first().map_or(0, |(column, _)| column.len()),
    };
    let mut missing = 0;
    for (column, gaps) in &mut columns {
        let short = rows.checked_sub(column.len()).filter(|&short| short == 0 || labels.is_some())?;
        missing = counted(missing + *gaps, short, 0, &context.rules).ok()?;
        column.nulls(short).ok()?;
    }
    let mut keys = Keys::default();
    for Member { key, .. } in listed {
        keys.add(key, serde_json::Value::from(key.as_str()).to_string().as_bytes());
    }
    let starts = listed.iter().map(|member| member.value.start).collect();
    let columns = columns.into_iter().map(|(column, _)| column).collect();
    Some(Table { keys, columns, rows, labels, missing, body: Body::Columns(starts, 1) })
}
