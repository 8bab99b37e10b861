//! Detects the layout of a value without a header.

use std::ops::Range;

use crate::formats::json::write::options::JsonOrient;

use super::members::ObjectMembers;
use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::scan::Scan;
use crate::cells::json::value::JsonRules;

/// The layout of the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonShape {
    Laid(JsonOrient),
    /// An object of scalars.
    Row,
    /// An object of frames.
    Bundle,
}

/// Returns the layout: from the option, or detected from the first values. `scan` is at the root.
pub(crate) fn sniff(mut scan: Scan<'_>, orient: Option<JsonOrient>, rules: &JsonRules) -> Scanned<JsonShape> {
    let root = scan.peek();
    let start = scan.clone();
    match (root, orient) {
        (b'[', None) => {
            scan.at += 1;
            scan.space();
            match scan.peek() {
                b'{' | b']' => Ok(JsonShape::Laid(JsonOrient::Records)),
                b'[' => Ok(JsonShape::Laid(JsonOrient::Values)),
                _ => {
                    let at = scan.at;
                    Err(no_table(start, at, "an array of single values", rules))
                }
            }
        }
        (b'{', None) => object(scan, rules),
        (b'[', Some(orient @ (JsonOrient::Records | JsonOrient::Values)))
        | (
            b'{',
            Some(orient @ (JsonOrient::Columns | JsonOrient::Index | JsonOrient::Split | JsonOrient::Table)),
        ) => Ok(JsonShape::Laid(orient)),
        (b'[' | b'{', Some(orient)) => {
            let what = if root == b'[' { "an array" } else { "an object" };
            let message = format!(
                "expected what orient={:?} lays out, found {what}. Leave orient= out to have it detected.",
                orient.name()
            );
            Err(JsonFault::malformed(scan.at, message))
        }
        _ => {
            let at = scan.at;
            Err(no_table(start, at, "a single value", rules))
        }
    }
}

/// Returns the error for a value at `root` that is no table, because of the value at `at`. If the value breaks the
/// specification, returns that error instead.
#[cold]
fn no_table(mut root: Scan<'_>, at: usize, found: &str, rules: &JsonRules) -> Box<JsonFault> {
    if let Err(fault) = root.value(0, rules) {
        return fault;
    }
    let message = format!(
        "expected a table (objects or arrays in an array, or an object of columns), found {found}. Put it into an object \
         under a column's name."
    );
    JsonFault::new(crate::ErrorKind::Unsupported, at, message)
}

/// A member of the root: its key and the start of its value.
pub(crate) struct RootMember {
    pub(crate) key: String,
    pub(crate) value: Range<usize>,
}

fn object(mut scan: Scan<'_>, rules: &JsonRules) -> Scanned<JsonShape> {
    let start = scan.clone();
    let mut members = ObjectMembers::begin(&mut scan, 0, rules)?;
    let Some((first, _)) = members.next(&mut scan)? else { return Ok(JsonShape::Laid(JsonOrient::Columns)) };
    if matches!(first.as_str(), "schema" | "columns" | "index" | "data")
        && let Some(orient) = parts(start, rules)?
    {
        return Ok(JsonShape::Laid(orient));
    }
    // Empty objects and arrays do not determine the layout; the next one may.
    loop {
        let open = scan.peek();
        if !matches!(open, b'[' | b'{') {
            return Ok(JsonShape::Row);
        }
        let mut inside = scan.clone();
        inside.at += 1;
        inside.space();
        match (open, inside.peek()) {
            (b'[', b'{') => return Ok(JsonShape::Bundle),
            (b'[', b']') | (b'{', b'}') => {}
            (b'[', _) => return Ok(JsonShape::Laid(JsonOrient::Columns)),
            _ => {
                // The first member of an object: a frame's column, or a cell by row label.
                let mut inner = ObjectMembers::default();
                return match inner.next(&mut inside)? {
                    Some((key, _)) if key == crate::text::header::KEY => Ok(JsonShape::Bundle),
                    _ if matches!(inside.peek(), b'[' | b'{') => Ok(JsonShape::Bundle),
                    _ => Ok(JsonShape::Laid(JsonOrient::Columns)),
                };
            }
        }
        scan.value(1, rules)?;
        if members.next(&mut scan)?.is_none() {
            return Ok(JsonShape::Laid(JsonOrient::Columns));
        }
    }
}

/// Whether the root has separate labels and rows (split), or rows with a schema (table).
fn parts(mut scan: Scan<'_>, rules: &JsonRules) -> Scanned<Option<JsonOrient>> {
    let mut members = ObjectMembers::begin(&mut scan, 0, rules)?;
    let (mut schema, mut columns, mut data) = (false, false, 0);
    while let Some((key, _)) = members.next(&mut scan)? {
        let open = scan.peek();
        let mut inside = scan.clone();
        inside.at += 1;
        inside.space();
        match (key.as_str(), open) {
            ("schema", b'{') => schema = true,
            ("columns", b'[') => columns = true,
            ("index", b'[') => {}
            ("data", b'[') => data = inside.peek(),
            _ => return Ok(None),
        }
        scan.value(1, rules)?;
    }
    Ok(match data {
        b'{' | b']' if schema && !columns => Some(JsonOrient::Table),
        b'[' | b']' if columns && !schema => Some(JsonOrient::Split),
        _ => None,
    })
}

/// Returns the labels and positions of a bundle's frames. `scan` is then behind the bundle.
pub(crate) fn entries(scan: &mut Scan<'_>, rules: &JsonRules) -> Scanned<Vec<RootMember>> {
    let mut members = ObjectMembers::begin(scan, 0, rules)?;
    let mut out = Vec::new();
    while let Some((key, _)) = members.next(scan)? {
        let start = scan.at;
        scan.value(1, rules)?;
        out.push(RootMember { key, value: start..scan.at });
    }
    Ok(out)
}
