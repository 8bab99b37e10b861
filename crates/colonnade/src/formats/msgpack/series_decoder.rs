//! Decodes consecutive MessagePack values to the end of the input: a file or a pipe of frames. No I/O.
//!
//! There are no bytes between two values or after the last. Chunks of this library are numbered, so that a missing one is
//! detected. The input may end after any value.

use super::value::{Received, ValueDecoder};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::{Error, Result};

/// The size of a read if the length of the value is unknown.
const AHEAD_NBYTES: usize = 64 << 10;

/// The values of a series, decoded one by one.
#[derive(Debug)]
pub struct Series {
    options: ReadOptions,
    value: Option<Box<ValueDecoder>>,
    ahead: Vec<u8>,
    from: usize,
    to: usize,
    /// The number of bytes of the earlier values.
    base: u64,
    count: u64,
    /// The expected number of the next numbered chunk.
    next: u64,
    /// Whether the memory lent last is `ahead`.
    is_ahead: bool,
}

impl Series {
    /// Starts before the first value.
    #[must_use]
    pub fn new(options: ReadOptions) -> Self {
        let (ahead, value) = (Vec::new(), None);
        Self { options, value, ahead, from: 0, to: 0, base: 0, count: 0, next: 0, is_ahead: true }
    }

    /// The number of values so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns memory for the next bytes, which is never empty: that of the value, if they certainly belong to it.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
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

    /// Records that the first `count` bytes of that memory are filled.
    ///
    /// # Errors
    /// Malformed: not a value; over a limit.
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

    /// Returns the next value and its offset; `None` if more bytes are needed.
    ///
    /// # Errors
    /// Malformed: not a value; a missing chunk.
    pub fn next_value(&mut self) -> Result<Option<(Received, u64)>> {
        if self.from < self.to {
            let value = match &mut self.value {
                Some(value) => value,
                none => none.insert(Box::new(ValueDecoder::new(&self.options)?)),
            };
            let bytes = self.ahead.get(self.from..self.to).unwrap_or(&[]);
            self.from += value.feed(bytes).map_err(|e| e.shifted(self.base))?;
        }
        self.value.take_if(|value| value.is_whole()).map(|value| self.whole(*value)).transpose()
    }

    /// Ends the input.
    ///
    /// # Errors
    /// Truncated: the input ends inside a value.
    pub fn finish(&self) -> Result<()> {
        self.value.as_ref().map_or(Ok(()), |value| Err(self.cut_short(value)))
    }

    fn whole(&mut self, value: ValueDecoder) -> Result<(Received, u64)> {
        let (nbytes, start) = (value.so_far().0, self.base);
        let received = value.finish()?;
        (self.base, self.count) = (start + nbytes, self.count + 1);
        // Files of chunks may be concatenated.
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

    fn cut_short(&self, value: &ValueDecoder) -> Error {
        value.cut_short(&format!("frame {} of the series", self.count + 1), self.base)
    }
}

#[cfg(test)]
#[path = "tests/series_decoder.rs"]
mod tests;
