//! A `bytes` object as a sink, written once.

use std::io;

use colonnade::message::IoBuffer;
use colonnade::sink::Sink;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_buffer;
use crate::sink::BufferSink;

/// Past this a sink takes what comes, which grows without copying. Up to here a vector does: the allocator gives it memory
/// that was used before, where a sink's is fresh.
const SMALL_NBYTES: usize = 32 << 20;

/// Frames from here on begin with the sink: a vector would be copied several times as it grows.
const LARGE_FRAME_NBYTES: usize = 8 << 20;

/// What is reserved but not exactly known goes to the sink from here on.
const RESERVED_NBYTES: u64 = 256 << 10;

/// A `bytes` object that is filled front to back: in place where its size is reserved first, else by way of memory that grows.
pub(crate) struct BytesSink {
    buffer: Option<Box<dyn IoBuffer>>,
    filled: usize,
    spill: Spill,
}

enum Spill {
    Small(Vec<u8>),
    Large(BufferSink),
}

impl BytesSink {
    /// A sink for the bytes of frames that take `nbytes` in memory.
    pub(crate) fn of(nbytes: usize) -> io::Result<Self> {
        let spill = if nbytes < LARGE_FRAME_NBYTES {
            Spill::Small(Vec::new())
        } else {
            Spill::Large(BufferSink::empty()?)
        };
        Ok(Self { buffer: None, filled: 0, spill })
    }

    /// Whether nothing was written, and no size is known.
    fn is_untouched(&self) -> bool {
        match &self.spill {
            _ if self.buffer.is_some() => false,
            Spill::Small(bytes) => bytes.is_empty(),
            Spill::Large(sink) => sink.filled() == 0,
        }
    }

    /// The object.
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        match (self.buffer, self.spill) {
            (None, Spill::Small(bytes)) => Ok(PyBytes::new(py, &bytes).unbind()),
            (None, Spill::Large(mut sink)) => Ok(PyBytes::new(py, sink.as_slice()).unbind()),
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
            && let Spill::Small(bytes) = &self.spill
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
        match &mut self.spill {
            Spill::Small(bytes) => bytes.place(nbytes).map(Option::unwrap_or_default),
            Spill::Large(sink) => sink.take(nbytes),
        }
    }

    /// Goes on in memory that grows without copying.
    fn enlarge(&mut self) -> io::Result<&mut BufferSink> {
        if let Spill::Small(bytes) = &self.spill {
            let mut sink = BufferSink::empty()?;
            if !bytes.is_empty() {
                sink.take(bytes.len())?.copy_from_slice(bytes);
            }
            self.spill = Spill::Large(sink);
        }
        match &mut self.spill {
            Spill::Large(sink) => Ok(sink),
            Spill::Small(_) => Err(io::Error::other("the sink did not grow")),
        }
    }
}

impl Sink for BytesSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.spill {
            // What `take` gives of a vector is set to zero first.
            Spill::Small(held) if self.buffer.is_none() && held.len() + bytes.len() <= SMALL_NBYTES => {
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
        let Some(buffer) = &mut self.buffer else {
            return match &mut self.spill {
                Spill::Small(held) => held.patch(offset, bytes),
                Spill::Large(sink) => sink.patch(0, offset, bytes),
            };
        };
        let start = usize::try_from(offset).map_err(io::Error::other)?;
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
        self.enlarge()?.reserve(0, total)
    }
}
