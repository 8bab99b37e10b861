//! The receiving side: the channel's bytes are received into the buffers of the message that comes in.

use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use colonnade::Result;
use colonnade::message::{Incoming, MessageStep};
use colonnade_transport::{Channel, Direction};

use super::watch::Watch;

/// What is taken beyond the message, so that small ones do not cost a system call each.
const AHEAD_NBYTES: usize = 64 << 10;

/// Behind a large buffer only the next headers are worth taking along: what lies behind them would be copied once more.
const AHEAD_OF_LARGE_NBYTES: usize = 4 << 10;
const LARGE_NBYTES: usize = 256 << 10;

/// Bounds of what is believed to come at once.
const SMALL_NBYTES: usize = 64 << 10;
const LARGEST_NBYTES: usize = 64 << 20;

/// What came of receiving.
#[derive(Debug)]
pub(super) enum Turn {
    /// Something happened.
    Step(MessageStep),
    /// Nothing is there now.
    Pending,
    /// The end of input, between two messages.
    End,
    /// It is time to look for signals, which may run Python: not while the receiving side is locked.
    Look,
}

/// What somebody who receives says to a turn.
pub(super) enum Answer<T> {
    Done(T),
    /// Wait for the channel, then ask again.
    Wait,
    /// Look for signals, then ask again.
    Look,
}

/// What one call receives with.
pub(super) struct Pull<'p> {
    pub(super) channel: &'p Arc<dyn Channel>,
    pub(super) watch: &'p Watch<'p>,
    /// Bytes received in all.
    pub(super) counted: &'p AtomicU64,
}

/// The receiving side.
#[derive(Debug)]
pub(super) struct Receiving {
    pub(super) incoming: Incoming,
    ahead: Vec<u8>,
    from: usize,
    to: usize,
    pub(super) ended: bool,
    /// About as many bytes as come at once.
    appetite: usize,
}

impl Receiving {
    pub(super) fn new(incoming: Incoming) -> Self {
        Self { incoming, ahead: Vec::new(), from: 0, to: 0, ended: false, appetite: LARGE_NBYTES }
    }

    /// Bytes that were taken off the channel and belong to no message yet.
    pub(super) fn has_ahead(&self) -> bool {
        self.from < self.to
    }

    /// Receives what is there, `left` bytes about, until something happens. Never waits.
    ///
    /// # Errors
    /// Malformed messages; the channel's own; what `watch` says.
    pub(super) fn turn(&mut self, pull: &Pull<'_>, left: &mut usize) -> Result<Turn> {
        loop {
            if self.incoming.is_whole() {
                return Ok(Turn::Step(MessageStep::Whole));
            }
            if self.from < self.to {
                let (count, step) = self.incoming.feed(self.ahead.get(self.from..self.to).unwrap_or(&[]))?;
                self.from += count;
                match step {
                    MessageStep::Need => continue,
                    step => return Ok(Turn::Step(step)),
                }
            }
            if self.ended {
                self.incoming.end()?;
                return Ok(Turn::End);
            }
            // What has left the descriptor already is taken: nobody would tell of it any more.
            if *left == 0 && !pull.channel.has_pending() {
                return Ok(Turn::Pending);
            }
            match self.receive(pull.channel)? {
                Ok(None) => self.ended = true,
                Ok(Some((count, in_message))) => {
                    *left = left.saturating_sub(count);
                    pull.counted.fetch_add(count as u64, Ordering::Relaxed);
                    let look = pull.watch.count(count);
                    match self.incoming.filled(in_message)? {
                        MessageStep::Need if look => return Ok(Turn::Look),
                        MessageStep::Need => {}
                        step => return Ok(Turn::Step(step)),
                    }
                }
                Err(e) => match e.kind() {
                    io::ErrorKind::WouldBlock => return Ok(Turn::Pending),
                    io::ErrorKind::Interrupted => return Ok(Turn::Look),
                    _ => return Err(e.into()),
                },
            }
        }
    }

    /// One call of the channel's: (all bytes, those of the message).
    fn receive(&mut self, channel: &Arc<dyn Channel>) -> Result<io::Result<Option<(usize, usize)>>> {
        let mut buffers = self.incoming.io_buffers(self.appetite)?;
        let wanted: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        let ahead = if wanted < LARGE_NBYTES { AHEAD_NBYTES } else { AHEAD_OF_LARGE_NBYTES };
        if self.ahead.is_empty() {
            self.ahead.resize(AHEAD_NBYTES, 0);
        }
        // Bytes behind the buffers are taken along only where the buffers end the piece: else they belong elsewhere.
        if wanted < self.appetite {
            buffers.push(IoSliceMut::new(self.ahead.get_mut(..ahead).unwrap_or(&mut [])));
        }
        let count = match channel.receive(&mut buffers) {
            Ok(0) => return Ok(Ok(None)),
            Ok(count) => count,
            Err(e) => return Ok(Err(e)),
        };
        self.appetite = if count >= wanted { self.appetite * 2 } else { count * 2 };
        self.appetite = self.appetite.clamp(SMALL_NBYTES, LARGEST_NBYTES);
        let in_message = count.min(wanted);
        (self.from, self.to) = (0, count - in_message);
        Ok(Ok(Some((count, in_message))))
    }
}

/// Waits until something more is there, a tick at most.
pub(super) fn wait(channel: &Arc<dyn Channel>, watch: &Watch<'_>) -> io::Result<()> {
    match channel.wait(Direction::Receive, watch.tick()) {
        Ok(true) => Ok(()),
        Ok(false) => watch.waited(),
        Err(e) if e.kind() == io::ErrorKind::Interrupted => watch.waited(),
        Err(e) => Err(e),
    }
}
