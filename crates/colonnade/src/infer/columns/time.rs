//! Builds timestamp columns. Seconds and nanoseconds are stored until all cells are known, then converted to counts of the
//! finest unit that holds them all.

use arrow_schema::TimeUnit;

use crate::cells::msgpack::column::{CellError, CellExtent, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::memory::Buffer;

use super::grow::GrowingBuffer;

/// Timestamps since 1970, UTC.
#[derive(Debug, Default)]
pub(super) struct TimestampBuilder {
    seconds: GrowingBuffer,
    /// Nanoseconds of the second, below 10^9.
    nanos: GrowingBuffer,
}

const UNITS: [(TimeUnit, i64); 4] = [
    (TimeUnit::Nanosecond, 1_000_000_000),
    (TimeUnit::Microsecond, 1_000_000),
    (TimeUnit::Millisecond, 1_000),
    (TimeUnit::Second, 1),
];

impl TimestampBuilder {
    pub(super) fn reserve(&mut self, rows: usize) -> Result<(), CellError> {
        self.seconds.reserve(rows.saturating_mul(8))?;
        self.nanos.reserve(rows.saturating_mul(4))
    }

    pub(super) fn push(&mut self, (seconds, nanos): (i64, u32)) -> Result<(), CellError> {
        self.seconds.push(&seconds.to_le_bytes())?;
        self.nanos.push(&nanos.to_le_bytes())
    }

    pub(super) fn empty(&mut self, n: usize) -> Result<(), CellError> {
        self.seconds.zeros(n.saturating_mul(8))?;
        self.nanos.zeros(n.saturating_mul(4))
    }

    /// Decodes a run of timestamps.
    pub(super) fn run(&mut self, bytes: &[u8], wanted: usize) -> Result<CellExtent, CellError> {
        let seconds = self.seconds.spare(wanted.saturating_mul(8))?.as_chunks_mut::<8>().0;
        let nanos = self.nanos.spare(wanted.saturating_mul(4))?.as_chunks_mut::<4>().0;
        let mut taken = CellExtent::default();
        for (second, nano) in seconds.iter_mut().zip(nanos) {
            let rest = bytes.get(taken.nbytes..).unwrap_or_default();
            let Some((MsgpackHead::Ext(-1, length), start)) = head(rest)? else { break };
            let nbytes = start + length as usize;
            let Some(payload) = rest.get(start..nbytes) else { break };
            let found = instant(payload).map_err(|e| e.after(taken.cells, taken.nbytes))?;
            *second = found.0.to_le_bytes();
            *nano = found.1.to_le_bytes();
            taken.cells += 1;
            taken.nbytes += nbytes;
        }
        self.seconds.commit(taken.cells * 8);
        self.nanos.commit(taken.cells * 4);
        Ok(taken)
    }

    /// Returns one timestamp.
    pub(super) fn at(&mut self, row: usize) -> (i64, u32) {
        let seconds = self.seconds.words().get(row).map_or(0, |w| i64::from_le_bytes(*w));
        let nanos = self.nanos.bytes().as_chunks::<4>().0.get(row).map_or(0, |w| u32::from_le_bytes(*w));
        (seconds, nanos)
    }

    /// Returns the finest unit in which all timestamps are integers that fit 64 bits; `None` if there is none.
    pub(super) fn unit(&mut self) -> Option<TimeUnit> {
        let nanos = self.nanos.bytes().as_chunks::<4>().0;
        let seconds = self.seconds.words();
        let fits = |per: i64| {
            seconds
                .iter()
                .zip(nanos)
                .all(|(s, n)| count((i64::from_le_bytes(*s), u32::from_le_bytes(*n)), per).is_some())
        };
        UNITS.into_iter().find(|&(_, per)| fits(per)).map(|(unit, _)| unit)
    }

    /// Converts to counts of `unit`, which [`TimestampBuilder::unit`] returned.
    pub(super) fn finish(mut self, unit: TimeUnit) -> Buffer {
        let per = UNITS.into_iter().find(|(each, _)| *each == unit).map_or(1, |(_, per)| per);
        let nanos = self.nanos.bytes().as_chunks::<4>().0;
        for (word, n) in self.seconds.words().iter_mut().zip(nanos) {
            let value = count((i64::from_le_bytes(*word), u32::from_le_bytes(*n)), per);
            *word = value.unwrap_or_default().to_le_bytes();
        }
        self.seconds.finish()
    }
}

/// Converts a timestamp to a count of a unit, `per` of which are a second; `None` if the count is not integral or does not
/// fit. The lowest 64-bit integer is refused, because many libraries use it for NaT.
fn count((seconds, nanos): (i64, u32), per: i64) -> Option<i64> {
    let each = 1_000_000_000 / per;
    let nanos = i64::from(nanos);
    if nanos % each != 0 {
        return None;
    }
    let value = i128::from(seconds) * i128::from(per) + i128::from(nanos / each);
    i64::try_from(value).ok().filter(|value| *value > i64::MIN)
}

/// Decodes a timestamp's payload in its 32, 64 or 96-bit form.
pub(super) fn instant(payload: &[u8]) -> Result<(i64, u32), CellError> {
    let (seconds, nanos) = if let Ok(raw) = <[u8; 4]>::try_from(payload) {
        (i64::from(u32::from_be_bytes(raw)), 0)
    } else if let Ok(raw) = <[u8; 8]>::try_from(payload) {
        let both = u64::from_be_bytes(raw);
        ((both & 0x3_FFFF_FFFF).cast_signed(), u32::try_from(both >> 34).unwrap_or(u32::MAX))
    } else if let (12, Some((nanos, seconds))) = (payload.len(), payload.split_first_chunk::<4>()) {
        let seconds = seconds.first_chunk::<8>().map_or(0, |raw| i64::from_be_bytes(*raw));
        (seconds, u32::from_be_bytes(*nanos))
    } else {
        let message = format!("expected a timestamp of 4, 8 or 12 bytes, found {}.", payload.len());
        return Err(malformed(0, message));
    };
    if nanos > 999_999_999 {
        let message =
            format!("expected at most 999999999 nanoseconds of a timestamp's second, found {nanos}.");
        return Err(malformed(0, message));
    }
    Ok((seconds, nanos))
}
