//! Byte shuffle: a transposition of `n` values of `W` bytes.
//!
//! Sixteen values are processed at once, as `W` registers of sixteen bytes. Interleaving the first half of the registers with the
//! second, byte by byte, rotates the bits of each byte's index: the top bit becomes the lowest. Byte `b` of value `v` has index
//! `v b` (four bits of `v` on top) in an array of values, and `b v` in rows. So four rotations shuffle, and as many as `b` has
//! bits unshuffle.

/// Writes the values of `source`, of `width` bytes, as `width` rows of bytes to `target`. Widths other than 2, 4, 8 and 16, or
/// different lengths, leave `target` unchanged.
pub fn shuffle(source: &[u8], width: usize, target: &mut [u8]) {
    if source.len() != target.len() {
        return;
    }
    match width {
        2 => shuffle_fixed::<2>(source, target),
        4 => shuffle_fixed::<4>(source, target),
        8 => shuffle_fixed::<8>(source, target),
        16 => shuffle_fixed::<16>(source, target),
        _ => {}
    }
}

/// The reverse of [`shuffle`].
pub fn unshuffle(source: &[u8], width: usize, target: &mut [u8]) {
    if source.len() != target.len() {
        return;
    }
    match width {
        2 => unshuffle_fixed::<2>(source, target),
        4 => unshuffle_fixed::<4>(source, target),
        8 => unshuffle_fixed::<8>(source, target),
        16 => unshuffle_fixed::<16>(source, target),
        _ => {}
    }
}

/// Values per step.
const STEP: usize = 16;

fn shuffle_fixed<const W: usize>(source: &[u8], target: &mut [u8]) {
    let values = source.as_chunks::<W>().0;
    let n = values.len();
    let mut rows = rows_mut::<W>(target, n);
    let (steps, rest) = values.as_chunks::<STEP>();
    for (i, step) in steps.iter().enumerate() {
        let mut registers = load::<W>(step);
        for _ in 0..4 {
            registers = interleave(registers);
        }
        for (row, register) in rows.iter_mut().zip(registers) {
            if let Some(place) = row.get_mut(i * STEP..).and_then(<[u8]>::first_chunk_mut) {
                *place = register.bytes();
            }
        }
    }
    let from = n - rest.len();
    for (b, row) in rows.iter_mut().enumerate() {
        for (to, value) in row.iter_mut().skip(from).zip(rest) {
            *to = value[b];
        }
    }
}

fn unshuffle_fixed<const W: usize>(source: &[u8], target: &mut [u8]) {
    let values = target.as_chunks_mut::<W>().0;
    let n = values.len();
    let rows: [&[u8]; W] = std::array::from_fn(|b| source.get(b * n..(b + 1) * n).unwrap_or_default());
    let (steps, rest) = values.as_chunks_mut::<STEP>();
    for (i, step) in steps.iter_mut().enumerate() {
        let mut registers = rows
            .map(|row| Register::of(row.get(i * STEP..).and_then(<[u8]>::first_chunk).unwrap_or(&[0; STEP])));
        for _ in 0..W.trailing_zeros() {
            registers = interleave(registers);
        }
        for (place, register) in step.as_flattened_mut().as_chunks_mut::<STEP>().0.iter_mut().zip(registers) {
            *place = register.bytes();
        }
    }
    let from = n - rest.len();
    for (i, value) in rest.iter_mut().enumerate() {
        for (to, row) in value.iter_mut().zip(rows) {
            *to = row.get(from + i).copied().unwrap_or(0);
        }
    }
}

fn rows_mut<const W: usize>(mut target: &mut [u8], n: usize) -> [&mut [u8]; W] {
    std::array::from_fn(|_| {
        let (row, rest) = std::mem::take(&mut target).split_at_mut(n);
        target = rest;
        row
    })
}

fn load<const W: usize>(step: &[[u8; W]; STEP]) -> [Register; W] {
    let chunks = step.as_flattened().as_chunks::<STEP>().0;
    std::array::from_fn(|i| Register::of(chunks.get(i).unwrap_or(&[0; STEP])))
}

/// Interleaves the first half of the registers with the second.
#[inline(always)]
fn interleave<const W: usize>(registers: [Register; W]) -> [Register; W] {
    std::array::from_fn(|i| {
        let (first, second) = (registers[i / 2], registers[i / 2 + W / 2]);
        if i % 2 == 0 { first.low(second) } else { first.high(second) }
    })
}

#[cfg(target_arch = "x86_64")]
mod register {
    use std::arch::x86_64::{__m128i, _mm_unpackhi_epi8, _mm_unpacklo_epi8};

    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub(super) struct Register(__m128i);

    impl Register {
        #[inline(always)]
        pub(super) fn of(bytes: &[u8; 16]) -> Self {
            // SAFETY: both are sixteen bytes, and any bytes are a value of either; SSE2 is part of x86-64.
            Self(unsafe { std::mem::transmute::<[u8; 16], __m128i>(*bytes) })
        }

        #[inline(always)]
        pub(super) fn bytes(self) -> [u8; 16] {
            // SAFETY: as in `of`.
            unsafe { std::mem::transmute::<__m128i, [u8; 16]>(self.0) }
        }

        #[inline(always)]
        pub(super) fn low(self, other: Self) -> Self {
            // SAFETY: SSE2 is part of x86-64.
            #[allow(unused_unsafe)]
            Self(unsafe { _mm_unpacklo_epi8(self.0, other.0) })
        }

        #[inline(always)]
        pub(super) fn high(self, other: Self) -> Self {
            // SAFETY: SSE2 is part of x86-64.
            #[allow(unused_unsafe)]
            Self(unsafe { _mm_unpackhi_epi8(self.0, other.0) })
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod register {
    /// Sixteen bytes.
    #[derive(Clone, Copy)]
    pub(super) struct Register([u8; 16]);

    impl Register {
        pub(super) fn of(bytes: &[u8; 16]) -> Self {
            Self(*bytes)
        }

        pub(super) fn bytes(self) -> [u8; 16] {
            self.0
        }

        pub(super) fn low(self, other: Self) -> Self {
            Self(std::array::from_fn(|i| if i % 2 == 0 { self.0[i / 2] } else { other.0[i / 2] }))
        }

        pub(super) fn high(self, other: Self) -> Self {
            Self(std::array::from_fn(|i| if i % 2 == 0 { self.0[8 + i / 2] } else { other.0[8 + i / 2] }))
        }
    }
}

use register::Register;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffled_rows_are_the_bytes_of_all_values_in_turn() {
        for width in super::super::SHUFFLE_WIDTHS {
            for n in [0, 1, 2, 15, 16, 17, 33, 100, 4099] {
                let bytes: Vec<u8> = (0..n * width)
                    .map(|i| u8::try_from((i * 2_654_435_761_usize) >> 7 & 255).unwrap())
                    .collect();
                let expected: Vec<u8> =
                    (0..width).flat_map(|b| bytes.iter().skip(b).step_by(width).copied()).collect();
                let mut rows = vec![0; bytes.len()];
                shuffle(&bytes, width, &mut rows);
                assert_eq!(rows, expected, "{width} {n}");
                let mut back = vec![0; bytes.len()];
                unshuffle(&rows, width, &mut back);
                assert_eq!(back, bytes, "{width} {n}");
            }
        }
    }

    #[test]
    fn other_widths_and_lengths_are_unchanged() {
        let mut target = [7; 6];
        shuffle(&[1; 6], 3, &mut target);
        unshuffle(&[1; 4], 2, &mut target);
        assert_eq!(target, [7; 6]);
    }
}
