//! Changes of text: whole lines and cells are repeated, deleted, exchanged or replaced.

use std::ops::Range;

use super::bytes::splice;
use super::random::Random;

/// Cells that readers treat in a way of their own.
const CELLS: &[&str] = &[
    "",
    "null",
    "true",
    "NaN",
    "-Infinity",
    "-0.0",
    "1e400",
    "1e-400",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "0x1F",
    "1_000",
    "\"\"",
    "\"1\"",
    "\"\\ud800\"",
    "'",
    "2020-02-30",
    "9999-12-31 23:59:59.999999999",
    "0001-01-01T00:00:00Z",
    "2020-10-25 02:30:00+02:00",
    "[]",
    "{}",
    "[1]",
    "{\"a\":1}",
    "{\"__colonnade__\":\"xw==\"}",
    "*a",
    "&a 1",
    "!!binary /w==",
    "- - 1",
    "\u{feff}",
    "\u{1F600}",
];

/// One change; `None` if there is no piece.
pub(crate) fn change(text: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let marks: &[u8] = [&b"\n"[..], b"\n", b"\n,;|\t", b"\n,:[]{}"][random.below(4)];
    let pieces = pieces(text, marks);
    let (one, two) = (random.pick(&pieces)?, random.pick(&pieces)?);
    let of = |range: &Range<usize>| text.get(range.clone());
    match random.below(7) {
        0 => splice(text, one, &[]),
        1 => splice(text, one, &of(one)?.repeat(2)),
        2 => splice(text, one, &of(one)?.repeat(1 + random.below(60))),
        3 => splice(text, one, of(two)?),
        4 => {
            let (first, last) = if one.start < two.start { (one, two) } else { (two, one) };
            let out = splice(text, last, of(first)?)?;
            splice(&out, first, of(last)?)
        }
        _ => {
            // The mark at the end of the piece stays.
            let end = if of(one)?.ends_with(b"\n") || marks.len() > 1 { one.end - 1 } else { one.end };
            splice(text, &(one.start..end.max(one.start)), random.pick(CELLS)?.as_bytes())
        }
    }
}

/// The pieces, each with the mark at its end.
fn pieces(text: &[u8], marks: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let split = text.split_inclusive(|byte| marks.contains(byte)).map(|piece| {
        start += piece.len();
        start - piece.len()..start
    });
    split.collect()
}
