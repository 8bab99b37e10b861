//! Indexes the members of a frame by name, and reads its meta member.

use std::collections::{BTreeMap, HashMap};

use crate::container::members::{ArchiveMeta, MemberName, MemberOwner};
use crate::error::{Error, Result};

use super::opened::Store;

/// Buffers of columns in Arrow's layout by owner, as member numbers.
pub(super) type BufferNames = HashMap<(u8, usize), BTreeMap<String, usize>>;

/// Member numbers by name.
#[derive(Default)]
pub(super) struct MembersByName {
    pub(super) blocks: Vec<Option<usize>>,
    pub(super) index: HashMap<usize, usize>,
    pub(super) columns: HashMap<usize, usize>,
    pub(super) buffers: BufferNames,
    /// Later parts of filtered arrays, and dictionaries.
    parts: HashMap<MemberName, usize>,
    pub(super) meta: Option<usize>,
}

impl MembersByName {
    /// The number of the member with this name.
    pub(super) fn number(&self, name: &MemberName) -> Option<usize> {
        match name {
            MemberName::Meta => None,
            MemberName::Block(i) => self.blocks.get(*i).copied().flatten(),
            MemberName::Index(i) => self.index.get(i).copied(),
            MemberName::Columns(i) => self.columns.get(i).copied(),
            MemberName::Arrow(owner, path) => self.buffers.get(&owner_key(*owner))?.get(path).copied(),
            MemberName::Part(..) | MemberName::Dictionary(_) => self.parts.get(name).copied(),
        }
    }
}

pub(super) fn owner_key(owner: MemberOwner) -> (u8, usize) {
    match owner {
        MemberOwner::Column(i) => (0, i),
        MemberOwner::Index(i) => (1, i),
        MemberOwner::Columns(i) => (2, i),
    }
}

/// Indexes the members by name. Refuses duplicate names.
fn index(store: &Store) -> Result<MembersByName> {
    let mut out =
        MembersByName { blocks: Vec::with_capacity(store.members.len()), ..MembersByName::default() };
    for (number, member) in store.members.iter().enumerate() {
        let is_duplicate = match MemberName::parse(store.name_bytes(member.entry)) {
            // Blocks are numbered without gaps, so a number above the count of members is invalid.
            Some(MemberName::Block(i)) if i < store.members.len() => {
                if out.blocks.len() <= i {
                    out.blocks.resize(i + 1, None);
                }
                out.blocks.get_mut(i).and_then(|slot| slot.replace(number)).is_some()
            }
            Some(MemberName::Index(i)) => out.index.insert(i, number).is_some(),
            Some(MemberName::Columns(i)) => out.columns.insert(i, number).is_some(),
            Some(MemberName::Meta) => out.meta.replace(number).is_some(),
            Some(MemberName::Arrow(owner, path)) => {
                out.buffers.entry(owner_key(owner)).or_default().insert(path, number).is_some()
            }
            Some(name @ (MemberName::Part(..) | MemberName::Dictionary(_))) => {
                out.parts.insert(name, number).is_some()
            }
            Some(MemberName::Block(_)) | None => false,
        };
        if is_duplicate {
            let message = "exists twice. Write the file again.";
            return Err(Error::malformed("zip", message).in_member(store.name(member.entry)));
        }
    }
    Ok(out)
}

/// Indexes the members by name and reads the meta member.
pub(super) fn describe(store: &Store) -> Result<(MembersByName, ArchiveMeta)> {
    let by_name = index(store)?;
    let meta = read_meta(store, by_name.meta)?;
    Ok((by_name, meta))
}

fn read_meta(store: &Store, number: Option<usize>) -> Result<ArchiveMeta> {
    let name = MemberName::Meta.text();
    let Some(member) = number.and_then(|n| store.members.get(n)) else {
        let message =
            "is missing: without it labels and names are unknown. Read the arrays with read_arrays.";
        return Err(Error::malformed("npz", message).in_member(name));
    };
    let in_meta = |e: Error| e.in_member(name.clone()).at(member.offset as u64);
    if member.nbytes as u64 > store.limits.max_meta_nbytes {
        let message =
            format!("declares {} bytes, the limit is {}.", member.nbytes, store.limits.max_meta_nbytes);
        return Err(in_meta(Error::limit("npz", message)));
    }
    let mut bytes = vec![0; member.nbytes];
    member.unpack(&store.source, &mut bytes).map_err(in_meta)?;
    ArchiveMeta::decode(&bytes).map_err(in_meta)
}
