//! Checks the structure of a producer's array: counts, children and offsets. No check reads all values.

use std::ffi::c_void;

use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::DataType;
use colonnade::frame::children;
use pyo3::prelude::*;

use crate::arrow_errors::{catch_assertions, invalid_data};

/// The interface's `ArrowArray` structure.
#[repr(C)]
#[allow(dead_code)]
pub(crate) struct CArray {
    counts: [i64; 3],
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut CArray,
    dictionary: *mut CArray,
}

/// Sets the buffer count of null-type arrays to 0. They have no buffers, but polars exports a validity, as older versions of
/// the interface required, and the import would refuse it.
///
/// # Safety
/// `array` must be of `data_type` and have passed `check_counts`. No other reference to it or its children may exist.
pub(crate) unsafe fn clear_null_type_buffers(array: *mut CArray, data_type: &DataType) {
    if *data_type == DataType::Null {
        // SAFETY: the caller guarantees it. Producers free buffers by their private data, not by this count.
        unsafe { (*array).n_buffers = 0 };
    }
    for (i, child) in
        children(data_type).into_iter().enumerate().filter(|(_, f)| contains_null_type(f.data_type()))
    {
        // SAFETY: as above, and `check_counts` has compared the number of children with the type and read their addresses. They
        // need not be aligned.
        unsafe { clear_null_type_buffers((*array).children.add(i).read_unaligned(), child.data_type()) };
    }
    if let DataType::Dictionary(_, values) = data_type
        && contains_null_type(values)
    {
        // SAFETY: as above, and `check_counts` has found a dictionary.
        unsafe { clear_null_type_buffers((*array).dictionary, values) };
    }
}

/// Whether a type is the null type or contains it.
pub(crate) fn contains_null_type(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null => true,
        DataType::Dictionary(_, values) => contains_null_type(values),
        other => children(other).into_iter().any(|f| contains_null_type(f.data_type())),
    }
}

/// Refuses arrays whose lengths, buffers or children are not those of their type.
pub(crate) fn check_counts(array: &FFI_ArrowArray, data_type: &DataType) -> PyResult<()> {
    let name = || colonnade::frame::type_name(data_type, false);
    // Both are signed in the interface, so a negative one exceeds `isize::MAX` here.
    let end = array.len().checked_add(array.offset()).filter(|&end| isize::try_from(end).is_ok());
    if end.is_none() {
        return Err(invalid_data(&format!("an array of {} has an invalid length", name())));
    }
    let expected = children(data_type);
    if array.num_children() != expected.len() {
        let found = array.num_children();
        return Err(invalid_data(&format!(
            "an array of {} has {found} children, not {}",
            name(),
            expected.len()
        )));
    }
    let layout = arrow_data::layout(data_type);
    let buffers =
        layout.buffers.len() + usize::from(layout.can_contain_null_mask) + usize::from(layout.variadic);
    if array.num_buffers() < buffers {
        let found = array.num_buffers();
        return Err(invalid_data(&format!("an array of {} has {found} buffers, not {buffers}", name())));
    }
    if let DataType::Dictionary(_, values) = data_type {
        match array.dictionary() {
            Some(dictionary) => check_counts(dictionary, values)?,
            None => return Err(invalid_data(&format!("an array of {} has no dictionary", name()))),
        }
    }
    for (i, child) in expected.into_iter().enumerate() {
        let found = catch_assertions(|| Ok(array.child(i)))?;
        check_counts(found, child.data_type())?;
    }
    Ok(())
}

/// Refuses offsets that are negative, decrease or exceed the values, and children that are too short.
pub(crate) fn check_offsets(data: &ArrayData) -> PyResult<()> {
    let refuse = |what: &str| {
        Err(invalid_data(&format!(
            "an array of {}: {what}",
            colonnade::frame::type_name(data.data_type(), false)
        )))
    };
    let end = data.offset() + data.len();
    let child_len = data.child_data().first().map_or(0, ArrayData::len);
    let values_len = match data.data_type() {
        DataType::Utf8 | DataType::Binary | DataType::LargeUtf8 | DataType::LargeBinary => {
            Some(data.buffers().get(1).map_or(0, |b| b.len()))
        }
        DataType::List(_) | DataType::Map(..) | DataType::LargeList(_) => Some(child_len),
        _ => None,
    };
    if let Some(values_len) = values_len.filter(|_| !data.is_empty()) {
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
            (Some(first), Some(last)) if first <= last && last <= values_len => {}
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
    data.child_data().iter().try_for_each(check_offsets)
}
