//! Removes the nulls of required children under parents that have nulls.
//!
//! Decoders propagate nulls to all descendants, required ones included. Arrow's kernels compare a child only with its direct
//! parent, so they refuse a null in a required child that comes from a parent further up.

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType};

use crate::frame::children;

/// The array, without the nulls of required children under nulls of their ancestors. Other nulls of required children stay,
/// and the kernel refuses them.
pub(super) fn unmask_required(data: &ArrayData) -> Result<ArrayRef, ArrowError> {
    let array = make_array(data.clone());
    if !has_required_nulls(data) {
        return Ok(array);
    }
    let data = array.to_data();
    let nulls = data.nulls().cloned();
    Ok(make_array(unmask(data, nulls.as_ref())?))
}

/// Whether a required child has nulls.
fn has_required_nulls(data: &ArrayData) -> bool {
    children(data.data_type())
        .into_iter()
        .zip(data.child_data())
        .any(|(field, child)| (!field.is_nullable() && child.null_count() > 0) || has_required_nulls(child))
}

/// `inherited` has the nulls of `data` and of all its ancestors.
fn unmask(data: ArrayData, inherited: Option<&NullBuffer>) -> Result<ArrayData, ArrowError> {
    let mut unmasked = Vec::with_capacity(data.child_data().len());
    for (field, child) in children(data.data_type()).into_iter().zip(data.child_data()) {
        let inherited = child_nulls(&data, inherited, child.len());
        let nulls = child.nulls().cloned();
        let is_redundant = !field.is_nullable()
            && inherited
                .as_ref()
                .zip(nulls.as_ref())
                .is_some_and(|(inherited, nulls)| inherited.contains(nulls));
        let child = unmask(child.clone(), NullBuffer::union(inherited.as_ref(), nulls.as_ref()).as_ref())?;
        unmasked.push(if is_redundant { child.into_builder().nulls(None).build()? } else { child });
    }
    if unmasked.is_empty() { Ok(data) } else { data.into_builder().child_data(unmasked).build() }
}

/// The nulls of `data` as nulls of a child with `n` values.
fn child_nulls(data: &ArrayData, nulls: Option<&NullBuffer>, n: usize) -> Option<NullBuffer> {
    let is_valid = |i: usize| nulls.is_none_or(|nulls| nulls.is_valid(i));
    match data.data_type() {
        // After `make_array`, children are as long as their struct.
        DataType::Struct(_) => nulls.cloned().filter(|nulls| nulls.len() == n),
        DataType::FixedSizeList(_, size) => {
            let size = usize::try_from(*size).ok()?;
            nulls.map(|nulls| nulls.expand(size)).filter(|nulls| nulls.len() == n)
        }
        DataType::List(_) | DataType::Map(..) => {
            list_nulls(data.buffers().first()?.typed_data::<i32>(), data, is_valid, n)
        }
        DataType::LargeList(_) => list_nulls(data.buffers().first()?.typed_data::<i64>(), data, is_valid, n),
        _ => None,
    }
}

/// The nulls of a list's values: those outside of valid lists.
fn list_nulls<O: Copy + TryInto<usize>>(
    offsets: &[O],
    data: &ArrayData,
    is_valid: impl Fn(usize) -> bool,
    n: usize,
) -> Option<NullBuffer> {
    let mut bits = BooleanBufferBuilder::new(n);
    for (i, ends) in offsets.get(data.offset()..)?.windows(2).take(data.len()).enumerate() {
        let (from, to) = (ends.first().copied()?.try_into().ok()?, ends.last().copied()?.try_into().ok()?);
        bits.append_n(from.checked_sub(bits.len())?, false);
        bits.append_n(to.checked_sub(from)?, is_valid(i));
    }
    bits.append_n(n.checked_sub(bits.len())?, false);
    Some(NullBuffer::new(bits.finish()))
}
