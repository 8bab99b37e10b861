//! Addresses of sockets: `tcp://host:port`, `tls://host:port`, `unix:/path`.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::failure::{AddressError, check_deadline};

/// The interval at which waits check for signals and deadlines.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// The maximum length of a Unix socket's path: 108 bytes with the trailing NUL.
const MAX_UNIX_NBYTES: usize = 107;

/// An address to listen on or to connect to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Plain TCP, on loopback only. An IPv6 host is stored without brackets.
    Tcp {
        /// A name or an IP address.
        host: String,
        /// The port; 0 for a listener means any free port.
        port: u16,
    },
    /// TLS over TCP.
    Tls {
        /// A name or an IP address.
        host: String,
        /// The port; 0 for a listener means any free port.
        port: u16,
    },
    /// A Unix socket at this path.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        if let Some(rest) = text.strip_prefix("tcp://") {
            let (host, port) = host_and_port(text, rest)?;
            return Ok(Self::Tcp { host, port });
        }
        if let Some(rest) = text.strip_prefix("tls://") {
            let (host, port) = host_and_port(text, rest)?;
            return Ok(Self::Tls { host, port });
        }
        if let Some(rest) = text.strip_prefix("unix:") {
            return unix(text, rest).map(Self::Unix);
        }
        let found = match text.split_once(':') {
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => format!("{scheme}:"),
            _ => format!("{text:?}"),
        };
        Err(AddressError::new(format!(
            "address: expected tcp://host:port, tls://host:port or unix:/path, found {found}"
        )))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, host, port) = match self {
            Self::Tcp { host, port } => ("tcp", host, port),
            Self::Tls { host, port } => ("tls", host, port),
            Self::Unix(path) => return write!(f, "unix:{}", path.display()),
        };
        match host.contains(':') {
            true => write!(f, "{scheme}://[{host}]:{port}"),
            false => write!(f, "{scheme}://{host}:{port}"),
        }
    }
}

impl Address {
    /// Returns the IP addresses of the host; none for a Unix socket. A caller resolves once, so that the addresses that it
    /// checks are those that it uses. A name is resolved on another thread, because the system's resolver can neither be
    /// interrupted nor given a deadline.
    ///
    /// # Errors
    /// The resolver's errors; `TimedOut`; errors of `interrupted`.
    pub fn resolve(
        &self,
        deadline: Option<Instant>,
        interrupted: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Vec<SocketAddr>> {
        let (Self::Tcp { host, port } | Self::Tls { host, port }) = self else { return Ok(Vec::new()) };
        if let Ok(ip) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(ip, *port)]);
        }
        let (sender, receiver) = mpsc::channel();
        let asked = (host.clone(), *port);
        std::thread::Builder::new().name("colonnade-resolve".into()).spawn(move || {
            // The receiver is gone if the caller gave up.
            sender.send(asked.to_socket_addrs().map(Vec::from_iter)).ok();
        })?;
        loop {
            match receiver.recv_timeout(TICK) {
                Ok(Ok(found)) if found.is_empty() => {
                    return Err(io::Error::new(io::ErrorKind::NotFound, format!("{self}: no such host")));
                }
                Ok(found) => return found.map_err(|e| io::Error::new(e.kind(), format!("{self}: {e}"))),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the resolver broke off"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    interrupted()?;
                    check_deadline(deadline, || format!("{self}: its host was not found in time"))?;
                }
            }
        }
    }

    /// Refuses plain TCP to other machines.
    pub(crate) fn check_plain(&self, resolved: &[SocketAddr]) -> Result<(), AddressError> {
        match self {
            Self::Tcp { host, .. } if !is_loopback(resolved) => Err(AddressError::new(format!(
                "{self}: expected a loopback address, found {host}. Plain TCP stays on this machine; beyond it use tls://"
            ))),
            _ => Ok(()),
        }
    }
}

/// Whether all addresses are loopback addresses.
pub(crate) fn is_loopback(resolved: &[SocketAddr]) -> bool {
    resolved.iter().all(|a| a.ip().to_canonical().is_loopback())
}

fn host_and_port(text: &str, rest: &str) -> Result<(String, u16), AddressError> {
    if rest.contains('@') {
        // The error does not repeat the text, which may hold a password.
        return Err(AddressError::new(
            "address: expected host:port, found a user name before it. Use certificates or a token",
        ));
    }
    let wrong = |expected: &str, found: &str| {
        AddressError::new(format!(
            "{text}: expected {expected}, found {found}. Example: tcp://127.0.0.1:5000"
        ))
    };
    let (host, port) = match rest.strip_prefix('[') {
        Some(inner) => {
            let (host, port) = inner.split_once(']').ok_or_else(|| wrong("] behind the host", "none"))?;
            if host.split('%').next().is_none_or(|ip| ip.parse::<std::net::Ipv6Addr>().is_err()) {
                return Err(wrong("an IPv6 address in brackets", &format!("{host:?}")));
            }
            (host, port.strip_prefix(':'))
        }
        None => match rest.rsplit_once(':') {
            Some((host, _)) if host.contains(':') => {
                return Err(wrong("an IPv6 address in brackets, [::1]:5000", &format!("{rest:?}")));
            }
            Some((host, port)) => (host, Some(port)),
            None => (rest, None),
        },
    };
    let Some(port) = port else { return Err(wrong("host:port", "no port")) };
    if host.contains(|c: char| c == '/' || c.is_whitespace() || c.is_control()) {
        return Err(wrong("a host name", &format!("{host:?}")));
    }
    let number = match port.bytes().all(|b| b.is_ascii_digit()) {
        true => port.parse().map_err(|_| wrong("a port from 0 to 65535", &format!("{port:?}")))?,
        false => return Err(wrong("a port from 0 to 65535", &format!("{port:?}"))),
    };
    Ok((if host.is_empty() { "127.0.0.1" } else { host }.to_owned(), number))
}

fn unix(text: &str, rest: &str) -> Result<PathBuf, AddressError> {
    // `unix:///path`, the form of URLs, means the same path. `unix://name/path` would name a host.
    let path = match rest.strip_prefix("//") {
        Some(inner) if inner.starts_with('/') => inner,
        Some(_) => {
            return Err(AddressError::new(format!(
                "{text}: expected unix:/path, found a host. Leave out //"
            )));
        }
        None => rest,
    };
    if path.is_empty() {
        return Err(AddressError::new(format!("{text}: expected unix:/path, found no path")));
    }
    if path.contains('\0') {
        return Err(AddressError::new("unix: expected a path, found a NUL in it"));
    }
    if path.len() > MAX_UNIX_NBYTES {
        return Err(AddressError::new(format!(
            "{text}: expected a path of at most {MAX_UNIX_NBYTES} bytes, found {}. Use a shorter one, or one relative to \
             the working directory",
            path.len()
        )));
    }
    Ok(PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        text.parse::<Address>().unwrap_err().to_string()
    }

    #[test]
    fn addresses_round_trip() {
        for (text, shown) in [
            ("tcp://localhost:80", "tcp://localhost:80"),
            ("tcp://:0", "tcp://127.0.0.1:0"),
            ("tcp://[::1]:65535", "tcp://[::1]:65535"),
            ("tls://[fe80::1%lo]:1", "tls://[fe80::1%lo]:1"),
            ("tls://example.org:443", "tls://example.org:443"),
            ("unix:/run/a b", "unix:/run/a b"),
            ("unix:///run/x", "unix:/run/x"),
            ("unix:x.sock", "unix:x.sock"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(shown.parse::<Address>().unwrap(), address);
        }
    }

    #[test]
    fn invalid_addresses_are_named() {
        for (text, piece) in [
            ("", "found \"\""),
            ("http://x", "found http:"),
            ("tcp://host", "found no port"),
            ("tcp://host:", "found \"\""),
            ("tcp://host:65536", "found \"65536\""),
            ("tcp://host:+1", "found \"+1\""),
            ("tcp://::1:5", "in brackets"),
            ("tcp://[::1:5", "] behind the host"),
            ("tcp://[::1]5", "no port"),
            ("tcp://[host]:5", "found \"host\""),
            ("tcp://a/b:5", "found \"a/b\""),
            ("unix:", "no path"),
            ("unix://host/x", "found a host"),
            ("unix:a\0b", "NUL"),
        ] {
            assert!(message(text).contains(piece), "{text:?}: {}", message(text));
        }
        assert!(!message("tls://me:secret@host:5").contains("secret"));
        assert!(message(&format!("unix:/{}", "x".repeat(107))).contains("at most 107 bytes, found 108"));
        assert!(format!("unix:/{}", "x".repeat(106)).parse::<Address>().is_ok());
    }

    #[test]
    fn plain_tcp_stays_on_this_machine() {
        let refused = |text: &str| {
            let address: Address = text.parse().unwrap();
            address.check_plain(&address.resolve(None, &mut || Ok(())).unwrap()).is_err()
        };
        assert!(!refused("tcp://localhost:1") && !refused("tcp://127.9.9.9:1") && !refused("tcp://[::1]:1"));
        assert!(!refused("tcp://[::ffff:127.0.0.1]:1") && !refused("tls://192.0.2.1:1"));
        assert!(refused("tcp://0.0.0.0:1") && refused("tcp://192.0.2.1:1") && refused("tcp://[::]:1"));
    }
}
