//! What goes wrong between here and a server, each with the address.

use std::fmt;
use std::io;

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpErrorKind {
    /// The address is none.
    Address,
    /// There is no such file.
    NotFound,
    /// The server does not give it to us.
    Forbidden,
    /// The server, or a proxy, could not be reached, or gave up.
    Connection,
    /// Nobody listens there.
    Refused,
    /// Nothing came for too long.
    TimedOut,
    /// Fewer bytes came than were promised.
    Truncated {
        /// Bytes that were promised.
        needed: u64,
        /// Bytes that came.
        had: u64,
    },
    /// The file is another one than it was.
    Changed,
    /// An answer that contradicts itself or the question.
    Answer,
    /// Anything else.
    Other,
}

/// An error of reading over HTTP.
#[derive(Debug, Clone)]
pub struct HttpError {
    /// What went wrong.
    pub kind: HttpErrorKind,
    /// What, where, and what to do.
    pub message: String,
}

impl HttpError {
    pub(super) fn new(kind: HttpErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn address(message: String) -> Self {
        Self::new(HttpErrorKind::Address, format!("url: {message}"))
    }

    /// What came, where more was promised.
    pub(super) fn truncated(url: &str, needed: u64, had: u64) -> Self {
        let message = format!(
            "{url}: expected {needed} bytes, the connection ended after {had}. Read it again; if it stays so, the server's file or a proxy is at fault."
        );
        Self::new(HttpErrorKind::Truncated { needed, had }, message)
    }

    /// The answer to a request that was not what was asked for.
    pub(super) fn of_status(url: &str, status: ureq::http::StatusCode) -> Self {
        let kind = match status.as_u16() {
            404 | 410 => HttpErrorKind::NotFound,
            401 | 403 | 407 => HttpErrorKind::Forbidden,
            408 | 504 => HttpErrorKind::TimedOut,
            429 | 500.. => HttpErrorKind::Connection,
            _ => HttpErrorKind::Other,
        };
        Self::new(kind, format!("{url}: the server answers {status}."))
    }

    /// An error of the client library.
    pub(super) fn of(url: &str, error: ureq::Error) -> Self {
        match error {
            ureq::Error::Io(error) => Self::of_io(url, &error),
            ureq::Error::Timeout(what) => Self::timeout(url, &format!("{what}")),
            ureq::Error::HostNotFound => {
                Self::new(HttpErrorKind::Connection, format!("{url}: there is no host of this name."))
            }
            ureq::Error::Rustls(error) => {
                Self::new(HttpErrorKind::Connection, format!("{url}: TLS: {error}."))
            }
            ureq::Error::ConnectionFailed | ureq::Error::ConnectProxyFailed(_) | ureq::Error::Tls(_) => {
                Self::new(HttpErrorKind::Connection, format!("{url}: {error}."))
            }
            ureq::Error::Protocol(error) => {
                Self::new(HttpErrorKind::Answer, format!("{url}: the answer is no HTTP ({error})."))
            }
            error => Self::new(HttpErrorKind::Other, format!("{url}: {error}.")),
        }
    }

    /// An error while bytes moved.
    pub(super) fn of_io(url: &str, error: &io::Error) -> Self {
        if let Some(inner) = error.get_ref().and_then(|e| e.downcast_ref::<ureq::Error>()) {
            return match inner {
                ureq::Error::Timeout(what) => Self::timeout(url, &format!("{what}")),
                inner => Self::new(HttpErrorKind::Connection, format!("{url}: {inner}.")),
            };
        }
        let kind = match error.kind() {
            io::ErrorKind::ConnectionRefused => HttpErrorKind::Refused,
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => return Self::timeout(url, "transfer"),
            _ => HttpErrorKind::Connection,
        };
        let text = error.to_string();
        Self::new(kind, format!("{url}: {}.", text.split(" (os error").next().unwrap_or(&text)))
    }

    pub(super) fn timeout(url: &str, what: &str) -> Self {
        let message = format!("{url}: timed out ({what}). Pass timeout_s= to wait longer.");
        Self::new(HttpErrorKind::TimedOut, message)
    }
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for HttpError {}

impl From<HttpError> for io::Error {
    fn from(error: HttpError) -> Self {
        Self::other(error)
    }
}
