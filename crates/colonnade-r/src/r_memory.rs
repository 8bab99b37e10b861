//! The memory of R's vectors, which the C code of the package passes as pointers.

use arrow_buffer::Buffer as ArrowBuffer;
use colonnade::Error;

/// The error for a call that the package's C code must not make.
pub(crate) fn defect(what: &str) -> Error {
    Error::internal(what, None)
}

/// The values of an R vector, without a copy.
///
/// # Safety
/// `values` is valid for reads of `count` values, or `count` is 0; R does not change or free them while the result is in use.
pub(crate) unsafe fn borrowed<T>(values: *const T, count: usize) -> ArrowBuffer {
    let Some(address) = std::ptr::NonNull::new(values.cast_mut().cast::<u8>()).filter(|_| count > 0) else {
        // R's address of an empty vector is not aligned.
        return ArrowBuffer::from_vec(Vec::<u64>::new());
    };
    // SAFETY: the caller guarantees that the memory is valid. R owns it, so the owner that Arrow drops is empty.
    unsafe { ArrowBuffer::from_custom_allocation(address, count * size_of::<T>(), std::sync::Arc::new(())) }
}

/// The values of an R vector as a slice.
///
/// # Safety
/// As [`borrowed`].
pub(crate) unsafe fn values_of<'v, T>(values: *const T, count: usize) -> &'v [T] {
    // SAFETY: the caller guarantees it.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(values, count) } }
}
