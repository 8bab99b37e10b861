//! What is looked at before a producer's array is believed, and after: counts, children, offsets. Nothing costs a pass over
//! the values.

use std::ffi::c_void;

use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::DataType;
use colonnade::frame::children;
use pyo3::prelude::*;

use crate::arrow_foreign::{guarded, wrong};

/// The interface's array, as C lays it out.
#[repr(C)]
#[allow(dead_code)]
pub(crate) struct Layout {
    counts: [i64; 3],
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Layout,
    dictionary: *mut Layout,
}

/// Columns of nulls have no buffers; polars hands them over with one, as older texts of the interface had it (a validity
/// of null columns), and the import would refuse that: their counts become 0.
///
/// # Safety
/// `array` is an array of `data_type` whose counts are checked, with no reference to it or its children alive.
pub(crate) unsafe fn drop_buffers_of_nulls(array: *mut Layout, data_type: &DataType) {
    if *data_type == DataType::Null {
        // SAFETY: the caller's promise. Producers free by their private data; a count that is 0 frees nothing twice.
        unsafe { (*array).n_buffers = 0 };
    }
    for (i, child) in
        children(data_type).into_iter().enumerate().filter(|(_, f)| has_nulls_alone(f.data_type()))
    {
        // SAFETY: as above; `check_counts` has seen as many children as the type has.
        unsafe { drop_buffers_of_nulls((*array).children.add(i).read(), child.data_type()) };
    }
    if let DataType::Dictionary(_, values) = data_type
        && has_nulls_alone(values)
    {
        // SAFETY: as above; `check_counts` has seen a dictionary.
        unsafe { drop_buffers_of_nulls((*array).dictionary, values) };
    }
}

/// Whether a type is, or has within, a column of nulls.
pub(crate) fn has_nulls_alone(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null => true,
        DataType::Dictionary(_, values) => has_nulls_alone(values),
        other => children(other).into_iter().any(|f| has_nulls_alone(f.data_type())),
    }
}

/// Refuses arrays whose lengths, buffers or children are not those of their type.
pub(crate) fn check_counts(array: &FFI_ArrowArray, data_type: &DataType) -> PyResult<()> {
    let name = || colonnade::frame::type_name(data_type, false);
    // Both are signed words: a negative one is past `isize::MAX` here.
    let end = array.len().checked_add(array.offset()).filter(|&end| isize::try_from(end).is_ok());
    if end.is_none() {
        return Err(wrong(&format!("an array of {} has a length that is none", name())));
    }
    let expected = children(data_type);
    if array.num_children() != expected.len() {
        let found = array.num_children();
        return Err(wrong(&format!("an array of {} has {found} children, not {}", name(), expected.len())));
    }
    let layout = arrow_data::layout(data_type);
    let buffers =
        layout.buffers.len() + usize::from(layout.can_contain_null_mask) + usize::from(layout.variadic);
    if array.num_buffers() < buffers {
        let found = array.num_buffers();
        return Err(wrong(&format!("an array of {} has {found} buffers, not {buffers}", name())));
    }
    if let DataType::Dictionary(_, values) = data_type {
        match array.dictionary() {
            Some(dictionary) => check_counts(dictionary, values)?,
            None => return Err(wrong(&format!("an array of {} has no dictionary", name()))),
        }
    }
    for (i, child) in expected.into_iter().enumerate() {
        let found = guarded(|| Ok(array.child(i)))?;
        check_counts(found, child.data_type())?;
    }
    Ok(())
}

/// Refuses offsets that start below 0, end before they start or pass what they count, and children that are too short.
pub(crate) fn check_ends(data: &ArrayData) -> PyResult<()> {
    let refuse = |what: &str| {
        Err(wrong(&format!("an array of {}: {what}", colonnade::frame::type_name(data.data_type(), false))))
    };
    let end = data.offset() + data.len();
    let child_len = data.child_data().first().map_or(0, ArrayData::len);
    let room = match data.data_type() {
        DataType::Utf8 | DataType::Binary | DataType::LargeUtf8 | DataType::LargeBinary => {
            Some(data.buffers().get(1).map_or(0, |b| b.len()))
        }
        DataType::List(_) | DataType::Map(..) | DataType::LargeList(_) => Some(child_len),
        _ => None,
    };
    if let Some(room) = room.filter(|_| !data.is_empty()) {
        let large =
            matches!(data.data_type(), DataType::LargeUtf8 | DataType::LargeBinary | DataType::LargeList(_));
        let offset = |i: usize| {
            let bytes = data.buffers().first().map_or(&[][..], |b| b.as_slice());
            if large {
                let (words, _) = bytes.as_chunks::<8>();
                words.get(i).and_then(|w| usize::try_from(i64::from_le_bytes(*w)).ok())
            } else {
                let (words, _) = bytes.as_chunks::<4>();
                words.get(i).and_then(|w| usize::try_from(i32::from_le_bytes(*w)).ok())
            }
        };
        match (offset(data.offset()), offset(end)) {
            (Some(first), Some(last)) if first <= last && last <= room => {}
            _ => return refuse("its offsets are negative, run backwards or pass its values"),
        }
    }
    let needed = match data.data_type() {
        DataType::FixedSizeList(_, n) => usize::try_from(*n).ok().and_then(|n| end.checked_mul(n)),
        DataType::Struct(_) => Some(end),
        _ => Some(0),
    };
    let short = |child: &ArrayData| needed.is_none_or(|needed| child.len() < needed);
    if data.child_data().iter().any(short) && !matches!(data.data_type(), DataType::Dictionary(..)) {
        return refuse("a child is shorter than it");
    }
    data.child_data().iter().try_for_each(check_ends)
}
