//! An error in JSON, at a byte. The reader adds line and column.

use crate::ErrorKind;
use crate::shown::cut;

/// An error at a byte; line and column are counted once it is reported.
#[derive(Debug)]
pub(crate) struct Fault {
    /// From the start of the bytes that were scanned.
    pub(crate) at: usize,
    pub(crate) kind: ErrorKind,
    /// Column, key or path that it concerns.
    pub(crate) member: Option<String>,
    /// Expected, found, next step.
    pub(crate) message: String,
    /// Whether a cell is sound but of another type than its column.
    pub(crate) is_type: bool,
}

/// The fault is boxed, so that hot functions return a pointer.
pub(crate) type Scanned<T> = Result<T, Box<Fault>>;

impl Fault {
    #[cold]
    pub(crate) fn new(kind: ErrorKind, at: usize, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { at, kind, member: None, message: message.into(), is_type: false })
    }

    #[cold]
    pub(crate) fn malformed(at: usize, message: impl Into<String>) -> Box<Self> {
        Self::new(ErrorKind::Malformed, at, message)
    }

    /// An error of another room about the cell at `at`.
    #[cold]
    pub(crate) fn of(at: usize, error: crate::Error) -> Box<Self> {
        let message = error.message().to_owned();
        Self::new(error.into_kind(), at, message)
    }

    /// The same, in the column (or key) `name`, where no inner one is named.
    #[cold]
    pub(crate) fn within(mut self: Box<Self>, name: &str) -> Box<Self> {
        self.member.get_or_insert_with(|| cut(name, 80));
        self
    }

    /// The same, `nbytes` further on.
    #[cold]
    pub(crate) fn after(mut self: Box<Self>, nbytes: usize) -> Box<Self> {
        self.at += nbytes;
        self
    }
}
