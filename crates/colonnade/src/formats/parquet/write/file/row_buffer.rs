//! Buffers rows until a row group is full. Rows are copied, because the caller may reuse its memory after `write` returns.

use crate::arrow::concat::concat_all;
use crate::arrow::deep_copy::deep_copy;
use crate::error::Result;
use crate::frame::{Frame, Labels, Level, Part};

/// Chunks that together are smaller than a row group.
#[derive(Debug, Default)]
pub(super) struct RowBuffer {
    frames: Vec<Frame>,
    nrows: usize,
    nbytes: usize,
}

impl RowBuffer {
    /// Number of buffered rows.
    pub(super) fn nrows(&self) -> usize {
        self.nrows
    }

    /// Approximate bytes of the buffered rows.
    pub(super) fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Copies the rows of a chunk.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub(super) fn push(&mut self, chunk: &Frame) -> Result<()> {
        // `concat_all` returns a single frame without a copy, so a second frame without rows makes it copy.
        let chunk = with_range_labels(chunk);
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

    /// Takes all buffered rows followed by those of `chunk`, in as few frames as possible.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub(super) fn take(&mut self, chunk: Option<&Frame>) -> Result<Vec<Frame>> {
        let held = std::mem::take(self).frames;
        let chunk = chunk.map(with_range_labels);
        let all: Vec<&Frame> = held.iter().chain(&chunk).collect();
        match all.as_slice() {
            [] => Ok(Vec::new()),
            [one] => Ok(vec![(*one).clone()]),
            // The schema admits frames whose layouts cannot be concatenated. Each of them becomes a row group.
            many => {
                Ok(concat_all(many).map_or_else(|_| many.iter().map(|f| (*f).clone()).collect(), |f| vec![f]))
            }
        }
    }
}

/// Replaces automatic labels by labels from 0 on, so that frames can be concatenated. The file's schema stores the labels of the
/// whole.
fn with_range_labels(frame: &Frame) -> Frame {
    let mut out = frame.clone();
    if let (Labels::Auto { .. }, Ok(stop)) = (&out.index.labels, i64::try_from(frame.nrows)) {
        out.index.labels = Labels::Auto { start: 0, stop, step: 1, count: frame.nrows };
    }
    out
}
