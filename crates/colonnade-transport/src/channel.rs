//! The trait of all transports of bytes, in one direction or both. Only `wait` blocks, so that a caller can check for signals,
//! deadlines and other channels.

use std::fmt::Debug;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::RawFd;
use std::time::Duration;

/// The direction in which bytes move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the peer.
    Receive,
    /// To the peer.
    Send,
}

/// A channel of bytes to a peer. One thread may receive while another sends.
pub trait Channel: Send + Sync + Debug {
    /// Receives available bytes into `targets`, in order, and returns their number; 0 is the end of input.
    ///
    /// # Errors
    /// `WouldBlock` if no bytes are available; `Interrupted` after a signal; operating-system errors.
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize>;

    /// Sends as many bytes of `sources`, in order, as the peer's side accepts now, and returns their number.
    ///
    /// # Errors
    /// `WouldBlock` if it accepts none now; `Interrupted` after a signal; operating-system errors (`BrokenPipe`, never
    /// SIGPIPE).
    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Waits at most `at_most` until the direction may be ready, and returns whether it may. False positives are allowed.
    ///
    /// # Errors
    /// `Interrupted` after a signal; operating-system errors.
    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool>;

    /// Sends bytes that the channel buffers (a TLS session's last records), and returns whether none are left.
    ///
    /// # Errors
    /// As [`Channel::send`].
    fn flush(&self) -> io::Result<bool> {
        Ok(true)
    }

    /// Ends sending. The peer sees the end of input, and may still send.
    ///
    /// # Errors
    /// Operating-system errors.
    fn finish(&self) -> io::Result<()>;

    /// Returns the descriptor to poll for the direction, if there is one. Bytes may also wait above it (see `has_pending`).
    fn descriptor(&self, direction: Direction) -> Option<RawFd>;

    /// Whether bytes were taken from the descriptor that `receive` has not returned yet.
    fn has_pending(&self) -> bool {
        false
    }

    /// The name of the peer, for messages: `tcp://127.0.0.1:5000`, `unix:/run/x`, `descriptor 5`.
    fn peer(&self) -> &str;
}
