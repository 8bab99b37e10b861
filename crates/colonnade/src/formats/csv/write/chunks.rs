//! Writes frames of one layout in sequence.

use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::text::chunked::ChunkLayout;

use super::options::{SchemaPlace, WriteOptions};
use super::{FORMAT, FileStart, header};

/// Writes frames of one layout in sequence. The column names precede the first frame.
#[derive(Debug)]
pub struct CsvChunkWriter {
    options: WriteOptions,
    chunked: Option<ChunkLayout>,
    nrows: usize,
    nbatches: usize,
}

impl CsvChunkWriter {
    /// Creates a writer that has written no frame.
    #[must_use]
    pub fn new(options: WriteOptions) -> Self {
        Self { options, chunked: None, nrows: 0, nbatches: 0 }
    }

    /// Writes the next frame.
    ///
    /// # Errors
    /// As [`super::encode`]. `Unrepresentable`: the frame has another layout than the first. `InvalidOption`: the options
    /// request a sidecar, which only a file that is written whole has.
    pub fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        let first = self.chunked.is_none();
        if first && self.options.index.is_none() {
            // Automatic row labels of the next chunk continue from here.
            self.options.index = Some(!frame.index.counts_from_zero());
        }
        let options = &self.options;
        if options.schema == SchemaPlace::Sidecar {
            let message = "schema: expected None or \"header\" for chunks, found \"sidecar\", which says how many rows there are.";
            return Err(Error::invalid_option(FORMAT, message));
        }
        let chunked = match self.chunked.take() {
            Some(chunked) => chunked,
            None => ChunkLayout::new(FORMAT, frame, options.schema == SchemaPlace::Header)?,
        };
        let chunked = self.chunked.insert(chunked);
        let exported = chunked.next(frame)?;
        if exported.arrays.is_empty() && frame.nrows > 0 {
            let message =
                "chunks without a column have no rows in CSV. Add a column, or write the frame whole.";
            return Err(Error::unrepresentable(FORMAT, message));
        }
        let header = match options.schema {
            SchemaPlace::Header if first => Some(header(&exported, options, false)?),
            _ => None,
        };
        let opening = FileStart { whole: first, header: header.as_deref() };
        super::write(frame, &exported, opening, options, sink, progress)?;
        self.nrows += frame.nrows;
        self.nbatches += 1;
        Ok(())
    }

    /// Number of frames so far.
    #[must_use]
    pub fn nbatches(&self) -> usize {
        self.nbatches
    }

    /// Number of rows so far.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Ends the text. CSV has no end mark.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn finish(&mut self, _sink: &mut dyn Sink) -> Result<()> {
        Ok(())
    }
}
