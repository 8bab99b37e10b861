//! Opened sources: metadata, and data that is decoded on request.

use std::any::Any;

use arrow_schema::DataType;

use super::fact::Facts;
use crate::container::store::AnyArray;
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Tags};
use crate::progress::Progress;

/// The result of [`Opened::load`].
#[derive(Debug)]
pub struct Loaded {
    /// The frame.
    pub frame: Frame,
    /// Whether its memory is unshared. True only if [`Request::private`] is set.
    pub private: bool,
}

impl Loaded {
    /// A frame whose memory is as private as `request` asks.
    #[must_use]
    pub fn new(frame: Frame, request: &Request<'_>) -> Self {
        Self { frame, private: request.private }
    }
}

/// An opened source.
pub trait Opened: Send + Sync + Any {
    /// The format's name from its [`super::FormatSpec`].
    fn format(&self) -> &'static str;

    /// Its content: `"frame"`, `"bundle"`, or another word of the format.
    fn kind(&self) -> &'static str {
        "frame"
    }

    /// The layout of its bytes, as a word of the format: `"zip"`, `"stream"`, `"row groups"`.
    fn layout(&self) -> &'static str;

    /// Rows and columns.
    ///
    /// # Errors
    /// `Malformed`, with the reason: the source is no frame.
    fn shape(&self) -> Result<(usize, usize)>;

    /// Labels of the rows. This may decode or fetch them.
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

    /// The Arrow type of a column in Arrow's layout; `None` for other columns, or if the type is unknown before decoding.
    fn arrow_type(&self, position: usize) -> Option<DataType> {
        let _ = position;
        None
    }

    /// Whether [`Opened::load`] applies [`Request::projection`], and decodes only the requested part of nested columns.
    fn selects_leaves(&self) -> bool {
        false
    }

    /// Version of Colonnade's header; `None` if another program wrote the source.
    fn version(&self) -> Option<u64> {
        None
    }

    /// Bytes of the source.
    fn file_nbytes(&self) -> u64;

    /// Bytes of the decoded data, as far as known.
    fn nbytes(&self) -> u64;

    /// Decodes the requested part into one frame.
    ///
    /// # Errors
    /// `Malformed`, `Truncated`, `Unsupported`, `LimitExceeded` with the byte offset; errors of the operating system.
    fn load(&self, request: &Request<'_>) -> Result<Loaded>;

    /// Checks every checksum and decodes everything once.
    ///
    /// # Errors
    /// As [`Opened::load`].
    fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()>;

    /// The parts of the source, for `info`.
    ///
    /// # Errors
    /// `Malformed`, if the description is read by this call.
    fn members(&self) -> Result<Vec<Facts>>;

    /// Facts specific to the format. They must be cheap, because every read asks for some.
    fn facts(&self) -> Facts {
        Facts::new()
    }

    /// Facts of each batch (record batch, row group), for `info`: `nrows` and others.
    ///
    /// # Errors
    /// As [`Opened::members`].
    fn batches(&self) -> Result<Vec<Facts>> {
        let rows = self.batch_rows().unwrap_or_default();
        Ok(rows.into_iter().map(|nrows| vec![("nrows", nrows.into())]).collect())
    }

    /// Rows of each batch (record batch, row group); `None` if the source has no batches.
    fn batch_rows(&self) -> Option<Vec<usize>> {
        None
    }

    /// Whether batches without rows are kept because they were written. Otherwise they are the result of a filter.
    fn keeps_empty_batches(&self) -> bool {
        true
    }

    /// One batch, in Arrow's layout.
    ///
    /// # Errors
    /// As [`Opened::load`]; `NotFound` behind the last batch.
    fn batch(&self, number: usize, request: &Request<'_>) -> Result<Frame> {
        let _ = request;
        Err(Error::not_found("frame", format!("batch {number} is out of range: there are none.")))
    }

    /// Decodes the requested part in Arrow's layout, one frame per batch and at least one frame.
    ///
    /// # Errors
    /// As [`Opened::load`].
    fn load_arrow(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        Ok(vec![self.load(request)?.frame])
    }

    /// Whether it holds NumPy's blocks. Conversion to Arrow's layout then uses [`Opened::load`].
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

    /// Names of the arrays, if the source holds NumPy arrays of any shape.
    ///
    /// # Errors
    /// As [`Opened::shape`].
    fn array_names(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// One of these arrays, in unshared memory.
    ///
    /// # Errors
    /// `NotFound`; as [`Opened::load`].
    fn array(&self, name: &str, threads: usize) -> Result<AnyArray> {
        let _ = threads;
        Err(Error::not_found("array", format!("array {name:?}: the source holds none.")))
    }
}

/// The result of feeding bytes to an [`IncrementalReader`].
pub enum Event {
    /// More bytes are needed.
    Need,
    /// The columns are known now.
    Schema,
    /// The next frame, in unshared memory.
    Batch(Box<Frame>),
    /// The end mark of the format.
    End,
}

/// Decodes bytes incrementally, without I/O. The caller fills the memory that [`IncrementalReader::room`] lends, and reports the
/// number of bytes to [`IncrementalReader::filled`].
pub trait IncrementalReader: Send + Sync {
    /// Memory for the next bytes; if possible it is their final place. Empty after [`Event::End`].
    ///
    /// # Errors
    /// `LimitExceeded`; out of memory.
    fn room(&mut self) -> Result<&mut [u8]>;

    /// Decodes the first `count` bytes of the room. 0 asks for events that need no further bytes; a caller repeats it until
    /// [`Event::Need`], and only then fills the room again.
    ///
    /// # Errors
    /// `Malformed`, `Unsupported`, `LimitExceeded`; `Cancelled` from `progress`.
    fn filled(&mut self, count: usize, progress: &dyn Progress) -> Result<Event>;

    /// Ends the input. Remaining frames come from [`IncrementalReader::filled`] with 0.
    ///
    /// # Errors
    /// `Truncated`: the format's end is missing.
    fn finish(&mut self) -> Result<()>;

    /// A frame without rows; `None` until the columns are known.
    ///
    /// # Errors
    /// As [`IncrementalReader::filled`]; an error of the format if the input ended before the columns were known.
    fn schema(&self) -> Result<Option<Frame>>;

    /// Facts so far that are specific to the format.
    fn facts(&self) -> Facts {
        Facts::new()
    }
}
