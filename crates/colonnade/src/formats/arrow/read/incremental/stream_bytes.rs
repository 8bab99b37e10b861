//! The bytes that are kept until the end of the stream.

use crate::error::Result;
use crate::limits::{Limits, StreamLimit};
use crate::memory::{Region, RegionMut};

/// The first allocation for a declared length. Further ones are as large as the received bytes, so a false length takes
/// little memory.
const BELIEVED_NBYTES: usize = 4 << 20;

/// Bytes in memory that grows without copying.
#[derive(Debug)]
pub(super) struct StreamBytes {
    region: RegionMut,
    filled: usize,
    limit: StreamLimit,
}

impl StreamBytes {
    pub(super) fn new(limits: &Limits) -> Result<Self> {
        Ok(Self { region: Region::allocate(0)?, filled: 0, limit: StreamLimit::new(limits) })
    }

    pub(super) fn len(&self) -> usize {
        self.filled
    }

    /// Writes `bytes` at `at`, which is the end or a few bytes of padding after it.
    pub(super) fn put(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        let end = at + bytes.len();
        self.reserve(end)?;
        if let Some(place) = self.region.as_mut_slice().get_mut(at..end) {
            place.copy_from_slice(bytes);
        }
        self.filled = end;
        Ok(())
    }

    /// Appends `bytes`.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.put(self.filled, bytes)
    }

    /// Appends `bytes` at the next multiple of 64, and returns that offset.
    pub(super) fn push_aligned(&mut self, bytes: &[u8]) -> Result<usize> {
        let at = self.filled.next_multiple_of(64);
        self.put(at, bytes)?;
        Ok(at)
    }

    /// Returns the buffer up to the offset `requested_end`, or a shorter one if the length is not trusted yet.
    pub(super) fn room(&mut self, requested_end: usize) -> Result<&mut [u8]> {
        let end = requested_end.min(self.filled.saturating_add(self.filled.max(BELIEVED_NBYTES)));
        self.reserve(end)?;
        Ok(self.region.as_mut_slice())
    }

    /// Records that all bytes before `end` are filled.
    pub(super) fn filled_to(&mut self, end: usize) {
        self.filled = self.filled.max(end);
    }

    pub(super) fn bytes(&mut self) -> &mut [u8] {
        let filled = self.filled;
        self.region.as_mut_slice().get_mut(..filled).unwrap_or(&mut [])
    }

    pub(super) fn finish(mut self) -> Result<Region> {
        self.region.grow(self.filled)?;
        Ok(self.region.finish())
    }

    fn reserve(&mut self, end: usize) -> Result<()> {
        self.limit.check("arrow", end as u64)?;
        if self.region.capacity() < end {
            self.region.grow(end.max(self.filled.saturating_mul(2)))?;
        }
        self.region.grow(end)?;
        Ok(())
    }
}
