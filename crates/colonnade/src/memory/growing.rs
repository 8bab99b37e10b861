//! Memory that grows while bytes are appended, without copying them.

use std::io;

use super::{Region, RegionMut};

/// Bytes that are being collected. Small ones are on the heap; large ones grow as the kernel moves their pages.
#[derive(Debug, Default)]
pub struct Growing {
    region: RegionMut,
    filled: usize,
}

impl Growing {
    /// The bytes so far.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        let filled = self.filled;
        self.region.as_mut_slice().get_mut(..filled).unwrap_or_default()
    }

    /// Their number.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.filled
    }

    /// Drops all bytes after the first `nbytes`.
    pub fn truncate(&mut self, nbytes: usize) {
        self.filled = self.filled.min(nbytes);
    }

    /// Replaces the bytes at `offset`.
    ///
    /// # Errors
    /// `Other`: they pass the end.
    pub fn patch(&mut self, offset: usize, bytes: &[u8]) -> io::Result<()> {
        let end = offset.saturating_add(bytes.len());
        let place = self.region.as_mut_slice().get_mut(offset..end);
        place.ok_or_else(|| io::Error::other("patch past the end"))?.copy_from_slice(bytes);
        Ok(())
    }

    /// Reserves memory for `total` bytes in all.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn reserve(&mut self, total: usize) -> io::Result<()> {
        if total > self.region.capacity() { self.region.grow(total) } else { Ok(()) }
    }

    /// Appends `nbytes`, for the caller to fill.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn take(&mut self, nbytes: usize) -> io::Result<&mut [u8]> {
        const FIRST: usize = 4 << 10;
        const STEP: usize = 1 << 20;
        let end = self.filled.checked_add(nbytes).ok_or_else(|| io::Error::other("too large"))?;
        if end > self.region.nbytes() {
            let step = if end <= STEP / 16 { FIRST } else { STEP };
            self.region.grow(end.max(self.filled + self.filled / 2).max(step))?;
        }
        let start = std::mem::replace(&mut self.filled, end);
        self.region.as_mut_slice().get_mut(start..end).ok_or_else(|| io::Error::other("past the end"))
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Ends filling and returns the memory, which may be longer than the bytes.
    #[must_use]
    pub fn finish(self) -> Region {
        self.region.finish()
    }
}
