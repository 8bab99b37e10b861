//! The description of a frame that had to be decoded to be described.

use super::{Axis, Frame, Part, Slot, Tags, type_name};
use crate::error::{Error, Result};

/// The description of a decoded frame.
#[derive(Debug)]
pub struct Description {
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
    /// Type name of each column: NumPy's for columns of blocks, else Arrow's.
    pub dtypes: Vec<String>,
}

impl Description {
    /// Describes a decoded frame.
    ///
    /// # Errors
    /// `LimitExceeded`: more bytes than `max_nbytes`; as [`Frame::slots`].
    pub fn of(format: &'static str, frame: &Frame, max_nbytes: u64) -> Result<Self> {
        let nbytes = frame.nbytes() as u64;
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
            nrows: frame.nrows,
            nbytes,
            index: frame.index.clone(),
            columns: frame.columns.clone(),
            tags: frame.tags.clone(),
            dtypes: frame.slots()?.into_iter().map(name).collect(),
        })
    }
}
