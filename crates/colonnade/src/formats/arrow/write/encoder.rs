//! Whole frames, one after the other: what frames of one layout share, the schema and its message, is made once.

use std::sync::Arc;

use flatbuffers::FlatBufferBuilder;

use crate::arrow::export::Exporter;
use crate::arrow::repeat::Repeated;
use crate::error::Result;
use crate::formats::arrow::read::Form;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

use super::WriteOptions;
use super::writer::Writer;
use crate::arrow::ipc::encode;

/// Layouts that are remembered.
const LAYOUTS: usize = 8;

/// Bytes of their schema messages together: a layout of 10,000 columns has a few million.
const HEADS_NBYTES: usize = 8 << 20;

/// Memory kept from one frame to the next.
const SCRATCH_NBYTES: usize = 1 << 20;

/// Writes frames, each as a message or file of its own. Of frames with the same columns, types, labels, tags and number of
/// rows all but the first cost their data alone.
#[derive(Default)]
pub struct Encoder {
    /// The last one used comes first.
    known: Vec<Known>,
    memory: Option<(Vec<u8>, FlatBufferBuilder<'static>)>,
}

struct Known {
    layout: Repeated,
    /// The schema message of a stream.
    head: Vec<u8>,
}

impl Encoder {
    /// An encoder that knows no layout yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One frame, whole: the bytes of [`encode`]. A small one is one call of the sink's.
    ///
    /// # Errors
    /// As [`Writer::write`]; the encoder can go on then.
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
            writer.lend(memory);
        }
        self.know(frame)?;
        let result = match self.known.first() {
            Some(Known { layout, head }) => {
                writer.whole(layout.exporter().clone(), Some(head), frame, sink, progress)
            }
            None => encode(frame, form, options, sink, progress),
        };
        let mut memory = writer.into_memory();
        memory.0.shrink_to(SCRATCH_NBYTES);
        self.memory = Some(memory);
        result
    }

    /// Puts the frame's layout first.
    fn know(&mut self, frame: &Frame) -> Result<()> {
        if let Some(at) = self.known.iter().position(|known| known.layout.is_of(frame)) {
            if let Some(front) = self.known.get_mut(..=at) {
                front.rotate_right(1);
            }
            return Ok(());
        }
        let layout = Repeated::new(frame)?;
        let schema = encode::schema(&layout.exporter().schema(), Some(frame.nrows));
        let mut head = Vec::new();
        encode::frame(&mut head, 0, schema.finished_data())?;
        self.known.insert(0, Known { layout, head });
        let mut nbytes = 0;
        let fits = |known: &Known| {
            nbytes += known.head.len();
            nbytes <= HEADS_NBYTES
        };
        let kept = self.known.iter().take(LAYOUTS).map(fits).take_while(|fits| *fits).count();
        self.known.truncate(kept.max(1));
        Ok(())
    }
}

/// One frame, whole.
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
    writer.whole(Arc::new(exporter), None, frame, sink, progress)
}
