//! Reads streams into recycled memory.

use std::io::{self, Read};

use crate::error::Result;
use crate::progress::Progress;

use super::{Buffer, Region};

/// Reads a pipe, socket or device to its end. Calls `check` repeatedly with all bytes received so far, which may refuse
/// them.
///
/// # Errors
/// Errors of the operating system and of `check`.
pub fn read_to_end(
    stream: &mut dyn Read,
    check: &mut dyn FnMut(&[u8]) -> Result<()>,
    progress: &dyn Progress,
) -> Result<Buffer> {
    const STEP: usize = 4 << 20;
    let mut region = Region::allocate(0)?;
    let mut filled = 0;
    loop {
        if region.capacity() == filled {
            region.grow((filled + filled / 2).max(STEP))?;
        }
        let capacity = region.capacity();
        region.grow(capacity)?;
        let room = region.as_mut_slice().get_mut(filled..).unwrap_or(&mut []);
        match stream.read(room) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => progress.interrupted()?,
            Err(e) => return Err(e.into()),
        }
        progress.advance(filled as u64, None)?;
        check(region.as_mut_slice().get(..filled).unwrap_or(&[]))?;
    }
    region.grow(filled)?;
    Ok(Buffer::from_region(region.finish(), false))
}
