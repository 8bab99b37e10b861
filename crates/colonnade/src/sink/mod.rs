//! Where encoded bytes go. The transports implement it; formats know nothing else of them.

pub mod compressed;
pub(crate) mod joined;
pub(crate) mod writer_state;

#[cfg(test)]
mod compressed_tests;

use std::io::{self, IoSlice};

use crate::error::Result;
use crate::progress::Progress;

/// Bytes of a call of [`write_told`].
const CALL_NBYTES: usize = 1 << 20;

/// All of `bytes`, in calls between which progress is told and a signal is seen; `written` counts them.
///
/// # Errors
/// The system's own, and those of `progress`.
pub(crate) fn write_told(
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

/// Takes bytes front to back; some can go back and change a few.
pub trait Sink {
    /// Takes all of `bytes`.
    ///
    /// # Errors
    /// The system's own.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Takes all of `pieces`, one behind the other; see [`Sink::takes_pieces`].
    ///
    /// # Errors
    /// The system's own.
    fn write_pieces(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        pieces.iter().try_for_each(|piece| self.write(piece))
    }

    /// Whether many pieces cost no more than one: then nothing is copied to be joined.
    fn takes_pieces(&self) -> bool {
        false
    }

    /// Whether [`Sink::patch`] works.
    fn can_patch(&self) -> bool {
        false
    }

    /// Replaces bytes that were written before, at `offset` from the first byte this sink took.
    ///
    /// # Errors
    /// The system's own; `Unsupported` where [`Sink::can_patch`] says no.
    fn patch(&mut self, _offset: u64, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Memory for the next `nbytes` bytes, which the caller fills itself, every one: they count as written. `None` where the
    /// sink has none to give, and they are written as all others.
    ///
    /// # Errors
    /// The system's own: no space.
    fn place(&mut self, _nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        Ok(None)
    }

    /// Says how many bytes will come in all, so that space can be reserved.
    ///
    /// # Errors
    /// The system's own: no space.
    fn reserve(&mut self, _total: u64) -> io::Result<()> {
        Ok(())
    }

    /// Says about how many bytes will come in all, where nobody knows it exactly: fewer may come, or some more.
    ///
    /// # Errors
    /// The system's own: no space.
    fn reserve_about(&mut self, total: u64) -> io::Result<()> {
        self.reserve(total)
    }
}

/// A box as the sink in it.
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

/// A vector as a sink.
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
