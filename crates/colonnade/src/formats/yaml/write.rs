//! Writes frames as YAML: block style, one scalar per line.

use std::collections::HashSet;
use std::io;
use std::ops::Range;

use arrow_data::ArrayData;
use arrow_schema::Field;

use crate::arrow::index_names;
use crate::arrow::names;
use crate::cells::text;
use crate::cells::text::{TextStyle, TextWriter, strings};
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::{Progress, Share};
use crate::sink::Sink;
use crate::text::header::{ExportedFrame, KEY, meta_of_field};
use crate::text::loss::{IndexPlace, Loss, NamePlace, PlainText, losses as plain_losses};
use crate::text::pieces::{self, TextSection};

use super::FORMAT;
use super::options::{WriteOptions, YamlOrient};

/// A column and its key.
struct KeyedColumn {
    name: String,
    field: Field,
    data: ArrayData,
}

impl KeyedColumn {
    fn new(name: String, field: &Field, data: &ArrayData) -> Self {
        Self { name, field: field.clone(), data: data.clone() }
    }

    fn writer(&self, style: TextStyle) -> Result<Box<dyn TextWriter + '_>> {
        let named = |e: Error| e.in_member(self.name.clone());
        let says = meta_of_field(&self.field).map_err(named)?.dtype;
        text::writer(&self.field, says, &self.data, style).map_err(named)
    }

    /// The key with its colon, for the start of a line that is indented by `indent`.
    fn key(&self, indent: &str) -> Vec<u8> {
        key(&self.name, indent)
    }
}

/// Returns a key with its colon. YAML readers do not accept keys over 1024 characters on one line.
fn key(name: &str, indent: &str) -> Vec<u8> {
    const LONGEST: usize = 1000;
    let mut out = Vec::new();
    strings::yaml(name.as_bytes(), &mut out);
    if out.len() > LONGEST {
        out.splice(0..0, *b"? ");
        out.push(b'\n');
        out.extend_from_slice(indent.as_bytes());
    }
    out.push(b':');
    out
}

/// Encodes `frame`.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; errors of the sink.
pub fn encode(
    frame: &Frame,
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let exported = ExportedFrame::new(frame)?;
    let style = TextStyle::yaml(options.header);
    let columns = columns(frame, &exported, options.header)?;
    let mut front = Vec::new();
    if options.header {
        front = key(KEY, "");
        front.push(b' ');
        let header = exported.header(options.orient.name()).to_json(style)?;
        put_printable(&header, &mut front);
        front.push(b'\n');
    }
    let mut sections: Vec<Box<dyn TextSection>> = Vec::new();
    match options.orient {
        YamlOrient::Records => {
            if options.header {
                front.extend_from_slice(if frame.nrows == 0 { b"records: []\n" } else { b"records:\n" });
            } else if frame.nrows == 0 {
                front.extend_from_slice(b"[]\n");
            }
            let fields = columns.iter().map(|c| Ok((c.key("  "), c.name.clone(), c.writer(style)?)));
            sections.push(Box::new(RecordRows {
                front,
                nrows: frame.nrows,
                fields: fields.collect::<Result<_>>()?,
            }));
        }
        YamlOrient::Columns => {
            if columns.is_empty() && !options.header {
                front.extend_from_slice(b"{}\n");
            }
            sections.push(Box::new(RecordRows { front, nrows: 0, fields: Vec::new() }));
            for column in &columns {
                let mut front = column.key("");
                front.extend_from_slice(if frame.nrows == 0 { b" []\n" } else { b"\n" });
                let (nrows, name) = (frame.nrows, column.name.clone());
                sections.push(Box::new(ColumnCells { front, nrows, name, writer: column.writer(style)? }));
            }
        }
    }
    pieces::write(&sections, options.threads, None, sink, progress)
}

/// Returns what these options lose of `frame`: nothing with a header.
///
/// # Errors
/// As [`plain_losses`].
pub fn losses(frame: &Frame, options: &WriteOptions) -> Result<Vec<Loss>> {
    if options.header {
        return Ok(Vec::new());
    }
    let plain = PlainText {
        csv: None,
        nonfinite_is_null: false,
        index: IndexPlace::Columns,
        names: NamePlace::Keys { in_rows: options.orient == YamlOrient::Records },
        is_typed: false,
        threads: options.threads,
    };
    plain_losses(frame, &plain)
}

/// Returns the columns to write, with their keys.
fn columns(frame: &Frame, exported: &ExportedFrame, header: bool) -> Result<Vec<KeyedColumn>> {
    let fields = exported.schema.fields().iter().zip(&exported.arrays);
    if header {
        return Ok(fields
            .zip(exported.keys())
            .map(|((f, data), key)| KeyedColumn::new(key, f, data))
            .collect());
    }
    let mut out: Vec<KeyedColumn> = fields
        .zip(names::keys(&frame.columns)?)
        .map(|((f, data), text)| KeyedColumn::new(text, f, data))
        .collect();
    if !frame.index.counts_from_zero() {
        let mut levels = index_names::labels(&frame.index)?;
        index_names::rename(&mut levels, out.iter().map(|column| column.name.as_str()));
        out.splice(0..0, levels.into_iter().map(|l| KeyedColumn::new(l.name, &l.field, &l.data)));
    }
    Ok(out)
}

/// Appends JSON, and escapes characters that YAML does not print. They occur only in strings.
fn put_printable(json: &str, out: &mut Vec<u8>) {
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(c)).as_bytes());
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Estimated bytes per cell.
const CELL_NBYTES: usize = 24;

struct RecordRows<'c> {
    front: Vec<u8>,
    nrows: usize,
    fields: Vec<(Vec<u8>, String, Box<dyn TextWriter + 'c>)>,
}

impl TextSection for RecordRows<'_> {
    fn nrows(&self) -> usize {
        self.nrows
    }

    fn row_nbytes(&self) -> usize {
        self.fields.len() * CELL_NBYTES
    }

    fn opening(&self) -> &[u8] {
        &self.front
    }

    fn write(&self, rows: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        for row in rows {
            if self.fields.is_empty() {
                out.extend_from_slice(b"- {}\n");
            }
            for (i, (key, name, writer)) in self.fields.iter().enumerate() {
                out.extend_from_slice(if i == 0 { b"- " } else { b"  " });
                out.extend_from_slice(key);
                out.push(b' ');
                writer.write(row, out).map_err(|e| e.in_row(row).in_member(name.as_str()))?;
                out.push(b'\n');
            }
        }
        Ok(())
    }

    fn closing(&self) -> &[u8] {
        &[]
    }
}

struct ColumnCells<'c> {
    front: Vec<u8>,
    nrows: usize,
    name: String,
    writer: Box<dyn TextWriter + 'c>,
}

impl TextSection for ColumnCells<'_> {
    fn nrows(&self) -> usize {
        self.nrows
    }

    fn row_nbytes(&self) -> usize {
        CELL_NBYTES
    }

    fn opening(&self) -> &[u8] {
        &self.front
    }

    fn write(&self, rows: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
        for row in rows {
            out.extend_from_slice(b"- ");
            self.writer.write(row, out).map_err(|e| e.in_row(row).in_member(self.name.as_str()))?;
            out.push(b'\n');
        }
        Ok(())
    }

    fn closing(&self) -> &[u8] {
        &[]
    }
}

/// Encodes a mapping of labels to frames.
///
/// # Errors
/// As [`encode`]; `InvalidOption`: a duplicate label.
pub fn encode_bundle(
    frames: &[(String, Frame)],
    options: &WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let mut seen = HashSet::new();
    if frames.is_empty() {
        sink.write(b"{}\n")?;
    }
    let shares = Share::each(progress, frames.iter().map(|(_, frame)| frame.nbytes()));
    for ((label, frame), share) in frames.iter().zip(&shares) {
        if !seen.insert(label) || label == KEY {
            let message = format!(
                "expected labels that are all different and not {KEY:?}, found {label:?}. Rename one."
            );
            return Err(Error::invalid_option(FORMAT, message));
        }
        let mut front = key(label, "");
        front.push(b'\n');
        sink.write(&front)?;
        let mut inner = IndentingSink { sink, is_fresh: true };
        encode(frame, options, &mut inner, share).map_err(|e| e.in_member(label.as_str()))?;
        share.end()?;
    }
    Ok(())
}

/// A sink that indents every line by two spaces.
struct IndentingSink<'s> {
    sink: &'s mut dyn Sink,
    is_fresh: bool,
}

impl Sink for IndentingSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            if self.is_fresh {
                out.extend_from_slice(b"  ");
            }
            out.extend_from_slice(line);
            self.is_fresh = line.ends_with(b"\n");
        }
        self.sink.write(&out)
    }
}
