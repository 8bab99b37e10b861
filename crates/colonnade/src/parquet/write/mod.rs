//! Writing: the encoding that each column deserves, in parallel, as a standard file.

#[allow(dead_code)] // what the writer does not ask for yet
pub(crate) mod column;
pub mod file;
