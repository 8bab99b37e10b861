//! Limits for sources of unknown length.

use crate::error::{Error, Result};
use crate::platform::available_nbytes;

use super::Limits;

/// Bytes that any source may deliver before available memory is checked.
const UNCHECKED_NBYTES: u64 = 64 << 20;

/// Limits the bytes collected from a source of unknown length.
#[derive(Debug)]
pub struct StreamLimit {
    limits: Limits,
    max: u64,
    is_final: bool,
}

impl StreamLimit {
    /// The limit of one source.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let (max, is_final) = match limits.max_stream_nbytes {
            Some(max) => (max, true),
            None => (UNCHECKED_NBYTES, limits.max_nbytes <= UNCHECKED_NBYTES),
        };
        Self { limits: *limits, max: max.min(limits.max_nbytes), is_final }
    }

    /// Refuses to hold `nbytes`.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit and the option that raises it.
    #[inline]
    pub fn check(&mut self, format: &'static str, nbytes: u64) -> Result<()> {
        if nbytes <= self.max { Ok(()) } else { self.check_memory(format, nbytes) }
    }

    #[cold]
    fn check_memory(&mut self, format: &'static str, nbytes: u64) -> Result<()> {
        if !self.is_final {
            self.is_final = true;
            // Bytes already collected count as available, because the limit includes them.
            let half = available_nbytes().unwrap_or(u64::MAX).saturating_add(nbytes) / 2;
            self.max = half.max(UNCHECKED_NBYTES).min(self.limits.max_nbytes);
        }
        if nbytes <= self.max {
            return Ok(());
        }
        let max = self.max;
        let message = if max == self.limits.max_nbytes {
            format!("the stream passes the limit of {max} bytes. Raise max_nbytes to read it.")
        } else {
            format!(
                "the source has no known length and passes {max} bytes, the limit for such a source. Save it to a file \
                 first, or pass limits=Limits(max_stream_nbytes=...) if it ends."
            )
        };
        Err(Error::limit(format, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_limit_holds() {
        let limits = Limits { max_stream_nbytes: Some(10), ..Limits::default() };
        let mut limit = StreamLimit::new(&limits);
        assert!(limit.check("csv", 10).is_ok());
        let error = limit.check("csv", 11).unwrap_err().to_string();
        assert!(error.contains("passes 10 bytes") && error.contains("max_stream_nbytes"), "{error}");
    }

    #[test]
    fn stream_limits_never_exceed_max_nbytes() {
        for max_stream_nbytes in [None, Some(100)] {
            let limits = Limits { max_stream_nbytes, max_nbytes: 5, ..Limits::default() };
            let error = StreamLimit::new(&limits).check("csv", 6).unwrap_err().to_string();
            assert!(error.contains("limit of 5 bytes") && error.contains("max_nbytes"), "{error}");
        }
    }

    #[test]
    fn available_memory_is_the_default_limit() {
        let mut limit = StreamLimit::new(&Limits::default());
        assert!(limit.check("csv", UNCHECKED_NBYTES).is_ok());
        assert!(limit.check("csv", u64::MAX).is_err());
        assert!(limit.max >= UNCHECKED_NBYTES && limit.max <= Limits::default().max_nbytes);
    }
}
