//! A channel that receives from bytes in memory.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use colonnade::memory::Buffer;
use colonnade_transport::{Channel, Direction};

/// Bytes in memory. One receive returns at most `piece` of them.
#[derive(Debug)]
pub(super) struct MemoryChannel {
    pub(super) bytes: Buffer,
    pub(super) at: AtomicUsize,
    pub(super) piece: usize,
    pub(super) peer: String,
}

impl Channel for MemoryChannel {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let start = self.at.load(Ordering::Relaxed);
        let bytes = self.bytes.as_slice();
        let mut rest = bytes.get(start..bytes.len().min(start.saturating_add(self.piece))).unwrap_or(&[]);
        let mut count = 0;
        for target in targets {
            let (now, later) = rest.split_at(rest.len().min(target.len()));
            if let Some(place) = target.get_mut(..now.len()) {
                place.copy_from_slice(now);
            }
            count += now.len();
            rest = later;
        }
        self.at.fetch_add(count, Ordering::Relaxed);
        Ok(count)
    }

    fn send(&self, _sources: &[IoSlice<'_>]) -> io::Result<usize> {
        Err(io::Error::new(io::ErrorKind::BrokenPipe, "a connection over bytes in memory only receives"))
    }

    fn wait(&self, _direction: Direction, _at_most: Duration) -> io::Result<bool> {
        Ok(true)
    }

    fn finish(&self) -> io::Result<()> {
        Ok(())
    }

    fn descriptor(&self, _direction: Direction) -> Option<RawFd> {
        None
    }

    fn peer(&self) -> &str {
        &self.peer
    }
}
