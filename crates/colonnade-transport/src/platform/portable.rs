//! POSIX only: several descriptors by `poll`, pipes polled before each call, flags set after the call that makes a descriptor.

#![allow(clippy::unnecessary_wraps, reason = "linux.rs has the same signatures")]

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::{Errno, FdFlags, fcntl_setfd, ioctl_fionbio, readv};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrAny, SocketType, acceptfrom, getsockname, socket,
};

use crate::channel::Direction;
use crate::poll::poll_one;

/// A set of descriptors, polled together.
#[derive(Debug)]
pub(crate) struct Watch {
    /// The descriptor that a program polls in place of the set. Others of the set do not wake it, so it must ask now and then.
    main: RawFd,
    watched: Mutex<BTreeMap<RawFd, PollFlags>>,
}

impl Watch {
    pub(crate) fn new(main: RawFd) -> io::Result<Self> {
        Ok(Self { main, watched: Mutex::default() })
    }

    /// Watches `fd` until it is ready for `direction`.
    pub(crate) fn add(&self, fd: RawFd, direction: Direction) -> io::Result<()> {
        let flags = match direction {
            Direction::Receive => PollFlags::IN,
            Direction::Send => PollFlags::OUT,
        };
        self.watched().insert(fd, flags);
        Ok(())
    }

    /// Stops watching `fd`.
    pub(crate) fn remove(&self, fd: RawFd) {
        self.watched().remove(&fd);
    }

    pub(crate) fn wait(&self, at_most: Duration) -> io::Result<bool> {
        let watched = self.watched().clone();
        // SAFETY: the callers remove a descriptor before they close it. One that another thread closes meanwhile is reported as
        // ready by this poll, and the next one is without it.
        let borrowed = watched.iter().map(|(&fd, &flags)| (unsafe { BorrowedFd::borrow_raw(fd) }, flags));
        let mut fds: Vec<PollFd<'_>> =
            borrowed.map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags)).collect();
        Ok(poll(&mut fds, Timespec::try_from(at_most).ok().as_ref())? > 0)
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.main
    }

    fn watched(&self) -> MutexGuard<'_, BTreeMap<RawFd, PollFlags>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fails: there is no portable way to a second open file description of a pipe.
pub(crate) fn reopen(_: BorrowedFd<'_>, _: OFlags) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does nothing.
pub(crate) fn enlarge_pipe(_: BorrowedFd<'_>, _: usize) {}

/// Reads from a pipe that has bytes, which then does not wait; `None` for devices, whose drivers may. A pipe that another
/// process reads too may lose its bytes between the two calls.
pub(crate) fn read_at_once(fd: BorrowedFd<'_>, targets: &mut [IoSliceMut<'_>]) -> io::Result<Option<usize>> {
    if FileType::from_raw_mode(fstat(fd)?.st_mode) != FileType::Fifo {
        return Ok(None);
    }
    if poll_one(fd, PollFlags::IN, Duration::ZERO)?.is_empty() {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    Ok(Some(readv(fd, targets)?))
}

/// Returns `None`: there is no portable call.
pub(crate) fn write_at_once(_: BorrowedFd<'_>, _: &[IoSlice<'_>]) -> io::Result<Option<usize>> {
    Ok(None)
}

pub(crate) const RECEIVE_FLAGS: RecvFlags = RecvFlags::DONTWAIT;
/// Without a flag against SIGPIPE, which Rust and Python ignore from their start.
pub(crate) const SEND_FLAGS: SendFlags = SendFlags::DONTWAIT;

pub(crate) fn stream_socket(family: AddressFamily) -> rustix::io::Result<OwnedFd> {
    prepared(socket(family, SocketType::STREAM, None)?)
}

pub(crate) fn accept(fd: BorrowedFd<'_>) -> rustix::io::Result<(OwnedFd, Option<SocketAddrAny>)> {
    let (fd, name) = acceptfrom(fd)?;
    Ok((prepared(fd)?, name))
}

/// A child that another thread starts between the two calls keeps a copy of the descriptor.
fn prepared(fd: OwnedFd) -> rustix::io::Result<OwnedFd> {
    fcntl_setfd(&fd, FdFlags::CLOEXEC)?;
    ioctl_fionbio(&fd, true)?;
    Ok(fd)
}

/// Whether `accept` reports an error of the network or of a peer that has gone, and nothing is wrong with the listener.
pub(crate) fn is_gone_peer(error: Errno) -> bool {
    matches!(error, Errno::CONNABORTED | Errno::PROTO)
}

/// Returns false: not every system says so. A listening socket is then refused because it has no peer.
pub(crate) fn is_listening(_: BorrowedFd<'_>) -> rustix::io::Result<bool> {
    Ok(false)
}

pub(crate) fn is_unix_socket(fd: BorrowedFd<'_>) -> bool {
    getsockname(fd).is_ok_and(|name| name.address_family() == AddressFamily::UNIX)
}

/// Returns `None`: there is no portable call.
pub(crate) fn peer_process(_: BorrowedFd<'_>) -> Option<i32> {
    None
}

/// Does nothing: on other systems a socket has no mode before `bind` makes its file. The file is restricted before `listen`, so
/// no other user can connect.
pub(crate) fn restrict_socket(_: BorrowedFd<'_>) -> rustix::io::Result<()> {
    Ok(())
}

/// Makes the file of a socket accessible only to its owner. Returns false if another file (by device and inode) has its path.
/// Whoever may rename files in the directory can still exchange it between the two calls.
pub(crate) fn restrict_socket_file(path: &Path, identity: (u64, u64)) -> io::Result<bool> {
    let meta = fs::symlink_metadata(path)?;
    if (meta.dev(), meta.ino()) != identity {
        return Ok(false);
    }
    fs::set_permissions(path, Permissions::from_mode(0o600)).map(|()| true)
}

/// Returns false: there is no portable call that fails where the file system cannot, rather than write zeros.
pub(crate) fn reserve(_: &File, _: u64) -> rustix::io::Result<bool> {
    Ok(false)
}

/// Returns false: there is no portable call.
pub(crate) fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Returns false: kinds of file systems have other names on each system. Leftovers of killed writers stay.
pub(crate) fn is_local(_: BorrowedFd<'_>) -> bool {
    false
}
