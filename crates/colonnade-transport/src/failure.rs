//! Errors that name an address.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Instant;

/// An address that is invalid, or not allowed for its purpose.
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

/// An operating-system error with its errno and the address. It is wrapped in an [`io::Error`] of the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemError {
    errno: i32,
    message: String,
}

impl SystemError {
    /// The errno.
    #[must_use]
    pub fn errno(&self) -> i32 {
        self.errno
    }

    /// Puts `place` before and `advice` after the text of an operating-system error. Other errors stay unchanged.
    pub(crate) fn wrap(error: io::Error, place: &dyn fmt::Display, advice: &str) -> io::Error {
        let Some(errno) = error.raw_os_error() else { return error };
        io::Error::new(
            error.kind(),
            Self { errno, message: format!("{place}: {}{advice}", system_text(&error)) },
        )
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for SystemError {}

/// The system's text, without the number that Rust appends.
pub(crate) fn system_text(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Returns `TimedOut` with `message` after `deadline` has passed.
pub(crate) fn check_deadline(deadline: Option<Instant>, message: impl Fn() -> String) -> io::Result<()> {
    match deadline {
        Some(deadline) if Instant::now() >= deadline => {
            Err(io::Error::new(io::ErrorKind::TimedOut, message()))
        }
        _ => Ok(()),
    }
}
