//! Writes NDJSON: a header, then one object per row.

use crate::cells::text::TextStyle;
use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::text::chunked::ChunkLayout;
use crate::text::header::{ExportedFrame, KEY};
use crate::text::loss::Loss;
use crate::text::pieces::{self, TextSection};

use super::columns;
use super::options::{JsonOrient, LinesOptions, WriteOptions};
use super::rows::JsonSection;
use super::style;
use super::text::key;

/// The format's name in errors.
pub const FORMAT: &str = "ndjson";

/// Encodes `frame`.
///
/// # Errors
/// `Unrepresentable`, naming column and reason; the sink's own.
pub fn encode(
    frame: &Frame,
    options: &LinesOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let exported = ExportedFrame::new(frame)?;
    let opening = if options.header { header(&exported, true)? } else { Vec::new() };
    write(frame, &exported, opening, !frame.index.counts_from_zero(), options, sink, progress)
}

/// Returns what these options lose of `frame`: nothing with a header.
///
/// # Errors
/// As [`super::losses`].
pub fn losses(frame: &Frame, options: &LinesOptions) -> Result<Vec<Loss>> {
    let LinesOptions { header, nonfinite, threads } = *options;
    super::losses(
        frame,
        &WriteOptions { orient: JsonOrient::Records, header, nonfinite, indent: None, threads },
    )
}

/// Writes frames of one layout, one after the other.
#[derive(Debug)]
pub struct NdjsonChunkWriter {
    options: LinesOptions,
    chunked: Option<ChunkLayout>,
    /// Whether row labels are fields; in later chunks automatic labels continue the count.
    index: bool,
    nbatches: usize,
    nrows: usize,
}

impl NdjsonChunkWriter {
    /// Creates a writer.
    #[must_use]
    pub fn new(options: LinesOptions) -> Self {
        Self { options, chunked: None, index: false, nbatches: 0, nrows: 0 }
    }

    /// Writes the next frame; the first one after the header.
    ///
    /// # Errors
    /// As [`encode`]; `Unrepresentable`: a frame whose layout differs from the first.
    pub fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        let first = self.chunked.is_none();
        if first {
            self.index = !frame.index.counts_from_zero();
        }
        let chunked = match self.chunked.take() {
            Some(chunked) => chunked,
            None => ChunkLayout::new(FORMAT, frame, self.options.header)?,
        };
        let chunked = self.chunked.insert(chunked);
        let exported = chunked.next(frame)?;
        let opening = if first && self.options.header { header(&exported, false)? } else { Vec::new() };
        write(frame, &exported, opening, self.index, &self.options, sink, progress)?;
        self.nbatches += 1;
        self.nrows += frame.nrows;
        Ok(())
    }

    /// Returns the number of frames so far.
    #[must_use]
    pub fn nbatches(&self) -> usize {
        self.nbatches
    }

    /// Returns the number of rows so far.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Ends the text. NDJSON has no trailer.
    ///
    /// # Errors
    /// The sink's own.
    pub fn finish(&mut self, _sink: &mut dyn Sink) -> Result<()> {
        Ok(())
    }
}

/// Returns the header's line. `whole`: whether the frame has all rows.
fn header(exported: &ExportedFrame, whole: bool) -> Result<Vec<u8>> {
    let mut header = exported.header("records");
    if !whole {
        header.nrows = None;
    }
    let text = header.to_json(TextStyle::json(FORMAT))?;
    Ok(format!("{{\"{KEY}\":{text}}}\n").into_bytes())
}

fn write(
    frame: &Frame,
    exported: &ExportedFrame,
    opening: Vec<u8>,
    index: bool,
    options: &LinesOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let columns = match (options.header, index) {
        (true, _) => columns::all_fields(exported)?,
        (false, true) => columns::with_index(frame, exported)?,
        (false, false) => columns::data(frame, exported)?,
    };
    let style = style(FORMAT, options.header, options.nonfinite);
    let mut cells = Vec::with_capacity(columns.len());
    for (i, column) in columns.iter().enumerate() {
        let mut cell = column.cell(style)?;
        if i > 0 {
            cell.key.push(b',');
        }
        cell.key.extend(key(&column.name));
        cells.push(cell);
    }
    let rows = JsonSection {
        opening,
        row_opening: b"{",
        columns: cells,
        row_closing: b"}\n",
        between: b"",
        nrows: frame.nrows,
        ..JsonSection::default()
    };
    let sections: [Box<dyn TextSection + '_>; 1] = [Box::new(rows)];
    pieces::write(&sections, options.threads, None, sink, progress)
}
