//! Small chunks joined: rows are copied here until they are a batch, for the caller's memory is his again when `write`
//! returns.

use arrow_array::make_array;
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use arrow_select::concat::concat;

use crate::arrow::owned::owned;
use crate::error::Result;

use super::cut;

/// Rows that wait.
#[derive(Debug, Default)]
pub(super) struct Pending {
    columns: Vec<Column>,
    nrows: usize,
    nbytes: usize,
}

#[derive(Debug)]
enum Column {
    /// Values of one width, one after the other.
    Fixed { data_type: DataType, bytes: Vec<u8>, valid: Option<BooleanBufferBuilder> },
    /// All else, piece by piece.
    Pieces(Vec<ArrayData>),
}

impl Pending {
    /// Rows.
    pub(super) fn nrows(&self) -> usize {
        self.nrows
    }

    /// Whether a chunk waits, of no rows perhaps.
    pub(super) fn is_begun(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Bytes, about.
    pub(super) fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Copies a chunk. Its dictionaries are codes by now.
    ///
    /// # Errors
    /// Malformed arrays.
    pub(super) fn push(&mut self, arrays: &[ArrayData], nrows: usize, nbytes: usize) -> Result<()> {
        if self.columns.is_empty() {
            self.columns = arrays.iter().map(Column::new).collect();
        }
        for (column, array) in self.columns.iter_mut().zip(arrays) {
            column.push(array, self.nrows)?;
        }
        self.nrows += nrows;
        self.nbytes += nbytes;
        Ok(())
    }

    /// All rows as arrays; nothing waits after.
    ///
    /// # Errors
    /// Arrow's own, where pieces cannot be joined.
    pub(super) fn take(&mut self) -> Result<(Vec<ArrayData>, usize)> {
        let nrows = self.nrows;
        let columns = std::mem::take(self).columns;
        let arrays = columns.into_iter().map(|c| c.finish(nrows)).collect::<Result<_>>()?;
        Ok((arrays, nrows))
    }
}

impl Column {
    fn new(array: &ArrayData) -> Self {
        match array.data_type() {
            data_type if cut::width(data_type).is_some() => {
                Self::Fixed { data_type: data_type.clone(), bytes: Vec::new(), valid: None }
            }
            _ => Self::Pieces(Vec::new()),
        }
    }

    fn push(&mut self, array: &ArrayData, before: usize) -> Result<()> {
        match self {
            Self::Pieces(pieces) => pieces.push(owned(array)?),
            Self::Fixed { data_type, bytes, valid } => {
                let width = cut::width(data_type).unwrap_or(0);
                let part = cut::part(array.buffers().first(), array.offset() * width, array.len() * width)?;
                bytes.extend_from_slice(&part);
                if valid.is_none() && array.null_count() > 0 {
                    let mut bits = BooleanBufferBuilder::new(before + array.len());
                    bits.append_n(before, true);
                    *valid = Some(bits);
                }
                match (valid, array.nulls()) {
                    (Some(bits), Some(nulls)) => bits.append_buffer(nulls.inner()),
                    (Some(bits), None) => bits.append_n(array.len(), true),
                    (None, _) => {}
                }
            }
        }
        Ok(())
    }

    fn finish(self, nrows: usize) -> Result<ArrayData> {
        let failed = |e: arrow_schema::ArrowError| cut::broken(&e.to_string());
        match self {
            Self::Fixed { data_type, bytes, valid } => {
                let nulls = valid.map(|mut bits| NullBuffer::new(bits.finish()));
                let builder = ArrayData::builder(data_type).len(nrows).nulls(nulls);
                builder.add_buffer(Buffer::from_vec(bytes)).align_buffers(true).build().map_err(failed)
            }
            Self::Pieces(mut pieces) if pieces.len() == 1 => Ok(pieces.swap_remove(0)),
            Self::Pieces(pieces) => {
                let arrays: Vec<_> = pieces.into_iter().map(make_array).collect();
                let borrowed: Vec<_> = arrays.iter().map(AsRef::as_ref).collect();
                Ok(concat(&borrowed).map_err(failed)?.to_data())
            }
        }
    }
}
