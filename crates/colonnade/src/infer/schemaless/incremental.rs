//! Decodes a schemaless frame that arrives in pieces.
//!
//! Columns and rows are decoded as they arrive. Two layouts are buffered until they are complete: split, whose labels may
//! follow its data, and one row of scalars.

use crate::cells::msgpack::column::{CellError, CellReader};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::cells::msgpack::skip::Skipper;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::infer::columns::{BlockOrColumn, InferredColumn};

use super::column_builders::ColumnBuilders;
use super::columns::{ColumnLengths, add_key, options_below, rows_of};
use super::keys::{ColumnKey, ColumnKeys};
use super::row_batch::RowBatch;
use super::rows::{RowGatherer, RowKind};
use super::shape::{check_nbytes, sniff, truncated_input};
use super::{assemble, bundle, decode};

/// The incremental decoder of a schemaless frame.
#[derive(Debug)]
pub struct SchemalessDecoder {
    options: ReadOptions,
    /// Offset of the next bytes to be fed.
    offset: u64,
    state: SchemalessState,
}

#[derive(Debug)]
enum SchemalessState {
    Start,
    Rows(Box<SchemalessRows>),
    Columns(Box<SchemalessColumns>),
    /// Buffered until it is complete.
    Kept(Skipper, Vec<u8>),
}

impl SchemalessDecoder {
    /// Creates a decoder without bytes.
    #[must_use]
    pub fn new(options: &ReadOptions) -> Self {
        Self { options: *options, offset: 0, state: SchemalessState::Start }
    }

    /// Sets the offset of the input in its source, from which errors count.
    #[must_use]
    pub fn beginning_at(mut self, base: u64) -> Self {
        self.offset = base;
        self
    }

    /// Decodes bytes from the front of `bytes`. Returns the number of bytes taken; the caller passes the rest again with
    /// more bytes after it.
    ///
    /// # Errors
    /// Malformed, over a limit, or no frame; the decoder is unusable afterwards.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<usize> {
        check_nbytes(self.offset.saturating_add(bytes.len() as u64), &self.options.limits)?;
        let mut at = 0;
        if matches!(self.state, SchemalessState::Start) {
            let Some((state, nbytes)) = self.start(bytes).map_err(|e| e.placed("$", self.offset))? else {
                return Ok(0);
            };
            self.state = state;
            at = nbytes;
        }
        let rest = bytes.get(at..).unwrap_or(&[]);
        let base = self.offset + at as u64;
        let taken = match &mut self.state {
            SchemalessState::Start => 0,
            SchemalessState::Rows(rows) => rows.feed(rest, base)?,
            SchemalessState::Columns(columns) => columns.feed(rest, base)?,
            SchemalessState::Kept(skipper, kept) => {
                let taken = skipper.feed(rest).map_err(|e| e.placed("$", base))?;
                kept.extend_from_slice(rest.get(..taken).unwrap_or(&[]));
                taken
            }
        };
        self.offset += (at + taken) as u64;
        Ok(at + taken)
    }

    /// Whether the frame is complete.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        match &self.state {
            SchemalessState::Start => false,
            SchemalessState::Rows(rows) => rows.left == 0,
            SchemalessState::Columns(columns) => columns.left == 0 && columns.current.is_none(),
            SchemalessState::Kept(skipper, _) => skipper.is_whole(),
        }
    }

    /// Returns the frame.
    ///
    /// # Errors
    /// Truncated if it is incomplete; labels of two types; several frames instead of one.
    pub fn finish(self) -> Result<Frame> {
        if !self.is_whole() {
            let path = match &self.state {
                SchemalessState::Rows(rows) => format!("$[{}]", rows.gather.rows()),
                SchemalessState::Columns(columns) => columns.path(),
                _ => "$".to_owned(),
            };
            let had = usize::try_from(self.offset).unwrap_or(usize::MAX);
            return Err(truncated_input(0, had).placed(&path, self.offset));
        }
        match self.state {
            SchemalessState::Start => Err(truncated_input(0, 0).placed("$", self.offset)),
            SchemalessState::Rows(rows) => {
                let nrows = rows.gather.rows();
                let columns =
                    rows.taking.finish().into_iter().map(InferredColumn::finish).collect::<Result<_>>()?;
                assemble(&rows.gather.keys, columns, nrows, None)
            }
            SchemalessState::Columns(columns) => {
                if self.options.orient.is_none()
                    && columns.frames > 0
                    && columns.frames == columns.keys.len() - columns.empty
                {
                    return Err(bundle(columns.keys.len()));
                }
                assemble(&columns.keys, columns.done, columns.lengths.rows(), None)
            }
            SchemalessState::Kept(_, kept) => decode(&kept, self.offset - kept.len() as u64, &self.options),
        }
    }

    /// Detects the layout. Returns it and the number of bytes it took from the front, or `None` if it is not yet
    /// determined.
    fn start(&self, bytes: &[u8]) -> std::result::Result<Option<(SchemalessState, usize)>, CellError> {
        let Some((root, length)) = head(bytes)? else { return Ok(None) };
        let keep =
            || Ok(Some((SchemalessState::Kept(Skipper::new(self.options.limits.max_depth), Vec::new()), 0)));
        let columns = |n| {
            Ok(Some((SchemalessState::Columns(Box::new(SchemalessColumns::new(n, &self.options))), length)))
        };
        match (root, self.options.orient) {
            (MsgpackHead::Array(n), None | Some(MsgpackOrient::Records)) => Ok(Some((
                SchemalessState::Rows(Box::new(SchemalessRows::new(n as usize, &self.options))),
                length,
            ))),
            (MsgpackHead::Map(n), Some(MsgpackOrient::Columns)) | (MsgpackHead::Map(n @ 0), None) => {
                columns(n)
            }
            (MsgpackHead::Map(_), Some(MsgpackOrient::Split)) => keep(),
            (MsgpackHead::Map(n), None) => {
                let rest = bytes.get(length..).unwrap_or(&[]);
                let Some((key, length)) = ColumnKey::take(rest).map_err(|e| e.after(0, length))? else {
                    return Ok(None);
                };
                if (2..=3).contains(&n)
                    && matches!(&key, ColumnKey::Text(k) if ["index", "columns", "data"].contains(&k.as_str()))
                {
                    return keep();
                }
                match head(rest.get(length..).unwrap_or(&[]))? {
                    None => Ok(None),
                    Some((MsgpackHead::Array(_), _)) => columns(n),
                    Some(_) => keep(),
                }
            }
            // Refused, with the message of the whole-input decoder.
            _ => sniff(bytes, &self.options).map(|_| None),
        }
    }
}

#[derive(Debug)]
struct SchemalessRows {
    gather: RowGatherer,
    taking: ColumnBuilders,
    spare: RowBatch,
    left: usize,
    /// For an incomplete row: the skipper that finds its end, and the number of bytes that it has seen.
    waiting: Option<(Skipper, usize)>,
    depth: u64,
}

impl SchemalessRows {
    fn new(rows: usize, options: &ReadOptions) -> Self {
        let gather = RowGatherer::new(RowKind::Maps, ColumnKeys::default(), 1, options);
        let depth = options.limits.max_depth.saturating_sub(1);
        let taking = ColumnBuilders::new(rows, 1, options);
        Self { gather, taking, spare: RowBatch::default(), left: rows, waiting: None, depth }
    }

    fn feed(&mut self, bytes: &[u8], base: u64) -> Result<usize> {
        let mut at = 0;
        // Batches begin and end inside one call: if a cell is refused, their bytes are scanned again.
        self.spare = self.gather.swap(std::mem::take(&mut self.spare), 0);
        while self.left > 0 {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let row = self.row(rest);
            if self.gather.is_full() || !matches!(row, Ok(Some(_))) {
                let next = at + row.as_ref().ok().copied().flatten().unwrap_or(0);
                self.flush(bytes, base, next)?;
            }
            match row.map_err(|e| e.placed(&format!("$[{}]", self.gather.rows()), base + at as u64))? {
                Some(nbytes) => at += nbytes,
                None => return Ok(at),
            }
            self.left -= 1;
        }
        self.flush(bytes, base, at)?;
        Ok(at)
    }

    fn row(&mut self, bytes: &[u8]) -> std::result::Result<Option<usize>, CellError> {
        if let Some((skipper, seen)) = &mut self.waiting {
            let fresh = bytes.get(*seen..).unwrap_or(&[]);
            match skipper.feed(fresh) {
                Ok(taken) => *seen += taken,
                Err(e) => return Err(self.with_column(e, bytes)),
            }
            if !skipper.is_whole() {
                return Ok(None);
            }
            self.waiting = None;
        }
        let row = self.gather.row(bytes)?;
        if row.is_none() {
            let mut skipper = Skipper::new(self.depth);
            match skipper.feed(bytes) {
                Ok(seen) => self.waiting = Some((skipper, seen)),
                Err(e) => return Err(self.with_column(e, bytes)),
            }
        }
        Ok(row)
    }

    /// Gathers the row again, which finds the same error and its column.
    #[cold]
    fn with_column(&mut self, error: CellError, row: &[u8]) -> CellError {
        self.gather.row(row).err().unwrap_or(error)
    }

    fn flush(&mut self, bytes: &[u8], base: u64, at: usize) -> Result<()> {
        let batch = self.gather.swap(std::mem::take(&mut self.spare), at as u64);
        let taken = self.taking.take(&batch);
        let start = usize::try_from(batch.start).unwrap_or(usize::MAX);
        self.spare = batch;
        let from = bytes.get(start..).unwrap_or(&[]);
        taken.map_err(|failure| self.gather.locate(*failure, from, "$", base))
    }
}

#[derive(Debug)]
struct SchemalessColumns {
    options: ReadOptions,
    cells: ReadOptions,
    /// Entries of the map that have not begun.
    left: u32,
    keys: ColumnKeys,
    lengths: ColumnLengths,
    /// The current column, its path, and whether its first cell was seen.
    current: Option<(InferredColumn, String)>,
    done: Vec<BlockOrColumn>,
    /// The number of columns whose first cell is a map. If all are, these are frames.
    frames: usize,
    empty: usize,
}

impl SchemalessColumns {
    fn new(left: u32, options: &ReadOptions) -> Self {
        Self {
            options: *options,
            cells: options_below(2, options),
            left,
            keys: ColumnKeys::default(),
            lengths: ColumnLengths::default(),
            current: None,
            done: Vec::new(),
            frames: 0,
            empty: 0,
        }
    }

    fn path(&self) -> String {
        self.current.as_ref().map_or_else(|| "$".to_owned(), |(c, path)| format!("{path}[{}]", c.len()))
    }

    fn feed(&mut self, bytes: &[u8], base: u64) -> Result<usize> {
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let here = base + at as u64;
            if let Some((column, path)) = &mut self.current {
                let (rows, seen) = (self.lengths.rows(), column.len());
                if rows == 0 {
                    self.empty += 1;
                } else if seen == 0 {
                    let Some(marker) = rest.first() else { return Ok(at) };
                    self.frames += usize::from(matches!(marker, 0x80..=0x8f | 0xde | 0xdf));
                }
                let taken = column.take(rest, rows - seen).map_err(|e| e.in_column(path, seen, here))?;
                at += taken.nbytes;
                if seen + taken.cells < rows {
                    // The cell is seen again with the next piece.
                    if seen == 0
                        && taken.cells == 0
                        && matches!(rest.first(), Some(0x80..=0x8f | 0xde | 0xdf))
                    {
                        self.frames -= 1;
                    }
                    return Ok(at);
                }
                if let Some((column, _)) = self.current.take() {
                    self.done.push(column.finish()?);
                }
            } else if self.left > 0 {
                let Some(nbytes) = self.entry(rest, here)? else { return Ok(at) };
                at += nbytes;
            } else {
                return Ok(at);
            }
        }
    }

    /// Reads a key and the head of its array.
    fn entry(&mut self, bytes: &[u8], base: u64) -> Result<Option<usize>> {
        let Some((key, length)) = ColumnKey::take(bytes).map_err(|e| e.placed("$", base))? else {
            return Ok(None);
        };
        let rest = bytes.get(length..).unwrap_or(&[]);
        let path = format!("${}", key.step());
        let place = |e: CellError| -> Error { e.after(0, length).placed(&path, base) };
        let Some((rows, head)) = rows_of(rest).map_err(place)? else { return Ok(None) };
        let path = add_key(&mut self.keys, key, &self.options, 0, base)?;
        self.lengths.add(rows, &self.keys).map_err(|e| e.after(0, length).placed(&path, base))?;
        self.current = Some((InferredColumn::new(&self.cells).with_rows(rows), path));
        self.left -= 1;
        Ok(Some(length + head))
    }
}
