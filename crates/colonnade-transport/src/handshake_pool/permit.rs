//! Counts connected peers.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use crate::channel::{Channel, Direction};

/// The channel of an accepted peer. The pool counts the clones of `_permit`.
#[derive(Debug)]
pub(super) struct PermitChannel {
    channel: Arc<dyn Channel>,
    _permit: Arc<()>,
}

impl PermitChannel {
    pub(super) fn new(channel: Arc<dyn Channel>, permits: &Arc<()>) -> Self {
        Self { channel, _permit: Arc::clone(permits) }
    }
}

impl Channel for PermitChannel {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.channel.receive(targets)
    }

    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        self.channel.send(sources)
    }

    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        self.channel.wait(direction, at_most)
    }

    fn flush(&self) -> io::Result<bool> {
        self.channel.flush()
    }

    fn finish(&self) -> io::Result<()> {
        self.channel.finish()
    }

    fn descriptor(&self, direction: Direction) -> Option<RawFd> {
        self.channel.descriptor(direction)
    }

    fn has_pending(&self) -> bool {
        self.channel.has_pending()
    }

    fn peer(&self) -> &str {
        self.channel.peer()
    }
}
