//! Streams, whole in recycled memory.

use std::io::{self, Read};

use crate::error::{Error, Result};
use crate::plan::Progress;

use super::{Buffer, Region};

/// A pipe, socket or device, read to its end. `format` names it in errors.
///
/// # Errors
/// The system's own; a limit where more than `max_nbytes` come.
pub fn read_to_end(
    format: &'static str,
    stream: &mut dyn Read,
    max_nbytes: u64,
    progress: &dyn Progress,
) -> Result<Buffer> {
    const STEP: usize = 4 << 20;
    let mut region = Region::allocate(0, false)?;
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
        if filled as u64 > max_nbytes {
            return Err(Error::limit(
                format,
                format!("the stream passes the limit of {max_nbytes} bytes. Raise max_nbytes to read it."),
            ));
        }
    }
    region.grow(filled)?;
    Ok(Buffer::from_region(region.finish(), false))
}
