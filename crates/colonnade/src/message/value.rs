//! A MessagePack value that comes in: it says nowhere how long it is, so its end is looked for while it comes.

use crate::container::store::Limits;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Region, RegionMut};
use crate::msgpack::cells::CellError;
use crate::msgpack::skip::Skipper;

/// From so many bytes to come on it is worth receiving them in their place; fewer are copied there from what was taken
/// ahead, and none that belong to the next message come along.
const IN_PLACE_NBYTES: usize = 16 << 10;

/// Memory at first; it doubles as bytes come, whatever the value claims.
const STEP: usize = 4 << 10;

/// A value as far as it has come.
#[derive(Debug)]
pub(super) struct Value {
    region: RegionMut,
    filled: usize,
    skipper: Skipper,
    limit: u64,
}

/// Whether a message that begins with `marker` is a MessagePack map or array: anything else could be no frame. Not an
/// empty map: every pickle begins as one does.
pub(super) fn is_value(marker: u8) -> bool {
    matches!(marker, 0x81..=0x9f | 0xdc..=0xdf)
}

impl Value {
    pub(super) fn new(limits: &Limits) -> Result<Self> {
        let region = Region::allocate(0, false)?;
        Ok(Self { region, filled: 0, skipper: Skipper::new(limits.max_depth), limit: limits.max_nbytes })
    }

    /// Bytes so far.
    pub(super) fn bytes(&mut self) -> &[u8] {
        let filled = self.filled;
        self.region.as_mut_slice().get(..filled).unwrap_or(&[])
    }

    pub(super) fn is_whole(&self) -> bool {
        self.filled > 0 && self.skipper.is_whole()
    }

    /// (had, needed): what has come, and what will have come at least.
    pub(super) fn so_far(&self) -> (u64, u64) {
        let had = self.filled as u64;
        (had, had.saturating_add(self.skipper.least()))
    }

    /// Where bytes go that belong to this value for certain; none where they are few.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub(super) fn room(&mut self) -> Result<Option<&mut [u8]>> {
        let least = usize::try_from(self.skipper.least()).unwrap_or(usize::MAX);
        if least < IN_PLACE_NBYTES {
            return Ok(None);
        }
        let end = self.filled.saturating_add(least.min(self.filled.max(IN_PLACE_NBYTES)));
        self.make_room(end)?;
        Ok(self.region.as_mut_slice().get_mut(self.filled..end))
    }

    /// The first `count` bytes of the room were filled.
    ///
    /// # Errors
    /// What no value holds; a limit.
    pub(super) fn advance(&mut self, count: usize) -> Result<()> {
        let (start, end) = (self.filled, self.filled + count);
        let bytes = self.region.as_mut_slice().get(start..end).unwrap_or(&[]);
        let taken = self.skipper.feed(bytes).map_err(|e| placed(e, start))?;
        self.filled += taken;
        self.check()
    }

    /// Takes what belongs to the value from the front of `bytes`; answers how much that is.
    ///
    /// # Errors
    /// As [`Value::advance`]; the system's refusal of memory.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<usize> {
        let taken = self.skipper.feed(bytes).map_err(|e| placed(e, self.filled))?;
        let end = self.filled + taken;
        self.make_room(end)?;
        if let (Some(to), Some(from)) =
            (self.region.as_mut_slice().get_mut(self.filled..end), bytes.get(..taken))
        {
            to.copy_from_slice(from);
        }
        self.filled = end;
        self.check()?;
        Ok(taken)
    }

    /// The bytes of the whole value.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub(super) fn finish(mut self) -> Result<Buffer> {
        self.region.grow(self.filled)?;
        Ok(Buffer::from_region(self.region.finish(), false))
    }

    fn make_room(&mut self, end: usize) -> Result<()> {
        if end > self.region.capacity() {
            self.region.grow(end.max(self.filled.saturating_mul(2)).max(STEP))?;
        }
        let capacity = self.region.capacity();
        Ok(self.region.grow(capacity)?)
    }

    fn check(&self) -> Result<()> {
        let (_, needed) = self.so_far();
        if needed <= self.limit {
            return Ok(());
        }
        let message = format!(
            "a message of {needed} bytes at least, over the limit of {}. Raise max_nbytes to receive it.",
            self.limit
        );
        Err(Error::limit("message", message))
    }
}

fn placed(error: CellError, base: usize) -> Error {
    error.placed("$", base as u64)
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
