//! The description of a text's frame, which requires decoding it.

use crate::error::Result;
use crate::frame::{Axis, Description, Tags};
use crate::limits::Limits;

use super::DecodedText;

/// The description of a frame.
#[derive(Debug)]
pub struct TextDescription {
    /// The layout of the text.
    pub orient: &'static str,
    /// Version of Colonnade's header.
    pub version: Option<u64>,
    /// Number of rows.
    pub nrows: usize,
    /// Bytes of data and labels once decoded.
    pub nbytes: u64,
    /// Row labels.
    pub index: Axis,
    /// Column labels.
    pub columns: Axis,
    /// Name, attributes, origin.
    pub tags: Tags,
    /// The dtype of each column: NumPy's for a column of a block, else Arrow's.
    pub dtypes: Vec<String>,
    /// Rows that were skipped.
    pub dropped: u64,
    /// Cells that became null because they do not fit.
    pub nulled: u64,
    /// The detected dialect (csv), as JSON.
    pub dialect: Option<String>,
}

impl TextDescription {
    /// Describes a decoded frame.
    ///
    /// # Errors
    /// As [`Description::of`].
    pub fn of(format: &'static str, decoded: &DecodedText, limits: &Limits) -> Result<Self> {
        let Description { nrows, nbytes, index, columns, tags, dtypes } =
            Description::of(format, &decoded.frame, limits.max_nbytes)?;
        Ok(Self {
            orient: decoded.orient,
            version: decoded.version,
            nrows,
            nbytes,
            index,
            columns,
            tags,
            dtypes,
            dropped: decoded.dropped,
            nulled: decoded.nulled,
            dialect: decoded.dialect.clone(),
        })
    }
}
