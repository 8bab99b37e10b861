//! How a file or stream is opened.

use crate::limits::Limits;

/// The two forms of the same messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Random access by a footer: `arrow`.
    File,
    /// Front to back: `arrows`.
    Stream,
}

/// How a source is opened.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// The form; told by the first bytes where `None`.
    pub form: Option<Form>,
    /// Caps.
    pub limits: Limits,
    /// A stream without its end mark gives what came.
    pub allow_truncated: bool,
    /// Threads that may work.
    pub threads: usize,
}
