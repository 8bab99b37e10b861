//! What so few bytes may ask for.
//!
//! A run of one value is six bytes, whatever its length, and a text that a page of keys repeats stands in the file once. What
//! widely used writers make of a column of nothing but one value, at their defaults, is at most some 14,000 bytes for each
//! byte of the file. Beyond a multiple of that, memory is taken only where the caller allows it.

use crate::error::{Error, Result};

use super::open::Parquet;

/// Bytes of a result for each byte of the file.
const TIMES: u64 = 64 << 10;

impl Parquet {
    /// The bytes that a result may have.
    pub(super) fn most_nbytes(&self) -> u64 {
        let file = self.source.bytes.nbytes() as u64;
        self.options.limits.max_unbacked_rows.max(file.saturating_mul(TIMES))
    }

    /// Refuses memory that the file's bytes cannot stand for, before it is taken. `what`: is made of them.
    ///
    /// # Errors
    /// `LimitExceeded`.
    pub(super) fn check_backed(&self, nbytes: u64, what: &str) -> Result<()> {
        let most = self.most_nbytes();
        if nbytes <= most {
            return Ok(());
        }
        let message = format!(
            "{what} take {nbytes} bytes, in a file of {}: over the limit of {most}. Read some rows= or columns= of it, or \
             raise max_unbacked_rows to {nbytes} if you trust it.",
            self.source.bytes.nbytes()
        );
        Err(Error::limit("parquet", message).at(self.footer.0 as u64))
    }
}
