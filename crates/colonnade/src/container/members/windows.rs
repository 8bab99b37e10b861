//! Rows of an array whose values stand in children: which part of each child they use, with positions that count from
//! there. The same arithmetic cuts slices when writing and checks what a file claims when reading.

use arrow_array::ArrowNativeTypeOp;
use arrow_buffer::{ArrowNativeType, Buffer};

/// A range of a child: `start` and `count`.
pub(super) type Window = (usize, usize);

/// What is wrong, in which buffer of the array, at which of its bytes.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) buffer: &'static str,
    pub(super) byte: usize,
    pub(super) message: String,
}

pub(super) type Checked<T> = std::result::Result<T, Fault>;

/// Signed integers that Arrow counts positions with.
pub(super) trait Position: ArrowNativeTypeOp + TryInto<usize> + TryFrom<usize> + Ord {}
impl Position for i16 {}
impl Position for i32 {}
impl Position for i64 {}

fn fault<T>(buffer: &'static str, index: usize, message: String) -> Fault {
    Fault { buffer, byte: index.saturating_mul(size_of::<T>()), message }
}

fn position<T: Position>(buffer: &'static str, index: usize, value: T) -> Checked<usize> {
    value.try_into().map_err(|_| {
        fault::<T>(buffer, index, format!("expected no negative number, found {value:?} at element {index}."))
    })
}

/// A number that came from a `T` and only became smaller.
fn narrow<T: Position>(value: usize) -> T {
    T::try_from(value).unwrap_or_default()
}

/// Elements `start..start + count` of a buffer, aligned for `T`.
pub(super) fn part<T: ArrowNativeType>(
    buffer: &Buffer,
    name: &'static str,
    start: usize,
    count: usize,
) -> Checked<Buffer> {
    let width = size_of::<T>();
    let end = start.checked_add(count).and_then(|end| end.checked_mul(width));
    if end.is_none_or(|end| end > buffer.len()) {
        let expected = start.saturating_add(count);
        let message = format!("expected at least {expected} elements, found {}.", buffer.len() / width);
        return Err(Fault { buffer: name, byte: buffer.len(), message });
    }
    let part = buffer.slice_with_length(start * width, count * width);
    let aligned = part.as_ptr().align_offset(align_of::<T>()) == 0;
    Ok(if aligned { part } else { Buffer::from_slice_ref(part.as_slice()) })
}

/// Offsets of rows that start at 0, and the range they cover of `limit` elements. `every`: checks each, not the ends alone.
pub(super) fn offsets<T: Position>(
    buffer: &Buffer,
    (start, count): Window,
    limit: usize,
    every: bool,
) -> Checked<(Buffer, Window)> {
    const NAME: &str = "offsets";
    if count == 0 && buffer.is_empty() {
        // An empty array may come without offsets.
        return Ok((Buffer::from_slice_ref([T::default()]), (0, 0)));
    }
    let own = part::<T>(buffer, NAME, start, count.saturating_add(1))?;
    let all = own.typed_data::<T>();
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
        return Ok((own, (0, high)));
    }
    let moved: Vec<T> = all.iter().map(|&o| o.sub_wrapping(first)).collect();
    Ok((moved.into(), (low, high - low)))
}

/// Offsets and sizes of a list view's rows, and the part of the child between the lowest and the highest they name.
pub(super) fn views<T: Position>(
    offsets: &Buffer,
    sizes: &Buffer,
    (start, count): Window,
    limit: usize,
) -> Checked<(Buffer, Buffer, Window)> {
    let own_offsets = part::<T>(offsets, "offsets", start, count)?;
    let own_sizes = part::<T>(sizes, "sizes", start, count)?;
    let (all, lengths) = (own_offsets.typed_data::<T>(), own_sizes.typed_data::<T>());
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
        return Ok((own_offsets, own_sizes, (0, high)));
    }
    // A view of nothing may point anywhere: it points at the start.
    let moved = all.iter().zip(lengths).map(|(&offset, &size)| {
        if size == T::default() { T::default() } else { offset.sub_wrapping(narrow::<T>(low)) }
    });
    Ok((moved.collect::<Vec<T>>().into(), own_sizes, (low, high - low)))
}

/// The child that each type id names.
fn slots(ids: &[i8]) -> [Option<u8>; 128] {
    let mut out = [None; 128];
    for (child, id) in ids.iter().enumerate() {
        if let Some(slot) = usize::try_from(*id).ok().and_then(|id| out.get_mut(id)) {
            *slot = u8::try_from(child).ok();
        }
    }
    out
}

fn child_of(slots: &[Option<u8>; 128], index: usize, id: i8) -> Checked<usize> {
    let child = usize::try_from(id).ok().and_then(|id| slots.get(id).copied().flatten());
    child.map(usize::from).ok_or_else(|| {
        let message = format!("expected a type id of the union, found {id} at element {index}.");
        fault::<i8>("type_ids", index, message)
    })
}

/// Type ids of a sparse union's rows.
pub(super) fn type_ids(buffer: &Buffer, (start, count): Window, ids: &[i8]) -> Checked<Buffer> {
    let own = part::<i8>(buffer, "type_ids", start, count)?;
    let slots = slots(ids);
    for (i, &id) in own.typed_data::<i8>().iter().enumerate() {
        child_of(&slots, start + i, id)?;
    }
    Ok(own)
}

/// The part of each child that a dense union's rows name, whatever the children's lengths are.
pub(super) fn bounds(type_ids: &Buffer, offsets: &Buffer, rows: Window, ids: &[i8]) -> Checked<Vec<Window>> {
    let (start, count) = rows;
    let (own_ids, own_offsets) =
        (part::<i8>(type_ids, "type_ids", start, count)?, part::<i32>(offsets, "offsets", start, count)?);
    let slots = slots(ids);
    let mut bounds = vec![(usize::MAX, 0usize); ids.len()];
    let rows = own_ids.typed_data::<i8>().iter().zip(own_offsets.typed_data::<i32>());
    for (i, (&id, &offset)) in rows.enumerate() {
        let child = child_of(&slots, start + i, id)?;
        let at = position("offsets", start + i, offset)?;
        if let Some((low, high)) = bounds.get_mut(child) {
            (*low, *high) = ((*low).min(at), (*high).max(at + 1));
        }
    }
    Ok(bounds.iter().map(|&(low, high)| (low.min(high), high - low.min(high))).collect())
}

/// Type ids and offsets of a dense union's rows, offsets counted from the start of each child's part (`bounds`), which
/// must lie within the child's length (`limits`).
pub(super) fn dense(
    type_ids: &Buffer,
    offsets: &Buffer,
    (start, count): Window,
    ids: &[i8],
    (bounds, limits): (&[Window], &[usize]),
) -> Checked<(Buffer, Buffer)> {
    let own_ids = part::<i8>(type_ids, "type_ids", start, count)?;
    let own_offsets = part::<i32>(offsets, "offsets", start, count)?;
    let slots = slots(ids);
    let mut moved = Vec::with_capacity(count);
    for (i, (&id, &offset)) in
        own_ids.typed_data::<i8>().iter().zip(own_offsets.typed_data::<i32>()).enumerate()
    {
        let child = child_of(&slots, start + i, id)?;
        let at = position("offsets", start + i, offset)?;
        let limit = limits.get(child).copied().unwrap_or(0);
        if at >= limit {
            let row = start + i;
            let message = format!(
                "expected an offset below {limit}, the length of child {child}, found {at} at element {row}."
            );
            return Err(fault::<i32>("offsets", row, message));
        }
        moved.push(narrow::<i32>(at.saturating_sub(bounds.get(child).map_or(0, |b| b.0))));
    }
    let still = bounds.iter().all(|b| b.0 == 0);
    Ok((own_ids, if still { own_offsets } else { moved.into() }))
}

/// Run ends of rows, counted from the first of them, and which runs they are.
pub(super) fn runs<T: Position>(ends: &Buffer, (start, count): Window) -> Checked<(Buffer, Window)> {
    const NAME: &str = "0_values";
    let own = part::<T>(ends, NAME, 0, ends.len() / size_of::<T>())?;
    let all = own.typed_data::<T>();
    if count == 0 {
        return Ok((Buffer::default(), (0, 0)));
    }
    // Ends out of order may lead the search astray, never out of bounds; what it finds is checked.
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
        return Ok((own.slice_with_length(0, (last + 1) * size_of::<T>()), (0, last + 1)));
    }
    let moved = used.iter().map(|&end| {
        let end: usize = end.try_into().unwrap_or(stop);
        narrow::<T>(end.min(stop).saturating_sub(start))
    });
    Ok((moved.collect::<Vec<T>>().into(), (first, last + 1 - first)))
}
