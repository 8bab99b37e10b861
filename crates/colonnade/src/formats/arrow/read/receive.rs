//! Bytes of a stream up to its end mark, in recycled memory.

use std::io::{self, Read};

use crate::error::Result;
use crate::limits::StreamLimit;
use crate::memory::{Region, RegionMut};
use crate::progress::Progress;

use super::options::{Form, OpenOptions};
use crate::arrow::ipc::message::CONTINUATION;
use crate::arrow::ipc::scan::{At, message_at};

/// Reads a stream up to its end mark (what follows belongs to somebody else), a file to the end.
pub(super) fn receive(
    stream: &mut dyn Read,
    options: &OpenOptions,
    progress: &dyn Progress,
) -> Result<RegionMut> {
    const STEP: usize = 4 << 20;
    let mut region = Region::allocate(0, false)?;
    let (mut filled, mut at, mut needed) = (0usize, 0usize, 4usize);
    let mut to_the_end = options.form == Some(Form::File);
    let mut limit = StreamLimit::new(&options.limits);
    loop {
        while filled < needed || to_the_end {
            // A length is believed as far as bytes come: the room doubles, whatever the message claims.
            let wanted = if to_the_end { usize::MAX } else { needed }.min((filled * 2).max(STEP));
            if region.capacity() < wanted {
                region.grow(wanted)?;
            }
            region.grow(wanted.max(filled))?;
            let room = region.as_mut_slice().get_mut(filled..wanted).unwrap_or(&mut []);
            match stream.read(room) {
                Ok(0) => {
                    region.grow(filled)?;
                    return Ok(region);
                }
                Ok(count) => filled += count,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => progress.interrupted()?,
                Err(e) => return Err(e.into()),
            }
            progress.advance(filled as u64, None)?;
            limit.check("arrow", filled as u64)?;
        }
        let bytes = region.as_mut_slice().get(..filled).unwrap_or(&[]);
        if at == 0 && (bytes.starts_with(b"ARRO") && options.form.is_none() || bytes.starts_with(b"FEA1")) {
            to_the_end = true;
            continue;
        }
        match message_at(bytes, at)? {
            At::Message(found) => {
                at = found.next();
                // The end mark before Arrow 0.15 was four bytes.
                let modern = bytes.starts_with(&CONTINUATION.to_le_bytes());
                needed = at + if modern { 8 } else { 4 };
            }
            At::End(end) => {
                region.grow(end)?;
                return Ok(region);
            }
            At::Needs(more) => {
                let short = filled < 8
                    && bytes.first_chunk::<4>().is_some_and(|b| u32::from_le_bytes(*b) != CONTINUATION);
                needed = if short && more == 8 { 4 } else { usize::try_from(more).unwrap_or(usize::MAX) };
            }
        }
    }
}
