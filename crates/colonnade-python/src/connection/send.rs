//! The sending side.

use std::io::{self, IoSlice};
use std::sync::Arc;

use colonnade::sink::Sink;
use colonnade_transport::{Channel, Direction};

use super::watch::Watch;

/// How far the sending side is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sending {
    /// Between two messages.
    Open,
    /// A writer has its message open.
    Writing,
    /// Part of a message went out, and the rest never will: why.
    Broken(String),
    /// Nothing more will be sent.
    Finished,
}

/// Sends everything; waits where the channel is full. What went out is counted in `sent`.
pub(super) struct ChannelSink<'s> {
    pub(super) channel: &'s Arc<dyn Channel>,
    pub(super) watch: Watch<'s>,
    pub(super) sent: u64,
}

impl ChannelSink<'_> {
    /// Gives on what the channel holds back.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        loop {
            match self.channel.flush() {
                Ok(true) => return Ok(()),
                Ok(false) => self.wait()?,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.wait()?,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => self.watch.waited()?,
                Err(e) => return Err(e),
            }
        }
    }

    fn wait(&self) -> io::Result<()> {
        match self.channel.wait(Direction::Send, self.watch.tick()) {
            Ok(true) => Ok(()),
            Ok(false) => self.watch.waited(),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => self.watch.waited(),
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
        IoSlice::advance_slices(&mut rest, 0); // drops empty pieces at the front
        while !rest.is_empty() {
            match self.channel.send(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.sent += count as u64;
                    IoSlice::advance_slices(&mut rest, count);
                    self.watch.moved(count)?;
                }
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => self.wait()?,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => self.watch.waited()?,
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn takes_pieces(&self) -> bool {
        true
    }
}
