//! Vectors of numbers, without a copy where R's memory is what the file needs.

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade::Result;
use colonnade::frame::{Block, Column};
use colonnade_capi::error::{CnCode, CnError};

use super::{CnrBuilder, Pushed, block, with};
use crate::r_memory::{borrowed, defect, values_of};
use crate::{NA_INTEGER, NA_INTEGER64, is_na};

/// The validity of values; `None` if none is missing.
fn validity<T: Copy>(values: &[T], is_missing: impl Fn(T) -> bool) -> Option<NullBuffer> {
    const GROUP: usize = 512;
    // Without a branch for each value, the compiler vectorises it. Most groups have all values.
    let any_missing = |group: &[T]| group.iter().fold(false, |any, &value| any | is_missing(value));
    let first = values.chunks(GROUP).position(any_missing)? * GROUP;
    let mut bits = vec![u8::MAX; values.len().div_ceil(8)];
    let groups = values.chunks(GROUP).zip(bits.chunks_mut(GROUP / 8)).skip(first / GROUP);
    for (group, bytes) in groups.filter(|(group, _)| any_missing(group)) {
        for (eight, byte) in group.chunks(8).zip(bytes) {
            *byte = eight.iter().rev().fold(0, |byte, &value| byte << 1 | u8::from(!is_missing(value)));
        }
    }
    // Files get the bits behind the last row as well.
    let behind = bits.len() * 8 - values.len();
    if let Some(last) = bits.last_mut() {
        *last &= u8::MAX >> behind;
    }
    Some(NullBuffer::new(BooleanBuffer::new(ArrowBuffer::from_vec(bits), 0, values.len())))
}

/// An array of one buffer.
pub(super) fn primitive(
    data_type: DataType,
    count: usize,
    bytes: ArrowBuffer,
    nulls: Option<NullBuffer>,
) -> Result<ArrayData> {
    let builder = ArrayData::builder(data_type).len(count).add_buffer(bytes).nulls(nulls);
    builder.build().map_err(|error| defect(&error.to_string()))
}

/// A block in Arrow's layout.
pub(super) fn array_of_block(block: &Block) -> Result<ArrayData> {
    let data_type = match block.grid.dtype.descr().as_str() {
        "<i4" => DataType::Int32,
        "<f8" => DataType::Float64,
        "|b1" => {
            let bytes = block.packed().unwrap_or_default();
            let bits = BooleanBuffer::collect_bool(bytes.len(), |i| bytes.get(i).is_some_and(|b| *b != 0));
            return primitive(DataType::Boolean, bytes.len(), bits.into_inner(), None);
        }
        "<c16" => {
            let values = primitive(DataType::Float64, block.grid.nrows * 2, block.buffer.to_arrow(), None)?;
            return super::nested::fixed_list(values, 2, block.grid.nrows);
        }
        _ => return Err(defect("a block of another type")),
    };
    primitive(data_type, block.grid.nrows, block.buffer.to_arrow(), None)
}

impl CnrBuilder {
    /// Pushes numbers: as a block if nothing is missing, no later chunk can have missing values, and no list holds them.
    fn push_numbers(
        &mut self,
        data_type: DataType,
        descr: Option<&str>,
        count: usize,
        bytes: ArrowBuffer,
        nulls: Option<NullBuffer>,
    ) -> Result<()> {
        let pushed = match descr.filter(|_| nulls.is_none() && !self.chunked) {
            Some(descr) => block(descr, count, bytes)?,
            None => Pushed::Column(Column::new(primitive(data_type, count, bytes, nulls)?)),
        };
        self.stack.push(pushed);
        Ok(())
    }
}

/// Pushes a logical vector. `nested`: it is the content of a list.
///
/// # Safety
/// `builder` is valid; `values` is valid for reads of `count` values and stays so until the frame is freed; `error` is null or
/// zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_logical(
    builder: *mut CnrBuilder,
    values: *const i32,
    count: usize,
    nested: bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let values = values_of(values, count);
            let nulls = validity(values, |value| value == NA_INTEGER);
            if nulls.is_none() && !nested && !builder.chunked {
                let bytes: Vec<u8> = values.iter().map(|&value| u8::from(value != 0)).collect();
                builder.stack.push(block("|b1", count, ArrowBuffer::from_vec(bytes))?);
                return Ok(());
            }
            let bits = BooleanBuffer::collect_bool(count, |i| {
                values.get(i).is_some_and(|&v| v != 0 && v != NA_INTEGER)
            });
            builder.push(primitive(DataType::Boolean, count, bits.into_inner(), nulls)?);
            Ok(())
        })
    }
}

/// Pushes an integer vector.
///
/// # Safety
/// As `cnr_push_logical`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_integer(
    builder: *mut CnrBuilder,
    values: *const i32,
    count: usize,
    nested: bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let nulls = validity(values_of(values, count), |value| value == NA_INTEGER);
            let descr = (!nested).then_some("<i4");
            builder.push_numbers(DataType::Int32, descr, count, borrowed(values, count), nulls)
        })
    }
}

/// Pushes a double vector. `NA` becomes null, NaN stays a number.
///
/// # Safety
/// As `cnr_push_logical`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_double(
    builder: *mut CnrBuilder,
    values: *const f64,
    count: usize,
    nested: bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let nulls = validity(values_of(values, count), is_na);
            let descr = (!nested).then_some("<f8");
            builder.push_numbers(DataType::Float64, descr, count, borrowed(values, count), nulls)
        })
    }
}

/// Pushes a vector of bit64's `integer64`.
///
/// # Safety
/// As `cnr_push_logical`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_integer64(
    builder: *mut CnrBuilder,
    values: *const i64,
    count: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let nulls = validity(values_of(values, count), |value| value == NA_INTEGER64);
            builder.push_numbers(DataType::Int64, None, count, borrowed(values, count), nulls)
        })
    }
}

/// Pushes a complex vector. The bits of `NA` are kept.
///
/// # Safety
/// As `cnr_push_logical`; `values` has two doubles for each number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_complex(
    builder: *mut CnrBuilder,
    values: *const f64,
    count: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            builder.stack.push(block("<c16", count, borrowed(values, count * 2))?);
            Ok(())
        })
    }
}

/// Pushes a raw vector.
///
/// # Safety
/// As `cnr_push_logical`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_push_raw(
    builder: *mut CnrBuilder,
    values: *const u8,
    count: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            builder.push(primitive(DataType::UInt8, count, borrowed(values, count), None)?);
            Ok(())
        })
    }
}
