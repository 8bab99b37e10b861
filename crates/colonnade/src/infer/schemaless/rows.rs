//! Transposes rows: the cells of some rows are gathered column by column, then each column decodes its cells as a run.
//!
//! A kernel that decodes a run is several times faster than a call per cell, and a batch fits the cache. A row usually has
//! the keys of the row before, in the same order, so their encoded bytes are compared first.

use std::mem;

use crate::cells::msgpack::column::{CellError, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::msgpack::skip::{length_of, skip, skip_cells};
use crate::error::{Error, ErrorKind};
use crate::limits::over_missing;

use super::column_builders::RefusedCell;
use super::keys::{ColumnKey, ColumnKeys, repeated_label};
use super::row_batch::{CellBytes, EncodedKey, RowBatch};
use super::shape::{no_rows, truncated_input};

/// Rows of one batch.
const ROWS: usize = 1024;

/// Bytes of one batch in all columns together.
const NBYTES: usize = crate::parallel::split_from(1 << 20);

/// The form of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// Maps of cells.
    Maps,
    /// A map of scalars.
    Scalars,
    /// Arrays with as many cells as there are columns.
    Arrays,
}

/// Gathers the cells of rows into batches.
#[derive(Debug)]
pub(super) struct RowGatherer {
    options: ReadOptions,
    kind: RowKind,
    pub(super) keys: ColumnKeys,
    encoded: Vec<EncodedKey>,
    batch: RowBatch,
    nbytes: usize,
    /// The number of cells that no input byte backs.
    unbacked: u64,
    /// Bytes of all rows.
    seen: u64,
    /// The limit of nested arrays and maps in a cell.
    depth: u64,
}

impl RowGatherer {
    /// Creates a gatherer of rows inside `outer` arrays and maps.
    pub(super) fn new(kind: RowKind, keys: ColumnKeys, outer: u64, options: &ReadOptions) -> Self {
        let columns = (0..keys.len()).map(|_| CellBytes::default()).collect();
        let depth = options.limits.max_depth.saturating_sub(outer + 1);
        let batch = RowBatch { columns, ..RowBatch::default() };
        Self {
            options: *options,
            kind,
            keys,
            encoded: Vec::new(),
            batch,
            nbytes: 0,
            unbacked: 0,
            seen: 0,
            depth,
        }
    }

    /// Returns the number of rows so far.
    pub(super) fn rows(&self) -> usize {
        self.batch.first_row + self.batch.rows
    }

    /// Whether the batch is full.
    pub(super) fn is_full(&self) -> bool {
        self.batch.rows >= ROWS || self.nbytes >= NBYTES
    }

    /// Returns the gathered batch and continues with the empty one. `at`: the start of the next row in the input.
    pub(super) fn swap(&mut self, mut empty: RowBatch, at: u64) -> RowBatch {
        empty.columns.iter_mut().for_each(CellBytes::clear);
        empty.columns.resize_with(self.keys.len(), CellBytes::default);
        (empty.first_row, empty.rows) = (self.rows(), 0);
        (empty.start, empty.end) = (at, at);
        self.nbytes = 0;
        let rows = self.batch.rows;
        self.batch.columns.iter_mut().filter(|c| c.cells < rows).for_each(|c| c.fill(rows));
        mem::replace(&mut self.batch, empty)
    }

    /// Gathers the row at the front of `bytes`. Returns its length, or `None` without a change if it is incomplete.
    ///
    /// # Errors
    /// The error's path begins inside the row.
    pub(super) fn row(&mut self, bytes: &[u8]) -> std::result::Result<Option<usize>, CellError> {
        let taken = match self.kind {
            RowKind::Arrays => self.array(bytes)?,
            _ => self.map(bytes)?,
        };
        match taken {
            Some(nbytes) => {
                self.batch.rows += 1;
                self.nbytes += nbytes;
                self.seen += nbytes as u64;
                self.batch.end += nbytes as u64;
            }
            None => {
                let rows = self.batch.rows;
                self.batch.columns.iter_mut().filter(|c| c.cells > rows).for_each(CellBytes::undo);
            }
        }
        Ok(taken)
    }

    fn map(&mut self, bytes: &[u8]) -> std::result::Result<Option<usize>, CellError> {
        let (pairs, mut at) = match head(bytes)? {
            Some((MsgpackHead::Map(n), length)) => (n as usize, length),
            Some((other, _)) if self.rows() == 0 && self.options.orient.is_none() => {
                return Err(no_rows(other.name()));
            }
            Some((other, _)) => return Err(expected("a map, as every row is one", other.name())),
            None => return Ok(None),
        };
        let rows = self.batch.rows;
        // The position of the key that usually comes next.
        let mut next = 0;
        for _ in 0..pairs {
            let Some(mut rest) = bytes.get(at..) else { return Ok(None) };
            let key_at = at;
            let place = match self.encoded.get(next) {
                Some(key) if key.is_front_of(rest) => {
                    at += key.bytes.len();
                    next
                }
                _ => match self.find(rest).map_err(|e| e.after(0, at))? {
                    Some((place, length)) => {
                        at += length;
                        place
                    }
                    None => return Ok(None),
                },
            };
            next = place + 1;
            rest = bytes.get(at..).unwrap_or(&[]);
            let Some(column) = self.batch.columns.get_mut(place) else { return Ok(None) };
            if column.cells < rows {
                column.fill(rows);
            }
            if column.cells > rows {
                let key = self.keys.get(place);
                return Err(key.map_or_else(repeated_label, |k| repeated_label().in_key(k)).after(0, key_at));
            }
            let length = match rest.first().and_then(|&marker| length_of(marker)) {
                Some(length) if length <= rest.len() => length,
                Some(_) => return Ok(None),
                None => match self.length(rest) {
                    Ok(Some(length)) => length,
                    Ok(None) => return Ok(None),
                    Err(e) => {
                        let path = self.keys.get(place).map_or(String::new(), ColumnKey::step) + &e.path;
                        return Err(CellError { path, ..e }.after(0, at));
                    }
                },
            };
            // The column is borrowed again, because the length of an unusual cell needs all of `self`.
            if let Some(column) = self.batch.columns.get_mut(place) {
                column.push(rest, length);
            }
            at += length;
        }
        // Every key was unique; the columns of missing keys get their nils with their next cell.
        self.unbacked((self.keys.len() - pairs.min(self.keys.len())) as u64)?;
        Ok(Some(at))
    }

    fn array(&mut self, bytes: &[u8]) -> std::result::Result<Option<usize>, CellError> {
        let mut at = match head(bytes)? {
            Some((MsgpackHead::Array(n), length)) if n as usize == self.keys.len() => length,
            Some((MsgpackHead::Array(n), _)) => {
                return Err(wrong_width(self.keys.len(), n as usize));
            }
            Some((other, _)) => return Err(expected("an array, as every row is one", other.name())),
            None => return Ok(None),
        };
        for place in 0..self.keys.len() {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let length = match self.length(rest) {
                Ok(Some(length)) => length,
                Ok(None) => return Ok(None),
                Err(e) => return Err(e.in_entry(place).after(0, at)),
            };
            if let Some(column) = self.batch.columns.get_mut(place) {
                column.push(rest, length);
            }
            at += length;
        }
        Ok(Some(at))
    }

    #[inline]
    fn length(&self, bytes: &[u8]) -> std::result::Result<Option<usize>, CellError> {
        if self.kind == RowKind::Scalars
            && let Some((found @ (MsgpackHead::Array(_) | MsgpackHead::Map(_)), _)) = head(bytes)?
        {
            return Err(expected("a scalar, as the entries before", found.name()));
        }
        skip(bytes, self.depth)
    }

    /// Returns the position of a key that differs from the row before; appends a new key.
    #[inline(never)]
    fn find(&mut self, bytes: &[u8]) -> std::result::Result<Option<(usize, usize)>, CellError> {
        let Some((key, length)) = ColumnKey::take(bytes)? else { return Ok(None) };
        if let Some(place) = self.keys.place(&key) {
            return Ok(Some((place, length)));
        }
        self.unbacked(self.rows() as u64)?;
        self.keys.push(key, &self.options.limits)?;
        self.encoded.push(EncodedKey::new(bytes.get(..length).unwrap_or(&[])));
        let mut column = CellBytes::default();
        column.fill(self.batch.rows);
        self.batch.columns.push(column);
        Ok(Some((self.keys.len() - 1, length)))
    }

    /// Counts rows without keys and keys without rows, whose product could exceed any proportion to the input.
    fn unbacked(&mut self, cells: u64) -> std::result::Result<(), CellError> {
        self.unbacked = self.unbacked.saturating_add(cells);
        let most = self.options.limits.missing_cells(self.seen);
        if self.unbacked <= most {
            return Ok(());
        }
        Err(CellError::new(ErrorKind::LimitExceeded, 0, over_missing(self.unbacked, self.seen, most)))
    }

    /// Returns the path of a row.
    pub(super) fn path_of(&self, path: &str, row: usize) -> String {
        if self.kind == RowKind::Scalars { path.to_owned() } else { format!("{path}[{row}]") }
    }

    /// Returns the error of a refused cell with its place in the input; `bytes` begin at the batch's first row.
    #[cold]
    pub(super) fn locate(&self, failure: RefusedCell, bytes: &[u8], path: &str, base: u64) -> Error {
        let RefusedCell { column, row, in_cell, first_row, start, error } = failure;
        let key = self.keys.get(column);
        let mut offset = 0;
        if let Ok(taken) = skip_cells(bytes, row, u64::MAX) {
            offset =
                taken.nbytes + self.cell_of(bytes.get(taken.nbytes..).unwrap_or(&[]), column).unwrap_or(0);
        }
        let row = first_row + row;
        let step = match self.kind {
            RowKind::Arrays => format!("[{column}]"),
            _ => key.map_or(String::new(), ColumnKey::step),
        };
        let at = self.path_of(path, row) + &step;
        let error = CellError { cell: 0, offset: offset + in_cell, ..error };
        error.placed(&at, base + start)
    }

    /// Returns the error for input of `had` bytes that ends in the row at the front of `bytes`: at the first incomplete
    /// value.
    #[cold]
    pub(super) fn cut(&self, bytes: &[u8], had: usize) -> CellError {
        let (entries, mut at) = match (head(bytes), self.kind) {
            (Ok(Some((MsgpackHead::Map(n), length))), _) => (n, length),
            (Ok(Some((MsgpackHead::Array(n), length))), RowKind::Arrays) => (n, length),
            _ => return truncated_input(0, had),
        };
        for entry in 0..entries {
            let mut path = format!("[{entry}]");
            if self.kind != RowKind::Arrays {
                let Ok(Some((key, length))) = ColumnKey::take(bytes.get(at..).unwrap_or(&[])) else { break };
                at += length;
                path = key.step();
            }
            match skip(bytes.get(at..).unwrap_or(&[]), self.depth) {
                Ok(Some(length)) => at += length,
                _ => return CellError { path, ..truncated_input(at, had) },
            }
        }
        truncated_input(at, had)
    }

    /// Returns the start of `column`'s cell in the row at the front of `bytes`.
    fn cell_of(&self, bytes: &[u8], column: usize) -> Option<usize> {
        let whole = |at: usize| skip(bytes.get(at..)?, u64::MAX).ok().flatten();
        match head(bytes).ok().flatten()? {
            (MsgpackHead::Array(_), length) => {
                Some(length + skip_cells(bytes.get(length..)?, column, u64::MAX).ok()?.nbytes)
            }
            (MsgpackHead::Map(n), mut at) => {
                for _ in 0..n {
                    let (key, length) = ColumnKey::take(bytes.get(at..)?).ok().flatten()?;
                    at += length;
                    if self.keys.place(&key) == Some(column) {
                        return Some(at);
                    }
                    at += whole(at)?;
                }
                None
            }
            _ => None,
        }
    }
}

/// Returns the error for a row that is an array of `found` cells.
#[cold]
pub(crate) fn wrong_width(columns: usize, found: usize) -> CellError {
    malformed(0, format!("expected an array of {columns} cells, as there are columns, found one of {found}."))
}

#[cold]
pub(crate) fn expected(what: &str, found: &str) -> CellError {
    malformed(0, format!("expected {what}, found {found}."))
}
