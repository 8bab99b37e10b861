//! What several formats are built from: ZIP archives, NPY arrays, and frames as sets of named members.

pub mod members;
pub mod npy;
pub mod store;
pub mod zip;
