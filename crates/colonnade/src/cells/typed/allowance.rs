//! The allowance for memory that no input bytes back: a null of a wide type is one byte of input, whatever size the schema
//! declares.

use std::sync::Arc;

use crate::cells::msgpack::column::CellError;
use crate::error::ErrorKind;
use crate::limits::{self, Limits, SHORT_CELL_NBYTES};

/// The bytes read and the memory they became, for all columns of a frame.
#[derive(Debug)]
pub(super) struct Allowance(limits::Budget);

/// The allowance that all columns of a frame share.
pub(super) type SharedAllowance = Arc<Allowance>;

impl Allowance {
    pub(super) fn new(limits: &Limits) -> Self {
        Self(limits::Budget::new(limits, 0))
    }

    /// Records that `nbytes` were read.
    pub(super) fn grant(&self, nbytes: usize) {
        self.0.grant(nbytes as u64);
    }

    /// Charges a null that a byte of the input backs: a short one is always allowed.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit's name.
    pub(super) fn charge(&self, cost: u64) -> Result<(), CellError> {
        if cost <= SHORT_CELL_NBYTES { Ok(()) } else { self.charge_missing(cost) }
    }

    /// Charges a null that no byte of the input backs.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit's name.
    pub(super) fn charge_missing(&self, cost: u64) -> Result<(), CellError> {
        let charged = self.0.try_charge("nulls", cost, 0);
        charged.map_err(|message| CellError::new(ErrorKind::LimitExceeded, 0, message))
    }
}
