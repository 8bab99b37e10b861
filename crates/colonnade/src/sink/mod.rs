//! The destination of encoded bytes. Transports implement [`Sink`], and formats know only this trait.

mod appender;
pub mod compressed;
pub(crate) mod write_buffer;
pub(crate) mod writer_state;

pub use appender::Appender;

use std::io::{self, IoSlice};

use crate::error::Result;
use crate::progress::Progress;

/// Bytes of one call in [`write_with_progress`].
const CALL_NBYTES: usize = 1 << 20;

/// Writes all of `bytes` in several calls, and reports progress between them. `written` counts the bytes.
///
/// # Errors
/// Errors of the operating system and of `progress`.
pub(crate) fn write_with_progress(
    sink: &mut dyn Sink,
    bytes: &[u8],
    written: &mut u64,
    total: Option<u64>,
    progress: &dyn Progress,
) -> Result<()> {
    for call in bytes.chunks(CALL_NBYTES) {
        sink.write(call)?;
        *written += call.len() as u64;
        progress.advance(*written, total)?;
    }
    Ok(())
}

/// Receives bytes in order. Some sinks can patch earlier bytes.
pub trait Sink {
    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Writes all of `pieces` in order; see [`Sink::takes_pieces`].
    ///
    /// # Errors
    /// Errors of the operating system.
    fn write_pieces(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        pieces.iter().try_for_each(|piece| self.write(piece))
    }

    /// Whether writing many pieces costs no more than writing one, so that callers need not buffer them.
    fn takes_pieces(&self) -> bool {
        false
    }

    /// Whether [`Sink::patch`] works.
    fn can_patch(&self) -> bool {
        false
    }

    /// Replaces bytes at `offset` from the first byte that was written to this sink.
    ///
    /// # Errors
    /// Errors of the operating system; `Unsupported` if [`Sink::can_patch`] is false.
    fn patch(&mut self, _offset: u64, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Memory for the next `nbytes` bytes. They count as written, and the caller must fill all of them. `None` if the sink has no
    /// memory to lend; then the caller uses [`Sink::write`].
    ///
    /// # Errors
    /// Errors of the operating system, for example without space.
    fn place(&mut self, _nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        Ok(None)
    }

    /// Announces the total of bytes, so that the sink can reserve space.
    ///
    /// # Errors
    /// Errors of the operating system, for example without space.
    fn reserve(&mut self, _total: u64) -> io::Result<()> {
        Ok(())
    }

    /// Announces an estimate of the total. The actual number may be lower or slightly higher.
    ///
    /// # Errors
    /// Errors of the operating system, for example without space.
    fn reserve_about(&mut self, total: u64) -> io::Result<()> {
        self.reserve(total)
    }
}

/// A box forwards to its sink.
impl<S: Sink + ?Sized> Sink for Box<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).write(bytes)
    }

    fn write_pieces(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        (**self).write_pieces(pieces)
    }

    fn takes_pieces(&self) -> bool {
        (**self).takes_pieces()
    }

    fn can_patch(&self) -> bool {
        (**self).can_patch()
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        (**self).patch(offset, bytes)
    }

    fn place(&mut self, nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        (**self).place(nbytes)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        (**self).reserve(total)
    }

    fn reserve_about(&mut self, total: u64) -> io::Result<()> {
        (**self).reserve_about(total)
    }
}

/// A vector collects the bytes in memory.
impl Sink for Vec<u8> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn can_patch(&self) -> bool {
        true
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let place = self.get_mut(start..start + bytes.len());
        place.ok_or_else(|| io::Error::other("patch past the end"))?.copy_from_slice(bytes);
        Ok(())
    }

    fn place(&mut self, nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        let start = self.len();
        self.try_reserve(nbytes).map_err(io::Error::other)?;
        self.resize(start + nbytes, 0);
        Ok(self.get_mut(start..))
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        let total = usize::try_from(total).map_err(io::Error::other)?;
        self.try_reserve_exact(total).map_err(io::Error::other)
    }
}
