//! Converts scanned columns to their declared type.

use arrow_array::types::{ArrowPrimitiveType, Float32Type, Float64Type, Int64Type};
use arrow_array::types::{Int8Type, Int16Type, Int32Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type};
use arrow_array::{Array as _, BooleanArray, LargeStringArray, PrimitiveArray};
use arrow_buffer::Buffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, Fields};

use crate::Result;
use crate::arrow::import::FieldPlan;
use crate::arrow::trusted::trusted_array;
use crate::arrow::views::view_array;
use crate::cells::text::{TextCell, TextReader};
use crate::frame::DTypeKind;

/// Returns the column of `field` if the scanned column already has its type, or has integers that fit its type.
pub(crate) fn direct(field: &Field, plan: &FieldPlan, data: &ArrayData) -> Result<Option<ArrayData>> {
    let plain = match plan.dtype {
        None => true,
        Some(dtype) => {
            data.null_count() == 0
                && matches!(
                    dtype.kind,
                    DTypeKind::Bool
                        | DTypeKind::Int
                        | DTypeKind::UInt
                        | DTypeKind::Float
                        | DTypeKind::Unicode
                )
        }
    };
    let allowed = field.is_nullable() || data.null_count() == 0;
    if !plain || !allowed {
        return Ok(None);
    }
    Ok(cast(field.data_type(), data))
}

/// Casts the values to the type `target` if nothing is lost.
pub(crate) fn cast(target: &DataType, data: &ArrayData) -> Option<ArrayData> {
    if data.data_type() == target && !matches!(target, DataType::Null) {
        return Some(data.clone());
    }
    match (data.data_type(), target) {
        (DataType::LargeUtf8, DataType::Utf8) => to_short_text(data),
        (DataType::LargeUtf8, DataType::Utf8View) => view_array(data).ok().flatten(),
        (DataType::Float64, DataType::Float32) => to_float32(data),
        (DataType::Int64, DataType::Int8) => cast_integers::<Int8Type>(data),
        (DataType::Int64, DataType::Int16) => cast_integers::<Int16Type>(data),
        (DataType::Int64, DataType::Int32) => cast_integers::<Int32Type>(data),
        (DataType::Int64, DataType::UInt8) => cast_integers::<UInt8Type>(data),
        (DataType::Int64, DataType::UInt16) => cast_integers::<UInt16Type>(data),
        (DataType::Int64, DataType::UInt32) => cast_integers::<UInt32Type>(data),
        (DataType::Int64, DataType::UInt64) => cast_integers::<UInt64Type>(data),
        (DataType::LargeList(_), DataType::LargeList(item) | DataType::List(item)) => {
            list(target, item, data)
        }
        (DataType::Struct(found), DataType::Struct(fields)) if same_names(found, fields) => {
            let children = fields.iter().zip(data.child_data()).map(|(field, child)| inner(field, child));
            build_array(target, data, Vec::new(), children.collect::<Option<_>>()?)
        }
        _ => None,
    }
}

/// Casts integers to another width; `None` if one does not fit.
fn cast_integers<T: ArrowPrimitiveType>(data: &ArrayData) -> Option<ArrayData>
where
    T::Native: TryFrom<i64>,
{
    let cells = PrimitiveArray::<Int64Type>::from(data.clone());
    let fits = |value: i64| T::Native::try_from(value).map_err(|_| ());
    // Null slots hold zero.
    cells.try_unary::<_, T, ()>(fits).ok().map(|found| found.into_data())
}

/// Casts lists to another item type or to 32-bit offsets.
fn list(target: &DataType, item: &Field, data: &ArrayData) -> Option<ArrayData> {
    let [offsets] = data.buffers() else { return None };
    let offsets = match target {
        DataType::List(_) => short_offsets(offsets)?,
        _ => offsets.clone(),
    };
    build_array(target, data, vec![offsets], vec![inner(item, data.child_data().first()?)?])
}

/// Casts the cells of a nested `field`.
fn inner(field: &Field, data: &ArrayData) -> Option<ArrayData> {
    if field.is_nullable() || data.null_count() == 0 { cast(field.data_type(), data) } else { None }
}

fn same_names(found: &Fields, target: &Fields) -> bool {
    found.len() == target.len() && found.iter().zip(target).all(|(one, other)| one.name() == other.name())
}

/// Builds and validates an array with the rows of `data` and other buffers and children.
fn build_array(
    target: &DataType,
    data: &ArrayData,
    buffers: Vec<Buffer>,
    children: Vec<ArrayData>,
) -> Option<ArrayData> {
    let builder = ArrayDataBuilder::new(target.clone()).len(data.len()).nulls(data.nulls().cloned());
    builder.buffers(buffers).child_data(children).build().ok()
}

/// Converts 64-bit offsets to 32 bits; `None` if one does not fit.
fn short_offsets(offsets: &Buffer) -> Option<Buffer> {
    let fits: Option<Vec<i32>> =
        offsets.typed_data::<i64>().iter().map(|&at| i32::try_from(at).ok()).collect();
    fits.map(Buffer::from_vec)
}

/// Casts to the nearest 32-bit floats. Returns `None` unless they are certainly the nearest to the text too.
fn to_float32(data: &ArrayData) -> Option<ArrayData> {
    let cells = PrimitiveArray::<Float64Type>::from(data.clone());
    let fits = |value: f64| {
        // Half way between two floats: the text may be above or below.
        let is_half = value.to_bits() & 0x1fff_ffff == 0x1000_0000;
        #[allow(clippy::cast_possible_truncation)]
        let near = value as f32;
        // Subnormal floats have fewer bits, so another bit is the half.
        let is_small = near.abs() < f32::MIN_POSITIVE && value != 0.0;
        let is_lost = near.is_infinite() && value.is_finite();
        if is_half || is_small || is_lost { Err(()) } else { Ok(near) }
    };
    cells.try_unary::<_, Float32Type, ()>(fits).ok().map(|found| found.into_data())
}

/// Converts text to 32-bit offsets; `None` if the texts are too long in total.
fn to_short_text(data: &ArrayData) -> Option<ArrayData> {
    let [offsets, bytes] = data.buffers() else { return None };
    let builder = ArrayDataBuilder::new(DataType::Utf8)
        .len(data.len())
        .nulls(data.nulls().cloned())
        .add_buffer(short_offsets(offsets)?)
        .add_buffer(bytes.clone());
    // Trusted: the same offsets and bytes formed a valid text array.
    Some(trusted_array(builder))
}

/// Passes all cells to `reader`. Returns false if it refuses one, or if the scanned values do not determine the text.
pub(crate) fn feed(reader: &mut dyn TextReader, data: &ArrayData) -> bool {
    let mut text = itoa::Buffer::new();
    let mut cell = |row: usize, cell: TextCell<'_>| {
        let cell = if data.is_null(row) { TextCell::Null } else { cell };
        reader.push(cell).is_ok()
    };
    match data.data_type() {
        DataType::Null => (0..data.len()).all(|row| cell(row, TextCell::Null)),
        DataType::Boolean => {
            let cells = BooleanArray::from(data.clone());
            (0..data.len()).all(|row| cell(row, TextCell::Bool(cells.value(row))))
        }
        DataType::Int64 => {
            let cells = PrimitiveArray::<Int64Type>::from(data.clone());
            cells
                .values()
                .iter()
                .enumerate()
                .all(|(row, value)| cell(row, TextCell::Number(text.format(*value))))
        }
        DataType::UInt64 => {
            let cells = PrimitiveArray::<UInt64Type>::from(data.clone());
            cells
                .values()
                .iter()
                .enumerate()
                .all(|(row, value)| cell(row, TextCell::Number(text.format(*value))))
        }
        DataType::LargeUtf8 => {
            let cells = LargeStringArray::from(data.clone());
            (0..data.len()).all(|row| cell(row, TextCell::Str(cells.value(row))))
        }
        _ => false,
    }
}
