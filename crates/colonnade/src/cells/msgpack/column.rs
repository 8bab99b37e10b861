//! What reads and writes the cells of one column.

use std::fmt::Write as _;
use std::ops::Range;

use crate::error::{Error, ErrorKind};
use crate::shown::cut;

/// What was taken from the front of some bytes: whole cells, and how long they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Taken {
    /// Cells.
    pub cells: usize,
    /// Their bytes.
    pub nbytes: usize,
}

/// An error inside a cell, before anyone has said where the cell stands.
#[derive(Debug)]
pub struct CellError {
    /// Cells of this call before the one with the error.
    pub cell: usize,
    /// From the front of the bytes of this call.
    pub offset: usize,
    /// Where inside the cell, in JSONPath: `.x[3]`; empty for the cell itself.
    pub path: String,
    /// What is wrong, without place.
    pub error: Error,
}

impl CellError {
    /// An error of the cell at `offset`.
    #[must_use]
    #[cold]
    pub fn new(kind: ErrorKind, offset: usize, message: impl Into<String>) -> Self {
        Self { cell: 0, offset, path: String::new(), error: Error::new(kind, FORMAT, message) }
    }

    /// The same, after `cells` cells of `nbytes` bytes.
    #[must_use]
    pub fn after(mut self, cells: usize, nbytes: usize) -> Self {
        self.cell += cells;
        self.offset += nbytes;
        self
    }

    /// The same, inside the member `name` of the cell.
    #[must_use]
    pub fn in_field(mut self, name: &str) -> Self {
        self.path.insert_str(0, &step(name));
        self
    }

    /// The same, inside entry `i` of the cell.
    #[must_use]
    pub fn in_entry(mut self, i: usize) -> Self {
        self.path.insert_str(0, &format!("[{i}]"));
        self
    }

    /// The error with its place: `column` is the path of the column (`$.dep_time`), `first_row` the row of this call's first
    /// cell, `base` the offset of this call's bytes from the start of the source.
    #[must_use]
    pub fn in_column(self, column: &str, first_row: usize, base: u64) -> Error {
        let path = format!("{column}[{}]", first_row + self.cell);
        self.placed(&path, base)
    }

    /// The error with its place, where the path is known whole.
    #[must_use]
    pub fn placed(self, path: &str, base: u64) -> Error {
        let Self { offset, path: inner, error, .. } = self;
        error.in_member(format!("{path}{inner}")).at(base + offset as u64)
    }
}

/// The format's name in errors.
pub const FORMAT: &str = "msgpack";

/// The bytes at `offset` break the specification, or are not what was expected there.
#[must_use]
#[cold]
pub fn malformed(offset: usize, message: impl Into<String>) -> CellError {
    CellError::new(ErrorKind::Malformed, offset, message)
}

/// One step of a path: `.name`, or `["odd name"]`, cut where it is long.
#[must_use]
pub fn step(name: &str) -> String {
    let plain = !name.is_empty()
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !name.starts_with(|c: char| c.is_ascii_digit());
    let short = cut(name, 80);
    let mut out = String::new();
    let _ = if plain { write!(out, ".{short}") } else { write!(out, "[{short:?}]") };
    out
}

/// Takes the cells of one column, front to back.
pub trait Cells: Send + Sync {
    /// Takes at most `wanted` whole cells from the front of `bytes`. Where fewer are taken, the next one is not whole in
    /// `bytes`: the caller comes again with more behind the same front, or finds the input cut short. A call costs no more
    /// than what it takes and the front of one cell: never again what was taken before.
    ///
    /// # Errors
    /// A cell that is not what the column holds, or breaks the specification. The column is of no use then.
    fn take(&mut self, bytes: &[u8], wanted: usize) -> std::result::Result<Taken, CellError>;
}

/// Writes the cells of one column.
pub trait CellWriter: Send + Sync {
    /// Bytes of the cells of these rows, exactly.
    ///
    /// # Errors
    /// `Unrepresentable`: a value that MessagePack cannot hold.
    fn measure(&self, rows: Range<usize>) -> crate::Result<usize>;

    /// Writes the cells of these rows to the front of `out`; answers the bytes written.
    ///
    /// # Errors
    /// As [`CellWriter::measure`]; malformed where `out` is too short, because the data changed since they were measured.
    fn write(&self, rows: Range<usize>, out: &mut [u8]) -> crate::Result<usize>;
}

/// Data that somebody else changes while they are written.
#[must_use]
#[cold]
pub fn changed() -> Error {
    Error::malformed(
        FORMAT,
        "the data changed while they were being written. Copy the frame first, or stop whoever writes to it.",
    )
}
