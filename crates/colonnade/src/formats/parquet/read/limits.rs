//! Checks the size of what a call decodes against the limits, before memory is allocated for it.
//!
//! A run of one value takes six bytes at any length, and a text that a page of keys repeats is stored once. The rule is the
//! same for all formats, see [`crate::limits`].

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::limits::Limits;

use super::file::Parquet;

/// Bytes and cells that one call decodes, summed over its columns.
#[derive(Debug, Default)]
pub(crate) struct Account {
    nbytes: AtomicU64,
    ncells: AtomicU64,
}

/// The maximum bytes that pages may decode to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimits {
    limits: Limits,
    /// Bytes of the file.
    input: u64,
}

impl PageLimits {
    /// Refuses a page, or its decoded values, of `nbytes` bytes for `nvalues` values.
    pub(crate) fn check(&self, what: &str, nbytes: u64, nvalues: u64) -> Result<()> {
        let limit = self.limits.max_member_nbytes;
        if nbytes > limit {
            let message = format!(
                "{what} take {nbytes} bytes, over the limit of {limit}. Raise max_member_nbytes to read them."
            );
            return Err(Error::limit("parquet", message));
        }
        self.limits.check_decoded("parquet", what, nbytes, self.input, nvalues)
    }
}

fn add(to: &AtomicU64, more: u64) -> u64 {
    let mut sum = 0;
    let _ = to.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |before| {
        sum = before.saturating_add(more);
        Some(sum)
    });
    sum
}

impl Account {
    /// Adds cells, each of which may take some bytes whatever the size of the input.
    pub(super) fn add_cells(&self, ncells: u64) {
        add(&self.ncells, ncells);
    }
}

impl Parquet {
    /// The limits for the pages of this file.
    pub(super) fn bounds(&self) -> PageLimits {
        PageLimits { limits: self.options.limits, input: self.input() }
    }

    fn input(&self) -> u64 {
        self.source.bytes.nbytes() as u64
    }

    /// The maximum bytes that `ncells` cells may take.
    pub(super) fn most_nbytes(&self, ncells: u64) -> u64 {
        self.options.limits.decoded_nbytes(self.input(), ncells)
    }

    /// Adds `nbytes` bytes to what a call decodes. `what` is the plural noun for the error message.
    ///
    /// # Errors
    /// `LimitExceeded`.
    pub(super) fn charge(&self, account: &Account, nbytes: u64, what: &str) -> Result<()> {
        let (sum, ncells) = (add(&account.nbytes, nbytes), account.ncells.load(Ordering::Relaxed));
        let check = |n: u64| self.options.limits.check_decoded("parquet", what, n, self.input(), ncells);
        // The error names this request if it exceeds the limit by itself, otherwise the sum.
        check(nbytes).and_then(|()| check(sum)).map_err(|e| e.at(self.footer.0 as u64))
    }

    /// Refuses a number of rows, or of values of one leaf, that no bytes of the file back: over `max_unbacked_rows`, if eight
    /// bytes for each would exceed the limit too.
    ///
    /// # Errors
    /// `LimitExceeded`.
    pub(super) fn check_count(&self, n: u64, what: &str, at: u64) -> Result<()> {
        let limit = self.options.limits.max_unbacked_rows;
        if n <= limit || n.saturating_mul(8) <= self.most_nbytes(n) {
            return Ok(());
        }
        let message = format!(
            "{n} {what} in a file of {} bytes, over the limit of {limit} {what} that store no bytes. \
             Raise max_unbacked_rows to read them.",
            self.input()
        );
        Err(Error::limit("parquet", message).at(at))
    }
}
