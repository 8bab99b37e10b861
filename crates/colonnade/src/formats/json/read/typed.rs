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
use crate::cells::text::{Cell, TextReader};
use crate::frame::DTypeKind;

/// The column of `field`, where what was scanned is it already, or integers that its type holds.
pub(crate) fn direct(field: &Field, told: &FieldPlan, data: &ArrayData) -> Result<Option<ArrayData>> {
    let plain = match told.dtype {
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

/// The same values in the type `wanted`, where nothing is lost.
pub(crate) fn cast(wanted: &DataType, data: &ArrayData) -> Option<ArrayData> {
    if data.data_type() == wanted && !matches!(wanted, DataType::Null) {
        return Some(data.clone());
    }
    match (data.data_type(), wanted) {
        (DataType::LargeUtf8, DataType::Utf8) => short(data),
        (DataType::Float64, DataType::Float32) => halved(data),
        (DataType::Int64, DataType::Int8) => narrow::<Int8Type>(data),
        (DataType::Int64, DataType::Int16) => narrow::<Int16Type>(data),
        (DataType::Int64, DataType::Int32) => narrow::<Int32Type>(data),
        (DataType::Int64, DataType::UInt8) => narrow::<UInt8Type>(data),
        (DataType::Int64, DataType::UInt16) => narrow::<UInt16Type>(data),
        (DataType::Int64, DataType::UInt32) => narrow::<UInt32Type>(data),
        (DataType::Int64, DataType::UInt64) => narrow::<UInt64Type>(data),
        (DataType::LargeList(_), DataType::LargeList(item) | DataType::List(item)) => {
            list(wanted, item, data)
        }
        (DataType::Struct(found), DataType::Struct(fields)) if same_names(found, fields) => {
            let children = fields.iter().zip(data.child_data()).map(|(field, child)| inner(field, child));
            built(wanted, data, Vec::new(), children.collect::<Option<_>>()?)
        }
        _ => None,
    }
}

/// The same integers in another width; `None` where one of them does not fit.
fn narrow<T: ArrowPrimitiveType>(data: &ArrayData) -> Option<ArrayData>
where
    T::Native: TryFrom<i64>,
{
    let cells = PrimitiveArray::<Int64Type>::from(data.clone());
    let fits = |value: i64| T::Native::try_from(value).map_err(|_| ());
    // Null slots hold zero.
    cells.try_unary::<_, T, ()>(fits).ok().map(|found| found.into_data())
}

/// The same lists with other items, or with 32-bit offsets.
fn list(wanted: &DataType, item: &Field, data: &ArrayData) -> Option<ArrayData> {
    let [offsets] = data.buffers() else { return None };
    let offsets = match wanted {
        DataType::List(_) => short_offsets(offsets)?,
        _ => offsets.clone(),
    };
    built(wanted, data, vec![offsets], vec![inner(item, data.child_data().first()?)?])
}

/// The cells of `field` inside of others.
fn inner(field: &Field, data: &ArrayData) -> Option<ArrayData> {
    if field.is_nullable() || data.null_count() == 0 { cast(field.data_type(), data) } else { None }
}

fn same_names(found: &Fields, wanted: &Fields) -> bool {
    found.len() == wanted.len() && found.iter().zip(wanted).all(|(one, other)| one.name() == other.name())
}

/// The rows of `data` with other buffers and children, validated.
fn built(
    wanted: &DataType,
    data: &ArrayData,
    buffers: Vec<Buffer>,
    children: Vec<ArrayData>,
) -> Option<ArrayData> {
    let builder = ArrayDataBuilder::new(wanted.clone()).len(data.len()).nulls(data.nulls().cloned());
    builder.buffers(buffers).child_data(children).build().ok()
}

/// The same 64-bit offsets in 32 bits; `None` where one does not fit.
fn short_offsets(offsets: &Buffer) -> Option<Buffer> {
    let fits: Option<Vec<i32>> =
        offsets.typed_data::<i64>().iter().map(|&at| i32::try_from(at).ok()).collect();
    fits.map(Buffer::from_vec)
}

/// The nearest floats of 32 bits; `None` where it is not certain that they are the ones nearest to the text too.
fn halved(data: &ArrayData) -> Option<ArrayData> {
    let cells = PrimitiveArray::<Float64Type>::from(data.clone());
    let fits = |value: f64| {
        // Half way between two: the text may have been above or below.
        let is_half = value.to_bits() & 0x1fff_ffff == 0x1000_0000;
        #[allow(clippy::cast_possible_truncation)]
        let near = value as f32;
        // Small ones have fewer bits, of which the half is another.
        let is_small = near.abs() < f32::MIN_POSITIVE && value != 0.0;
        let is_lost = near.is_infinite() && value.is_finite();
        if is_half || is_small || is_lost { Err(()) } else { Ok(near) }
    };
    cells.try_unary::<_, Float32Type, ()>(fits).ok().map(|found| found.into_data())
}

/// The same texts with 32-bit offsets; `None` where they are too long together.
fn short(data: &ArrayData) -> Option<ArrayData> {
    let [offsets, bytes] = data.buffers() else { return None };
    let builder = ArrayDataBuilder::new(DataType::Utf8)
        .len(data.len())
        .nulls(data.nulls().cloned())
        .add_buffer(short_offsets(offsets)?)
        .add_buffer(bytes.clone());
    // Trusted: the same offsets and bytes, which were an array's of text.
    Some(trusted_array(builder))
}

/// Hands all cells to `reader`; false where it refuses one, or where what was scanned is not all that the text said.
pub(crate) fn feed(reader: &mut dyn TextReader, data: &ArrayData) -> bool {
    let mut text = itoa::Buffer::new();
    let mut cell = |row: usize, cell: Cell<'_>| {
        let cell = if data.is_null(row) { Cell::Null } else { cell };
        reader.push(cell).is_ok()
    };
    match data.data_type() {
        DataType::Null => (0..data.len()).all(|row| cell(row, Cell::Null)),
        DataType::Boolean => {
            let cells = BooleanArray::from(data.clone());
            (0..data.len()).all(|row| cell(row, Cell::Bool(cells.value(row))))
        }
        DataType::Int64 => {
            let cells = PrimitiveArray::<Int64Type>::from(data.clone());
            cells.values().iter().enumerate().all(|(row, value)| cell(row, Cell::Number(text.format(*value))))
        }
        DataType::UInt64 => {
            let cells = PrimitiveArray::<UInt64Type>::from(data.clone());
            cells.values().iter().enumerate().all(|(row, value)| cell(row, Cell::Number(text.format(*value))))
        }
        DataType::LargeUtf8 => {
            let cells = LargeStringArray::from(data.clone());
            (0..data.len()).all(|row| cell(row, Cell::Str(cells.value(row))))
        }
        _ => false,
    }
}
