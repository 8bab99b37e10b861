//! Linux: epoll, pipes reopened through /proc, calls that do not wait, reserved files, exchanged directories.

use std::fs::{self, File, Permissions};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fs::{
    CWD, FallocateFlags, Mode, OFlags, RenameFlags, fallocate, fchmod, fstatfs, open, renameat_with,
};
use rustix::io::{Errno, ReadWriteFlags, preadv2, pwritev2};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrAny, SocketFlags, SocketType, acceptfrom_with,
    socket_with, sockopt,
};
use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};

use crate::channel::Direction;
use crate::poll::wait;

// ---------------------------------------------------------------- several descriptors at once

/// A descriptor that is ready as soon as any of several descriptors is.
#[derive(Debug)]
pub(crate) struct Watch {
    epoll: OwnedFd,
}

impl Watch {
    /// `_main` is the descriptor that the portable file polls.
    pub(crate) fn new(_main: RawFd) -> io::Result<Self> {
        Ok(Self { epoll: epoll::create(CreateFlags::CLOEXEC)? })
    }

    /// Watches `fd` until it is ready for `direction`.
    pub(crate) fn add(&self, fd: RawFd, direction: Direction) -> io::Result<()> {
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
    pub(crate) fn remove(&self, fd: RawFd) {
        // SAFETY: as in `add`.
        let fd = unsafe { BorrowedFd::borrow_raw(fd) };
        // A descriptor that is not watched needs no removal.
        epoll::delete(&self.epoll, fd).ok();
    }

    pub(crate) fn wait(&self, at_most: Duration) -> io::Result<bool> {
        wait(self.epoll.as_fd(), Direction::Receive, at_most)
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.epoll.as_raw_fd()
    }
}

// ---------------------------------------------------------------- pipes and devices

/// Opens the pipe behind a descriptor again, so that the non-blocking mode is set only on the new open file description. Fails
/// without /proc, without the permission, or (for sending) without a reader.
pub(crate) fn reopen(fd: BorrowedFd<'_>, mode: OFlags) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    Ok(open(path, mode | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?)
}

/// Enlarges a pipe. The system refuses beyond the user's quota. The pipe is then slower.
pub(crate) fn enlarge_pipe(fd: BorrowedFd<'_>, nbytes: usize) {
    if fcntl_getpipe_size(fd).is_ok_and(|n| n < nbytes) {
        fcntl_setpipe_size(fd, nbytes).ok();
    }
}

/// Reads without waiting; `None` if this descriptor cannot do so.
pub(crate) fn read_at_once(fd: BorrowedFd<'_>, targets: &mut [IoSliceMut<'_>]) -> io::Result<Option<usize>> {
    at_once(preadv2(fd, targets, u64::MAX, ReadWriteFlags::NOWAIT))
}

/// Writes without waiting; `None` if this descriptor cannot do so.
pub(crate) fn write_at_once(fd: BorrowedFd<'_>, sources: &[IoSlice<'_>]) -> io::Result<Option<usize>> {
    at_once(pwritev2(fd, sources, u64::MAX, ReadWriteFlags::NOWAIT))
}

fn at_once(result: rustix::io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(Errno::OPNOTSUPP | Errno::SPIPE | Errno::INVAL | Errno::NOSYS) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

// ---------------------------------------------------------------- sockets

/// Without a control buffer, the system closes descriptors that a peer passes.
pub(crate) const RECEIVE_FLAGS: RecvFlags = RecvFlags::DONTWAIT.union(RecvFlags::CMSG_CLOEXEC);
pub(crate) const SEND_FLAGS: SendFlags = SendFlags::DONTWAIT.union(SendFlags::NOSIGNAL);

pub(crate) fn stream_socket(family: AddressFamily) -> rustix::io::Result<OwnedFd> {
    socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK, None)
}

pub(crate) fn accept(fd: BorrowedFd<'_>) -> rustix::io::Result<(OwnedFd, Option<SocketAddrAny>)> {
    acceptfrom_with(fd, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)
}

/// Whether `accept` reports an error of the network or of a peer that has gone, and nothing is wrong with the listener.
pub(crate) fn is_gone_peer(error: Errno) -> bool {
    matches!(
        error,
        Errno::CONNABORTED
            | Errno::PROTO
            | Errno::NETDOWN
            | Errno::NETUNREACH
            | Errno::HOSTUNREACH
            | Errno::HOSTDOWN
            | Errno::NONET
            | Errno::NOPROTOOPT
            | Errno::OPNOTSUPP
            | Errno::PERM
            | Errno::TIMEDOUT
    )
}

pub(crate) fn is_listening(fd: BorrowedFd<'_>) -> rustix::io::Result<bool> {
    sockopt::socket_acceptconn(fd)
}

pub(crate) fn is_unix_socket(fd: BorrowedFd<'_>) -> bool {
    sockopt::socket_domain(fd) == Ok(AddressFamily::UNIX)
}

/// Returns the process that connected or listened; `None` if it belongs to another container.
pub(crate) fn peer_process(fd: BorrowedFd<'_>) -> Option<i32> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut nbytes = libc::socklen_t::try_from(size_of::<libc::ucred>()).ok()?;
    let to: *mut libc::ucred = &raw mut peer;
    // SAFETY: `to` and `nbytes` are live, and `nbytes` is the size of the target. (rustix's `socket_peercred` requires a
    // nonzero process id, but that of a process in another container is 0.)
    let failed = unsafe {
        libc::getsockopt(fd.as_raw_fd(), libc::SOL_SOCKET, libc::SO_PEERCRED, to.cast(), &raw mut nbytes)
    };
    (failed == 0 && peer.pid > 0).then_some(peer.pid)
}

/// Restricts a socket to its owner before `bind`: its file gets this mode, less the umask, so it is never accessible to others.
pub(crate) fn restrict_socket(fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
    fchmod(fd, Mode::RUSR | Mode::WUSR)
}

/// Makes the file of a socket accessible only to its owner. Returns false if another file (by device and inode) has its path.
pub(crate) fn restrict_socket_file(path: &Path, identity: (u64, u64)) -> io::Result<bool> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    let meta = file.metadata()?;
    if (meta.dev(), meta.ino()) != identity {
        return Ok(false);
    }
    // A descriptor opened with `O_PATH` cannot change the mode. Its name in /proc leads to the same file, even if the path has
    // changed.
    let name = format!("/proc/self/fd/{}", file.as_raw_fd());
    fs::set_permissions(name, Permissions::from_mode(0o600)).map(|()| true)
}

// ---------------------------------------------------------------- files

/// Reserves space for a file. Returns false if the file system cannot.
pub(crate) fn reserve(file: &File, nbytes: u64) -> rustix::io::Result<bool> {
    match fallocate(file, FallocateFlags::empty(), 0, nbytes) {
        Ok(()) => Ok(true),
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(false),
        Err(e) => Err(e),
    }
}

/// Exchanges two names at once. Returns false if the file system cannot.
pub(crate) fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// File systems that only processes of this system can use: ext, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS, ramfs, bcachefs.
const LOCAL: [u32; 9] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0x794c_7630,
    0xf2f5_2010,
    0x2fc1_2fc1,
    0x8584_58f6,
    0xca45_1a4e,
];

/// Whether locks of files exclude all processes that can use this file system.
pub(crate) fn is_local(file: BorrowedFd<'_>) -> bool {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // 32 bits, whatever the type of the field is
    fstatfs(file).is_ok_and(|found| LOCAL.contains(&(found.f_type as u32)))
}
