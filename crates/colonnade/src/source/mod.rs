//! Where bytes come from: memory, a path, a stream, or ranges of a file elsewhere. All formats are opened over it.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::memory::{Buffer, Remote};

/// Where the bytes of a file come from.
pub enum Source<'s> {
    /// Memory that is there already.
    Memory(Buffer),
    /// A file or directory.
    Path {
        /// Its path.
        path: &'s Path,
        /// Whether a large file may be mapped; else it is read.
        mmap: bool,
    },
    /// A pipe, socket or object that is read to its end.
    Stream(&'s mut (dyn Read + Send)),
    /// A file elsewhere, of which parts can be fetched.
    Ranges(Arc<Remote>),
}
