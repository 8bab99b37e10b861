//! Anonymous memory in mappings of its own, with huge pages where they pay, recycled when dropped; small ones on the heap.

use std::alloc::{self, Layout};
use std::io;

use super::pool::{self, Mapping, Origin};

const HUGE_PAGE: usize = 2 << 20;

/// A mapping costs two system calls and a fault; below this size that is most of the work.
const HEAP_BELOW_NBYTES: usize = 64 << 10;

/// Alignment of what lies on the heap.
const ALIGNMENT: usize = 64;

/// Huge pages that a claim nobody has proven may take at most, one a column.
const CLAIMED_HUGE_PAGES: usize = 128;

/// Readable memory of a fixed size, 64-byte aligned at least (2 MiB aligned where it is larger than that).
#[derive(Debug)]
pub struct Region {
    mapping: Option<Mapping>,
    nbytes: usize,
}

/// A region that one holder fills; parts of it are handed to tasks that write disjoint ranges.
#[derive(Debug)]
pub struct RegionMut(Region);

impl Region {
    /// A region of `nbytes` zero or recycled bytes, to be filled. `sparse`: little of it will be touched, so ordinary
    /// pages, untouched ones costing nothing.
    ///
    /// # Errors
    /// The system's own, where it has no such address space.
    pub fn allocate(nbytes: usize, sparse: bool) -> io::Result<RegionMut> {
        if nbytes == 0 {
            return Ok(RegionMut(Self { mapping: None, nbytes }));
        }
        if nbytes < HEAP_BELOW_NBYTES {
            return Ok(RegionMut(Self { mapping: Some(heap(nbytes)?), nbytes }));
        }
        if !sparse && let Some(mapping) = pool::take(nbytes) {
            return Ok(RegionMut(Self { mapping: Some(mapping), nbytes }));
        }
        let mapping = map(nbytes, !sparse && nbytes >= HUGE_PAGE)?;
        Ok(RegionMut(Self { mapping: Some(mapping), nbytes }))
    }

    /// A region for what somebody claims will come, of `columns` that fill side by side: each touches a page long before it
    /// fills it, so there are huge pages only where few can be touched, or where they wait in the pool anyway.
    ///
    /// # Errors
    /// The system's own, where it has no such address space.
    pub fn allocate_claimed(nbytes: usize, columns: usize) -> io::Result<RegionMut> {
        if columns > CLAIMED_HUGE_PAGES
            && nbytes > CLAIMED_HUGE_PAGES * HUGE_PAGE
            && let Some(mapping) = pool::take(nbytes)
        {
            return Ok(RegionMut(Self { mapping: Some(mapping), nbytes }));
        }
        Self::allocate(nbytes, columns > CLAIMED_HUGE_PAGES && nbytes > CLAIMED_HUGE_PAGES * HUGE_PAGE)
    }

    /// Address of the first byte.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const u8 {
        self.mapping.as_ref().map_or(std::ptr::dangling(), |m| m.address as *const u8)
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
                Origin::Huge => pool::give(mapping),
                Origin::Ordinary => pool::unmap(&mapping),
                Origin::Heap => free(&mapping),
            }
        }
    }
}

impl RegionMut {
    /// The bytes, to fill.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        if self.0.nbytes == 0 {
            return &mut [];
        }
        // SAFETY: the mapping has at least `nbytes` bytes, initialised by the kernel (zero) or by an earlier holder, and
        // `&mut self` is the only way to it until `finish`.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr().cast_mut(), self.0.nbytes) }
    }

    /// Address of `nbytes` from `offset` on, without a reference to the rest; `None` where they pass the end.
    #[must_use]
    pub fn address(&mut self, offset: usize, nbytes: usize) -> Option<*mut u8> {
        let inside = offset.checked_add(nbytes)? <= self.0.nbytes;
        inside.then(|| self.0.as_ptr().cast_mut().wrapping_add(offset))
    }

    /// Gives whole pages of this range back to the system: they are zeros afterwards.
    pub fn discard(&mut self, offset: usize, nbytes: usize) {
        const PAGE: usize = 4096;
        let is_mapped = self.0.mapping.as_ref().is_some_and(|m| m.origin != Origin::Heap);
        let start = offset.div_ceil(PAGE).saturating_mul(PAGE);
        let end = offset.saturating_add(nbytes).min(self.0.nbytes) / PAGE * PAGE;
        if is_mapped && start < end {
            // SAFETY: whole pages of a mapping that begins at a page and that `self` alone may write (`&mut`).
            unsafe {
                libc::madvise(self.0.as_ptr().add(start).cast_mut().cast(), end - start, libc::MADV_DONTNEED)
            };
        }
    }

    /// Ends filling.
    #[must_use]
    pub fn finish(self) -> Region {
        self.0
    }

    /// Grows to `nbytes` without copying bytes (pages are moved) once they are many.
    ///
    /// # Errors
    /// The system's own.
    pub fn grow(&mut self, nbytes: usize) -> io::Result<()> {
        let held = self.0.mapping.as_ref().map_or(0, |m| m.nbytes);
        if nbytes > held {
            // A `Mapping` that was moved must not be unmapped, and one that was not moved is still ours: it has no `Drop`.
            let grown = match &self.0.mapping {
                Some(old) if old.origin != Origin::Heap => remap(old, round_up(nbytes, HUGE_PAGE))?,
                small => {
                    let room = if nbytes < HEAP_BELOW_NBYTES {
                        heap(nbytes)?
                    } else {
                        map(round_up(nbytes, HUGE_PAGE), true)?
                    };
                    if let Some(old) = small {
                        // SAFETY: both are ours, apart, and `old` is the smaller.
                        unsafe {
                            std::ptr::copy_nonoverlapping(
                                old.address as *const u8,
                                room.address as *mut u8,
                                old.nbytes,
                            );
                        }
                        free(old);
                    }
                    room
                }
            };
            self.0.mapping = Some(grown);
        }
        self.0.nbytes = nbytes;
        Ok(())
    }

    /// Length in bytes.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.0.nbytes
    }

    /// Bytes that fit without another mapping.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.0.mapping.as_ref().map_or(0, |m| m.nbytes)
    }
}

fn round_up(nbytes: usize, unit: usize) -> usize {
    nbytes.div_ceil(unit).saturating_mul(unit)
}

/// Asks for huge pages where whole ones lie inside memory of somebody else's, which nobody has touched yet.
pub fn advise_huge(address: *const u8, nbytes: usize) {
    let start = round_up(address.addr(), HUGE_PAGE);
    let end = address.addr().saturating_add(nbytes) / HUGE_PAGE * HUGE_PAGE;
    if end > start {
        // SAFETY: whole pages inside the caller's memory; the advice changes no byte.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
}

fn layout(nbytes: usize) -> io::Result<Layout> {
    Layout::from_size_align(nbytes, ALIGNMENT).map_err(io::Error::other)
}

fn heap(nbytes: usize) -> io::Result<Mapping> {
    // SAFETY: the layout has a size: `allocate` and `grow` take no memory for nothing.
    let address = unsafe { alloc::alloc_zeroed(layout(nbytes)?) };
    if address.is_null() {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    Ok(Mapping { address: address as usize, nbytes, origin: Origin::Heap })
}

fn free(mapping: &Mapping) {
    if let Ok(layout) = layout(mapping.nbytes) {
        // SAFETY: `heap` made it with this layout, and its one holder lets go of it.
        unsafe { alloc::dealloc(mapping.address as *mut u8, layout) };
    }
}

fn map(nbytes: usize, huge: bool) -> io::Result<Mapping> {
    let unit = if huge { HUGE_PAGE } else { 4096 };
    let wanted = round_up(nbytes, unit);
    // One huge page more, so that an aligned start lies inside; the ends are given back at once.
    let reserve = if huge { wanted.saturating_add(HUGE_PAGE) } else { wanted };
    // SAFETY: a fresh anonymous private mapping; no existing memory is touched.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            reserve,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let start = address as usize;
    if !huge {
        return Ok(Mapping { address: start, nbytes: wanted, origin: Origin::Ordinary });
    }
    let aligned = round_up(start, HUGE_PAGE);
    let (head, tail) = (aligned - start, reserve - wanted - (aligned - start));
    // SAFETY: both ends lie inside the mapping just made and outside [aligned, aligned + wanted).
    unsafe {
        if head > 0 {
            libc::munmap(address, head);
        }
        if tail > 0 {
            libc::munmap((aligned + wanted) as *mut libc::c_void, tail);
        }
        libc::madvise(aligned as *mut libc::c_void, wanted, libc::MADV_HUGEPAGE);
    }
    Ok(Mapping { address: aligned, nbytes: wanted, origin: Origin::Huge })
}

fn remap(old: &Mapping, nbytes: usize) -> io::Result<Mapping> {
    // SAFETY: `old` is owned by the caller, who forgets it; the kernel moves its pages, or leaves all as it was.
    let address =
        unsafe { libc::mremap(old.address as *mut libc::c_void, old.nbytes, nbytes, libc::MREMAP_MAYMOVE) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(Mapping { address: address as usize, nbytes, origin: old.origin })
}
