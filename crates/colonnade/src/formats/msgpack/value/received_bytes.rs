//! A buffer of received bytes that are not decoded yet.

use crate::error::Result;
use crate::memory::{Buffer, Region, RegionMut};

/// The first allocation. The buffer doubles with the received bytes, whatever length the value declares.
const STEP: usize = 4 << 10;

/// Bytes that are appended at the end and consumed from the front.
#[derive(Debug)]
pub(super) struct ReceivedBytes {
    region: RegionMut,
    start: usize,
    end: usize,
}

impl ReceivedBytes {
    pub(super) fn new() -> Result<Self> {
        Ok(Self { region: Region::allocate(0)?, start: 0, end: 0 })
    }

    pub(super) fn nbytes(&self) -> usize {
        self.end - self.start
    }

    pub(super) fn get(&mut self) -> &[u8] {
        let (start, end) = (self.start, self.end);
        self.region.as_mut_slice().get(start..end).unwrap_or(&[])
    }

    /// The last `count` bytes.
    pub(super) fn last(&mut self, count: usize) -> &[u8] {
        let (start, end) = (self.end.saturating_sub(count), self.end);
        self.region.as_mut_slice().get(start..end).unwrap_or(&[])
    }

    /// Returns free memory of `nbytes` after the bytes.
    pub(super) fn room(&mut self, nbytes: usize) -> Result<&mut [u8]> {
        // Reuses the space of consumed bytes, unless many bytes would have to move.
        if self.start > 0 && self.nbytes() <= self.start {
            let (start, end) = (self.start, self.end);
            self.region.as_mut_slice().copy_within(start..end, 0);
            (self.start, self.end) = (0, end - start);
        }
        let end = self.end.saturating_add(nbytes);
        if end > self.region.capacity() {
            self.region.grow(end.max(self.end.saturating_mul(2)).max(STEP))?;
        }
        let capacity = self.region.capacity();
        self.region.grow(capacity)?;
        let start = self.end;
        Ok(self.region.as_mut_slice().get_mut(start..end).unwrap_or(&mut []))
    }

    /// Records that `count` bytes of the free memory are filled.
    pub(super) fn filled(&mut self, count: usize) {
        self.end = (self.end + count).min(self.region.nbytes());
    }

    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        if !bytes.is_empty() {
            self.room(bytes.len())?.copy_from_slice(bytes);
            self.filled(bytes.len());
        }
        Ok(())
    }

    pub(super) fn drop_front(&mut self, count: usize) {
        self.start = self.end.min(self.start + count);
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Returns all bytes, if none was consumed from the front.
    pub(super) fn finish(mut self) -> Result<Buffer> {
        self.region.grow(self.end)?;
        Ok(Buffer::from_region(self.region.finish(), false))
    }
}
