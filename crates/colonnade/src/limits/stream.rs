//! Sources that do not say how many bytes they have.

use crate::error::{Error, Result};

use super::Limits;

/// So many bytes come from any source before memory is looked at.
const ALWAYS_NBYTES: u64 = 64 << 20;

/// Counts what is collected from a source without a known length.
#[derive(Debug)]
pub struct StreamLimit {
    limits: Limits,
    most: u64,
    is_known: bool,
}

impl StreamLimit {
    /// For one source, of which nothing has come.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let (most, is_known) = match limits.max_stream_nbytes {
            Some(most) => (most, true),
            None => (ALWAYS_NBYTES, limits.max_nbytes <= ALWAYS_NBYTES),
        };
        Self { limits: *limits, most: most.min(limits.max_nbytes), is_known }
    }

    /// Refuses to hold `nbytes`.
    ///
    /// # Errors
    /// `LimitExceeded`, with the limit and the option that raises it.
    #[inline]
    pub fn check(&mut self, format: &'static str, nbytes: u64) -> Result<()> {
        if nbytes <= self.most { Ok(()) } else { self.look(format, nbytes) }
    }

    #[cold]
    fn look(&mut self, format: &'static str, nbytes: u64) -> Result<()> {
        if !self.is_known {
            self.is_known = true;
            // What has come counts as available: it is part of what the source may take.
            let half = super::available().saturating_add(nbytes) / 2;
            self.most = half.max(ALWAYS_NBYTES).min(self.limits.max_nbytes);
        }
        if nbytes <= self.most {
            return Ok(());
        }
        let most = self.most;
        let message = if most == self.limits.max_nbytes {
            format!("the stream passes the limit of {most} bytes. Raise max_nbytes to read it.")
        } else {
            format!(
                "the source has no known length and passes {most} bytes, the limit for such a source. Save it to a file \
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
    fn what_was_told_is_the_limit() {
        let limits = Limits { max_stream_nbytes: Some(10), ..Limits::default() };
        let mut limit = StreamLimit::new(&limits);
        assert!(limit.check("csv", 10).is_ok());
        let error = limit.check("csv", 11).unwrap_err().to_string();
        assert!(error.contains("passes 10 bytes") && error.contains("max_stream_nbytes"), "{error}");
    }

    #[test]
    fn it_is_never_over_the_limit_of_all_bytes() {
        for max_stream_nbytes in [None, Some(100)] {
            let limits = Limits { max_stream_nbytes, max_nbytes: 5, ..Limits::default() };
            let error = StreamLimit::new(&limits).check("csv", 6).unwrap_err().to_string();
            assert!(error.contains("limit of 5 bytes") && error.contains("max_nbytes"), "{error}");
        }
    }

    #[test]
    fn without_a_limit_memory_is_one() {
        let mut limit = StreamLimit::new(&Limits::default());
        assert!(limit.check("csv", ALWAYS_NBYTES).is_ok());
        assert!(limit.check("csv", u64::MAX).is_err());
        assert!(limit.most >= ALWAYS_NBYTES && limit.most <= Limits::default().max_nbytes);
    }
}
