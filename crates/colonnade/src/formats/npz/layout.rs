//! Where members lie: arrays aligned, members of a group at a constant distance.

use crate::container::members::{Name, Planned};
use crate::container::zip::{LocalHeader, aligned_len};
use crate::memory::odd_lines;

/// Arrays of this size and more start on a page, so that they can be mapped alone.
const PAGE_ALIGNED_NBYTES: usize = 1 << 20;
const PAGE: u32 = 4096;

/// Everything else starts on a cache line, which is Arrow's and SIMD's alignment.
const LINE: u32 = 64;

/// An extra field cannot be shorter, so every gap inside a group leaves room for one.
const GAP_MIN: usize = 6;

/// Lays stored members one after the other.
pub(super) struct Layout {
    group: Option<usize>,
    head: Vec<u8>,
    /// Offset of the next member's NPY header, and the distance to the one after, inside a group of several.
    next: Option<(u64, u64)>,
}

impl Layout {
    pub(super) fn new() -> Self {
        Self { group: None, head: Vec::new(), next: None }
    }

    /// The NPY header of `members[i]`, equal in a group.
    pub(super) fn head(&mut self, member: &Planned) -> &[u8] {
        if self.group != Some(member.group) {
            self.head = member.head();
        }
        &self.head
    }

    /// Length of the local header of `members[i]` that starts at `position`: aligned for the first of a group, then so
    /// that the constant distance holds.
    pub(super) fn local_len(&mut self, members: &[Planned], i: usize, name: &[u8], position: u64) -> usize {
        let Some(member) = members.get(i) else { return 0 };
        let nbytes = self.head(member).len() + member.nbytes();
        let min_len = min_len(name, nbytes);
        let opens = self.group != Some(member.group);
        self.group = Some(member.group);
        if !opens && let Some((start, distance)) = self.next {
            self.next = Some((start + distance, distance));
            return usize::try_from(start - position).unwrap_or(min_len);
        }
        let alignment = if member.nbytes() >= PAGE_ALIGNED_NBYTES { PAGE } else { LINE };
        let length = aligned_len(min_len, position, self.head.len(), alignment);
        let mut widest = min_len;
        let mut spelled = Vec::new();
        member.name.spell(&mut spelled);
        // Of a bundle's frame, the label stands in front of every name.
        let prefix = name.len().saturating_sub(spelled.len());
        let rest = members.iter().skip(i + 1).take_while(|m| m.group == member.group);
        let mut count = 1;
        for other in rest {
            spelled.clear();
            other.name.spell(&mut spelled);
            widest = widest.max(self::min_len(&spelled, nbytes) + prefix);
            count += 1;
        }
        self.next = (count > 1).then(|| {
            let start = position + length as u64;
            let distance = odd_lines(widest + GAP_MIN + nbytes) as u64;
            (start + distance, distance)
        });
        length
    }
}

fn min_len(name: &[u8], nbytes: usize) -> usize {
    LocalHeader::stored(name, nbytes as u64, 0).min_len()
}

/// The name's bytes, in a buffer that is used again.
pub(super) fn spell<'b>(name: &Name, prefix: &str, buffer: &'b mut Vec<u8>) -> &'b [u8] {
    buffer.clear();
    buffer.extend_from_slice(prefix.as_bytes());
    name.spell(buffer);
    buffer
}
