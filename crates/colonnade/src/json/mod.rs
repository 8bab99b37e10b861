//! JSON and NDJSON: frames as text and back. Knows nothing of files, pipes and connections.
//!
//! Specifications: RFC 8259, <https://www.rfc-editor.org/rfc/rfc8259>; <https://github.com/ndjson/ndjson-spec>.
//!
//! Cells are scanned straight into columns: no tree of values stands between. Rows are read in ranges of the input, side by
//! side, and joined in order.

pub mod read;
pub mod write;
