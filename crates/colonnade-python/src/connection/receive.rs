//! The receiving side: receives the channel's bytes directly into the buffers of the current message.

use std::io::{self, IoSliceMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use colonnade::Result;
use colonnade::message::{Incoming, MessageStep};
use colonnade_transport::{Channel, Direction};

use super::watch::Watch;

/// Bytes received beyond a message, so that small messages do not cost a system call each.
const READ_AHEAD_NBYTES: usize = 64 << 10;

/// Bytes received beyond a large buffer: only the next headers, because the rest would be copied once more.
const LARGE_READ_AHEAD_NBYTES: usize = 4 << 10;
const LARGE_NBYTES: usize = 256 << 10;

/// Bounds of the expected number of bytes of one receive.
const SMALL_NBYTES: usize = 64 << 10;
const LARGEST_NBYTES: usize = 64 << 20;

/// The result of a turn.
#[derive(Debug)]
pub(super) enum Turn {
    /// The decoder made a step.
    Step(MessageStep),
    /// No bytes are available now.
    Pending,
    /// The end of input between two messages.
    End,
    /// The caller must check for signals. That may run Python, so the receiving side must not be locked.
    CheckSignals,
}

/// The outcome of the work that a caller does with the receiver.
pub(super) enum TurnOutcome<T> {
    Done(T),
    /// Wait for the channel, then take another turn.
    Wait,
    /// Check for signals, then take another turn.
    CheckSignals,
}

/// The channel and counters of one call that receives.
pub(super) struct ReceiveContext<'p> {
    pub(super) channel: &'p Arc<dyn Channel>,
    pub(super) watch: &'p Watch<'p>,
    /// Counts all received bytes of the connection.
    pub(super) nbytes_received: &'p AtomicU64,
}

/// The receiving side of a connection.
#[derive(Debug)]
pub(super) struct Receiver {
    pub(super) incoming: Incoming,
    read_ahead: Vec<u8>,
    from: usize,
    to: usize,
    pub(super) ended: bool,
    /// The expected number of bytes of the next receive.
    expected_nbytes: usize,
}

impl Receiver {
    pub(super) fn new(incoming: Incoming) -> Self {
        Self { incoming, read_ahead: Vec::new(), from: 0, to: 0, ended: false, expected_nbytes: LARGE_NBYTES }
    }

    /// Whether bytes were received that belong to no message yet.
    pub(super) fn has_read_ahead(&self) -> bool {
        self.from < self.to
    }

    /// Receives available bytes, about `left` at most, until the decoder makes a step. Never waits.
    ///
    /// # Errors
    /// Errors of malformed messages, of the channel and of `watch`.
    pub(super) fn turn(&mut self, context: &ReceiveContext<'_>, left: &mut usize) -> Result<Turn> {
        loop {
            if self.incoming.is_whole() {
                return Ok(Turn::Step(MessageStep::Whole));
            }
            if self.from < self.to {
                let (count, step) =
                    self.incoming.feed(self.read_ahead.get(self.from..self.to).unwrap_or(&[]))?;
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
            // Bytes that the channel has already taken from its descriptor are received too, because polling the descriptor
            // would not report them.
            if *left == 0 && !context.channel.has_pending() {
                return Ok(Turn::Pending);
            }
            match self.receive(context.channel)? {
                Ok(None) => self.ended = true,
                Ok(Some((count, in_message))) => {
                    *left = left.saturating_sub(count);
                    context.nbytes_received.fetch_add(count as u64, Ordering::Relaxed);
                    let is_due = context.watch.count(count);
                    match self.incoming.filled(in_message)? {
                        MessageStep::Need if is_due => return Ok(Turn::CheckSignals),
                        MessageStep::Need => {}
                        step => return Ok(Turn::Step(step)),
                    }
                }
                Err(e) => match e.kind() {
                    io::ErrorKind::WouldBlock => return Ok(Turn::Pending),
                    io::ErrorKind::Interrupted => return Ok(Turn::CheckSignals),
                    _ => return Err(e.into()),
                },
            }
        }
    }

    /// Receives once from the channel. Returns the number of bytes, and how many of them belong to the message.
    fn receive(&mut self, channel: &Arc<dyn Channel>) -> Result<io::Result<Option<(usize, usize)>>> {
        let mut buffers = self.incoming.io_buffers(self.expected_nbytes)?;
        let nbytes: usize = buffers.iter().map(|buffer| buffer.len()).sum();
        let read_ahead = if nbytes < LARGE_NBYTES { READ_AHEAD_NBYTES } else { LARGE_READ_AHEAD_NBYTES };
        if self.read_ahead.is_empty() {
            self.read_ahead.resize(READ_AHEAD_NBYTES, 0);
        }
        // Further bytes are received only if the buffers end the current piece. Otherwise the next bytes belong in other
        // buffers.
        if nbytes < self.expected_nbytes {
            buffers.push(IoSliceMut::new(self.read_ahead.get_mut(..read_ahead).unwrap_or(&mut [])));
        }
        let count = match channel.receive(&mut buffers) {
            Ok(0) => return Ok(Ok(None)),
            Ok(count) => count,
            Err(e) => return Ok(Err(e)),
        };
        self.expected_nbytes = if count >= nbytes { self.expected_nbytes * 2 } else { count * 2 };
        self.expected_nbytes = self.expected_nbytes.clamp(SMALL_NBYTES, LARGEST_NBYTES);
        let in_message = count.min(nbytes);
        (self.from, self.to) = (0, count - in_message);
        Ok(Ok(Some((count, in_message))))
    }
}

/// Waits until bytes are available, at most one tick.
pub(super) fn wait(channel: &Arc<dyn Channel>, watch: &Watch<'_>) -> io::Result<()> {
    match channel.wait(Direction::Receive, watch.tick()) {
        Ok(true) => Ok(()),
        Ok(false) => watch.check_timeout(),
        Err(e) if e.kind() == io::ErrorKind::Interrupted => watch.check_timeout(),
        Err(e) => Err(e),
    }
}
