//! The text columns whose bytes are received at their position in the column.
//!
//! The bytes of a batch are received at the end of the bytes so far. When the batch is complete, its offsets say which of them
//! its rows use; the others make room for the next batch. Offsets and validity are kept, and checked at the end mark.
//!
//! A growing column moves to memory of an earlier frame if memory of about its expected size waits in the pool: the received rows
//! and the announced ones tell the size.

use crate::arrow::ipc::body::{BatchBody, CompressedBuffer, decompress, read_length_prefix};
use crate::error::Result;
use crate::formats::arrow::read::decode::{ReceivedRun, ReceivedText, text_range, too_large};
use crate::limits::{Budget, Limits, StreamLimit};
use crate::memory::{Region, RegionMut};

use super::layout::BlockLayout;

/// The first allocation for a declared length. Further ones are as large as the received bytes, so a false length takes
/// little memory.
const BELIEVED_NBYTES: usize = 4 << 20;

/// Smaller columns use ordinary pages: many of them would take a huge page each.
const HUGE_FROM_NBYTES: usize = 2 << 20;

/// The text columns of one stream.
#[derive(Debug)]
pub(super) struct TextColumns {
    columns: Vec<GrowingTextColumn>,
    /// The sum of the columns' reserved bytes.
    nbytes: u64,
    /// Rows of all batches; 0 if they are not announced.
    announced: u64,
    limit: StreamLimit,
    budget: Budget,
}

#[derive(Debug)]
struct GrowingTextColumn {
    region: RegionMut,
    /// Bytes of the complete batches.
    filled: usize,
    /// Rows of the complete batches.
    nrows: usize,
    /// Bytes of the complete batches, and those of the current one that have memory.
    reserved: usize,
    /// Whether offsets have 32 bits.
    small: bool,
    runs: Vec<ReceivedRun>,
}

impl TextColumns {
    pub(super) fn new(layout: &BlockLayout, announced: Option<u64>, limits: &Limits) -> Result<Self> {
        let column = |&(_, small): &(usize, bool)| {
            let region = Region::allocate(0)?;
            Ok(GrowingTextColumn { region, filled: 0, nrows: 0, reserved: 0, small, runs: Vec::new() })
        };
        let columns = layout.texts.iter().map(column).collect::<Result<_>>()?;
        let (limit, budget) = (StreamLimit::new(limits), Budget::new(limits, 0));
        Ok(Self { columns, nbytes: 0, announced: announced.unwrap_or(0), limit, budget })
    }

    /// Bytes of all columns, after a complete batch.
    pub(super) fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// The offset of the bytes of the next batch.
    pub(super) fn end(&self, column: usize) -> usize {
        self.columns.get(column).map_or(0, |column| column.filled)
    }

    /// The bytes of a column from `from` on.
    pub(super) fn bytes(&mut self, column: usize) -> &[u8] {
        self.columns.get_mut(column).map_or(&[], |column| column.region.as_mut_slice())
    }

    /// Adds the bytes of a body to what all text may take.
    pub(super) fn grant(&mut self, body_nbytes: usize) {
        self.budget.grant(body_nbytes as u64);
    }

    /// Returns the buffer for `nbytes` bytes from `from` on, or for fewer if their length is not trusted yet. All bytes of
    /// the column before `from` have arrived.
    pub(super) fn room(&mut self, column: usize, from: usize, nbytes: usize) -> Result<&mut [u8]> {
        let count = nbytes.min(from.max(BELIEVED_NBYTES));
        self.reserve(column, from, count, nbytes)
    }

    /// Makes room for `nbytes` bytes from `from` on, of `declared` bytes that shall come.
    fn reserve(&mut self, column: usize, from: usize, nbytes: usize, declared: usize) -> Result<&mut [u8]> {
        let end = from.checked_add(nbytes).ok_or_else(too_large)?;
        let column = self.columns.get_mut(column).ok_or_else(too_large)?;
        let more = end.saturating_sub(column.reserved);
        // The columns of a batch are received together, so the limit is for their sum.
        self.limit.check("arrow", self.nbytes.saturating_add(more as u64))?;
        let expected = column.expected_nbytes(self.announced).max(from.saturating_add(declared));
        column.reserve(end, from, expected)?;
        column.reserved += more;
        self.nbytes += more as u64;
        column.region.as_mut_slice().get_mut(from..end).ok_or_else(too_large)
    }

    /// Takes the bytes of a batch whose body was received as a whole.
    ///
    /// # Errors
    /// Malformed buffers; a limit.
    pub(super) fn take(
        &mut self,
        column: usize,
        body: &BatchBody<'_>,
        values: usize,
        nrows: usize,
    ) -> Result<()> {
        let raw = body.bytes(values)?;
        let (bytes, packing) = match body.codec() {
            None => (raw, None),
            Some(codec) => match read_length_prefix(raw, codec)? {
                CompressedBuffer::Stored(bytes) => (bytes, None),
                CompressedBuffer::Compressed(bytes, nbytes) => (bytes, Some((codec, nbytes))),
            },
        };
        let nbytes = packing.map_or(bytes.len(), |(_, nbytes)| nbytes);
        self.budget.charge("arrow", "the bodies", nbytes as u64, nrows as u64)?;
        let place = self.reserve(column, self.end(column), nbytes, nbytes)?;
        match packing {
            None => place.copy_from_slice(bytes),
            Some((codec, _)) => {
                decompress(codec, bytes, place).map_err(|e| e.in_member(format!("buffer {values}")))?;
            }
        }
        let offsets = body.buffer(values.saturating_sub(1), 0)?;
        self.complete(column, offsets.as_slice(), nrows, nbytes);
        Ok(())
    }

    /// Ends a batch, of which `stored` bytes were received.
    pub(super) fn complete(&mut self, column: usize, offsets: &[u8], nrows: usize, stored: usize) {
        let Some(column) = self.columns.get_mut(column) else { return };
        let at = column.filled;
        let mut run = ReceivedRun { at, nbytes: 0, from: 0, stored };
        // The check at the end reports wrong offsets.
        if nrows > 0
            && let Ok((start, end)) = text_range(offsets, (0, nrows), column.small, stored)
        {
            if start > 0 {
                column.region.as_mut_slice().copy_within(at + start..at + end, at);
            }
            (run.from, run.nbytes) = (start, end - start);
            column.filled += end - start;
        }
        self.nbytes -= (column.reserved - column.filled) as u64;
        column.reserved = column.filled;
        column.nrows += nrows;
        column.runs.push(run);
    }

    /// The columns, in the order of the layout.
    ///
    /// # Errors
    /// Errors of the operating system: no memory.
    pub(super) fn finish(self) -> Result<Vec<ReceivedText>> {
        let finish = |mut column: GrowingTextColumn| {
            column.region.grow(column.filled)?;
            Ok(ReceivedText { bytes: column.region, runs: column.runs })
        };
        self.columns.into_iter().map(finish).collect()
    }
}

impl GrowingTextColumn {
    /// The bytes of all announced rows, if they are as long as the received ones.
    fn expected_nbytes(&self, announced: u64) -> usize {
        let expected = (self.filled as u128 * u128::from(announced)).checked_div(self.nrows as u128);
        expected.and_then(|nbytes| usize::try_from(nbytes).ok()).unwrap_or(0)
    }

    /// Makes room for the bytes before `end`, and keeps those before `from`.
    fn reserve(&mut self, end: usize, from: usize, expected: usize) -> Result<()> {
        let held = self.region.capacity();
        let is_large = expected >= HUGE_FROM_NBYTES;
        if end > held && is_large && self.region.move_to_waiting(from, end, expected) {
            return Ok(());
        }
        if held >= HUGE_FROM_NBYTES || end <= held {
            let enough = if end > held { end.max(from.saturating_mul(2)) } else { end };
            self.region.grow(enough)?;
            return Ok(());
        }
        let nbytes = end.max(from.saturating_mul(2));
        let mut larger = Region::allocate(nbytes)?;
        let (old, new) = (self.region.as_mut_slice(), larger.as_mut_slice());
        if let (Some(old), Some(new)) = (old.get(..from), new.get_mut(..from)) {
            new.copy_from_slice(old);
        }
        self.region = larger;
        Ok(())
    }
}
