//! What all text formats share: encodings, the header, the frame that was read.
//!
//! | room | what |
//! |---|---|
//! | [`input`] | bytes as UTF-8, whatever their encoding |
//! | [`opened`] | a source opened whole: decompressed, decoded, described |
//! | [`header`] | what text alone does not say: types, axes, names, categories |

pub mod chunked;
pub mod described;
pub mod header;
pub mod input;
pub mod opened;
pub mod pieces;

use crate::frame::Frame;

/// A frame that was read from text, and what is said of it.
#[derive(Debug)]
pub struct Decoded {
    /// The frame.
    pub frame: Frame,
    /// How it was laid out: `"columns"`, `"records"`..., `"csv"`.
    pub orient: &'static str,
    /// Version of our header; `None` where there was none.
    pub version: Option<u64>,
    /// Rows that were skipped, as the caller asked.
    pub dropped: u64,
    /// Rows that were padded, and cells that became null, as the caller asked.
    pub nulled: u64,
    /// The dialect that was found (csv), as JSON.
    pub dialect: Option<String>,
}

impl Decoded {
    /// A frame of which nothing was left out.
    #[must_use]
    pub fn new(frame: Frame, orient: &'static str, version: Option<u64>) -> Self {
        Self { frame, orient, version, dropped: 0, nulled: 0, dialect: None }
    }
}
