//! What is said of a frame of text, which had to be decoded to be described.

use crate::error::Result;
use crate::frame::{Axis, Description, Tags};
use crate::limits::Limits;

use super::Decoded;

/// What is said of a frame.
#[derive(Debug)]
pub struct Described {
    /// How it was laid out.
    pub orient: &'static str,
    /// Version of our header.
    pub version: Option<u64>,
    /// Rows.
    pub nrows: usize,
    /// Bytes of data and labels, decoded.
    pub nbytes: u64,
    /// Row labels.
    pub index: Axis,
    /// Column labels.
    pub columns: Axis,
    /// Name, attributes, origin.
    pub tags: Tags,
    /// One name a column: NumPy's where it is in a block, else Arrow's.
    pub dtypes: Vec<String>,
    /// Rows that were skipped.
    pub dropped: u64,
    /// What became null because it does not fit.
    pub nulled: u64,
    /// The dialect that was found (csv), as JSON.
    pub dialect: Option<String>,
}

impl Described {
    /// The description of what was read.
    ///
    /// # Errors
    /// As [`Description::of`].
    pub fn of(format: &'static str, decoded: &Decoded, limits: &Limits) -> Result<Self> {
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
