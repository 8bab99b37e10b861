//! Limits on the sizes that an input may declare, checked before allocation.
//!
//! # Cost
//!
//! A small input can decode into a large frame: a run-length code repeats a long text, overlapping string views share one, a
//! key of one JSON record makes a cell in every record. One rule bounds all of them. Before a decoder allocates, it computes
//! from offsets, codes and counts how many bytes it will write, and calls [`Limits::check_decoded`]. `input` bytes that declare
//! `ncells` cells (rows times columns) may decode into
//!
//! ```text
//! max(max_unbacked_nbytes, max_expansion * input) + min(64 * ncells, 64 * max_expansion * input)
//! ```
//!
//! The first term is for long values. The second lets every cell take 64 bytes, so that columns of one repeated number or
//! short text stay readable, although encodings store very few bytes for them: widely used writers reach 14,000 bytes of frame
//! for each byte of such a file.
//!
//! [`Budget`] applies the rule to an input that arrives piece by piece, or that several columns share.
//!
//! # Endless sources
//!
//! Pipes and devices have no known length. [`StreamLimit`] stops reading an endless one before memory runs out.

mod budget;
mod stream;

pub use budget::Budget;
pub use stream::StreamLimit;

use crate::error::{Error, Result};

/// Bytes that each declared cell may always take.
pub const SHORT_CELL_NBYTES: u64 = 64;

/// Bytes that a cell without a value takes at least: the slot of a number, or the offset of a text.
pub const CELL_NBYTES: u64 = 8;

/// Limits; all are inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of all members after decompression.
    pub max_nbytes: u64,
    /// Members of an archive.
    pub max_members: u64,
    /// Bytes of one member after decompression.
    pub max_member_nbytes: u64,
    /// Columns of a frame. An array without rows can declare any number of them.
    pub max_columns: u64,
    /// Rows that store no bytes.
    pub max_unbacked_rows: u64,
    /// Bytes that a decoder may write for any input, however small.
    pub max_unbacked_nbytes: u64,
    /// Bytes that a decoder may write for each byte of its input, beyond 64 for each declared cell.
    pub max_expansion: u64,
    /// Bytes collected from a source of unknown length; `None`: half of the available memory.
    pub max_stream_nbytes: Option<u64>,
    /// Bytes of `__meta__.json`.
    pub max_meta_nbytes: u64,
    /// Nesting depth of values (MessagePack).
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

    /// Refuses to write `nbytes` bytes for `input` bytes that declare `ncells` cells. `what` names the values, in the plural.
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

    /// The message of [`Limits::check_decoded`], for callers that add a position to the error.
    #[must_use]
    #[cold]
    pub fn over_decoded(&self, what: &str, nbytes: u64, input: u64, ncells: u64) -> String {
        let max = self.decoded_nbytes(input, ncells);
        let raise = if nbytes > self.max_nbytes { "max_nbytes" } else { "max_unbacked_nbytes" };
        limit_message(what, nbytes, input, max, raise)
    }

    /// Missing cells that `input` bytes may imply, if each takes [`CELL_NBYTES`].
    #[must_use]
    pub(crate) fn missing_cells(&self, input: u64) -> u64 {
        self.decoded_nbytes(input, 0) / CELL_NBYTES
    }
}

fn limit_message(what: &str, nbytes: u64, input: u64, max: u64, raise: &str) -> String {
    format!(
        "{what} take {nbytes} bytes once decoded, the limit for {input} bytes of input is {max}. Read fewer rows= or \
         columns=, or pass limits=Limits({raise}={nbytes}) if you trust the source."
    )
}

/// The message for too many cells of keys that rows lack: `max` cells may be missing, see [`Limits::missing_cells`].
#[cold]
pub(crate) fn over_missing(missing: u64, input: u64, max: u64) -> String {
    let (nbytes, max) = (missing.saturating_mul(CELL_NBYTES), max.saturating_mul(CELL_NBYTES));
    limit_message(
        &format!("{missing} cells for keys that only other rows have"),
        nbytes,
        input,
        max,
        "max_unbacked_nbytes",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_inputs_may_always_decode_to_the_minimum() {
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
        // A single byte cannot declare any number of cells.
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
