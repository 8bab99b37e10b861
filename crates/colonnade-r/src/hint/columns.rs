//! Restores the types of columns: the width of numbers, the unit of times, the form of text.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::{Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, TimeUnit};
use colonnade::Result;
use colonnade::arrow::export::Exporter;
use colonnade::arrow::import::to_block;
use colonnade::frame::{Axis, Block, Column, DType, Frame, Level, Part, Tags};

use crate::units::units_per_second;

/// The type that a column had.
struct Hinted<'h> {
    data_type: DataType,
    dtype: Option<DType>,
    tag: Option<&'h str>,
    ordered: bool,
}

/// The frame with the types of the hint. `found`: for each column, its position in the hint.
pub(super) fn restore(frame: &Frame, hint: &Frame, found: &[Option<usize>]) -> Result<Frame> {
    let arrays = Exporter::without_metadata(frame)?.arrays(frame)?;
    let types = Exporter::without_metadata(hint)?.schema();
    let (slots, hint_slots) = (frame.slots()?, hint.slots()?);
    let mut parts = Vec::with_capacity(frame.ncols);
    for (position, (slot, array)) in slots.iter().zip(&arrays).enumerate() {
        let own = match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => Part::Block(block.column(slot.column), vec![position]),
            Some(Part::Column(column, _)) => Part::Column(column.clone(), position),
            None => continue,
        };
        let hinted = found.get(position).copied().flatten().and_then(|at| {
            let data_type = types.fields().get(at)?.data_type().clone();
            match hint.parts.get(hint_slots.get(at)?.part)? {
                Part::Block(block, _) => {
                    Some(Hinted { data_type, dtype: Some(block.grid.dtype), tag: None, ordered: false })
                }
                Part::Column(column, _) => Some(Hinted {
                    data_type,
                    dtype: None,
                    tag: column.tag.as_deref(),
                    ordered: column.ordered,
                }),
            }
        });
        parts.push(hinted.and_then(|hinted| fitted(array, &own, &hinted, position)).unwrap_or(own));
    }
    Frame::new(frame.index.clone(), frame.columns.clone(), parts, frame.tags.clone())
}

/// A level of row labels with the type of the hint.
pub(super) fn restore_level(own: &Level, hinted: &Level) -> Option<Level> {
    let frame = |level: &Level| {
        let part = match level {
            Level::Block(block) => Part::Block(block.clone(), vec![0]),
            Level::Column(column) => Part::Column(column.clone(), 0),
        };
        Frame::new(Axis::range(level.len()), Axis::range(1), vec![part], Tags::unnamed().clone()).ok()
    };
    let restored = restore(&frame(own)?, &frame(hinted)?, &[Some(0)]).ok()?;
    match restored.parts.into_iter().next()? {
        Part::Block(block, _) => Some(Level::Block(block)),
        Part::Column(column, _) => Some(Level::Column(column)),
    }
}

fn fitted(array: &ArrayData, own: &Part, hinted: &Hinted<'_>, position: usize) -> Option<Part> {
    // R's own attributes win; integer64 only says that the numbers are wide.
    let is_plain = |tag: &str| tag == r#"{"kind":"r","storage":"integer64"}"#;
    if let Part::Column(column, _) = own
        && !column.tag.as_deref().is_none_or(is_plain)
    {
        return None;
    }
    let data = cast(array, &hinted.data_type)?;
    if let Some(dtype) = hinted.dtype {
        let block: Option<Block> = if data.null_count() > 0
            && !matches!(data.data_type(), DataType::Timestamp(..) | DataType::Duration(_))
        {
            None
        } else {
            to_block(dtype, &data).ok().flatten()
        };
        // A column that got missing values keeps its width.
        return Some(match block {
            Some(block) => Part::Block(block, vec![position]),
            None => Part::Column(Column::new(data), position),
        });
    }
    let tag = hinted.tag.map(str::to_owned);
    Some(Part::Column(Column { ordered: hinted.ordered, tag, ..Column::new(data) }, position))
}

/// The array as `to`; `None` if a value would change.
fn cast(data: &ArrayData, to: &DataType) -> Option<ArrayData> {
    if data.data_type() == to {
        return Some(data.clone());
    }
    let array = make_array(data.clone());
    match (data.data_type(), to) {
        (DataType::Int32, _) if is_number(to) => {
            numbers(array.as_primitive::<Int32Type>().values().iter().map(|&v| i128::from(v)), &array, to)
        }
        (DataType::Int64, _) if is_number(to) => {
            numbers(array.as_primitive::<Int64Type>().values().iter().map(|&v| i128::from(v)), &array, to)
        }
        (DataType::Float64, _) if is_number(to) => floats(&array, to),
        (DataType::Timestamp(from, _), DataType::Timestamp(unit, _))
        | (DataType::Duration(from), DataType::Duration(unit)) => rescaled(data, *from, *unit, to),
        (DataType::Utf8, DataType::LargeUtf8) => {
            Some(text(&array.as_string::<i32>().iter().collect::<Vec<_>>(), true))
        }
        (DataType::LargeUtf8, DataType::Utf8) => {
            Some(text(&array.as_string::<i64>().iter().collect::<Vec<_>>(), false))
        }
        (DataType::Utf8, DataType::Utf8View) => {
            let texts = array.as_string::<i32>().iter();
            Some(texts.collect::<arrow_array::StringViewArray>().to_data())
        }
        (DataType::Dictionary(..), DataType::Dictionary(key, value)) => {
            let dictionary = array.as_any_dictionary_opt()?;
            let keys = cast(&dictionary.keys().to_data(), key)?;
            let values = cast(&dictionary.values().to_data(), value)?;
            let built = keys.into_builder().data_type(to.clone()).child_data(vec![values]);
            built.build().ok()
        }
        (DataType::LargeList(_), DataType::List(field)) => {
            let list = array.as_list::<i64>();
            let values = cast(&list.values().to_data(), field.data_type())?;
            let offsets: Option<Vec<i32>> =
                list.value_offsets().iter().map(|&o| i32::try_from(o).ok()).collect();
            let built = ArrayData::builder(to.clone()).len(list.len()).nulls(list.nulls().cloned());
            built.add_buffer(ArrowBuffer::from_vec(offsets?)).add_child_data(values).build().ok()
        }
        _ => None,
    }
}

fn is_number(to: &DataType) -> bool {
    to.is_integer() || matches!(to, DataType::Float16 | DataType::Float32 | DataType::Float64)
}

fn built(to: &DataType, count: usize, bytes: ArrowBuffer, nulls: Option<&NullBuffer>) -> Option<ArrayData> {
    ArrayData::builder(to.clone()).len(count).add_buffer(bytes).nulls(nulls.cloned()).build().ok()
}

/// Whole numbers in another width.
fn numbers(values: impl Iterator<Item = i128>, array: &ArrayRef, to: &DataType) -> Option<ArrayData> {
    // The value of a missing number does not matter.
    let values: Vec<i128> = values.enumerate().map(|(i, v)| if array.is_valid(i) { v } else { 0 }).collect();
    macro_rules! narrowed {
        ($type:ty) => {
            ArrowBuffer::from_vec(
                values.iter().map(|&v| <$type>::try_from(v).ok()).collect::<Option<Vec<$type>>>()?,
            )
        };
    }
    let bytes = match to {
        DataType::Int8 => narrowed!(i8),
        DataType::Int16 => narrowed!(i16),
        DataType::Int32 => narrowed!(i32),
        DataType::Int64 => narrowed!(i64),
        DataType::UInt8 => narrowed!(u8),
        DataType::UInt16 => narrowed!(u16),
        DataType::UInt32 => narrowed!(u32),
        DataType::UInt64 => narrowed!(u64),
        _ => return None,
    };
    built(to, values.len(), bytes, array.nulls())
}

/// Doubles as floats of another width, or as whole numbers.
fn floats(array: &ArrayRef, to: &DataType) -> Option<ArrayData> {
    let values = array.as_primitive::<Float64Type>().values();
    match to {
        DataType::Float32 => {
            #[allow(clippy::cast_possible_truncation)] // checked in the next line
            let narrow =
                |&v: &f64| Some(v as f32).filter(|n| f64::from(*n).to_bits() == v.to_bits() || v.is_nan());
            let narrow: Option<Vec<f32>> = values.iter().map(narrow).collect();
            built(to, values.len(), ArrowBuffer::from_vec(narrow?), array.nulls())
        }
        _ if to.is_integer() => {
            #[allow(clippy::cast_possible_truncation)] // within 2^63, and whole
            let whole = |(i, &v): (usize, &f64)| match array.is_valid(i) {
                false => Some(0),
                true => Some(v as i128)
                    .filter(|_| v.fract() == 0.0 && v.abs() < 9e18 && v.to_bits() != (-0.0_f64).to_bits()),
            };
            let whole: Option<Vec<i128>> = values.iter().enumerate().map(whole).collect();
            numbers(whole?.into_iter(), array, to)
        }
        _ => None,
    }
}

/// Times in another unit.
fn rescaled(data: &ArrayData, from: TimeUnit, unit: TimeUnit, to: &DataType) -> Option<ArrayData> {
    let (from, per) = (units_per_second(from), units_per_second(unit));
    let counts = data.buffers().first()?.typed_data::<i64>();
    let counts = counts.iter().skip(data.offset()).take(data.len()).enumerate();
    let scaled = |(row, &count): (usize, &i64)| match (data.is_valid(row), per >= from) {
        (false, _) => Some(i64::MIN), // NaT
        (true, true) => count.checked_mul(per / from),
        (true, false) => (count % (from / per) == 0).then(|| count / (from / per)),
    };
    let scaled: Option<Vec<i64>> = counts.map(scaled).collect();
    built(to, data.len(), ArrowBuffer::from_vec(scaled?), data.nulls())
}

fn text(values: &[Option<&str>], large: bool) -> ArrayData {
    if large {
        values.iter().copied().collect::<arrow_array::LargeStringArray>().to_data()
    } else {
        values.iter().copied().collect::<arrow_array::StringArray>().to_data()
    }
}
