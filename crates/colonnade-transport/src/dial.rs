//! Connects to each address of a host in turn, until a deadline.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, connect, getpeername, getsockname, sockopt};

use crate::address::{Address, TICK};
use crate::failure::{SystemError, check_deadline, system_text};
use crate::platform::stream_socket;
use crate::poll::poll_one;
use crate::socket::Socket;

/// Connects to `address` until `deadline`. It calls `interrupted` at least ten times a second; an error of that ends it. For
/// `tls://` this makes only the TCP connection.
///
/// # Errors
/// `InvalidInput` with an [`crate::AddressError`] for plain TCP to other machines; `TimedOut`; errors of `interrupted`;
/// operating-system errors, with the error of each address.
pub fn dial(
    address: &Address,
    deadline: Option<Instant>,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<Socket> {
    if let Address::Unix(path) = address {
        let fd = unix(path, address, deadline, interrupted)?;
        return Ok(Socket::new(fd, address.to_string()));
    }
    let resolved = address.resolve(deadline, interrupted)?;
    address.check_plain(&resolved)?;
    let mut failures: Vec<(SocketAddr, io::Error)> = Vec::new();
    for (i, one) in resolved.iter().enumerate() {
        // Each address gets a share of the time, so that one that does not answer leaves time for the others.
        let share = deadline.map(|end| {
            let left = end.saturating_duration_since(Instant::now());
            Instant::now() + left / u32::try_from(resolved.len() - i).unwrap_or(1)
        });
        match tcp(*one, share, interrupted) {
            Ok(fd) => return Ok(Socket::new(fd, address.to_string())),
            Err(Failure::Address(error)) => failures.push((*one, error)),
            Err(Failure::Fatal(error)) => return Err(error),
        }
    }
    Err(summary(address, failures))
}

/// The failure of one address, or an error that ends the whole call.
enum Failure {
    Address(io::Error),
    Fatal(io::Error),
}

impl<E: Into<io::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Address(error.into())
    }
}

/// Refuses a connection to itself: a socket that connects to a local port without a listener may get that port as its own.
fn refuse_self_connection(fd: OwnedFd) -> Result<OwnedFd, Failure> {
    if getpeername(&fd)? == Some(getsockname(&fd)?) {
        return Err(Errno::CONNREFUSED.into());
    }
    Ok(fd)
}

fn tcp(
    address: SocketAddr,
    deadline: Option<Instant>,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
) -> Result<OwnedFd, Failure> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let fd = stream_socket(family)?;
    match connect(&fd, &address) {
        Ok(()) => return refuse_self_connection(fd),
        // A signal does not stop a connection attempt that has begun.
        Err(Errno::INPROGRESS | Errno::INTR) => {}
        Err(e) => return Err(e.into()),
    }
    loop {
        match poll_one(fd.as_fd(), PollFlags::OUT, TICK) {
            Ok(flags) if flags.is_empty() => {}
            Ok(_) => {
                sockopt::socket_error(&fd)??;
                return refuse_self_connection(fd);
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e.into()),
        }
        interrupted().map_err(Failure::Fatal)?;
        check_deadline(deadline, || "no answer in time".to_owned())?;
    }
}

fn unix(
    path: &Path,
    address: &Address,
    deadline: Option<Instant>,
    interrupted: &mut dyn FnMut() -> io::Result<()>,
) -> io::Result<OwnedFd> {
    let name = SocketAddrUnix::new(path)?;
    let fd = stream_socket(AddressFamily::UNIX)?;
    loop {
        match connect(&fd, &name) {
            Ok(()) => return Ok(fd),
            // The listener's queue is full. `poll` does not report when it becomes shorter.
            Err(Errno::AGAIN) => std::thread::sleep(Duration::from_millis(5)),
            Err(Errno::INTR) => {}
            Err(e) => {
                let e = io::Error::from(e);
                let advice = advice(&e);
                return Err(SystemError::wrap(e, address, advice));
            }
        }
        interrupted()?;
        check_deadline(deadline, || format!("{address}: the listener accepted no connection in time"))?;
    }
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => ". Is the listener running?",
        _ => "",
    }
}

/// Combines the errors of all addresses into one. A single error stays unchanged.
fn summary(address: &Address, mut failures: Vec<(SocketAddr, io::Error)>) -> io::Error {
    let each: Vec<String> =
        failures.iter().map(|(at, error)| format!("{at}: {}", system_text(error))).collect();
    let Some((_, last)) = failures.pop() else { return io::ErrorKind::NotFound.into() };
    let (kind, advice) = (last.kind(), advice(&last));
    match each.as_slice() {
        [_] if last.raw_os_error().is_some() => SystemError::wrap(last, address, advice),
        [_] => io::Error::new(kind, format!("{address}: {last}{advice}")),
        all => io::Error::new(kind, format!("{address}: {}{advice}", all.join("; "))),
    }
}
