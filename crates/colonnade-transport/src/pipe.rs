//! Descriptors that others opened: pipes, FIFOs, files, devices, sockets. They may be shared with other processes, so
//! nothing is set on them; and yet no call here waits.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::fs::{FileType, Mode, OFlags, fcntl_getfl, fstat, open};
use rustix::io::{Errno, ReadWriteFlags, preadv2, pwritev2, read, readv, write, writev};
use rustix::pipe::{PIPE_BUF, fcntl_getpipe_size, fcntl_setpipe_size};

use crate::address::TICK;
use crate::channel::{Channel, Direction};
use crate::failure::{SystemError, check};
use crate::socket::{self, MOST_SLICES, Socket};

/// What pipes are asked to hold: the most that the system allows an ordinary user by itself.
const PIPE_NBYTES: usize = 1 << 20;

/// One descriptor to receive from, one to send to; either may be absent.
#[derive(Debug)]
pub struct Pipe {
    receive: Option<End>,
    // Taken when finished, so that the peer sees the end.
    send: Mutex<Option<Arc<End>>>,
    peer: String,
}

/// A descriptor, and how it is kept from waiting.
#[derive(Debug)]
struct End {
    /// The caller's open file description.
    given: OwnedFd,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// A pipe, opened once more: a description of our own that does not block.
    Own(OwnedFd),
    /// Never blocks for long: a regular file.
    File,
    /// Each call may say that it must not wait.
    Socket,
    /// A pipe that could not be opened again, a terminal, a device: polled before each call.
    Polled,
}

impl Pipe {
    /// Over duplicates of descriptors of the caller's. Where the caller keeps the sending one open, the peer sees no end
    /// of input before it is closed there too.
    ///
    /// # Errors
    /// `InvalidInput` where neither is given, or one is not open in its direction; the system's own.
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
        let receive = receive.map(|fd| End::new(fd, Direction::Receive)).transpose()?;
        let send = send.map(|fd| End::new(fd, Direction::Send)).transpose()?.map(Arc::new);
        Ok(Self { receive, send: Mutex::new(send), peer })
    }

    fn sending(&self) -> io::Result<Arc<End>> {
        let send = self.send.lock().unwrap_or_else(PoisonError::into_inner);
        send.clone()
            .ok_or_else(|| io::Error::new(io::ErrorKind::BrokenPipe, "nothing can be sent here (any more)"))
    }

    fn receiving(&self) -> io::Result<&End> {
        self.receive
            .as_ref()
            .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "nothing can be received here"))
    }
}

/// A channel over descriptors of the caller's: a [`Socket`] where both are one socket, else a [`Pipe`].
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

impl End {
    fn new(fd: BorrowedFd<'_>, direction: Direction) -> io::Result<Self> {
        let mode = fcntl_getfl(fd)? & OFlags::RWMODE;
        let wrong = |text: &str| {
            let text = format!("descriptor {}: {text}", fd.as_raw_fd());
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        match direction {
            Direction::Receive if mode == OFlags::WRONLY => {
                return Err(wrong("expected one open for reading, found one for writing only"));
            }
            Direction::Send if mode == OFlags::RDONLY => {
                return Err(wrong("expected one open for writing, found one for reading only"));
            }
            _ => {}
        }
        let way = match FileType::from_raw_mode(fstat(fd)?.st_mode) {
            FileType::Fifo => own(fd, direction),
            FileType::RegularFile => Way::File,
            FileType::Socket => Way::Socket,
            FileType::Directory => {
                return Err(wrong("expected a pipe, a socket or a file, found a directory"));
            }
            _ => Way::Polled,
        };
        Ok(Self { given: fd.try_clone_to_owned()?, way })
    }

    /// The descriptor to poll.
    fn fd(&self) -> BorrowedFd<'_> {
        match &self.way {
            Way::Own(fd) => fd.as_fd(),
            _ => self.given.as_fd(),
        }
    }

    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let count = targets.len().min(MOST_SLICES);
        let targets = targets.get_mut(..count).unwrap_or_default();
        match &self.way {
            Way::File => Ok(readv(&self.given, targets)?),
            Way::Socket => socket::receive(self.given.as_fd(), targets),
            Way::Own(fd) => match readv(fd, targets)? {
                0 if targets.iter().any(|t| !t.is_empty()) => self.nothing(),
                count => Ok(count),
            },
            Way::Polled => match preadv2(&self.given, targets, u64::MAX, ReadWriteFlags::NOWAIT) {
                Ok(count) => Ok(count),
                Err(Errno::OPNOTSUPP | Errno::SPIPE | Errno::INVAL | Errno::NOSYS) => {
                    if poll_now(self.given.as_fd(), PollFlags::IN)?.is_empty() {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                    let Some(first) = targets.iter_mut().find(|t| !t.is_empty()) else { return Ok(0) };
                    Ok(read(&self.given, &mut **first)?)
                }
                Err(e) => Err(e.into()),
            },
        }
    }

    /// A pipe without a writer gives 0 bytes, also before the first writer of a FIFO has come. Only the caller's own
    /// description knows which: it is hung up once a writer has been there and gone.
    fn nothing(&self) -> io::Result<usize> {
        match poll_now(self.given.as_fd(), PollFlags::IN)? {
            flags if flags.contains(PollFlags::HUP) && !flags.contains(PollFlags::IN) => Ok(0),
            _ => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        let sources = sources.get(..MOST_SLICES).unwrap_or(sources);
        match &self.way {
            Way::File => Ok(writev(&self.given, sources)?),
            Way::Socket => socket::send(self.given.as_fd(), sources),
            Way::Own(fd) => Ok(writev(fd, sources)?),
            Way::Polled => match pwritev2(&self.given, sources, u64::MAX, ReadWriteFlags::NOWAIT) {
                Ok(count) => Ok(count),
                Err(Errno::OPNOTSUPP | Errno::SPIPE | Errno::INVAL | Errno::NOSYS) => {
                    if poll_now(self.given.as_fd(), PollFlags::OUT)?.is_empty() {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                    // A pipe that can be written to takes that much without waiting.
                    let Some(first) = sources.iter().find(|s| !s.is_empty()) else { return Ok(0) };
                    Ok(write(&self.given, first.get(..PIPE_BUF).unwrap_or(first))?)
                }
                Err(e) => Err(e.into()),
            },
        }
    }

    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        match (&self.way, direction) {
            (Way::File, _) => Ok(true),
            // Here, too, only the caller's description sees the writer go.
            (Way::Own(_), Direction::Receive) => socket::wait(self.given.as_fd(), direction, at_most),
            _ => socket::wait(self.fd(), direction, at_most),
        }
    }
}

impl Channel for Pipe {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.receiving()?.receive(targets)
    }

    // SIGPIPE: Rust's and Python's start ignore it, so a pipe nobody reads is `BrokenPipe`.
    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        self.sending()?.send(sources)
    }

    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        match direction {
            Direction::Receive => self.receiving()?.wait(direction, at_most),
            Direction::Send => self.sending()?.wait(direction, at_most),
        }
    }

    fn finish(&self) -> io::Result<()> {
        let end = self.send.lock().unwrap_or_else(PoisonError::into_inner).take();
        match end {
            Some(end) if matches!(end.way, Way::Socket) => {
                match rustix::net::shutdown(&end.given, rustix::net::Shutdown::Write) {
                    Ok(()) | Err(Errno::NOTCONN) => Ok(()),
                    Err(e) => Err(e.into()),
                }
            }
            // Closed where nobody is sending just now.
            _ => Ok(()),
        }
    }

    fn descriptor(&self, direction: Direction) -> Option<RawFd> {
        match direction {
            Direction::Receive => self.receive.as_ref().map(|end| end.given.as_raw_fd()),
            Direction::Send => self.sending().ok().map(|end| end.fd().as_raw_fd()),
        }
    }

    fn peer(&self) -> &str {
        &self.peer
    }
}

/// A pipe opened once more, so that not to block is a property of our description alone.
fn own(fd: BorrowedFd<'_>, direction: Direction) -> Way {
    if fcntl_getpipe_size(fd).is_ok_and(|n| n < PIPE_NBYTES) {
        // Refused beyond the user's share, or where more is in it: it then is slower.
        fcntl_setpipe_size(fd, PIPE_NBYTES).ok();
    }
    let mode = match direction {
        Direction::Receive => OFlags::RDONLY,
        Direction::Send => OFlags::WRONLY,
    };
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    // Without /proc, without the right to, or (sending) without a reader.
    open(path, mode | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).map_or(Way::Polled, Way::Own)
}

/// Opens a FIFO without blocking for ever: for sending it waits until somebody reads. For receiving it does not wait:
/// before the first writer has come there is nothing to receive, but no end of input either; so two processes that open
/// two FIFOs crosswise, each the one to receive from first, do not wait for each other.
///
/// # Errors
/// `InvalidInput` where it is no FIFO; `TimedOut`; `interrupted`'s; the system's own.
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
        check(deadline, || format!("{}: nobody opened it for reading in time", path.display()))?;
    }
}

fn poll_now(fd: BorrowedFd<'_>, events: PollFlags) -> io::Result<PollFlags> {
    socket::poll_one(fd, events, Duration::ZERO)
}

fn is(stat: &rustix::fs::Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(stat.st_mode) == kind
}
