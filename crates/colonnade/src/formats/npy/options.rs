//! Options of npy.

use crate::container::members::Compat;

/// Options for writing.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    /// The readers that must be able to open a directory. A single file has no variants.
    pub compat: Compat,
}
