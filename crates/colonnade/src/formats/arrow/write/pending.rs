//! Joins small chunks to batches. Rows are copied, because the caller may change its memory when `write` returns.

use arrow_array::make_array;
use arrow_buffer::{BooleanBufferBuilder, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use arrow_select::concat::concat;

use crate::arrow::deep_copy::deep_copy;
use crate::error::Result;

use super::slice;

/// Rows that are not yet written.
#[derive(Debug, Default)]
pub(super) struct PendingBatch {
    columns: Vec<PendingColumn>,
    nrows: usize,
    nbytes: usize,
}

#[derive(Debug)]
enum PendingColumn {
    /// Fixed-width values.
    Fixed { data_type: DataType, bytes: Vec<u8>, validity: Option<BooleanBufferBuilder> },
    /// Arrays of other types.
    Pieces(Vec<ArrayData>),
}

impl PendingBatch {
    /// Number of pending rows.
    pub(super) fn nrows(&self) -> usize {
        self.nrows
    }

    /// Whether a chunk is pending, possibly of no rows.
    pub(super) fn is_begun(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Approximate bytes of the pending rows.
    pub(super) fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Copies a chunk, whose dictionaries are replaced by codes.
    ///
    /// # Errors
    /// Malformed arrays.
    pub(super) fn push(&mut self, arrays: &[ArrayData], nrows: usize, nbytes: usize) -> Result<()> {
        if self.columns.is_empty() {
            self.columns = arrays.iter().map(PendingColumn::new).collect();
        }
        for (column, array) in self.columns.iter_mut().zip(arrays) {
            column.push(array, self.nrows)?;
        }
        self.nrows += nrows;
        self.nbytes += nbytes;
        Ok(())
    }

    /// Removes all rows and returns them as arrays.
    ///
    /// # Errors
    /// Arrow's kernel cannot join the arrays.
    pub(super) fn take(&mut self) -> Result<(Vec<ArrayData>, usize)> {
        let nrows = self.nrows;
        let columns = std::mem::take(self).columns;
        let arrays = columns.into_iter().map(|c| c.finish(nrows)).collect::<Result<_>>()?;
        Ok((arrays, nrows))
    }
}

impl PendingColumn {
    fn new(array: &ArrayData) -> Self {
        match array.data_type() {
            data_type if slice::width(data_type).is_some() => {
                Self::Fixed { data_type: data_type.clone(), bytes: Vec::new(), validity: None }
            }
            _ => Self::Pieces(Vec::new()),
        }
    }

    fn push(&mut self, array: &ArrayData, nrows_before: usize) -> Result<()> {
        match self {
            Self::Pieces(pieces) => pieces.push(deep_copy(array)?),
            Self::Fixed { data_type, bytes, validity } => {
                let width = slice::width(data_type).unwrap_or(0);
                let values =
                    slice::bytes(array.buffers().first(), array.offset() * width, array.len() * width)?;
                bytes.extend_from_slice(&values);
                if validity.is_none() && array.null_count() > 0 {
                    let mut bits = BooleanBufferBuilder::new(nrows_before + array.len());
                    bits.append_n(nrows_before, true);
                    *validity = Some(bits);
                }
                match (validity, array.nulls()) {
                    (Some(bits), Some(nulls)) => bits.append_buffer(nulls.inner()),
                    (Some(bits), None) => bits.append_n(array.len(), true),
                    (None, _) => {}
                }
            }
        }
        Ok(())
    }

    fn finish(self, nrows: usize) -> Result<ArrayData> {
        let failed = |e: arrow_schema::ArrowError| slice::invalid_layout(&e.to_string());
        match self {
            Self::Fixed { data_type, bytes, validity } => {
                let nulls = validity.map(|mut bits| NullBuffer::new(bits.finish()));
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
