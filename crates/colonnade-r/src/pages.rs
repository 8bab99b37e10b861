//! The core's memory as R vectors: encoded frames without a copy, and columns in pages that earlier ones left.
//!
//! R can allocate a vector by a custom allocator: it asks for the bytes of its header and of the values together, writes the
//! header, and later hands the address back to be freed. So the bytes here have room in front: first [`HEAD_NBYTES`] of our own,
//! then what R asks for.

use std::ffi::c_void;
use std::io;

use colonnade::memory::{Growing, Region};
use colonnade::sink::Sink;

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

/// Collects an encoded frame after `lead` bytes.
pub(crate) struct PagesSink {
    bytes: Growing,
    lead: usize,
}

impl PagesSink {
    /// `header`: the bytes of R's header.
    pub(crate) fn new(header: usize) -> io::Result<Self> {
        let (mut bytes, lead) = (Growing::default(), HEAD_NBYTES + header);
        bytes.take(lead)?;
        Ok(Self { bytes, lead })
    }

    pub(crate) fn finish(mut self) -> io::Result<CnrPages> {
        let nbytes = self.bytes.nbytes() - self.lead;
        // R counts in words of 8 bytes.
        self.bytes.take(8)?;
        Ok(CnrPages { block: block_of(self.bytes.finish()), nbytes })
    }
}

impl Sink for PagesSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.take(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn can_patch(&self) -> bool {
        true
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.bytes.patch(self.lead.saturating_add(usize::try_from(offset).map_err(io::Error::other)?), bytes)
    }

    fn place(&mut self, nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        self.bytes.take(nbytes).map(Some)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        self.bytes.reserve(self.lead.saturating_add(usize::try_from(total).map_err(io::Error::other)?))
    }
}

/// Moves a region into its own first bytes. Returns the address after [`HEAD_NBYTES`].
fn block_of(region: Region) -> *mut c_void {
    const { assert!(size_of::<Region>() <= HEAD_NBYTES && align_of::<Region>() <= HEAD_NBYTES) };
    let start = region.as_ptr().cast_mut();
    // SAFETY: the callers allocated more than `HEAD_NBYTES`, the memory is aligned to 64 bytes, and nothing else refers to it.
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
