//! Checks over all members, for formats that need every name and every byte to be one member's own.

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
    // The usual archive lists its members as they lie; only another order pays for sorting.
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
    let mut hashes: Vec<(u64, usize)> =
        (0..directory.entries.len()).map(|i| (hash(directory.name(i)), i)).collect();
    // Sorting bounds the cost, however the names were chosen to collide.
    hashes.sort_unstable_by_key(|&(hash, _)| hash);
    for group in hashes.chunk_by_mut(|(left, _), (right, _)| left == right).filter(|group| group.len() > 1) {
        group.sort_unstable_by(|&(_, left), &(_, right)| directory.name(left).cmp(directory.name(right)));
        for pair in group.windows(2) {
            if let [(_, left), (_, right)] = *pair
                && directory.name(left) == directory.name(right)
            {
                let message = "expected each name once, found it twice. Write the archive again.";
                let place = directory.entries.get(right).map_or(0, |entry| entry.local_offset);
                return Err(Error::malformed(FORMAT, message).in_member(directory.name_str(right)).at(place));
            }
        }
    }
    Ok(())
}

/// Eight bytes a step; only equality of results matters.
fn hash(name: &[u8]) -> u64 {
    let (words, tail) = name.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(tail).for_each(|(to, from)| *to = *from);
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let hash = words.iter().fold(name.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    mix(hash, u64::from_le_bytes(last))
}
