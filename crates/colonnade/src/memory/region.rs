//! Anonymous memory in mappings of its own, with huge pages where they pay, recycled when dropped.

use std::io;

use super::pool::{self, Mapping};

const HUGE_PAGE: usize = 2 << 20;

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
        if !sparse && let Some(mapping) = pool::take(nbytes) {
            return Ok(RegionMut(Self { mapping: Some(mapping), nbytes }));
        }
        let mapping = map(nbytes, !sparse && nbytes >= HUGE_PAGE)?;
        Ok(RegionMut(Self { mapping: Some(mapping), nbytes }))
    }

    /// Address of the first byte.
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
            if mapping.huge { pool::give(mapping) } else { pool::unmap(&mapping) }
        }
    }
}

impl RegionMut {
    /// The bytes, to fill.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        if self.0.nbytes == 0 {
            return &mut [];
        }
        // SAFETY: the mapping has at least `nbytes` bytes, initialised by the kernel (zero) or by an earlier holder, and
        // `&mut self` is the only way to it until `finish`.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_ptr().cast_mut(), self.0.nbytes) }
    }

    /// Ends filling.
    #[must_use]
    pub fn finish(self) -> Region {
        self.0
    }

    /// Grows to `nbytes` without copying bytes (pages are moved).
    ///
    /// # Errors
    /// The system's own.
    pub fn grow(&mut self, nbytes: usize) -> io::Result<()> {
        let held = self.0.mapping.as_ref().map_or(0, |m| m.nbytes);
        if nbytes > held {
            let wanted = round_up(nbytes, HUGE_PAGE);
            // A `Mapping` that was moved must not be unmapped, and one that was not moved is still ours: it has no `Drop`.
            let grown = match &self.0.mapping {
                None => map(wanted, true)?,
                Some(old) => remap(old, wanted)?,
            };
            self.0.mapping = Some(grown);
        }
        self.0.nbytes = nbytes;
        Ok(())
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
        return Ok(Mapping { address: start, nbytes: wanted, huge });
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
    Ok(Mapping { address: aligned, nbytes: wanted, huge })
}

fn remap(old: &Mapping, nbytes: usize) -> io::Result<Mapping> {
    // SAFETY: `old` is owned by the caller, who forgets it; the kernel moves its pages, or leaves all as it was.
    let address =
        unsafe { libc::mremap(old.address as *mut libc::c_void, old.nbytes, nbytes, libc::MREMAP_MAYMOVE) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(Mapping { address: address as usize, nbytes, huge: old.huge })
}
