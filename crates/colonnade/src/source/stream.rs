//! Reads streams to their end.

use std::io::Read;

use crate::error::Result;
use crate::limits::{Limits, StreamLimit};
use crate::memory::{Buffer, read_to_end};
use crate::progress::Progress;

/// Reads all bytes of a pipe, socket or device, and reports them to `progress`.
///
/// # Errors
/// Errors of the operating system; `LimitExceeded`: the stream does not end.
pub fn collect(
    stream: &mut dyn Read,
    format: &'static str,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<Buffer> {
    collect_checked(stream, format, limits, &mut |_| Ok(()), progress)
}

/// Reads a stream as [`collect`] does, and calls `check` repeatedly with all bytes received so far, which may refuse them.
/// For streams that are decompressed while they arrive.
///
/// # Errors
/// As [`collect`]; errors of `check`.
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
