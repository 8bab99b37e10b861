//! Rows that wait for more of them: copies, for the caller's memory is his again when `write` returns.

use crate::arrow::concat::concat_all;
use crate::error::Result;
use crate::frame::Frame;

/// Chunks smaller than a row group.
#[derive(Debug, Default)]
pub(super) struct Pending {
    frames: Vec<Frame>,
    nrows: usize,
    nbytes: usize,
}

impl Pending {
    /// Rows.
    pub(super) fn nrows(&self) -> usize {
        self.nrows
    }

    /// Bytes, about.
    pub(super) fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Copies the rows of a chunk.
    ///
    /// # Errors
    /// The system's own: no memory.
    pub(super) fn push(&mut self, chunk: &Frame) -> Result<()> {
        // One frame alone would be answered as it is; a second one without rows makes it a copy.
        let copy = concat_all(&[chunk, &chunk.slice(chunk.nrows, chunk.nrows)])?;
        self.nrows += copy.nrows;
        self.nbytes += copy.nbytes();
        self.frames.push(copy);
        Ok(())
    }

    /// All rows, those of `chunk` behind them, as few frames as may be; nothing waits after.
    ///
    /// # Errors
    /// The system's own: no memory.
    pub(super) fn take(&mut self, chunk: Option<&Frame>) -> Result<Vec<Frame>> {
        let held = std::mem::take(self).frames;
        let all: Vec<&Frame> = held.iter().chain(chunk).collect();
        match all.as_slice() {
            [] => Ok(Vec::new()),
            [one] => Ok(vec![(*one).clone()]),
            // Frames that the schema admits may differ in what it does not say: each is a row group of its own then.
            many => {
                Ok(concat_all(many).map_or_else(|_| many.iter().map(|f| (*f).clone()).collect(), |f| vec![f]))
            }
        }
    }
}
