//! Filtered members of a store: found, checked against what the meta member says of them, and unpacked.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::codec::filter::Table;
use crate::container::members::{Filter, FilterSpec, Meta, Name};
use crate::container::npy;
use crate::container::zip::Method;
use crate::decode::GroupKey;
use crate::error::{Error, Result};
use crate::parallel;
use crate::progress::NoProgress;

use super::MAX_HEADER_NBYTES;
use super::filtered_array::{Filtered, VALUES};
use super::opened::Store;
use super::scan::{Array, Member, plain};
use super::sorted::Sorted;

/// Room that a thread keeps for the next member.
const ROOM_NBYTES: usize = 8 << 20;

/// Values of dictionaries by the number of their array.
pub(super) type Tables = HashMap<u32, Table>;

/// Finds the members that the meta member calls filtered.
pub(super) fn apply(store: &mut Store, sorted: &Sorted, meta: &Meta) -> Result<()> {
    let mut total = 0u64;
    for spec in &meta.filters {
        let at_meta = sorted.meta.and_then(|n| store.members.get(n)).map_or(0, |m| m.offset as u64);
        let missing = |name: String| {
            let message =
                "is missing: __colonnade__ calls it part of a filtered array. Write the file again.";
            Error::malformed("npz", message).in_member(name).at(at_meta)
        };
        let key = Filter::None.key(spec.dtype, spec.nrows, spec.width, false);
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
        let name = Name::parse(spec.member.as_bytes());
        let Some((name, first)) = name.and_then(|n| sorted.number(&n).map(|first| (n, first))) else {
            return Err(missing(spec.member.clone()));
        };
        let number = u32::try_from(store.filtered.len() + 1).unwrap_or(u32::MAX);
        let mut values = None;
        if spec.filter == Filter::Dictionary {
            let name = Name::Dictionary(Box::new(name.clone()));
            let found = sorted.number(&name).ok_or_else(|| missing(name.text()))?;
            let key = Filter::None.key(spec.dtype, spec.values, 1, false);
            claim(store, found, &key, spec, (number, VALUES))?;
            values = Some(found);
        }
        for k in 0..spec.parts() {
            let found = match k {
                0 => first,
                k => {
                    let name = Name::Part(Box::new(name.clone()), k);
                    sorted.number(&name).ok_or_else(|| missing(name.text()))?
                }
            };
            let part = u32::try_from(k).ok().filter(|&k| k != VALUES).ok_or_else(|| missing(name.text()))?;
            claim(store, found, &spec.key(k), spec, (number, part))?;
        }
        store.filtered.push(Filtered { spec: spec.clone(), key, first, values });
    }
    Ok(())
}

/// Marks a member as a part, if its header is what the filter makes.
fn claim(
    store: &mut Store,
    found: usize,
    wanted: &GroupKey,
    spec: &FilterSpec,
    mark: (u32, u32),
) -> Result<()> {
    let Some(member) = store.members.get(found) else { return Ok(()) };
    let named = |e: Error| e.in_member(store.name(member.entry)).at(member.offset as u64);
    if member.filter != 0 {
        return Err(named(Error::malformed("npz", "is called part of two filtered arrays.")));
    }
    let array = if member.method == Method::Stored {
        let seen = match store.array_of(member) {
            Array::Plain { key, .. } => Some(*key),
            _ => None,
        };
        if !seen.is_some_and(|seen| same(&seen, wanted)) {
            return Err(named(other(spec, wanted, seen.as_ref())));
        }
        member.array
    } else {
        // To decompress its beginning would cost a block: the header is looked at when the whole is here. Its size is told.
        let head = member.nbytes.checked_sub(wanted.nbytes()).filter(|head| HEADS.contains(head));
        let head = head.ok_or_else(|| named(other(spec, wanted, None)))?;
        store.arrays.expected(*wanted, head)?
    };
    if let Some(member) = store.members.get_mut(found) {
        (member.filter, member.part) = mark;
        member.array = array;
    }
    Ok(())
}

/// Lengths of headers of plain arrays.
const HEADS: std::ops::RangeInclusive<usize> = 16..=4096;

fn other(spec: &FilterSpec, wanted: &GroupKey, seen: Option<&GroupKey>) -> Error {
    let message = format!(
        "expected {}, as filter \"{}\" makes it of {}, found {}.",
        shown(wanted),
        spec.filter.name(),
        spec.dtype.descr(),
        seen.map_or_else(|| "another array".to_owned(), shown)
    );
    Error::malformed("npz", message)
}

fn same(a: &GroupKey, b: &GroupKey) -> bool {
    // One row, one column or none: both orders are the same bytes.
    let free = !a.two_dimensional || a.nrows <= 1 || a.width <= 1;
    let shape = |k: &GroupKey| (k.dtype, k.nrows, k.width, k.two_dimensional);
    shape(a) == shape(b) && (free || a.fortran_order == b.fortran_order)
}

fn shown(key: &GroupKey) -> String {
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
    /// The array that a member is part of, where it is filtered.
    pub(super) fn filtered_of(&self, member: &Member) -> Option<&Filtered> {
        self.filtered.get((member.filter as usize).checked_sub(1)?)
    }

    /// How many bytes of the image a member fills.
    pub(super) fn landed_nbytes(&self, member: &Member) -> usize {
        self.filtered_of(member).map_or(member.nbytes, |filtered| filtered.extent(member.part).1)
    }

    /// The name of a member's filter.
    pub(super) fn filter_name(&self, member: &Member) -> Option<&'static str> {
        self.filtered_of(member).filter(|_| member.part != VALUES).map(|f| f.spec.filter.name())
    }

    /// The members of values that the parts among `members` need.
    pub(super) fn values_of<'m>(&self, members: impl Iterator<Item = &'m Member>) -> Vec<(u32, &Member)> {
        let mut numbers: Vec<u32> = members.map(|m| m.filter).filter(|&number| number != 0).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let values = |number: u32| {
            let filtered = self.filtered.get((number as usize).checked_sub(1)?)?;
            Some((number, self.members.get(filtered.values?)?))
        };
        numbers.into_iter().filter_map(values).collect()
    }

    /// The tables of these values.
    pub(super) fn tables(&self, values: &[(u32, &Member)], threads: usize) -> Result<Tables> {
        let tasks = values.iter().map(|&(number, member)| {
            let work = move || {
                let Some(spec) = self.filtered_of(member).map(|f| &f.spec) else { return Ok(None) };
                let table = self
                    .payload(member, |bytes| Table::new(bytes, spec.dtype.itemsize as usize, spec.is_wide()));
                let table = table.map_err(|e| e.in_member(self.name(member.entry)))?;
                Ok(table.map(|table| (number, table)))
            };
            (member.nbytes, work)
        });
        Ok(parallel::gather(tasks.collect(), threads, &NoProgress)?.into_iter().flatten().collect())
    }

    /// Puts a part of an array as it was into its place.
    pub(super) fn unfilter(&self, member: &Member, tables: &Tables, target: &mut [u8]) -> Result<()> {
        let Some(filtered) = self.filtered_of(member) else { return Ok(()) };
        let table = tables.get(&member.filter);
        self.payload(member, |bytes| filtered.undo(member.part, bytes, table, target))?
            .map_err(|e| e.at(member.offset as u64))
    }

    /// Hands out the array's bytes as the member holds them.
    ///
    /// # Errors
    /// Malformed where the header is another than was expected; the codec's and the system's own.
    fn payload<T>(&self, member: &Member, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        thread_local! {
            static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        let head = match self.array_of(member) {
            Array::Plain { head, .. } => *head,
            _ => 0,
        };
        if member.method == Method::Stored {
            let bytes = self.source.fetch(member.entry, member.offset, member.nbytes)?;
            return Ok(take(bytes.get(head..).unwrap_or_default()));
        }
        let mut room = ROOM.take();
        if room.len() < member.nbytes {
            room.resize(member.nbytes, 0);
        }
        let bytes = room.get_mut(..member.nbytes).unwrap_or_default();
        member.unpack(&self.source, bytes)?;
        self.check_header(member, bytes, head)?;
        let out = take(bytes.get(head..).unwrap_or_default());
        if room.len() <= ROOM_NBYTES {
            ROOM.set(room);
        }
        Ok(out)
    }
}

impl Store {
    /// Refuses a member whose header is not what its filter makes.
    fn check_header(&self, member: &Member, bytes: &[u8], head: usize) -> Result<()> {
        let at = |e: Error| e.at(member.offset as u64);
        let (Array::Plain { key, .. }, Some(filtered)) = (self.array_of(member), self.filtered_of(member))
        else {
            return Ok(());
        };
        let header = npy::parse_header(bytes, Some(bytes.len() as u64), MAX_HEADER_NBYTES).map_err(at)?;
        let seen = plain(&header);
        if header.data_offset == head && seen.is_some_and(|seen| same(&seen, key)) {
            return Ok(());
        }
        Err(at(other(&filtered.spec, key, seen.as_ref())))
    }
}
