//! Stream sockets, those that this process opens and those of a caller. Their shared settings never change, and only `wait`
//! waits.

use std::io::{self, IoSlice, IoSliceMut};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt;
use rustix::net::{
    RecvAncillaryBuffer, RecvFlags, SendAncillaryBuffer, Shutdown, SocketAddrUnix, SocketType, getpeername,
    getsockname, recv, recvmsg, sendmsg, shutdown,
};

use crate::address::is_loopback;
use crate::channel::{Channel, Direction};
use crate::platform;
use crate::poll::wait;

/// The requested send buffer of sockets on this machine (the system doubles it). The table shows 256 MiB from one process to
/// another in consecutive large calls, GB/s, the median of seven rounds and the best, on two shared cores (EPYC, 1 MiB of L2
/// each, Linux 6.18). 0 is the system's default:
///
/// |      | 0         | 128 KiB   | 256 KiB   | 512 KiB   | 1 MiB     | 2 MiB     |
/// |------|-----------|-----------|-----------|-----------|-----------|-----------|
/// | TCP  | 3.8 (5.3) | 4.0 (5.0) | 4.3 (6.2) | 4.4 (7.6) | 2.8 (5.6) | 2.8 (5.2) |
/// | Unix | 3.5 (7.1) | 4.6 (6.7) | 4.3 (7.5) | 5.0 (7.8) | 5.1 (7.5) | 5.1 (7.1) |
///
/// With its own tuning TCP buffers up to 4 MiB, which have left the cache before they are read. A requested receive buffer is
/// slower (3.0, best 4.0), because it ends the system's tuning. It has no effect on Unix sockets.
const LOCAL_NBYTES: usize = 512 << 10;

/// The maximum number of unread bytes that closing a socket discards.
const MAX_UNREAD_NBYTES: usize = 16 << 20;

/// A peer whose machine has gone sends no end. After a minute without a byte the system asks it four times, every 15 s, and
/// then the connection fails. Otherwise such peers would hold the places of a listener forever.
const KEEP_ALIVE: (Duration, Duration, u32) = (Duration::from_secs(60), Duration::from_secs(15), 4);

/// The maximum number of slices of one system call.
pub(crate) const MAX_SLICES: usize = 1024;

/// A connected TCP or Unix socket.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    peer: String,
    /// The process that connected or accepted the socket; `None` for a socket of the caller, which may continue to use it.
    owner: Option<u32>,
}

impl Socket {
    /// Wraps a socket that was just connected or accepted.
    pub(crate) fn new(fd: OwnedFd, peer: String) -> Self {
        tune(fd.as_fd());
        find_gone_peer(fd.as_fd());
        Self { fd, peer, owner: Some(std::process::id()) }
    }

    /// Duplicates a socket of the caller. The caller's socket stays open, and its blocking mode does not change.
    ///
    /// # Errors
    /// `InvalidInput` if it is no connected stream socket; operating-system errors.
    pub fn from_fd(fd: BorrowedFd<'_>, peer: Option<&str>) -> io::Result<Self> {
        let wrong = |found: &str| {
            let text = format!(
                "descriptor {}: expected a connected stream socket (TCP or Unix), found {found}",
                fd.as_raw_fd()
            );
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        let kind = sockopt::socket_type(fd).map_err(|e| match e {
            Errno::NOTSOCK => wrong("no socket"),
            e => e.into(),
        })?;
        if kind != SocketType::STREAM {
            return Err(wrong("one of datagrams or packets"));
        }
        if platform::is_listening(fd)? {
            return Err(wrong("one that listens. Accept from it first"));
        }
        let name = match getpeername(fd) {
            Ok(name) => name,
            Err(Errno::NOTCONN) => return Err(wrong("one that is not connected")),
            Err(e) => return Err(e.into()),
        };
        let peer = match (peer, name) {
            (Some(peer), _) => peer.to_owned(),
            (None, Some(name)) => match SocketAddr::try_from(name.clone()) {
                Ok(address) => format!("tcp://{address}"),
                Err(_) => unix_peer(fd, SocketAddrUnix::try_from(name).ok().as_ref()),
            },
            (None, None) => unix_peer(fd, None),
        };
        tune(fd);
        Ok(Self { fd: fd.try_clone_to_owned()?, peer, owner: None })
    }
}

/// Discards received bytes before closing. Closing a socket with unread bytes resets the connection, and the bytes sent last
/// may be lost. A forked child's copy discards nothing.
impl Drop for Socket {
    fn drop(&mut self) {
        if self.owner != Some(std::process::id()) {
            return;
        }
        let mut room = [0; 1 << 14];
        for _ in 0..MAX_UNREAD_NBYTES / room.len() {
            match recv(&self.fd, &mut room, RecvFlags::DONTWAIT) {
                Ok((0, _)) => break,
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => break,
            }
        }
    }
}

impl Channel for Socket {
    fn receive(&self, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        receive(self.fd.as_fd(), targets)
    }

    fn send(&self, sources: &[IoSlice<'_>]) -> io::Result<usize> {
        send(self.fd.as_fd(), sources)
    }

    fn wait(&self, direction: Direction, at_most: Duration) -> io::Result<bool> {
        wait(self.fd.as_fd(), direction, at_most)
    }

    fn finish(&self) -> io::Result<()> {
        match shutdown(&self.fd, Shutdown::Write) {
            // The peer has closed the connection, so it reads nothing more.
            Ok(()) | Err(Errno::NOTCONN) => Ok(()),
            Err(e) => Err(e.into()),
        }
    }

    fn descriptor(&self, _: Direction) -> Option<RawFd> {
        Some(self.fd.as_raw_fd())
    }

    fn peer(&self) -> &str {
        &self.peer
    }
}

pub(crate) fn receive(fd: BorrowedFd<'_>, targets: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
    let count = targets.len().min(MAX_SLICES);
    let targets = targets.get_mut(..count).unwrap_or_default();
    Ok(recvmsg(fd, targets, &mut RecvAncillaryBuffer::default(), platform::RECEIVE_FLAGS)?.bytes)
}

pub(crate) fn send(fd: BorrowedFd<'_>, sources: &[IoSlice<'_>]) -> io::Result<usize> {
    let sources = sources.get(..MAX_SLICES).unwrap_or(sources);
    Ok(sendmsg(fd, sources, &mut SendAncillaryBuffer::default(), platform::SEND_FLAGS)?)
}

/// Sets options for speed. A refusal is no error; the socket is then slower.
fn tune(fd: BorrowedFd<'_>) {
    let mut is_local = true;
    if !platform::is_unix_socket(fd) {
        // A request must not wait for the acknowledgement of the one before it.
        sockopt::set_tcp_nodelay(fd, true).ok();
        // Over long distances the system's own tuning is better.
        let peer = getpeername(fd).ok().flatten().and_then(|name| SocketAddr::try_from(name).ok());
        is_local = peer.is_some_and(|peer| is_loopback(&[peer]));
    }
    if is_local {
        sockopt::set_socket_send_buffer_size(fd, LOCAL_NBYTES).ok();
    }
}

/// Lets the system find out that the machine of a TCP peer has gone. A refusal is no error.
fn find_gone_peer(fd: BorrowedFd<'_>) {
    if platform::is_unix_socket(fd) {
        return;
    }
    let (idle, interval, count) = KEEP_ALIVE;
    sockopt::set_socket_keepalive(fd, true).ok();
    sockopt::set_tcp_keepidle(fd, idle).ok();
    sockopt::set_tcp_keepintvl(fd, interval).ok();
    sockopt::set_tcp_keepcnt(fd, count).ok();
}

/// Returns the name of a Unix socket's peer, or else the socket's own name, and the process id.
pub(crate) fn unix_peer(fd: BorrowedFd<'_>, name: Option<&SocketAddrUnix>) -> String {
    let path = |address: &SocketAddrUnix| {
        address.path_bytes().filter(|p| !p.is_empty()).map(|p| String::from_utf8_lossy(p).into_owned())
    };
    let own = || getsockname(fd).ok().and_then(|own| path(&SocketAddrUnix::try_from(own).ok()?));
    let path = name.and_then(path).or_else(own).unwrap_or_else(|| format!("descriptor {}", fd.as_raw_fd()));
    match platform::peer_process(fd) {
        Some(process) => format!("unix:{path} (process {process})"),
        None => format!("unix:{path}"),
    }
}
