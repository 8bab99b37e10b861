//! The memory and the rows without bytes that one source may decode to.

use arrow_data::ArrayData;

use crate::error::Result;
use crate::frame::cost::{SHARED, Sharing, may_share, unshared_nbytes};
use crate::limits::{Budget, Limits};

/// The budget of all columns that are decoded together.
#[derive(Debug)]
pub(crate) struct DecodeBudget {
    /// Rows that take no bytes in the source, such as rows of a null column.
    pub(crate) max_unbacked_rows: u64,
    budget: Budget,
}

impl DecodeBudget {
    /// A budget for `nbytes` of input.
    pub(crate) fn new(limits: &Limits, nbytes: usize) -> Self {
        Self { max_unbacked_rows: limits.max_unbacked_rows, budget: Budget::new(limits, nbytes as u64) }
    }

    /// Charges an array by the size of its rows as readers see them. Views may share bytes, which a copy would repeat.
    ///
    /// # Errors
    /// As [`Limits::check_decoded`].
    pub(crate) fn check(&self, data: &ArrayData) -> Result<()> {
        if !may_share(data.data_type(), Sharing::Views) {
            return Ok(());
        }
        let nbytes = unshared_nbytes(data, Sharing::Views);
        self.budget.charge("arrow", SHARED, nbytes, data.len() as u64)
    }
}
