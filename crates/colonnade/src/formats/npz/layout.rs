//! The layout of the archive: arrays aligned, members of a group at a constant distance.

use crate::container::members::{MemberName, PlannedMember};
use crate::container::zip::{LocalHeader, aligned_len};
use crate::memory::odd_lines;

/// Arrays from this size on start on a page, so that each can be mapped on its own.
const PAGE_ALIGNED_NBYTES: usize = 1 << 20;
const PAGE: u32 = 4096;

/// Everything else starts on a cache line, which is Arrow's and SIMD's alignment.
const LINE: u32 = 64;

/// Shortest extra field. Every gap inside a group leaves room for one.
const GAP_MIN: usize = 6;

/// Computes the positions of stored members.
pub(super) struct ArchiveLayout {
    group: Option<usize>,
    head: Vec<u8>,
    /// Offset of the next member's NPY header, and the distance to the one after, inside a group of several.
    next: Option<(u64, u64)>,
}

impl ArchiveLayout {
    pub(super) fn new() -> Self {
        Self { group: None, head: Vec::new(), next: None }
    }

    /// The NPY header of a member; a group shares one.
    pub(super) fn head(&mut self, member: &PlannedMember) -> &[u8] {
        if self.group != Some(member.group) {
            self.head = member.head();
        }
        &self.head
    }

    /// Length of the local header of `members[i]`, which starts at `position`. It aligns the first array of a group, and keeps
    /// the constant distance for the others.
    pub(super) fn local_len(
        &mut self,
        members: &[PlannedMember],
        i: usize,
        name: &[u8],
        position: u64,
    ) -> usize {
        let Some(member) = members.get(i) else { return 0 };
        let nbytes = self.head(member).len() + member.nbytes();
        let min_len = min_len(name, nbytes);
        let is_first = self.group != Some(member.group);
        self.group = Some(member.group);
        if !is_first && let Some((start, distance)) = self.next {
            self.next = Some((start + distance, distance));
            return usize::try_from(start - position).unwrap_or(min_len);
        }
        let alignment = if member.nbytes() >= PAGE_ALIGNED_NBYTES { PAGE } else { LINE };
        let length = aligned_len(min_len, position, self.head.len(), alignment);
        let mut widest = min_len;
        let mut bytes = Vec::new();
        member.name.append_to(&mut bytes);
        // In a bundle, every name starts with the frame's label.
        let prefix = name.len().saturating_sub(bytes.len());
        let rest = members.iter().skip(i + 1).take_while(|m| m.group == member.group);
        let mut count = 1;
        for other in rest {
            bytes.clear();
            other.name.append_to(&mut bytes);
            widest = widest.max(self::min_len(&bytes, nbytes) + prefix);
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

/// Writes the name into a reusable buffer.
pub(super) fn name_bytes<'b>(name: &MemberName, prefix: &str, buffer: &'b mut Vec<u8>) -> &'b [u8] {
    buffer.clear();
    buffer.extend_from_slice(prefix.as_bytes());
    name.append_to(buffer);
    buffer
}
