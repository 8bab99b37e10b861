//! Frames as CSV: RFC 4180 and its relatives.

pub mod read;
pub mod write;
