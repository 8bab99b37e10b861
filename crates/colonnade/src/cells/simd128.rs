//! Searches and copies text sixteen bytes per step, up to the first byte with a meaning.

use std::ops::Range;

/// Sixteen bytes.
pub(crate) type Chunk16 = [u8; 16];

/// Appends the first `n` of `N` bytes: writes all of them and counts `n`, because a move of constant size needs no call.
#[inline(always)]
pub(crate) fn push<const N: usize>(bytes: &[u8; N], n: usize, out: &mut Vec<u8>) {
    let place = room::<N>(out);
    // SAFETY: `room` has reserved N bytes after the vector's end; all N are written before `n` are counted.
    unsafe {
        place.cast::<[u8; N]>().write(*bytes);
        out.set_len(out.len() + n.min(N));
    }
}

/// Returns a pointer to the vector's end after reserving `N` bytes.
#[inline(always)]
pub(crate) fn room<const N: usize>(out: &mut Vec<u8>) -> *mut u8 {
    #[cold]
    #[inline(never)]
    fn grow(out: &mut Vec<u8>, more: usize) {
        out.reserve(more);
    }
    let len = out.len();
    if out.capacity() - len < N {
        grow(out, N);
    }
    out.spare_capacity_mut().as_mut_ptr().cast()
}

/// Loads the sixteen bytes at `at`; bytes past the end are zeros.
#[inline(always)]
fn load(bytes: &[u8], at: usize) -> Chunk16 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(chunk) => *chunk,
        None => last(bytes, at),
    }
}

#[inline(never)]
fn last(bytes: &[u8], at: usize) -> Chunk16 {
    let mut chunk = [0; 16];
    chunk.iter_mut().zip(bytes.get(at..).unwrap_or(&[])).for_each(|(place, byte)| *place = *byte);
    chunk
}

/// Appends the part `range` of `bytes` up to the first byte for which `marked` sets a bit. Returns the position of that
/// byte, or the range's end. For a short part of a longer buffer this is one move without a loop: the bytes after the part
/// are copied too and cut off.
#[inline(always)]
pub(crate) fn copy(
    bytes: &[u8],
    range: Range<usize>,
    out: &mut Vec<u8>,
    marked: impl Fn(Chunk16) -> u32,
) -> usize {
    let Range { start: mut at, end } = range;
    // Whole chunks: the store does not wait for the result of the search.
    while at + 16 <= end
        && let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk())
    {
        let found = marked(*chunk);
        if found != 0 {
            let n = found.trailing_zeros() as usize;
            push(chunk, n, out);
            return at + n;
        }
        push(chunk, 16, out);
        at += 16;
    }
    if at < end {
        let chunk = load(bytes, at);
        let n = ((marked(chunk) | (1 << 16)).trailing_zeros() as usize).min(end - at);
        push(&chunk, n, out);
        at += n;
    }
    at
}

/// Sets a bit for each byte that JSON escapes: quotes, backslashes and control characters.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn escaped(chunk: Chunk16) -> u32 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    // SAFETY: every x86-64 has SSE2; both types are sixteen bytes, and every value of them is valid.
    unsafe {
        let chunk: __m128i = std::mem::transmute(chunk);
        let quote = _mm_cmpeq_epi8(chunk, _mm_set1_epi8(b'"'.cast_signed()));
        let slash = _mm_cmpeq_epi8(chunk, _mm_set1_epi8(b'\\'.cast_signed()));
        let control = _mm_cmpeq_epi8(_mm_min_epu8(chunk, _mm_set1_epi8(0x1f)), chunk);
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control)).cast_unsigned()
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn escaped(chunk: Chunk16) -> u32 {
    bits(chunk, |byte| byte == b'"' || byte == b'\\' || byte < 0x20)
}

/// The bytes of a CSV dialect that a search looks for.
#[derive(Debug, Clone)]
pub(crate) struct Needles {
    /// Each byte, repeated sixteen times.
    needles: [Chunk16; Self::MAX_BYTES],
}

impl Needles {
    /// The most bytes that one search supports.
    pub(crate) const MAX_BYTES: usize = 7;

    /// The last control character that [`Needles::or_control`] finds without an entry.
    pub(crate) const CONTROL: u8 = b'\r';

    /// Creates the search; `None` if there is no byte, or too many.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let first = *bytes.first()?;
        let mut needles = [[first; 16]; Self::MAX_BYTES];
        if bytes.len() > needles.len() {
            return None;
        }
        needles.iter_mut().zip(bytes).for_each(|(place, byte)| *place = [*byte; 16]);
        Some(Self { needles })
    }

    /// Sets a bit for each byte that is one of them, or a control character up to [`Needles::CONTROL`].
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn or_control(&self, chunk: Chunk16) -> u32 {
        use std::arch::x86_64::{
            __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
        };
        // SAFETY: every x86-64 has SSE2; both types are sixteen bytes, and every value of them is valid.
        unsafe {
            let chunk: __m128i = std::mem::transmute(chunk);
            let control = _mm_set1_epi8(Self::CONTROL.cast_signed());
            let mut found = _mm_cmpeq_epi8(_mm_min_epu8(chunk, control), chunk);
            for needle in self.needles {
                let needle: __m128i = std::mem::transmute(needle);
                found = _mm_or_si128(found, _mm_cmpeq_epi8(chunk, needle));
            }
            _mm_movemask_epi8(found).cast_unsigned()
        }
    }

    /// Sets a bit for each byte that is one of them, or a control character up to [`Needles::CONTROL`].
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub(crate) fn or_control(&self, chunk: Chunk16) -> u32 {
        bits(chunk, |byte| byte <= Self::CONTROL || self.needles.iter().any(|needle| needle[0] == byte))
    }
}

/// Sets a bit for each byte that equals `byte`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn equal(chunk: Chunk16, byte: u8) -> u32 {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: every x86-64 has SSE2; both types are sixteen bytes, and every value of them is valid.
    unsafe {
        let chunk: __m128i = std::mem::transmute(chunk);
        _mm_movemask_epi8(_mm_cmpeq_epi8(chunk, _mm_set1_epi8(byte.cast_signed()))).cast_unsigned()
    }
}

/// Sets a bit for each byte that equals `byte`.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn equal(chunk: Chunk16, byte: u8) -> u32 {
    bits(chunk, |other| other == byte)
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn bits(chunk: Chunk16, is: impl Fn(u8) -> bool) -> u32 {
    chunk.into_iter().enumerate().fold(0, |mask, (i, byte)| mask | (u32::from(is(byte)) << i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_matches_at_every_position() {
        let needles = Needles::new(b",;|\"").unwrap();
        for byte in 0..=u8::MAX {
            for place in 0..16 {
                let mut chunk = [b'x'; 16];
                chunk[place] = byte;
                assert_eq!(escaped(chunk), bits(chunk, |b| b == b'"' || b == b'\\' || b < 0x20));
                assert_eq!(needles.or_control(chunk), bits(chunk, |b| b <= b'\r' || b",;|\"".contains(&b)));
                assert_eq!(equal(chunk, 0x80), bits(chunk, |b| b == 0x80));
            }
        }
        assert!(Needles::new(b"").is_none() && Needles::new(b"12345678").is_none());
    }

    #[test]
    fn a_prefix_of_a_fixed_size_is_pushed_at_any_capacity() {
        for capacity in 0..60 {
            let (mut out, mut expected) = (Vec::with_capacity(capacity), Vec::new());
            for n in [0, 1, 16, 7, 15, 16, 40] {
                push(b"0123456789abcdef", n, &mut out);
                expected.extend_from_slice(&b"0123456789abcdef"[..n.min(16)]);
            }
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn copies_end_at_the_first_marked_byte() {
        for len in 0..=100 {
            for start in [0, 1, 15, 16, 17] {
                for mark in (0..len).map(Some).chain([None]) {
                    let mut bytes = vec![b'a'; start + len];
                    // A match after the part does not count.
                    bytes.extend_from_slice(&b"#bbbbbbbbbbbbbbbbb"[..len % 18]);
                    if let Some(mark) = mark {
                        bytes[start + mark] = b'#';
                    }
                    let mut out = b"before".to_vec();
                    let end = copy(&bytes, start..start + len, &mut out, |chunk| equal(chunk, b'#'));
                    assert_eq!(end, start + mark.unwrap_or(len));
                    assert_eq!(out, [b"before", &bytes[start..end]].concat());
                }
            }
        }
    }
}
