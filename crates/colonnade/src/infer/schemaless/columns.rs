//! Reads a map of arrays: a first pass finds the extent of each column, then threads decode the columns.

use crate::cells::msgpack::column::{CellError, CellReader};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::msgpack::skip::skip_cells;
use crate::error::{ErrorKind, Result};
use crate::infer::columns::{BlockOrColumn, InferredColumn};
use crate::parallel::{Task, run};
use crate::progress::Progress;

use super::keys::{ColumnKey, ColumnKeys};
use super::rows::expected;
use super::shape::{MapEntries, truncated_input};

/// The number of rows of the first column, which all columns must have.
#[derive(Debug, Default)]
pub(crate) struct ColumnLengths {
    first: Option<usize>,
}

impl ColumnLengths {
    /// Returns the number of rows; 0 without columns.
    pub(crate) fn rows(&self) -> usize {
        self.first.unwrap_or(0)
    }

    /// Checks a column's number of rows; `keys` ends with its label.
    pub(crate) fn add(&mut self, rows: usize, keys: &ColumnKeys) -> std::result::Result<(), CellError> {
        let first = *self.first.get_or_insert(rows);
        if first == rows {
            return Ok(());
        }
        let name = |place: usize| keys.get(place).map_or(String::new(), |k| format!("${}", k.step()));
        let message = format!(
            "expected columns of one length, found {first} cells in {} and {rows} in {}. Write frames of different \
             length as a map of frames.",
            name(0),
            name(keys.len().saturating_sub(1))
        );
        Err(CellError::new(ErrorKind::Malformed, 0, message))
    }
}

/// Returns the options of cells inside `outer` arrays and maps.
pub(super) fn options_below(outer: u64, options: &ReadOptions) -> ReadOptions {
    let mut options = *options;
    options.limits.max_depth = options.limits.max_depth.saturating_sub(outer);
    options
}

/// Reads the head of a column's array. Returns its number of rows and the head's length, or `None` if the head is
/// incomplete.
pub(super) fn rows_of(bytes: &[u8]) -> std::result::Result<Option<(usize, usize)>, CellError> {
    match head(bytes)? {
        None => Ok(None),
        Some((MsgpackHead::Array(n), length)) => Ok(Some((n as usize, length))),
        Some((other, _)) => Err(expected("an array of cells, as a map of columns has them", other.name())),
    }
}

struct Extent<'b> {
    path: String,
    bytes: &'b [u8],
    base: u64,
    out: Option<BlockOrColumn>,
}

/// Decodes the map at the front of `bytes`. Returns its labels, columns and rows, and its length.
pub(super) fn take(
    bytes: &[u8],
    base: u64,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<(ColumnKeys, Vec<BlockOrColumn>, usize, usize)> {
    let cells = options_below(2, options);
    let mut keys = ColumnKeys::default();
    let mut lengths = ColumnLengths::default();
    let mut extents = Vec::new();
    let mut entries = MapEntries::new(bytes, options);
    while let Some((key, at)) = entries.key().map_err(|e| e.placed("$", base))? {
        let path = format!("${}", key.step());
        keys.push(key, &options.limits).map_err(|e| e.after(0, at).placed(&path, base))?;
        let (rest, begin) = (entries.rest(), entries.end());
        let place = |e: CellError| e.after(0, begin).placed(&path, base);
        let found = rows_of(rest).map_err(place)?;
        let (rows, length) = found.ok_or_else(|| place(truncated_input(0, bytes.len())))?;
        lengths.add(rows, &keys).map_err(place)?;
        let from = rest.get(length..).unwrap_or(&[]);
        let begin = begin + length;
        let taken = skip_cells(from, rows, cells.limits.max_depth)
            .map_err(|e| e.after(0, begin).in_column(&path, 0, base))?;
        if taken.cells < rows {
            let path = format!("{path}[{}]", taken.cells);
            return Err(truncated_input(begin + taken.nbytes, bytes.len()).placed(&path, base));
        }
        let bytes = from.get(..taken.nbytes).unwrap_or(&[]);
        extents.push(Extent { path, bytes, base: base + begin as u64, out: None });
        entries.pass(length + taken.nbytes);
    }
    let rows = lengths.rows();
    let tasks = extents.iter_mut().map(|extent| {
        let cells = &cells;
        Task::new(extent.bytes.len(), move || {
            let mut column = InferredColumn::new(cells).with_rows(rows);
            let taken =
                column.take(extent.bytes, rows).map_err(|e| e.in_column(&extent.path, 0, extent.base))?;
            if taken.cells != rows {
                return Err(
                    truncated_input(taken.nbytes, extent.bytes.len()).placed(&extent.path, extent.base)
                );
            }
            extent.out = Some(column.finish()?);
            Ok(())
        })
    });
    run(tasks.collect(), options.threads, progress)?;
    let end = entries.end();
    let columns: Vec<BlockOrColumn> = extents.into_iter().filter_map(|e| e.out).collect();
    Ok((keys, columns, rows, end))
}

/// Adds a column's label. Refuses a repeated label, or one over the limit.
pub(super) fn add_key(
    keys: &mut ColumnKeys,
    key: ColumnKey,
    options: &ReadOptions,
    offset: usize,
    base: u64,
) -> Result<String> {
    let path = format!("${}", key.step());
    keys.push(key, &options.limits).map_err(|e| e.after(0, offset).placed(&path, base))?;
    Ok(path)
}
