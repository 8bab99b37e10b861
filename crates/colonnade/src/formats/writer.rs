//! Frames written one after the other.

use crate::error::Result;
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;

/// Writes a file frame by frame. The schema is that of the first frame.
pub trait FrameWriter: Send {
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
