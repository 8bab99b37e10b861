//! Options for opening a file or stream.

use crate::limits::Limits;

/// The two forms of the same messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `arrow`: a footer allows random access.
    File,
    /// `arrows`: read front to back.
    Stream,
}

/// Options for opening a source.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// The form; `None`: detected from the first bytes.
    pub form: Option<Form>,
    /// The limits.
    pub limits: Limits,
    /// Whether a stream without an end mark is accepted, with the complete batches received.
    pub allow_truncated: bool,
    /// The maximum number of threads.
    pub threads: usize,
}
