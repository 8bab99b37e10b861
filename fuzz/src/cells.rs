//! Arrow arrays of any type.

use std::sync::Arc;

use arbitrary::{Error, Result, Unstructured};
use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};
use arrow_array::{Array, BinaryArray, LargeBinaryArray, LargeStringArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

const DAY_SECONDS: i128 = 86_400;

/// A type with at most `depth` levels of nesting.
pub(crate) fn data_type(source: &mut Unstructured<'_>, depth: usize) -> Result<DataType> {
    let nested = depth > 0 && source.ratio(1, 3)?;
    if nested { nested_type(source, depth) } else { flat_type(source) }
}

fn flat_type(source: &mut Unstructured<'_>) -> Result<DataType> {
    use DataType::*;
    let unit = *source.choose(&[
        TimeUnit::Second,
        TimeUnit::Millisecond,
        TimeUnit::Microsecond,
        TimeUnit::Nanosecond,
    ])?;
    let scale = source.int_in_range(0..=9)?;
    let key = source.choose(&[Int8, Int16, Int32, UInt8, UInt32])?.clone();
    let zone = source.choose(&["UTC", "+05:30", "Europe/Zurich"])?;
    let types = [
        Null,
        Boolean,
        Int8,
        Int16,
        Int32,
        Int64,
        UInt8,
        UInt16,
        UInt32,
        UInt64,
        Float16,
        Float32,
        Float64,
        Utf8,
        LargeUtf8,
        Utf8View,
        Binary,
        LargeBinary,
        BinaryView,
        FixedSizeBinary(3),
        Date32,
        Date64,
        Time32(if matches!(unit, TimeUnit::Second) { unit } else { TimeUnit::Millisecond }),
        Time64(if matches!(unit, TimeUnit::Nanosecond) { unit } else { TimeUnit::Microsecond }),
        Timestamp(unit, None),
        Timestamp(unit, Some(Arc::from(*zone))),
        Duration(unit),
        Interval(IntervalUnit::YearMonth),
        Interval(IntervalUnit::DayTime),
        Interval(IntervalUnit::MonthDayNano),
        Decimal32(9, scale),
        Decimal64(18, scale),
        Decimal128(38, scale),
        Decimal256(76, scale),
        Dictionary(Box::new(key), Box::new(Utf8)),
    ];
    Ok(source.choose(&types)?.clone())
}

fn nested_type(source: &mut Unstructured<'_>, depth: usize) -> Result<DataType> {
    let kind = source.int_in_range(0..=4)?;
    let item = Arc::new(Field::new("item", data_type(source, depth - 1)?, true));
    Ok(match kind {
        0 => DataType::List(item),
        1 => DataType::LargeList(item),
        2 => DataType::FixedSizeList(item, 2),
        3 => {
            let pair =
                vec![Field::new("key", DataType::Utf8, false), item.as_ref().clone().with_name("value")];
            DataType::Map(Arc::new(Field::new("entries", DataType::Struct(pair.into()), false)), false)
        }
        _ => {
            let other = Field::new("other", data_type(source, depth - 1)?, true);
            DataType::Struct(vec![item.as_ref().clone(), other].into())
        }
    })
}

/// An array of `len` cells; nulls are anywhere.
pub(crate) fn array(source: &mut Unstructured<'_>, data_type: &DataType, len: usize) -> Result<ArrayData> {
    use DataType::*;
    Ok(match data_type {
        Null => ArrayData::new_null(&Null, len),
        Utf8 => StringArray::from(texts(source, len)?).to_data(),
        LargeUtf8 => LargeStringArray::from(texts(source, len)?).to_data(),
        Utf8View => {
            let mut views = StringViewBuilder::new();
            texts(source, len)?.iter().for_each(|text| views.append_option(text.as_deref()));
            views.finish().to_data()
        }
        Binary => BinaryArray::from_iter(blobs(source, len)?).to_data(),
        LargeBinary => LargeBinaryArray::from_iter(blobs(source, len)?).to_data(),
        BinaryView => {
            let mut views = BinaryViewBuilder::new();
            blobs(source, len)?.iter().for_each(|blob| views.append_option(blob.as_deref()));
            views.finish().to_data()
        }
        Dictionary(..) => dictionary(source, data_type, len)?,
        List(item) | Map(item, _) => {
            let (offsets, count) = offsets(source, len)?;
            let offsets: Vec<i32> =
                offsets.into_iter().filter_map(|offset| i32::try_from(offset).ok()).collect();
            let child = child(source, item, count)?;
            build(source, data_type, len, vec![Buffer::from_vec(offsets)], vec![child])?
        }
        LargeList(item) => {
            let (offsets, count) = offsets(source, len)?;
            let child = child(source, item, count)?;
            build(source, data_type, len, vec![Buffer::from_vec(offsets)], vec![child])?
        }
        FixedSizeList(item, size) => {
            let child = child(source, item, len * usize::try_from(*size).unwrap_or_default())?;
            build(source, data_type, len, vec![], vec![child])?
        }
        Struct(fields) => {
            let children = fields.iter().map(|field| child(source, field, len)).collect::<Result<_>>()?;
            build(source, data_type, len, vec![], children)?
        }
        Boolean => {
            let mut bits = vec![0u8; len.div_ceil(8)];
            source.fill_buffer(&mut bits)?;
            build(source, data_type, len, vec![Buffer::from_vec(bits)], vec![])?
        }
        FixedSizeBinary(size) => {
            let mut bytes = vec![0u8; len * usize::try_from(*size).unwrap_or_default()];
            source.fill_buffer(&mut bytes)?;
            build(source, data_type, len, vec![Buffer::from_vec(bytes)], vec![])?
        }
        _ => {
            let width = data_type.primitive_width().ok_or(Error::IncorrectFormat)?;
            let mut bytes = Vec::with_capacity(len * width);
            for _ in 0..len {
                bytes.extend(cell(source, data_type)?.into_iter().take(width));
            }
            build(source, data_type, len, vec![Buffer::from_vec(bytes)], vec![])?
        }
    })
}

/// The little-endian bytes of a number, sign-extended to the widest type. Values are in the range of their type.
fn cell(source: &mut Unstructured<'_>, data_type: &DataType) -> Result<[u8; 32]> {
    use DataType::*;
    let drawn = source.arbitrary::<i64>()?;
    let any = i128::from(drawn);
    let number = match data_type {
        Float16 if any & 0x7c00 == 0x7c00 && any & 0x3ff != 0 => 0x7e00,
        Float32 if f32::from_bits(low(drawn)).is_nan() => f32::NAN.to_bits().into(),
        Float64 if f64::from_bits(drawn.cast_unsigned()).is_nan() => f64::NAN.to_bits().into(),
        Date64 => i128::from(low(drawn).cast_signed()) * DAY_SECONDS * 1000,
        Time32(TimeUnit::Second) => any.rem_euclid(DAY_SECONDS),
        Time32(_) => any.rem_euclid(DAY_SECONDS * 1000),
        Time64(TimeUnit::Microsecond) => any.rem_euclid(DAY_SECONDS * 1_000_000),
        Time64(_) => any.rem_euclid(DAY_SECONDS * 1_000_000_000),
        Decimal32(..) => any % 1_000_000_000,
        Decimal64(..) => any % 1_000_000_000_000_000_000,
        _ => any,
    };
    let mut out = [if number < 0 { 0xff } else { 0 }; 32];
    out[..16].copy_from_slice(&number.to_le_bytes());
    Ok(out)
}

/// The low 32 bits.
fn low(drawn: i64) -> u32 {
    let [a, b, c, d, ..] = drawn.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn build(
    source: &mut Unstructured<'_>,
    data_type: &DataType,
    len: usize,
    buffers: Vec<Buffer>,
    children: Vec<ArrayData>,
) -> Result<ArrayData> {
    let mut builder = ArrayData::builder(data_type.clone()).len(len).nulls(nulls(source, len)?);
    for buffer in buffers {
        builder = builder.add_buffer(buffer);
    }
    for child in children {
        builder = builder.add_child_data(child);
    }
    builder.build().map_err(|_| Error::IncorrectFormat)
}

fn nulls(source: &mut Unstructured<'_>, len: usize) -> Result<Option<NullBuffer>> {
    if source.arbitrary()? {
        return Ok(None);
    }
    let valid = (0..len).map(|_| source.arbitrary()).collect::<Result<Vec<bool>>>()?;
    Ok(Some(valid.into()))
}

fn child(source: &mut Unstructured<'_>, field: &Field, len: usize) -> Result<ArrayData> {
    let array = array(source, field.data_type(), len)?;
    if field.is_nullable() || array.nulls().is_none() {
        return Ok(array);
    }
    array.into_builder().nulls(None).build().map_err(|_| Error::IncorrectFormat)
}

/// Offsets of lists of at most three items, and the number of items.
fn offsets(source: &mut Unstructured<'_>, len: usize) -> Result<(Vec<i64>, usize)> {
    let (mut offsets, mut count) = (vec![0], 0);
    for _ in 0..len {
        count += source.int_in_range(0..=3)?;
        offsets.push(count);
    }
    Ok((offsets, usize::try_from(count).unwrap_or_default()))
}

fn texts(source: &mut Unstructured<'_>, len: usize) -> Result<Vec<Option<String>>> {
    (0..len).map(|_| source.arbitrary()).collect()
}

fn blobs(source: &mut Unstructured<'_>, len: usize) -> Result<Vec<Option<Vec<u8>>>> {
    (0..len).map(|_| source.arbitrary()).collect()
}

/// Categories are distinct.
fn dictionary(source: &mut Unstructured<'_>, data_type: &DataType, len: usize) -> Result<ArrayData> {
    let DataType::Dictionary(key, _) = data_type else { return Err(Error::IncorrectFormat) };
    let mut categories = source.arbitrary::<std::collections::BTreeSet<String>>()?;
    categories.insert("x".into());
    let most = categories.len().min(100) - 1;
    let categories = StringArray::from(categories.into_iter().take(100).collect::<Vec<_>>());
    let width = key.primitive_width().ok_or(Error::IncorrectFormat)?;
    let mut keys = Vec::new();
    for _ in 0..len {
        let code = source.int_in_range(0..=most)?;
        keys.extend(code.to_le_bytes().into_iter().take(width));
    }
    build(source, data_type, len, vec![Buffer::from_vec(keys)], vec![categories.to_data()])
}
