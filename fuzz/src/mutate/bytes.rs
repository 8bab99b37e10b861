//! Reading and writing parts of a file, without a panic for any position.

use std::ops::Range;

use super::random::Random;

/// The little-endian number of `width` bytes at `at`.
pub(crate) fn number_at(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    let mut out = [0; 8];
    out.get_mut(..width)?.copy_from_slice(field);
    Some(u64::from_le_bytes(out))
}

/// [`number_at`] as a size of memory.
pub(crate) fn size_at(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    usize::try_from(number_at(bytes, at, width)?).ok()
}

/// Writes the last `width` bytes of a number, little-endian.
pub(crate) fn put_number(bytes: &mut [u8], at: usize, width: usize, number: u64) -> Option<()> {
    let field = bytes.get_mut(at..at.checked_add(width)?)?;
    field.copy_from_slice(number.to_le_bytes().get(..width)?);
    Some(())
}

/// The bytes with other bytes in place of a range.
pub(crate) fn splice(bytes: &[u8], range: &Range<usize>, new: &[u8]) -> Option<Vec<u8>> {
    let (before, after) = (bytes.get(..range.start)?, bytes.get(range.end.max(range.start)..)?);
    Some([before, new, after].concat())
}

/// A position after a part that was `old` bytes long has `new` bytes.
pub(crate) fn moved(position: u64, old: usize, new: usize) -> u64 {
    position.wrapping_sub(old as u64).wrapping_add(new as u64)
}

/// The first position of `text` at or after `from`.
pub(crate) fn find(bytes: &[u8], from: usize, text: &[u8]) -> Option<usize> {
    let first = text.first()?;
    let starts = bytes.get(from..)?.iter().enumerate().filter(|(_, byte)| *byte == first);
    let mut places = starts.map(|(at, _)| from + at);
    places.find(|at| bytes.get(*at..).is_some_and(|rest| rest.starts_with(text)))
}

/// Changes one to three places. Half of them are among the first bytes, where lengths and counts are.
pub(crate) fn scramble(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let end = if random.one_in(2) { bytes.len().min(16) } else { bytes.len() };
        let at = random.below(end);
        scramble_at(bytes, at, random);
    }
}

fn scramble_at(bytes: &mut Vec<u8>, at: usize, random: &mut Random) -> Option<()> {
    let rest = bytes.len().saturating_sub(at);
    match random.below(8) {
        0 | 1 => *bytes.get_mut(at)? ^= 1 << random.below(8),
        2 => *bytes.get_mut(at)? = random.number().to_le_bytes()[0],
        3 | 4 => {
            let width = [2, 4, 8][random.below(3)];
            let number = random.number_near(number_at(bytes, at, width)?);
            put_number(bytes, at, width, number)?;
        }
        5 => drop(bytes.drain(at..at + random.below(9).min(rest))),
        6 => {
            let new: Vec<u8> = (0..=random.below(8)).map(|_| random.byte()).collect();
            drop(bytes.splice(at..at, new));
        }
        _ => {
            let part = bytes.get(at..at + random.below(33).min(rest))?.to_vec();
            let to = random.below(bytes.len());
            drop(bytes.splice(to..to, part));
        }
    }
    Some(())
}
