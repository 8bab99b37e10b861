//! Parts that all text formats share: encodings, the header, the decoded frame.
//!
//! | room | what |
//! |---|---|
//! | [`encoding`] | encodings, byte order marks, conversion to UTF-8 |
//! | [`input`] | a source as UTF-8, with the places of its bytes |
//! | [`opened`] | a source opened whole: decompressed, decoded, described |
//! | [`header`] | types, axes, names and categories, which text cannot express |
//! | [`loss`] | what plain text, without a header, does not bring back |

pub mod chunked;
pub mod description;
pub(crate) mod encoding;
pub mod header;
pub mod input;
pub mod loss;
pub mod opened;
pub mod pieces;

use crate::frame::Frame;

/// A frame read from text, with its description.
#[derive(Debug)]
pub struct DecodedText {
    /// The frame.
    pub frame: Frame,
    /// The layout of the text: `"columns"`, `"records"`..., `"csv"`.
    pub orient: &'static str,
    /// Version of Colonnade's header; `None` without one.
    pub version: Option<u64>,
    /// Rows that were skipped because of an option.
    pub dropped: u64,
    /// Rows that were padded and cells that became null because of an option.
    pub nulled: u64,
    /// The detected dialect (csv), as JSON.
    pub dialect: Option<String>,
}

impl DecodedText {
    /// Creates the result of a frame without skipped rows or cells.
    #[must_use]
    pub fn new(frame: Frame, orient: &'static str, version: Option<u64>) -> Self {
        Self { frame, orient, version, dropped: 0, nulled: 0, dialect: None }
    }
}
