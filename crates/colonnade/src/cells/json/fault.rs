//! An error in JSON at a byte offset. The reader adds line and column.

use crate::ErrorKind;
use crate::excerpt::shorten;

/// An error at a byte offset. Line and column are counted when the error is reported.
#[derive(Debug)]
pub(crate) struct JsonFault {
    /// Offset in the scanned bytes.
    pub(crate) at: usize,
    pub(crate) kind: ErrorKind,
    /// The column, key or path with the error.
    pub(crate) member: Option<String>,
    /// What was expected, what was found, and the next step.
    pub(crate) message: String,
    /// Whether the cell is valid JSON of another type than its column.
    pub(crate) is_type: bool,
}

/// A result of the scanner. The fault is boxed, so that hot functions return a pointer.
pub(crate) type Scanned<T> = Result<T, Box<JsonFault>>;

impl JsonFault {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, at: usize, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { at, kind, member: None, message: message.into(), is_type: false })
    }

    #[cold]
    pub(crate) fn malformed(at: usize, message: impl Into<String>) -> Box<Self> {
        Self::new(ErrorKind::Malformed, at, message)
    }

    /// Wraps an error from outside the scanner that concerns the cell at `at`.
    #[cold]
    pub(crate) fn of(at: usize, error: crate::Error) -> Box<Self> {
        let message = error.message().to_owned();
        Self::new(error.into_kind(), at, message)
    }

    /// Names the column (or key) `name`, unless the fault already names an inner one.
    #[cold]
    pub(crate) fn within(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.member.get_or_insert_with(|| shorten(name, 80));
        self
    }

    /// Moves the fault's offset `nbytes` further on.
    #[cold]
    pub(crate) fn after(mut self: Box<Self>, nbytes: usize) -> Box<Self> {
        self.at += nbytes;
        self
    }
}
