//! MessagePack values one behind the other, to the end of the input: a file or a pipe of frames. No I/O.
//!
//! Nothing stands between two of them and nothing behind the last. Chunks of our own count themselves, so that one that is
//! missing is noticed; the end of the input where a value has ended is the end.

use super::value::{Received, Value};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};

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
    /// Whether the room that was lent last is `ahead`.
    is_ahead: bool,
}

impl Series {
    /// At the front of the first one.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        let (ahead, value) = (Vec::new(), None);
        Self { options, value, ahead, from: 0, to: 0, base: 0, count: 0, next: 0, is_ahead: true }
    }

    /// Values so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Where the next bytes go, never empty: the memory of the value where it is known that they belong to it.
    ///
    /// # Errors
    /// The system's refusal of memory.
    pub fn room(&mut self) -> Result<&mut [u8]> {
        self.is_ahead = !self.value.as_ref().is_some_and(|value| value.has_room());
        match &mut self.value {
            Some(value) if !self.is_ahead => Ok(value.room()?.unwrap_or_default()),
            _ => {
                self.ahead.resize(AHEAD_NBYTES, 0);
                Ok(&mut self.ahead)
            }
        }
    }

    /// The first `count` bytes of the room are filled.
    ///
    /// # Errors
    /// Malformed: no value; over a limit.
    pub fn filled(&mut self, count: usize) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if self.is_ahead {
            (self.from, self.to) = (0, count);
            return Ok(());
        }
        match &mut self.value {
            Some(value) => value.advance(count).map_err(|e| e.shifted(self.base)),
            None => Ok(()),
        }
    }

    /// The next value, and where it began; `None` where more bytes are needed.
    ///
    /// # Errors
    /// Malformed: no value; a chunk that is missing.
    pub fn next_value(&mut self) -> Result<Option<(Received, u64)>> {
        if self.from < self.to {
            let value = match &mut self.value {
                Some(value) => value,
                none => none.insert(Box::new(Value::new(&self.options)?)),
            };
            let bytes = self.ahead.get(self.from..self.to).unwrap_or(&[]);
            self.from += value.feed(bytes).map_err(|e| e.shifted(self.base))?;
        }
        self.value.take_if(|value| value.is_whole()).map(|value| self.whole(*value)).transpose()
    }

    /// No more bytes come.
    ///
    /// # Errors
    /// Truncated: the input ends inside a value.
    pub fn finish(&self) -> Result<()> {
        self.value.as_ref().map_or(Ok(()), |value| Err(self.cut_short(value)))
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
#[path = "tests/series_decoder.rs"]
mod tests;
