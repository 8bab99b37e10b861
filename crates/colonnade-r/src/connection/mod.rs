//! Connections to peers: Unix sockets, TCP and TLS. Frames and bytes are messages, as in Python's `cn.connect`.

mod calls;
mod dial;
mod listen;
mod receive;

pub use calls::*;
pub use listen::*;

use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{Duration, Instant};

use colonnade::message::{Incoming, envelope};
use colonnade::progress::Progress;
use colonnade::sink::Sink;
use colonnade::{Error, Result};
use colonnade_transport::{Channel, Direction};

/// The interval at which waits ask for interrupts.
const TICK: Duration = Duration::from_millis(50);

/// A connection that sends and receives messages.
pub struct CnrConnection {
    channel: Arc<dyn Channel>,
    incoming: Incoming,
    read_ahead: Vec<u8>,
    from: usize,
    to: usize,
    ended: bool,
    /// The time that a call may take, if it names no other.
    timeout: Option<Duration>,
    threads: usize,
    /// Whether a message was sent in part, after which the peer would misread the next.
    broken: bool,
}

/// The deadline of a call, and the callback that hears interrupts.
struct Watch<'w> {
    deadline: Option<Instant>,
    progress: &'w dyn Progress,
}

impl<'w> Watch<'w> {
    fn new(timeout: Option<Duration>, progress: &'w dyn Progress) -> Self {
        Self { deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)), progress }
    }

    /// Waits until the channel may be ready; false if the deadline has passed.
    fn wait(&self, channel: &dyn Channel, direction: Direction) -> Result<bool> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Ok(false);
        }
        match channel.wait(direction, left.map_or(TICK, |left| left.min(TICK))) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error.into()),
            _ => {}
        }
        self.progress.check()?;
        Ok(true)
    }
}

/// The error of a call that took too long.
fn late(channel: &dyn Channel, what: &str) -> Error {
    let text = format!("{}: {what} in the time given", channel.peer());
    io::Error::new(io::ErrorKind::TimedOut, text).into()
}

/// Sends bytes to a channel, and waits where the peer does not accept more.
struct ChannelSink<'s> {
    channel: &'s dyn Channel,
    watch: Watch<'s>,
    sent: u64,
}

impl ChannelSink<'_> {
    fn send_all(&mut self, mut rest: &[u8]) -> Result<()> {
        while !rest.is_empty() {
            match self.channel.send(&[IoSlice::new(rest)]) {
                Ok(count) => {
                    self.sent += count as u64;
                    rest = rest.get(count..).unwrap_or_default();
                }
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
                {
                    if !self.watch.wait(self.channel, Direction::Send)? {
                        return Err(late(self.channel, "the peer did not read all of a message"));
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Sends what the channel buffers.
    fn flush(&mut self) -> Result<()> {
        loop {
            match self.channel.flush() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error)
                    if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                Err(error) => return Err(error.into()),
            }
            if !self.watch.wait(self.channel, Direction::Send)? {
                return Err(late(self.channel, "the peer did not read all of a message"));
            }
        }
    }
}

impl Sink for ChannelSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.send_all(bytes).map_err(io::Error::other)
    }
}

impl CnrConnection {
    /// Sends one message by `work`. After an error within it, the connection sends nothing more.
    fn send(
        &mut self,
        timeout: Option<Duration>,
        progress: &dyn Progress,
        work: impl FnOnce(&mut ChannelSink<'_>) -> Result<()>,
    ) -> Result<()> {
        if self.broken {
            let message =
                "an earlier message was sent in part, so the peer would misread the next. Connect again.";
            return Err(Error::malformed("message", message));
        }
        let watch = Watch::new(timeout.or(self.timeout), progress);
        let mut sink = ChannelSink { channel: &*self.channel, watch, sent: 0 };
        let result = work(&mut sink).and_then(|()| sink.flush());
        self.broken = result.is_err() && sink.sent > 0;
        result
    }

    /// Sends bytes as a message.
    fn send_bytes(&mut self, bytes: &[u8], timeout: Option<Duration>, progress: &dyn Progress) -> Result<()> {
        self.send(timeout, progress, |sink| {
            sink.send_all(&envelope(b'B', bytes.len() as u64))?;
            sink.send_all(bytes)
        })
    }
}
