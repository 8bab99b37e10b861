//! A `bytes` object as a sink, written once.

use std::io;

use colonnade::message::Room;
use colonnade::sink::Sink;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::room;

/// A `bytes` object that is filled front to back. Its size is known once it is reserved; until then a vector takes what comes.
#[derive(Default)]
pub(crate) struct BytesSink {
    room: Option<Box<dyn Room>>,
    filled: usize,
    spill: Vec<u8>,
}

impl BytesSink {
    /// The object.
    pub(crate) fn finish(self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        match self.room {
            None => Ok(PyBytes::new(py, &self.spill).unbind()),
            Some(mut room) => {
                if room.as_mut_slice().len() != self.filled {
                    return Err(io::Error::other("fewer bytes were written than announced").into());
                }
                Ok(room::filled(py, room))
            }
        }
    }

    fn take(&mut self, nbytes: usize) -> io::Result<&mut [u8]> {
        let Some(room) = &mut self.room else {
            return self.spill.place(nbytes).map(Option::unwrap_or_default);
        };
        let end = self.filled.saturating_add(nbytes);
        let place = room.as_mut_slice().get_mut(self.filled..end);
        self.filled = end;
        place.ok_or_else(|| io::Error::other("more bytes were written than announced"))
    }
}

impl Sink for BytesSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    fn place(&mut self, nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        self.take(nbytes).map(Some)
    }

    fn reserve(&mut self, total: u64) -> io::Result<()> {
        if self.room.is_none() && self.spill.is_empty() {
            self.room = Some(room::room(usize::try_from(total).map_err(io::Error::other)?)?);
        }
        Ok(())
    }
}
