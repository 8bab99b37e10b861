//! Writing: the encoding that each column deserves, in parallel, as a standard file.

pub(crate) mod column;
pub mod file;
