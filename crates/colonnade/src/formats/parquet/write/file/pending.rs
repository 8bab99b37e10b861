//! Rows that wait for more of them: copies, for the caller's memory is his again when `write` returns.

use crate::arrow::concat::concat_all;
use crate::arrow::deep_copy::deep_copy;
use crate::error::Result;
use crate::frame::{Frame, Labels, Level, Part};

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
        // One frame alone would be answered as it is; a second one without rows makes copies of its blocks.
        let chunk = renumbered(chunk);
        let mut copy = concat_all(&[&chunk, &chunk.slice(chunk.nrows, chunk.nrows)])?;
        for part in &mut copy.parts {
            if let Part::Column(column, _) = part {
                column.data = deep_copy(&column.data)?;
            }
        }
        if let Labels::Levels(levels) = &mut copy.index.labels {
            for level in levels {
                if let Level::Column(column) = level {
                    column.data = deep_copy(&column.data)?;
                }
            }
        }
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
        let chunk = chunk.map(renumbered);
        let all: Vec<&Frame> = held.iter().chain(&chunk).collect();
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

/// The frame with automatic labels from 0 on, which join whatever they were: the file's schema tells those of the whole.
fn renumbered(frame: &Frame) -> Frame {
    let mut out = frame.clone();
    if let (Labels::Auto { .. }, Ok(stop)) = (&out.index.labels, i64::try_from(frame.nrows)) {
        out.index.labels = Labels::Auto { start: 0, stop, step: 1, count: frame.nrows };
    }
    out
}
