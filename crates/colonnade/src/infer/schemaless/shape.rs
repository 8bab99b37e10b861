//! Detects the layout of schemaless data: columns, rows, split, one row, or several frames.

use std::collections::HashSet;
use std::ops::Range;

use crate::cells::header_key::KEY;
use crate::cells::msgpack::column::{CellError, FORMAT, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::cells::msgpack::skip::{skip, skip_cells};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

use super::keys::ColumnKey;

/// The layout of the root. Numbers count its entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemalessShape {
    /// A map of arrays.
    Columns,
    /// An array of maps.
    Records,
    /// A map of labels and an array of rows.
    Split,
    /// A map of scalars.
    Row,
    /// A map of frames.
    Bundle,
}

/// One frame, or several with their extents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemalessLayout {
    /// One frame with its orient. One row of scalars counts as a row of records.
    Frame(MsgpackOrient),
    /// The labels and extents of frames.
    Bundle(Vec<(String, Range<usize>)>),
}

/// Detects whether `bytes` are one schemaless frame or several. Each frame is then read from its extent.
///
/// # Errors
/// Malformed, truncated, over a limit; a label that repeats or is not text.
pub fn shape_of(bytes: &[u8], base: u64, options: &ReadOptions) -> Result<SchemalessLayout> {
    match sniff(bytes, options).map_err(|e| e.placed("$", base))? {
        SchemalessShape::Bundle => {}
        SchemalessShape::Columns => return Ok(SchemalessLayout::Frame(MsgpackOrient::Columns)),
        SchemalessShape::Records | SchemalessShape::Row => {
            return Ok(SchemalessLayout::Frame(MsgpackOrient::Records));
        }
        SchemalessShape::Split => return Ok(SchemalessLayout::Frame(MsgpackOrient::Split)),
    }
    let mut frames = Vec::new();
    let mut labels = HashSet::new();
    for entry in MapEntries::new(bytes, options) {
        let MapEntry { key, at, value } = entry.map_err(|e| e.placed("$", base))?;
        let path = format!("${}", key.step());
        let label = frame_label(key).map_err(|e| e.after(0, at).placed(&path, base))?;
        if !labels.insert(label.clone()) {
            let message = "this label occurs here a second time: one of the two frames would be lost.";
            return Err(malformed(at, message).placed(&path, base));
        }
        frames.push((label, value));
    }
    Ok(SchemalessLayout::Bundle(frames))
}

/// Returns the label of a frame in a bundle.
pub(crate) fn frame_label(key: ColumnKey) -> std::result::Result<String, CellError> {
    let ColumnKey::Text(label) = key else {
        let message = "expected a frame's label that is text, found an integer. Name the frames with text.";
        return Err(CellError::new(ErrorKind::Unsupported, 0, message));
    };
    if label == KEY {
        let message = "expected the header as the first entry, found entries before it. Put it first, or drop it to \
                       read the data alone.";
        return Err(malformed(0, message));
    }
    Ok(label)
}

/// Returns the layout: from the option, or detected from the first values.
pub(super) fn sniff(bytes: &[u8], options: &ReadOptions) -> std::result::Result<SchemalessShape, CellError> {
    let Some((root, nbytes)) = head(bytes)? else { return Err(truncated_input(0, bytes.len())) };
    match (root, options.orient) {
        (MsgpackHead::Array(_), None | Some(MsgpackOrient::Records)) => Ok(SchemalessShape::Records),
        (MsgpackHead::Map(_), Some(MsgpackOrient::Columns)) => Ok(SchemalessShape::Columns),
        (MsgpackHead::Map(_), Some(MsgpackOrient::Split)) => Ok(SchemalessShape::Split),
        (MsgpackHead::Map(n), None) => {
            if (2..=3).contains(&n) && is_split(bytes, options)? {
                return Ok(SchemalessShape::Split);
            }
            sniff_map(bytes, options)
        }
        // Text and other bytes that are not MessagePack begin like small integers.
        (MsgpackHead::UInt(_) | MsgpackHead::Int(_), None) if bytes.len() > nbytes => Err(malformed(
            0,
            format!("expected a table, found an integer and {} bytes behind it.", bytes.len() - nbytes),
        )),
        (other, orient) => Err(refused_root(other.name(), orient)),
    }
}

/// Returns the error for a root that is no table, or not the table that `orient` declares.
#[cold]
pub(crate) fn refused_root(found: &str, orient: Option<MsgpackOrient>) -> CellError {
    let Some(orient) = orient else { return no_table(found) };
    let what = if orient == MsgpackOrient::Records { "an array of maps" } else { "a map" };
    malformed(0, format!("expected {what}, as orient={:?} says, found {found}.", orient.name()))
}

/// Returns the error for an array whose first entry is no row.
#[cold]
pub(crate) fn no_rows(first: &str) -> CellError {
    no_table(&format!("an array that begins with {first}"))
}

/// Returns the error for a legal value that is no table.
#[cold]
fn no_table(found: &str) -> CellError {
    let message = format!(
        "expected a table (a map of arrays of one length, an array of maps, or a map of \"columns\" and \"data\"), found {found}. \
         Put it into a map under a column's name."
    );
    CellError::new(ErrorKind::Unsupported, 0, message)
}

/// The form of an entry of the root map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryForm {
    Scalar,
    Map,
    EmptyArray,
    ArrayOfMaps,
    /// An array whose first entry is no map.
    ArrayOfCells,
}

/// Detects the layout of a root map that is not split from its entries.
#[derive(Debug, Default)]
pub(crate) struct MapShape {
    frames: usize,
}

impl MapShape {
    /// Adds the next entry. Returns the layout once no later entry can change it.
    pub(crate) fn add(&mut self, entry: EntryForm) -> Option<SchemalessShape> {
        match entry {
            EntryForm::Map | EntryForm::ArrayOfMaps => self.frames += 1,
            EntryForm::EmptyArray => {}
            EntryForm::ArrayOfCells => return Some(SchemalessShape::Columns),
            // A scalar among arrays is refused with its name when the columns are read.
            EntryForm::Scalar if self.frames > 0 => return Some(SchemalessShape::Columns),
            EntryForm::Scalar => return Some(SchemalessShape::Row),
        }
        None
    }

    /// Returns the layout after the last entry.
    pub(crate) fn finish(self) -> SchemalessShape {
        if self.frames > 0 { SchemalessShape::Bundle } else { SchemalessShape::Columns }
    }
}

fn sniff_map(bytes: &[u8], options: &ReadOptions) -> std::result::Result<SchemalessShape, CellError> {
    let mut shape = MapShape::default();
    let mut entries = MapEntries::new(bytes, options);
    while let Some((key, _)) = entries.key()? {
        let value = entries.rest();
        let form = match head(value).map_err(|e| e.after(0, entries.end()))? {
            None => return Err(truncated_input(entries.end(), bytes.len())),
            Some((MsgpackHead::Map(_), _)) => EntryForm::Map,
            Some((MsgpackHead::Array(0), _)) => EntryForm::EmptyArray,
            Some((MsgpackHead::Array(_), length)) => match value.get(length) {
                Some(0x80..=0x8f | 0xde | 0xdf) => EntryForm::ArrayOfMaps,
                _ => EntryForm::ArrayOfCells,
            },
            Some(_) => EntryForm::Scalar,
        };
        if let Some(found) = shape.add(form) {
            return Ok(found);
        }
        entries.value().map_err(|e| e.in_key(&key))?;
    }
    Ok(shape.finish())
}

/// Whether the map has `columns`, `data` and optionally `index`, nothing else, and data rows as long as the columns.
fn is_split(bytes: &[u8], options: &ReadOptions) -> std::result::Result<bool, CellError> {
    let (mut columns, mut first_row) = (None, None);
    let mut entries = MapEntries::new(bytes, options);
    while let Some((key, _)) = entries.key()? {
        let value = entries.rest();
        let cut = |at: usize| Err(truncated_input(at, bytes.len()));
        let (n, length) = match head(value) {
            Ok(Some((MsgpackHead::Array(n), length))) => (n, length),
            Ok(None) => return cut(entries.end()),
            _ => return Ok(false),
        };
        match &key {
            ColumnKey::Text(name) if name == "columns" => columns = Some(n),
            ColumnKey::Text(name) if name == "index" => {}
            ColumnKey::Text(name) if name == "data" => {
                first_row = match value.get(length..).map(head) {
                    _ if n == 0 => Some(None),
                    Some(Ok(Some((MsgpackHead::Array(width), _)))) => Some(Some(width)),
                    Some(Ok(None)) | None => return cut(entries.end() + length),
                    _ => return Ok(false),
                };
            }
            _ => return Ok(false),
        }
        if entries.left > 0 {
            entries.value().map_err(|e| e.in_key(&key))?;
        }
    }
    Ok(match (columns, first_row) {
        (Some(columns), Some(Some(width))) => columns == width,
        (Some(_), Some(None)) => true,
        _ => false,
    })
}

/// One entry of the root map.
pub(super) struct MapEntry {
    pub(super) key: ColumnKey,
    /// The start of its key.
    pub(super) at: usize,
    pub(super) value: Range<usize>,
}

/// Iterates over the entries of the root map and skips each value.
pub(super) struct MapEntries<'b> {
    bytes: &'b [u8],
    at: usize,
    left: u32,
    depth: u64,
}

impl<'b> MapEntries<'b> {
    pub(super) fn new(bytes: &'b [u8], options: &ReadOptions) -> Self {
        let (left, at) = match head(bytes) {
            Ok(Some((MsgpackHead::Map(n), length))) => (n, length),
            _ => (0, 0),
        };
        Self { bytes, at, left, depth: options.limits.max_depth.saturating_sub(1) }
    }

    /// Returns the end of the entries so far.
    pub(super) fn end(&self) -> usize {
        self.at
    }

    /// Returns the bytes from the current position on.
    pub(super) fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or(&[])
    }

    /// Skips a value of `nbytes` that the caller has read.
    pub(super) fn pass(&mut self, nbytes: usize) {
        self.at += nbytes;
    }

    /// Returns the next key and its start. The caller then skips its value.
    pub(super) fn key(&mut self) -> std::result::Result<Option<(ColumnKey, usize)>, CellError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let taken = ColumnKey::take(rest).map_err(|e| e.after(0, self.at))?;
        let Some((key, length)) = taken else { return Err(truncated_input(self.at, self.bytes.len())) };
        let at = self.at;
        self.at += length;
        Ok(Some((key, at)))
    }

    /// Returns the range of the last key's value.
    pub(super) fn value(&mut self) -> std::result::Result<Range<usize>, CellError> {
        let rest = self.bytes.get(self.at..).unwrap_or(&[]);
        let Some(length) = skip(rest, self.depth).map_err(|e| e.after(0, self.at))? else {
            return Err(self.cut(rest));
        };
        let value = self.at..self.at + length;
        self.at += length;
        Ok(value)
    }

    /// Returns the error for an array that ends early, at its first incomplete cell.
    #[cold]
    fn cut(&self, rest: &[u8]) -> CellError {
        let Ok(Some((MsgpackHead::Array(n), length))) = head(rest) else {
            return truncated_input(self.at, self.bytes.len());
        };
        let cells = rest.get(length..).unwrap_or(&[]);
        match skip_cells(cells, n as usize, self.depth.saturating_sub(1)) {
            Ok(taken) => {
                let at = self.at + length + taken.nbytes;
                CellError { path: format!("[{}]", taken.cells), ..truncated_input(at, self.bytes.len()) }
            }
            Err(e) => e.after(0, self.at + length),
        }
    }
}

impl Iterator for MapEntries<'_> {
    type Item = std::result::Result<MapEntry, CellError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (key, at) = match self.key() {
            Ok(found) => found?,
            Err(e) => return Some(Err(self.stop(e))),
        };
        match self.value() {
            Ok(value) => Some(Ok(MapEntry { key, at, value })),
            Err(e) => Some(Err(self.stop(e.in_key(&key)))),
        }
    }
}

impl MapEntries<'_> {
    fn stop(&mut self, error: CellError) -> CellError {
        self.left = 0;
        error
    }
}

impl CellError {
    /// Puts the error inside the entry `key`.
    pub(super) fn in_key(mut self, key: &ColumnKey) -> Self {
        self.path.insert_str(0, &key.step());
        self
    }
}

/// Returns the error for input that ends inside the value at `offset`.
#[cold]
pub(super) fn truncated_input(offset: usize, had: usize) -> CellError {
    let kind = ErrorKind::Truncated { needed: had as u64 + 1, had: had as u64 };
    let message = format!(
        "the input ends inside the value that begins here: expected more than {had} bytes. It was cut short: fetch or \
         write it again."
    );
    CellError::new(kind, offset, message)
}

/// Refuses input over the limit of bytes.
pub(crate) fn check_nbytes(nbytes: u64, limits: &Limits) -> Result<()> {
    let cap = limits.max_nbytes;
    if nbytes <= cap {
        return Ok(());
    }
    let message =
        format!("{nbytes} bytes, over the limit of {cap}. Raise Limits(max_nbytes=...) to read them.");
    Err(Error::limit(FORMAT, message))
}
