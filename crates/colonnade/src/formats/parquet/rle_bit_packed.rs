//! The RLE and bit-packing hybrid: the encoding of levels, dictionary keys and bools.
//!
//! ```text
//! run:    varint (n << 1)        value in ceil(width / 8) bytes
//! packed: varint (groups << 1|1) groups of 8 values, width bytes each
//! ```
//!
//! A run can declare up to 2^63 values in eleven bytes. The reader allocates nothing for it: the caller limits the number of
//! values.

use crate::error::{Error, Result};

use super::unpack::{GROUP, unpack_tail, unpack32};

/// A run of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RleBitPackedRun<'a> {
    /// One repeated value.
    Same {
        /// The value.
        value: u32,
        /// Number of repetitions.
        n: usize,
    },
    /// Bit-packed values.
    Packed {
        /// The packed bytes, from the first value on.
        bytes: &'a [u8],
        /// Number of values.
        n: usize,
    },
}

impl RleBitPackedRun<'_> {
    /// Number of values.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // a run has at least one value
    #[must_use]
    pub fn len(&self) -> usize {
        let (Self::Same { n, .. } | Self::Packed { n, .. }) = *self;
        n
    }
}

/// A reader of runs, `n` values in all.
#[derive(Debug, Clone)]
pub struct RleBitPacked<'a> {
    bytes: &'a [u8],
    width: u8,
    left: usize,
}

impl<'a> RleBitPacked<'a> {
    /// Creates a reader of `n` values of `width` bits in `bytes`.
    ///
    /// # Errors
    /// Malformed: a width over 32.
    pub fn new(bytes: &'a [u8], width: u8, n: usize) -> Result<Self> {
        if width > 32 {
            let message = format!(
                "a width of {width} bits, at most 32 are possible. The file is damaged; write it again."
            );
            return Err(Error::malformed("parquet", message));
        }
        Ok(Self { bytes, width, left: n })
    }

    /// Bits per value.
    #[must_use]
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Bytes that follow the runs read so far.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    #[cold]
    fn truncated(&self, needed: usize) -> Error {
        Error::truncated("parquet", "runs of levels, keys or bools", needed as u64, self.bytes.len() as u64)
    }

    #[inline]
    fn varint(&mut self) -> Result<u64> {
        if let Some((&byte, rest)) = self.bytes.split_first()
            && byte < 0x80
        {
            self.bytes = rest;
            return Ok(u64::from(byte));
        }
        self.long_varint()
    }

    fn long_varint(&mut self) -> Result<u64> {
        let mut value = 0u64;
        for (k, &byte) in self.bytes.iter().enumerate().take(10) {
            if k == 9 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * k);
            if byte < 0x80 {
                self.bytes = self.bytes.get(k + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        if self.bytes.len() < 10 {
            return Err(self.truncated(self.bytes.len() + 1));
        }
        Err(Error::malformed(
            "parquet",
            "the length of a run has more than 64 bits. The file is damaged; write it again.",
        ))
    }

    /// Returns the next run, `None` after the last value. A run has at least one value, and never more than are left.
    ///
    /// # Errors
    /// Truncated: the bytes end before the last value.
    #[inline]
    pub fn next_run(&mut self) -> Result<Option<RleBitPackedRun<'a>>> {
        while self.left > 0 {
            let head = self.varint()?;
            if head & 1 == 0 {
                let size = usize::from(self.width.div_ceil(8));
                let Some(bytes) = self.bytes.get(..size) else { return Err(self.truncated(size)) };
                let mut word = [0u8; 4];
                for (to, from) in word.iter_mut().zip(bytes) {
                    *to = *from;
                }
                self.bytes = self.bytes.get(size..).unwrap_or_default();
                let n = usize::try_from(head >> 1).unwrap_or(usize::MAX).min(self.left);
                if n == 0 {
                    continue;
                }
                self.left -= n;
                return Ok(Some(RleBitPackedRun::Same { value: u32::from_le_bytes(word), n }));
            }
            let groups = usize::try_from(head >> 1).unwrap_or(usize::MAX);
            let n = groups.saturating_mul(8).min(self.left);
            if n == 0 {
                continue;
            }
            // Some writers truncate the last group of the last run after its last value. No other truncation is allowed.
            let (claimed, width) = (groups.saturating_mul(usize::from(self.width)), usize::from(self.width));
            let whole = claimed.min(self.bytes.len());
            let needed = (n * width).div_ceil(8);
            if needed > whole || claimed - whole >= width.max(1) {
                return Err(self.truncated(claimed));
            }
            let bytes = self.bytes.get(..whole).unwrap_or_default();
            self.bytes = self.bytes.get(whole..).unwrap_or_default();
            self.left -= n;
            return Ok(Some(RleBitPackedRun::Packed { bytes, n }));
        }
        Ok(None)
    }
}

/// Calls a function with the values of a packed run, up to 32 per call.
#[inline]
pub fn each_group(
    width: u8,
    bytes: &[u8],
    n: usize,
    mut take: impl FnMut(&[u32]) -> Result<()>,
) -> Result<()> {
    let mut values = [0u32; GROUP];
    let size = 4 * usize::from(width);
    let (mut left, mut bytes) = (n, bytes);
    while left > 0 {
        let now = left.min(GROUP);
        if bytes.len() >= size {
            unpack32(width, bytes, &mut values);
            bytes = bytes.get(size..).unwrap_or_default();
        } else {
            unpack_tail(width, bytes, &mut values);
            bytes = &[];
        }
        take(values.get(..now).unwrap_or_default())?;
        left -= now;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], width: u8, n: usize) -> Vec<u32> {
        let mut out = Vec::new();
        let mut runs = RleBitPacked::new(bytes, width, n).unwrap_or_else(|_| unreachable!());
        while let Ok(Some(run)) = runs.next_run() {
            match run {
                RleBitPackedRun::Same { value, n } => out.extend(std::iter::repeat_n(value, n)),
                RleBitPackedRun::Packed { bytes, n } => {
                    let _ = each_group(width, bytes, n, |v| {
                        out.extend_from_slice(v);
                        Ok(())
                    });
                }
            }
        }
        out
    }

    #[test]
    fn the_specifications_example() {
        // Values 0 to 7 in three bits: 0b10001000 0b11000110 0b11111010.
        assert_eq!(all(&[0x03, 0x88, 0xc6, 0xfa], 3, 8), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(all(&[0x06, 5, 0x02, 1], 3, 4), [5, 5, 5, 1]);
    }

    #[test]
    fn every_width_round_trips() {
        for width in 0..=32u8 {
            for n in [1usize, 7, 8, 31, 32, 33, 64, 100] {
                let mask = if width == 32 { u64::from(u32::MAX) } else { (1u64 << width) - 1 };
                let values: Vec<u64> =
                    (0..n as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20 & mask).collect();
                let mut bytes = vec![0u8; n.div_ceil(8) * usize::from(width) + 8];
                for (k, v) in values.iter().enumerate() {
                    for bit in 0..usize::from(width) {
                        let at = k * usize::from(width) + bit;
                        bytes[at / 8] |= u8::from(v >> bit & 1 == 1) << (at % 8);
                    }
                }
                bytes.truncate(n.div_ceil(8) * usize::from(width));
                let mut head = vec![u8::try_from(n.div_ceil(8) << 1 | 1).unwrap_or(0)];
                head.extend(bytes);
                let found: Vec<u64> = all(&head, width, n).into_iter().map(u64::from).collect();
                assert_eq!(found, values, "{width} bits, {n} values");
            }
        }
    }

    #[test]
    fn truncated_runs_are_errors() {
        let mut runs = RleBitPacked::new(&[0x03, 0x88, 0xc6], 3, 8).unwrap_or_else(|_| unreachable!());
        assert!(runs.next_run().is_err());
        let mut none = RleBitPacked::new(&[], 3, 8).unwrap_or_else(|_| unreachable!());
        assert!(none.next_run().is_err());
        assert!(RleBitPacked::new(&[], 33, 1).is_err());
    }
}
