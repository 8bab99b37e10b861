//! What is said of a frame that had to be decoded to be described, and parts of it.

use crate::container::store::Limits;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Part, Slot, Tags, type_name};

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
    /// What was told by the look, as JSON.
    pub dialect: Option<String>,
}

impl Described {
    /// The description of what was read.
    ///
    /// # Errors
    /// `LimitExceeded`: more bytes than the limit; as [`Frame::slots`].
    pub fn of(format: &'static str, decoded: &Decoded, limits: &Limits) -> Result<Self> {
        let frame = &decoded.frame;
        let (nbytes, max_nbytes) = (frame.nbytes() as u64, limits.max_nbytes);
        if nbytes > max_nbytes {
            let message = format!("{nbytes} bytes, the limit is {max_nbytes}. Raise max_nbytes to read it.");
            return Err(Error::limit(format, message));
        }
        let name = |slot: Slot| match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => block.grid.dtype.descr(),
            Some(Part::Column(column, _)) => type_name(column.data.data_type(), column.ordered),
            None => String::new(),
        };
        Ok(Self {
            orient: decoded.orient,
            version: decoded.version,
            nrows: frame.nrows,
            nbytes,
            index: frame.index.clone(),
            columns: frame.columns.clone(),
            tags: frame.tags.clone(),
            dtypes: frame.slots()?.into_iter().map(name).collect(),
            dropped: decoded.dropped,
            nulled: decoded.nulled,
            dialect: decoded.dialect.clone(),
        })
    }
}

/// The columns and rows of a frame that are asked for; all where `None`.
///
/// # Errors
/// `NotFound`: a position or row that is not there.
pub fn part(
    format: &'static str,
    frame: Frame,
    positions: Option<&[usize]>,
    rows: Option<(usize, usize)>,
) -> Result<Frame> {
    let frame = match positions {
        Some(positions) => frame.select(positions, frame.columns.select(positions)?)?,
        None => frame,
    };
    match rows {
        Some((start, stop)) if start > stop || stop > frame.nrows => {
            let message = format!("rows {start}..{stop} are out of range: there are {}.", frame.nrows);
            Err(Error::not_found(format, message))
        }
        Some((start, stop)) if (start, stop) != (0, frame.nrows) => Ok(frame.slice(start, stop)),
        _ => Ok(frame),
    }
}
