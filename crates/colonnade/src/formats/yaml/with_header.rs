//! Reads frames with a header, which declares the type of every column.

use std::collections::HashMap;

use crate::cells::text::{CellFault, TextCell, TextReader, TextStyle, strings};
use crate::error::{Error, ErrorKind, Result};
use crate::excerpt::shorten;
use crate::frame::Frame;
use crate::text::header::{KEY, TextHeader, keys};

use super::nodes::Document;
use super::numbers::{float, too_large, too_wide};
use super::options::{ReadOptions, YamlOrient};
use super::resolve::YamlValue;

const STYLE: TextStyle = TextStyle::yaml(true);

/// Whether the document has a header.
pub(in crate::formats::yaml) fn has_header(document: &Document<'_>) -> bool {
    let mut values = document.nodes.iter().map(|node| &node.value);
    matches!(values.next(), Some(YamlValue::Mapping(1.., _)))
        && matches!(values.next(), Some(YamlValue::Str(key)) if key == KEY)
}

/// Decodes the frame of a document that [`has_header`].
///
/// # Errors
/// Malformed, with place; over a limit.
pub(in crate::formats::yaml) fn decode(
    document: &Document<'_>,
    options: &ReadOptions,
) -> Result<(Frame, YamlOrient)> {
    let path = format!("$.{KEY}");
    let at = |i: usize| document.nodes.get(i).map_or(0, |node| node.at);
    let mut text = Vec::new();
    json(document, 2, &mut text).map_err(|fault| placed(document, at(2), &path, fault))?;
    let text = String::from_utf8_lossy(&text);
    let wrong = |e: Error| {
        let message = e.message().to_owned();
        document.error(e.into_kind(), at(2), Some(&path), message)
    };
    let header = TextHeader::parse(&text, STYLE, &options.limits).map_err(wrong)?;
    let plan = header.plan().map_err(wrong)?;
    let orient = YamlOrient::named(&header.orient).map_err(|_| {
        let message = format!("header: orient: expected records or columns, found {:?}.", header.orient);
        document.error(ErrorKind::Malformed, at(2), Some(&path), message)
    })?;
    let readers = header.readers(&plan, STYLE, &options.limits).map_err(wrong)?;
    let mut taking = CellReaders { document, keys: keys(&header.schema), readers, buffer: Vec::new() };
    let next = document.next_after(2);
    let nrows = match orient {
        YamlOrient::Columns => taking.columns(next, header.nrows)?,
        YamlOrient::Records => taking.records(next)?,
    };
    if header.nrows.is_some_and(|declared| declared != nrows) {
        let declared = header.nrows.unwrap_or(0);
        let message = format!("expected {declared} rows as the header says, found {nrows}.");
        return Err(document.error(ErrorKind::Malformed, at(next), Some("$"), message));
    }
    let arrays = taking.readers.into_iter().map(TextReader::finish).collect::<Result<_>>()?;
    let header = TextHeader { nrows: Some(nrows), ..header };
    Ok((header.frame(plan, arrays)?, orient))
}

fn placed(document: &Document<'_>, at: usize, path: &str, fault: CellFault) -> Error {
    let CellFault { kind, path: inner, message } = fault;
    // The start of a deep path is enough for the message.
    let inner = shorten(&inner, 100);
    document.error(kind, at, Some(&format!("{path}{inner}")), message)
}

struct CellReaders<'d, 't> {
    document: &'d Document<'t>,
    keys: Vec<String>,
    readers: Vec<Box<dyn TextReader>>,
    buffer: Vec<u8>,
}

impl CellReaders<'_, '_> {
    #[cold]
    fn wrong(&self, i: usize, path: &str, message: impl std::fmt::Display) -> Error {
        let at = self.document.nodes.get(i).map_or(0, |node| node.at);
        self.document.error(ErrorKind::Malformed, at, Some(path), message)
    }

    fn key(&self, i: usize) -> &str {
        match self.document.nodes.get(i).map(|node| &node.value) {
            Some(YamlValue::Str(text) | YamlValue::Int(text)) => text,
            _ => "",
        }
    }

    fn name(&self, i: usize) -> &'static str {
        self.document.nodes.get(i).map_or("nothing", |node| node.value.name())
    }

    /// Reads node `i` as a cell of a column. `path` is for error messages.
    fn cell(&mut self, field: usize, i: usize, path: impl FnOnce() -> String) -> Result<()> {
        let Some(node) = self.document.nodes.get(i) else { return Ok(()) };
        let Some(reader) = self.readers.get_mut(field) else { return Ok(()) };
        let raw;
        let cell = match &node.value {
            YamlValue::Null => TextCell::Null,
            YamlValue::Bool(value) => TextCell::Bool(*value),
            YamlValue::Int(text) | YamlValue::Float(text) => TextCell::Number(text),
            YamlValue::Str(text) => TextCell::Str(text),
            YamlValue::Sequence(..) | YamlValue::Mapping(..) => {
                self.buffer.clear();
                if let Err(fault) = json(self.document, i, &mut self.buffer) {
                    return Err(placed(self.document, node.at, &path(), fault));
                }
                raw = std::str::from_utf8(&self.buffer).unwrap_or_default();
                TextCell::Raw(raw)
            }
        };
        reader.push(cell).map_err(|fault| placed(self.document, node.at, &path(), fault))
    }

    /// Reads `{name: [cell...]...}` from node `at` and returns the number of rows.
    fn columns(&mut self, mut at: usize, nrows: Option<usize>) -> Result<usize> {
        let end = self.document.nodes.len();
        let mut rows = nrows;
        let mut field = 0;
        while at < end {
            let path = format!("$.{}", self.key(at));
            if self.keys.get(field).map(String::as_str) != Some(self.key(at)) {
                let message = match self.keys.get(field) {
                    Some(key) => format!("expected the column {key:?}, as the header has it."),
                    None => "expected no more columns than the header has.".into(),
                };
                return Err(self.wrong(at, &path, message));
            }
            let Some(YamlValue::Sequence(n, behind)) =
                self.document.nodes.get(at + 1).map(|node| &node.value)
            else {
                let message = format!("expected a sequence, found {}.", self.name(at + 1));
                return Err(self.wrong(at + 1, &path, message));
            };
            let (n, behind) = (*n, *behind);
            let rows = *rows.get_or_insert(n);
            if n != rows {
                return Err(self.wrong(at + 1, &path, format!("expected {rows} rows, found {n}.")));
            }
            let mut i = at + 2;
            for row in 0..n {
                self.cell(field, i, || format!("{path}[{row}]"))?;
                i = self.document.next_after(i);
            }
            field += 1;
            at = behind;
        }
        match self.keys.get(field) {
            None => Ok(rows.unwrap_or(0)),
            Some(key) => {
                let message = format!("expected the column {key:?}, as the header has it, found none.");
                Err(self.wrong(0, "$", message))
            }
        }
    }

    /// Reads `records: [{name: cell...}...]` from node `at` and returns the number of rows.
    fn records(&mut self, at: usize) -> Result<usize> {
        let found = self.document.nodes.get(at + 1).map(|node| &node.value);
        let Some(YamlValue::Sequence(rows, behind)) =
            found.filter(|_| self.key(at) == YamlOrient::Records.name())
        else {
            return Err(self.wrong(
                at,
                "$",
                "expected a key \"records\" and a sequence, as the header says.",
            ));
        };
        let (rows, behind) = (*rows, *behind);
        if behind < self.document.nodes.len() {
            return Err(self.wrong(behind, "$", "expected nothing behind the records."));
        }
        let places: HashMap<String, usize> =
            self.keys.iter().enumerate().map(|(i, key)| (key.clone(), i)).collect();
        let mut i = at + 2;
        for row in 0..rows {
            let Some(YamlValue::Mapping(n, behind)) = self.document.nodes.get(i).map(|node| &node.value)
            else {
                let message = format!("expected a mapping, found {}.", self.name(i));
                return Err(self.wrong(i, &format!("$.records[{row}]"), message));
            };
            let (n, behind) = (*n, *behind);
            if n != self.keys.len() {
                let message = format!("expected {} members as the header has, found {n}.", self.keys.len());
                return Err(self.wrong(i, &format!("$.records[{row}]"), message));
            }
            let mut at = i + 1;
            for expected in 0..n {
                // No key is duplicated, so every field has a value.
                let as_written = self.keys.get(expected).map(String::as_str) == Some(self.key(at));
                let field = if as_written { Some(expected) } else { places.get(self.key(at)).copied() };
                let Some(field) = field else {
                    let message = format!("expected a column of the header, found {:?}.", self.key(at));
                    return Err(self.wrong(at, &format!("$.records[{row}]"), message));
                };
                let key = at;
                at += 1;
                let name = if as_written { String::new() } else { self.key(key).to_owned() };
                let keys = std::mem::take(&mut self.keys);
                let shown = if as_written { keys.get(field).map_or("", String::as_str) } else { &name };
                let taken = self.cell(field, at, || {
                    format!("$.records[{row}]{}", crate::cells::msgpack::column::step(shown))
                });
                self.keys = keys;
                taken?;
                at = self.document.next_after(at);
            }
            i = behind;
        }
        Ok(rows)
    }
}

/// A collection whose end has not been written yet.
struct UnclosedJson {
    /// Index of the node after it.
    end: usize,
    is_mapping: bool,
    /// Number of keys and values written.
    entries: usize,
}

/// Appends node `i` as JSON. Numbers that are not finite become strings.
///
/// Open collections are in a list and not on the stack, so that only `max_depth` limits the depth.
pub(in crate::formats::yaml) fn json(
    document: &Document<'_>,
    i: usize,
    out: &mut Vec<u8>,
) -> std::result::Result<(), CellFault> {
    let mut open: Vec<UnclosedJson> = Vec::new();
    for (i, node) in document.nodes.iter().enumerate().take(document.next_after(i)).skip(i) {
        if let Some(inside) = open.last_mut() {
            let is_value = inside.is_mapping && inside.entries % 2 == 1;
            if is_value {
                out.push(b':');
            } else if inside.entries > 0 {
                out.push(b',');
            }
            inside.entries += 1;
            if let (true, false, YamlValue::Str(key) | YamlValue::Int(key)) =
                (inside.is_mapping, is_value, &node.value)
            {
                strings::json(key.as_bytes(), out);
                continue;
            }
        }
        match &node.value {
            YamlValue::Sequence(_, end) => {
                out.push(b'[');
                open.push(UnclosedJson { end: *end, is_mapping: false, entries: 0 });
            }
            YamlValue::Mapping(_, end) => {
                out.push(b'{');
                open.push(UnclosedJson { end: *end, is_mapping: true, entries: 0 });
            }
            scalar => put_scalar(scalar, out)?,
        }
        while let Some(UnclosedJson { is_mapping, .. }) = open.pop_if(|inside| inside.end <= i + 1) {
            out.push(if is_mapping { b'}' } else { b']' });
        }
    }
    Ok(())
}

fn put_scalar(value: &YamlValue<'_>, out: &mut Vec<u8>) -> std::result::Result<(), CellFault> {
    match value {
        YamlValue::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        YamlValue::Int(digits) if digits.starts_with("0x") || digits.starts_with("0o") => {
            return Err(CellFault::malformed(too_wide(digits)));
        }
        YamlValue::Int(digits) => out.extend_from_slice(digits.as_bytes()),
        // The text of the float is kept if JSON allows it. Converting it to 64 bits first would round it twice for narrower
        // columns.
        YamlValue::Float(text) if serde_json::from_str::<serde_json::Number>(text).is_ok() => {
            out.extend_from_slice(text.as_bytes());
        }
        YamlValue::Float(text) => {
            let value = float(text).ok_or_else(|| CellFault::malformed(too_large(text)))?;
            let word = match value {
                v if v.is_nan() => "NaN".into(),
                v if v.is_infinite() && v > 0.0 => "Infinity".into(),
                v if v.is_infinite() => "-Infinity".into(),
                v => format!("{v:e}"),
            };
            out.extend_from_slice(word.as_bytes());
        }
        YamlValue::Str(text) => strings::json(text.as_bytes(), out),
        YamlValue::Null | YamlValue::Sequence(..) | YamlValue::Mapping(..) => out.extend_from_slice(b"null"),
    }
    Ok(())
}
