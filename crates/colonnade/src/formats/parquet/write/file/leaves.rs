//! A column as the leaf that it is in the file: its values where they lie, and how they are turned on their way.

use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::arrow::native::Native;
use crate::error::{Error, Result};
use crate::formats::parquet::schema::Logical;
use crate::formats::parquet::types::{Physical, Stored, Way};
use crate::formats::parquet::write::column::{Bits, Leaf, LeafData, Offsets, Order, Turn};
use crate::frame::{Block, Kind};

use super::dictionaries;
use super::source::Packed;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// What is done with a leaf.
pub(super) type Take<'t> = &'t mut dyn FnMut(&Leaf<'_>) -> Result<()>;

fn broken(message: &str) -> Error {
    Error::malformed("parquet", format!("{message}. The array breaks Arrow's layout."))
}

/// How the values of the leaf compare.
pub(super) fn order(stored: &Stored, data_type: &DataType) -> Order {
    match (stored.physical, stored.logical) {
        (_, Some(Logical::Integer(_, false))) | (Physical::Boolean, _) => Order::Unsigned,
        (Physical::Fixed(_), Some(Logical::Decimal(..))) => Order::Decimal,
        (_, Some(Logical::Float16)) | (Physical::Float | Physical::Double, _) => Order::Float,
        (Physical::Fixed(_), None) if matches!(data_type, DataType::Interval(_)) => Order::None,
        (Physical::Int96, _) | (_, Some(Logical::Unknown)) => Order::None,
        (Physical::Bytes | Physical::Fixed(_), _) => Order::Bytes,
        (Physical::Int32 | Physical::Int64, _) => Order::Signed,
    }
}

/// Gives `take` the column as a leaf. `data_type`: of its field.
///
/// # Errors
/// `Unrepresentable` for values that the leaf cannot hold; those of `take`.
pub(super) fn leaf(
    column: &Packed<'_>,
    data_type: &DataType,
    stored: &Stored,
    optional: bool,
    take: Take<'_>,
) -> Result<()> {
    match column {
        Packed::Array(data) => of_array(data, stored, optional, take),
        Packed::Block(block) => of_block(block, data_type, stored, optional, take),
    }
}

/// The column as an array of its field's type.
///
/// # Errors
/// `Unrepresentable` for values that Arrow cannot hold.
pub(super) fn array(column: &Packed<'_>, data_type: &DataType) -> Result<ArrayData> {
    match column {
        Packed::Array(data) => Ok((*data).clone()),
        Packed::Block(block) => {
            let native = Native { dtype: block.grid.dtype, data_type: data_type.clone() };
            native.array(block, 0, &block.buffer.to_arrow())
        }
    }
}

fn of_block(
    block: &Block,
    data_type: &DataType,
    stored: &Stored,
    optional: bool,
    take: Take<'_>,
) -> Result<()> {
    let dtype = block.grid.dtype;
    if dtype.kind == Kind::Unicode || *data_type == DataType::Date32 || stored.way == Way::Empty {
        let data = array(&Packed::Block(block.clone()), data_type)?;
        return of_array(&data, stored, optional, take);
    }
    let (start, nrows, width) = (block.grid.offset, block.grid.nrows, dtype.itemsize as usize);
    let bytes = block.buffer.as_slice();
    let turn = match (dtype.kind, stored.way) {
        (Kind::Bool, _) => Turn::Truth,
        (Kind::UInt, Way::Narrow(_)) => Turn::Unsigned,
        (_, Way::Narrow(_)) => Turn::Signed,
        (_, Way::Thousands) => Turn::Times(1000),
        _ => Turn::AsIs,
    };
    let nat = match dtype.kind {
        Kind::DateTime | Kind::TimeDelta => {
            not_a_time(bytes.get(start..start + nrows * width).unwrap_or(&[]))
        }
        _ => None,
    };
    let stride = isize::try_from(width).unwrap_or(0);
    take(&Leaf {
        physical: stored.physical,
        data: LeafData::Fixed { bytes, start, width, stride, turn },
        validity: nat.as_deref().map(|bytes| Bits { bytes, offset: 0 }),
        optional,
        order: order(stored, data_type),
    })
}

/// A bit a time, set where it is one; `None` where all are.
fn not_a_time(bytes: &[u8]) -> Option<Vec<u8>> {
    const NAT: [u8; 8] = i64::MIN.to_le_bytes();
    let (cells, _) = bytes.as_chunks::<8>();
    // Without branches inside, so that the scan runs at the memory's speed.
    let any = |some: &[[u8; 8]]| some.iter().fold(false, |any, cell| any | (*cell == NAT));
    if !cells.chunks(1024).any(any) {
        return None;
    }
    let bits = |eight: &[[u8; 8]]| {
        eight.iter().enumerate().fold(0u8, |bits, (k, cell)| bits | u8::from(*cell != NAT) << k)
    };
    Some(cells.chunks(8).map(bits).collect())
}

/// Which values are there; `None` where all are.
///
/// # Errors
/// `Unrepresentable`: some are null where none may be.
pub(super) fn validity(nulls: Option<&NullBuffer>, optional: bool) -> Result<Option<Bits<'_>>> {
    let nulls = nulls.filter(|nulls| nulls.null_count() > 0);
    if !optional && nulls.is_some() {
        let message = "expected no nulls, as the field is not nullable. Fill them first.";
        return Err(Error::unrepresentable("parquet", message));
    }
    Ok(nulls.map(|nulls| Bits { bytes: nulls.validity(), offset: nulls.offset() }))
}

/// An array without a copy, where its type allows.
pub(super) fn of_array(data: &ArrayData, stored: &Stored, optional: bool, take: Take<'_>) -> Result<()> {
    of_masked(data, data.nulls(), stored, optional, take)
}

/// An array of which other values are null than it says itself.
pub(super) fn of_masked(
    data: &ArrayData,
    nulls: Option<&NullBuffer>,
    stored: &Stored,
    optional: bool,
    take: Take<'_>,
) -> Result<()> {
    let mut aligned;
    let data = if is_aligned(data) {
        data
    } else {
        aligned = data.clone();
        aligned.align_buffers();
        &aligned
    };
    let n = data.len();
    let validity = validity(nulls, optional)?;
    let order = order(stored, data.data_type());
    let mut give = |data: LeafData<'_>, validity: Option<Bits<'_>>| {
        take(&Leaf { physical: stored.physical, data, validity, optional, order })
    };
    let first = data.buffers().first().map_or(&[][..], Buffer::as_slice);
    let fixed = |width: usize, turn: Turn| {
        let stride = isize::try_from(width).unwrap_or(0);
        LeafData::Fixed { bytes: first, start: data.offset() * width, width, stride, turn }
    };
    // Values of `stride` bytes of which the lowest are all that counts.
    let lowest = |width: usize, stride: u8| LeafData::Fixed {
        bytes: first,
        start: data.offset() * usize::from(stride),
        width,
        stride: isize::from(stride),
        turn: Turn::AsIs,
    };
    match (data.data_type(), stored.way) {
        (DataType::Null, _) => {
            let none = vec![0; n.div_ceil(8)];
            let data = LeafData::Fixed { bytes: &[0; 4], start: 0, width: 4, stride: 0, turn: Turn::AsIs };
            give(data, Some(Bits { bytes: &none, offset: 0 }))
        }
        (DataType::Dictionary(..), _) => dictionaries::leaf(data, nulls, stored, optional, take),
        (DataType::Boolean, _) => {
            give(LeafData::Bits(Bits { bytes: first, offset: data.offset() }), validity)
        }
        (DataType::Utf8 | DataType::Binary, _) => {
            let offsets = offsets::<i32>(data)?;
            give(LeafData::Bytes { offsets: Offsets::Small(&offsets), data: second(data) }, validity)
        }
        (DataType::LargeUtf8 | DataType::LargeBinary, _) => {
            let offsets = offsets::<i64>(data)?;
            give(LeafData::Bytes { offsets: Offsets::Large(&offsets), data: second(data) }, validity)
        }
        (DataType::Utf8View | DataType::BinaryView, _) => {
            let views = data.buffers().first().map_or(&[][..], |b| b.typed_data::<u128>());
            let views =
                views.get(data.offset()..data.offset() + n).ok_or_else(|| broken("views are missing"))?;
            let buffers = data.buffers().iter().skip(1).map(Buffer::as_slice).collect();
            give(LeafData::Views { views, buffers }, validity)
        }
        (_, Way::Empty) => {
            let offsets = vec![0i32; n + 1];
            give(LeafData::Bytes { offsets: Offsets::Small(&offsets), data: &[] }, validity)
        }
        (DataType::UInt8 | DataType::UInt16, Way::Narrow(width)) => {
            give(fixed(usize::from(width), Turn::Unsigned), validity)
        }
        (_, Way::Narrow(width)) => give(fixed(usize::from(width), Turn::Signed), validity),
        (other, Way::Thousands) => {
            give(fixed(other.primitive_width().unwrap_or(8), Turn::Times(1000)), validity)
        }
        (_, Way::Days) => give(fixed(8, Turn::Over(DAY)), validity),
        (_, Way::Widened(stride)) => {
            check(data, nulls, stored)?;
            let width = if stored.physical == Physical::Int32 { 4 } else { 8 };
            if width > usize::from(stride) {
                // A decimal of 32 bits with more digits than that allows for.
                return give(fixed(usize::from(stride), Turn::Signed), validity);
            }
            give(lowest(width, stride), validity)
        }
        (_, Way::BigEndian(width)) => {
            check(data, nulls, stored)?;
            give(fixed(usize::from(width), Turn::Reversed), validity)
        }
        (_, way @ (Way::Months | Way::DayTime)) => {
            let words = intervals(data, way);
            let data = LeafData::Fixed { bytes: &words, start: 0, width: 12, stride: 12, turn: Turn::AsIs };
            give(data, validity)
        }
        (DataType::FixedSizeBinary(width), _) => {
            give(fixed(usize::try_from(*width).unwrap_or(0), Turn::AsIs), validity)
        }
        (other, _) => {
            let width = other.primitive_width().ok_or_else(|| broken("values have no width"))?;
            give(fixed(width, Turn::AsIs), validity)
        }
    }
}

fn is_aligned(data: &ArrayData) -> bool {
    // Buffers of words must lie so; bytes may lie anywhere.
    let alignment = match data.data_type() {
        DataType::Utf8 | DataType::Binary => 4,
        DataType::LargeUtf8 | DataType::LargeBinary => 8,
        DataType::Utf8View | DataType::BinaryView => 16,
        _ => 1,
    };
    data.buffers().first().is_none_or(|b| b.as_ptr().align_offset(alignment) == 0)
}

fn second(data: &ArrayData) -> &[u8] {
    data.buffers().get(1).map_or(&[][..], Buffer::as_slice)
}

/// A row more than there are rows.
fn offsets<T: ArrowNativeType>(data: &ArrayData) -> Result<std::borrow::Cow<'_, [T]>> {
    let n = data.len();
    let all = data.buffers().first().map_or(&[][..], |b| b.typed_data::<T>());
    match all.get(data.offset()..data.offset() + n + 1) {
        Some(offsets) => Ok(std::borrow::Cow::Borrowed(offsets)),
        // An empty array may come without offsets.
        None if n == 0 => Ok(std::borrow::Cow::Owned(vec![T::default()])),
        None => Err(broken("offsets are missing")),
    }
}

/// Months, days and milliseconds, a word each.
fn intervals(data: &ArrayData, way: Way) -> Vec<u8> {
    let bytes = data.buffers().first().map_or(&[][..], Buffer::as_slice);
    let mut out = Vec::with_capacity(data.len() * 12);
    let width = if way == Way::Months { 4 } else { 8 };
    let rows = bytes.chunks_exact(width).skip(data.offset()).take(data.len());
    for row in rows {
        if way == Way::Months {
            out.extend_from_slice(row);
            out.extend_from_slice(&[0; 8]);
        } else {
            out.extend_from_slice(&[0; 4]);
            out.extend_from_slice(row);
        }
    }
    out
}

/// Whether there are values that the leaf cannot hold.
pub(super) fn may_not_fit(stored: &Stored) -> bool {
    matches!(stored.way, Way::Thousands | Way::Days | Way::Widened(_) | Way::BigEndian(_))
}

/// Whether every value, null ones apart, fits the leaf.
pub(super) fn fits(data: &ArrayData, nulls: Option<&NullBuffer>, stored: &Stored) -> bool {
    if let (DataType::Dictionary(..), [values]) = (data.data_type(), data.child_data()) {
        return fits(values, values.nulls(), stored);
    }
    match stored.way {
        Way::Thousands if *data.data_type() == DataType::Time32(arrow_schema::TimeUnit::Second) => {
            each::<4>(data, nulls, |v| i32::from_le_bytes(v).checked_mul(1000).is_some())
        }
        Way::Thousands => each::<8>(data, nulls, |v| i64::from_le_bytes(v).checked_mul(1000).is_some()),
        Way::Days => each::<8>(data, nulls, |v| {
            let v = i64::from_le_bytes(v);
            v % DAY == 0 && i32::try_from(v / DAY).is_ok()
        }),
        Way::Widened(width) | Way::BigEndian(width) => {
            let room = match stored.physical {
                Physical::Int32 => 4,
                Physical::Int64 => 8,
                Physical::Fixed(n) => n as usize,
                _ => return false,
            };
            match width {
                4 => each::<4>(data, nulls, |v| is_short(&v, room)),
                8 => each::<8>(data, nulls, |v| is_short(&v, room)),
                16 => each::<16>(data, nulls, |v| is_short(&v, room)),
                _ => each::<32>(data, nulls, |v| is_short(&v, room)),
            }
        }
        _ => true,
    }
}

/// Whether all but the lowest `room` bytes repeat the sign.
fn is_short(value: &[u8], room: usize) -> bool {
    let (Some(low), Some(high)) = (value.get(..room), value.get(room..)) else { return true };
    let sign = if low.last().is_some_and(|byte| byte >> 7 == 1) { 0xff } else { 0 };
    high.iter().all(|byte| *byte == sign)
}

fn each<const N: usize>(
    data: &ArrayData,
    nulls: Option<&NullBuffer>,
    holds: impl Fn([u8; N]) -> bool,
) -> bool {
    let (cells, _) = data.buffers().first().map_or(&[][..], Buffer::as_slice).as_chunks::<N>();
    let mut rows = cells.iter().skip(data.offset()).take(data.len());
    match nulls.filter(|nulls| nulls.null_count() > 0) {
        None => rows.all(|cell| holds(*cell)),
        Some(nulls) => rows.zip(nulls.iter()).all(|(cell, there)| !there || holds(*cell)),
    }
}

fn check(data: &ArrayData, nulls: Option<&NullBuffer>, stored: &Stored) -> Result<()> {
    if fits(data, nulls, stored) {
        return Ok(());
    }
    let message =
        "a decimal has more digits than its type says, which the first chunk's did not. Convert it first.";
    Err(Error::unrepresentable("parquet", message))
}
