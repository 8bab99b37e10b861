//! Anonymous memory: separate mappings that are recycled when dropped, with huge pages if they are large, and the heap,
//! which recycles by itself, for the smallest sizes.

use std::alloc::{self, Layout};
use std::io;

use super::huge_pages;
use super::pool::{self, Mapping, Origin};
use crate::platform::{self, page_nbytes};

const HUGE_PAGE: usize = 2 << 20;

/// Smaller memory comes from the heap: a mapping costs two system calls and a fault, which would be most of the work.
const HEAP_BELOW_NBYTES: usize = 64 << 10;

/// Alignment of memory from the heap.
const ALIGNMENT: usize = 64;

/// The most huge pages that an unproven claimed size may take, one for each column.
const CLAIMED_HUGE_PAGES: usize = 128;

/// Readable memory of a fixed size, at least 64-byte aligned (2 MiB aligned if it is larger than that).
#[derive(Debug)]
pub struct Region {
    mapping: Option<Mapping>,
    /// The mapping's address, or a dangling one. Builders of columns ask for it at every cell, so it is kept beside the
    /// mapping.
    address: usize,
    nbytes: usize,
}

/// A region while its single holder fills it. Tasks can write disjoint parts of it.
#[derive(Debug)]
pub struct RegionMut(Region);

impl Default for RegionMut {
    /// A region without bytes.
    fn default() -> Self {
        Self(Region { mapping: None, address: ALIGNMENT, nbytes: 0 })
    }
}

impl Region {
    /// Allocates `nbytes` with any values: zeros, or what an earlier holder left.
    ///
    /// # Errors
    /// Errors of the operating system, for example without address space.
    pub fn allocate(nbytes: usize) -> io::Result<RegionMut> {
        Self::recycled(nbytes, nbytes.saturating_mul(2), Origin::Huge)
    }

    /// Allocates from the pool, with mappings of at most `most` bytes, or makes a mapping: of origin `large` if it has a huge page.
    fn recycled(nbytes: usize, most: usize, large: Origin) -> io::Result<RegionMut> {
        if nbytes == 0 {
            return Ok(RegionMut::default());
        }
        let mapping = if nbytes < HEAP_BELOW_NBYTES {
            heap(nbytes)?
        } else if let Some(waiting) = pool::take(nbytes, most) {
            waiting
        } else {
            map(nbytes, if nbytes >= HUGE_PAGE { large } else { Origin::Small })?
        };
        let mut region = Self::filling(mapping, nbytes);
        if cfg!(debug_assertions) {
            // Tests find who counts on zeros.
            region.as_mut_slice().iter_mut().take(HUGE_PAGE).for_each(|byte| *byte = 0xA5);
        }
        Ok(region)
    }

    /// Allocates `nbytes` zeros of which little will be touched: ordinary pages, because untouched ones cost nothing.
    ///
    /// # Errors
    /// Errors of the operating system, for example without address space.
    pub fn allocate_sparse(nbytes: usize) -> io::Result<RegionMut> {
        if nbytes < HEAP_BELOW_NBYTES {
            return Self::allocate(nbytes);
        }
        Ok(Self::filling(map(nbytes, Origin::Sparse)?, nbytes))
    }

    /// Allocates `nbytes` that live long among many others: the rest after the last whole huge page has ordinary pages, and a recycled
    /// mapping is little larger, so hardly more memory is held than was asked for.
    ///
    /// # Errors
    /// Errors of the operating system, for example without address space.
    pub fn allocate_exact(nbytes: usize) -> io::Result<RegionMut> {
        Self::recycled(nbytes, nbytes.saturating_add(nbytes / 8), Origin::Exact)
    }

    fn filling(mapping: Mapping, nbytes: usize) -> RegionMut {
        RegionMut(Self { address: mapping.address, mapping: Some(mapping), nbytes })
    }

    /// Allocates a region for the size that an input claims, with `columns` columns that are filled in parallel. Each
    /// column touches a page long before it fills it, so the region gets huge pages only if few can be touched, or if they
    /// wait in the pool anyway.
    ///
    /// # Errors
    /// Errors of the operating system, for example without address space.
    pub fn allocate_claimed(nbytes: usize, columns: usize) -> io::Result<RegionMut> {
        if columns <= CLAIMED_HUGE_PAGES || nbytes <= CLAIMED_HUGE_PAGES * HUGE_PAGE {
            return Self::allocate(nbytes);
        }
        match pool::take(nbytes, nbytes.saturating_mul(2)) {
            Some(mapping) => Ok(Self::filling(mapping, nbytes)),
            None => Self::allocate_sparse(nbytes),
        }
    }

    /// Address of the first byte.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const u8 {
        self.address as *const u8
    }

    /// Length in bytes.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.nbytes
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Some(mapping) = self.mapping.take() {
            match mapping.origin {
                Origin::Huge | Origin::Exact | Origin::Small => pool::give(mapping),
                Origin::Sparse => pool::unmap(&mapping),
                Origin::Heap => free(&mapping),
            }
        }
    }
}

impl RegionMut {
    /// The bytes, for filling.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has at least `nbytes` bytes, initialised by the kernel (zero) or by an earlier holder, and
        // `&mut self` is the only way to it until `finish`. Without a mapping the address is aligned and `nbytes` is 0.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr().cast_mut(), self.0.nbytes) }
    }

    /// Returns the address of `nbytes` bytes at `offset`, without a reference to the rest; `None` if they pass the end.
    #[must_use]
    pub fn address(&mut self, offset: usize, nbytes: usize) -> Option<*mut u8> {
        let inside = offset.checked_add(nbytes)? <= self.0.nbytes;
        inside.then(|| self.0.as_ptr().cast_mut().wrapping_add(offset))
    }

    /// Returns the whole pages of this range to the system. Their bytes have any values afterwards.
    pub fn discard(&mut self, offset: usize, nbytes: usize) {
        let page = page_nbytes();
        let is_mapped = self.0.mapping.as_ref().is_some_and(|m| m.origin != Origin::Heap);
        let start = offset.div_ceil(page).saturating_mul(page);
        let end = offset.saturating_add(nbytes).min(self.0.nbytes) / page * page;
        if is_mapped && start < end {
            // SAFETY: whole pages of a mapping that begins at a page boundary, and `&mut self` is its only writer.
            unsafe { platform::discard_pages(self.0.as_ptr().add(start).cast_mut(), end - start) };
        }
    }

    /// Ends filling and returns the readable region.
    #[must_use]
    pub fn finish(self) -> Region {
        self.0
    }

    /// Grows to `nbytes`; the new bytes have any values. On Linux large memory grows without copying bytes: the
    /// kernel moves the pages.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn grow(&mut self, nbytes: usize) -> io::Result<()> {
        let capacity = self.capacity();
        if nbytes > capacity {
            let whole = round_up(nbytes, HUGE_PAGE);
            // A moved `Mapping` must not be unmapped, and one that did not move still belongs to `self`: `Mapping` has no
            // `Drop`.
            match &self.0.mapping {
                Some(old) if !matches!(old.origin, Origin::Heap | Origin::Exact) => {
                    // Ordinary pages beyond what is touched cost nothing, but would be slow for the next holder.
                    let origin = if old.origin == Origin::Huge { Origin::Huge } else { Origin::Sparse };
                    let grown = Mapping { origin, ..remap(old, whole)? };
                    self.0.address = grown.address;
                    self.0.mapping = Some(grown);
                }
                _ => {
                    let mut larger =
                        Region::allocate(if nbytes < HEAP_BELOW_NBYTES { nbytes } else { whole })?;
                    self.0.nbytes = capacity; // a caller may have shortened it over bytes that it still wants
                    larger.as_mut_slice().split_at_mut(capacity).0.copy_from_slice(self.as_mut_slice());
                    *self = larger;
                }
            }
        }
        self.0.nbytes = nbytes;
        Ok(())
    }

    /// Moves the first `filled` bytes to a mapping that waits in the pool, and grows to `nbytes`; whether one of about `expected` bytes
    /// waits. Its pages were touched before, so that filling it is faster than growing on fresh ones.
    #[must_use]
    pub fn move_to_waiting(&mut self, filled: usize, nbytes: usize, expected: usize) -> bool {
        let least = nbytes.max(expected - expected / 8).max(HUGE_PAGE);
        // Mappings that grew are up to twice as long as what they held.
        let most = expected.saturating_mul(2).saturating_add(HUGE_PAGE);
        let Some(mapping) = pool::take(least, most) else { return false };
        let mut moved = Region::filling(mapping, nbytes);
        if let (Some(old), Some(new)) =
            (self.as_mut_slice().get(..filled), moved.as_mut_slice().get_mut(..filled))
        {
            new.copy_from_slice(old);
        }
        *self = moved;
        true
    }

    /// Length in bytes.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.0.nbytes
    }

    /// Bytes that fit into the current mapping.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.mapping.as_ref().map_or(0, |m| m.nbytes)
    }
}

fn round_up(nbytes: usize, unit: usize) -> usize {
    nbytes.div_ceil(unit).saturating_mul(unit)
}

/// Requests huge pages for the whole huge pages inside memory of another owner that is still untouched, unless they are slow.
pub fn advise_huge(address: *const u8, nbytes: usize) {
    let start = round_up(address.addr(), HUGE_PAGE);
    let end = address.addr().saturating_add(nbytes) / HUGE_PAGE * HUGE_PAGE;
    if end > start && !huge_pages::are_slow() {
        // SAFETY: whole pages inside the caller's memory; the advice changes no byte.
        unsafe { platform::advise_huge(start as *mut u8, end - start) };
    }
}

fn layout(nbytes: usize) -> io::Result<Layout> {
    Layout::from_size_align(nbytes, ALIGNMENT).map_err(io::Error::other)
}

fn heap(nbytes: usize) -> io::Result<Mapping> {
    // SAFETY: the size of the layout is not zero: `recycled`, the only caller, returns before for zero bytes.
    let address = unsafe { alloc::alloc_zeroed(layout(nbytes)?) };
    if address.is_null() {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    Ok(Mapping { address: address as usize, nbytes, origin: Origin::Heap })
}

fn free(mapping: &Mapping) {
    if let Ok(layout) = layout(mapping.nbytes) {
        // SAFETY: `heap` allocated it with this layout, and its single holder gives it up.
        unsafe { alloc::dealloc(mapping.address as *mut u8, layout) };
    }
}

/// Huge pages begin at a multiple of their size; the rest of an exact mapping has ordinary pages.
fn map(nbytes: usize, origin: Origin) -> io::Result<Mapping> {
    let huge = matches!(origin, Origin::Huge | Origin::Exact);
    let unit = if origin == Origin::Huge { HUGE_PAGE } else { page_nbytes() };
    let length = round_up(nbytes, unit);
    // Reserves one more huge page, so that it contains an aligned start. The unused ends are unmapped at once.
    let reserve = if huge { length.saturating_add(HUGE_PAGE) } else { length };
    let address = platform::map_anonymous(reserve)?;
    let start = address as usize;
    if !huge {
        return Ok(Mapping { address: start, nbytes: length, origin });
    }
    let aligned = round_up(start, HUGE_PAGE);
    let (head, tail) = (aligned - start, reserve - length - (aligned - start));
    // SAFETY: both ends lie inside the mapping just made and outside [aligned, aligned + length), which is new and whole.
    unsafe {
        if head > 0 {
            libc::munmap(address, head);
        }
        if tail > 0 {
            libc::munmap((aligned + length) as *mut libc::c_void, tail);
        }
        huge_pages::request(aligned as *mut u8, length / HUGE_PAGE * HUGE_PAGE);
    }
    Ok(Mapping { address: aligned, nbytes: length, origin })
}

fn remap(old: &Mapping, nbytes: usize) -> io::Result<Mapping> {
    // SAFETY: the caller owns `old` and does not use it afterwards.
    let address = unsafe { platform::remap(old.address, old.nbytes, nbytes)? };
    Ok(Mapping { address, nbytes, origin: old.origin })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `n` bytes that differ from their neighbours.
    fn bytes(n: usize) -> Vec<u8> {
        (0..n).map(|i| u8::try_from(i % 251).unwrap()).collect()
    }

    #[test]
    fn growing_keeps_the_bytes_at_every_size() {
        for first in [1, 100, 60 << 10, 100 << 10, 1 << 20, 3 << 20] {
            let mut region = Region::allocate(first).unwrap();
            let wanted = bytes(first);
            region.as_mut_slice().copy_from_slice(&wanted);
            for larger in [first + 1, 2 * first, first + (64 << 10), first + (5 << 20)] {
                region.grow(larger).unwrap();
                assert_eq!(region.nbytes(), larger);
                assert!(region.capacity() >= larger);
                assert_eq!(region.as_mut_slice()[..first], wanted, "{first} to {larger}");
            }
        }
    }

    #[test]
    fn growing_keeps_bytes_beyond_a_shortened_end() {
        let mut region = Region::allocate(100 << 10).unwrap();
        let wanted = bytes(100 << 10);
        region.as_mut_slice().copy_from_slice(&wanted);
        region.grow(10).unwrap();
        region.grow(4 << 20).unwrap();
        assert_eq!(region.as_mut_slice()[..100 << 10], wanted);
    }

    #[test]
    fn a_growing_region_moves_to_a_waiting_mapping() {
        // A size of its own, because the pool serves all tests of this process.
        let expected = 77 << 20;
        let waiting = Region::allocate(expected).unwrap();
        let address = waiting.0.address;
        drop(waiting);
        let mut region = Region::allocate(3 << 20).unwrap();
        let wanted = bytes(3 << 20);
        region.as_mut_slice().copy_from_slice(&wanted);
        if region.move_to_waiting(3 << 20, 5 << 20, expected + (1 << 20)) {
            assert_eq!(region.0.address, address);
            assert_eq!(region.nbytes(), 5 << 20);
            assert!(region.capacity() >= expected);
        }
        assert_eq!(region.as_mut_slice()[..3 << 20], wanted);
        assert!(!region.move_to_waiting(3 << 20, 5 << 20, 1 << 45), "no mapping is so long");
    }

    #[test]
    fn exact_memory_is_little_larger_than_asked_for() {
        for nbytes in [1, 1 << 20, (2 << 20) + 1, 5 << 20] {
            let mut region = Region::allocate_exact(nbytes).unwrap();
            assert_eq!(region.nbytes(), nbytes);
            assert!(region.capacity() <= nbytes + nbytes / 8 + page_nbytes());
            region.as_mut_slice().copy_from_slice(&bytes(nbytes));
            region.grow(nbytes + (3 << 20)).unwrap();
            assert_eq!(region.as_mut_slice()[..nbytes], bytes(nbytes));
        }
    }

    #[test]
    fn memory_is_aligned_to_64_bytes_and_large_memory_to_huge_pages() {
        for nbytes in [1, 1000, 64 << 10, 1 << 20, 2 << 20, 9 << 20] {
            let region = Region::allocate(nbytes).unwrap().finish();
            let unit = if nbytes >= HUGE_PAGE { HUGE_PAGE } else { ALIGNMENT };
            assert_eq!(region.as_ptr().addr() % unit, 0, "{nbytes}");
        }
    }
}
