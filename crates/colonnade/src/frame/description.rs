//! What is said of a frame that had to be decoded to be described.

use arrow_schema::DataType;

use super::{Axis, Frame, Part, Slot, Tags, type_name};
use crate::error::{Error, Result};

/// What is said of a frame.
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
    /// One name a column: NumPy's where it is in a block, else Arrow's.
    pub dtypes: Vec<String>,
    /// The Arrow type of each column outside blocks.
    pub types: Vec<Option<DataType>>,
}

impl Description {
    /// The description of a frame that was read.
    ///
    /// # Errors
    /// `LimitExceeded`: more bytes than `max_nbytes`; as [`Frame::slots`].
    pub fn of(format: &'static str, frame: &Frame, max_nbytes: u64) -> Result<Self> {
        let nbytes = frame.nbytes() as u64;
        if nbytes > max_nbytes {
            let message = format!("{nbytes} bytes, the limit is {max_nbytes}. Raise max_nbytes to read it.");
            return Err(Error::limit(format, message));
        }
        let arrow = |slot: &Slot| match frame.parts.get(slot.part) {
            Some(Part::Column(column, _)) => Some(column.data.data_type().clone()),
            _ => None,
        };
        let name = |slot: Slot| match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => block.grid.dtype.descr(),
            Some(Part::Column(column, _)) => type_name(column.data.data_type(), column.ordered),
            None => String::new(),
        };
        let slots = frame.slots()?;
        Ok(Self {
            nrows: frame.nrows,
            nbytes,
            index: frame.index.clone(),
            columns: frame.columns.clone(),
            tags: frame.tags.clone(),
            types: slots.iter().map(arrow).collect(),
            dtypes: slots.into_iter().map(name).collect(),
        })
    }
}
