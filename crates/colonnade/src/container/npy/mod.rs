//! NPY headers: parsed with a small literal grammar, and written in the spelling of NumPy or StaticFrame.

mod descr;
mod fast_path;
mod header;
mod literal;
mod shape;
mod write;

#[cfg(test)]
pub(crate) mod tests;

pub use descr::{Descr, DescrField};
pub use header::{NpyHeader, header_len, parse_header};
pub use shape::MAX_NDIM;
pub use write::{write_header, write_numpy_header};

/// First six bytes of every NPY.
pub(crate) const MAGIC: &[u8; 6] = b"\x93NUMPY";

pub(crate) const FORMAT: &str = "npy";

fn to_u64(value: usize) -> u64 {
    value as u64
}
