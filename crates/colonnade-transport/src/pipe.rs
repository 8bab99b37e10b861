//! Pairs of descriptors as channels, and opening FIFOs without blocking forever.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FileType, Mode, OFlags, fstat, open};
use rustix::io::Errno;

use crate::address::TICK;
use crate::channel::{Channel, Direction};
use crate::failure::{SystemError, check_deadline};
use crate::fd::Fd;
use crate::socket::Socket;

/// A channel over one descriptor to receive from and one to send to. Either may be absent.
#[derive(Debug)]
pub struct Pipe {
    receive: Option<Fd>,
    // Taken by `finish`, so that the peer sees the end of input.
    send: Mutex<Option<Arc<Fd>>>,
    peer: String,
}

impl Pipe {
    /// Creates a channel over duplicates of the caller's descriptors. If the caller keeps the sending one open, the peer sees
    /// the end of input only after it is closed there too.
    ///
    /// # Errors
    /// `InvalidInput` if both are absent, or one is not open in its direction; operating-system errors.
    pub fn new(
        receive: Option<BorrowedFd<'_>>,
        send: Option<BorrowedFd<'_>>,
        peer: Option<&str>,
    ) -> io::Result<Self> {
        let text = |fd: BorrowedFd<'_>| fd.as_raw_fd().to_string();
        let peer = match (peer, receive.map(text), send.map(text)) {
            (Some(peer), _, _) => peer.to_owned(),
            (None, Some(r), Some(s)) if r != s => format!("descriptors {r} and {s}"),
            (None, Some(one), _) | (None, None, Some(one)) => format!("descriptor {one}"),
            (None, None, None) => {
                let text = "connection: expected a descriptor to receive from or to send to, found neither";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
        };
        let receive = receive.map(|fd| Fd::new(fd, Direction::Receive)).transpose()?;
        let send = send.map(|fd| Fd::new(fd, Direction::Send)).transpose()?.map(Arc::new);
        Ok(Self { receive, send: Mutex::new(send), peer })
    }

    fn send_end(&self) -> io::Result<Arc<Fd>> {
        let send = self.send.lock().unwrap_or_else(PoisonError::into_inner);
        send.clone()
            .ok_or_else(|| io::Error::new(io::ErrorKind::BrokenPipe, "nothing can be sent here (any more)"))
    }

    fn receive_end(&self) -> io::Result<&Fd> {
        self.receive
            .as_ref()
            .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "nothing can be received here"))
    }
}

/// Creates a channel over the caller's descriptors: a [`Socket`] if both are one socket, otherwise a [`Pipe`].
///
/// # Errors
/// As [`Socket::from_fd`] and [`Pipe::new`].
pub fn from_descriptors(
    receive: Option<BorrowedFd<'_>>,
    send: Option<BorrowedFd<'_>>,
    peer: Option<&str>,
) -> io::Result<Arc<dyn Channel>> {
    if let (Some(one), Some(other)) = (receive, send) {
        let (a, b) = (fstat(one)?, fstat(other)?);
        if is(&a, FileType::Socket) && (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino) {
            return Ok(Arc::new(Socket::from_fd(one, peer)?));
        }
    }
    Ok(Arc::new(Pipe::new(receive, send, peer)?))
}

impl Channel for Pipe {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.receive_end()?.receive(targets)
    }

    // Rust and Python ignore SIGPIPE from their start, so a pipe without a reader returns `BrokenPipe`.
    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        self.send_end()?.send(sources)
    }

    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        match direction {
            Direction::Receive => self.receive_end()?.wait(direction, at_most),
            Direction::Send => self.send_end()?.wait(direction, at_most),
        }
    }

    fn finish(&self) -> io::Result<()> {
        let end = self.send.lock().unwrap_or_else(PoisonError::into_inner).take();
        match end {
            Some(end) => end.finish(),
            None => Ok(()),
        }
    }

    fn descriptor(&self, direction: Direction) -> Option<RawFd> {
        match direction {
            Direction::Receive => self.receive.as_ref().map(|end| end.poll_fd(direction).as_raw_fd()),
            Direction::Send => self.send_end().ok().map(|end| end.poll_fd(direction).as_raw_fd()),
        }
    }

    fn peer(&self) -> &str {
        &self.peer
    }
}

/// Opens a FIFO without blocking forever. For sending it waits until a reader opens it. For receiving it does not wait: before
/// a writer has opened the FIFO there are no bytes, but no end of input either. So two processes that open two FIFOs crosswise,
/// each the one to receive from first, do not wait for each other.
///
/// # Errors
/// `InvalidInput` if the path is no FIFO; `TimedOut`; errors of `interrupted`; operating-system errors.
pub fn open_fifo(
    path: &Path,
    direction: Direction,
    deadline: Option<Instant>,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<OwnedFd> {
    let mode = match direction {
        Direction::Receive => OFlags::RDONLY,
        Direction::Send => OFlags::WRONLY,
    };
    loop {
        match open(path, mode | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
            Ok(fd) if is(&fstat(&fd)?, FileType::Fifo) => return Ok(fd),
            Ok(_) => {
                let text = format!("{}: expected a FIFO, found something else", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
            Err(Errno::NXIO) => std::thread::sleep(TICK / 10),
            Err(Errno::INTR) => {}
            Err(e) => return Err(SystemError::wrap(e.into(), &path.display(), "")),
        }
        interrupted()?;
        check_deadline(deadline, || format!("{}: no process opened it for reading in time", path.display()))?;
    }
}

fn is(stat: &rustix::fs::Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(stat.st_mode) == kind
}
