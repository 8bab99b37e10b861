//! Frames as JSON and as JSON by lines: RFC 8259.

pub mod write;
