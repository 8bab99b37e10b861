//! A sink that appends to memory.

use std::io;

use super::Sink;
use crate::memory::Growing;

/// Appends to memory, after what is there. Without [`commit`](Self::commit), dropping it removes the appended bytes.
pub struct Appender<'g> {
    bytes: &'g mut Growing,
    start: usize,
}

impl<'g> Appender<'g> {
    /// An appender to `bytes`.
    #[must_use]
    pub fn new(bytes: &'g mut Growing) -> Self {
        let start = bytes.nbytes();
        Self { bytes, start }
    }

    /// Keeps the appended bytes.
    pub fn commit(mut self) {
        self.start = self.bytes.nbytes();
    }

    fn after_start(&self, nbytes: u64) -> io::Result<usize> {
        let nbytes = usize::try_from(nbytes).map_err(io::Error::other)?;
        self.start.checked_add(nbytes).ok_or_else(|| io::Error::other("too large"))
    }
}

impl Drop for Appender<'_> {
    fn drop(&mut self) {
        self.bytes.truncate(self.start);
    }
}

impl Sink for Appender<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.append(bytes)
    }

    fn can_patch(&self) -> bool {
        true
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let offset = self.after_start(offset)?;
        self.bytes.patch(offset, bytes)
    }

    fn place(&mut self, nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        self.bytes.take(nbytes).map(Some)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        let total = self.after_start(total)?;
        self.bytes.reserve(total)
    }
}
