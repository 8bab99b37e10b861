//! What the arrays of one source may ask for.

use arrow_data::ArrayData;

use crate::error::Result;
use crate::frame::cost::{SHARED, Sharing, may_share, unfolded};
use crate::limits::{Budget, Limits};

/// For all columns that are decoded together.
#[derive(Debug)]
pub(crate) struct Allowed {
    /// Rows that no byte stands behind.
    pub(crate) unbacked: u64,
    budget: Budget,
}

impl Allowed {
    /// For `nbytes` of input.
    pub(crate) fn new(limits: &Limits, nbytes: usize) -> Self {
        Self { unbacked: limits.max_unbacked_rows, budget: Budget::new(limits, nbytes as u64) }
    }

    /// Refuses a valid array whose rows share more than they may: whoever reads them gets each for its own.
    ///
    /// # Errors
    /// As [`Limits::check_decoded`].
    pub(crate) fn check(&self, data: &ArrayData) -> Result<()> {
        if !may_share(data.data_type(), Sharing::Views) {
            return Ok(());
        }
        let nbytes = unfolded(data, Sharing::Views);
        self.budget.charge("arrow", SHARED, nbytes, data.len() as u64)
    }
}
