//! NPZ: a plain ZIP of plain NPY files and one JSON file. Its layout lets a mapped file serve as the frame's memory.
//!
//! ZIP: APPNOTE 6.3.10; NPY: NumPy Enhancement Proposal 1, version 1.0; member names and `__meta__.json`: StaticFrame's
//! archive_npy; Colonnade's key in it: `__colonnade__`, version 1.
//!
//! ```text
//! local header | name | extra 0xD935 (padding)     \
//! 93 'NUMPY' 01 00 | length | {"descr":...} \n      |  a member; the array starts on a cache line (64 bytes),
//! array data                                       /   from 1 MiB on a page; members of equal header are at a
//! ...                                                  constant distance, an odd number of cache lines
//! central directory | end record                      gives the positions of the members
//! ```
//!
//! | holds | how |
//! |---|---|
//! | every NumPy dtype but object | unchanged, in 1-D or 2-D members from left to right |
//! | strings, bytes, nullable, categorical, zoned, decimal | one member per buffer of Arrow's layout |
//! | labels, names, attrs | members and `__meta__.json` |
//! | lists, maps, unions, mixed objects | refused with an error that names the column |

mod format;

pub use format::NpzFormat;

mod bundle;
mod encode;
mod filter;
mod layout;
mod opened;
mod options;

#[cfg(test)]
mod tests;

pub use crate::container::store::ReadOptions;
pub use bundle::{encode_archives, encode_bundle, encode_members};
pub use encode::encode;
pub use options::{BundleLayout, FilterChoice, MemberCodec, WriteOptions, profile};
