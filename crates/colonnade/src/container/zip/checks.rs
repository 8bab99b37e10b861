//! Checks over all members, for formats in which no name and no byte may belong to two members.

use super::FORMAT;
use super::directory::Directory;
use crate::error::{Error, Result};

/// Refuses members whose bytes overlap. `data_offsets` are those of [`super::data_offset`], in the directory's order.
///
/// # Errors
/// Malformed, naming the later member of the first pair found.
pub fn check_overlaps(directory: &Directory, data_offsets: &[u64]) -> Result<()> {
    let spans = directory
        .entries
        .iter()
        .zip(data_offsets)
        .enumerate()
        .map(|(i, (entry, &data))| (entry.local_offset, data.saturating_add(entry.compressed_nbytes), i));
    let mut previous_end = 0;
    // Archives usually list members in file order; only another order needs sorting.
    let in_order = directory.entries.is_sorted_by_key(|entry| entry.local_offset);
    let mut sorted: Vec<(u64, u64, usize)> = if in_order { Vec::new() } else { spans.clone().collect() };
    sorted.sort_unstable();
    let lying: &mut dyn Iterator<Item = (u64, u64, usize)> =
        if in_order { &mut { spans } } else { &mut sorted.into_iter() };
    for (start, end, i) in lying {
        if start < previous_end {
            let message = format!(
                "the member overlaps another one, which ends at byte {previous_end}. Write the archive again."
            );
            return Err(Error::malformed(FORMAT, message).in_member(directory.name_str(i)).at(start));
        }
        previous_end = end;
    }
    Ok(())
}

/// Refuses two members of one name, compared as bytes.
///
/// # Errors
/// Malformed, naming the member.
pub fn check_duplicate_names(directory: &Directory) -> Result<()> {
    // Half a hash and the index in one word. Sorting integers is fast, and names chosen to collide cannot raise its cost.
    let mut keys: Vec<u64> = Vec::with_capacity(directory.entries.len());
    for (i, entry) in directory.entries.iter().enumerate() {
        let i = u32::try_from(i)
            .map_err(|_| Error::limit(FORMAT, "expected fewer than 2\u{b3}\u{b2} members."))?;
        let name = directory.names.get(entry.name()).unwrap_or_default();
        keys.push(hash(name) & HASH_MASK | u64::from(i));
    }
    keys.sort_unstable();
    for group in
        keys.chunk_by(|left, right| left & HASH_MASK == right & HASH_MASK).filter(|group| group.len() > 1)
    {
        // The index is the lower half of the key.
        let index = |key: &u64| usize::try_from(key & !HASH_MASK).unwrap_or(usize::MAX);
        let mut members: Vec<usize> = group.iter().map(index).collect();
        members.sort_by_key(|&i| directory.name(i));
        let twice = members.windows(2).find(|pair| match pair {
            [left, right] => directory.name(*left) == directory.name(*right),
            _ => false,
        });
        if let Some(&[_, i]) = twice {
            let message = "expected each name once, found it twice. Write the archive again.";
            let place = directory.entries.get(i).map_or(0, |entry| entry.local_offset);
            return Err(Error::malformed(FORMAT, message).in_member(directory.name_str(i)).at(place));
        }
    }
    Ok(())
}

/// The hash half of a key.
const HASH_MASK: u64 = 0xFFFF_FFFF_0000_0000;

/// Refuses names that hold a NUL: readers in C and CPython end the name there, so one member has two names.
///
/// # Errors
/// Malformed, naming the member.
pub fn check_no_nul(directory: &Directory) -> Result<()> {
    if !directory.names.contains(&0) {
        return Ok(());
    }
    let found = (0..directory.entries.len()).find(|&i| directory.name(i).contains(&0)).unwrap_or(0);
    let place = directory.entries.get(found).map_or(0, |entry| entry.local_offset);
    let message = "expected a name without NUL, found one. Write the archive again.";
    Err(Error::malformed(FORMAT, message).in_member(directory.name_str(found)).at(place))
}

/// Hashes eight bytes per step.
fn hash(name: &[u8]) -> u64 {
    let (words, tail) = name.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(tail).for_each(|(to, from)| *to = *from);
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let hash = words.iter().fold(name.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    mix(hash, u64::from_le_bytes(last))
}
