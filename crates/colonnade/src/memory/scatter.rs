//! Writing one region from many tasks: each to its own ranges, wherever they lie.

use std::marker::PhantomData;

use super::RegionMut;

/// A region that tasks fill in disjoint ranges which follow no order that slices could be split by.
#[derive(Debug, Clone, Copy)]
pub struct Scatter<'r> {
    ptr: *mut u8,
    nbytes: usize,
    region: PhantomData<&'r mut [u8]>,
}

// SAFETY: the pointer is to memory that `&mut` lent for 'r; `range`'s contract keeps the threads apart.
unsafe impl Send for Scatter<'_> {}
// SAFETY: as above.
unsafe impl Sync for Scatter<'_> {}

impl<'r> Scatter<'r> {
    /// The bytes of `region`.
    #[must_use]
    pub fn new(region: &'r mut RegionMut) -> Self {
        Self::over(region.as_mut_slice())
    }

    /// These bytes.
    #[must_use]
    pub fn over(bytes: &'r mut [u8]) -> Self {
        Self { ptr: bytes.as_mut_ptr(), nbytes: bytes.len(), region: PhantomData }
    }

    /// `nbytes` from `offset` on; `None` where they pass the end.
    ///
    /// # Safety
    /// No two ranges that live at once overlap.
    #[must_use]
    pub unsafe fn range(&self, offset: usize, nbytes: usize) -> Option<&'r mut [u8]> {
        let inside = offset.checked_add(nbytes)? <= self.nbytes;
        // SAFETY: inside the region, which is initialised; disjoint by this function's contract.
        inside.then(|| unsafe { std::slice::from_raw_parts_mut(self.ptr.add(offset), nbytes) })
    }
}
