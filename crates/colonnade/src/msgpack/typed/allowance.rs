//! Memory that a frame may take without bytes that stand for it: a null of a wide type is one byte, whatever the schema says
//! that it takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::container::store::Limits;
use crate::error::ErrorKind;
use crate::msgpack::cells::CellError;

/// Nulls up to this size go without being counted.
pub(super) const SMALL: u64 = 64;

/// Bytes of nulls that each byte of the input allows; `<U` cells are believed as much.
const PER_BYTE: u64 = 1024;

/// What is left of it, for all columns of a frame.
#[derive(Debug)]
pub(super) struct Allowance {
    /// Of `max_nbytes`.
    nbytes: AtomicU64,
    /// Of what nothing stands behind; grows with what was read.
    unbacked: AtomicU64,
}

/// One for all columns of a frame.
pub(super) type Budget = Arc<Allowance>;

impl Allowance {
    pub(super) fn new(limits: &Limits) -> Self {
        // What is granted later must not pass 64 bits.
        let unbacked = limits.max_unbacked_rows.min(1 << 62);
        Self { nbytes: limits.max_nbytes.into(), unbacked: unbacked.into() }
    }

    /// So many bytes were read.
    pub(super) fn grant(&self, nbytes: usize) {
        self.unbacked.fetch_add((nbytes as u64).saturating_mul(PER_BYTE).min(1 << 60), Ordering::Relaxed);
    }

    /// Takes the bytes of a null.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit's name.
    pub(super) fn charge(&self, cost: u64) -> Result<(), CellError> {
        if cost <= SMALL {
            return Ok(());
        }
        take(&self.nbytes, cost).map_err(|left| {
            let message = format!(
                "a null of this type takes {cost} bytes, {left} of the limit are left. Raise max_nbytes to read it."
            );
            CellError::new(ErrorKind::LimitExceeded, 0, message)
        })?;
        take(&self.unbacked, cost).map_err(|left| {
            let message = format!(
                "a null of this type takes {cost} bytes that nothing stands behind, {left} are left. Raise \
                 Limits(max_unbacked_rows=...) if you trust the source."
            );
            CellError::new(ErrorKind::LimitExceeded, 0, message)
        })
    }
}

/// Answers what is left where that is too little.
fn take(from: &AtomicU64, cost: u64) -> Result<(), u64> {
    from.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(cost)).map(|_| ())
}
