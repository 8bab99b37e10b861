//! Unpacks bit-packed integers, 32 values of one width per call. The width is a constant, so all shifts are constants.

/// Number of values that [`unpack32`] unpacks from `4 * width` bytes.
pub const GROUP: usize = 32;

/// Unpacks 32 values of `W` bits, least significant bit first.
#[inline]
fn unpack<const W: usize>(source: &[u8], target: &mut [u32; GROUP]) {
    if W == 0 {
        *target = [0; GROUP];
        return;
    }
    // Reading the last value's eight bytes may pass the end of the source. A padded copy avoids the bounds check.
    let mut padded = [0u8; 4 * 32 + 8];
    if let (Some(room), Some(bytes)) = (padded.get_mut(..4 * W), source.get(..4 * W)) {
        room.copy_from_slice(bytes);
    }
    let mask = if W == 32 { u32::MAX } else { (1u32 << W) - 1 };
    for (k, value) in target.iter_mut().enumerate() {
        let bit = k * W;
        let mut word = [0u8; 8];
        word.copy_from_slice(&padded[bit / 8..bit / 8 + 8]);
        #[allow(clippy::cast_possible_truncation)] // the bits above W are dropped
        let low = (u64::from_le_bytes(word) >> (bit % 8)) as u32;
        *value = low & mask;
    }
}

/// Unpacks one group of 32 values of `width` bits (0 to 32). `source` has at least `4 * width` bytes.
#[inline]
pub fn unpack32(width: u8, source: &[u8], target: &mut [u32; GROUP]) {
    #[cfg(target_arch = "x86_64")]
    if matches!(width, 1..=vector::MOST) && vector::unpack(width, source, target) {
        return;
    }
    macro_rules! by_width {
        ($($w:literal)*) => {
            match width {
                $($w => unpack::<$w>(source, target),)*
                _ => unpack::<32>(source, target),
            }
        };
    }
    by_width!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

/// Unpacks eight values per vector.
#[cfg(target_arch = "x86_64")]
mod vector {
    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_loadu_si256, _mm256_set_m128i, _mm256_set1_epi32,
        _mm256_shuffle_epi8, _mm256_srlv_epi32, _mm256_storeu_si256,
    };

    use super::GROUP;

    /// Largest width: a wider value, with the bits before it in its first byte, does not fit into 32 bits.
    pub(in crate::formats::parquet) const MOST: u8 = 25;

    /// Shuffle tables for eight values: the bytes that hold each value, and the shift of each value.
    struct ShuffleTables<const W: usize>;

    impl<const W: usize> ShuffleTables<W> {
        /// Offset from which the second four values are loaded.
        const HALF: usize = W / 2;
        const BYTES: [u8; 32] = {
            let mut out = [0; 32];
            let mut k = 0;
            while k < 32 {
                let value = k / 4;
                let bit = value * W - if value < 4 { 0 } else { 8 * Self::HALF };
                #[allow(clippy::cast_possible_truncation)] // below 16
                let byte = (bit / 8 + k % 4) as u8;
                out[k] = byte;
                k += 1;
            }
            out
        };
        const BITS: [u32; 8] = {
            let mut out = [0; 8];
            let mut value = 0;
            while value < 8 {
                let bit = value * W - if value < 4 { 0 } else { 8 * Self::HALF };
                #[allow(clippy::cast_possible_truncation)] // below 8
                let bits = (bit % 8) as u32;
                out[value] = bits;
                value += 1;
            }
            out
        };
    }

    /// Unpacks 32 values of `width` bits, 1 to [`MOST`]. Returns `false` if the machine has no AVX2 or too few bytes follow.
    #[inline]
    pub(in crate::formats::parquet) fn unpack(width: u8, source: &[u8], target: &mut [u32; GROUP]) -> bool {
        let w = usize::from(width);
        if source.len() < 3 * w + w / 2 + 16 || !std::arch::is_x86_feature_detected!("avx2") {
            return false;
        }
        macro_rules! by_width {
            ($($w:literal)*) => {
                match width {
                    // SAFETY: the machine has AVX2; the last load, 16 bytes from `3 * w + w / 2` on, is inside of the source.
                    $($w => unsafe { unpack_vector::<$w>(source.as_ptr(), target) },)*
                    _ => return false,
                }
            };
        }
        by_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
        true
    }

    /// # Safety
    /// AVX2; `3 * W + W / 2 + 16` readable bytes at `source`.
    #[target_feature(enable = "avx2")]
    unsafe fn unpack_vector<const W: usize>(source: *const u8, target: &mut [u32; GROUP]) {
        let (bytes, bits) = (ShuffleTables::<W>::BYTES, ShuffleTables::<W>::BITS);
        // SAFETY: both tables are 32 bytes long.
        let (bytes, bits) = unsafe {
            (
                _mm256_loadu_si256(bytes.as_ptr().cast::<__m256i>()),
                _mm256_loadu_si256(bits.as_ptr().cast::<__m256i>()),
            )
        };
        let mask = _mm256_set1_epi32(((1u32 << W) - 1).cast_signed());
        for (k, to) in target.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            // SAFETY: this function's contract; eight values of four bytes are 32.
            unsafe {
                let at = source.add(k * W);
                let low = _mm_loadu_si128(at.cast());
                let high = _mm_loadu_si128(at.add(ShuffleTables::<W>::HALF).cast());
                let spread = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
                let values = _mm256_and_si256(_mm256_srlv_epi32(spread, bits), mask);
                _mm256_storeu_si256(to.as_mut_ptr().cast::<__m256i>(), values);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::super::{GROUP, unpack as plainly};

        #[test]
        fn vector_and_scalar_unpacking_agree() {
            let bytes: Vec<u8> =
                (0..200u64).map(|k| (k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).to_le_bytes()[0]).collect();
            let (mut a, mut b) = ([0; GROUP], [0; GROUP]);
            macro_rules! each {
                ($($w:literal)*) => {$(
                    if super::unpack($w, &bytes, &mut a) {
                        plainly::<$w>(&bytes, &mut b);
                        assert_eq!(a, b, "{} bits", $w);
                    }
                )*};
            }
            each!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25);
            assert!(!super::unpack(10, &bytes[..50], &mut a));
        }
    }
}

/// Unpacks up to 32 values from fewer bytes than a whole group has.
pub fn unpack_tail(width: u8, source: &[u8], target: &mut [u32; GROUP]) {
    let mut whole = [0u8; 4 * 32];
    let n = source.len().min(4 * usize::from(width));
    if let (Some(room), Some(bytes)) = (whole.get_mut(..n), source.get(..n)) {
        room.copy_from_slice(bytes);
    }
    unpack32(width, &whole, target);
}

/// Unpacks value number `k` of 64-bit packing: widths up to 64, for differences that need more than 32 bits.
#[must_use]
#[inline]
pub fn unpack_wide(width: u8, source: &[u8], k: usize) -> u64 {
    let bit = k * usize::from(width);
    let mut word = [0u8; 16];
    let from = bit / 8;
    let n = source.len().saturating_sub(from).min(16);
    if let (Some(room), Some(bytes)) = (word.get_mut(..n), source.get(from..from + n)) {
        room.copy_from_slice(bytes);
    }
    let mask = if width >= 64 { u64::MAX } else { (1u64 << width) - 1 };
    #[allow(clippy::cast_possible_truncation)] // the bits above the width are dropped
    let low = (u128::from_le_bytes(word) >> (bit % 8)) as u64;
    low & mask
}
