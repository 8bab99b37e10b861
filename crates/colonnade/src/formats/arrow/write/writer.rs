//! Writes chunks to a stream or a file.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_ipc as fb;
use arrow_schema::SchemaRef;
use flatbuffers::FlatBufferBuilder;

use crate::arrow::export::Exporter;
use crate::error::Result;
use crate::formats::arrow::read::Form;
use crate::frame::Frame;
use crate::parallel;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::sink::writer_state::{WriterState, check_rows, nothing};

use super::WriteOptions;
use super::batching::{batch_nbytes, batch_rows};
use super::body::{EncodedColumns, tasks};
use super::dictionaries::{DictionaryUpdate, DictionaryWriter};
use super::output;
use super::pending::PendingBatch;
use super::slice::invalid_layout;
use crate::arrow::ipc::MAGIC;
use crate::arrow::ipc::encode::{self, BatchMetadata, END, SchemaMessage};
use crate::sink::write_buffer::{SinkTarget, WriteBuffer};

/// Uncompressed bytes for each thread that wait to be compressed.
const WINDOW_NBYTES: usize = 64 << 20;

/// Schemas with at least this many fields are encoded once, and copied to the footer.
const WIDE_FIELDS: usize = 1000;

/// The format's name in errors.
const FORMAT: &str = "arrow";

/// Writes frames of one layout as messages, chunk by chunk. Each call gets the sink.
pub struct Writer {
    form: Form,
    options: WriteOptions,
    state: WriterState,
    exporter: Option<Arc<Exporter>>,
    dictionaries: Option<DictionaryWriter>,
    pending: PendingBatch,
    queue: Vec<QueuedMessage>,
    output: WriteBuffer,
    fbb: FlatBufferBuilder<'static>,
    dictionary_blocks: Vec<fb::Block>,
    batch_blocks: Vec<fb::Block>,
    nrows: usize,
    ncols: usize,
    /// A wide schema and its message, which the footer may copy.
    encoded_schema: Option<(SchemaRef, SchemaMessage)>,
    /// Batches for which the next one reserves space.
    batches_to_reserve: usize,
}

/// A message that the next `drain` writes.
struct QueuedMessage {
    arrays: Vec<ArrayData>,
    nrows: usize,
    dictionary: Option<(i64, bool)>,
}

impl Writer {
    /// A writer of a file or of a stream.
    #[must_use]
    pub fn new(form: Form, options: WriteOptions) -> Self {
        Self {
            form,
            options,
            state: WriterState::Open,
            exporter: None,
            dictionaries: None,
            pending: PendingBatch::default(),
            queue: Vec::new(),
            output: WriteBuffer::default(),
            fbb: FlatBufferBuilder::new(),
            dictionary_blocks: Vec::new(),
            batch_blocks: Vec::new(),
            nrows: 0,
            ncols: 0,
            encoded_schema: None,
            batches_to_reserve: 0,
        }
    }

    /// Record batches written so far.
    #[must_use]
    pub fn nbatches(&self) -> usize {
        self.batch_blocks.len()
    }

    /// Rows of the chunks so far.
    #[must_use]
    pub fn nrows(&self) -> usize {
        self.nrows
    }

    /// Writes a chunk. The writer does not read its memory after the call.
    ///
    /// # Errors
    /// `Unrepresentable`: columns, types or row labels differ from the first chunk's. Nothing is written, and other chunks
    /// may follow. After an error of the sink the writer is unusable.
    pub fn write(&mut self, chunk: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.state.check_open(FORMAT)?;
        if self.exporter.is_none() {
            self.set_layout(Arc::new(Exporter::new(chunk, self.options.nrows)?), chunk.nrows)?;
        }
        let Some(exporter) = self.exporter.take() else { return Err(nothing(FORMAT)) };
        if let Err(error) = exporter.admit(chunk) {
            self.exporter = Some(exporter);
            return Err(error);
        }
        self.state = WriterState::Broken;
        let mut target = SinkTarget { sink, progress, total: None };
        // A reader may wait for this chunk.
        let result = self.chunk(&exporter, chunk, &mut target).and_then(|()| self.output.flush(&mut target));
        self.exporter = Some(exporter);
        if let Some(dictionaries) = &mut self.dictionaries {
            dictionaries.end_call();
        }
        result?;
        self.nrows += chunk.nrows;
        self.state = WriterState::Open;
        Ok(())
    }

    fn set_layout(&mut self, exporter: Arc<Exporter>, nrows: usize) -> Result<()> {
        let schema = exporter.schema();
        crate::arrow::ipc::check_depth(&schema)?;
        let whole = self.options.nrows == Some(nrows);
        self.dictionaries = Some(DictionaryWriter::new(self.form, whole, schema.fields())?);
        self.ncols = schema.fields().len();
        self.exporter = Some(exporter);
        Ok(())
    }

    /// Writes one whole frame; a small one in one write. `schema`: the encoded schema message, if it is cached. The exporter
    /// must be that of this frame.
    pub(super) fn write_frame(
        &mut self,
        exporter: Arc<Exporter>,
        schema: Option<&[u8]>,
        frame: &Frame,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        self.set_layout(Arc::clone(&exporter), frame.nrows)?;
        self.state = WriterState::Broken;
        let mut target = SinkTarget { sink, progress, total: None };
        if let Some(schema) = schema {
            self.output.scratch().extend_from_slice(schema);
        }
        self.chunk(&exporter, frame, &mut target)?;
        self.nrows = frame.nrows;
        self.end(&exporter, &mut target)
    }

    /// Writes the pending rows, the end mark, and a file's footer.
    ///
    /// # Errors
    /// `Unrepresentable`: there was no chunk. Errors of the sink.
    pub fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.state.check_open(FORMAT)?;
        let Some(exporter) = self.exporter.take() else { return Err(nothing(FORMAT)) };
        self.state = WriterState::Broken;
        check_rows(FORMAT, self.options.nrows, self.nrows)?;
        self.end(&exporter, &mut SinkTarget { sink, progress, total: None })
    }

    fn end(&mut self, exporter: &Exporter, target: &mut SinkTarget<'_>) -> Result<()> {
        self.flush_pending()?;
        for update in self.dictionaries.as_mut().map(DictionaryWriter::finish).unwrap_or_default() {
            let nrows = update.values.len();
            self.enqueue(vec![update.values], nrows, Some((update.id, false)));
        }
        self.drain(target)?;
        self.output.scratch().extend_from_slice(&END);
        if self.form == Form::File {
            let schema = exporter.schema_of(Some(self.nrows));
            let encoded = self.encoded_schema.take().filter(|(encoded, _)| *encoded == schema);
            let message = encoded.as_ref().map(|(_, message)| message);
            let footer = encode::footer(&schema, message, &self.dictionary_blocks, &self.batch_blocks);
            let footer = footer.finished_data();
            let length = i32::try_from(footer.len()).map_err(|_| invalid_layout("a footer passes 2 GiB"))?;
            self.output.put(footer, target)?;
            self.output.scratch().extend_from_slice(&length.to_le_bytes());
            self.output.scratch().extend_from_slice(MAGIC);
        }
        self.output.flush(target)?;
        self.state = WriterState::Closed;
        Ok(())
    }

    fn chunk(&mut self, exporter: &Exporter, chunk: &Frame, target: &mut SinkTarget<'_>) -> Result<()> {
        if self.output.position() == 0 {
            self.begin(exporter)?;
        }
        let nbytes = chunk.nbytes();
        let whole = self.options.nrows == Some(chunk.nrows) && self.nrows == 0;
        let target_nbytes = batch_nbytes(self.form, &self.options, self.ncols);
        if let Some(target_nbytes) = target_nbytes.filter(|&target| nbytes < target && !whole) {
            let mut arrays = exporter.admitted(chunk)?;
            self.extract_dictionaries(&mut arrays)?;
            self.pending.push(&arrays, chunk.nrows, nbytes)?;
            if self.pending.nbytes() >= target_nbytes {
                self.flush_pending()?;
            }
            // The queue may hold a dictionary in the caller's memory.
            return self.drain(target);
        }
        self.flush_pending()?;
        let rows = batch_rows(chunk, nbytes, target_nbytes);
        let window = match self.options.codec {
            Some(_) => WINDOW_NBYTES.saturating_mul(self.options.threads.max(1)),
            None => 0,
        };
        let (mut start, mut queued) = (0, 0usize);
        loop {
            let stop = chunk.nrows.min(start + rows);
            let slice = if start == 0 && stop == chunk.nrows { None } else { Some(chunk.slice(start, stop)) };
            let mut arrays = exporter.admitted(slice.as_ref().unwrap_or(chunk))?;
            self.extract_dictionaries(&mut arrays)?;
            self.enqueue(arrays, stop - start, None);
            if start == 0 && whole && self.options.codec.is_none() {
                self.batches_to_reserve = chunk.nrows.div_ceil(rows.max(1));
            }
            queued = queued.saturating_add(nbytes / chunk.nrows.max(1) * (stop - start));
            if queued >= window {
                self.drain(target)?;
                queued = 0;
            }
            start = stop;
            if start >= chunk.nrows {
                break;
            }
        }
        self.drain(target)
    }

    /// Uses the memory of a finished writer.
    pub(super) fn reuse_memory(&mut self, (scratch, fbb): (Vec<u8>, FlatBufferBuilder<'static>)) {
        (self.output, self.fbb) = (WriteBuffer::reusing(scratch), fbb);
    }

    /// The memory of this writer, for the next one.
    pub(super) fn into_memory(self) -> (Vec<u8>, FlatBufferBuilder<'static>) {
        (self.output.into_scratch(), self.fbb)
    }

    fn begin(&mut self, exporter: &Exporter) -> Result<()> {
        if self.form == Form::File {
            self.output.scratch().extend_from_slice(MAGIC);
            self.output.scratch().extend_from_slice(&[0, 0]);
        }
        // A file's footer declares the number of rows.
        let nrows = self.options.nrows.filter(|_| self.form == Form::Stream);
        let schema = encode::schema(&exporter.schema(), nrows);
        let position = self.output.position();
        encode::encapsulate(self.output.scratch(), position, schema.finished_data())?;
        if self.form == Form::File && exporter.schema().fields().len() >= WIDE_FIELDS {
            self.encoded_schema = Some((exporter.schema(), schema));
        }
        Ok(())
    }

    /// Reserves space for `batches` batches like this one.
    fn reserve(&self, batches: usize, first: &EncodedColumns, target: &mut SinkTarget<'_>) -> Result<()> {
        let buffers_nbytes: usize = first.buffers.iter().map(|buffer| buffer.nbytes() + 64 + 16).sum();
        let batch_nbytes = buffers_nbytes + 16 * first.nodes.len();
        let schema = self.output.position();
        let total = (batch_nbytes as u64).saturating_mul(batches as u64).saturating_add(4 * schema + 4096);
        Ok(target.sink.reserve_about(total)?)
    }

    fn extract_dictionaries(&mut self, arrays: &mut [ArrayData]) -> Result<()> {
        let Some(dictionaries) = &mut self.dictionaries else { return Ok(()) };
        let updates = dictionaries.extract(arrays)?;
        if updates.iter().any(|u| u.replaces) {
            self.flush_pending()?;
        }
        for DictionaryUpdate { id, is_delta, values, .. } in updates {
            let nrows = values.len();
            self.enqueue(vec![values], nrows, Some((id, is_delta)));
        }
        Ok(())
    }

    fn flush_pending(&mut self) -> Result<()> {
        if self.pending.nrows() == 0
            && !(self.pending.is_begun() && self.nbatches() == 0 && self.queue.is_empty())
        {
            return Ok(());
        }
        let (arrays, nrows) = self.pending.take()?;
        self.enqueue(arrays, nrows, None);
        Ok(())
    }

    fn enqueue(&mut self, arrays: Vec<ArrayData>, nrows: usize, dictionary: Option<(i64, bool)>) {
        self.queue.push(QueuedMessage { arrays, nrows, dictionary });
    }

    /// Writes the queue: other threads encode columns while this one writes. The bytes do not depend on their number.
    fn drain(&mut self, target: &mut SinkTarget<'_>) -> Result<()> {
        let messages = std::mem::take(&mut self.queue);
        let progress = target.progress;
        let options = self.options;
        let (tasks, nbytes) = tasks(messages.iter().map(|message| message.arrays.as_slice()), &options);
        let threads = if nbytes < parallel::INLINE_NBYTES { 1 } else { options.threads };
        let encode = |task: usize, columns: &mut EncodedColumns| {
            let (message, range) = tasks.get(task).cloned().unwrap_or_default();
            let arrays = messages.get(message).and_then(|message| message.arrays.get(range));
            *columns = EncodedColumns::new(arrays.unwrap_or(&[]), &options)?;
            Ok(())
        };
        let mut body = EncodedColumns::default();
        let mut task = 0;
        let mut write = |columns: &mut EncodedColumns| {
            body.append(columns);
            let at = |task: usize| tasks.get(task).map(|(message, _)| *message);
            let (this, next) = (at(task), at(task + 1));
            task += 1;
            match this.and_then(|this| messages.get(this)) {
                Some(message) if this != next => self.put(message, &std::mem::take(&mut body), target),
                _ => Ok(()),
            }
        };
        // Progress counts written bytes. Cancellation is noticed here too.
        parallel::ordered(tasks.len(), threads, &encode, &mut write, progress)
    }

    fn put(
        &mut self,
        message: &QueuedMessage,
        body: &EncodedColumns,
        target: &mut SinkTarget<'_>,
    ) -> Result<()> {
        if self.batches_to_reserve > 0 && message.dictionary.is_none() {
            let batches = std::mem::take(&mut self.batches_to_reserve);
            self.reserve(batches, body, target)?;
        }
        let (places, body_nbytes) = body.places();
        let metadata = BatchMetadata {
            nrows: message.nrows,
            nodes: &body.nodes,
            places: &places,
            variadic: &body.variadic,
            codec: self.options.codec,
            body_nbytes,
            dictionary: message.dictionary,
        };
        encode::batch(&mut self.fbb, &metadata);
        let position = self.output.position();
        let head_nbytes = encode::encapsulate(self.output.scratch(), position, self.fbb.finished_data())?;
        let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let block = fb::Block::new(number(position), head_nbytes, number(body_nbytes as u64));
        match message.dictionary {
            Some(_) => self.dictionary_blocks.push(block),
            None => self.batch_blocks.push(block),
        }
        output::write_body(&mut self.output, &body.buffers, body_nbytes, target)
    }
}
