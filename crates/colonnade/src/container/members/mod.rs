//! A frame as a set of named NPY members and one JSON member, in a ZIP file or a directory.
//!
//! ```text
//! __meta__.json                        names, classes, depths; Colonnade's keys under "__colonnade__"
//! __values_index_{level}__.npy         row labels, a 1-D array for each level
//! __values_columns_{level}__.npy       column labels
//! __blocks_{i}__.npy                   data, 1-D or 2-D, left to right
//! __column_{position}_{path}__.npy     one buffer of a column in Arrow's layout
//! __index_{level}_{path}__.npy         the same for row labels, __columns_{level}_{path}__.npy for column labels
//! ..._part_{k}__.npy                   the following parts of a filtered array, ..._dictionary__.npy its values
//! ```

mod assemble;
mod buffers;
mod compact;
mod disassemble;
mod filter;
mod gather;
mod meta;
mod name;
mod plan;
mod sf_name;
#[cfg(test)]
mod tests {
    mod nested;
}
pub mod unicode;
mod windows;

pub use assemble::{FetchMember, assemble};
pub use buffers::{BufferLayout, BufferMember, ColumnSpec};
pub use disassemble::disassemble;
pub use filter::{FILTERS, FilterSpec, MAX_VALUES, MemberFilter};
pub use meta::{ArchiveAxisMeta, ArchiveMeta};
pub use name::{MemberName, MemberOwner};
pub use plan::{Compat, MemberPlan, PlannedMember, members, plan};

/// Version of the `__colonnade__` key of files without filters.
pub const VERSION: u64 = 1;

/// Version of files with filtered members. Readers of version 1 would take them for the arrays themselves.
pub const VERSION_FILTERS: u64 = 2;
