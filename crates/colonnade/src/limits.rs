//! Caps on what an input may ask for, checked before anything is allocated.
//!
//! # Cost
//!
//! A small input can ask for a large frame: a run-length code repeats a long text, overlapping string views share one, a key
//! of one JSON record makes a cell in every record. One rule bounds all of them. Before a decoder allocates, it knows from
//! offsets, codes and counts how many bytes it will write, and calls [`Limits::check_decoded`]. `input` bytes that declare
//! `ncells` cells (rows times columns) may become
//!
//! ```text
//! max(max_unbacked_nbytes, max_expansion * input) + min(64 * ncells, 64 * max_expansion * input)
//! ```
//!
//! The first term is for long values. The second lets every cell take 64 bytes, so that columns of one repeated number or
//! short text, of which the usual encodings store next to nothing, stay readable: widely used writers reach 14,000 bytes of
//! frame for each byte of such a file.
//!
//! [`Budget`] is the same rule where the input comes piece by piece, or where several columns share one input.
//!
//! # Sources without an end
//!
//! A pipe or a device does not say its length. [`StreamLimit`] stops one that never ends before memory does.

mod available;
mod budget;
mod stream;

pub use available::available;
pub use budget::Budget;
pub use stream::StreamLimit;

use crate::error::{Error, Result};

/// Bytes that each declared cell may take whatever stands for it in the input.
pub const SHORT_CELL_NBYTES: u64 = 64;

/// Bytes that a cell without a value takes at least: the slot of a number, or the offset of a text.
pub const CELL_NBYTES: u64 = 8;

/// Caps; all are inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all members once decompressed.
    pub max_nbytes: u64,
    /// Members of an archive.
    pub max_members: u64,
    /// Bytes of one member once decompressed.
    pub max_member_nbytes: u64,
    /// Columns of a frame: an array of no rows can claim any number of them without a byte behind it.
    pub max_columns: u64,
    /// Rows that no byte stands behind.
    pub max_unbacked_rows: u64,
    /// Bytes that a decoder may write however small its input is.
    pub max_unbacked_nbytes: u64,
    /// Bytes that a decoder may write for each byte of its input, beyond 64 for each declared cell.
    pub max_expansion: u64,
    /// Bytes that are collected from a source without a known length; `None`: half of the memory that is available then.
    pub max_stream_nbytes: Option<u64>,
    /// Bytes of `__meta__.json`.
    pub max_meta_nbytes: u64,
    /// How deep values may nest (MessagePack).
    pub max_depth: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_nbytes: 1 << 46,
            max_members: 16 << 20,
            max_member_nbytes: 1 << 46,
            max_columns: 16 << 20,
            max_unbacked_rows: 256 << 20,
            max_unbacked_nbytes: 128 << 20,
            max_expansion: 1024,
            max_stream_nbytes: None,
            max_meta_nbytes: 1 << 30,
            max_depth: 64,
        }
    }
}

impl Limits {
    /// The most bytes that a decoder may write for `input` bytes that declare `ncells` cells (rows times columns).
    #[must_use]
    pub fn decoded_nbytes(&self, input: u64, ncells: u64) -> u64 {
        let backed = input.saturating_mul(self.max_expansion);
        let short = ncells.saturating_mul(SHORT_CELL_NBYTES).min(backed.saturating_mul(SHORT_CELL_NBYTES));
        backed.max(self.max_unbacked_nbytes).saturating_add(short).min(self.max_nbytes)
    }

    /// Refuses to write `nbytes` bytes for `input` bytes that declare `ncells` cells. `what` names what takes them, in the
    /// plural.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit and the option that raises it.
    pub fn check_decoded(
        &self,
        format: &'static str,
        what: &str,
        nbytes: u64,
        input: u64,
        ncells: u64,
    ) -> Result<()> {
        if nbytes <= self.decoded_nbytes(input, ncells) {
            return Ok(());
        }
        Err(Error::limit(format, self.over_decoded(what, nbytes, input, ncells)))
    }

    /// The message of [`Limits::check_decoded`], for errors that get their place elsewhere.
    #[must_use]
    #[cold]
    pub fn over_decoded(&self, what: &str, nbytes: u64, input: u64, ncells: u64) -> String {
        let most = self.decoded_nbytes(input, ncells);
        let raise = if nbytes > self.max_nbytes { "max_nbytes" } else { "max_unbacked_nbytes" };
        over(what, nbytes, input, most, raise)
    }

    /// Cells without a value that `input` bytes may stand for, where each takes [`CELL_NBYTES`].
    #[must_use]
    pub(crate) fn missing_cells(&self, input: u64) -> u64 {
        self.decoded_nbytes(input, 0) / CELL_NBYTES
    }
}

fn over(what: &str, nbytes: u64, input: u64, most: u64, raise: &str) -> String {
    format!(
        "{what} take {nbytes} bytes once decoded, the limit for {input} bytes of input is {most}. Read fewer rows= or \
         columns=, or pass limits=Limits({raise}={nbytes}) if you trust the source."
    )
}

/// The message of the same refusal where rows lack keys that others have: `most` cells may be missing (see
/// [`Limits::missing_cells`]).
#[cold]
pub(crate) fn over_missing(missing: u64, input: u64, most: u64) -> String {
    let (nbytes, most) = (missing.saturating_mul(CELL_NBYTES), most.saturating_mul(CELL_NBYTES));
    over(&format!("{missing} cells of keys that other rows have"), nbytes, input, most, "max_unbacked_nbytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_inputs_may_always_become_the_floor() {
        let limits = Limits::default();
        assert_eq!(limits.decoded_nbytes(0, 0), 128 << 20);
        assert_eq!(limits.decoded_nbytes(1000, 0), 128 << 20);
    }

    #[test]
    fn the_limit_grows_with_the_input() {
        let limits = Limits::default();
        assert_eq!(limits.decoded_nbytes(1 << 20, 0), 1 << 30);
    }

    #[test]
    fn short_cells_need_few_bytes_of_input() {
        let limits = Limits::default();
        // A constant column of a hundred million numbers in 100 kB.
        assert!(limits.check_decoded("parquet", "values", 800_000_000, 100_000, 100_000_000).is_ok());
        // The same bytes as few long values.
        assert!(limits.check_decoded("parquet", "values", 800_000_000, 100_000, 8_000).is_err());
        // Nothing cannot declare everything.
        assert!(limits.check_decoded("parquet", "values", u64::MAX, 1, u64::MAX).is_err());
    }

    #[test]
    fn the_error_names_the_option_that_raises_the_limit() {
        let mut limits = Limits::default();
        let Err(error) = limits.check_decoded("json", "cells", 1 << 40, 100, 100) else { panic!("accepted") };
        assert!(error.to_string().contains("limits=Limits(max_unbacked_nbytes=1099511627776)"), "{error}");
        limits.max_unbacked_nbytes = 1 << 40;
        assert!(limits.check_decoded("json", "cells", 1 << 40, 100, 100).is_ok());
    }
}
