//! Errors of HTTP requests. Each names the address.

use std::fmt;
use std::io;

/// The kind of an HTTP error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpErrorKind {
    /// The address is invalid.
    Address,
    /// The file does not exist.
    NotFound,
    /// The server denies access.
    Forbidden,
    /// The server or a proxy cannot be reached, or gave up.
    Connection,
    /// No server listens at the address.
    Refused,
    /// No bytes arrived within the timeout.
    TimedOut,
    /// Fewer bytes arrived than the server declared.
    Truncated {
        /// Number of declared bytes.
        needed: u64,
        /// Number of bytes that arrived.
        had: u64,
    },
    /// The file has changed since it was opened.
    Changed,
    /// The response contradicts itself or the request.
    Answer,
    /// Any other error.
    Other,
}

/// An error of a file over HTTP.
#[derive(Debug, Clone)]
pub struct HttpError {
    /// The kind of the error.
    pub kind: HttpErrorKind,
    /// The text: what failed, at which address, and what to do.
    pub message: String,
}

impl HttpError {
    pub(super) fn new(kind: HttpErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(super) fn address(message: String) -> Self {
        Self::new(HttpErrorKind::Address, format!("url: {message}"))
    }

    /// The error of a body that is shorter than declared.
    pub(super) fn truncated(url: &str, needed: u64, had: u64) -> Self {
        let message = format!(
            "{url}: expected {needed} bytes, the connection ended after {had}. Read it again; if it stays so, the server's file or a proxy is at fault."
        );
        Self::new(HttpErrorKind::Truncated { needed, had }, message)
    }

    /// The error of an unexpected status.
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

    /// Converts an error of the client library.
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

    /// Converts an I/O error of reading a body.
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
