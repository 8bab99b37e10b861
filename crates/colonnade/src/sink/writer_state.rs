//! What all writers of chunks keep to: a series that broke off is not gone on with, and of nothing there is no series.

use crate::error::{Error, Result};

/// Whether more may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum State {
    #[default]
    Open,
    /// Something failed in the middle: what was written is no whole.
    Broken,
    Closed,
}

impl State {
    /// # Errors
    /// `Unrepresentable`: no more may be written.
    pub(crate) fn check_open(self, format: &'static str) -> Result<()> {
        let message = match self {
            Self::Open => return Ok(()),
            Self::Broken => "an earlier call failed in the middle. Abort this writer and begin again.",
            Self::Closed => "the writer was closed.",
        };
        Err(Error::unrepresentable(format, message))
    }
}

/// Why a series of no chunks is not ended.
pub(crate) fn nothing(format: &'static str) -> Error {
    let message = "nothing was written: the first chunk says the schema. Write one, of no rows if need be.";
    Error::unrepresentable(format, message)
}

/// Compares the rows with those that were told before the first of them.
///
/// # Errors
/// `Unrepresentable`: they are not as many.
pub(crate) fn check_rows(format: &'static str, told: Option<usize>, found: usize) -> Result<()> {
    match told.filter(|&told| told != found) {
        None => Ok(()),
        Some(told) => {
            let message = format!("expected {told} rows, as was told at first, found {found}.");
            Err(Error::unrepresentable(format, message))
        }
    }
}
