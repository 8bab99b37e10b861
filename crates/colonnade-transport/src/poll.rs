//! Waits for one descriptor.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::channel::Direction;

pub(crate) fn wait(fd: BorrowedFd<'_>, direction: Direction, at_most: Duration) -> io::Result<bool> {
    let events = match direction {
        Direction::Receive => PollFlags::IN,
        Direction::Send => PollFlags::OUT,
    };
    // Hang-up and error count as ready, because the next call reports them.
    Ok(!poll_one(fd, events, at_most)?.is_empty())
}

pub(crate) fn poll_one(fd: BorrowedFd<'_>, events: PollFlags, at_most: Duration) -> io::Result<PollFlags> {
    let mut fds = [PollFd::from_borrowed_fd(fd, events)];
    // A duration that the system cannot represent means no limit.
    let timeout = Timespec::try_from(at_most).ok();
    poll(&mut fds, timeout.as_ref())?;
    Ok(fds[0].revents())
}
