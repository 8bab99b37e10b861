//! What several formats are built from: ZIP archives and NPY arrays.

pub mod npy;
pub mod zip;
