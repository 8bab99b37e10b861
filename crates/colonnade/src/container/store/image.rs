//! Lays out the image: the memory that compressed or misaligned members are decoded into.

use crate::container::zip::Method;
use crate::decode::{GroupKey, group_ids};
use crate::error::{Error, Result};

use super::filtered_array::FilteredArray;
use super::place::Space;
use super::scan::{ArrayTable, ScannedArray, StoredMember};

/// Gives every array its place and returns the image's size. An array stays in the source if it is stored, aligned and in
/// memory, and else goes to the image. Members of equal header are adjacent there, so they form one strided block.
pub(super) fn place_all(
    members: &mut [StoredMember],
    arrays: &ArrayTable,
    filtered: &[FilteredArray],
    resident: bool,
) -> Result<usize> {
    const LINE: usize = 64;
    let mut decoded: Vec<(usize, GroupKey)> = Vec::new();
    let mut rest = Vec::new();
    for (i, member) in members.iter_mut().enumerate() {
        member.space = Space::Source;
        member.start = member.offset;
        if let Some(filtered) = (member.filter as usize).checked_sub(1).and_then(|n| filtered.get(n)) {
            member.space = Space::Image;
            if member.part == 0 {
                decoded.push((i, filtered.key));
            }
            continue;
        }
        match arrays.get(member.array) {
            ScannedArray::Plain { key, head } => {
                let aligned = (member.offset + head) % key.dtype.alignment() == 0;
                if member.method != Method::Stored || !aligned || !resident {
                    decoded.push((i, *key));
                }
            }
            ScannedArray::Other(_) if member.method != Method::Stored || !resident => rest.push(i),
            ScannedArray::None | ScannedArray::Other(_) => {}
        }
    }
    let ids = group_ids(decoded.iter().map(|(_, key)| key));
    // Headers in a group may differ in length or be absent. Reserving the longest keeps the arrays' distance constant.
    let mut heads = vec![0; ids.iter().max().map_or(0, |last| last + 1)];
    for (&id, (i, _)) in ids.iter().zip(&decoded) {
        if let (Some(most), Some(member)) = (heads.get_mut(id), members.get(*i)) {
            *most = header_nbytes(member, arrays).max(*most);
        }
    }
    let mut order: Vec<(usize, usize)> = ids.iter().zip(&decoded).map(|(&id, &(i, _))| (id, i)).collect();
    order.sort_by_key(|&(id, _)| id);
    let overflow = || Error::limit("npz", "the members together pass the address space.");
    let mut end = 0usize;
    let rest = rest.into_iter().map(|i| (None, i));
    for (id, i) in order.into_iter().map(|(id, i)| (Some(id), i)).chain(rest) {
        let Some(member) = members.get_mut(i) else { continue };
        let head = header_nbytes(member, arrays);
        let reserved = id.and_then(|id| heads.get(id).copied()).unwrap_or(head);
        // The array starts on a cache line. Its header is decoded before it.
        let data = end.checked_add(reserved).and_then(|end| end.checked_next_multiple_of(LINE));
        member.space = Space::Image;
        member.start = data.ok_or_else(overflow)? - head;
        let filtered = (member.filter as usize).checked_sub(1).and_then(|n| filtered.get(n));
        let nbytes = filtered.map_or(member.nbytes, |f| f.nbytes());
        end = member.start.checked_add(nbytes).ok_or_else(overflow)?;
    }
    for i in 0..members.len() {
        let Some(member) = members.get(i).filter(|m| m.filter != 0 && m.part != 0) else { continue };
        let Some(filtered) = filtered.get(member.filter as usize - 1) else { continue };
        let base = members.get(filtered.first).map_or(0, |m| m.start);
        let start = base.checked_add(filtered.extent(member.part).0).ok_or_else(overflow)?;
        if let Some(member) = members.get_mut(i) {
            member.start = start;
        }
    }
    Ok(end)
}

/// Bytes of a member's header that are decoded into the image with its array.
fn header_nbytes(member: &StoredMember, arrays: &ArrayTable) -> usize {
    match arrays.get(member.array) {
        _ if member.filter != 0 => 0,
        ScannedArray::Plain { head, .. } => *head,
        ScannedArray::Other(header) => header.data_offset,
        ScannedArray::None => 0,
    }
}
