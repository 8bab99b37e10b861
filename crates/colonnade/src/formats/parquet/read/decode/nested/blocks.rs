//! Blocks of 64 levels as bytes, and comparisons of them as bitmaps.

use crate::error::{Error, Result};
use crate::formats::parquet::levels::levels_too_short;
use crate::formats::parquet::rle_bit_packed::{RleBitPacked, RleBitPackedRun};

/// Levels of a block.
pub(super) const BLOCK: usize = 64;

/// A block of at most 64 consecutive levels.
#[derive(Debug)]
pub(super) enum LevelBlock<'b> {
    /// All levels are equal.
    Same(u8),
    /// One byte for each level, eight in a word.
    Each(&'b [u64; BLOCK / 8]),
}

/// Whether the processor has BMI1, BMI2 and POPCNT, which spread, gather and count bits.
#[inline]
pub(super) fn has_bits() -> bool {
    #[cfg(target_arch = "x86_64")]
    let found = is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    let found = false;
    found
}

/// The value 1 in every byte of a word.
const ONES: u64 = 0x0101_0101_0101_0101;

impl LevelBlock<'_> {
    /// Returns a bitmap: bit `k` says whether level `k` is at least `least` (at most 127). Bits after the last level are
    /// arbitrary.
    #[inline]
    pub(super) fn reach(&self, least: u16) -> u64 {
        match self {
            Self::Same(level) => {
                if u16::from(*level) >= least {
                    u64::MAX
                } else {
                    0
                }
            }
            Self::Each(words) => at_least(words, least),
        }
    }
}

/// Returns which bytes of the words are at least `least` (at most 127).
#[cfg(target_arch = "x86_64")]
#[inline]
fn at_least(words: &[u64; BLOCK / 8], least: u16) -> u64 {
    use std::arch::x86_64::{_mm_cmpgt_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};
    // Bytes below 128 compare alike as signed numbers. `least` 0 compares with -1, so all bytes match.
    let below = i8::try_from(least).unwrap_or(i8::MAX) - 1;
    let mut out = 0;
    for (k, [low, high]) in words.as_chunks::<2>().0.iter().enumerate() {
        // SAFETY: every x86-64 processor has SSE2; the instructions access no memory by pointer.
        let bits = unsafe {
            let bytes = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
            _mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(below)))
        };
        out |= u64::from(bits.cast_unsigned()) << (16 * k);
    }
    out
}

/// Returns which bytes of the words are at least `least` (at most 127).
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn at_least(words: &[u64; BLOCK / 8], least: u16) -> u64 {
    let add = ONES * u64::from(128 - least.min(127));
    let mut out = 0;
    for (k, word) in words.iter().enumerate() {
        // A level is below 128: the sum reaches 128 if the level is at least `least`. The product gathers the top bits in the
        // highest byte.
        let bits = ((word + add) >> 7 & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        out |= bits << (8 * k);
    }
    out
}

/// A decoder of the levels of one page.
#[derive(Debug)]
pub(super) struct LevelDecoder<'a> {
    runs: Option<RleBitPacked<'a>>,
    run: Option<RleBitPackedRun<'a>>,
    /// Values of the current bit-packed run that were returned.
    position: usize,
    width: usize,
    most: u16,
    what: &'static str,
    bytes: [u8; BLOCK + 8],
    words: [u64; BLOCK / 8],
}

impl<'a> LevelDecoder<'a> {
    /// Decodes the `n` levels of `bytes`, whose maximum is `most` (at most 126); there are no bytes if it is 0.
    pub(super) fn new(bytes: &'a [u8], most: u16, n: usize, what: &'static str) -> Result<Self> {
        let width = (u16::BITS - most.leading_zeros()) as usize;
        let runs = if most == 0 {
            None
        } else {
            Some(RleBitPacked::new(bytes, u8::try_from(width).unwrap_or(8), n)?)
        };
        let (bytes, words) = ([0; BLOCK + 8], [0; BLOCK / 8]);
        Ok(Self { runs, run: None, position: 0, width, most, what, bytes, words })
    }

    fn too_large_level(&self, level: u32) -> Error {
        let (what, most) = (self.what, self.most);
        let message =
            format!("{what} level {level}, at most {most} is possible. The file is damaged; write it again.");
        Error::malformed("parquet", message)
    }

    /// Returns the next `n` levels, at most 64. `BITS`: with the instructions of [`has_bits`].
    ///
    /// # Errors
    /// Truncated; levels above the maximum.
    ///
    /// # Safety
    /// With `BITS` the processor has the instructions of [`has_bits`].
    #[inline(always)]
    pub(super) unsafe fn next<const BITS: bool>(&mut self, n: usize) -> Result<LevelBlock<'_>> {
        let Some(runs) = &mut self.runs else { return Ok(LevelBlock::Same(0)) };
        let mut at = 0;
        while at < n {
            if self.run.is_none() {
                self.run = runs.next_run()?;
                self.position = 0;
            }
            match self.run {
                None => return Err(levels_too_short(n - at)),
                Some(RleBitPackedRun::Same { value, n: count }) => {
                    let level = u8::try_from(value).ok().filter(|level| u16::from(*level) <= self.most);
                    let Some(level) = level else { return Err(self.too_large_level(value)) };
                    let now = count.min(n - at);
                    self.run = (count > now).then_some(RleBitPackedRun::Same { value, n: count - now });
                    if now == n {
                        return Ok(LevelBlock::Same(level));
                    }
                    self.bytes.get_mut(at..at + now).unwrap_or_default().fill(level);
                    at += now;
                }
                Some(RleBitPackedRun::Packed { bytes, n: count })
                    if at == 0
                        && n == BLOCK
                        && self.position.is_multiple_of(8)
                        && count - self.position >= BLOCK =>
                {
                    let mut from = self.position / 8 * self.width;
                    for word in &mut self.words {
                        // SAFETY: this function's contract.
                        *word = unsafe { spread::<BITS>(bytes, from, self.width) };
                        from += self.width;
                    }
                    self.position += BLOCK;
                    if self.position == count {
                        self.run = None;
                    }
                    return self.check_block(n);
                }
                Some(RleBitPackedRun::Packed { bytes, n: count }) => {
                    while at < n && self.position < count {
                        let (skip, from) = (self.position % 8, self.position / 8 * self.width);
                        // SAFETY: as above.
                        let group = unsafe { spread::<BITS>(bytes, from, self.width) } >> (8 * skip);
                        let now = (8 - skip).min(n - at).min(count - self.position);
                        // The next group overwrites the bytes after the end.
                        if let Some(to) = self.bytes.get_mut(at..).and_then(|to| to.first_chunk_mut::<8>()) {
                            *to = group.to_le_bytes();
                        }
                        at += now;
                        self.position += now;
                    }
                    if self.position == count {
                        self.run = None;
                    }
                }
            }
        }
        for (word, bytes) in self.words.iter_mut().zip(self.bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.check_block(n)
    }

    /// Checks the current block of `n` levels against the maximum and returns it.
    #[inline]
    fn check_block(&self, n: usize) -> Result<LevelBlock<'_>> {
        if usize::from(self.most) + 1 < 1 << self.width {
            let all = if n < BLOCK { (1 << n) - 1 } else { u64::MAX };
            if at_least(&self.words, self.most + 1) & all != 0 {
                let bytes = self.words.iter().flat_map(|word| word.to_le_bytes());
                return Err(self.too_large_level(u32::from(bytes.take(n).max().unwrap_or(u8::MAX))));
            }
        }
        Ok(LevelBlock::Each(&self.words))
    }
}

/// Expands eight values of `width` (at most 7) bits from byte `at` on to one byte each; missing bytes are 0.
///
/// # Safety
/// As [`LevelDecoder::next`].
#[inline(always)]
unsafe fn spread<const BITS: bool>(bytes: &[u8], at: usize, width: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    let word = match rest.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => {
            let mut word = [0u8; 8];
            for (to, from) in word.iter_mut().zip(rest) {
                *to = *from;
            }
            u64::from_le_bytes(word)
        }
    };
    let low = |bits: usize| (1u64 << bits) - 1;
    #[cfg(target_arch = "x86_64")]
    if BITS {
        // SAFETY: this function's contract.
        return unsafe { std::arch::x86_64::_pdep_u64(word, ONES * low(width)) };
    }
    // Splits halves three times: of eight values, of four, of two. The second half moves to bit `to`.
    let part = |word: u64, bits: usize, to: usize, places: u64| {
        let first = low(bits) * places;
        word & first | (word & first << bits) << (to - bits)
    };
    let word = part(word, 4 * width, 32, 1);
    let word = part(word, 2 * width, 16, 0x0000_0001_0000_0001);
    part(word, width, 8, 0x0001_0001_0001_0001)
}

/// Gathers the bits of `bits` at the set positions of `places`, without gaps.
///
/// # Safety
/// As [`LevelDecoder::next`].
#[inline(always)]
pub(super) unsafe fn gather<const BITS: bool>(bits: u64, places: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if BITS {
        // SAFETY: this function's contract.
        return unsafe { std::arch::x86_64::_pext_u64(bits, places) };
    }
    // Each step moves bits by a power of two: those whose number of gaps below has that bit (Hacker's Delight, 7-4).
    let (mut x, mut m) = (bits & places, places);
    let mut gaps = !m << 1;
    for step in 0..6 {
        let mut parity = gaps ^ gaps << 1;
        for shift in [2, 4, 8, 16, 32] {
            parity ^= parity << shift;
        }
        let moved = parity & m;
        m = m ^ moved | moved >> (1 << step);
        let now = x & moved;
        x = x ^ now | now >> (1 << step);
        gaps &= !parity;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], most: u16, n: usize) -> Result<Vec<u8>> {
        let plain = all_with::<false>(bytes, most, n);
        if has_bits() {
            let other = all_with::<true>(bytes, most, n);
            assert_eq!(plain.as_ref().ok(), other.as_ref().ok());
            assert_eq!(
                plain.as_ref().err().map(ToString::to_string),
                other.err().map(|error| error.to_string())
            );
        }
        plain
    }

    fn all_with<const BITS: bool>(bytes: &[u8], most: u16, n: usize) -> Result<Vec<u8>> {
        let (mut levels, mut out) = (LevelDecoder::new(bytes, most, n, "definition")?, Vec::new());
        while out.len() < n {
            let now = (n - out.len()).min(BLOCK);
            // SAFETY: `all` asks `has_bits` first.
            let block = unsafe { levels.next::<BITS>(now)? };
            for k in 0..now {
                let level = (1..=most + 1).take_while(|least| block.reach(*least) >> k & 1 == 1).count();
                out.push(u8::try_from(level).unwrap());
            }
        }
        Ok(out)
    }

    #[test]
    fn runs_and_packed_groups_of_every_width() {
        for most in [1u16, 2, 3, 5, 7, 8, 15, 31, 63, 100, 126] {
            let width = (u16::BITS - most.leading_zeros()) as usize;
            // Packed, 3 equal, packed, 200 equal, packed and cut.
            let (mut bytes, mut expected, mut seed) = (Vec::new(), Vec::new(), 7u32);
            for (groups, same) in [(2usize, 3usize), (9, 200), (3, 0)] {
                bytes.push(u8::try_from(groups << 1 | 1).unwrap());
                let start = bytes.len();
                bytes.resize(start + groups * width, 0);
                for k in 0..8 * groups {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let level = u8::try_from((seed >> 16) % (u32::from(most) + 1)).unwrap();
                    expected.push(level);
                    for bit in 0..width {
                        let at = k * width + bit;
                        bytes[start + at / 8] |= (level >> bit & 1) << (at % 8);
                    }
                }
                if same > 0 {
                    let head = same << 1;
                    bytes.extend(match head {
                        0..128 => vec![u8::try_from(head).unwrap()],
                        _ => vec![u8::try_from(head & 127 | 128).unwrap(), u8::try_from(head >> 7).unwrap()],
                    });
                    bytes.push(u8::try_from(most).unwrap());
                    expected.extend(std::iter::repeat_n(u8::try_from(most).unwrap(), same));
                }
            }
            assert_eq!(all(&bytes, most, expected.len()).unwrap(), expected, "{most}");
            expected.truncate(expected.len() - 5);
            assert_eq!(all(&bytes, most, expected.len()).unwrap(), expected, "{most}");
        }
    }

    #[test]
    fn levels_that_are_too_high_or_missing() {
        let error = all(&[0x06, 3], 2, 3).unwrap_err();
        assert!(error.to_string().contains("definition level 3, at most 2"), "{error}");
        let error = all(&[0x03, 0b1110_0100, 0], 2, 8).unwrap_err();
        assert!(error.to_string().contains("definition level 3, at most 2"), "{error}");
        assert!(all(&[0x06, 1], 2, 4).is_err());
        assert!(all(&[], 1, 1).is_err());
        assert_eq!(all(&[], 0, 70).unwrap(), vec![0; 70]);
    }

    #[test]
    fn bits_are_gathered() {
        let mut seed = 1u64;
        for round in 0..1000 {
            let mut next = || {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                seed ^ seed >> 29
            };
            let (bits, places) = (next(), if round % 3 == 0 { next() & next() } else { next() | next() });
            let (mut expected, mut at) = (0, 0);
            for k in 0..64 {
                if places >> k & 1 == 1 {
                    expected |= (bits >> k & 1) << at;
                    at += 1;
                }
            }
            // SAFETY: without `BITS` any processor will do.
            let plain = unsafe { gather::<false>(bits, places) };
            assert_eq!(plain, expected);
            if has_bits() {
                // SAFETY: `has_bits` says that the processor has the instructions.
                let gathered = unsafe { gather::<true>(bits, places) };
                assert_eq!(gathered, expected);
            }
        }
        // SAFETY: without `BITS` any processor will do.
        let ends = unsafe { (gather::<false>(u64::MAX, u64::MAX), gather::<false>(5, 0)) };
        assert_eq!(ends, (u64::MAX, 0));
    }
}
