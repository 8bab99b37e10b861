//! Row ranges of nested arrays: the part of each child that a range of rows refers to, and offsets rebased to that part.
//! Writers cut slices with this arithmetic, and readers check the offsets of a file.

use arrow_array::ArrowNativeTypeOp;
use arrow_buffer::{ArrowNativeType, Buffer};

/// A range of a child: `start` and `count`.
pub(super) type Window = (usize, usize);

/// An invalid value: its buffer, the byte in it, and a message.
#[derive(Debug)]
pub(super) struct WindowError {
    pub(super) buffer: &'static str,
    pub(super) byte: usize,
    pub(super) message: String,
}

pub(super) type WindowResult<T> = std::result::Result<T, WindowError>;

/// Signed integers that Arrow uses as offsets, sizes and run ends.
pub(super) trait OffsetInteger: ArrowNativeTypeOp + TryInto<usize> + TryFrom<usize> + Ord {}
impl OffsetInteger for i16 {}
impl OffsetInteger for i32 {}
impl OffsetInteger for i64 {}

fn fault<T>(buffer: &'static str, index: usize, message: String) -> WindowError {
    WindowError { buffer, byte: index.saturating_mul(size_of::<T>()), message }
}

fn position<T: OffsetInteger>(buffer: &'static str, index: usize, value: T) -> WindowResult<usize> {
    value.try_into().map_err(|_| {
        fault::<T>(buffer, index, format!("expected no negative number, found {value:?} at element {index}."))
    })
}

/// Converts back a number that came from a `T` and only became smaller.
fn to_position<T: OffsetInteger>(value: usize) -> T {
    T::try_from(value).unwrap_or_default()
}

/// Elements `start..start + count` of a buffer, aligned for `T`.
pub(super) fn aligned_slice<T: ArrowNativeType>(
    buffer: &Buffer,
    name: &'static str,
    start: usize,
    count: usize,
) -> WindowResult<Buffer> {
    let width = size_of::<T>();
    let end = start.checked_add(count).and_then(|end| end.checked_mul(width));
    if end.is_none_or(|end| end > buffer.len()) {
        let expected = start.saturating_add(count);
        let message = format!("expected at least {expected} elements, found {}.", buffer.len() / width);
        return Err(WindowError { buffer: name, byte: buffer.len(), message });
    }
    let part = buffer.slice_with_length(start * width, count * width);
    let aligned = part.as_ptr().align_offset(align_of::<T>()) == 0;
    Ok(if aligned { part } else { Buffer::from_slice_ref(part.as_slice()) })
}

/// Offsets of rows, rebased to 0, and the range of the `limit` elements that they cover. `every`: checks each offset, not only
/// the first and the last.
pub(super) fn offsets<T: OffsetInteger>(
    buffer: &Buffer,
    (start, count): Window,
    limit: usize,
    every: bool,
) -> WindowResult<(Buffer, Window)> {
    const NAME: &str = "offsets";
    if count == 0 && buffer.is_empty() {
        // An empty array may come without offsets.
        return Ok((Buffer::from_slice_ref([T::default()]), (0, 0)));
    }
    let row_buffer = aligned_slice::<T>(buffer, NAME, start, count.saturating_add(1))?;
    let all = row_buffer.typed_data::<T>();
    let (Some(&first), Some(&last)) = (all.first(), all.last()) else {
        return Ok((Buffer::from_slice_ref([T::default()]), (0, 0)));
    };
    let (low, high) = (position(NAME, start, first)?, position(NAME, start + count, last)?);
    if every && let Some(i) = all.windows(2).position(|pair| pair.first() > pair.last()) {
        let message = format!("expected offsets in order, found a smaller one at element {}.", start + i + 1);
        return Err(fault::<T>(NAME, start + i + 1, message));
    }
    if low > high || high > limit {
        let message = format!("expected offsets within 0..{limit}, found {low}..{high}.");
        return Err(fault::<T>(NAME, start + count, message));
    }
    if low == 0 {
        return Ok((row_buffer, (0, high)));
    }
    let rebased: Vec<T> = all.iter().map(|&o| o.sub_wrapping(first)).collect();
    Ok((rebased.into(), (low, high - low)))
}

/// Offsets and sizes of a list view's rows, and the part of the child that they cover.
pub(super) fn list_views<T: OffsetInteger>(
    offsets: &Buffer,
    sizes: &Buffer,
    (start, count): Window,
    limit: usize,
) -> WindowResult<(Buffer, Buffer, Window)> {
    let row_offsets = aligned_slice::<T>(offsets, "offsets", start, count)?;
    let row_sizes = aligned_slice::<T>(sizes, "sizes", start, count)?;
    let (all, lengths) = (row_offsets.typed_data::<T>(), row_sizes.typed_data::<T>());
    let (mut low, mut high, mut furthest) = (usize::MAX, 0, 0);
    for (i, (&offset, &size)) in all.iter().zip(lengths).enumerate() {
        let from = position("offsets", start + i, offset)?;
        let size = position("sizes", start + i, size)?;
        let end = from.saturating_add(size);
        if end > limit {
            let message =
                format!("expected a view within {limit} values, found {from}..{end} at element {i}.");
            return Err(fault::<T>("offsets", start + i, message));
        }
        furthest = furthest.max(from);
        if size > 0 {
            (low, high) = (low.min(from), high.max(end));
        }
    }
    let low = low.min(high);
    if low == 0 && furthest <= high {
        return Ok((row_offsets, row_sizes, (0, high)));
    }
    // An empty view may point anywhere, so it gets offset 0.
    let rebased = all.iter().zip(lengths).map(|(&offset, &size)| {
        if size == T::default() { T::default() } else { offset.sub_wrapping(to_position::<T>(low)) }
    });
    Ok((rebased.collect::<Vec<T>>().into(), row_sizes, (low, high - low)))
}

/// The child of each type id.
fn children_by_id(ids: &[i8]) -> [Option<u8>; 128] {
    let mut out = [None; 128];
    for (child, id) in ids.iter().enumerate() {
        if let Some(slot) = usize::try_from(*id).ok().and_then(|id| out.get_mut(id)) {
            *slot = u8::try_from(child).ok();
        }
    }
    out
}

fn child_of(children: &[Option<u8>; 128], index: usize, id: i8) -> WindowResult<usize> {
    let child = usize::try_from(id).ok().and_then(|id| children.get(id).copied().flatten());
    child.map(usize::from).ok_or_else(|| {
        let message = format!("expected a type id of the union, found {id} at element {index}.");
        fault::<i8>("type_ids", index, message)
    })
}

/// Type ids of a sparse union's rows.
pub(super) fn type_ids(buffer: &Buffer, (start, count): Window, ids: &[i8]) -> WindowResult<Buffer> {
    let row_buffer = aligned_slice::<i8>(buffer, "type_ids", start, count)?;
    let children = children_by_id(ids);
    for (i, &id) in row_buffer.typed_data::<i8>().iter().enumerate() {
        child_of(&children, start + i, id)?;
    }
    Ok(row_buffer)
}

/// The part of each child that a dense union's rows refer to; may pass the child's length.
pub(super) fn dense_union_bounds(
    type_ids: &Buffer,
    offsets: &Buffer,
    rows: Window,
    ids: &[i8],
) -> WindowResult<Vec<Window>> {
    let (start, count) = rows;
    let (row_ids, row_offsets) = (
        aligned_slice::<i8>(type_ids, "type_ids", start, count)?,
        aligned_slice::<i32>(offsets, "offsets", start, count)?,
    );
    let children = children_by_id(ids);
    let mut bounds = vec![(usize::MAX, 0usize); ids.len()];
    let rows = row_ids.typed_data::<i8>().iter().zip(row_offsets.typed_data::<i32>());
    for (i, (&id, &offset)) in rows.enumerate() {
        let child = child_of(&children, start + i, id)?;
        let at = position("offsets", start + i, offset)?;
        if let Some((low, high)) = bounds.get_mut(child) {
            (*low, *high) = ((*low).min(at), (*high).max(at + 1));
        }
    }
    Ok(bounds.iter().map(|&(low, high)| (low.min(high), high - low.min(high))).collect())
}

/// Type ids and offsets of a dense union's rows. Offsets are rebased to each child's part (`bounds`) and checked against the
/// children's lengths (`limits`).
pub(super) fn dense_union(
    type_ids: &Buffer,
    offsets: &Buffer,
    (start, count): Window,
    ids: &[i8],
    (bounds, limits): (&[Window], &[usize]),
) -> WindowResult<(Buffer, Buffer)> {
    let row_ids = aligned_slice::<i8>(type_ids, "type_ids", start, count)?;
    let row_offsets = aligned_slice::<i32>(offsets, "offsets", start, count)?;
    let children = children_by_id(ids);
    let mut rebased = Vec::with_capacity(count);
    for (i, (&id, &offset)) in
        row_ids.typed_data::<i8>().iter().zip(row_offsets.typed_data::<i32>()).enumerate()
    {
        let child = child_of(&children, start + i, id)?;
        let at = position("offsets", start + i, offset)?;
        let limit = limits.get(child).copied().unwrap_or(0);
        if at >= limit {
            let row = start + i;
            let message = format!(
                "expected an offset below {limit}, the length of child {child}, found {at} at element {row}."
            );
            return Err(fault::<i32>("offsets", row, message));
        }
        rebased.push(to_position::<i32>(at.saturating_sub(bounds.get(child).map_or(0, |b| b.0))));
    }
    let unchanged = bounds.iter().all(|b| b.0 == 0);
    Ok((row_ids, if unchanged { row_offsets } else { rebased.into() }))
}

/// Run ends of rows, rebased to the first row, and the range of their runs.
pub(super) fn run_ends<T: OffsetInteger>(
    ends: &Buffer,
    (start, count): Window,
) -> WindowResult<(Buffer, Window)> {
    const NAME: &str = "0_values";
    let row_buffer = aligned_slice::<T>(ends, NAME, 0, ends.len() / size_of::<T>())?;
    let all = row_buffer.typed_data::<T>();
    if count == 0 {
        return Ok((Buffer::default(), (0, 0)));
    }
    // Unordered ends may mislead the search, but never out of bounds. The runs found are checked below.
    let past = |end: &T, row: usize| (*end).try_into().is_ok_and(|end: usize| end > row);
    let first = all.partition_point(|end| !past(end, start));
    let stop = start.saturating_add(count);
    let last = first + all.get(first..).unwrap_or(&[]).partition_point(|end| !past(end, stop - 1));
    let Some(used) = all.get(first..=last) else {
        let message = format!("expected runs over {stop} rows, found fewer.");
        return Err(fault::<T>(NAME, all.len(), message));
    };
    let from = first.saturating_sub(1);
    let mut before = 0;
    for (i, &end) in all.get(from..=last).unwrap_or(&[]).iter().enumerate() {
        let end = position(NAME, from + i, end)?;
        if end <= before {
            let message =
                format!("expected run ends above 0 in rising order, found {end} at element {}.", from + i);
            return Err(fault::<T>(NAME, from + i, message));
        }
        before = end;
    }
    let covers = |i: usize, row: usize| all.get(i).is_some_and(|end| past(end, row));
    if !covers(first, start) || !covers(last, stop - 1) {
        return Err(fault::<T>(NAME, last, format!("expected runs over {stop} rows, found fewer.")));
    }
    if start == 0 && before == stop {
        return Ok((row_buffer.slice_with_length(0, (last + 1) * size_of::<T>()), (0, last + 1)));
    }
    let rebased = used.iter().map(|&end| {
        let end: usize = end.try_into().unwrap_or(stop);
        to_position::<T>(end.min(stop).saturating_sub(start))
    });
    Ok((rebased.collect::<Vec<T>>().into(), (first, last + 1 - first)))
}
