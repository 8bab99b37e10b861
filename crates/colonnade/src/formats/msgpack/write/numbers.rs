//! Columns of integers, floats and booleans.

use std::ops::Range;

use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::Result;

use super::integer::{self, MAX_NBYTES};
use crate::cells::msgpack::column::{CellWriter, changed};

/// A number as a cell.
trait NumberCell: ArrowNativeType {
    /// The number of bytes of its cell.
    fn nbytes(self) -> usize;
    /// Writes its cell at the start of `place`, which has room for the longest cell.
    fn put(self, place: &mut [u8; MAX_NBYTES]) -> usize;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl NumberCell for $t {
            #[inline]
            #[allow(unused_comparisons, clippy::cast_lossless, clippy::cast_sign_loss)] // one text for both signs
            fn nbytes(self) -> usize {
                integer::nbytes(self as i64 as u64, self < 0)
            }
            #[inline]
            #[allow(unused_comparisons, clippy::cast_lossless, clippy::cast_sign_loss)] // as above
            fn put(self, place: &mut [u8; MAX_NBYTES]) -> usize {
                integer::put(place, self as i64 as u64, self < 0)
            }
        }
    )*};
}
integers!(i8, i16, i32, i64, u8, u16, u32);

impl NumberCell for u64 {
    #[inline]
    fn nbytes(self) -> usize {
        integer::nbytes(self, false)
    }
    #[inline]
    fn put(self, place: &mut [u8; MAX_NBYTES]) -> usize {
        integer::put(place, self, false)
    }
}

impl NumberCell for f32 {
    #[inline]
    fn nbytes(self) -> usize {
        5
    }
    #[inline]
    fn put(self, place: &mut [u8; MAX_NBYTES]) -> usize {
        let [a, b, c, d] = self.to_bits().to_be_bytes();
        *place = [0xca, a, b, c, d, 0, 0, 0, 0];
        5
    }
}

impl NumberCell for f64 {
    #[inline]
    fn nbytes(self) -> usize {
        9
    }
    #[inline]
    fn put(self, place: &mut [u8; MAX_NBYTES]) -> usize {
        let [first, rest @ ..] = place;
        *first = 0xcb;
        *rest = self.to_bits().to_be_bytes();
        9
    }
}

struct NumberWriter<'a, T> {
    values: &'a [T],
    nulls: Option<&'a NullBuffer>,
}

impl<T: NumberCell> NumberWriter<'_, T> {
    fn rows(&self, rows: Range<usize>) -> Result<&[T]> {
        self.values.get(rows).ok_or_else(changed)
    }
}

impl<T: NumberCell + Sync> CellWriter for NumberWriter<'_, T> {
    fn measure(&self, rows: Range<usize>) -> Result<usize> {
        let values = self.rows(rows.clone())?;
        Ok(match self.nulls {
            None => values.iter().map(|v| v.nbytes()).sum(),
            Some(nulls) => values
                .iter()
                .zip(nulls.slice(rows.start, rows.len()).iter())
                .map(|(v, valid)| if valid { v.nbytes() } else { 1 })
                .sum(),
        })
    }

    fn write(&self, rows: Range<usize>, out: &mut [u8]) -> Result<usize> {
        let values = self.rows(rows.clone())?;
        match self.nulls {
            None => fill(values.iter().map(|v| Some(*v)), out),
            Some(nulls) => {
                let valid = nulls.slice(rows.start, rows.len());
                fill(values.iter().zip(valid.iter()).map(|(v, valid)| valid.then_some(*v)), out)
            }
        }
    }
}

/// Writes cells front to back. The last few have less room than the longest cell.
fn fill<T: NumberCell>(mut cells: impl Iterator<Item = Option<T>>, out: &mut [u8]) -> Result<usize> {
    let mut at = 0;
    for cell in &mut cells {
        let Some(place) = out.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<MAX_NBYTES>()) else {
            at += last(cell, out.get_mut(at..))?;
            for cell in cells {
                at += last(cell, out.get_mut(at..))?;
            }
            return Ok(at);
        };
        at += match cell {
            Some(value) => value.put(place),
            None => {
                place[0] = 0xc0;
                1
            }
        };
    }
    Ok(at)
}

#[cold]
fn last<T: NumberCell>(cell: Option<T>, rest: Option<&mut [u8]>) -> Result<usize> {
    let mut place = [0xc0; MAX_NBYTES];
    let nbytes = cell.map_or(1, |value| value.put(&mut place));
    let room = rest.and_then(|r| r.get_mut(..nbytes)).ok_or_else(changed)?;
    room.copy_from_slice(place.get(..nbytes).unwrap_or(&[]));
    Ok(nbytes)
}

struct BooleanWriter<'a> {
    bits: &'a [u8],
    offset: usize,
    nulls: Option<&'a NullBuffer>,
}

impl CellWriter for BooleanWriter<'_> {
    fn measure(&self, rows: Range<usize>) -> Result<usize> {
        Ok(rows.len())
    }

    fn write(&self, rows: Range<usize>, out: &mut [u8]) -> Result<usize> {
        let out = out.get_mut(..rows.len()).ok_or_else(changed)?;
        for (place, row) in out.iter_mut().zip(rows.clone()) {
            let at = self.offset + row;
            let byte = self.bits.get(at / 8).ok_or_else(changed)?;
            *place = 0xc2 | ((byte >> (at % 8)) & 1);
        }
        if let Some(nulls) = self.nulls {
            for (place, valid) in out.iter_mut().zip(nulls.slice(rows.start, rows.len()).iter()) {
                if !valid {
                    *place = 0xc0;
                }
            }
        }
        Ok(rows.len())
    }
}

/// Returns the writer of a column of numbers or booleans; `None` for other types.
pub(super) fn writer(data: &ArrayData) -> Option<Box<dyn CellWriter + '_>> {
    fn writer_of<'a, T: NumberCell + Sync>(data: &'a ArrayData) -> Option<Box<dyn CellWriter + 'a>> {
        let values = data.buffers().first()?.typed_data::<T>();
        let values = values.get(data.offset()..data.offset() + data.len())?;
        Some(Box::new(NumberWriter { values, nulls: data.nulls().filter(|n| n.null_count() > 0) }))
    }
    match data.data_type() {
        DataType::Int8 => writer_of::<i8>(data),
        DataType::Int16 => writer_of::<i16>(data),
        DataType::Int32 => writer_of::<i32>(data),
        DataType::Int64 => writer_of::<i64>(data),
        DataType::UInt8 => writer_of::<u8>(data),
        DataType::UInt16 => writer_of::<u16>(data),
        DataType::UInt32 => writer_of::<u32>(data),
        DataType::UInt64 => writer_of::<u64>(data),
        DataType::Float32 => writer_of::<f32>(data),
        DataType::Float64 => writer_of::<f64>(data),
        DataType::Boolean => Some(Box::new(BooleanWriter {
            bits: data.buffers().first()?.as_slice(),
            offset: data.offset(),
            nulls: data.nulls().filter(|n| n.null_count() > 0),
        })),
        _ => None,
    }
}
