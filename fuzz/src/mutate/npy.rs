//! Changes of one field of an NPY header. The header keeps its length, so no offset of the file changes.

use std::ops::Range;

use super::bytes::{find, number_at, put_number, size_at, splice};
use super::random::Random;

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// Types without their byte order, and the bytes of an element.
const TYPES: &[(&str, u64)] = &[
    ("b1", 1),
    ("i1", 1),
    ("u1", 1),
    ("S1", 1),
    ("V1", 1),
    ("i2", 2),
    ("u2", 2),
    ("f2", 2),
    ("S2", 2),
    ("V2", 2),
    ("S3", 3),
    ("i4", 4),
    ("u4", 4),
    ("f4", 4),
    ("U1", 4),
    ("S4", 4),
    ("V4", 4),
    ("i8", 8),
    ("u8", 8),
    ("f8", 8),
    ("c8", 8),
    ("M8", 8),
    ("m8", 8),
    ("U2", 8),
    ("S8", 8),
    ("V8", 8),
    ("O", 8),
    ("U3", 12),
    ("f16", 16),
    ("c16", 16),
    ("U4", 16),
    ("S16", 16),
    ("V16", 16),
    ("c32", 32),
    ("S0", 0),
    ("U0", 0),
    ("V0", 0),
    ("S", 0),
    ("i3", 3),
    ("f1", 1),
    ("O8", 8),
    ("S2147483647", 0x7FFF_FFFF),
    ("U1073741824", 0x1_0000_0000),
    ("V4294967296", 0x1_0000_0000),
];

const UNITS: &[&str] = &[
    "Y",
    "M",
    "W",
    "D",
    "h",
    "m",
    "s",
    "ms",
    "us",
    "ns",
    "ps",
    "fs",
    "as",
    "25s",
    "7D",
    "0D",
    "generic",
    "2147483647Y",
];

const RECORDS: &[&str] = &[
    "[('a', '<i4'), ('b', '<f4')]",
    "[('a', '<i8')]",
    "[('a', '<i4'), ('', '|V4')]",
    "[('a', '<i2', (2, 2))]",
    "[(('t', 'a'), '<i4'), ('b', '|S4')]",
    "[('a', [('b', '<i8')])]",
    "[('a', '<i8', (0,))]",
    "[('a', '<i4'), ('a', '<i4')]",
    "[]",
];

const SHAPES: &[&str] =
    &["()", "(0,)", "(1)", "[1]", "(-1,)", "(1L,)", "(0x1,)", "( 1 , )", "(True,)", "(1.0,)", "(,)", "None"];

/// Changes one field of the header at the start of `npy`; `None` if there is none, or no room in its text.
pub(crate) fn change(npy: &mut [u8], random: &mut Random) -> Option<()> {
    let range = text_range(npy)?;
    if random.one_in(16) {
        // The version and the length of the text.
        let (at, width) = [(6, 1), (7, 1), (8, range.start - 8)][random.below(3)];
        let number = random.number_near(number_at(npy, at, width)?);
        return put_number(npy, at, width, number);
    }
    let text = npy.get(range.clone())?;
    let (descr, order, shape) =
        (value(text, "'descr':"), value(text, "'fortran_order':"), value(text, "'shape':"));
    let (place, new) = match random.below(8) {
        0..=2 => {
            let place = descr?;
            let new = new_descr(text.get(place.clone())?, random)?;
            (place, new)
        }
        3 => {
            let place = order?;
            let is_true = text.get(place.clone())? == b"True";
            let other = if is_true { "False" } else { "True" };
            let new = if random.one_in(4) { ["0", "1", "None", "true"][random.below(4)] } else { other };
            (place, new.to_owned())
        }
        4 => {
            // A key, a comma or a bracket.
            let at = random.below(text.len());
            (at..at + 1, ["", " ", "'", ",", "(", "}", "0", "\\"][random.below(8)].to_owned())
        }
        _ => {
            let place = shape?;
            let new = new_shape(text.get(place.clone())?, random)?;
            (place, new)
        }
    };
    let mut changed = splice(text, &place, new.as_bytes())?;
    changed.truncate(changed.trim_ascii_end().len());
    changed.resize(range.len().checked_sub(1).filter(|room| changed.len() <= *room)?, b' ');
    changed.push(b'\n');
    npy.get_mut(range)?.copy_from_slice(&changed);
    Some(())
}

/// Where the data starts; `None` without a header.
pub(crate) fn data_offset(npy: &[u8]) -> Option<usize> {
    text_range(npy).map(|text| text.end)
}

/// Where the text of the header is.
fn text_range(npy: &[u8]) -> Option<Range<usize>> {
    let width: usize = if npy.strip_prefix(MAGIC)?.first() == Some(&1) { 2 } else { 4 };
    let start = 8 + width;
    let end = start.checked_add(size_at(npy, 8, width)?)?;
    (end <= npy.len()).then_some(start..end)
}

/// Where the value of a key is.
fn value(text: &[u8], key: &str) -> Option<Range<usize>> {
    let mut start = find(text, 0, key.as_bytes())? + key.len();
    while text.get(start) == Some(&b' ') {
        start += 1;
    }
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, byte) in text.iter().enumerate().skip(start) {
        match byte {
            b'\'' => quoted = !quoted,
            b'(' | b'[' if !quoted => depth += 1,
            b')' | b']' if !quoted => depth = depth.saturating_sub(1),
            b',' | b'}' if !quoted && depth == 0 => return Some(start..at),
            _ => {}
        }
    }
    None
}

/// Another type. Half of them have the same size, so that the data still fits.
fn new_descr(old: &[u8], random: &mut Random) -> Option<String> {
    if random.one_in(6) {
        return Some((*random.pick(RECORDS)?).to_owned());
    }
    let nbytes = itemsize(old).unwrap_or_default();
    let same: Vec<_> = TYPES.iter().copied().filter(|(_, size)| *size == nbytes).collect();
    let (kind, _) = if random.one_in(2) { random.pick(TYPES)? } else { random.pick(&same)? };
    let unit = match kind.starts_with(['M', 'm']) {
        true => format!("[{}]", random.pick(UNITS)?),
        false => String::new(),
    };
    let order = ["<", "<", "<", "|", "|", ">", "=", ""][random.below(8)];
    Some(format!("'{order}{kind}{unit}'"))
}

/// Bytes of an element of `'<f8'`.
fn itemsize(descr: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(descr).ok()?.trim_matches('\'').trim_start_matches(['<', '>', '|', '=']);
    let digits = text.get(1..)?.split('[').next()?;
    let count: u64 = digits.parse().ok()?;
    Some(if text.starts_with('U') { count.saturating_mul(4) } else { count })
}

/// Another shape. Some have the same number of elements.
fn new_shape(old: &[u8], random: &mut Random) -> Option<String> {
    let text = std::str::from_utf8(old).ok()?;
    let mut lengths: Vec<u64> = text.split(|c: char| !c.is_ascii_digit()).flat_map(str::parse).collect();
    let count = lengths.iter().fold(1_u64, |count, length| count.saturating_mul(*length));
    let at = random.below(lengths.len() + 1);
    match random.below(9) {
        0 => return Some((*random.pick(SHAPES)?).to_owned()),
        1 => lengths = vec![count],
        2 => lengths.insert(at, 1),
        3 => lengths.reverse(),
        4 => {
            let divisor = 1 + random.bits() % 8;
            lengths = vec![count / divisor, divisor];
        }
        5 => lengths.insert(at, random.number()),
        6 => lengths = vec![1; 1 + random.below(70)],
        _ if lengths.is_empty() => lengths.push(count),
        7 => lengths.truncate(lengths.len() - 1),
        _ => {
            let last = lengths.len() - 1;
            let length = lengths.get_mut(at.min(last))?;
            *length = random.number_near(*length);
        }
    }
    let words: Vec<String> = lengths.iter().map(u64::to_string).collect();
    Some(if words.len() == 1 { format!("({},)", words.concat()) } else { format!("({})", words.join(", ")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_and_the_length_stays() {
        let text =
            b"{'descr': [('a', '<i4'), ('b', '<f4')], 'fortran_order': False, 'shape': (3, 4), }    \n";
        let of = |key| value(text, key).and_then(|range| text.get(range));
        assert_eq!(of("'descr':"), Some(&b"[('a', '<i4'), ('b', '<f4')]"[..]));
        assert_eq!(of("'fortran_order':"), Some(&b"False"[..]));
        assert_eq!(of("'shape':"), Some(&b"(3, 4)"[..]));
        assert_eq!(itemsize(b"'<U3'"), Some(12));
        assert_eq!(itemsize(b"'<M8[ns]'"), Some(8));
        let npy = [MAGIC, &[1, 0, 87, 0], text, &[0; 96]].concat();
        let mut changed = 0;
        for seed in 0..300 {
            let mut mutant = npy.clone();
            changed += usize::from(change(&mut mutant, &mut Random::new(seed)).is_some());
            assert_eq!(mutant.len(), npy.len());
        }
        assert!(changed > 200, "{changed}");
    }
}
