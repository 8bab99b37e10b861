//! Listening sockets. A Unix socket's file is its owner's alone, replaces only what nobody listens on, and goes with it.

use std::fs::{self, File};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Mode, fchmod, flock};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, Shutdown, SocketAddrUnix, SocketFlags, acceptfrom_with, bind, connect, getsockname,
    listen, shutdown, sockopt,
};

use crate::address::{Address, is_loopback};
use crate::channel::Direction;
use crate::dial::stream_socket;
use crate::failure::SystemError;
use crate::file::parent;
use crate::socket::{Socket, unix_peer, wait};

/// How many peers the system lets wait.
const BACKLOG: i32 = 128;

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

/// The socket file that is ours to remove.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl Listening {
    /// Listens on `address`.
    ///
    /// # Errors
    /// `InvalidInput` with an [`crate::AddressError`] for plain TCP beyond this machine; `AddrInUse` where somebody
    /// listens there; `AlreadyExists` where a file that is no socket stands there; `interrupted`'s; the system's own.
    pub fn bind(address: &Address, interrupted: &mut dyn FnMut() -> io::Result<()>) -> io::Result<Self> {
        let named = |e: io::Error| {
            let advice = advice(&e);
            SystemError::wrap(e, address, advice)
        };
        if let Address::Unix(path) = address {
            let (fd, file) = bind_unix(path).map_err(named)?;
            return Ok(Self::over(fd, address.clone(), true, Some(file)));
        }
        let resolved = address.resolve(None, interrupted)?;
        address.check_plain(&resolved)?;
        let mut failure = io::Error::from(io::ErrorKind::NotFound);
        for one in &resolved {
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
    /// `Interrupted` after a signal; `NotConnected` once closed. Where descriptors have run out the peer is turned away,
    /// and the error says so; later calls go on. The system's own.
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
                | Errno::NOPROTOOPT,
            ) => Ok(None),
            Err(e @ (Errno::MFILE | Errno::NFILE)) => {
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

    /// Takes nobody in any more, wakes who waits; a socket file that is still this one is removed.
    pub fn close(&self) {
        if self.process != std::process::id() {
            return;
        }
        if let Some(file) = self.file.lock().unwrap_or_else(PoisonError::into_inner).take() {
            file.remove();
        }
        self.is_closed.store(true, Ordering::Release);
        shutdown(&self.fd, Shutdown::Both).ok();
    }
}

impl SocketFile {
    /// Removes it where it is still there: its socket is open, so no other file has got its number.
    fn remove(&self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|m| (m.dev(), m.ino()) == self.identity) {
            fs::remove_file(&self.path).ok();
        }
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

fn bind_unix(path: &Path) -> io::Result<(OwnedFd, SocketFile)> {
    let name = SocketAddrUnix::new(path)?;
    // Between its `bind` and its `listen` another listener's file looks stale.
    let lock = lock(parent(path));
    let fd = stream_socket(AddressFamily::UNIX)?;
    // The file takes its mode from the socket, less the umask: at no moment is it open to others.
    fchmod(&fd, Mode::RUSR | Mode::WUSR)?;
    match bind(&fd, &name) {
        Err(Errno::ADDRINUSE) => {
            make_room(path, &name)?;
            bind(&fd, &name)?;
        }
        result => result?,
    }
    let meta = fs::symlink_metadata(path)?;
    let file = SocketFile { path: std::path::absolute(path)?, identity: (meta.dev(), meta.ino()) };
    let ready = (|| {
        if meta.mode() & 0o777 != 0o600 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        }
        listen(&fd, BACKLOG)?;
        Ok(())
    })();
    drop(lock);
    ready.inspect_err(|_: &io::Error| file.remove())?;
    Ok((fd, file))
}

/// Removes a socket file that nobody listens on, and nothing else.
fn make_room(path: &Path, name: &SocketAddrUnix) -> io::Result<()> {
    let meta = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        meta => meta?,
    };
    if !meta.file_type().is_socket() {
        let text = format!(
            "unix:{}: expected no file or a socket nobody listens on, found another file, which stays",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    match connect(stream_socket(AddressFamily::UNIX)?, name) {
        Err(Errno::CONNREFUSED) => fs::remove_file(path),
        Err(Errno::NOENT) => Ok(()),
        // It took us in, or has a full queue, or is of another kind: alive.
        Ok(()) | Err(Errno::AGAIN | Errno::PROTOTYPE) => Err(Errno::ADDRINUSE.into()),
        Err(e) => Err(e.into()),
    }
}

/// Keeps other listeners of ours out of this directory for a moment; without it where it is not to be had soon, because
/// whoever may read the directory may hold the lock for ever.
fn lock(directory: &Path) -> Option<File> {
    let file = File::open(directory).ok()?;
    let end = Instant::now() + Duration::from_secs(1);
    while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        if Instant::now() > end {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Some(file)
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
