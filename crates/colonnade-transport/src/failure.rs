//! What may be wrong with addresses and at them, told with the address.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Instant;

/// An address that is none, or that may not be used so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressError {
    message: String,
}

impl AddressError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for AddressError {}

impl From<AddressError> for io::Error {
    fn from(error: AddressError) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

/// An error of the system's with its number and where it happened. It stands inside an [`io::Error`] of the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemError {
    errno: i32,
    message: String,
}

impl SystemError {
    /// The system's number.
    #[must_use]
    pub fn errno(&self) -> i32 {
        self.errno
    }

    /// `error` as it is, or, where it is the system's, with `place` before and `advice` behind it.
    pub(crate) fn wrap(error: io::Error, place: &dyn fmt::Display, advice: &str) -> io::Error {
        let Some(errno) = error.raw_os_error() else { return error };
        io::Error::new(error.kind(), Self { errno, message: format!("{place}: {}{advice}", words(&error)) })
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for SystemError {}

/// The system's words, without the number that Rust puts behind them.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// `TimedOut`, with those words, once `deadline` has passed.
pub(crate) fn check(deadline: Option<Instant>, message: impl Fn() -> String) -> io::Result<()> {
    match deadline {
        Some(deadline) if Instant::now() >= deadline => {
            Err(io::Error::new(io::ErrorKind::TimedOut, message()))
        }
        _ => Ok(()),
    }
}
