//! Writes series: frames of one schema, one value after the other.

use std::io::{self, IoSlice};

use super::options::WriteOptions;
use super::write;
use crate::arrow::export::Exporter;
use crate::cells::msgpack::column::FORMAT;
use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::sink::writer_state::{WriterState, nothing};

/// Writes a series.
#[derive(Debug)]
pub struct SeriesWriter {
    options: WriteOptions,
    first: Option<Exporter>,
    count: usize,
    nrows: usize,
    state: WriterState,
}

impl SeriesWriter {
    /// A series without chunks.
    #[must_use]
    pub fn new(options: WriteOptions) -> Self {
        Self { options, first: None, count: 0, nrows: 0, state: WriterState::Open }
    }

    /// The number of chunks so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The number of rows so far.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Writes a chunk.
    ///
    /// # Errors
    /// `Unrepresentable`: columns, types or row labels differ from the first chunk's, or MessagePack cannot hold a value;
    /// nothing was written. After an error of the sink the writer is unusable.
    /// that MessagePack cannot hold: nothing was written then. The sink's own, after which the writer is of no use.
    pub fn write(&mut self, chunk: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.state.check_open(FORMAT)?;
        let first = match self.first.take() {
            Some(first) => first,
            None => Exporter::new(chunk, None)?,
        };
        let admitted = first.admit(chunk);
        if self.count > 0 || admitted.is_ok() {
            self.first = Some(first);
        }
        admitted.map_err(|e| e.in_format(FORMAT))?;
        let number = self.options.header.then_some(self.count as u64);
        let mut part = ChunkSink { sink, written: false };
        let result =
            write::encode_frame(chunk, &WriteOptions { chunk: number, ..self.options }, &mut part, progress);
        if result.is_err() && part.written {
            self.state = WriterState::Broken;
        }
        result?;
        self.count += 1;
        self.nrows += chunk.nrows;
        Ok(())
    }

    /// Ends the series. There is no end mark.
    ///
    /// # Errors
    /// `Unrepresentable`: there was no chunk. An input without a byte would be a series without known columns.
    pub fn finish(&mut self) -> Result<()> {
        self.state.check_open(FORMAT)?;
        if self.count == 0 { Err(nothing(FORMAT)) } else { Ok(()) }
    }
}

/// A sink that continues after earlier chunks. The size of one chunk does not determine the total.
struct ChunkSink<'s> {
    sink: &'s mut dyn Sink,
    written: bool,
}

impl Sink for ChunkSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written = true;
        self.sink.write(bytes)
    }

    fn write_pieces(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<()> {
        self.written = true;
        self.sink.write_pieces(pieces)
    }

    fn takes_pieces(&self) -> bool {
        self.sink.takes_pieces()
    }

    fn place(&mut self, nbytes: usize) -> io::Result<Option<&mut [u8]>> {
        self.written = true;
        self.sink.place(nbytes)
    }
}
