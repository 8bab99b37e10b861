//! Builds Arrow arrays from NumPy arrays.

use std::sync::Arc;

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field};
use colonnade::arrow::export::exact_type;
use colonnade::frame::{Block, ByteOrder, DType, DTypeKind};
use colonnade::memory::pack;
use numpy::PyUntypedArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::array::ArrayBlocks;

/// The contiguous bytes of one column: shared with the array if it is contiguous, otherwise a copy.
pub(crate) fn packed_bytes(block: &Block) -> PyResult<arrow_buffer::Buffer> {
    let (low, high) = block.grid.extent();
    if block.grid.is_column_major() {
        let bytes = block.buffer.slice(low, high - low);
        return bytes
            .map(|b| b.to_arrow())
            .ok_or_else(|| PyValueError::new_err("the array passes its memory"));
    }
    let mut out = Vec::with_capacity(block.grid.nbytes());
    let copied = block.chunks(&mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    copied.map_err(crate::errors::to_py)?;
    Ok(out.into())
}

fn build(builder: ArrayDataBuilder) -> PyResult<ArrayData> {
    builder.align_buffers(true).build().map_err(|e| PyValueError::new_err(e.to_string()))
}

/// Converts a mask, in which True means null, to a validity.
fn validity(mask: Option<&Bound<'_, PyUntypedArray>>, length: usize) -> PyResult<Option<NullBuffer>> {
    let Some(mask) = mask else { return Ok(None) };
    let block = ArrayBlocks::new().block(mask, 0, None)?;
    if block.grid.dtype.kind != DTypeKind::Bool || block.grid.nrows != length {
        return Err(PyTypeError::new_err(format!("mask: expected {length} bools")));
    }
    let bytes = packed_bytes(&block)?;
    let mut bits = pack(bytes.as_slice());
    bits.iter_mut().for_each(|bits| *bits = !*bits);
    // The bits after the last stay 0, so that a frame is always written to the same bytes.
    if let Some(last) = bits.last_mut().filter(|_| !length.is_multiple_of(8)) {
        *last &= (1 << (length % 8)) - 1;
    }
    let valid = BooleanBuffer::new(bits.into(), 0, length);
    Ok(Some(NullBuffer::new(valid)).filter(|n| n.null_count() > 0))
}

/// The Arrow type that shares the dtype's layout.
fn arrow_type(dtype: DType, timezone: Option<&str>) -> Option<DataType> {
    match exact_type(dtype).filter(|_| dtype.order != ByteOrder::Big)? {
        DataType::Timestamp(unit, None) => Some(DataType::Timestamp(unit, timezone.map(Arc::from))),
        other => Some(other),
    }
}

pub(crate) fn masked(
    values: &Bound<'_, PyUntypedArray>,
    mask: Option<&Bound<'_, PyUntypedArray>>,
    timezone: Option<&str>,
) -> PyResult<ArrayData> {
    let block = ArrayBlocks::new().block(values, 0, None)?;
    let length = block.grid.nrows;
    let dtype = block.grid.dtype;
    let data_type = arrow_type(dtype, timezone).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "expected a dtype that Arrow knows, found {}; use from_fixed",
            dtype.descr()
        ))
    })?;
    let bytes = packed_bytes(&block)?;
    let bytes = if data_type == DataType::Boolean { pack(bytes.as_slice()).into() } else { bytes };
    let builder = ArrayDataBuilder::new(data_type).len(length).nulls(validity(mask, length)?);
    build(builder.add_buffer(bytes))
}

pub(crate) fn fixed(values: &Bound<'_, PyUntypedArray>) -> PyResult<ArrayData> {
    let block = ArrayBlocks::new().block(values, 0, None)?;
    let width =
        i32::try_from(block.grid.dtype.itemsize).map_err(|_| PyTypeError::new_err("items are too wide"))?;
    let builder = ArrayDataBuilder::new(DataType::FixedSizeBinary(width)).len(block.grid.nrows);
    build(builder.add_buffer(packed_bytes(&block)?))
}

pub(crate) fn from_unicode(values: &Bound<'_, PyUntypedArray>) -> PyResult<ArrayData> {
    let block = ArrayBlocks::new().block(values, 0, None)?;
    let dtype = block.grid.dtype;
    if dtype.kind != DTypeKind::Unicode {
        return Err(PyTypeError::new_err(format!("expected <U strings, found {}", dtype.descr())));
    }
    let bytes = packed_bytes(&block)?;
    let item = (dtype.itemsize as usize).max(4);
    let mut offsets: Vec<i64> = Vec::with_capacity(block.grid.nrows + 1);
    let mut text = String::with_capacity(bytes.len() / 4);
    offsets.push(0);
    for row in 0..block.grid.nrows {
        let cell = bytes.as_slice().get(row * item..(row + 1) * item).unwrap_or(&[]);
        let (points, _) = cell.as_chunks::<4>();
        let point = |b: &[u8; 4]| match dtype.order {
            ByteOrder::Big => u32::from_be_bytes(*b),
            _ => u32::from_le_bytes(*b),
        };
        let used = points.iter().rposition(|b| *b != [0; 4]).map_or(0, |last| last + 1);
        for b in points.iter().take(used) {
            let c = char::from_u32(point(b)).ok_or_else(|| {
                crate::errors::encode(format!("row {row}: U+{:04X} is no Unicode character", point(b)))
            })?;
            text.push(c);
        }
        offsets.push(i64::try_from(text.len()).unwrap_or(i64::MAX));
    }
    let builder = ArrayDataBuilder::new(DataType::LargeUtf8).len(block.grid.nrows);
    let builder = builder.add_buffer(offsets.into()).add_buffer(text.into_bytes().into());
    // SAFETY: offsets start at 0, grow and end at the length of the text, which is a `String`.
    Ok(unsafe { builder.build_unchecked() })
}

pub(crate) fn dictionary(codes: &Bound<'_, PyUntypedArray>, categories: &ArrayData) -> PyResult<ArrayData> {
    let block = ArrayBlocks::new().block(codes, 0, None)?;
    let data_type =
        arrow_type(block.grid.dtype, None).filter(DataType::is_signed_integer).ok_or_else(|| {
            PyTypeError::new_err(format!("codes: expected int8 to int64, found {}", block.grid.dtype.descr()))
        })?;
    let bytes = packed_bytes(&block)?;
    let item = block.grid.dtype.itemsize as usize;
    // Little-endian: the last byte of a code has the sign.
    let is_negative = |code: &[u8]| code.last().is_some_and(|b| b & 0x80 != 0);
    let valid: BooleanBuffer = bytes.as_slice().chunks_exact(item).map(|code| !is_negative(code)).collect();
    let nulls = Some(NullBuffer::new(valid)).filter(|n| n.null_count() > 0);
    let data_type = DataType::Dictionary(Box::new(data_type), Box::new(categories.data_type().clone()));
    let builder = ArrayDataBuilder::new(data_type).len(block.grid.nrows).nulls(nulls);
    build(builder.add_buffer(bytes).add_child_data(categories.clone()))
}

pub(crate) fn structure(children: &[(&str, &ArrayData)]) -> PyResult<ArrayData> {
    let length = children.first().map_or(0, |(_, c)| c.len());
    let fields: Vec<Field> =
        children.iter().map(|(name, c)| Field::new(*name, c.data_type().clone(), true)).collect();
    let mut builder = ArrayDataBuilder::new(DataType::Struct(fields.into())).len(length);
    for (_, child) in children {
        builder = builder.add_child_data((*child).clone());
    }
    build(builder)
}

/// A mask of one byte for each row: 1 is null.
pub(crate) fn mask(nulls: &NullBuffer) -> Vec<u8> {
    let mut out = vec![1; nulls.len()];
    // `unpack` cannot fail: a validity has as many bits as rows. The loop inverts valid to null.
    let _ = colonnade::memory::unpack(nulls.validity(), nulls.offset(), &mut out);
    out.iter_mut().for_each(|byte| *byte ^= 1);
    out
}

/// Codes with -1 for nulls, of a wider signed type if `dtype` is unsigned. `None`: the codes already have that form.
pub(crate) fn codes_with_minus_one(data: &ArrayData, dtype: DType) -> Option<(DType, Vec<u8>)> {
    let nulls = data.nulls().filter(|n| n.null_count() > 0);
    let unsigned = dtype.kind == DTypeKind::UInt;
    if nulls.is_none() && !unsigned {
        return None;
    }
    let item = dtype.itemsize as usize;
    let bytes =
        data.buffers().first()?.as_slice().get(data.offset() * item..(data.offset() + data.len()) * item)?;
    let null = nulls.map_or_else(|| vec![0; data.len()], mask);
    let is_converted = |(&null, code): (&u8, &[u8])| null == 0 || code.iter().all(|&b| b == 0xFF);
    if !unsigned && null.iter().zip(bytes.chunks_exact(item)).all(is_converted) {
        return None;
    }
    let width = if unsigned { (item * 2).min(8) } else { item };
    let mut out = vec![0; data.len() * width];
    for ((target, code), &null) in out.chunks_exact_mut(width).zip(bytes.chunks_exact(item)).zip(&null) {
        if null == 1 {
            target.fill(0xFF);
        } else if let Some(low) = target.get_mut(..item) {
            low.copy_from_slice(code);
        }
    }
    let descr = if width == 1 { "|i1".to_owned() } else { format!("<i{width}") };
    Some((DType::parse(&descr)?, out))
}
