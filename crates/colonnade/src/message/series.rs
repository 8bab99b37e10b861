//! MessagePack values one behind the other, to the end of the input: a file or a pipe of frames.
//!
//! Nothing stands between two of them and nothing behind the last. Chunks of our own count themselves, so that one that is
//! missing is noticed; the end of the input where a value has ended is the end.

use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};

use super::value::{Received, Value};

/// What is taken at once where nobody knows how much belongs to the value.
const AHEAD_NBYTES: usize = 64 << 10;

/// Values of a series, one at a time.
#[derive(Debug)]
pub struct Series {
    options: ReadOptions,
    value: Option<Box<Value>>,
    ahead: Vec<u8>,
    from: usize,
    to: usize,
    /// Bytes of the values before.
    base: u64,
    count: u64,
    /// The number that a chunk of our own would have.
    next: u64,
    ended: bool,
}

impl Series {
    /// At the front of the first one.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        let (ahead, value) = (Vec::new(), None);
        Self { options, value, ahead, from: 0, to: 0, base: 0, count: 0, next: 0, ended: false }
    }

    /// Values so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The next value, and where it began; `None` at the end of the input. `read` fills the front of what it is given and
    /// answers how much, 0 at the end.
    ///
    /// # Errors
    /// Truncated: the input ends inside a value. Malformed: no value; a chunk that is missing. `read`'s own, after which the
    /// call may come again.
    pub fn next(
        &mut self,
        read: &mut dyn FnMut(&mut [u8]) -> Result<usize>,
    ) -> Result<Option<(Received, u64)>> {
        loop {
            if self.from < self.to {
                let value = match &mut self.value {
                    Some(value) => value,
                    none => none.insert(Box::new(Value::new(&self.options)?)),
                };
                let bytes = self.ahead.get(self.from..self.to).unwrap_or(&[]);
                self.from += value.feed(bytes).map_err(|e| e.shifted(self.base))?;
            }
            if let Some(value) = self.value.take_if(|value| value.is_whole()) {
                return self.whole(*value).map(Some);
            }
            if self.ended {
                return self.value.as_ref().map_or(Ok(None), |value| Err(self.cut_short(value)));
            }
            let count = match self.value.as_mut().map(|value| value.room()).transpose()?.flatten() {
                Some(room) => read(room)?,
                None => {
                    self.ahead.resize(AHEAD_NBYTES, 0);
                    let count = read(&mut self.ahead)?;
                    (self.from, self.to) = (0, count);
                    self.ended = count == 0;
                    continue;
                }
            };
            self.ended = count == 0;
            if let Some(value) = &mut self.value {
                value.advance(count).map_err(|e| e.shifted(self.base))?;
            }
        }
    }

    fn whole(&mut self, value: Value) -> Result<(Received, u64)> {
        let (nbytes, start) = (value.so_far().0, self.base);
        let received = value.finish()?;
        (self.base, self.count) = (start + nbytes, self.count + 1);
        // Files of chunks may stand one behind the other.
        if let Some(found) = received.chunk(&self.options.limits) {
            if found != self.next && found != 0 {
                let message = format!(
                    "expected chunk {}, found {found}: one is missing. Write the series again.",
                    self.next
                );
                return Err(Error::malformed("msgpack", message)
                    .in_member("$.__colonnade__.chunk")
                    .at(start));
            }
            self.next = found + 1;
        }
        Ok((received, start))
    }

    fn cut_short(&self, value: &Value) -> Error {
        value.cut_short(&format!("frame {} of the series", self.count + 1), self.base)
    }
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
