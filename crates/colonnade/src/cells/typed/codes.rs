//! Integers of any width: values, dictionary codes, run ends.

use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::cells::msgpack::column::changed;
use crate::error::Result;

use super::out::{self, ByteSink};

/// Returns the values of an array's own buffer: its cells and `extra` more.
pub(crate) fn native<T: ArrowNativeType>(data: &ArrayData, extra: usize) -> ScalarBuffer<T> {
    match data.buffers().first() {
        Some(buffer) if !buffer.is_empty() => {
            ScalarBuffer::new(buffer.clone(), data.offset(), data.len() + extra)
        }
        _ => ScalarBuffer::default(),
    }
}

/// Integers, mostly positions, of any width.
pub(crate) enum IntegerCodes {
    I8(ScalarBuffer<i8>),
    I16(ScalarBuffer<i16>),
    I32(ScalarBuffer<i32>),
    I64(ScalarBuffer<i64>),
    U8(ScalarBuffer<u8>),
    U16(ScalarBuffer<u16>),
    U32(ScalarBuffer<u32>),
    U64(ScalarBuffer<u64>),
}

impl IntegerCodes {
    /// Reads the buffer of `data` as integers of type `codes`. The type of `data` may be another: a dictionary's, for
    /// example.
    pub(crate) fn new(codes: &DataType, data: &ArrayData) -> Result<Self> {
        Ok(match codes {
            DataType::Int8 => Self::I8(native(data, 0)),
            DataType::Int16 => Self::I16(native(data, 0)),
            DataType::Int32 => Self::I32(native(data, 0)),
            DataType::Int64 => Self::I64(native(data, 0)),
            DataType::UInt8 => Self::U8(native(data, 0)),
            DataType::UInt16 => Self::U16(native(data, 0)),
            DataType::UInt32 => Self::U32(native(data, 0)),
            DataType::UInt64 => Self::U64(native(data, 0)),
            _ => return Err(changed()),
        })
    }

    /// Returns the value of a row; `None` if it is negative or the row does not exist.
    pub(crate) fn at(&self, row: usize) -> Option<usize> {
        match self {
            Self::I8(v) => v.get(row)?.to_usize(),
            Self::I16(v) => v.get(row)?.to_usize(),
            Self::I32(v) => v.get(row)?.to_usize(),
            Self::I64(v) => v.get(row)?.to_usize(),
            Self::U8(v) => v.get(row)?.to_usize(),
            Self::U16(v) => v.get(row)?.to_usize(),
            Self::U32(v) => v.get(row)?.to_usize(),
            Self::U64(v) => v.get(row)?.to_usize(),
        }
    }

    /// Writes the value of a row.
    #[inline]
    pub(super) fn put<O: ByteSink>(&self, row: usize, out: &mut O) -> Result<()> {
        fn at<T: ArrowNativeType>(values: &ScalarBuffer<T>, row: usize) -> Result<T> {
            values.get(row).copied().ok_or_else(changed)
        }
        match self {
            Self::I8(v) => out::int(out, i64::from(at(v, row)?)),
            Self::I16(v) => out::int(out, i64::from(at(v, row)?)),
            Self::I32(v) => out::int(out, i64::from(at(v, row)?)),
            Self::I64(v) => out::int(out, at(v, row)?),
            Self::U8(v) => out::uint(out, u64::from(at(v, row)?)),
            Self::U16(v) => out::uint(out, u64::from(at(v, row)?)),
            Self::U32(v) => out::uint(out, u64::from(at(v, row)?)),
            Self::U64(v) => out::uint(out, at(v, row)?),
        }
    }
}
