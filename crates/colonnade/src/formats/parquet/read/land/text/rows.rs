//! Definition levels of a flat column as rows: runs that are there, runs that are null, and mixed ones by 64.

use crate::error::{Error, Result};
use crate::formats::parquet::hybrid::{Hybrid, Run};

/// Rows that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// So many, all with a value or all null.
    Same(bool, usize),
    /// Up to 64: bit 1 is a value, the lowest is the first row.
    Mixed(u64, usize),
}

impl Rows {
    /// How many.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Same(_, n) | Self::Mixed(_, n) => n,
        }
    }

    /// How many have a value.
    pub(crate) fn valid(self) -> usize {
        match self {
            Self::Same(valid, n) => {
                if valid {
                    n
                } else {
                    0
                }
            }
            Self::Mixed(mask, _) => mask.count_ones() as usize,
        }
    }
}

/// Goes through the levels of one page; a call may end within a run.
#[derive(Debug)]
pub(crate) struct Levels<'a> {
    /// `None`: the column has no nulls.
    runs: Option<Hybrid<'a>>,
    run: Option<Run<'a>>,
    /// Rows of a packed run that were given.
    given: usize,
    left: usize,
}

impl<'a> Levels<'a> {
    /// The levels of `n` rows, which are 0 or 1; of a column without nulls `bytes` are `None`.
    pub(crate) fn new(bytes: Option<&'a [u8]>, n: usize) -> Result<Self> {
        let runs = bytes.map(|bytes| Hybrid::new(bytes, 1, n)).transpose()?;
        Ok(Self { runs, run: None, given: 0, left: n })
    }

    /// The next rows, `most` (which is not 0) at most; `None` at the end.
    ///
    /// # Errors
    /// Truncated levels; levels over 1.
    #[inline]
    pub(crate) fn next_rows(&mut self, most: usize) -> Result<Option<Rows>> {
        if self.left == 0 {
            return Ok(None);
        }
        let Some(runs) = &mut self.runs else {
            let n = self.left.min(most);
            self.left -= n;
            return Ok(Some(Rows::Same(true, n)));
        };
        if self.run.is_none() {
            self.run = runs.next_run()?;
            self.given = 0;
        }
        let rows = match self.run {
            None => return Err(Error::truncated("parquet", "the levels of a page", self.left as u64, 0)),
            Some(Run::Same { value, n }) => {
                if value > 1 {
                    return Err(beyond(value));
                }
                let now = n.min(most);
                self.run = (n > now).then_some(Run::Same { value, n: n - now });
                Rows::Same(value == 1, now)
            }
            Some(Run::Packed { bytes, n }) => {
                let now = (n - self.given).min(most).min(64);
                let all = if now < 64 { (1 << now) - 1 } else { u64::MAX };
                let mask = bits(bytes, self.given) & all;
                self.given += now;
                if self.given == n {
                    self.run = None;
                }
                if mask == all {
                    Rows::Same(true, now)
                } else if mask == 0 {
                    Rows::Same(false, now)
                } else {
                    Rows::Mixed(mask, now)
                }
            }
        };
        self.left -= rows.len();
        Ok(Some(rows))
    }
}

#[cold]
fn beyond(level: u32) -> Error {
    let message =
        format!("definition level {level}, at most 1 is possible. The file is damaged; write it again.");
    Error::malformed("parquet", message)
}

/// 64 bits from bit `at` on; what is not there is 0.
#[inline]
fn bits(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at / 8..).unwrap_or_default();
    let (word, next) = match rest.split_first_chunk::<8>() {
        Some((word, rest)) => (u64::from_le_bytes(*word), rest.first().copied().unwrap_or(0)),
        None => {
            let mut word = [0u8; 8];
            for (to, from) in word.iter_mut().zip(rest) {
                *to = *from;
            }
            (u64::from_le_bytes(word), 0)
        }
    };
    match at % 8 {
        0 => word,
        shift => word >> shift | u64::from(next) << (64 - shift),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_same_however_they_are_asked_for() {
        // 8 rows 0b1011_0110, 3 nulls, 70 values, 16 rows 0b1111_1111 0b0000_0001.
        let bytes = [0x03, 0b1011_0110, 0x06, 0, 0x8c, 0x01, 1, 0x05, 0xff, 0x01];
        let mut expected = vec![false, true, true, false, true, true, false, true, false, false, false];
        expected.extend([true; 79]);
        expected.extend([false; 7]);
        for most in [1, 2, 3, 7, 64, 1000] {
            let (mut levels, mut out) = (Levels::new(Some(&bytes), 97).unwrap(), Vec::new());
            while let Some(rows) = levels.next_rows(most).unwrap() {
                assert!(rows.len() <= most && rows.len() > 0);
                let before = out.len();
                match rows {
                    Rows::Same(valid, n) => out.extend(std::iter::repeat_n(valid, n)),
                    Rows::Mixed(mask, n) => out.extend((0..n).map(|k| mask >> k & 1 == 1)),
                }
                assert_eq!(out[before..].iter().filter(|v| **v).count(), rows.valid());
            }
            assert_eq!(out, expected);
        }
        let mut levels = Levels::new(Some(&[0x06, 2]), 3).unwrap();
        assert!(levels.next_rows(9).is_err());
        let mut levels = Levels::new(Some(&[0x02, 1]), 3).unwrap();
        assert!(levels.next_rows(9).is_ok() && levels.next_rows(9).is_err());
    }
}
