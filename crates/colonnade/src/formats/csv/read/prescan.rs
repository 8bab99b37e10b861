//! The prescan of the whole input: counts line ends in each piece, and detects rare bytes.
//!
//! Whether a piece begins inside quotes is known only once all pieces before it have been scanned, so line ends are counted for
//! both cases.

#[cfg(target_arch = "x86_64")]
use super::structural::Avx2;
use super::structural::{ByteMasks, CHUNK, Portable, SpecialBytes, prefix_xor};

/// The result for one piece of the input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Prescan {
    /// Line ends outside quotes, if the piece begins outside them.
    pub(super) lines_outside: usize,
    /// Line ends outside quotes, if the piece begins inside quotes.
    pub(super) lines_inside: usize,
    /// Whether the number of quotes is odd.
    pub(super) odd_quotes: bool,
    /// Whether the piece has a quote.
    pub(super) quotes: bool,
    /// Whether the piece has a carriage return, or a line feed if carriage returns end lines.
    pub(super) returns: bool,
    /// Whether the piece has a NUL.
    pub(super) nul: bool,
}

/// Scans one piece.
pub(super) fn prescan(bytes: &[u8], special: SpecialBytes) -> Prescan {
    #[cfg(target_arch = "x86_64")]
    if let Some(masks) = Avx2::detect() {
        // SAFETY: `detect` has found the instructions that the function is compiled for.
        return unsafe { prescan_avx2(masks, bytes, special) };
    }
    scan(Portable, bytes, special)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn prescan_avx2(masks: Avx2, bytes: &[u8], special: SpecialBytes) -> Prescan {
    scan(masks, bytes, special)
}

/// State at a chunk boundary, and sums over the chunks so far.
#[derive(Debug, Default)]
struct PrescanSums {
    /// All ones inside quotes.
    inside: u64,
    returns: u64,
    nul: u64,
    quotes: u64,
    lines: usize,
    lines_inside: usize,
}

// The functions below use no closures: a closure would be compiled without AVX2, and its intrinsics would become calls.

#[inline(always)]
fn scan(masks: impl ByteMasks, bytes: &[u8], special: SpecialBytes) -> Prescan {
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    let mut sums = PrescanSums::default();
    for chunk in chunks {
        add(masks, chunk, u64::MAX, special, &mut sums);
    }
    if !rest.is_empty() {
        let mut last = [0; CHUNK];
        last.iter_mut().zip(rest).for_each(|(slot, byte)| *slot = *byte);
        add(masks, &last, (1 << rest.len()) - 1, special, &mut sums);
    }
    Prescan {
        lines_outside: sums.lines - sums.lines_inside,
        lines_inside: sums.lines_inside,
        odd_quotes: sums.inside != 0,
        quotes: sums.quotes != 0,
        returns: sums.returns != 0,
        nul: sums.nul != 0,
    }
}

#[inline(always)]
fn add(masks: impl ByteMasks, chunk: &[u8; CHUNK], mask: u64, special: SpecialBytes, sums: &mut PrescanSums) {
    let other = if special.newline == b'\n' { b'\r' } else { b'\n' };
    let lines = masks.equal(chunk, special.newline) & mask;
    sums.returns |= masks.equal(chunk, other) & mask;
    sums.nul |= masks.equal(chunk, 0) & mask;
    sums.lines += lines.count_ones() as usize;
    let quotes = match special.quote {
        Some(quote) => masks.equal(chunk, quote) & mask,
        None => 0,
    };
    if quotes | sums.inside != 0 {
        let quoted = prefix_xor(quotes) ^ sums.inside;
        sums.quotes |= quotes;
        sums.lines_inside += (lines & quoted).count_ones() as usize;
        sums.inside = 0u64.wrapping_sub(quoted >> 63);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn prescan_counts_as_a_simple_loop(bytes in proptest::collection::vec(proptest::sample::select(b"a,\"\n\r\0".to_vec()), 0..300)) {
            let special = SpecialBytes { delimiter: b',', quote: Some(b'"'), newline: b'\n' };
            let (mut inside, mut outside_lines, mut inside_lines) = (false, 0, 0);
            for byte in &bytes {
                match byte {
                    b'"' => inside = !inside,
                    b'\n' if inside => inside_lines += 1,
                    b'\n' => outside_lines += 1,
                    _ => {}
                }
            }
            let expected = Prescan {
                lines_outside: outside_lines,
                lines_inside: inside_lines,
                odd_quotes: inside,
                quotes: bytes.contains(&b'"'),
                returns: bytes.contains(&b'\r'),
                nul: bytes.contains(&0),
            };
            prop_assert_eq!(prescan(&bytes, special), expected);
            prop_assert_eq!(scan(Portable, &bytes, special), expected);
        }
    }
}
