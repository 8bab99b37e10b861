//! Dtypes of a table schema in pandas' spelling: their Arrow types, and the tags of pandas' adapter.

use std::cmp::Ordering;

use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array as _, Int64Array, PrimitiveArray};
use arrow_buffer::BooleanBuffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::cells::exact_double::double_from_int;
use crate::cells::typed::half;
use crate::error::{Error, Result};
use crate::frame::{Block, DType, Grid};
use crate::infer::columns::BlockOrColumn;
use crate::infer::dtypes;
use crate::memory::Buffer;

use super::typed;

const MASKED: &str = r#"{"kind":"masked"}"#;
const STR: &str = r#"{"kind":"string","na":"nan","storage":"pyarrow"}"#;
const STRING: &str = r#"{"kind":"string","na":"NA","storage":"pyarrow"}"#;

/// Returns the type and the tag of an `extDtype`; `None` if the type follows from the cells.
pub(crate) fn type_of_ext_dtype(said: &str) -> Option<(DataType, Option<&'static str>)> {
    match said {
        "str" => return Some((DataType::LargeUtf8, Some(STR))),
        "string" => return Some((DataType::LargeUtf8, Some(STRING))),
        // Only NumPy has this dtype.
        "float16" => return Some((DataType::Float16, None)),
        _ => {}
    }
    let masked = dtypes::nullable_dtype(said).map(|data_type| (data_type, Some(MASKED)));
    masked.or_else(|| dtypes::numpy_dtype(said).map(|data_type| (data_type, None)))
}

/// Converts a time zone to Arrow's spelling, in which an offset has no prefix.
pub(crate) fn arrow_time_zone(said: &str) -> &str {
    said.strip_prefix("UTC").filter(|rest| rest.starts_with(['+', '-'])).unwrap_or(said)
}

/// Returns the cells in Arrow's layout; `None` if a tag gives them another meaning.
pub(crate) fn array(column: &BlockOrColumn) -> Option<ArrayData> {
    let block = match column {
        BlockOrColumn::Column(column) => return column.tag.is_none().then(|| column.data.clone()),
        BlockOrColumn::Block(block) => block,
    };
    let bytes = block.packed()?;
    let (data_type, buffer) = match block.grid.dtype.descr().as_str() {
        "|b1" => {
            let bits: BooleanBuffer = bytes.iter().map(|&byte| byte == 1).collect();
            (DataType::Boolean, bits.into_inner())
        }
        "<i8" => (DataType::Int64, arrow_buffer::Buffer::from(bytes)),
        "<u8" => (DataType::UInt64, arrow_buffer::Buffer::from(bytes)),
        "<f8" => (DataType::Float64, arrow_buffer::Buffer::from(bytes)),
        _ => return None,
    };
    ArrayDataBuilder::new(data_type).len(block.grid.nrows).add_buffer(buffer).build().ok()
}

/// Casts the cells to the type `target`; nulls cast to any type. Returns `None` if information would be lost. Floats with
/// fewer bits are the nearest ones: a schema stores only the text, and shorter floats were written as their shortest text.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // Rounded to the nearest, ties to even.
pub(crate) fn cast(target: &DataType, data: &ArrayData) -> Option<ArrayData> {
    match (data.data_type(), target) {
        (DataType::Null, _) => Some(ArrayData::new_null(target, data.len())),
        (DataType::Int64, DataType::Float64) => floats::<Int64Type>(data),
        (DataType::UInt64, DataType::Float64) => floats::<UInt64Type>(data),
        (DataType::Int64, DataType::Float32) => nearest::<Int64Type, Float32Type>(data, |value| value as f32),
        (DataType::UInt64, DataType::Float32) => {
            nearest::<UInt64Type, Float32Type>(data, |value| value as f32)
        }
        (DataType::Float64, DataType::Float32) => {
            nearest::<Float64Type, Float32Type>(data, |value| value as f32)
        }
        (DataType::Int64, DataType::Float16) => {
            nearest::<Int64Type, Float16Type>(data, |value| nearest_half(value as f64))
        }
        (DataType::Float64, DataType::Float16) => nearest::<Float64Type, Float16Type>(data, nearest_half),
        _ => typed::cast(target, data),
    }
}

type NativeHalf = <Float16Type as ArrowPrimitiveType>::Native;

/// Returns the nearest half float; infinite if the value is out of range. The crate's own conversion rounds to 32 bits
/// first.
fn nearest_half(value: f64) -> NativeHalf {
    half::nearest(value, || Ordering::Equal).map_or(NativeHalf::INFINITY, NativeHalf::from_bits)
}

/// Casts to the nearest floats. Returns `None` if a finite cell would become infinite.
fn nearest<T: ArrowPrimitiveType, F: ArrowPrimitiveType>(
    data: &ArrayData,
    near: impl Fn(T::Native) -> F::Native,
) -> Option<ArrayData>
where
    F::Native: Into<f64>,
{
    let cells = PrimitiveArray::<T>::from(data.clone());
    let fits = |value: T::Native| {
        let found = near(value);
        // JSON has no infinite numbers.
        if found.into().is_infinite() { Err(()) } else { Ok(found) }
    };
    cells.try_unary::<_, F, ()>(fits).ok().map(|found| found.into_data())
}

/// Replaces nulls of floats by NaN, as pandas reads them. Returns `None` if `data` are no floats.
pub(crate) fn nan_for_null(data: &ArrayData) -> Result<Option<BlockOrColumn>> {
    let (descr, bytes) = match data.data_type() {
        DataType::Float16 => {
            ("<f2", fill_nulls::<Float16Type, 2>(data, NativeHalf::NAN, NativeHalf::to_le_bytes))
        }
        DataType::Float32 => ("<f4", fill_nulls::<Float32Type, 4>(data, f32::NAN, f32::to_le_bytes)),
        DataType::Float64 => ("<f8", fill_nulls::<Float64Type, 8>(data, f64::NAN, f64::to_le_bytes)),
        _ => return Ok(None),
    };
    block(descr, data.len(), bytes).map(Some)
}

fn fill_nulls<T: ArrowPrimitiveType, const N: usize>(
    data: &ArrayData,
    nan: T::Native,
    raw: impl Fn(T::Native) -> [u8; N],
) -> Vec<u8> {
    PrimitiveArray::<T>::from(data.clone()).iter().flat_map(|cell| raw(cell.unwrap_or(nan))).collect()
}

/// Returns an integer column without rows.
pub(crate) fn no_integers() -> Result<BlockOrColumn> {
    block("<i8", 0, Vec::new())
}

fn block(descr: &str, rows: usize, bytes: Vec<u8>) -> Result<BlockOrColumn> {
    let dtype =
        DType::parse(descr).ok_or_else(|| Error::unsupported("json", format!("no dtype {descr}.")))?;
    Ok(BlockOrColumn::Block(Block {
        grid: Grid::column_major(dtype, rows, 1, 0),
        buffer: Buffer::from_vec(bytes),
    }))
}

/// Casts to integers, also from floats with integral values, as pandas writes columns with nulls. Returns `None` for other
/// cells.
#[allow(clippy::cast_possible_truncation)] // None is outside the range.
pub(crate) fn integers(data: &ArrayData) -> Option<Int64Array> {
    if let Some(found) = cast(&DataType::Int64, data) {
        return Some(found.into());
    }
    let cells = PrimitiveArray::<Float64Type>::from(cast(&DataType::Float64, data)?);
    let whole = |value: f64| match value.fract() == 0.0 && value.abs() < 9_223_372_036_854_775_808.0 {
        true => Ok(value as i64),
        false => Err(()),
    };
    cells.try_unary::<_, Int64Type, ()>(whole).ok()
}

/// Casts integers to doubles if all are exact.
fn floats<T: ArrowPrimitiveType>(data: &ArrayData) -> Option<ArrayData>
where
    T::Native: Into<i128>,
{
    let cells = PrimitiveArray::<T>::from(data.clone());
    let float = |value: T::Native| double_from_int(value.into()).map(f64::from_bits).ok_or(());
    cells.try_unary::<_, Float64Type, ()>(float).ok().map(|found| found.into_data())
}
