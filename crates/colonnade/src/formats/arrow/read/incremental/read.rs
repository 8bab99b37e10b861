//! Feeds a decoder from a pipe, a socket or a device.

use std::io::{self, Read};

use crate::error::Result;
use crate::progress::Progress;

use super::decoder::IncrementalDecoder;
use super::event::StreamEvent;

/// Bytes of one read: the most that a pipe or a socket holds.
const STEP_NBYTES: usize = 4 << 20;

impl IncrementalDecoder {
    /// Reads `stream` up to the end mark and no further, because another reader may own the rest. If bytes are only kept,
    /// the stream may end earlier.
    ///
    /// # Errors
    /// Errors of the operating system; malformed messages; a limit; `Cancelled` from `progress`.
    pub(in crate::formats::arrow) fn read(
        &mut self,
        stream: &mut dyn Read,
        progress: &dyn Progress,
    ) -> Result<()> {
        loop {
            let mut buffers = self.io_buffers(STEP_NBYTES)?;
            match stream.read_vectored(&mut buffers) {
                Ok(0) if self.keeps_bytes() => return Ok(()),
                Ok(0) => return Err(self.cut_short()),
                Ok(count) => {
                    let event = self.filled(count)?;
                    progress.advance(self.received(), None)?;
                    if matches!(event, StreamEvent::End) {
                        return Ok(());
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => progress.interrupted()?,
                Err(e) => return Err(e.into()),
            }
        }
    }
}
