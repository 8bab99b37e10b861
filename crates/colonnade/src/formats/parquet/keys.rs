//! Reads dictionary keys in batches.

use crate::error::Result;

use super::rle_bit_packed::{RleBitPacked, RleBitPackedRun};
use super::unpack::{GROUP, unpack_tail, unpack32};

/// The next keys: one repeated key, or distinct ones.
#[derive(Debug, PartialEq, Eq)]
pub enum KeyBatch<'k> {
    /// One key and its number of repetitions.
    Same(u32, usize),
    /// Distinct keys.
    Many(&'k [u32]),
}

/// A reader of dictionary keys. A call may end within a run.
#[derive(Debug)]
pub struct DictionaryKeys<'a> {
    runs: RleBitPacked<'a>,
    run: Option<RleBitPackedRun<'a>>,
    group: [u32; GROUP],
    at: usize,
    ready: usize,
}

impl<'a> DictionaryKeys<'a> {
    /// Creates a reader of the keys in `runs`.
    #[must_use]
    pub fn new(runs: RleBitPacked<'a>) -> Self {
        Self { runs, run: None, group: [0; GROUP], at: 0, ready: 0 }
    }

    /// Returns between one and `most` keys; `None` at the end.
    ///
    /// # Errors
    /// Truncated runs.
    #[inline]
    pub fn take(&mut self, most: usize) -> Result<Option<KeyBatch<'_>>> {
        if self.at == self.ready {
            if self.run.is_none() {
                self.run = self.runs.next_run()?;
            }
            match self.run {
                None => return Ok(None),
                Some(RleBitPackedRun::Same { value, n }) => {
                    let now = n.min(most);
                    self.run = (n > now).then_some(RleBitPackedRun::Same { value, n: n - now });
                    return Ok(Some(KeyBatch::Same(value, now)));
                }
                Some(RleBitPackedRun::Packed { bytes, n }) => {
                    let (width, now) = (self.runs.width(), n.min(GROUP));
                    let size = 4 * usize::from(width);
                    if bytes.len() >= size {
                        unpack32(width, bytes, &mut self.group);
                    } else {
                        unpack_tail(width, bytes, &mut self.group);
                    }
                    let bytes = bytes.get(size..).unwrap_or_default();
                    self.run = (n > now).then_some(RleBitPackedRun::Packed { bytes, n: n - now });
                    (self.at, self.ready) = (0, now);
                }
            }
        }
        let from = self.at;
        self.at = self.ready.min(from + most);
        Ok(Some(KeyBatch::Many(self.group.get(from..self.at).unwrap_or_default())))
    }
}
