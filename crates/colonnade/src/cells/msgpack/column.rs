//! Traits of readers and writers of one column's cells.

use std::fmt::Write as _;
use std::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::excerpt::shorten;

/// The number of whole cells taken from the front of a slice, and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellExtent {
    /// Number of cells.
    pub cells: usize,
    /// Number of bytes.
    pub nbytes: usize,
}

/// An error inside a cell, before the cell's place in the input is known.
#[derive(Debug)]
pub struct CellError {
    /// Number of cells of this call before the faulty one.
    pub cell: usize,
    /// Offset in the bytes of this call.
    pub offset: usize,
    /// JSONPath inside the cell: `.x[3]`; empty for the cell itself.
    pub path: String,
    /// The error without a place.
    pub error: Error,
}

impl CellError {
    /// Creates an error of the cell at `offset`.
    #[must_use]
    #[cold]
    pub fn new(kind: ErrorKind, offset: usize, message: impl Into<String>) -> Self {
        Self { cell: 0, offset, path: String::new(), error: Error::new(kind, FORMAT, message) }
    }

    /// Moves the error back by `cells` cells of `nbytes` bytes.
    #[must_use]
    pub fn after(mut self, cells: usize, nbytes: usize) -> Self {
        self.cell += cells;
        self.offset += nbytes;
        self
    }

    /// Puts the error inside the member `name` of the cell.
    #[must_use]
    pub fn in_field(mut self, name: &str) -> Self {
        self.path.insert_str(0, &step(name));
        self
    }

    /// Puts the error inside entry `i` of the cell.
    #[must_use]
    pub fn in_entry(mut self, i: usize) -> Self {
        self.path.insert_str(0, &format!("[{i}]"));
        self
    }

    /// Returns the error with its place. `column` is the path of the column (`$.dep_time`), `first_row` the row of this
    /// call's first cell, `base` the offset of this call's bytes in the source.
    #[must_use]
    pub fn in_column(self, column: &str, first_row: usize, base: u64) -> Error {
        let path = format!("{column}[{}]", first_row + self.cell);
        self.placed(&path, base)
    }

    /// Returns the error with its place, whose whole path is `path`.
    #[must_use]
    pub fn placed(self, path: &str, base: u64) -> Error {
        let Self { offset, path: inner, error, .. } = self;
        error.in_member(format!("{path}{inner}")).at(base + offset as u64)
    }
}

/// The format's name in errors.
pub const FORMAT: &str = "msgpack";

/// Creates the error for bytes at `offset` that break the specification, or that differ from what was expected there.
#[must_use]
#[cold]
pub fn malformed(offset: usize, message: impl Into<String>) -> CellError {
    CellError::new(ErrorKind::Malformed, offset, message)
}

/// Formats one step of a path: `.name` or `["odd name"]`, truncated if it is long.
#[must_use]
pub fn step(name: &str) -> String {
    let plain = !name.is_empty()
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !name.starts_with(|c: char| c.is_ascii_digit());
    let short = shorten(name, 80);
    let mut out = String::new();
    let _ = if plain { write!(out, ".{short}") } else { write!(out, "[{short:?}]") };
    out
}

/// Reads the cells of one column from front to back.
pub trait CellReader: Send + Sync {
    /// Takes at most `wanted` whole cells from the front of `bytes`. If it takes fewer, the next cell is not complete in
    /// `bytes`: the caller calls again with the same front followed by more bytes, or reports truncated input. A call
    /// costs no more than the cells that it takes and the front of one more; it never reads taken cells again.
    ///
    /// # Errors
    /// A cell that breaks the specification or does not fit the column. The reader is unusable afterwards.
    fn take(&mut self, bytes: &[u8], wanted: usize) -> std::result::Result<CellExtent, CellError>;
}

/// Writes the cells of one column.
pub trait CellWriter: Send + Sync {
    /// Returns the exact number of bytes of these rows' cells.
    ///
    /// # Errors
    /// `Unrepresentable`: a value that MessagePack cannot hold.
    fn measure(&self, rows: Range<usize>) -> crate::Result<usize>;

    /// Writes the cells of these rows to the front of `out`. Returns the number of bytes written.
    ///
    /// # Errors
    /// As [`CellWriter::measure`]; `Malformed` if `out` is too short because the data changed since they were measured.
    fn write(&self, rows: Range<usize>, out: &mut [u8]) -> crate::Result<usize>;
}

/// Creates the error for data that change while they are written.
#[must_use]
#[cold]
pub fn changed() -> Error {
    Error::malformed(
        FORMAT,
        "the data changed while they were being written. Copy the frame first, or stop the thread that writes to it.",
    )
}
