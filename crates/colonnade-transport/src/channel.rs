//! What every two-way (or one-way) transport of bytes can do. Never blocks but in `wait`, so that whoever drives it can
//! look for signals, deadlines and other channels.

use std::fmt::Debug;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::time::Duration;

/// Which way bytes shall move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To us.
    Receive,
    /// Away from us.
    Send,
}

/// Bytes between here and a peer. One thread may receive while another sends.
pub trait Channel: Send + Sync + Debug {
    /// Takes what is there, into `targets` in their order: how many bytes; 0 is the end of input.
    ///
    /// # Errors
    /// `WouldBlock` where nothing is there now; `Interrupted` after a signal; the system's own.
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize>;

    /// Gives as much of `sources`, in their order, as the other side takes now: how many bytes.
    ///
    /// # Errors
    /// `WouldBlock` where it takes none now; `Interrupted` after a signal; the system's own (`BrokenPipe`, never SIGPIPE).
    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Waits, at most so long, until that direction may get on: whether it may. False alarms are allowed.
    ///
    /// # Errors
    /// `Interrupted` after a signal; the system's own.
    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool>;

    /// Gives on what this end holds back (a TLS session's last records); true when nothing is left.
    ///
    /// # Errors
    /// As [`Channel::send`].
    fn flush(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Says that nothing more will be sent: the peer sees the end of input, and may still send.
    ///
    /// # Errors
    /// The system's own.
    fn finish(&self) -> io::Result<()>;

    /// The descriptor to poll for that direction, where there is one; bytes may wait above it (see `has_pending`).
    fn descriptor(&self, direction: Direction) -> Option<RawFd>;

    /// Whether bytes were taken from the descriptor that `receive` has not given yet.
    fn has_pending(&self) -> bool {
        false
    }

    /// The other end, for messages: `tcp://127.0.0.1:5000`, `unix:/run/x`, `descriptor 5`.
    fn peer(&self) -> &str;
}
