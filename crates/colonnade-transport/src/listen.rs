//! Listening sockets. They accept peers without waiting, and reject them if no descriptor is left.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::{AddressFamily, Shutdown, SocketAddrUnix, bind, getsockname, listen, shutdown, sockopt};

use crate::address::{Address, is_loopback};
use crate::channel::Direction;
use crate::failure::SystemError;
use crate::platform::{self, stream_socket};
use crate::poll::wait;
use crate::socket::{Socket, unix_peer};
use crate::socket_file::{self, BACKLOG, SocketFile};

/// A listening socket. It does not check peers.
#[derive(Debug)]
pub struct ListeningSocket {
    fd: OwnedFd,
    address: Address,
    is_loopback: bool,
    is_closed: AtomicBool,
    file: Mutex<Option<SocketFile>>,
    /// The process that created the listener. A forked child closes only its copy of the descriptor.
    process: u32,
    /// A spare descriptor. If the system has no more, it is closed for a moment, so that the peer can be rejected.
    spare: Mutex<Option<File>>,
}

impl ListeningSocket {
    /// Listens on `address`.
    ///
    /// # Errors
    /// `InvalidInput` with an [`crate::AddressError`] for plain TCP to other machines; `AddrInUse` if another listener has the
    /// address; `AlreadyExists` if the path is a file that is no socket; errors of `interrupted`; operating-system errors.
    pub fn bind(address: &Address, interrupted: &mut dyn FnMut() -> io::Result<()>) -> io::Result<Self> {
        Self::bind_where(address, &|_| Ok(()), interrupted)
    }

    /// As `bind`, after calling `check` for each IP address with whether it is loopback.
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

    /// Returns the next connection, or `None` if none is queued. Never waits.
    ///
    /// # Errors
    /// `Interrupted` after a signal; `NotConnected` after `close`; operating-system errors. If descriptors or memory have run
    /// out, the peer is rejected with an error that says so, and later calls work again.
    pub fn accept(&self) -> io::Result<Option<Socket>> {
        if self.is_closed.load(Ordering::Acquire) {
            let text = format!("{}: this listener is closed", self.address);
            return Err(io::Error::new(io::ErrorKind::NotConnected, text));
        }
        match platform::accept(self.fd.as_fd()) {
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
            Err(Errno::AGAIN) => Ok(None),
            // The peer closed before it was accepted. The system also reports network errors here.
            Err(e) if platform::is_gone_peer(e) => Ok(None),
            Err(e @ (Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM)) => {
                // The system reports it without a peer too.
                if !self.wait(Duration::ZERO)? {
                    return Ok(None);
                }
                self.reject_next();
                Err(SystemError::wrap(e.into(), &self.address, ". A peer was turned away"))
            }
            Err(e) => Err(e.into()),
        }
    }

    /// Accepts the next connection and closes it. If it stayed queued, every `wait` would return at once.
    fn reject_next(&self) {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        drop(spare.take());
        platform::accept(self.fd.as_fd()).ok();
        *spare = File::open("/dev/null").ok();
    }

    /// Waits at most `at_most` for a connection, and returns whether there is one.
    ///
    /// # Errors
    /// `Interrupted` after a signal; operating-system errors.
    pub fn wait(&self, at_most: Duration) -> io::Result<bool> {
        wait(self.fd.as_fd(), Direction::Receive, at_most)
    }

    /// The descriptor to poll for reading.
    #[must_use]
    pub fn descriptor(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Returns the address, with the port that the system chose.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether only this machine can reach the listener.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }

    /// Whether this process created the listener. A forked child has only a copy.
    pub(crate) fn is_owner(&self) -> bool {
        self.process == std::process::id()
    }

    /// Stops listening and wakes waiting threads. The socket file is removed if it is still this listener's.
    pub fn close(&self) {
        if !self.is_owner() {
            return;
        }
        if let Some(file) = self.file.lock().unwrap_or_else(PoisonError::into_inner).take() {
            file.remove();
        }
        self.is_closed.store(true, Ordering::Release);
        shutdown(&self.fd, Shutdown::Both).ok();
    }
}

impl Drop for ListeningSocket {
    fn drop(&mut self) {
        self.close();
    }
}

fn bind_tcp(address: SocketAddr) -> io::Result<(OwnedFd, SocketAddr)> {
    let fd = stream_socket(if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 })?;
    // Old connections of a closed listener do not block the port; a live listener does.
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
