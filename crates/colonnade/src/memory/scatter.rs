//! Lets many tasks write disjoint ranges of one region, in any order.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

use super::RegionMut;

/// A region that tasks fill in disjoint ranges whose order does not allow splitting a slice.
#[derive(Debug, Clone, Copy)]
pub struct Scatter<'r> {
    ptr: *mut u8,
    nbytes: usize,
    region: PhantomData<&'r mut [u8]>,
}

// SAFETY: the pointer is to memory that `&mut` lent for 'r, which any thread may write. The contracts of `range` and `set_bits`
// forbid that two threads have a byte, except to set bits of it atomically.
unsafe impl Send for Scatter<'_> {}
// SAFETY: as above: a shared `Scatter` is as good as a copy of it.
unsafe impl Sync for Scatter<'_> {}

impl<'r> Scatter<'r> {
    /// Wraps the bytes of `region`.
    #[must_use]
    pub fn new(region: &'r mut RegionMut) -> Self {
        Self::over(region.as_mut_slice())
    }

    /// Wraps `bytes`.
    #[must_use]
    pub fn over(bytes: &'r mut [u8]) -> Self {
        Self { ptr: bytes.as_mut_ptr(), nbytes: bytes.len(), region: PhantomData }
    }

    /// Returns `nbytes` bytes at `offset`; `None` if they pass the end.
    ///
    /// # Safety
    /// No two ranges that live at the same time overlap.
    #[must_use]
    pub unsafe fn range(&self, offset: usize, nbytes: usize) -> Option<&'r mut [u8]> {
        let inside = offset.checked_add(nbytes)? <= self.nbytes;
        // SAFETY: inside the region, which is initialised; disjoint by this function's contract.
        inside.then(|| unsafe { std::slice::from_raw_parts_mut(self.ptr.add(offset), nbytes) })
    }

    /// Sets the bits of `bits` in the byte at `offset`; `None` if that is past the end.
    ///
    /// # Safety
    /// While a task sets bits of a byte, no range has the byte.
    #[must_use]
    pub unsafe fn set_bits(&self, offset: usize, bits: u8) -> Option<()> {
        if offset >= self.nbytes {
            return None;
        }
        // SAFETY: inside the region; several tasks may have the byte, and all of them change it here.
        unsafe { AtomicU8::from_ptr(self.ptr.add(offset)) }.fetch_or(bits, Ordering::Relaxed);
        Some(())
    }
}
