//! Finds the end of an array or object by counting brackets outside of strings.
//!
//! It scans sixty-four bytes per step, as simdjson does (<https://arxiv.org/abs/1902.08318>), and checks nothing: the
//! reader of the value checks that the value ends there.

/// Bytes of a block.
const BLOCK: usize = 64;

/// The positions of special bytes in a block, one bit per byte.
struct BlockMarks {
    quotes: u64,
    slashes: u64,
    opens: u64,
    closes: u64,
}

/// Returns the offset after the array or object that begins at `at`; `None` if it does not end.
pub(crate) fn value_end(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut escaped, mut inside, mut depth) = (0, 0, 0usize);
    let mut start = at;
    loop {
        let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let padded;
        let block = match rest.first_chunk::<BLOCK>() {
            Some(block) => block,
            None => {
                let mut last = [b' '; BLOCK];
                last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
                padded = last;
                &padded
            }
        };
        let marks = marks(block);
        let quotes = marks.quotes & !escaped_bytes(marks.slashes, &mut escaped);
        let texts = prefix_parity(quotes) ^ inside;
        inside = if texts >> 63 == 1 { u64::MAX } else { 0 };
        let (opens, closes) = (marks.opens & !texts, marks.closes & !texts);
        if closes == 0 {
            depth += opens.count_ones() as usize;
        } else {
            let mut both = opens | closes;
            while both != 0 {
                let bit = both & both.wrapping_neg();
                both ^= bit;
                if opens & bit != 0 {
                    depth += 1;
                    continue;
                }
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(start + bit.trailing_zeros() as usize + 1);
                }
            }
        }
        if depth == 0 {
            return None;
        }
        start += BLOCK;
    }
}

/// Sets a bit for each byte after an unescaped backslash. `next`: whether the next block begins with such a byte.
fn escaped_bytes(slashes: u64, next: &mut u64) -> u64 {
    if slashes == 0 {
        return std::mem::take(next);
    }
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let begins = slashes & !*next;
    // Runs of backslashes from an odd position, or from an even one: the subtraction carries through the run.
    let runs = ((begins << 1) | ODD).wrapping_sub(begins) ^ ODD;
    let escaped = runs ^ (slashes | *next);
    *next = (runs & slashes) >> 63;
    escaped
}

/// Computes for each bit the parity of the bits up to it: set from each odd set bit up to the next one.
fn prefix_parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

#[cfg(target_arch = "x86_64")]
fn marks(block: &[u8; BLOCK]) -> BlockMarks {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8};
    let mut out = BlockMarks { quotes: 0, slashes: 0, opens: 0, closes: 0 };
    for (i, part) in block.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: every x86-64 has SSE2; both types are sixteen bytes, and every value of them is valid.
        let [quotes, slashes, opens, closes] = unsafe {
            let part: __m128i = std::mem::transmute(*part);
            // Square brackets become braces.
            let braces = _mm_or_si128(part, _mm_set1_epi8(0x20));
            let mask = |found: __m128i| u64::from(_mm_movemask_epi8(found).cast_unsigned());
            let is = |part, byte: u8| mask(_mm_cmpeq_epi8(part, _mm_set1_epi8(byte.cast_signed())));
            [is(part, b'"'), is(part, b'\\'), is(braces, b'{'), is(braces, b'}')]
        };
        out.quotes |= quotes << (16 * i);
        out.slashes |= slashes << (16 * i);
        out.opens |= opens << (16 * i);
        out.closes |= closes << (16 * i);
    }
    out
}

#[cfg(not(target_arch = "x86_64"))]
fn marks(block: &[u8; BLOCK]) -> BlockMarks {
    let mut out = BlockMarks { quotes: 0, slashes: 0, opens: 0, closes: 0 };
    for (i, byte) in block.iter().enumerate() {
        out.quotes |= u64::from(*byte == b'"') << i;
        out.slashes |= u64::from(*byte == b'\\') << i;
        out.opens |= u64::from(byte | 0x20 == b'{') << i;
        out.closes |= u64::from(byte | 0x20 == b'}') << i;
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::value_end;
    use crate::cells::json::scan::Scan;
    use crate::formats::json::read::options::ReadOptions;

    fn checked(text: &str) -> Option<usize> {
        let rules = ReadOptions::default().rules(0);
        let mut scan = Scan::new(text.as_bytes(), 0, false);
        scan.value(0, &rules).ok().map(|()| scan.at)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn values_end_like_in_the_scanner(
            texts in prop::collection::vec("[\\[\\]{}\"\\\\a\u{e9}]{0,70}", 0..9),
            tail in "[\\[\\]{}\"\\\\ ]{0,9}",
        ) {
            for value in [serde_json::json!([texts.clone(), {"k": texts.clone()}]), serde_json::json!({"]": texts})] {
                let text = format!("{value}{tail}");
                prop_assert_eq!(value_end(text.as_bytes(), 0), checked(&text));
            }
        }

        #[test]
        fn backslashes_of_any_number(count in 0..200usize, before in 0..70usize) {
            let text = format!("[\"{}{}\"]", "x".repeat(before), "\\\\".repeat(count));
            prop_assert_eq!(value_end(text.as_bytes(), 0), Some(text.len()));
            let text = format!("[\"{}{}\\\"]\"]", "x".repeat(before), "\\\\".repeat(count));
            prop_assert_eq!(value_end(text.as_bytes(), 0), Some(text.len()));
        }
    }

    #[test]
    fn unterminated_values_have_no_end() {
        for text in ["", "[", "[\"]", "[[]", "{\"a\": [1}", "7", "\"[]\"", "]"] {
            // All kinds of brackets count alike.
            let found = value_end(text.as_bytes(), 0);
            assert!(found.is_none() || text.contains("[1}"), "{text}");
        }
    }
}
