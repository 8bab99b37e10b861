//! Definition levels of flat optional columns. Values go to the rows with level 1, and rows with level 0 get the null value.

use crate::error::{Error, Result};

use super::rle_bit_packed::{RleBitPacked, RleBitPackedRun};

/// A growing validity bitmap; bit 1 is a valid value.
#[derive(Debug, Default)]
pub struct Validity {
    words: Vec<u64>,
    n: usize,
    /// Number of nulls.
    pub nulls: usize,
}

impl Validity {
    /// Appends the low `n` bits (up to 64) of `mask`.
    #[inline]
    pub fn push(&mut self, mask: u64, n: usize) {
        let mask = if n < 64 { mask & ((1 << n) - 1) } else { mask };
        self.nulls += n - mask.count_ones() as usize;
        let within = self.n % 64;
        if within == 0 {
            self.words.push(mask);
        } else {
            if let Some(last) = self.words.last_mut() {
                *last |= mask << within;
            }
            if within + n > 64 {
                self.words.push(mask >> (64 - within));
            }
        }
        self.n += n;
    }

    /// Appends `n` equal bits.
    pub fn push_same(&mut self, valid: bool, n: usize) {
        let (mask, mut left) = (if valid { u64::MAX } else { 0 }, n);
        while left > 0 {
            let now = left.min(64 - self.n % 64);
            self.push(mask, now);
            left -= now;
        }
    }

    /// Appends the first `n` levels of `run`, which has at least `n`.
    ///
    /// # Errors
    /// Levels over 1.
    #[inline]
    pub(crate) fn push_run(&mut self, run: RleBitPackedRun<'_>, n: usize) -> Result<()> {
        match run {
            RleBitPackedRun::Same { value, .. } if value > 1 => return Err(level_too_large(value)),
            RleBitPackedRun::Same { value, .. } => self.push_same(value == 1, n),
            RleBitPackedRun::Packed { bytes, .. } => {
                for (k, bytes) in bytes.chunks(8).take(n.div_ceil(64)).enumerate() {
                    let mut word = [0; 8];
                    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                    self.push(u64::from_le_bytes(word), (n - 64 * k).min(64));
                }
            }
        }
        Ok(())
    }

    /// Returns the `n` bits (1 to 64) from `at` on. Bits after the last one are 0.
    #[inline]
    #[must_use]
    pub fn bits(&self, at: usize, n: usize) -> u64 {
        let word = |k: usize| self.words.get(k).copied().unwrap_or(0);
        let bits = match at % 64 {
            0 => word(at / 64),
            shift => word(at / 64) >> shift | word(at / 64 + 1) << (64 - shift),
        };
        bits & u64::MAX >> (64 - n)
    }

    /// Appends the bits `start..stop` of `other`.
    pub fn push_range(&mut self, other: &Self, start: usize, stop: usize) {
        for at in (start..stop).step_by(64) {
            let n = (stop - at).min(64);
            self.push(other.bits(at, n), n);
        }
    }

    /// Number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether the bitmap has no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The bitmap as words.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A copy of the bitmap in Arrow's layout; its last bytes may hold no bits.
    #[must_use]
    pub fn to_arrow(&self) -> arrow_buffer::Buffer {
        self.words.iter().map(|word| word.to_le()).collect::<Vec<u64>>().into()
    }
}

/// The error for a definition level above the column's maximum.
#[cold]
pub(crate) fn level_too_large(value: u32) -> Error {
    let message =
        format!("definition level {value}, at most 1 is possible. The file is damaged; write it again.");
    Error::malformed("parquet", message)
}

/// The error for levels that end `missing` rows too early.
#[cold]
pub(crate) fn levels_too_short(missing: usize) -> Error {
    Error::truncated("parquet", "the levels of a page", missing as u64, 0)
}

/// A reader of levels 0 and 1 that may stop inside a run; the next call continues there.
#[derive(Debug, Clone)]
pub struct LevelRuns<'a> {
    runs: RleBitPacked<'a>,
    /// The current run, and how many of its values were read.
    run: Option<RleBitPackedRun<'a>>,
    given: usize,
}

impl<'a> LevelRuns<'a> {
    /// Creates a reader of the levels in `runs`.
    #[must_use]
    pub fn new(runs: RleBitPacked<'a>) -> Self {
        Self { runs, run: None, given: 0 }
    }
}

/// Returns the `n` bits, 1 to 64, from bit `at` of a bitmap on. Bits that are not there are 0.
#[inline]
pub(crate) fn bits_at(bitmap: &[u8], at: usize, n: usize) -> u64 {
    let (bytes, shift) = (bitmap.get(at / 8..).unwrap_or_default(), at % 8);
    let low = match bytes.first_chunk::<8>() {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let high = bytes.get(8).copied().map_or(0, u64::from);
    (low >> shift | high << 1 << (63 - shift)) & low_bits(n)
}

/// Rows per strip. The values of a strip are decoded together and expanded to their rows while they are still in the L1 cache.
const STRIP_ROWS: usize = 1024;

/// The validity of the next rows of a page.
#[derive(Debug, Default)]
pub(crate) struct ValidityStrip {
    /// One word more than a strip has, so that [`ValidityStrip::push`] can always write to two.
    words: [u64; STRIP_ROWS / 64 + 1],
    /// Number of rows.
    n: usize,
}

impl ValidityStrip {
    /// Reads the levels of up to `left` rows. If the levels end early, the strip has the rows before that.
    ///
    /// # Errors
    /// Truncated levels; levels over 1.
    #[inline]
    pub(crate) fn read(&mut self, levels: &mut LevelRuns<'_>, left: usize) -> Result<()> {
        *self = Self::default();
        let most = left.min(STRIP_ROWS);
        while self.n < most {
            let run = match levels.run {
                Some(run) => run,
                None => {
                    levels.given = 0;
                    levels.runs.next_run()?.ok_or_else(|| levels_too_short(left - self.n))?
                }
            };
            let given = levels.given;
            let now = (run.len() - given).min(most - self.n);
            match run {
                RleBitPackedRun::Same { value, .. } if value > 1 => return Err(level_too_large(value)),
                RleBitPackedRun::Same { value, .. } => {
                    let mask = u64::from(value).wrapping_neg();
                    each_64(now, |_, n| self.push(mask & low_bits(n), n));
                }
                RleBitPackedRun::Packed { bytes, .. } => {
                    each_64(now, |at, n| self.push(bits_at(bytes, given + at, n), n));
                }
            }
            levels.given += now;
            levels.run = (levels.given < run.len()).then_some(run);
        }
        Ok(())
    }

    /// Appends `n` bits, 1 to 64; the bits of `mask` above them are 0.
    #[inline]
    fn push(&mut self, mask: u64, n: usize) {
        let within = self.n % 64;
        if let Some([low, high]) = self.words.get_mut(self.n / 64..).and_then(<[u64]>::first_chunk_mut) {
            *low |= mask << within;
            *high |= mask >> 1 >> (63 - within);
        }
        self.n += n;
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Number of rows with a value.
    pub(crate) fn valid(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The rows in words of 64 (the last one may have fewer): their validity and their number.
    pub(crate) fn words(&self) -> impl Iterator<Item = (u64, usize)> + '_ {
        let n = self.n;
        self.words.iter().zip((0..n).step_by(64)).map(move |(&word, first)| (word, (n - first).min(64)))
    }
}

/// Calls `take` with the beginning and the length of each 64 of `n` bits.
#[inline]
fn each_64(n: usize, mut take: impl FnMut(usize, usize)) {
    for at in (0..n).step_by(64) {
        take(at, (n - at).min(64));
    }
}

/// A word whose low `n` bits, 1 to 64, are set.
#[inline]
pub(crate) fn low_bits(n: usize) -> u64 {
    u64::MAX >> (64 - n)
}

/// Writes the values of one page to their rows, with `null` in the rows between them. `fill` decodes the next non-null values.
///
/// # Errors
/// Truncated levels; levels over 1.
#[inline]
pub fn scatter_page<T: Copy>(
    levels: &mut LevelRuns<'_>,
    out: &mut [T],
    null: T,
    mut validity: Option<&mut Validity>,
    mut fill: impl FnMut(&mut [T]) -> Result<()>,
) -> Result<()> {
    let mut out = out;
    let mut strip = ValidityStrip::default();
    // Sixty-four values more than a strip has, so that each word of rows can take as many.
    let mut values = [null; STRIP_ROWS + 64];
    while !out.is_empty() {
        let read = strip.read(levels, out.len());
        let (now, later) = out.split_at_mut(strip.n.min(out.len()));
        // If the levels end early, the values before that are decoded first, so that an error in them is reported first.
        let valid = strip.valid();
        if valid == strip.n {
            fill(now)?;
            read?;
        } else {
            fill(values.get_mut(..valid).unwrap_or_default())?;
            read?;
            expand(&strip, &values, now, null);
        }
        if let Some(bits) = validity.as_deref_mut() {
            strip.words().for_each(|(word, n)| bits.push(word, n));
        }
        out = later;
    }
    Ok(())
}

/// Moves values to the valid rows of a strip and sets the other rows to `null`.
fn expand<T: Copy>(strip: &ValidityStrip, values: &[T], rows: &mut [T], null: T) {
    let mut next = 0;
    for ((word, _), rows) in strip.words().zip(rows.chunks_mut(64)) {
        if let Some(values) = values.get(next..).and_then(<[T]>::first_chunk) {
            scatter(word, values, rows, null);
        }
        next += word.count_ones() as usize;
    }
}

/// Fills up to 64 rows: a row with a bit in `mask` gets the next non-null value from `fill`, every other row gets `null`.
///
/// # Errors
/// Errors of `fill`.
#[inline]
pub(crate) fn scatter_with<T: Copy>(
    mask: u64,
    part: &mut [T],
    null: T,
    fill: &mut impl FnMut(&mut [T]) -> Result<()>,
) -> Result<()> {
    let n = part.len();
    let mask = if n < 64 { mask & ((1 << n) - 1) } else { mask };
    let k = mask.count_ones() as usize;
    if k == n {
        return fill(part);
    }
    let mut values = [null; 64];
    fill(values.get_mut(..k).unwrap_or_default())?;
    scatter(mask, &values, part, null);
    Ok(())
}

/// Fills up to 64 rows: a row with a bit in `mask` gets the next of `values`, every other row gets `null`.
#[inline]
fn scatter<T: Copy>(mask: u64, values: &[T; 64], rows: &mut [T], null: T) {
    if mask == u64::MAX {
        rows.copy_from_slice(values.get(..rows.len()).unwrap_or_default());
        return;
    }
    rows.fill(null);
    let (mut bits, mut values) = (mask, values.iter());
    while bits != 0 {
        if let (Some(row), Some(value)) = (rows.get_mut(bits.trailing_zeros() as usize), values.next()) {
            *row = *value;
        }
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_runs_split_anywhere() {
        // The levels of the test below (8 rows packed, 3 nulls, 70 values), then 16 packed.
        let bytes = [0x03, 0b1011_0110, 0x06, 0, 0x8c, 0x01, 1, 0x05, 0x0f, 0xa5];
        let decode = |step: usize| {
            let Ok(runs) = RleBitPacked::new(&bytes, 1, 97) else { unreachable!() };
            let (mut cut, mut out, mut bits) = (LevelRuns::new(runs), vec![0i32; 97], Validity::default());
            let mut next = 0;
            for part in out.chunks_mut(step) {
                let done = scatter_page(&mut cut, part, -1, Some(&mut bits), |to| {
                    for v in to {
                        next += 1;
                        *v = next;
                    }
                    Ok(())
                });
                assert!(done.is_ok(), "{step}");
            }
            (out, bits.words().to_vec(), bits.nulls)
        };
        let whole = decode(97);
        for step in 1..97 {
            assert_eq!(decode(step), whole, "{step}");
        }
    }

    #[test]
    fn values_go_to_their_rows() {
        // 8 rows packed 0b1011_0110, then 3 nulls, then 70 values.
        let bytes = [0x03, 0b1011_0110, 0x06, 0, 0x8c, 0x01, 1];
        let Ok(runs) = RleBitPacked::new(&bytes, 1, 81) else { unreachable!() };
        let mut levels = LevelRuns::new(runs);
        let (mut out, mut bits, mut next) = (vec![0i32; 81], Validity::default(), 0);
        let done = scatter_page(&mut levels, &mut out, -1, Some(&mut bits), |to| {
            for v in to {
                next += 1;
                *v = next;
            }
            Ok(())
        });
        assert!(done.is_ok());
        assert_eq!(out[..11], [-1, 1, 2, -1, 3, 4, -1, 5, -1, -1, -1]);
        assert_eq!(out[11..], (6..76).collect::<Vec<_>>()[..]);
        assert_eq!((bits.len(), bits.nulls), (81, 6));
        assert_eq!(bits.words()[0] & 0x7ff, 0b1011_0110);
        assert_eq!(bits.words()[1], (1 << 17) - 1);
    }
}
