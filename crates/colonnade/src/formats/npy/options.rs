//! Options of npy.

use crate::container::members::Compat;

/// Options for writing.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    /// Who else must be able to open a directory. A lone file is the same for all.
    pub compat: Compat,
}
