//! Frames written one after the other, and frames written as several files.

use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

use super::Options;

/// Writes a file frame by frame. The schema is that of the first frame.
pub trait FrameWriter: Send + Sync {
    /// Writes `frame` behind those before it.
    ///
    /// # Errors
    /// `Unrepresentable` where its schema is not that of the first, which shows both; the sink's own.
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()>;

    /// Writes what the format has at its end.
    ///
    /// # Errors
    /// `Unrepresentable` where no frame was written: nothing says the columns; the sink's own.
    fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()>;

    /// Batches (chunks, row groups) written so far.
    fn nbatches(&self) -> usize;

    /// Rows written so far.
    fn nrows(&self) -> usize;
}

/// Encodes whole frames, each a file or message of its own, and remembers between them what frames of one layout share.
pub trait FrameEncoder: Send {
    /// Writes one frame: the bytes of [`super::Format::encode`].
    ///
    /// # Errors
    /// As [`super::Format::encode`]; the encoder can go on then.
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
    /// The system's own.
    fn commit(self: Box<Self>) -> Result<()>;
}

/// Makes the file of that name in the directory.
pub type OpenMember<'o> = dyn FnMut(&str) -> Result<Box<dyn MemberSink>> + 'o;
