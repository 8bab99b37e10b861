//! Listening sockets: peers are taken in without waiting, and turned away where no descriptor is left for them.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, Shutdown, SocketAddrUnix, SocketFlags, acceptfrom_with, bind, getsockname, listen,
    shutdown, sockopt,
};

use crate::address::{Address, is_loopback};
use crate::channel::Direction;
use crate::dial::stream_socket;
use crate::failure::SystemError;
use crate::socket::{Socket, unix_peer, wait};
use crate::socket_file::{self, SocketFile};

/// How many peers the system lets wait.
pub(crate) const BACKLOG: i32 = 128;

/// Takes connections in, none of them checked.
#[derive(Debug)]
pub struct Listening {
    fd: OwnedFd,
    address: Address,
    is_loopback: bool,
    is_closed: AtomicBool,
    file: Mutex<Option<SocketFile>>,
    /// Who made it: a forked child closes its copy and nothing else.
    process: u32,
    /// Given up for a moment when descriptors run out, so that the peer can be turned away.
    spare: Mutex<Option<File>>,
}

impl Listening {
    /// Listens on `address`.
    ///
    /// # Errors
    /// `InvalidInput` with an [`crate::AddressError`] for plain TCP beyond this machine; `AddrInUse` where somebody
    /// listens there; `AlreadyExists` where a file that is no socket stands there; `interrupted`'s; the system's own.
    pub fn bind(address: &Address, interrupted: &mut dyn FnMut() -> io::Result<()>) -> io::Result<Self> {
        Self::bind_where(address, &|_| Ok(()), interrupted)
    }

    /// `bind`, after `check` was asked about each address, with whether only this machine reaches it.
    pub(crate) fn bind_where(
        address: &Address,
        check: &dyn Fn(bool) -> io::Result<()>,
        interrupted: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Self> {
        let named = |e: io::Error| {
            let advice = advice(&e);
            SystemError::wrap(e, address, advice)
        };
        if let Address::Unix(path) = address {
            let (fd, file) = socket_file::bind(path, interrupted).map_err(named)?;
            return Ok(Self::over(fd, address.clone(), true, Some(file)));
        }
        let resolved = address.resolve(None, interrupted)?;
        address.check_plain(&resolved)?;
        let mut failure = io::Error::from(io::ErrorKind::NotFound);
        for one in &resolved {
            check(is_loopback(&[*one]))?;
            match bind_tcp(*one) {
                Ok((fd, at)) => {
                    let real = with_port(address, at.port());
                    return Ok(Self::over(fd, real, is_loopback(&[at]), None));
                }
                Err(e) => failure = e,
            }
        }
        Err(named(failure))
    }

    fn over(fd: OwnedFd, address: Address, is_loopback: bool, file: Option<SocketFile>) -> Self {
        let spare = Mutex::new(File::open("/dev/null").ok());
        let is_closed = AtomicBool::new(false);
        Self {
            fd,
            address,
            is_loopback,
            is_closed,
            file: Mutex::new(file),
            process: std::process::id(),
            spare,
        }
    }

    /// The next connection; None where nobody waits. Never waits itself.
    ///
    /// # Errors
    /// `Interrupted` after a signal; `NotConnected` once closed. Where descriptors or memory have run out the peer is
    /// turned away, and the error says so; later calls go on. The system's own.
    pub fn accept(&self) -> io::Result<Option<Socket>> {
        if self.is_closed.load(Ordering::Acquire) {
            let text = format!("{}: this listener is closed", self.address);
            return Err(io::Error::new(io::ErrorKind::NotConnected, text));
        }
        match acceptfrom_with(&self.fd, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
            Ok((fd, name)) => {
                let peer = match (&self.address, name) {
                    (Address::Unix(_), name) => {
                        unix_peer(fd.as_fd(), name.and_then(|n| SocketAddrUnix::try_from(n).ok()).as_ref())
                    }
                    (address, name) => match name.and_then(|n| SocketAddr::try_from(n).ok()) {
                        Some(at) if matches!(address, Address::Tls { .. }) => format!("tls://{at}"),
                        Some(at) => format!("tcp://{at}"),
                        None => address.to_string(),
                    },
                };
                Ok(Some(Socket::new(fd, peer)))
            }
            // Gone again before it was taken in; the system also passes errors of the network along here.
            Err(
                Errno::AGAIN
                | Errno::CONNABORTED
                | Errno::PROTO
                | Errno::NETDOWN
                | Errno::NETUNREACH
                | Errno::HOSTUNREACH
                | Errno::HOSTDOWN
                | Errno::NONET
                | Errno::NOPROTOOPT
                | Errno::OPNOTSUPP
                | Errno::PERM
                | Errno::TIMEDOUT,
            ) => Ok(None),
            Err(e @ (Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM)) => {
                self.turn_away();
                Err(SystemError::wrap(e.into(), &self.address, ". A peer was turned away"))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Closes the next connection unseen. Left waiting it would make every `wait` return at once.
    fn turn_away(&self) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        drop(spare.take());
        acceptfrom_with(&self.fd, SocketFlags::CLOEXEC).ok();
        *spare = File::open("/dev/null").ok();
    }

    /// Waits, at most so long, until somebody wants to connect.
    ///
    /// # Errors
    /// `Interrupted` after a signal; the system's own.
    pub fn wait(&self, at_most: Duration) -> io::Result<bool> {
        wait(self.fd.as_fd(), Direction::Receive, at_most)
    }

    /// The descriptor to poll for reading.
    #[must_use]
    pub fn descriptor(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Where it listens, with the port it got.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether only this machine reaches it.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Whether this process made it: a forked child has a copy.
    pub(crate) fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    /// Takes nobody in any more, wakes who waits; a socket file that is still this one is removed.
    pub fn close(&self) {
        if !self.is_ours() {
            return;
        }
        if let Some(file) = self.file.lock().unwrap_or_else(PoisonError::into_inner).take() {
            file.remove();
        }
        self.is_closed.store(true, Ordering::Release);
        shutdown(&self.fd, Shutdown::Both).ok();
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.close();
    }
}

fn bind_tcp(address: SocketAddr) -> io::Result<(OwnedFd, SocketAddr)> {
    let fd = stream_socket(if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 })?;
    // Connections of a listener that has just gone do not keep the port; one that listens does.
    sockopt::set_socket_reuseaddr(&fd, true)?;
    bind(&fd, &address)?;
    listen(&fd, BACKLOG)?;
    let at = SocketAddr::try_from(getsockname(&fd)?)?;
    Ok((fd, at))
}

fn with_port(address: &Address, port: u16) -> Address {
    match address {
        Address::Tcp { host, .. } => Address::Tcp { host: host.clone(), port },
        Address::Tls { host, .. } => Address::Tls { host: host.clone(), port },
        Address::Unix(path) => Address::Unix(path.clone()),
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => ". Somebody listens there; choose another address",
        io::ErrorKind::AddrNotAvailable => ". It is not an address of this machine",
        _ => "",
    }
}
