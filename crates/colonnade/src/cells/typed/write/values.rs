//! Access to the values of an array.

use arrow_buffer::{BooleanBuffer, IntervalDayTime, IntervalMonthDayNano, i256};

use super::*;
use crate::calendar::per_second;
use crate::cells::views::ViewCells;

mod put;

/// The offsets of a list, a map, text or bytes.
pub(super) enum CellOffsets {
    Small(ScalarBuffer<i32>),
    Large(ScalarBuffer<i64>),
}

impl CellOffsets {
    fn small(data: &ArrayData) -> Self {
        Self::Small(native(data, 1))
    }

    fn large(data: &ArrayData) -> Self {
        Self::Large(native(data, 1))
    }

    /// Returns the range of the entries of one cell.
    fn range(&self, row: usize) -> Result<Range<usize>> {
        fn between<T: ArrowNativeType>(all: &[T], row: usize) -> Option<Range<usize>> {
            let (start, end) = (all.get(row)?.to_usize()?, all.get(row + 1)?.to_usize()?);
            (start <= end).then_some(start..end)
        }
        match self {
            Self::Small(all) => between(all, row),
            Self::Large(all) => between(all, row),
        }
        .ok_or_else(changed)
    }
}

/// The values of one array.
pub(super) enum ArrayValues {
    Null,
    Bool(BooleanBuffer),
    Integers(IntegerCodes),
    F16(ScalarBuffer<u16>),
    F32(ScalarBuffer<u32>),
    F64(ScalarBuffer<u64>),
    Days(ScalarBuffer<i32>),
    /// Counts of a unit, and its units per second.
    Instants(ScalarBuffer<i64>, i64),
    DayTime(ScalarBuffer<IntervalDayTime>),
    MonthDayNano(ScalarBuffer<IntervalMonthDayNano>),
    Decimal(DecimalValues, u8, i8, PayloadFamily),
    Bytes(CellOffsets, Buffer, PayloadFamily),
    Views(ViewCells, PayloadFamily),
    /// Fixed-width bytes that start with the first row, and the width.
    Fixed(Buffer, usize, PayloadFamily),
    Expanded(IntegerCodes, Box<TypedWriter>),
    List(CellOffsets, Box<TypedWriter>),
    ListView(CellOffsets, CellOffsets, Box<TypedWriter>),
    /// The number of entries per cell, and the index of the first row.
    FixedList(usize, usize, Box<TypedWriter>),
    /// Children with their keys, or without keys if names repeat; and the index of the first row.
    Struct(Vec<(Option<Vec<u8>>, TypedWriter)>, usize),
    Map(CellOffsets, Box<(TypedWriter, TypedWriter)>),
    Union(ScalarBuffer<i8>, Option<ScalarBuffer<i32>>, usize, Vec<(i8, TypedWriter)>),
    Runs(IntegerCodes, usize, usize, Box<TypedWriter>),
}

/// The decimals of one width.
pub(super) enum DecimalValues {
    D32(ScalarBuffer<i32>),
    D64(ScalarBuffer<i64>),
    D128(ScalarBuffer<i128>),
    D256(ScalarBuffer<i256>),
}

impl ArrayValues {
    pub(super) fn new(data: &ArrayData, cells: bool, style: MsgpackStyle) -> Result<Self> {
        let (text, binary) = match (style.compatible, cells) {
            (false, false) => (PayloadFamily::Str, PayloadFamily::Bin),
            (true, false) => (PayloadFamily::OldStr, PayloadFamily::OldStr),
            (_, true) => (PayloadFamily::Str, PayloadFamily::Raw),
        };
        let buffer = |i: usize| data.buffers().get(i).cloned().unwrap_or_default();
        let child = |i: usize| match data.child_data().get(i) {
            Some(child) => TypedWriter::inner(child, style),
            None => Err(changed()),
        };
        let boxed = |i: usize| child(i).map(Box::new);
        let integers = |of: &DataType| IntegerCodes::new(of, data).map(Self::Integers);
        let (small, large) = (|| IntegerCodes::I32(native(data, 0)), || IntegerCodes::I64(native(data, 0)));
        Ok(match data.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Bool(BooleanBuffer::new(buffer(0), data.offset(), data.len())),
            t @ (DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64) => integers(t)?,
            t @ (DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64) => integers(t)?,
            DataType::Time32(_) | DataType::Interval(IntervalUnit::YearMonth) => Self::Integers(small()),
            DataType::Time64(_) | DataType::Duration(_) => Self::Integers(large()),
            DataType::Float16 => Self::F16(native(data, 0)),
            DataType::Float32 => Self::F32(native(data, 0)),
            DataType::Float64 => Self::F64(native(data, 0)),
            DataType::Date32 if style.compatible => Self::Integers(small()),
            DataType::Date32 => Self::Days(native(data, 0)),
            DataType::Date64 | DataType::Timestamp(..) if style.compatible => Self::Integers(large()),
            DataType::Date64 => Self::Instants(native(data, 0), 1000),
            DataType::Timestamp(unit, _) => Self::Instants(native(data, 0), per_second(*unit)),
            DataType::Interval(IntervalUnit::DayTime) => Self::DayTime(native(data, 0)),
            DataType::Interval(IntervalUnit::MonthDayNano) => Self::MonthDayNano(native(data, 0)),
            DataType::Decimal32(p, s) => Self::Decimal(DecimalValues::D32(native(data, 0)), *p, *s, text),
            DataType::Decimal64(p, s) => Self::Decimal(DecimalValues::D64(native(data, 0)), *p, *s, text),
            DataType::Decimal128(p, s) => Self::Decimal(DecimalValues::D128(native(data, 0)), *p, *s, text),
            DataType::Decimal256(p, s) => Self::Decimal(DecimalValues::D256(native(data, 0)), *p, *s, text),
            DataType::Utf8 => Self::Bytes(CellOffsets::small(data), buffer(1), text),
            DataType::LargeUtf8 => Self::Bytes(CellOffsets::large(data), buffer(1), text),
            DataType::Binary => Self::Bytes(CellOffsets::small(data), buffer(1), binary),
            DataType::LargeBinary => Self::Bytes(CellOffsets::large(data), buffer(1), binary),
            DataType::Utf8View | DataType::BinaryView => {
                let family = if *data.data_type() == DataType::Utf8View { text } else { binary };
                Self::Views(ViewCells::new(data).ok_or_else(changed)?, family)
            }
            DataType::FixedSizeBinary(width) => {
                let width = usize::try_from(*width).map_err(|_| changed())?;
                Self::Fixed(
                    buffer(0).slice_with_length(data.offset() * width, data.len() * width),
                    width,
                    binary,
                )
            }
            DataType::Dictionary(codes, _) if style.header => integers(codes)?,
            DataType::Dictionary(codes, _) => Self::Expanded(IntegerCodes::new(codes, data)?, boxed(0)?),
            DataType::List(_) => Self::List(CellOffsets::small(data), boxed(0)?),
            DataType::LargeList(_) => Self::List(CellOffsets::large(data), boxed(0)?),
            DataType::ListView(_) => Self::list_view::<i32>(data, &CellOffsets::Small, boxed(0)?),
            DataType::LargeListView(_) => Self::list_view::<i64>(data, &CellOffsets::Large, boxed(0)?),
            DataType::FixedSizeList(_, size) => {
                let size = usize::try_from(*size).map_err(|_| changed())?;
                Self::FixedList(size, data.offset(), boxed(0)?)
            }
            DataType::Struct(fields) => {
                let keys = keys(fields, text)?;
                let children = data.child_data().iter().map(|child| TypedWriter::inner(child, style));
                let children: Result<Vec<TypedWriter>> = children.collect();
                Self::Struct(keys.into_iter().zip(children?).collect(), data.offset())
            }
            DataType::Map(..) => {
                let entries = data.child_data().first().ok_or_else(changed)?;
                let part = |i: usize| match entries.child_data().get(i) {
                    Some(part) => TypedWriter::inner(&part.slice(entries.offset(), entries.len()), style),
                    None => Err(changed()),
                };
                Self::Map(CellOffsets::small(data), Box::new((part(0)?, part(1)?)))
            }
            DataType::Union(fields, mode) => {
                let dense = *mode == UnionMode::Dense;
                let offsets = || ScalarBuffer::new(buffer(1), data.offset(), data.len());
                let children = fields.iter().enumerate().map(|(i, (id, _))| Ok((id, child(i)?)));
                let first = if dense { 0 } else { data.offset() };
                let children: Result<Vec<(i8, TypedWriter)>> = children.collect();
                Self::Union(native(data, 0), dense.then(offsets), first, children?)
            }
            DataType::RunEndEncoded(..) => {
                let ends = data.child_data().first().ok_or_else(changed)?;
                Self::Runs(IntegerCodes::new(ends.data_type(), ends)?, ends.len(), data.offset(), boxed(1)?)
            }
        })
    }

    fn list_view<T: ArrowNativeType>(
        data: &ArrayData,
        wrap: &dyn Fn(ScalarBuffer<T>) -> CellOffsets,
        child: Box<TypedWriter>,
    ) -> Self {
        let sizes = data.buffers().get(1).cloned().unwrap_or_default();
        let sizes = ScalarBuffer::new(sizes, data.offset(), data.len());
        Self::ListView(wrap(native(data, 0)), wrap(sizes), child)
    }

    /// Whether a 64-bit value is the smallest integer.
    pub(super) fn is_nat(&self, row: usize) -> bool {
        match self {
            Self::Integers(IntegerCodes::I64(values)) | Self::Instants(values, _) => {
                values.get(row) == Some(&i64::MIN)
            }
            _ => false,
        }
    }
}

/// Returns the encoded keys of a struct, or no key if one repeats.
fn keys(fields: &Fields, family: PayloadFamily) -> Result<Vec<Option<Vec<u8>>>> {
    let unique = names_are_unique(fields);
    let key = |field: &std::sync::Arc<Field>| {
        let mut key = Vec::new();
        out::bytes(&mut key, family, field.name().as_bytes())?;
        Ok(unique.then_some(key))
    };
    fields.iter().map(key).collect()
}
