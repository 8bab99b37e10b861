//! Chunks to a file.

use arrow_schema::SchemaRef;

use crate::arrow::export::Exporter;
use crate::arrow::{names, nullability};
use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::sink::write_buffer::{SinkTarget, WriteBuffer};
use crate::sink::writer_state::{WriterState, check_rows, nothing};

use super::footer::{MAGIC, Schema, Written};
use super::layout::Layout;
use super::options::WriteOptions;
use super::pending::Pending;
use super::source::sources;
use super::{groups, metadata};

/// Rows of a row group: some of them, so that all cores read a file of one column, and many, so that pages and dictionaries
/// pay.
const GROUP_ROWS: usize = 1 << 20;

/// Bytes of chunks that wait to be a row group; wide frames have fewer rows in one.
const PENDING_NBYTES: usize = 128 << 20;

/// The format's name in errors.
const FORMAT: &str = "parquet";

/// Writes frames of one layout, chunk by chunk, as row groups of one file. The sink is given to each call.
pub struct Writer {
    options: WriteOptions,
    state: WriterState,
    begun: Option<Begun>,
    pending: Pending,
    written: Written,
    output: WriteBuffer,
    nrows: usize,
}

/// What the first chunk says.
struct Begun {
    exporter: Exporter,
    layout: Layout,
}

impl Writer {
    /// A writer.
    #[must_use]
    pub fn new(options: WriteOptions) -> Self {
        Self {
            options,
            state: WriterState::Open,
            begun: None,
            pending: Pending::default(),
            written: Written::default(),
            output: WriteBuffer::default(),
            nrows: 0,
        }
    }

    /// Row groups written so far.
    #[must_use]
    pub fn ngroups(&self) -> usize {
        self.written.ngroups()
    }

    /// Rows taken so far.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Writes a chunk. Its memory is not looked at any more when this returns.
    ///
    /// # Errors
    /// `Unrepresentable`: what Parquet cannot hold, by column; chunks whose columns, types or row labels differ from the
    /// first one's: nothing was written then, and other chunks may follow. The sink's own, after which the writer is of no use.
    pub fn write(&mut self, chunk: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.state.check_open(FORMAT)?;
        self.begin(chunk)?;
        let Some(begun) = &self.begun else { return Err(nothing(FORMAT)) };
        begun.layout.admit(&sources(chunk)?)?;
        begun.exporter.admit(chunk).map_err(|e| e.in_format(FORMAT))?;
        self.state = WriterState::Broken;
        let mut target = SinkTarget { sink, progress, total: None };
        self.chunk(chunk, &mut target)?;
        self.output.flush(&mut target)?;
        self.nrows += chunk.nrows;
        self.state = WriterState::Open;
        Ok(())
    }

    fn begin(&mut self, chunk: &Frame) -> Result<()> {
        if self.begun.is_some() {
            return Ok(());
        }
        let exporter = Exporter::new(chunk, None).map_err(|e| e.in_format(FORMAT))?.with_own_dictionaries();
        let sources = sources(chunk)?;
        let schema = exporter.schema();
        let options = if self.options.names_columns() {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            self.options.of_labels(&names, &names::texts(&chunk.columns)?)
        } else {
            self.options.clone()
        };
        let fields = nullability::with_ids(schema.fields(), &chunk.tags);
        let layout = Layout::of(&fields, &sources, &options)?;
        self.begun = Some(Begun { exporter, layout });
        Ok(())
    }

    /// Writes one frame from the first byte to the last.
    pub(super) fn whole(
        &mut self,
        frame: &Frame,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        self.begin(frame)?;
        self.state = WriterState::Broken;
        let mut target = SinkTarget { sink, progress, total: None };
        let rows = self.rows_of(frame);
        self.groups(&cut(frame, rows), &mut target)?;
        self.nrows = frame.nrows;
        self.end(&mut target)
    }

    /// Writes what waits, then the footer.
    ///
    /// # Errors
    /// `Unrepresentable` where there was no chunk; the sink's own.
    pub fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.state.check_open(FORMAT)?;
        if self.begun.is_none() {
            return Err(nothing(FORMAT));
        }
        self.state = WriterState::Broken;
        check_rows(FORMAT, self.options.nrows, self.nrows)?;
        self.end(&mut SinkTarget { sink, progress, total: None })
    }

    fn end(&mut self, target: &mut SinkTarget<'_>) -> Result<()> {
        let rest = self.pending.take(None)?;
        self.groups(&rest, target)?;
        self.magic();
        let Some(begun) = &self.begun else { return Err(nothing(FORMAT)) };
        let schema: SchemaRef = begun.exporter.schema_of(Some(self.nrows));
        let metadata = metadata::pairs(&schema, &begun.layout, self.nrows > 0)?;
        let schema = Schema {
            elements: &begun.layout.elements,
            nelements: begun.layout.nelements,
            nleaves: begun.layout.nleaves,
            metadata: &metadata,
        };
        let footer = self.written.finish(&schema, self.nrows, self.output.position())?;
        self.output.put(&footer, target)?;
        self.output.flush(target)?;
        self.state = WriterState::Closed;
        Ok(())
    }

    /// Rows of the row groups of a frame that is large enough.
    fn rows_of(&self, frame: &Frame) -> usize {
        self.options.group_rows.unwrap_or_else(|| {
            // Even pieces of about that size, rather than full ones and a small rest.
            let pieces = (frame.nrows.saturating_add(GROUP_ROWS / 2) / GROUP_ROWS).max(1);
            frame.nrows.div_ceil(pieces).next_multiple_of(64)
        })
    }

    fn chunk(&mut self, chunk: &Frame, target: &mut SinkTarget<'_>) -> Result<()> {
        let wanted = self.options.group_rows.unwrap_or(GROUP_ROWS);
        let rows = self.pending.nrows() + chunk.nrows;
        let nbytes = self.pending.nbytes() + chunk.nbytes();
        if self.options.nrows == Some(chunk.nrows) && self.nrows == 0 {
            let rows = self.rows_of(chunk);
            return self.groups(&cut(chunk, rows), target);
        }
        if rows < wanted && (nbytes < PENDING_NBYTES || self.options.group_rows.is_some()) {
            return if chunk.nrows == 0 { Ok(()) } else { self.pending.push(chunk) };
        }
        let mut ready = Vec::new();
        for frame in self.pending.take(Some(chunk))? {
            ready.extend(cut(&frame, self.rows_of(&frame)));
        }
        // Asked for exactly so many rows: the rest waits for the next chunk.
        let short = ready.last().is_some_and(|last| last.nrows < wanted) && self.options.group_rows.is_some();
        let rest = if short { ready.pop() } else { None };
        self.groups(&ready, target)?;
        rest.map_or(Ok(()), |rest| self.pending.push(&rest))
    }

    fn groups(&mut self, frames: &[Frame], target: &mut SinkTarget<'_>) -> Result<()> {
        self.magic();
        let Some(begun) = &self.begun else { return Err(nothing(FORMAT)) };
        let (settings, threads) = (&self.options.settings, self.options.threads);
        let to = (&mut self.written, &mut self.output);
        groups::write(frames, &begun.layout, settings, threads, to, target)
    }

    fn magic(&mut self) {
        if self.output.position() == 0 {
            self.output.scratch().extend_from_slice(MAGIC);
        }
    }
}

/// Pieces of so many rows; none of a frame without rows.
fn cut(frame: &Frame, rows: usize) -> Vec<Frame> {
    if rows >= frame.nrows {
        return if frame.nrows == 0 { Vec::new() } else { vec![frame.clone()] };
    }
    let starts = (0..frame.nrows).step_by(rows.max(1));
    starts.map(|start| frame.slice(start, frame.nrows.min(start + rows))).collect()
}
