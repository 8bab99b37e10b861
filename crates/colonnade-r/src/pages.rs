//! The core's memory as R vectors: encoded frames without a copy, and columns in pages that earlier ones left.
//!
//! R can allocate a vector by a custom allocator: it asks for the bytes of its header and of the values together, writes the
//! header, and later hands the address back to be freed. So the bytes here have room in front: first [`HEAD_NBYTES`] of our own,
//! then what R asks for.

use std::ffi::c_void;
use std::io;

use colonnade::memory::{Growing, Region};

/// The bytes in front of R's, which hold the region that frees them. R's values stay aligned to 16 bytes.
const HEAD_NBYTES: usize = 64;

/// Memory that becomes an R vector. Free it with `cnr_pages_free`.
#[repr(C)]
#[derive(Debug)]
pub struct CnrPages {
    /// What R's allocator returns: room for the header, then the bytes. Null after it was freed.
    pub block: *mut c_void,
    /// The number of bytes after the header.
    pub nbytes: usize,
}

/// Memory for an encoded frame, with room in front. `header`: the bytes that R needs there.
pub(crate) fn begin(header: usize) -> io::Result<Growing> {
    let mut bytes = Growing::default();
    bytes.take(HEAD_NBYTES + header)?;
    Ok(bytes)
}

/// The memory of [`begin`] with what was appended.
pub(crate) fn finish(mut bytes: Growing, header: usize) -> io::Result<CnrPages> {
    let nbytes = bytes.nbytes() - HEAD_NBYTES - header;
    // R counts in words of 8 bytes.
    bytes.take(8)?;
    Ok(CnrPages { block: block_of(bytes.finish()), nbytes })
}

/// Moves a region into its own first bytes. Returns the address after [`HEAD_NBYTES`].
fn block_of(region: Region) -> *mut c_void {
    const { assert!(size_of::<Region>() <= HEAD_NBYTES && align_of::<Region>() <= HEAD_NBYTES) };
    let start = region.as_ptr().cast_mut();
    // SAFETY: the callers allocated `HEAD_NBYTES` at least, so the memory is not empty, is aligned to 64 bytes, and has no other user.
    // `cnr_pages_free` moves the region out again.
    unsafe {
        start.cast::<Region>().write(region);
        start.add(HEAD_NBYTES).cast()
    }
}

/// Allocates `nbytes` for an R vector from the pages that earlier vectors left, which need no clearing by the system. Null if there is
/// no memory.
#[unsafe(no_mangle)]
pub extern "C" fn cnr_pages_allocate(nbytes: usize) -> *mut c_void {
    let total = nbytes.checked_add(HEAD_NBYTES);
    let region = total.and_then(|total| Region::allocate_exact(total).ok());
    region.map_or(std::ptr::null_mut(), |region| block_of(region.finish()))
}

/// Frees memory for an R vector. Null is ignored.
///
/// # Safety
/// `block` is null, or of `cnr_pages_allocate` or [`CnrPages`], and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_pages_free(block: *mut c_void) {
    if !block.is_null() {
        // SAFETY: `block_of` wrote the region in front of the block. It is read once, and drops after that.
        drop(unsafe { block.cast::<u8>().sub(HEAD_NBYTES).cast::<Region>().read() });
    }
}
