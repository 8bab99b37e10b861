//! The rule for cost, kept over the pieces of one input.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

use super::Limits;

/// What one input has brought, and what was written for it. Columns that share an input share one.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    input: AtomicU64,
    ncells: AtomicU64,
    spent: AtomicU64,
}

impl Budget {
    /// For an input of which `input` bytes are known.
    #[must_use]
    pub fn new(limits: &Limits, input: u64) -> Self {
        Self { limits: *limits, input: input.into(), ncells: 0.into(), spent: 0.into() }
    }

    /// So many more bytes of the input were seen.
    pub fn grant(&self, input: u64) {
        add(&self.input, input);
    }

    /// Takes `nbytes`, which `ncells` cells of the input declare.
    ///
    /// # Errors
    /// As [`Limits::check_decoded`], of all that was taken so far.
    pub fn charge(&self, format: &'static str, what: &str, nbytes: u64, ncells: u64) -> Result<()> {
        self.try_charge(what, nbytes, ncells).map_err(|message| Error::limit(format, message))
    }

    /// The same; the message alone, for errors that get their place elsewhere.
    ///
    /// # Errors
    /// The message.
    pub fn try_charge(&self, what: &str, nbytes: u64, ncells: u64) -> std::result::Result<(), String> {
        let (cells, spent) = (add(&self.ncells, ncells), add(&self.spent, nbytes));
        let input = self.input.load(Ordering::Relaxed);
        if spent <= self.limits.decoded_nbytes(input, cells) {
            return Ok(());
        }
        Err(self.limits.over_decoded(what, spent, input, cells))
    }
}

/// The sum, which stays at the end of what 64 bits hold.
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
    fn the_limit_grows_with_what_came() {
        let limits = Limits { max_unbacked_nbytes: 0, ..Limits::default() };
        let budget = Budget::new(&limits, 0);
        assert!(budget.try_charge("texts", 1, 0).is_err());
        budget.grant(1);
        assert!(budget.try_charge("texts", 1023, 0).is_ok());
        assert!(budget.try_charge("texts", 1, 0).is_err());
        // A cell may always be short.
        assert!(budget.try_charge("texts", 63, 1).is_ok());
    }

    #[test]
    fn sums_do_not_pass_64_bits() {
        let budget = Budget::new(&Limits::default(), u64::MAX);
        assert!(budget.try_charge("texts", u64::MAX, u64::MAX).is_err());
        assert!(budget.try_charge("texts", u64::MAX, u64::MAX).is_err());
    }
}
