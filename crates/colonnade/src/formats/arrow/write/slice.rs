//! Truncates the buffers and children of sliced arrays to the rows of the slice.
//!
//! Offsets begin at 0 again, and children and data keep only the referenced values. Otherwise each of many batches of a
//! large array would hold the whole array.

use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer, ScalarBuffer, ToByteSlice};
use arrow_data::ArrayData;
use arrow_schema::{DataType, UnionFields};

use crate::error::{Error, Result};
use crate::memory::{self, Region};

pub(super) fn invalid_layout(message: &str) -> Error {
    Error::malformed("arrow", format!("{message}. The array breaks Arrow's layout."))
}

/// Items `start..start + count` of a buffer, copied only if the buffer is not aligned for them.
fn items<T: ArrowNativeType>(buffer: Option<&Buffer>, start: usize, count: usize) -> Result<ScalarBuffer<T>> {
    let bytes = bytes(buffer, start.saturating_mul(size_of::<T>()), count.saturating_mul(size_of::<T>()))?;
    if bytes.as_ptr().align_offset(align_of::<T>()) == 0 || bytes.is_empty() {
        return Ok(ScalarBuffer::new(if bytes.is_empty() { Buffer::default() } else { bytes }, 0, count));
    }
    let mut copy = MutableBuffer::with_capacity(bytes.len());
    copy.extend_from_slice(&bytes);
    Ok(ScalarBuffer::new(copy.into(), 0, count))
}

/// Bytes `start..start + count` of a buffer, not copied.
pub(super) fn bytes(buffer: Option<&Buffer>, start: usize, count: usize) -> Result<Buffer> {
    match buffer {
        Some(buffer) if start.checked_add(count).is_some_and(|end| end <= buffer.len()) => {
            Ok(buffer.slice_with_length(start, count))
        }
        None if count == 0 => Ok(Buffer::default()),
        _ => Err(invalid_layout("a buffer is too short")),
    }
}

/// Rows `start..start + count` of a child.
pub(super) fn rows(child: &ArrayData, start: usize, count: usize) -> Result<ArrayData> {
    if start.checked_add(count).is_none_or(|end| end > child.len()) {
        return Err(invalid_layout("a child has too few rows"));
    }
    Ok(if start == 0 && count == child.len() { child.clone() } else { child.slice(start, count) })
}

pub(super) fn child(data: &ArrayData, i: usize) -> Result<&ArrayData> {
    data.child_data().get(i).ok_or_else(|| invalid_layout("a child is missing"))
}

/// An integer of a layout: offsets, sizes, run ends.
pub(super) trait LayoutInt: ArrowNativeType + TryFrom<usize> {
    /// The difference; it wraps around.
    fn minus(self, other: Self) -> Self;
}
macro_rules! layout_int {
    ($($int:ty),*) => {$(
        impl LayoutInt for $int {
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    )*};
}
layout_int!(i16, i32, i64);

fn to_usize<T: LayoutInt>(value: T) -> Result<usize> {
    value.to_usize().ok_or_else(|| invalid_layout("an offset is negative"))
}

fn from_usize<T: LayoutInt>(value: usize) -> Result<T> {
    T::try_from(value).map_err(|_| invalid_layout("an offset is too large"))
}

/// Offsets that begin at 0, and the start and length of the values that they cover.
pub(super) fn offsets<T: LayoutInt>(data: &ArrayData) -> Result<(Buffer, usize, usize)> {
    let (start, count) = (data.offset(), data.len());
    let buffer = data.buffers().first();
    if count == 0 {
        // An empty array may have no offsets. The writer always writes one.
        return Ok((Buffer::from_vec(vec![T::default()]), 0, 0));
    }
    let offsets = items::<T>(buffer, start, count + 1)?;
    let end = |value: Option<&T>| value.map_or(Ok(0), |v| to_usize(*v));
    let (first, last) = (end(offsets.first())?, end(offsets.last())?);
    let length = last.checked_sub(first).ok_or_else(|| invalid_layout("offsets fall"))?;
    if first == 0 {
        let width = size_of::<T>();
        return Ok((bytes(buffer, start * width, (count + 1) * width)?, 0, length));
    }
    let lowest = from_usize::<T>(first)?;
    let mut rebased = Region::allocate((count + 1) * size_of::<T>())?;
    let mut fall = false;
    // Without an early exit the compiler vectorizes the loop. A region is aligned for every integer.
    for (to, from) in rebased.as_mut_slice().chunks_exact_mut(size_of::<T>()).zip(offsets.iter()) {
        fall |= *from < lowest;
        to.copy_from_slice(from.minus(lowest).to_byte_slice());
    }
    if fall {
        return Err(invalid_layout("offsets fall"));
    }
    Ok((memory::Buffer::from_region(rebased.finish(), false).to_arrow(), first, length))
}

/// Offsets, sizes and child of a list view.
pub(super) fn list_view<T: LayoutInt>(data: &ArrayData) -> Result<(Buffer, Buffer, ArrayData)> {
    let (start, count, width) = (data.offset(), data.len(), size_of::<T>());
    let offsets = items::<T>(data.buffers().first(), start, count)?;
    let sizes = items::<T>(data.buffers().get(1), start, count)?;
    let child = child(data, 0)?;
    let (mut low, mut high) = (usize::MAX, 0);
    for (offset, size) in offsets.iter().zip(sizes.iter()) {
        let (offset, size) = (to_usize(*offset)?, to_usize(*size)?);
        if size > 0 {
            low = low.min(offset);
            high = high.max(offset.checked_add(size).ok_or_else(|| invalid_layout("a list is too long"))?);
        }
    }
    let low = low.min(high);
    let values = rows(child, low, high - low)?;
    let sizes = bytes(data.buffers().get(1), start * width, count * width)?;
    if low == 0 && offsets.iter().all(|o| o.to_usize().is_some_and(|o| o <= high)) {
        return Ok((bytes(data.buffers().first(), start * width, count * width)?, sizes, values));
    }
    let rebased = |o: &T| from_usize::<T>(to_usize(*o)?.saturating_sub(low).min(high - low));
    let all: Vec<T> = offsets.iter().map(rebased).collect::<Result<_>>()?;
    Ok((Buffer::from_vec(all), sizes, values))
}

/// Type ids, offsets and children of a dense union.
pub(super) fn dense_union(
    data: &ArrayData,
    fields: &UnionFields,
) -> Result<(Buffer, Buffer, Vec<ArrayData>)> {
    let (start, count) = (data.offset(), data.len());
    let ids = items::<i8>(data.buffers().first(), start, count)?;
    let offsets = items::<i32>(data.buffers().get(1), start, count)?;
    // The child of each type id.
    let mut places = [usize::MAX; 256];
    for (place, (id, _)) in fields.iter().enumerate() {
        if let Some(slot) = places.get_mut(usize::from(id.to_le_bytes()[0])) {
            *slot = place;
        }
    }
    let place = |id: i8| places.get(usize::from(id.to_le_bytes()[0])).copied().unwrap_or(usize::MAX);
    let mut ranges = vec![(usize::MAX, 0); fields.len()];
    for (id, offset) in ids.iter().zip(offsets.iter()) {
        let range = ranges.get_mut(place(*id)).ok_or_else(|| invalid_layout("a type id has no child"))?;
        let offset = to_usize(*offset)?;
        *range = (range.0.min(offset), range.1.max(offset + 1));
    }
    let mut children = Vec::with_capacity(ranges.len());
    for (i, (low, high)) in ranges.iter().enumerate() {
        let low = (*low).min(*high);
        children.push(rows(child(data, i)?, low, high - low)?);
    }
    let type_ids = bytes(data.buffers().first(), start, count)?;
    if ranges.iter().all(|(low, high)| *low == 0 || high == &0) {
        return Ok((type_ids, bytes(data.buffers().get(1), start * 4, count * 4)?, children));
    }
    let rebased = |(id, offset): (&i8, &i32)| {
        let low = ranges.get(place(*id)).map_or(0, |r| r.0);
        from_usize::<i32>(to_usize(*offset)?.saturating_sub(low))
    };
    let all: Vec<i32> = ids.iter().zip(offsets.iter()).map(rebased).collect::<Result<_>>()?;
    Ok((type_ids, Buffer::from_vec(all), children))
}

/// Run ends and values of a run-end encoded array.
pub(super) fn runs<T: LayoutInt>(data: &ArrayData) -> Result<(ArrayData, ArrayData)> {
    let (start, count) = (data.offset(), data.len());
    let (ends, values) = (child(data, 0)?, child(data, 1)?);
    let all = items::<T>(ends.buffers().first(), ends.offset(), ends.len())?;
    let numbers: Vec<usize> = all.iter().map(|e| to_usize(*e)).collect::<Result<_>>()?;
    let first = numbers.partition_point(|&end| end <= start);
    let stop = if count == 0 { first } else { numbers.partition_point(|&end| end < start + count) + 1 };
    let numbers = numbers.get(first..stop).ok_or_else(|| invalid_layout("the runs end early"))?;
    let rebased = |end: &usize| from_usize::<T>((end - start).min(count));
    let new_ends: Vec<T> = numbers.iter().map(rebased).collect::<Result<_>>()?;
    let built = ArrayData::builder(ends.data_type().clone())
        .len(new_ends.len())
        .add_buffer(Buffer::from_vec(new_ends))
        .build();
    let new_ends = built.map_err(|e| invalid_layout(&e.to_string()))?;
    Ok((new_ends, rows(values, first, stop - first)?))
}

/// Views and data buffers of a view array: only referenced buffers, each truncated to its referenced range.
pub(super) fn views(data: &ArrayData) -> Result<Vec<Buffer>> {
    const INLINE: u32 = 12;
    let (start, count) = (data.offset(), data.len());
    let views = items::<u128>(data.buffers().first(), start, count)?;
    let pool = data.buffers().get(1..).unwrap_or(&[]);
    let word = |view: u128, at: usize| {
        let bytes = view.to_le_bytes();
        bytes.get(at..).and_then(<[u8]>::first_chunk::<4>).map_or(0, |b| u32::from_le_bytes(*b))
    };
    let is_null = |row: usize| data.nulls().is_some_and(|n| n.is_null(row));
    let mut ranges = vec![(usize::MAX, 0usize); pool.len()];
    let mut has_null_views = false;
    for (row, view) in views.iter().enumerate() {
        let length = word(*view, 0);
        if length <= INLINE {
            continue;
        }
        if is_null(row) {
            // The view of a null may point anywhere.
            has_null_views = true;
            continue;
        }
        let range =
            ranges.get_mut(word(*view, 8) as usize).ok_or_else(|| invalid_layout("a view has no buffer"))?;
        let offset = word(*view, 12) as usize;
        *range = (range.0.min(offset), range.1.max(offset + length as usize));
    }
    let mut out = vec![bytes(data.buffers().first(), start * 16, count * 16)?];
    // The new index of each used buffer, and the number of bytes that it drops at its start.
    let mut moves = Vec::with_capacity(pool.len());
    for (buffer, (low, high)) in pool.iter().zip(&ranges) {
        let used = high > low;
        moves.push((out.len() - 1, if used { *low } else { 0 }));
        if used {
            out.push(bytes(Some(buffer), *low, high - low)?);
        }
    }
    let moved = |(i, (place, low)): (usize, &(usize, usize))| *low > 0 || *place != i;
    if !has_null_views && !(0..).zip(&moves).any(moved) {
        return Ok(out);
    }
    let mut rebased = Vec::with_capacity(count);
    for (row, view) in views.iter().enumerate() {
        let mut bytes = view.to_le_bytes();
        if word(*view, 0) > INLINE {
            if is_null(row) {
                bytes = [0; 16];
            } else {
                let (place, low) = moves.get(word(*view, 8) as usize).copied().unwrap_or((0, 0));
                let place = u32::try_from(place).map_err(|_| invalid_layout("too many buffers"))?;
                let offset = u32::try_from(word(*view, 12) as usize - low)
                    .map_err(|_| invalid_layout("a view is too far"))?;
                let (_, tail) = bytes.split_at_mut(8);
                tail.iter_mut()
                    .zip(place.to_le_bytes().into_iter().chain(offset.to_le_bytes()))
                    .for_each(|(to, from)| *to = from);
            }
        }
        rebased.push(u128::from_le_bytes(bytes));
    }
    if let Some(first) = out.first_mut() {
        *first = Buffer::from_vec(rebased);
    }
    Ok(out)
}

/// Bytes of a value, for types with one buffer of fixed-width values.
pub(super) fn width(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::FixedSizeBinary(n) => usize::try_from(*n).ok(),
        DataType::Dictionary(codes, _) => codes.primitive_width(),
        other => other.primitive_width(),
    }
}
