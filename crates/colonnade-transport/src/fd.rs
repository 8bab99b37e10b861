//! A descriptor that the caller opened: a pipe, a FIFO, a file, a device or a socket. Other processes may share it, so its
//! blocking mode never changes, yet no call here waits.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::PollFlags;
use rustix::fs::{FileType, OFlags, fcntl_getfl, fstat};
use rustix::io::{Errno, read, readv, write, writev};
use rustix::net::{Shutdown, shutdown};
use rustix::pipe::PIPE_BUF;

use crate::channel::Direction;
use crate::socket::{self, MAX_SLICES};
use crate::{platform, poll};

/// The requested capacity of pipes: the maximum that the system grants an ordinary user. Measured as for sockets (see
/// `LOCAL_NBYTES`), GB/s: 64 KiB 1.9 (2.8), 256 KiB 2.6 (3.4), 512 KiB 2.6 (4.3), 1 MiB 3.3 (4.7).
const PIPE_NBYTES: usize = 1 << 20;

/// A descriptor, and how its calls avoid waiting.
#[derive(Debug)]
pub(crate) struct Fd {
    /// The caller's open file description.
    fd: OwnedFd,
    non_blocking: NonBlocking,
}

#[derive(Debug)]
enum NonBlocking {
    /// A pipe that was reopened: a separate open file description, which does not block.
    Reopened(OwnedFd),
    /// A file on a disk, which never blocks for long.
    File,
    /// A socket: each call has a flag not to wait.
    Socket,
    /// A pipe that cannot be reopened, a terminal or a device: polled before each call.
    Polled,
}

impl Fd {
    pub(crate) fn new(fd: BorrowedFd<'_>, direction: Direction) -> io::Result<Self> {
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
        let non_blocking = match FileType::from_raw_mode(fstat(fd)?.st_mode) {
            FileType::Fifo => reopen(fd, direction),
            FileType::RegularFile | FileType::BlockDevice => NonBlocking::File,
            FileType::Socket => NonBlocking::Socket,
            FileType::Directory => {
                return Err(wrong("expected a pipe, a socket or a file, found a directory"));
            }
            _ => NonBlocking::Polled,
        };
        Ok(Self { fd: fd.try_clone_to_owned()?, non_blocking })
    }

    /// Returns the descriptor to poll. Only the caller's open file description notices that a writer closed (see `end_of_input`).
    pub(crate) fn poll_fd(&self, direction: Direction) -> BorrowedFd<'_> {
        match (&self.non_blocking, direction) {
            (NonBlocking::Reopened(fd), Direction::Send) => fd.as_fd(),
            _ => self.fd.as_fd(),
        }
    }

    /// Ends sending before the descriptor is closed.
    pub(crate) fn finish(&self) -> io::Result<()> {
        match self.non_blocking {
            NonBlocking::Socket => match shutdown(&self.fd, Shutdown::Write) {
                Ok(()) | Err(Errno::NOTCONN) => Ok(()),
                Err(e) => Err(e.into()),
            },
            _ => Ok(()),
        }
    }

    pub(crate) fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        let count = targets.len().min(MAX_SLICES);
        let targets = targets.get_mut(..count).unwrap_or_default();
        match &self.non_blocking {
            NonBlocking::File => Ok(readv(&self.fd, targets)?),
            NonBlocking::Socket => socket::receive(self.fd.as_fd(), targets),
            NonBlocking::Reopened(fd) => match readv(fd, targets)? {
                0 if targets.iter().any(|t| !t.is_empty()) => self.end_of_input(),
                count => Ok(count),
            },
            NonBlocking::Polled => match platform::read_at_once(self.fd.as_fd(), targets)? {
                Some(count) => Ok(count),
                None => {
                    if poll_now(self.fd.as_fd(), PollFlags::IN)?.is_empty() {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                    let Some(first) = targets.iter_mut().find(|t| !t.is_empty()) else { return Ok(0) };
                    Ok(read(&self.fd, &mut **first)?)
                }
            },
        }
    }

    /// Distinguishes the end of input from a FIFO that no writer has opened yet: both give 0 bytes. Only the caller's open file
    /// description knows: it is hung up after a writer has opened and closed the pipe.
    fn end_of_input(&self) -> io::Result<usize> {
        match poll_now(self.fd.as_fd(), PollFlags::IN)? {
            flags if flags.contains(PollFlags::HUP) && !flags.contains(PollFlags::IN) => Ok(0),
            _ => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    pub(crate) fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        let sources = sources.get(..MAX_SLICES).unwrap_or(sources);
        match &self.non_blocking {
            NonBlocking::File => Ok(writev(&self.fd, sources)?),
            NonBlocking::Socket => socket::send(self.fd.as_fd(), sources),
            NonBlocking::Reopened(fd) => Ok(writev(fd, sources)?),
            NonBlocking::Polled => match platform::write_at_once(self.fd.as_fd(), sources)? {
                Some(count) => Ok(count),
                None => {
                    if poll_now(self.fd.as_fd(), PollFlags::OUT)?.is_empty() {
                        return Err(io::ErrorKind::WouldBlock.into());
                    }
                    // A pipe that is ready for writing accepts this many bytes without waiting.
                    let mut end = 0;
                    let fits = |source: &&IoSlice<'_>| {
                        end += source.len();
                        end <= PIPE_BUF
                    };
                    let count = sources.iter().take_while(fits).count();
                    let whole = sources.get(..count).unwrap_or(sources);
                    if whole.iter().any(|s| !s.is_empty()) {
                        return Ok(writev(&self.fd, whole)?);
                    }
                    let Some(first) = sources.iter().find(|s| !s.is_empty()) else { return Ok(0) };
                    Ok(write(&self.fd, first.get(..PIPE_BUF).unwrap_or(first))?)
                }
            },
        }
    }

    pub(crate) fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        match self.non_blocking {
            NonBlocking::File => Ok(true),
            _ => poll::wait(self.poll_fd(direction), direction, at_most),
        }
    }
}

/// Reopens a pipe, so that the non-blocking mode is set only on the new open file description.
fn reopen(fd: BorrowedFd<'_>, direction: Direction) -> NonBlocking {
    platform::enlarge_pipe(fd, PIPE_NBYTES);
    let mode = match direction {
        Direction::Receive => OFlags::RDONLY,
        Direction::Send => OFlags::WRONLY,
    };
    platform::reopen(fd, mode).map_or(NonBlocking::Polled, NonBlocking::Reopened)
}

fn poll_now(fd: BorrowedFd<'_>, events: PollFlags) -> io::Result<PollFlags> {
    poll::poll_one(fd, events, Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{Mode, open};

    use super::*;

    fn would_block(result: io::Result<usize>) -> bool {
        matches!(result, Err(e) if e.kind() == io::ErrorKind::WouldBlock)
    }

    /// Pipes that cannot be reopened do not wait either: anonymous pipes by a flag of each call, FIFOs and terminals by polling
    /// first.
    #[test]
    fn descriptors_that_cannot_be_reopened_do_not_wait() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let fifo = || open(&path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap();
        for (r, w) in [rustix::pipe::pipe().unwrap(), (fifo(), fifo())] {
            let (receiving, sending) = (
                Fd { fd: r, non_blocking: NonBlocking::Polled },
                Fd { fd: w, non_blocking: NonBlocking::Polled },
            );
            let mut target = vec![0; 1 << 20];
            assert!(would_block(receiving.receive(&mut [IoSliceMut::new(&mut target)])));
            let (mut sent, block) = (0, vec![1; 100_000]);
            loop {
                match sending.send(&[IoSlice::new(&block)]) {
                    Ok(count) => sent += count,
                    error => break assert!(would_block(error)),
                }
            }
            assert_eq!(sent, 1 << 16);
            let mut taken = 0;
            while taken < sent {
                taken +=
                    receiving.receive(&mut [IoSliceMut::new(&mut []), IoSliceMut::new(&mut target)]).unwrap();
            }
            assert!(would_block(receiving.receive(&mut [IoSliceMut::new(&mut target)])));
        }
    }
}
