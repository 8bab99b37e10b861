//! Converts the definition levels of a flat column to runs of rows: values, nulls, or a mix of at most 64 rows.

use crate::error::Result;
use crate::formats::parquet::levels::{Validity, levels_too_short};
use crate::formats::parquet::rle_bit_packed::RleBitPacked;

/// A run of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowRun {
    /// This many rows, all with a value or all null.
    Same(bool, usize),
    /// At most 64 rows: bit 1 is a value, the lowest bit is the first row.
    Mixed(u64, usize),
}

impl RowRun {
    /// Number of rows.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Same(_, n) | Self::Mixed(_, n) => n,
        }
    }

    /// Number of rows with a value.
    pub(crate) fn valid(self) -> usize {
        match self {
            Self::Same(true, n) => n,
            Self::Same(false, _) => 0,
            Self::Mixed(mask, _) => mask.count_ones() as usize,
        }
    }

    /// Returns the run at the beginning of the rows `at..end`. `None`: no row is null.
    #[inline]
    pub(crate) fn next(validity: Option<&Validity>, at: usize, end: usize) -> Self {
        let left = end - at;
        let Some(validity) = validity else { return Self::Same(true, left) };
        let mut n = left.min(64);
        let (mask, all) = (validity.bits(at, n), u64::MAX >> (64 - n));
        if mask != 0 && mask != all {
            return Self::Mixed(mask, n);
        }
        while n < left {
            let now = (left - n).min(64);
            if validity.bits(at + n, now) != mask & u64::MAX >> (64 - now) {
                break;
            }
            n += now;
        }
        Self::Same(mask != 0, n)
    }
}

/// Decodes which of the `n` rows of a page have a value.
///
/// # Errors
/// Truncated levels; levels above 1.
pub(crate) fn validity(levels: &[u8], n: usize) -> Result<Validity> {
    let (mut runs, mut out) = (RleBitPacked::new(levels, 1, n)?, Validity::default());
    while out.len() < n {
        let run = runs.next_run()?.ok_or_else(|| levels_too_short(n - out.len()))?;
        out.push_run(run, run.len())?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_do_not_depend_on_the_split() {
        // 8 rows 0b1011_0110, 3 nulls, 70 values, 16 rows 0b1111_1111 0b0000_0001.
        let bytes = [0x03, 0b1011_0110, 0x06, 0, 0x8c, 0x01, 1, 0x05, 0xff, 0x01];
        let mut expected = vec![false, true, true, false, true, true, false, true, false, false, false];
        expected.extend([true; 79]);
        expected.extend([false; 7]);
        let levels = validity(&bytes, 97).unwrap();
        assert_eq!((levels.len(), levels.nulls), (97, expected.iter().filter(|v| !**v).count()));
        for most in [1, 2, 3, 7, 64, 1000] {
            let mut out = Vec::new();
            while out.len() < 97 {
                let before = out.len();
                let rows = RowRun::next(Some(&levels), before, 97.min(before + most));
                assert!(rows.len() <= most && rows.len() > 0);
                match rows {
                    RowRun::Same(valid, n) => out.extend(std::iter::repeat_n(valid, n)),
                    RowRun::Mixed(mask, n) => out.extend((0..n).map(|k| mask >> k & 1 == 1)),
                }
                assert_eq!(out[before..].iter().filter(|v| **v).count(), rows.valid());
            }
            assert_eq!(out, expected);
        }
        assert_eq!(RowRun::next(None, 5, 9), RowRun::Same(true, 4));
        assert!(validity(&[0x06, 2], 3).is_err());
        assert!(validity(&[0x02, 1], 1).is_ok() && validity(&[0x02, 1], 3).is_err());
    }
}
