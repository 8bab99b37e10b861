//! A descriptor that is ready as soon as any of several descriptors is.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::io::Errno;

use crate::channel::Direction;
use crate::socket::wait;

#[derive(Debug)]
pub(super) struct Watch {
    epoll: OwnedFd,
}

impl Watch {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// Watches `fd` until it is ready for `direction`.
    pub(super) fn add(&self, fd: RawFd, direction: Direction) -> io::Result<()> {
        let flags = match direction {
            Direction::Receive => EventFlags::IN,
            Direction::Send => EventFlags::OUT,
        };
        // SAFETY: the callers own the object behind `fd` and keep it open during this call.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        match epoll::add(&self.epoll, fd, EventData::new_u64(0), flags) {
            Err(Errno::EXIST) => Ok(epoll::modify(&self.epoll, fd, EventData::new_u64(0), flags)?),
            result => Ok(result?),
        }
    }

    /// Stops watching `fd`. Closing it has the same effect only if no other process has a copy.
    pub(super) fn remove(&self, fd: RawFd) {
        // SAFETY: as in `add`.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        // A descriptor that is not watched needs no removal.
        epoll::delete(&self.epoll, fd).ok();
    }

    pub(super) fn wait(&self, at_most: Duration) -> io::Result<bool> {
        wait(self.epoll.as_fd(), Direction::Receive, at_most)
    }

    pub(super) fn descriptor(&self) -> RawFd {
        self.epoll.as_raw_fd()
    }
}
