//! Frames one behind the other in one file, pipe or socket: found, and read as they come.

use std::sync::{Mutex, PoisonError};

use crate::cells::msgpack::column::FORMAT;
use crate::cells::msgpack::skip::Skipper;
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::formats::msgpack::header;
use crate::formats::msgpack::options::{Orient, ReadOptions};
use crate::formats::msgpack::read::own::Own;
use crate::formats::msgpack::series_decoder::Series;
use crate::formats::msgpack::value::Received;
use crate::formats::{Event, IncrementalReader, Opened};
use crate::frame::Frame;
use crate::memory::Buffer;
use crate::parallel::LOOK_NBYTES;
use crate::progress::Progress;

use super::OpenedMsgpack;

/// Reads a frame a value.
pub(super) struct SeriesReader {
    /// Nobody shares it, so that nobody waits for the lock: it makes a reader that threads may hand on.
    series: Mutex<Series>,
    options: ReadOptions,
    /// A frame of no rows, once the first frame came.
    empty: Option<Frame>,
    is_finished: bool,
    is_over: bool,
}

impl SeriesReader {
    pub(super) fn new(options: &ReadOptions) -> Self {
        let (series, options) = (Mutex::new(Series::new(*options)), *options);
        Self { series, options, empty: None, is_finished: false, is_over: false }
    }

    /// Runs `work`. After an error nothing comes any more: nobody knows where the next value begins.
    fn guard<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let result = work(self);
        self.is_over |= result.is_err();
        result
    }

    fn next(&mut self, count: usize, progress: &dyn Progress) -> Result<Event> {
        progress.look()?;
        let series = self.series.get_mut().unwrap_or_else(PoisonError::into_inner);
        series.filled(count)?;
        let Some((received, start)) = series.next_value()? else {
            self.is_over = self.is_finished;
            return Ok(if self.is_over { Event::End } else { Event::Need });
        };
        let frame = self.frame(received, progress).map_err(|e| e.shifted(start))?;
        self.empty.get_or_insert_with(|| frame.slice(0, 0));
        Ok(Event::Batch(Box::new(frame)))
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

impl IncrementalReader for SeriesReader {
    fn room(&mut self) -> Result<&mut [u8]> {
        self.series.get_mut().unwrap_or_else(PoisonError::into_inner).room()
    }

    fn filled(&mut self, count: usize, progress: &dyn Progress) -> Result<Event> {
        if self.is_over {
            return Ok(Event::End);
        }
        self.guard(|reader| reader.next(count, progress))
    }

    fn finish(&mut self) -> Result<()> {
        if self.is_over {
            return Ok(());
        }
        self.is_finished = true;
        self.guard(|reader| reader.series.get_mut().unwrap_or_else(PoisonError::into_inner).finish())
    }

    fn schema(&self) -> Result<Option<Frame>> {
        if self.empty.is_none() && self.is_over {
            return Err(Error::malformed(FORMAT, "expected a frame, found the end of the input."));
        }
        Ok(self.empty.clone())
    }
}

/// Whether more stands behind the first value, which is not decoded. `progress` is looked at and told nothing.
///
/// # Errors
/// `Cancelled` from `progress`.
pub(super) fn is_series(bytes: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<bool> {
    let is_columns = matches!(
        header::read(bytes.as_slice(), &options.limits),
        Ok(Some((head, ..))) if head.orient == Orient::Columns
    );
    let end = if is_columns {
        Own::open(bytes, *options, progress).ok().flatten().map(|opening| opening.end())
    } else {
        end_of(bytes.as_slice(), options.limits.max_depth, progress)?
    };
    Ok(end.is_some_and(|end| end < bytes.nbytes()))
}

/// Where the first value ends; `None` where it does not.
fn end_of(bytes: &[u8], depth: u64, progress: &dyn Progress) -> Result<Option<usize>> {
    let mut skipper = Skipper::new(depth);
    let mut end = 0;
    for piece in bytes.chunks(LOOK_NBYTES) {
        progress.look()?;
        let Ok(nbytes) = skipper.feed(piece) else { return Ok(None) };
        end += nbytes;
        if skipper.is_whole() {
            return Ok(Some(end));
        }
    }
    Ok(None)
}
