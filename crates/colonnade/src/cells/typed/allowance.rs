//! Memory that a frame may take without bytes that stand for it: a null of a wide type is one byte, whatever the schema says
//! that it takes.

use std::sync::Arc;

use crate::cells::msgpack::column::CellError;
use crate::error::ErrorKind;
use crate::limits::{self, Limits, SHORT_CELL_NBYTES};

/// What was read and what it became, for all columns of a frame.
#[derive(Debug)]
pub(super) struct Allowance(limits::Budget);

/// One for all columns of a frame.
pub(super) type Budget = Arc<Allowance>;

impl Allowance {
    pub(super) fn new(limits: &Limits) -> Self {
        Self(limits::Budget::new(limits, 0))
    }

    /// So many bytes were read.
    pub(super) fn grant(&self, nbytes: usize) {
        self.0.grant(nbytes as u64);
    }

    /// Takes the bytes of a null that a byte of the input stands for: a short one is always allowed.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit's name.
    pub(super) fn charge(&self, cost: u64) -> Result<(), CellError> {
        if cost <= SHORT_CELL_NBYTES { Ok(()) } else { self.charge_missing(cost) }
    }

    /// Takes the bytes of a null that no byte of the input stands for.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit's name.
    pub(super) fn charge_missing(&self, cost: u64) -> Result<(), CellError> {
        let charged = self.0.try_charge("nulls", cost, 0);
        charged.map_err(|message| CellError::new(ErrorKind::LimitExceeded, 0, message))
    }
}
