//! Writes chunks of rows to a file.

use arrow_schema::SchemaRef;

use crate::arrow::export::Exporter;
use crate::arrow::{names, nullability};
use crate::error::Result;
use crate::formats::parquet::lowered::lowered;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::sink::write_buffer::{SinkTarget, WriteBuffer};
use crate::sink::writer_state::{WriterState, check_rows, nothing};

use super::footer::{FooterContents, FooterSchema, MAGIC};
use super::layout::FileLayout;
use super::options::WriteOptions;
use super::row_buffer::RowBuffer;
use super::source::sources;
use super::{metadata, row_groups, source};

/// Rows per row group: few enough that all cores read a file of one column, and enough for efficient pages and dictionaries.
const GROUP_ROWS: usize = 1 << 20;

/// The most bytes of one column in a row group: a task encodes a column of a row group, and all cores need one.
const GROUP_COLUMN_NBYTES: usize = 8 << 20;

/// Bytes of buffered chunks that form a row group; wide frames get fewer rows per group.
const PENDING_NBYTES: usize = 128 << 20;

/// The format's name in errors.
const FORMAT: &str = "parquet";

/// Writes frames of one layout as row groups of one file. Each call takes the sink.
pub struct Writer {
    options: WriteOptions,
    state: WriterState,
    file_schema: Option<FileSchema>,
    buffer: RowBuffer,
    written: FooterContents,
    output: WriteBuffer,
    nrows: usize,
}

/// Schema and layout from the first chunk.
struct FileSchema {
    exporter: Exporter,
    layout: FileLayout,
}

impl Writer {
    /// Creates a writer.
    #[must_use]
    pub fn new(options: WriteOptions) -> Self {
        Self {
            options,
            state: WriterState::Open,
            file_schema: None,
            buffer: RowBuffer::default(),
            written: FooterContents::default(),
            output: WriteBuffer::default(),
            nrows: 0,
        }
    }

    /// Number of row groups written so far.
    #[must_use]
    pub fn ngroups(&self) -> usize {
        self.written.ngroups()
    }

    /// Number of rows taken so far.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Writes a chunk. The caller may reuse the chunk's memory afterwards.
    ///
    /// # Errors
    /// `Unrepresentable`, naming the column: data that Parquet cannot hold, or a chunk whose columns, types or row labels differ
    /// from those of the first one. Nothing was written then, and other chunks may follow. Errors of the sink, after which the
    /// writer is unusable.
    pub fn write(&mut self, chunk: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.state.check_open(FORMAT)?;
        let chunk = &*lowered(chunk)?;
        self.begin(chunk)?;
        let Some(file_schema) = &self.file_schema else { return Err(nothing(FORMAT)) };
        file_schema.layout.admit(&sources(chunk)?)?;
        file_schema.exporter.admit(chunk).map_err(|e| e.in_format(FORMAT))?;
        self.state = WriterState::Broken;
        let mut target = SinkTarget { sink, progress, total: None };
        self.chunk(chunk, &mut target)?;
        self.output.flush(&mut target)?;
        self.nrows += chunk.nrows;
        self.state = WriterState::Open;
        Ok(())
    }

    fn begin(&mut self, chunk: &Frame) -> Result<()> {
        if self.file_schema.is_some() {
            return Ok(());
        }
        let exporter = Exporter::new(chunk, None).map_err(|e| e.in_format(FORMAT))?.with_own_dictionaries();
        let sources = sources(chunk)?;
        let schema = exporter.schema();
        let options = if self.options.names_columns() {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            self.options.for_labels(&names, &names::texts(&chunk.columns)?)
        } else {
            self.options.clone()
        };
        let fields = nullability::with_ids(schema.fields(), &chunk.tags);
        let layout = FileLayout::of(&fields, &sources, &options)?;
        self.file_schema = Some(FileSchema { exporter, layout });
        Ok(())
    }

    /// Writes one frame as a whole file.
    pub(super) fn write_whole(
        &mut self,
        frame: &Frame,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        let frame = &*lowered(frame)?;
        self.begin(frame)?;
        self.state = WriterState::Broken;
        let mut target = SinkTarget { sink, progress, total: None };
        let rows = self.rows_of(frame)?;
        self.groups(&cut(frame, rows), &mut target)?;
        self.nrows = frame.nrows;
        self.end(&mut target)
    }

    /// Writes the buffered rows, then the footer.
    ///
    /// # Errors
    /// `Unrepresentable` if there was no chunk; errors of the sink.
    pub fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.state.check_open(FORMAT)?;
        if self.file_schema.is_none() {
            return Err(nothing(FORMAT));
        }
        self.state = WriterState::Broken;
        check_rows(FORMAT, self.options.nrows, self.nrows)?;
        self.end(&mut SinkTarget { sink, progress, total: None })
    }

    fn end(&mut self, target: &mut SinkTarget<'_>) -> Result<()> {
        let rest = self.buffer.take(None)?;
        self.groups(&rest, target)?;
        self.magic();
        let Some(file_schema) = &self.file_schema else { return Err(nothing(FORMAT)) };
        let schema: SchemaRef = file_schema.exporter.schema_of(Some(self.nrows));
        let metadata = metadata::pairs(&schema, &file_schema.layout, self.nrows > 0)?;
        let schema = FooterSchema {
            elements: &file_schema.layout.elements,
            nelements: file_schema.layout.nelements,
            nleaves: file_schema.layout.nleaves,
            metadata: &metadata,
        };
        let footer = self.written.finish(&schema, self.nrows, self.output.position())?;
        self.output.put(&footer, target)?;
        self.output.flush(target)?;
        self.state = WriterState::Closed;
        Ok(())
    }

    /// Returns the rows per row group of a frame that is large enough.
    fn rows_of(&self, frame: &Frame) -> Result<usize> {
        if let Some(rows) = self.options.group_rows {
            return Ok(rows);
        }
        // Groups of even size, instead of full groups and a small last one.
        let by_rows = frame.nrows.saturating_add(GROUP_ROWS / 2) / GROUP_ROWS;
        let by_nbytes = source::widest_nbytes(frame)?.div_ceil(GROUP_COLUMN_NBYTES);
        Ok(frame.nrows.div_ceil(by_rows.max(by_nbytes).max(1)).next_multiple_of(64))
    }

    fn chunk(&mut self, chunk: &Frame, target: &mut SinkTarget<'_>) -> Result<()> {
        let group_rows = self.options.group_rows.unwrap_or(GROUP_ROWS);
        let rows = self.buffer.nrows() + chunk.nrows;
        let nbytes = self.buffer.nbytes() + chunk.nbytes();
        if self.options.nrows == Some(chunk.nrows) && self.nrows == 0 {
            let rows = self.rows_of(chunk)?;
            return self.groups(&cut(chunk, rows), target);
        }
        if self.buffer.nrows() == 0 && self.options.group_rows.is_none() && is_group(chunk)? {
            // Neither buffered nor joined with others, which copies it twice.
            return self.groups(&cut(chunk, self.rows_of(chunk)?), target);
        }
        if rows < group_rows && (nbytes < PENDING_NBYTES || self.options.group_rows.is_some()) {
            return if chunk.nrows == 0 { Ok(()) } else { self.buffer.push(chunk) };
        }
        let mut ready = Vec::new();
        for frame in self.buffer.take(Some(chunk))? {
            ready.extend(cut(&frame, self.rows_of(&frame)?));
        }
        // The caller set the rows per group, so an incomplete group waits for the next chunk.
        let short =
            ready.last().is_some_and(|last| last.nrows < group_rows) && self.options.group_rows.is_some();
        let rest = if short { ready.pop() } else { None };
        self.groups(&ready, target)?;
        rest.map_or(Ok(()), |rest| self.buffer.push(&rest))
    }

    fn groups(&mut self, frames: &[Frame], target: &mut SinkTarget<'_>) -> Result<()> {
        self.magic();
        let Some(file_schema) = &self.file_schema else { return Err(nothing(FORMAT)) };
        let (settings, threads) = (&self.options.settings, self.options.threads);
        let to = (&mut self.written, &mut self.output);
        row_groups::write(frames, &file_schema.layout, settings, threads, to, target)
    }

    fn magic(&mut self) {
        if self.output.position() == 0 {
            self.output.scratch().extend_from_slice(MAGIC);
        }
    }
}

/// Whether a frame makes row groups that are large enough without others.
fn is_group(frame: &Frame) -> Result<bool> {
    Ok(frame.nrows >= GROUP_ROWS / 2 || source::widest_nbytes(frame)? >= GROUP_COLUMN_NBYTES / 2)
}

/// Slices a frame into frames of `rows` rows. A frame without rows gives none.
fn cut(frame: &Frame, rows: usize) -> Vec<Frame> {
    if rows >= frame.nrows {
        return if frame.nrows == 0 { Vec::new() } else { vec![frame.clone()] };
    }
    let starts = (0..frame.nrows).step_by(rows.max(1));
    starts.map(|start| frame.slice(start, frame.nrows.min(start + rows))).collect()
}
