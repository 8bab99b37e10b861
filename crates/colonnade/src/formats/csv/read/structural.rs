//! Bit masks of the structural bytes of CSV, one bit per byte of a chunk of 64.
//!
//! AVX2 computes the masks where the processor has it, plain comparisons elsewhere. All other code works on masks.

/// Number of bytes per mask.
pub(super) const CHUNK: usize = 64;

/// The structural bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SpecialBytes {
    /// The delimiter of cells.
    pub(super) delimiter: u8,
    /// The quote character; `None` without quoting.
    pub(super) quote: Option<u8>,
    /// The last byte of a line end.
    pub(super) newline: u8,
}

/// Computes masks of the bytes with a given value.
pub(super) trait ByteMasks: Copy {
    /// The mask of the bytes of `chunk` that equal `byte`.
    fn equal(self, chunk: &[u8; CHUNK], byte: u8) -> u64;

    /// The mask of the bytes of `chunk` that equal `a` or `b`.
    fn either(self, chunk: &[u8; CHUNK], a: u8, b: u8) -> u64;
}

/// Comparisons for every processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

impl ByteMasks for Portable {
    #[inline(always)]
    fn equal(self, chunk: &[u8; CHUNK], byte: u8) -> u64 {
        let bit = |(i, b): (usize, &u8)| u64::from(*b == byte) << i;
        chunk.iter().enumerate().map(bit).fold(0, |mask, bit| mask | bit)
    }

    #[inline(always)]
    fn either(self, chunk: &[u8; CHUNK], a: u8, b: u8) -> u64 {
        self.equal(chunk, a) | self.equal(chunk, b)
    }
}

/// AVX2 with two vectors of 32 bytes. [`Avx2::detect`] is the only constructor.
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    /// Detects whether the processor has the required instructions.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        found.then_some(Self(()))
    }
}

#[cfg(target_arch = "x86_64")]
impl ByteMasks for Avx2 {
    #[inline(always)]
    fn equal(self, chunk: &[u8; CHUNK], byte: u8) -> u64 {
        use std::arch::x86_64::{
            __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8,
        };
        // SAFETY: the chunk has 64 readable bytes, loads need no alignment, and `detect` has found AVX2.
        unsafe {
            let at = chunk.as_ptr().cast::<__m256i>();
            let needle = _mm256_set1_epi8(byte.cast_signed());
            let low = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at), needle));
            let high = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at.add(1)), needle));
            u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
        }
    }

    #[inline(always)]
    fn either(self, chunk: &[u8; CHUNK], a: u8, b: u8) -> u64 {
        use std::arch::x86_64::{
            __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256,
            _mm256_set1_epi8,
        };
        // SAFETY: as in `equal`.
        unsafe {
            let at = chunk.as_ptr().cast::<__m256i>();
            let (a, b) = (_mm256_set1_epi8(a.cast_signed()), _mm256_set1_epi8(b.cast_signed()));
            let (low, high) = (_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1)));
            // Closures would be compiled without AVX2, and their intrinsics would become calls.
            let low = _mm256_or_si256(_mm256_cmpeq_epi8(low, a), _mm256_cmpeq_epi8(low, b));
            let high = _mm256_or_si256(_mm256_cmpeq_epi8(high, a), _mm256_cmpeq_epi8(high, b));
            let (low, high) = (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high));
            u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
        }
    }
}

/// Sets each bit to the parity of the ones at and below it.
#[inline(always)]
pub(super) fn prefix_xor(mut bits: u64) -> u64 {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^ (bits << 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_implementations_agree(bytes in proptest::collection::vec(0u8..4, CHUNK), a in 0u8..4, b in 0u8..4) {
            let chunk: &[u8; CHUNK] = bytes.first_chunk().unwrap();
            let expected = |needle: &dyn Fn(u8) -> bool| {
                (0..CHUNK).filter(|i| needle(chunk[*i])).fold(0u64, |mask, i| mask | 1 << i)
            };
            prop_assert_eq!(Portable.equal(chunk, a), expected(&|x| x == a));
            prop_assert_eq!(Portable.either(chunk, a, b), expected(&|x| x == a || x == b));
            #[cfg(target_arch = "x86_64")]
            if let Some(masks) = Avx2::detect() {
                prop_assert_eq!(masks.equal(chunk, a), Portable.equal(chunk, a));
                prop_assert_eq!(masks.either(chunk, a, b), Portable.either(chunk, a, b));
            }
        }
    }

    #[test]
    fn quotes_open_and_close() {
        assert_eq!(prefix_xor(0b0100_0100), 0b0011_1100);
        assert_eq!(prefix_xor(1), u64::MAX);
    }
}
