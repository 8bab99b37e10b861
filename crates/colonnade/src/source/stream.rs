//! Streams, collected to their end.

use std::io::Read;

use crate::error::Result;
use crate::limits::{Limits, StreamLimit};
use crate::memory::{Buffer, read_to_end};
use crate::progress::Progress;

/// All bytes of a pipe, socket or device; `progress` is told of them.
///
/// # Errors
/// The system's own; `LimitExceeded` where it does not end.
pub fn collect(
    stream: &mut dyn Read,
    format: &'static str,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Buffer> {
    collect_checked(stream, format, limits, &mut |_| Ok(()), progress)
}

/// [`collect`] of a stream that is decompressed as it comes: `check` sees all that has come, time and again, and may refuse it.
///
/// # Errors
/// As [`collect`]; those of `check`.
pub fn collect_checked(
    stream: &mut dyn Read,
    format: &'static str,
    limits: &Limits,
    check: &mut dyn FnMut(&[u8]) -> Result<()>,
    progress: &dyn Progress,
) -> Result<Buffer> {
    let mut limit = StreamLimit::new(limits);
    let mut both = |bytes: &[u8]| {
        limit.check(format, bytes.len() as u64)?;
        check(bytes)
    };
    read_to_end(stream, &mut both, progress)
}
