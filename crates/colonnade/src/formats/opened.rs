//! What was opened: a description, and data that is decoded when it is asked for.

use std::any::Any;

use arrow_schema::DataType;

use super::fact::Facts;
use crate::container::store::AnyArray;
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Tags};
use crate::progress::Progress;

/// What [`Opened::load`] decoded.
#[derive(Debug)]
pub struct Loaded {
    /// The frame.
    pub frame: Frame,
    /// Whether nobody else sees its memory: only where [`Request::private`] asked for that.
    pub private: bool,
}

impl Loaded {
    /// A frame that is as private as `request` wants it.
    #[must_use]
    pub fn new(frame: Frame, request: &Request<'_>) -> Self {
        Self { frame, private: request.private }
    }
}

/// An opened source.
pub trait Opened: Send + Sync + Any {
    /// The format, by the name that its [`super::FormatSpec`] has.
    fn format(&self) -> &'static str;

    /// What it holds: `"frame"`, `"bundle"`, or another word of the format's.
    fn kind(&self) -> &'static str {
        "frame"
    }

    /// How the bytes are laid out, in the format's own word: `"zip"`, `"stream"`, `"row groups"`.
    fn layout(&self) -> &'static str;

    /// Rows and columns.
    ///
    /// # Errors
    /// `Malformed` where the source is no frame, with the reason.
    fn shape(&self) -> Result<(usize, usize)>;

    /// Labels of the rows; decoded or fetched now.
    ///
    /// # Errors
    /// As [`Opened::load`].
    fn index(&self) -> Result<Axis>;

    /// Labels of the columns.
    ///
    /// # Errors
    /// As [`Opened::load`].
    fn columns(&self) -> Result<Axis>;

    /// Name, attrs and origin of the frame.
    ///
    /// # Errors
    /// As [`Opened::shape`].
    fn tags(&self) -> Result<&Tags>;

    /// Names of the columns' types.
    ///
    /// # Errors
    /// As [`Opened::shape`].
    fn dtypes(&self) -> Result<Vec<String>>;

    /// The Arrow type of a column, where it is one that nests or that only Arrow has, and where it is known without decoding.
    fn arrow_type(&self, position: usize) -> Option<DataType> {
        let _ = position;
        None
    }

    /// Whether [`Request::kept`] is heeded: of nested columns only the part that is asked for is decoded.
    fn selects_leaves(&self) -> bool {
        false
    }

    /// Version of our header; `None` where others wrote the source.
    fn version(&self) -> Option<u64> {
        None
    }

    /// Bytes of the source.
    fn file_nbytes(&self) -> u64;

    /// Bytes of the data once decoded, as far as they are known.
    fn nbytes(&self) -> u64;

    /// Decodes what is asked for into one frame.
    ///
    /// # Errors
    /// `Malformed`, `Truncated`, `Unsupported`, `LimitExceeded` with the byte offset; the system's own.
    fn load(&self, request: &Request<'_>) -> Result<Loaded>;

    /// Checks every checksum and decodes everything once.
    ///
    /// # Errors
    /// As [`Opened::load`].
    fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()>;

    /// The parts of the source, for `info`.
    ///
    /// # Errors
    /// `Malformed` where a description is read only now.
    fn members(&self) -> Result<Vec<Facts>>;

    /// Facts that only this format has. They are cheap: some are asked for on every read.
    fn facts(&self) -> Facts {
        Facts::new()
    }

    /// Each batch (record batch, row group), for `info`: `nrows` and what else it says.
    ///
    /// # Errors
    /// As [`Opened::members`].
    fn batches(&self) -> Result<Vec<Facts>> {
        let rows = self.batch_rows().unwrap_or_default();
        Ok(rows.into_iter().map(|nrows| vec![("nrows", nrows.into())]).collect())
    }

    /// Rows of each batch (record batch, row group), where the source has batches.
    fn batch_rows(&self) -> Option<Vec<usize>> {
        None
    }

    /// Whether a batch without rows is one that was written; else it is what a filter left of one.
    fn keeps_empty_batches(&self) -> bool {
        true
    }

    /// One batch, in Arrow's layout.
    ///
    /// # Errors
    /// As [`Opened::load`]; `NotFound` past the last.
    fn batch(&self, number: usize, request: &Request<'_>) -> Result<Frame> {
        let _ = request;
        Err(Error::not_found("frame", format!("batch {number} is out of range: there are none.")))
    }

    /// What is asked for in Arrow's layout, a frame a batch; at least one frame.
    ///
    /// # Errors
    /// As [`Opened::load`].
    fn load_arrow(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        Ok(vec![self.load(request)?.frame])
    }

    /// Whether it holds NumPy's blocks, so that the way to Arrow's layout leads through [`Opened::load`] too.
    fn holds_blocks(&self) -> bool {
        false
    }

    /// Labels of a bundle's frames.
    ///
    /// # Errors
    /// As [`Opened::shape`].
    fn labels(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// One frame of a bundle.
    ///
    /// # Errors
    /// `NotFound`, naming the nearest label; as [`Opened::load`]; `Cancelled` from `progress`.
    fn open_label(&self, label: &str, progress: &dyn Progress) -> Result<Box<dyn Opened>> {
        let _ = progress;
        Err(Error::not_found("frame", format!("label {label:?}: the source holds one frame.")))
    }

    /// Names of the arrays, where the source holds NumPy's arrays of any shapes.
    ///
    /// # Errors
    /// As [`Opened::shape`].
    fn array_names(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// One of these arrays, in memory of its own.
    ///
    /// # Errors
    /// `NotFound`; as [`Opened::load`].
    fn array(&self, name: &str, threads: usize) -> Result<AnyArray> {
        let _ = threads;
        Err(Error::not_found("array", format!("array {name:?}: the source holds none.")))
    }
}

/// What came of the bytes that an [`IncrementalReader`] was given.
pub enum Event {
    /// More bytes are needed.
    Need,
    /// The columns are known now.
    Schema,
    /// The next frame, in memory of its own.
    Batch(Box<Frame>),
    /// The format's end mark.
    End,
}

/// Decodes bytes as they come. It performs no I/O: it lends room, and is told how much of it was filled.
pub trait IncrementalReader: Send + Sync {
    /// Room for the next bytes: their final memory, where the decoder knows it already. Empty after [`Event::End`].
    ///
    /// # Errors
    /// `LimitExceeded`; no memory.
    fn room(&mut self) -> Result<&mut [u8]>;

    /// The first `count` bytes of the room are filled; with 0, asks for what is decoded already. A caller asks with 0 until it
    /// hears [`Event::Need`] before it fills the room again.
    ///
    /// # Errors
    /// `Malformed`, `Unsupported`, `LimitExceeded`; `Cancelled` from `progress`.
    fn filled(&mut self, count: usize, progress: &dyn Progress) -> Result<Event>;

    /// No more bytes come. Frames that were still held come from [`IncrementalReader::filled`] with 0 afterwards.
    ///
    /// # Errors
    /// `Truncated` where the format's end is missing.
    fn finish(&mut self) -> Result<()>;

    /// A frame of no rows; `None` until the columns are known.
    ///
    /// # Errors
    /// As [`IncrementalReader::filled`]; where no more bytes come and the columns are not known, the format's error of that.
    fn schema(&self) -> Result<Option<Frame>>;

    /// Facts so far that only this format has.
    fn facts(&self) -> Facts {
        Facts::new()
    }
}
