//! ZIP archives, NPY arrays, and frames stored as sets of named members: the parts that `npz` and `npy` share.

pub mod members;
pub mod npy;
pub mod store;
pub mod zip;
