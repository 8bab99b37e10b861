//! The state of writers that write chunk by chunk: after an error nothing more is written, and at least one chunk is required.

use crate::error::{Error, Result};

/// Whether a writer accepts more chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum WriterState {
    #[default]
    Open,
    /// A call failed, so the output is incomplete.
    Broken,
    Closed,
}

impl WriterState {
    /// Refuses to write after an error or the end.
    ///
    /// # Errors
    /// `Unrepresentable`: the writer is broken or closed.
    pub(crate) fn check_open(self, format: &'static str) -> Result<()> {
        let message = match self {
            Self::Open => return Ok(()),
            Self::Broken => "an earlier call failed in the middle. Abort this writer and begin again.",
            Self::Closed => "the writer was closed.",
        };
        Err(Error::unrepresentable(format, message))
    }
}

/// The error for ending a series without chunks.
pub(crate) fn nothing(format: &'static str) -> Error {
    let message = "nothing was written: the first chunk determines the schema. Write one, without rows if there are none.";
    Error::unrepresentable(format, message)
}

/// Compares the number of rows with the number declared at the start.
///
/// # Errors
/// `Unrepresentable`: the numbers differ.
pub(crate) fn check_rows(format: &'static str, declared: Option<usize>, found: usize) -> Result<()> {
    match declared.filter(|&declared| declared != found) {
        None => Ok(()),
        Some(declared) => {
            let message =
                format!("expected {declared} rows, the number declared at the start, found {found}.");
            Err(Error::unrepresentable(format, message))
        }
    }
}
