//! Counting who is in.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use crate::channel::{Channel, Direction};

/// A channel that was handed out. Whoever holds the last clone of `_ticket` knows that it is gone.
#[derive(Debug)]
pub(super) struct Admitted {
    channel: Arc<dyn Channel>,
    _ticket: Arc<()>,
}

impl Admitted {
    pub(super) fn new(channel: Arc<dyn Channel>, tickets: &Arc<()>) -> Self {
        Self { channel, _ticket: Arc::clone(tickets) }
    }
}

impl Channel for Admitted {
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
