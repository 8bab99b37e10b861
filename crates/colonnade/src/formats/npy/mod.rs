//! NPY: one array in one file, or a frame as a directory of NPY files (NumPy Enhancement Proposal 1, versions 1.0 to 3.0).
//!
//! ```text
//! single file  93 'NUMPY' | 01 00 | u16 header length | {'descr': ..., 'fortran_order': ..., 'shape': ..., } \n | data
//! directory   __meta__.json  __values_index_0__.npy ...  __blocks_0__.npy ...     (StaticFrame's to_npy)
//! ```

mod format;

pub use format::NpyFormat;

mod encode;
mod options;

#[cfg(test)]
mod tests;

pub use encode::{encode, encode_directory};
pub use options::WriteOptions;
