//! Caps on what a file may ask for, checked before anything is allocated.

/// Caps; all are inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all members once decompressed.
    pub max_nbytes: u64,
    /// Members of an archive.
    pub max_members: u64,
    /// Bytes of one member once decompressed.
    pub max_member_nbytes: u64,
    /// Columns of a frame: an array of no rows can claim any number of them without a byte behind it.
    pub max_columns: u64,
    /// Rows that no byte stands behind.
    pub max_unbacked_rows: u64,
    /// Bytes of `__meta__.json`.
    pub max_meta_nbytes: u64,
    /// How deep values may nest (MessagePack).
    pub max_depth: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_nbytes: 1 << 46,
            max_members: 16 << 20,
            max_member_nbytes: 1 << 46,
            max_columns: 16 << 20,
            max_unbacked_rows: 256 << 20,
            max_meta_nbytes: 1 << 30,
            max_depth: 64,
        }
    }
}

/// NPY headers are a few hundred bytes; structured ones a few thousand.
pub(super) const MAX_HEADER_NBYTES: usize = 1 << 20;
