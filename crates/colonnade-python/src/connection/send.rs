//! The sending side of a connection.

use std::io::{self, IoSlice};
use std::sync::Arc;

use colonnade::sink::Sink;
use colonnade_transport::{Channel, Direction};

use super::watch::Watch;

/// The state of the sending side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SendState {
    /// Between two messages.
    Open,
    /// A writer has begun a message.
    Writing,
    /// A message broke off after a part of it was sent; with the reason.
    Broken(String),
    /// Sending has ended.
    Finished,
}

/// A sink that sends all bytes, and waits while the channel is full. `sent` counts the bytes.
pub(super) struct ChannelSink<'s> {
    pub(super) channel: &'s Arc<dyn Channel>,
    pub(super) watch: Watch<'s>,
    pub(super) sent: u64,
}

impl ChannelSink<'_> {
    /// Sends the bytes that the channel buffers.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        loop {
            match self.channel.flush() {
                Ok(true) => return Ok(()),
                Ok(false) => self.wait()?,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.wait()?,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => self.watch.check_timeout()?,
                Err(e) => return Err(e),
            }
        }
    }

    fn wait(&self) -> io::Result<()> {
        match self.channel.wait(Direction::Send, self.watch.tick()) {
            Ok(true) => Ok(()),
            Ok(false) => self.watch.check_timeout(),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => self.watch.check_timeout(),
            Err(e) => Err(e),
        }
    }
}

impl Sink for ChannelSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_pieces(&[IoSlice::new(bytes)])
    }

    fn write_pieces(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        let mut list: Vec<IoSlice<'_>> = pieces.to_vec();
        let mut rest = list.as_mut_slice();
        IoSlice::advance_slices(&mut rest, 0); // removes empty pieces at the front
        while !rest.is_empty() {
            match self.channel.send(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.sent += count as u64;
                    IoSlice::advance_slices(&mut rest, count);
                    self.watch.add(count)?;
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.wait()?,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => self.watch.check_timeout()?,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn takes_pieces(&self) -> bool {
        true
    }
}
