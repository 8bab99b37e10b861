//! The receiving side: the channel's bytes into the rooms of the message that comes in.

use std::io::{self, IoSliceMut};
use std::sync::Arc;

use colonnade::Result;
use colonnade::message::{Incoming, Step};
use colonnade_transport::{Channel, Direction};

use super::watch::Watch;

/// What is taken beyond the message, so that small ones do not cost a system call each.
const AHEAD_NBYTES: usize = 64 << 10;

/// Behind a large room only the next headers are worth taking along: what lies behind them would be copied once more.
const AHEAD_OF_LARGE_NBYTES: usize = 4 << 10;
const LARGE_NBYTES: usize = 256 << 10;

/// What came of receiving.
#[derive(Debug)]
pub(super) enum Turn {
    /// Something happened.
    Step(Step),
    /// Nothing is there now.
    Pending,
    /// The end of input, between two messages.
    End,
}

/// How long a turn may take.
#[derive(Clone, Copy)]
pub(super) enum Effort {
    /// Until something happens.
    Wait,
    /// What is there now, so many bytes at most.
    Now(usize),
}

/// The receiving side.
#[derive(Debug)]
pub(super) struct Receiving {
    pub(super) incoming: Incoming,
    ahead: Vec<u8>,
    from: usize,
    to: usize,
    pub(super) ended: bool,
    pub(super) received: u64,
}

impl Receiving {
    pub(super) fn new(incoming: Incoming) -> Self {
        Self { incoming, ahead: Vec::new(), from: 0, to: 0, ended: false, received: 0 }
    }

    /// Bytes that were taken off the channel and belong to no message yet.
    pub(super) fn has_ahead(&self) -> bool {
        self.from < self.to
    }

    /// Receives until something happens.
    ///
    /// # Errors
    /// Malformed messages; the channel's own; what `watch` says.
    pub(super) fn turn(
        &mut self,
        channel: &Arc<dyn Channel>,
        watch: &Watch<'_>,
        effort: Effort,
    ) -> Result<Turn> {
        let mut taken = 0;
        loop {
            if self.incoming.is_whole() {
                return Ok(Turn::Step(Step::Whole));
            }
            if self.from < self.to {
                let (count, step) = self.incoming.feed(self.ahead.get(self.from..self.to).unwrap_or(&[]))?;
                self.from += count;
                match step {
                    Step::Need => continue,
                    step => return Ok(Turn::Step(step)),
                }
            }
            if self.ended {
                self.incoming.end()?;
                return Ok(Turn::End);
            }
            if let Effort::Now(most) = effort
                && taken >= most
            {
                return Ok(Turn::Pending);
            }
            match self.receive(channel)? {
                Ok(None) => self.ended = true,
                Ok(Some((count, in_rooms))) => {
                    taken += count;
                    watch.moved()?;
                    match self.incoming.filled(in_rooms)? {
                        Step::Need => {}
                        step => return Ok(Turn::Step(step)),
                    }
                }
                Err(e) => match (e.kind(), effort) {
                    (io::ErrorKind::WouldBlock, Effort::Now(_)) => return Ok(Turn::Pending),
                    (io::ErrorKind::WouldBlock, Effort::Wait) => wait(channel, watch)?,
                    (io::ErrorKind::Interrupted, _) => watch.waited()?,
                    _ => return Err(e.into()),
                },
            }
        }
    }

    /// One call of the channel's: (all bytes, those in rooms).
    fn receive(&mut self, channel: &Arc<dyn Channel>) -> Result<io::Result<Option<(usize, usize)>>> {
        let mut rooms = self.incoming.rooms()?;
        let wanted: usize = rooms.iter().map(|room| room.len()).sum();
        let ahead = if wanted < LARGE_NBYTES { AHEAD_NBYTES } else { AHEAD_OF_LARGE_NBYTES };
        self.ahead.resize(AHEAD_NBYTES, 0);
        rooms.push(IoSliceMut::new(self.ahead.get_mut(..ahead).unwrap_or(&mut [])));
        let count = match channel.receive(&mut rooms) {
            Ok(0) => return Ok(Ok(None)),
            Ok(count) => count,
            Err(e) => return Ok(Err(e)),
        };
        let in_rooms = count.min(wanted);
        (self.from, self.to) = (0, count - in_rooms);
        self.received += count as u64;
        Ok(Ok(Some((count, in_rooms))))
    }
}

fn wait(channel: &Arc<dyn Channel>, watch: &Watch<'_>) -> io::Result<()> {
    match channel.wait(Direction::Receive, watch.tick()) {
        Ok(true) => Ok(()),
        Ok(false) => watch.waited(),
        Err(e) if e.kind() == io::ErrorKind::Interrupted => watch.waited(),
        Err(e) => Err(e),
    }
}
