//! Children that have no nulls of their own, under parents that have some.
//!
//! Decoders tell what lies under a null as nulls all the way down, in required children too. Arrow's kernels look at a
//! child and its own parent alone, and refuse it where the null is that of a parent further up.

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};

use crate::frame::children;

/// The array, without the nulls of required children that lie under nulls further up. Those that nothing lies above are
/// left, to be refused.
pub(super) fn array(data: &ArrayData) -> Result<ArrayRef, ArrowError> {
    let array = make_array(data.clone());
    if !tells(data) {
        return Ok(array);
    }
    let data = array.to_data();
    let above = data.nulls().cloned();
    Ok(make_array(bared(data, above.as_ref())?))
}

/// Whether some required child has nulls.
fn tells(data: &ArrayData) -> bool {
    children(data.data_type())
        .into_iter()
        .zip(data.child_data())
        .any(|(field, child)| (!field.is_nullable() && child.null_count() > 0) || tells(child))
}

/// `above` has the nulls of `data` and of all its parents.
fn bared(data: ArrayData, above: Option<&NullBuffer>) -> Result<ArrayData, ArrowError> {
    let mut below = Vec::with_capacity(data.child_data().len());
    for (field, child) in children(data.data_type()).into_iter().zip(data.child_data()) {
        let over = over(&data, above, child.len());
        let own = child.nulls().cloned();
        let is_told = !field.is_nullable()
            && over.as_ref().zip(own.as_ref()).is_some_and(|(over, own)| over.contains(own));
        let child = bared(child.clone(), NullBuffer::union(over.as_ref(), own.as_ref()).as_ref())?;
        below.push(if is_told { child.into_builder().nulls(None).build()? } else { child });
    }
    if below.is_empty() { Ok(data) } else { data.into_builder().child_data(below).build() }
}

/// What lies under nulls of `data`, as nulls of a child with `n` values.
fn over(data: &ArrayData, above: Option<&NullBuffer>, n: usize) -> Option<NullBuffer> {
    let is_seen = |i: usize| above.is_none_or(|above| above.is_valid(i));
    match data.data_type() {
        // As `make_array` gives them, children are as long as their struct.
        DataType::Struct(_) => above.cloned().filter(|above| above.len() == n),
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).ok()?;
            above.map(|above| above.expand(size)).filter(|above| above.len() == n)
        }
        DataType::List(_) | DataType::Map(..) => {
            seen(data.buffers().first()?.typed_data::<i32>(), data, is_seen, n)
        }
        DataType::LargeList(_) => seen(data.buffers().first()?.typed_data::<i64>(), data, is_seen, n),
        _ => None,
    }
}

/// Values that a list which is there has.
fn seen<O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &ArrayData,
    is_seen: impl Fn(usize) -> bool,
    n: usize,
) -> Option<NullBuffer> {
    let mut bits = BooleanBufferBuilder::new(n);
    for (i, ends) in offsets.get(data.offset()..)?.windows(2).take(data.len()).enumerate() {
        let (from, to) = (ends.first().copied()?.try_into().ok()?, ends.last().copied()?.try_into().ok()?);
        bits.append_n(from.checked_sub(bits.len())?, false);
        bits.append_n(to.checked_sub(from)?, is_seen(i));
    }
    bits.append_n(n.checked_sub(bits.len())?, false);
    Some(NullBuffer::new(bits.finish()))
}
