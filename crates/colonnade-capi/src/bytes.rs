//! Bytes in memory: inputs that are borrowed or copied, and outputs that the caller frees.

use colonnade::memory::Buffer;

use crate::text::null;

/// Bytes that the library returned. Free them with `cn_buffer_free`.
#[repr(C)]
#[derive(Debug)]
pub struct CnBuffer {
    /// The bytes.
    pub data: *mut u8,
    /// Their number.
    pub nbytes: usize,
    /// The size of the allocation, which `cn_buffer_free` needs.
    pub capacity: usize,
}

impl CnBuffer {
    /// Hands a vector to the caller.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        let mut bytes = std::mem::ManuallyDrop::new(bytes);
        Self { data: bytes.as_mut_ptr(), nbytes: bytes.len(), capacity: bytes.capacity() }
    }
}

/// Frees bytes that the library returned, and zeroes the structure. Null is ignored.
///
/// # Safety
/// `buffer` is null, zeroed, or was filled by this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_buffer_free(buffer: *mut CnBuffer) {
    // SAFETY: the caller guarantees that the pointer is null or valid.
    let Some(buffer) = (unsafe { buffer.as_mut() }) else { return };
    let data = std::mem::replace(&mut buffer.data, std::ptr::null_mut());
    if !data.is_null() {
        // SAFETY: `CnBuffer::of` took these three from a vector, and they are used once.
        drop(unsafe { Vec::from_raw_parts(data, buffer.nbytes, buffer.capacity) });
    }
    buffer.nbytes = 0;
    buffer.capacity = 0;
}

/// A copy of the caller's bytes.
///
/// # Errors
/// `InvalidOption`: null with a size.
///
/// # Safety
/// `data` is null, or valid for reads of `nbytes`.
pub unsafe fn copied(data: *const u8, nbytes: usize) -> colonnade::Result<Buffer> {
    if data.is_null() {
        return if nbytes == 0 { Ok(Buffer::from_vec(Vec::new())) } else { Err(null("data")) };
    }
    // SAFETY: the caller guarantees it.
    Ok(Buffer::from_vec(unsafe { std::slice::from_raw_parts(data, nbytes) }.to_vec()))
}
