//! The cost rule for an input that arrives in pieces.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

use super::Limits;

/// The bytes that an input has delivered, and the bytes decoded from it. Columns that share an input share a budget.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    input: AtomicU64,
    ncells: AtomicU64,
    spent: AtomicU64,
}

impl Budget {
    /// The budget of an input that has delivered `input` bytes.
    #[must_use]
    pub fn new(limits: &Limits, input: u64) -> Self {
        Self { limits: *limits, input: input.into(), ncells: 0.into(), spent: 0.into() }
    }

    /// Adds bytes that the input has delivered.
    pub fn grant(&self, input: u64) {
        add(&self.input, input);
    }

    /// Charges `nbytes` for `ncells` declared cells.
    ///
    /// # Errors
    /// As [`Limits::check_decoded`], for the sum of all charges.
    pub fn charge(&self, format: &'static str, what: &str, nbytes: u64, ncells: u64) -> Result<()> {
        self.try_charge(what, nbytes, ncells).map_err(|message| Error::limit(format, message))
    }

    /// Charges as [`Budget::charge`] does.
    ///
    /// # Errors
    /// Only the message, for callers that add a position.
    pub fn try_charge(&self, what: &str, nbytes: u64, ncells: u64) -> std::result::Result<(), String> {
        let (cells, spent) = (add(&self.ncells, ncells), add(&self.spent, nbytes));
        let input = self.input.load(Ordering::Relaxed);
        if spent <= self.limits.decoded_nbytes(input, cells) {
            return Ok(());
        }
        Err(self.limits.over_decoded(what, spent, input, cells))
    }
}

/// Adds and returns the sum, which saturates.
fn add(to: &AtomicU64, more: u64) -> u64 {
    let sum = |old: u64| old.saturating_add(more);
    let old = to.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| Some(sum(old)));
    sum(old.unwrap_or_else(|same| same))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_what_their_input_allows() {
        let limits = Limits { max_unbacked_nbytes: 1000, ..Limits::default() };
        let budget = Budget::new(&limits, 0);
        assert!(budget.charge("arrow", "texts", 600, 0).is_ok());
        let error = budget.charge("arrow", "texts", 600, 0).unwrap_err().to_string();
        assert!(error.contains("texts take 1200 bytes") && error.contains("is 1000"), "{error}");
    }

    #[test]
    fn the_limit_grows_with_received_bytes() {
        let limits = Limits { max_unbacked_nbytes: 0, ..Limits::default() };
        let budget = Budget::new(&limits, 0);
        assert!(budget.try_charge("texts", 1, 0).is_err());
        budget.grant(1);
        assert!(budget.try_charge("texts", 1023, 0).is_ok());
        assert!(budget.try_charge("texts", 1, 0).is_err());
        // Every cell may take SHORT_CELL_NBYTES.
        assert!(budget.try_charge("texts", 63, 1).is_ok());
    }

    #[test]
    fn sums_do_not_pass_64_bits() {
        let budget = Budget::new(&Limits::default(), u64::MAX);
        assert!(budget.try_charge("texts", u64::MAX, u64::MAX).is_err());
        assert!(budget.try_charge("texts", u64::MAX, u64::MAX).is_err());
    }
}
