//! Converts offsets and bytes to Arrow views: sixteen bytes for each row, which contain a short text.

use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};

/// Bytes of a view.
pub(super) const NBYTES: usize = 16;

/// The maximum length of a text within its view.
const INLINE: usize = 12;

/// A view has a 31-bit offset: more bytes are split into several buffers over the same memory.
const BUFFER_NBYTES: usize = 1 << 30;

/// Returns an array of views over `bytes`, in which row `k` ends at the k-th of the 64-bit `ends` after the first.
///
/// # Errors
/// `LimitExceeded`: more than a view can address.
pub(crate) fn array(
    data_type: &DataType,
    ends: &[u8],
    bytes: &Buffer,
    nulls: Option<NullBuffer>,
    nrows: usize,
) -> Result<ArrayData> {
    let all = bytes.as_slice();
    let places =
        ends.as_chunks::<8>().0.iter().map(|b| usize::try_from(u64::from_le_bytes(*b)).unwrap_or(usize::MAX));
    let mut views: Vec<u128> = Vec::with_capacity(nrows);
    let large = || Error::limit("parquet", "a text of more than 1 GiB has no view. Read it as large_string.");
    let number = |n: usize| u32::try_from(n).map_err(|_| large());
    for (start, end) in places.clone().zip(places.skip(1)) {
        let value = all.get(start..end).unwrap_or_default();
        if value.len() > BUFFER_NBYTES {
            return Err(large());
        }
        let (buffer, at) = (number(start / BUFFER_NBYTES)?, number(start % BUFFER_NBYTES)?);
        views.push(u128::from_le_bytes(view(value, number(value.len())?, buffer, at)));
    }
    let mut builder = ArrayDataBuilder::new(data_type.clone()).len(nrows).nulls(nulls);
    builder = builder.add_buffer(Buffer::from_vec(views));
    // A text that begins in one gigabyte may end in the next: each buffer extends that far.
    for start in (0..all.len()).step_by(BUFFER_NBYTES) {
        let nbytes = (all.len() - start).min(2 * BUFFER_NBYTES - 1);
        builder = builder.add_buffer(bytes.slice_with_length(start, nbytes));
    }
    // Trusted: each view addresses bytes of one row within its buffer; texts are UTF-8.
    Ok(trusted_array(builder))
}

/// Returns the view of a text of `nbytes` bytes at position `at` of a buffer.
pub(super) fn view(value: &[u8], nbytes: u32, buffer: u32, at: u32) -> [u8; NBYTES] {
    let mut view = [0; NBYTES];
    let (head, rest) = view.split_at_mut(4);
    head.copy_from_slice(&nbytes.to_le_bytes());
    if let (true, Some(to)) = (value.len() <= INLINE, rest.get_mut(..value.len())) {
        to.copy_from_slice(value);
    } else {
        let parts = [value.get(..4).unwrap_or_default(), &buffer.to_le_bytes(), &at.to_le_bytes()];
        for (to, from) in rest.chunks_exact_mut(4).zip(parts) {
            to.copy_from_slice(from);
        }
    }
    view
}
