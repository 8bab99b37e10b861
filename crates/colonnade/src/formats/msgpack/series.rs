//! Series of frames in one file, pipe or socket.

use std::sync::{Mutex, PoisonError};

use crate::cells::msgpack::column::FORMAT;
use crate::cells::msgpack::skip::Skipper;
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::formats::Opened;
use crate::formats::chunk_reader::DecodeChunks;
use crate::formats::msgpack::header;
use crate::formats::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::formats::msgpack::read::with_header::LocatedFrame;
use crate::formats::msgpack::series_decoder::Series;
use crate::formats::msgpack::value::Received;
use crate::frame::Frame;
use crate::memory::Buffer;
use crate::parallel::CANCEL_CHECK_NBYTES;
use crate::progress::Progress;

use super::OpenedMsgpack;

/// Decodes one frame for each value.
pub(super) struct FrameSeries {
    /// The decoder. The lock only makes it shareable between threads, which never contend for it.
    series: Mutex<Series>,
    options: ReadOptions,
}

impl FrameSeries {
    pub(super) fn new(options: &ReadOptions) -> Self {
        Self { series: Mutex::new(Series::new(*options)), options: *options }
    }

    fn series(&mut self) -> &mut Series {
        self.series.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn frame(&self, received: Received, progress: &dyn Progress) -> Result<Frame> {
        match received.frame()? {
            Ok(frame) => Ok(frame),
            Err(bytes) => {
                let opened = OpenedMsgpack::open_buffer(bytes, self.options, progress)?;
                Ok(opened.load(&Request::all(self.options.threads, progress))?.frame)
            }
        }
    }
}

impl DecodeChunks for FrameSeries {
    fn room(&mut self) -> Result<&mut [u8]> {
        self.series().room()
    }

    fn next(&mut self, count: usize, progress: &dyn Progress) -> Result<Option<Frame>> {
        progress.check()?;
        self.series().filled(count)?;
        let Some((received, start)) = self.series().next_value()? else { return Ok(None) };
        self.frame(received, progress).map(Some).map_err(|e| e.shifted(start))
    }

    fn finish(&mut self) -> Result<()> {
        self.series().finish()
    }

    fn no_schema(&self) -> Error {
        Error::malformed(FORMAT, "expected a frame, found the end of the input.")
    }
}

/// Returns whether another value follows the first one, without decoding it. Checks `progress` only for cancellation.
///
/// # Errors
/// `Cancelled` from `progress`.
pub(super) fn is_series(bytes: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<bool> {
    let is_columns = matches!(
        header::read(bytes.as_slice(), &options.limits),
        Ok(Some((head, ..))) if head.orient == MsgpackOrient::Columns
    );
    let end = if is_columns {
        LocatedFrame::open(bytes, *options, progress).ok().flatten().map(|opening| opening.end())
    } else {
        end_of(bytes.as_slice(), options.limits.max_depth, progress)?
    };
    Ok(end.is_some_and(|end| end < bytes.nbytes()))
}

/// Returns the end of the first value; `None` if it is incomplete.
fn end_of(bytes: &[u8], depth: u64, progress: &dyn Progress) -> Result<Option<usize>> {
    let mut skipper = Skipper::new(depth);
    let mut end = 0;
    for piece in bytes.chunks(CANCEL_CHECK_NBYTES) {
        progress.check()?;
        let Ok(nbytes) = skipper.feed(piece) else { return Ok(None) };
        end += nbytes;
        if skipper.is_whole() {
            return Ok(Some(end));
        }
    }
    Ok(None)
}
