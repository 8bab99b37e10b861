//! Finds the filtered members of a store, checks their headers against the meta member, and decodes them.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::codec::filter::ValueTable;
use crate::container::members::{ArchiveMeta, FilterSpec, MemberFilter, MemberName};
use crate::container::npy;
use crate::container::zip::Method;
use crate::decode::GroupKey;
use crate::error::{Error, Result};
use crate::parallel;
use crate::progress::NoProgress;

use super::MAX_HEADER_NBYTES;
use super::by_name::MembersByName;
use super::filtered_array::{DICTIONARY_PART, FilteredArray};
use super::opened::Store;
use super::scan::{ScannedArray, StoredMember, array_key};

/// Largest scratch buffer that a thread keeps for the next member.
const SCRATCH_NBYTES: usize = 8 << 20;

/// Dictionaries' values by the number of their filtered array.
pub(super) type DecodeTables = HashMap<u32, ValueTable>;

/// Finds the members of the filtered arrays that the meta member lists.
pub(super) fn locate_parts(store: &mut Store, by_name: &MembersByName, meta: &ArchiveMeta) -> Result<()> {
    let mut total = 0u64;
    for spec in &meta.filters {
        let at_meta = by_name.meta.and_then(|n| store.members.get(n)).map_or(0, |m| m.offset as u64);
        let missing = |name: String| {
            let message = "is missing, though __colonnade__ lists it as part of a filtered array. Write the file again.";
            Error::malformed("npz", message).in_member(name).at(at_meta)
        };
        let key = MemberFilter::None.key(spec.dtype, spec.nrows, spec.width, false);
        let (cap, nbytes) =
            (store.limits.max_member_nbytes.min(store.limits.max_nbytes), key.nbytes() as u64);
        total = total.saturating_add(nbytes);
        if nbytes > cap || total > store.limits.max_nbytes {
            let message = format!(
                "filtered arrays declare {total} bytes, the limit is {}. Raise Limits(max_nbytes=..., max_member_nbytes=...) if you trust the file.",
                cap.min(store.limits.max_nbytes)
            );
            return Err(Error::limit("npz", message).in_member(spec.member.clone()).at(at_meta));
        }
        let name = MemberName::parse(spec.member.as_bytes());
        let Some((name, first)) = name.and_then(|n| by_name.number(&n).map(|first| (n, first))) else {
            return Err(missing(spec.member.clone()));
        };
        let number = u32::try_from(store.filtered.len() + 1).unwrap_or(u32::MAX);
        let mut values = None;
        if spec.filter == MemberFilter::Dictionary {
            let name = MemberName::Dictionary(Box::new(name.clone()));
            let found = by_name.number(&name).ok_or_else(|| missing(name.text()))?;
            let key = MemberFilter::None.key(spec.dtype, spec.values, 1, false);
            claim(store, found, &key, spec, (number, DICTIONARY_PART))?;
            values = Some(found);
        }
        for k in 0..spec.parts() {
            let found = match k {
                0 => first,
                k => {
                    let name = MemberName::Part(Box::new(name.clone()), k);
                    by_name.number(&name).ok_or_else(|| missing(name.text()))?
                }
            };
            let part = u32::try_from(k)
                .ok()
                .filter(|&k| k != DICTIONARY_PART)
                .ok_or_else(|| missing(name.text()))?;
            claim(store, found, &spec.key(k), spec, (number, part))?;
        }
        store.filtered.push(FilteredArray { spec: spec.clone(), key, first, values });
    }
    Ok(())
}

/// Marks a member as a part of a filtered array, if its header fits the filter.
fn claim(
    store: &mut Store,
    found: usize,
    expected: &GroupKey,
    spec: &FilterSpec,
    mark: (u32, u32),
) -> Result<()> {
    let Some(member) = store.members.get(found) else { return Ok(()) };
    let in_member = |e: Error| e.in_member(store.name(member.entry)).at(member.offset as u64);
    if member.filter != 0 {
        return Err(in_member(Error::malformed("npz", "is listed as part of two filtered arrays.")));
    }
    let array = if member.method == Method::Stored {
        let found_key = match store.array_of(member) {
            ScannedArray::Plain { key, .. } => Some(*key),
            _ => None,
        };
        if !found_key.is_some_and(|found_key| is_same_array(&found_key, expected)) {
            return Err(in_member(header_mismatch(spec, expected, found_key.as_ref())));
        }
        member.array
    } else {
        // Decompressing the start would cost a block, so the header is checked when the whole member is decoded. The
        // directory declares its size.
        let head = member.nbytes.checked_sub(expected.nbytes()).filter(|head| HEADER_NBYTES.contains(head));
        let head = head.ok_or_else(|| in_member(header_mismatch(spec, expected, None)))?;
        store.arrays.declare(*expected, head)?
    };
    if let Some(member) = store.members.get_mut(found) {
        (member.filter, member.part) = mark;
        member.array = array;
    }
    Ok(())
}

/// Valid lengths of headers of plain arrays.
const HEADER_NBYTES: std::ops::RangeInclusive<usize> = 16..=4096;

fn header_mismatch(spec: &FilterSpec, expected: &GroupKey, found_key: Option<&GroupKey>) -> Error {
    let message = format!(
        "expected {}, which filter \"{}\" makes of {}, found {}.",
        array_text(expected),
        spec.filter.name(),
        spec.dtype.descr(),
        found_key.map_or_else(|| "another array".to_owned(), array_text)
    );
    Error::malformed("npz", message)
}

fn is_same_array(a: &GroupKey, b: &GroupKey) -> bool {
    // With at most one row or column both orders give the same bytes.
    let free = !a.two_dimensional || a.nrows <= 1 || a.width <= 1;
    let shape = |k: &GroupKey| (k.dtype, k.nrows, k.width, k.two_dimensional);
    shape(a) == shape(b) && (free || a.fortran_order == b.fortran_order)
}

fn array_text(key: &GroupKey) -> String {
    let order = if !key.two_dimensional || key.nrows <= 1 || key.width <= 1 {
        ""
    } else if key.fortran_order {
        " in Fortran order"
    } else {
        " in C order"
    };
    let shape = if key.two_dimensional {
        format!("({}, {})", key.nrows, key.width)
    } else {
        format!("({},)", key.nrows)
    };
    format!("{} of shape {shape}{order}", key.dtype.descr())
}

impl Store {
    /// The filtered array that a member is part of.
    pub(super) fn filtered_of(&self, member: &StoredMember) -> Option<&FilteredArray> {
        self.filtered.get((member.filter as usize).checked_sub(1)?)
    }

    /// Bytes of the image that a member fills.
    pub(super) fn decoded_nbytes(&self, member: &StoredMember) -> usize {
        self.filtered_of(member).map_or(member.nbytes, |filtered| filtered.extent(member.part).1)
    }

    /// The name of a member's filter.
    pub(super) fn filter_name(&self, member: &StoredMember) -> Option<&'static str> {
        self.filtered_of(member).filter(|_| member.part != DICTIONARY_PART).map(|f| f.spec.filter.name())
    }

    /// The members with the dictionaries' values that `members` need.
    pub(super) fn values_of<'m>(
        &self,
        members: impl Iterator<Item = &'m StoredMember>,
    ) -> Vec<(u32, &StoredMember)> {
        let mut numbers: Vec<u32> = members.map(|m| m.filter).filter(|&number| number != 0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let values = |number: u32| {
            let filtered = self.filtered.get((number as usize).checked_sub(1)?)?;
            Some((number, self.members.get(filtered.values?)?))
        };
        numbers.into_iter().filter_map(values).collect()
    }

    /// The lookup tables of these values.
    pub(super) fn tables(&self, values: &[(u32, &StoredMember)], threads: usize) -> Result<DecodeTables> {
        let tasks = values.iter().map(|&(number, member)| {
            let work = move || {
                let Some(spec) = self.filtered_of(member).map(|f| &f.spec) else { return Ok(None) };
                let table = self.payload(member, |bytes| {
                    ValueTable::new(bytes, spec.dtype.itemsize as usize, spec.is_wide())
                });
                let table = table.map_err(|e| e.in_member(self.name(member.entry)))?;
                Ok(table.map(|table| (number, table)))
            };
            (member.nbytes, work)
        });
        Ok(parallel::map(tasks.collect(), threads, &NoProgress)?.into_iter().flatten().collect())
    }

    /// Decodes a part of an array into its place in the image.
    pub(super) fn unfilter(
        &self,
        member: &StoredMember,
        tables: &DecodeTables,
        target: &mut [u8],
    ) -> Result<()> {
        let Some(filtered) = self.filtered_of(member) else { return Ok(()) };
        let table = tables.get(&member.filter);
        self.payload(member, |bytes| filtered.decode(member.part, bytes, table, target))?
            .map_err(|e| e.at(member.offset as u64))
    }

    /// Passes the encoded bytes of the member's array to `take`.
    ///
    /// # Errors
    /// Malformed: another header than expected. Errors of the codec and of the operating system.
    fn payload<T>(&self, member: &StoredMember, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        thread_local! {
            static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        let head = match self.array_of(member) {
            ScannedArray::Plain { head, .. } => *head,
            _ => 0,
        };
        if member.method == Method::Stored {
            let bytes = self.source.fetch(member.entry, member.offset, member.nbytes)?;
            return Ok(take(bytes.get(head..).unwrap_or_default()));
        }
        let mut scratch = SCRATCH.take();
        if scratch.len() < member.nbytes {
            scratch.resize(member.nbytes, 0);
        }
        let bytes = scratch.get_mut(..member.nbytes).unwrap_or_default();
        member.unpack(&self.source, bytes)?;
        self.check_header(member, bytes, head)?;
        let out = take(bytes.get(head..).unwrap_or_default());
        if scratch.len() <= SCRATCH_NBYTES {
            SCRATCH.set(scratch);
        }
        Ok(out)
    }

    /// Refuses a member whose header does not fit its filter.
    fn check_header(&self, member: &StoredMember, bytes: &[u8], head: usize) -> Result<()> {
        let at = |e: Error| e.at(member.offset as u64);
        let (ScannedArray::Plain { key, .. }, Some(filtered)) =
            (self.array_of(member), self.filtered_of(member))
        else {
            return Ok(());
        };
        let header = npy::parse_header(bytes, Some(bytes.len() as u64), MAX_HEADER_NBYTES).map_err(at)?;
        let found_key = array_key(&header);
        if header.data_offset == head && found_key.is_some_and(|found_key| is_same_array(&found_key, key)) {
            return Ok(());
        }
        Err(at(header_mismatch(&filtered.spec, key, found_key.as_ref())))
    }
}
