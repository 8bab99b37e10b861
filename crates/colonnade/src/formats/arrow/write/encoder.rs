//! Encodes whole frames. Frames of one layout share a schema and its message, which is encoded once.

use std::sync::Arc;

use flatbuffers::FlatBufferBuilder;

use crate::arrow::export::Exporter;
use crate::arrow::repeat::RepeatedExporter;
use crate::error::Result;
use crate::formats::arrow::read::Form;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

use super::WriteOptions;
use super::writer::Writer;
use crate::arrow::ipc::encode;

/// Maximum number of cached layouts.
const LAYOUTS: usize = 8;

/// Maximum bytes of all cached schema messages. That of 10,000 columns takes a few million.
const SCHEMAS_NBYTES: usize = 8 << 20;

/// Maximum memory kept from one frame to the next.
const SCRATCH_NBYTES: usize = 1 << 20;

/// Writes frames, each as its own stream or file. For frames with the same columns, types, labels, tags and number of rows,
/// the schema is encoded only for the first.
#[derive(Default)]
pub struct Encoder {
    /// The most recently used comes first.
    layouts: Vec<CachedLayout>,
    memory: Option<(Vec<u8>, FlatBufferBuilder<'static>)>,
}

struct CachedLayout {
    layout: RepeatedExporter,
    /// The schema message of a stream.
    schema: Vec<u8>,
}

impl Encoder {
    /// An encoder without cached layouts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes the bytes of [`encode()`]. A small frame is one write to the sink.
    ///
    /// # Errors
    /// As [`Writer::write`]. The encoder stays usable.
    pub fn encode(
        &mut self,
        frame: &Frame,
        form: Form,
        options: WriteOptions,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        if form == Form::File {
            return encode(frame, form, options, sink, progress);
        }
        let options = WriteOptions { nrows: Some(frame.nrows), ..options };
        let mut writer = Writer::new(form, options);
        if let Some(memory) = self.memory.take() {
            writer.reuse_memory(memory);
        }
        self.select_layout(frame)?;
        let result = match self.layouts.first() {
            Some(CachedLayout { layout, schema }) => {
                writer.write_frame(layout.exporter().clone(), Some(schema), frame, sink, progress)
            }
            None => encode(frame, form, options, sink, progress),
        };
        let mut memory = writer.into_memory();
        memory.0.shrink_to(SCRATCH_NBYTES);
        self.memory = Some(memory);
        result
    }

    /// Moves the frame's layout to the front, or adds it there.
    fn select_layout(&mut self, frame: &Frame) -> Result<()> {
        if let Some(at) = self.layouts.iter().position(|cached| cached.layout.matches(frame)) {
            if let Some(front) = self.layouts.get_mut(..=at) {
                front.rotate_right(1);
            }
            return Ok(());
        }
        let layout = RepeatedExporter::new(frame)?;
        let message = encode::schema(&layout.exporter().schema(), Some(frame.nrows));
        let mut schema = Vec::new();
        encode::encapsulate(&mut schema, 0, message.finished_data())?;
        self.layouts.insert(0, CachedLayout { layout, schema });
        let mut nbytes = 0;
        let fits = |cached: &CachedLayout| {
            nbytes += cached.schema.len();
            nbytes <= SCHEMAS_NBYTES
        };
        let count = self.layouts.iter().take(LAYOUTS).map(fits).take_while(|fits| *fits).count();
        self.layouts.truncate(count.max(1));
        Ok(())
    }
}

/// Writes one whole frame.
///
/// # Errors
/// As [`Writer::write`].
pub fn encode(
    frame: &Frame,
    form: Form,
    options: WriteOptions,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let mut writer = Writer::new(form, WriteOptions { nrows: Some(frame.nrows), ..options });
    let exporter = Exporter::new(frame, Some(frame.nrows))?;
    writer.write_frame(Arc::new(exporter), None, frame, sink, progress)
}
