//! Writers of several frames, and of frames as several files.

use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

use super::Options;

/// Writes a file frame by frame. The schema is that of the first frame.
pub trait FrameWriter: Send + Sync {
    /// Appends `frame`. The writer does not read its memory after the call: it copies what it keeps.
    ///
    /// # Errors
    /// `Unrepresentable`, showing both schemas: its schema differs from that of the first frame; errors of the sink.
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()>;

    /// Writes the end of the file.
    ///
    /// # Errors
    /// `Unrepresentable`: no frame was written, so the columns are unknown; errors of the sink.
    fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()>;

    /// Batches (chunks, row groups) written so far.
    fn nbatches(&self) -> usize;

    /// Rows written so far.
    fn nrows(&self) -> usize;
}

/// Encodes frames as separate files or messages, and caches the parts that frames of one layout share.
pub trait FrameEncoder: Send {
    /// Writes one frame: the bytes of [`super::Format::encode`].
    ///
    /// # Errors
    /// As [`super::Format::encode`]; the encoder stays usable.
    fn encode(
        &mut self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()>;
}

/// One file of a directory that is being written.
pub trait MemberSink: Sink {
    /// Ends the file.
    ///
    /// # Errors
    /// Errors of the operating system.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// Creates the file of a name in the directory.
pub type OpenMember<'o> = dyn FnMut(&str) -> Result<Box<dyn MemberSink>> + 'o;
