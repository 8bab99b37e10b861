//! A sink whose result is a `bytes` object.

use std::io;

use colonnade::memory::Growing;
use colonnade::message::IoBuffer;
use colonnade::sink::Sink;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_buffer;

/// Up to this size a vector collects the bytes: the allocator reuses memory, while `Growing` maps fresh pages. Above
/// it, `Growing` does, which grows without copying.
const SMALL_NBYTES: usize = 32 << 20;

/// Frames from this size on begin with `Growing`, because a growing vector would be copied several times.
const LARGE_FRAME_NBYTES: usize = 8 << 20;

/// Estimated sizes from here on are reserved in `Growing`.
const RESERVED_NBYTES: u64 = 256 << 10;

/// Collects a `bytes` object: in place if its size is reserved first, otherwise in memory that grows.
pub(crate) struct BytesSink {
    buffer: Option<Box<dyn IoBuffer>>,
    filled: usize,
    growing: GrowingBytes,
}

enum GrowingBytes {
    Small(Vec<u8>),
    Large(Growing),
}

impl BytesSink {
    /// A sink for the bytes of frames that take `nbytes` in memory.
    pub(crate) fn of(nbytes: usize) -> Self {
        let growing = if nbytes < LARGE_FRAME_NBYTES {
            GrowingBytes::Small(Vec::new())
        } else {
            GrowingBytes::Large(Growing::default())
        };
        Self { buffer: None, filled: 0, growing }
    }

    /// Whether nothing is written and no size is reserved.
    fn is_untouched(&self) -> bool {
        match &self.growing {
            _ if self.buffer.is_some() => false,
            GrowingBytes::Small(bytes) => bytes.is_empty(),
            GrowingBytes::Large(bytes) => bytes.nbytes() == 0,
        }
    }

    /// The `bytes` object.
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        match (self.buffer, self.growing) {
            (None, GrowingBytes::Small(bytes)) => Ok(PyBytes::new(py, &bytes).unbind()),
            (None, GrowingBytes::Large(mut bytes)) => Ok(PyBytes::new(py, bytes.as_mut_slice()).unbind()),
            (Some(mut buffer), _) => {
                if buffer.as_mut_slice().len() != self.filled {
                    return Err(io::Error::other("fewer bytes were written than announced").into());
                }
                Ok(bytes_buffer::into_bytes(py, buffer))
            }
        }
    }

    fn take(&mut self, nbytes: usize) -> io::Result<&mut [u8]> {
        if self.buffer.is_none()
            && let GrowingBytes::Small(bytes) = &self.growing
            && bytes.len().saturating_add(nbytes) > SMALL_NBYTES
        {
            self.enlarge()?;
        }
        if let Some(buffer) = &mut self.buffer {
            let end = self.filled.saturating_add(nbytes);
            let place = buffer.as_mut_slice().get_mut(self.filled..end);
            self.filled = end;
            return place.ok_or_else(|| io::Error::other("more bytes were written than announced"));
        }
        match &mut self.growing {
            GrowingBytes::Small(bytes) => bytes.place(nbytes).map(Option::unwrap_or_default),
            GrowingBytes::Large(sink) => sink.take(nbytes),
        }
    }

    /// Moves the bytes to memory that grows without copying.
    fn enlarge(&mut self) -> io::Result<&mut Growing> {
        if let GrowingBytes::Small(bytes) = &self.growing {
            let mut sink = Growing::default();
            if !bytes.is_empty() {
                sink.take(bytes.len())?.copy_from_slice(bytes);
            }
            self.growing = GrowingBytes::Large(sink);
        }
        match &mut self.growing {
            GrowingBytes::Large(sink) => Ok(sink),
            GrowingBytes::Small(_) => Err(io::Error::other("the sink did not grow")),
        }
    }
}

impl Sink for BytesSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.growing {
            // `take` would first fill the vector with zeros.
            GrowingBytes::Small(held)
                if self.buffer.is_none() && held.len() + bytes.len() <= SMALL_NBYTES =>
            {
                held.extend_from_slice(bytes);
            }
            _ => self.take(bytes.len())?.copy_from_slice(bytes),
        }
        Ok(())
    }

    fn can_patch(&self) -> bool {
        true
    }

    fn patch(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let Some(buffer) = &mut self.buffer else {
            return match &mut self.growing {
                GrowingBytes::Small(held) => held.patch(offset, bytes),
                GrowingBytes::Large(held) => held.patch(start, bytes),
            };
        };
        let place = buffer.as_mut_slice().get_mut(start..start.saturating_add(bytes.len()));
        place.ok_or_else(|| io::Error::other("patch past the end"))?.copy_from_slice(bytes);
        Ok(())
    }

    fn place(&mut self, nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        self.take(nbytes).map(Some)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        if self.is_untouched() {
            self.buffer = Some(bytes_buffer::allocate(usize::try_from(total).map_err(io::Error::other)?)?);
        }
        Ok(())
    }

    fn reserve_about(&mut self, total: u64) -> io::Result<()> {
        if self.buffer.is_some() || total <= RESERVED_NBYTES {
            return Ok(());
        }
        self.enlarge()?.reserve(usize::try_from(total).map_err(io::Error::other)?)
    }
}
