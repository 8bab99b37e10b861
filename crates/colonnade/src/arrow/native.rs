//! Converts NumPy dtypes to Arrow types, and their cells to Arrow arrays.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::frame::TimeBase;
use crate::frame::{Block, ByteOrder, DType, DTypeKind, Grid};
use crate::memory::pack;

use super::cells::exact_type;
use super::gather;

/// NumPy's NaT.
const NAT: i64 = i64::MIN;

/// A NumPy dtype and the Arrow type that its cells are converted to.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeType {
    /// The NumPy dtype.
    pub dtype: DType,
    /// The Arrow type.
    pub data_type: DataType,
}

fn unrepresentable(message: String) -> Error {
    Error::unrepresentable("arrow", message)
}

fn width_of(dtype: DType) -> Result<i32> {
    i32::try_from(dtype.itemsize).map_err(|_| unrepresentable(format!("{} is too wide.", dtype.descr())))
}

/// The fixed-size list of two floats that represents a complex number.
fn pair(float: DataType) -> DataType {
    DataType::FixedSizeList(Arc::new(Field::new("item", float, true)), 2)
}

fn is_days(dtype: DType) -> bool {
    dtype.kind == DTypeKind::DateTime
        && dtype.unit.is_some_and(|u| u.base == TimeBase::Day && u.multiple == 1)
}

/// Whether columns of one dtype and length may get different Arrow types; see [`NativeType::of`].
pub(super) fn depends_on_values(dtype: DType) -> bool {
    is_days(dtype)
}

impl NativeType {
    /// Chooses the Arrow type for the first column of `block`. The type may depend on the values: days are `date32` if all
    /// fit, and text is `large_utf8` if it is too long for 32-bit offsets.
    ///
    /// # Errors
    /// `Unrepresentable`: Arrow has no type of this width.
    pub fn of(block: &Block) -> Result<Self> {
        let dtype = block.grid.dtype;
        let data_type = match (dtype.kind, dtype.itemsize) {
            (DTypeKind::Complex, 8) => pair(DataType::Float32),
            (DTypeKind::Complex, 16) => pair(DataType::Float64),
            (DTypeKind::Unicode, _) if block.grid.nbytes() <= i32::MAX as usize => DataType::Utf8,
            (DTypeKind::Unicode, _) => DataType::LargeUtf8,
            (DTypeKind::DateTime, _) if is_days(dtype) => {
                if days(&gather::packed(&block.column(0))?).is_some() {
                    DataType::Date32
                } else {
                    DataType::Int64
                }
            }
            (kind, _) => match (exact_type(dtype), kind) {
                (Some(exact), _) => exact,
                // Times in units that Arrow does not have.
                (None, DTypeKind::DateTime | DTypeKind::TimeDelta) => DataType::Int64,
                (None, _) => DataType::FixedSizeBinary(width_of(dtype)?),
            },
        };
        Ok(Self { dtype, data_type })
    }

    /// Whether the Arrow type does not determine the dtype. Times need it because NaT is written as null.
    #[must_use]
    pub fn needs_dtype(&self) -> bool {
        self.dtype.order == ByteOrder::Big
            || match self.dtype.kind {
                DTypeKind::Bool | DTypeKind::Int | DTypeKind::UInt => false,
                DTypeKind::Float => self.dtype.itemsize > 8,
                _ => true,
            }
    }

    /// Converts a column of `block` to an array, without a copy if its cells are already in Arrow's layout. `whole` is
    /// `block.buffer` as an Arrow buffer.
    ///
    /// # Errors
    /// `Unrepresentable`: days beyond `date32`, text that is not Unicode or too long.
    pub fn array(&self, block: &Block, column: usize, whole: &ArrowBuffer) -> Result<ArrayData> {
        // Text of a later chunk may have another width.
        let (nrows, width) = (block.grid.nrows, block.grid.dtype.itemsize as usize);
        let shared = self.shared(&block.grid.columns(column, 1, 1), whole);
        let cells = match shared {
            Some(cells) => cells,
            None => gather::packed(&block.column(column))?,
        };
        let builder = ArrayData::builder(self.data_type.clone()).len(nrows);
        let built = match (&self.data_type, self.dtype.kind) {
            (DataType::Boolean, _) => builder.add_buffer(ArrowBuffer::from_vec(pack(&cells))).build(),
            (DataType::Utf8, _) => return utf8_of_ucs4::<i32>(&self.data_type, width, &cells, nrows),
            (DataType::LargeUtf8, _) => return utf8_of_ucs4::<i64>(&self.data_type, width, &cells, nrows),
            (DataType::FixedSizeList(field, _), _) => {
                let child = ArrayData::builder(field.data_type().clone()).len(2 * nrows).add_buffer(cells);
                child.build().and_then(|child| builder.add_child_data(child).build())
            }
            (DataType::Date32, _) => {
                let Some((days, nulls)) = days(&cells) else {
                    let message = "dates past date32 (the year 5881580) in a later chunk than the first. \
                                   Write them in the first chunk, or convert the column to int64.";
                    return Err(unrepresentable(message.into()));
                };
                builder.add_buffer(days).nulls(nulls).build()
            }
            (_, DTypeKind::DateTime | DTypeKind::TimeDelta) => {
                let nulls = not_a_time(cells.typed_data::<i64>());
                builder.add_buffer(cells).nulls(nulls).build()
            }
            _ => builder.add_buffer(cells).build(),
        };
        built.map_err(|e| unrepresentable(format!("{}: {e}.", self.dtype.descr())))
    }

    /// The cells without a copy, if they are packed, aligned and in native byte order.
    fn shared(&self, grid: &Grid, whole: &ArrowBuffer) -> Option<ArrowBuffer> {
        let nbytes = grid.nbytes();
        let packed = grid.is_column_major() && grid.dtype.order != ByteOrder::Big;
        if !packed || nbytes == 0 {
            return None;
        }
        let alignment = match self.data_type {
            DataType::FixedSizeBinary(_) => 1,
            _ => grid.dtype.alignment(),
        };
        let address = (whole.as_ptr() as usize).checked_add(grid.offset)?;
        let inside = grid.offset.checked_add(nbytes)? <= whole.len();
        (inside && address.is_multiple_of(alignment)).then(|| whole.slice_with_length(grid.offset, nbytes))
    }
}

/// Returns the validity of times, false for NaT; `None` if there is no NaT.
fn not_a_time(values: &[i64]) -> Option<NullBuffer> {
    // Blocks are folded without branches, so that the scan runs at memory speed.
    let found = |block: &[i64]| block.iter().fold(false, |any, &v| any | (v == NAT));
    if !values.chunks(1024).any(found) {
        return None;
    }
    Some(NullBuffer::new(BooleanBuffer::collect_bool(values.len(), |i| values.get(i) != Some(&NAT))))
}

/// Converts 64-bit days to 32-bit ones; returns `None` if one does not fit.
fn days(cells: &ArrowBuffer) -> Option<(ArrowBuffer, Option<NullBuffer>)> {
    let values = cells.typed_data::<i64>();
    let mut out = Vec::with_capacity(values.len());
    for &value in values {
        out.push(if value == NAT { 0 } else { i32::try_from(value).ok()? });
    }
    Some((ArrowBuffer::from_vec(out), not_a_time(values)))
}

/// Converts UCS-4 cells to UTF-8 with offsets of type `O`.
fn utf8_of_ucs4<O: TryFrom<usize> + arrow_buffer::ArrowNativeType>(
    data_type: &DataType,
    width: usize,
    cells: &[u8],
    nrows: usize,
) -> Result<ArrayData> {
    let mut values: Vec<u8> = Vec::with_capacity(cells.len() / 4);
    let mut offsets: Vec<O> = Vec::with_capacity(nrows + 1);
    offsets.push(O::default());
    for row in 0..nrows {
        let (points, _) = cells.get(row * width..(row + 1) * width).unwrap_or(&[]).as_chunks::<4>();
        let used = points.iter().rposition(|p| *p != [0; 4]).map_or(0, |last| last + 1);
        let points = points.get(..used).unwrap_or(&[]);
        if points.iter().fold(0, |all, p| all | u32::from_le_bytes(*p)) < 0x80 {
            values.extend(points.iter().map(|p| p[0]));
        } else {
            for point in points {
                let number = u32::from_le_bytes(*point);
                let Some(c) = char::from_u32(number) else {
                    let message = format!(
                        "row {row}: code point {number:#x} is no character, and Arrow's text is Unicode. \
                         Replace it, or encode the column to bytes first."
                    );
                    return Err(unrepresentable(message));
                };
                values.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        let Ok(end) = O::try_from(values.len()) else {
            return Err(unrepresentable(format!(
                "row {row}: more text than 32-bit offsets reach. Write smaller chunks."
            )));
        };
        offsets.push(end);
    }
    let builder = ArrayData::builder(data_type.clone())
        .len(nrows)
        .add_buffer(ArrowBuffer::from_vec(offsets))
        .add_buffer(ArrowBuffer::from_vec(values));
    // Trusted: `nrows` + 1 offsets that never fall and end at the length of the values, each between two characters that
    // were encoded here.
    Ok(trusted_array(builder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nat_is_found_anywhere() {
        let mut values = vec![7; 3000];
        assert!(not_a_time(&values).is_none());
        values[2999] = NAT;
        let nulls = not_a_time(&values).unwrap();
        assert!(nulls.null_count() == 1 && nulls.is_null(2999));
    }
}
