//! The frame that a set of members describes: blocks grouped, axes found, everything a place.

use std::collections::{BTreeMap, HashMap};

use crate::container::members::{AxisMeta, ColumnSpec, Meta, Name, Owner};
use crate::container::npy::Descr;
use crate::container::zip::Method;
use crate::decode::{GroupKey, Groups, group_ids};
use crate::error::{Error, Result};
use crate::frame::paths::Leaves;
use crate::frame::{Axis, Grid, Part, Tags};

use super::Store;
use super::place::{BufferPlace, ColumnPlace, LevelPlace, Place, Space};
use super::scan::{Array, Member};

/// A frame before any byte moves.
#[derive(Debug)]
pub(super) struct FramePlaces {
    pub(super) nrows: usize,
    pub(super) ncols: usize,
    pub(super) parts: Vec<Part<Place, ColumnPlace>>,
    pub(super) index: AxisPlaces,
    pub(super) columns: AxisPlaces,
    pub(super) tags: Tags,
    pub(super) version: Option<u64>,
}

/// The labels of one side.
#[derive(Debug, Clone)]
pub(super) enum AxisPlaces {
    /// Nothing to read.
    Ready(Axis),
    /// Levels; the axis carries class, name and meta, with an empty range for labels.
    Levels(Axis, Vec<LevelPlace>),
    /// A range whose labels are stored too, for readers that do not know it: they must be the same.
    Spelled(Axis, Vec<LevelPlace>),
}

/// Buffers of columns in Arrow's layout by owner, as member numbers.
type Buffers = HashMap<(u8, usize), BTreeMap<String, usize>>;

/// Members by what their names say.
#[derive(Default)]
pub(super) struct Sorted {
    blocks: Vec<Option<usize>>,
    index: HashMap<usize, usize>,
    columns: HashMap<usize, usize>,
    buffers: Buffers,
    /// Following parts of filtered arrays, and values of their codes.
    parts: HashMap<Name, usize>,
    pub(super) meta: Option<usize>,
}

impl Sorted {
    /// The member of a name.
    pub(super) fn number(&self, name: &Name) -> Option<usize> {
        match name {
            Name::Meta => None,
            Name::Block(i) => self.blocks.get(*i).copied().flatten(),
            Name::Index(i) => self.index.get(i).copied(),
            Name::Columns(i) => self.columns.get(i).copied(),
            Name::Arrow(owner, path) => self.buffers.get(&owner_key(*owner))?.get(path).copied(),
            Name::Part(..) | Name::Dictionary(_) => self.parts.get(name).copied(),
        }
    }
}

fn owner_key(owner: Owner) -> (u8, usize) {
    match owner {
        Owner::Column(i) => (0, i),
        Owner::Index(i) => (1, i),
        Owner::Columns(i) => (2, i),
    }
}

/// The members by what their names say. A name that stands twice is refused.
fn sort(store: &Store) -> Result<Sorted> {
    let mut out = Sorted { blocks: Vec::with_capacity(store.members.len()), ..Sorted::default() };
    for (number, member) in store.members.iter().enumerate() {
        let twice = match Name::parse(store.name_bytes(member.entry)) {
            // A number past the count of members cannot be in a row without gaps.
            Some(Name::Block(i)) if i < store.members.len() => {
                if out.blocks.len() <= i {
                    out.blocks.resize(i + 1, None);
                }
                out.blocks.get_mut(i).and_then(|slot| slot.replace(number)).is_some()
            }
            Some(Name::Index(i)) => out.index.insert(i, number).is_some(),
            Some(Name::Columns(i)) => out.columns.insert(i, number).is_some(),
            Some(Name::Meta) => out.meta.replace(number).is_some(),
            Some(Name::Arrow(owner, path)) => {
                out.buffers.entry(owner_key(owner)).or_default().insert(path, number).is_some()
            }
            Some(name @ (Name::Part(..) | Name::Dictionary(_))) => out.parts.insert(name, number).is_some(),
            Some(Name::Block(_)) | None => false,
        };
        if twice {
            let message = "stands twice: which one is meant nobody can tell. Write the file again.";
            return Err(Error::malformed("zip", message).in_member(store.name(member.entry)));
        }
    }
    Ok(out)
}

/// The members by their names, and what the meta member says.
pub(super) fn describe(store: &Store) -> Result<(Sorted, Meta)> {
    let sorted = sort(store)?;
    let meta = read_meta(store, sorted.meta)?;
    Ok((sorted, meta))
}

/// The frame under StaticFrame's names.
pub(super) fn from_members(store: &Store, sorted: &Sorted, meta: &Meta) -> Result<FramePlaces> {
    if sorted.blocks.len() < meta.blocks || sorted.blocks.iter().take(meta.blocks).any(Option::is_none) {
        let missing =
            (0..meta.blocks).find(|&i| sorted.blocks.get(i).copied().flatten().is_none()).unwrap_or(0);
        let message = format!("expected {} blocks as __meta__.json says, this one is missing.", meta.blocks);
        let meta = sorted.meta.and_then(|n| store.members.get(n)).map_or(0, |m| m.offset);
        return Err(Error::malformed("npz", message).in_member(Name::Block(missing).text()).at(meta as u64));
    }
    // Positions of columns in Arrow's layout are taken; blocks fill the others from left to right.
    let mut taken: Vec<usize> = meta.arrow.iter().map(|(position, _)| *position).collect();
    taken.sort_unstable();
    let mut taken = taken.into_iter().peekable();
    let mut position = 0usize;
    let (mut image, mut direct) = (Groups::default(), Groups::default());
    let mut nrows = None;
    let ids = block_ids(store, sorted, meta.blocks);
    for (i, number) in sorted.blocks.iter().take(meta.blocks).flatten().enumerate() {
        let Some(member) = store.members.get(*number) else { continue };
        let named = |e: Error| e.in_member(store.name(member.entry)).at(member.offset as u64);
        let (key, offset) = grid_of(store, member).map_err(named)?;
        check_width(store, position.saturating_add(key.width)).map_err(named)?;
        let expected = *nrows.get_or_insert(key.nrows);
        if key.nrows != expected {
            let message = format!("expected {expected} rows as the blocks before, found {}.", key.nrows);
            return Err(named(Error::malformed("npz", message)));
        }
        while taken.next_if_eq(&position).is_some() {
            position += 1;
        }
        if key.width == 0 {
            continue;
        }
        let groups = if member.space == Space::Image { &mut image } else { &mut direct };
        let id = ids.get(i).copied().unwrap_or(member.array as usize);
        groups.push(id, key, offset, position);
        position += key.width;
    }
    let mut parts = Vec::new();
    for (groups, space) in [(direct, Space::Source), (image, Space::Image)] {
        parts.extend(
            groups.finish().into_iter().map(|(grid, places)| Part::Block(Place { space, grid }, places)),
        );
    }
    for (position, spec) in &meta.arrow {
        let expected = *nrows.get_or_insert(spec.length);
        if spec.length != expected {
            let message = format!("column {position}: expected {expected} rows, found {}.", spec.length);
            return Err(Error::malformed("npz", message));
        }
        parts.push(Part::Column(
            column_place(store, &sorted.buffers, Owner::Column(*position), spec)?,
            *position,
        ));
    }
    let ncols = position + taken.count();
    check_width(store, ncols)?;
    crate::frame::slots(&parts, ncols)?;
    let ours = meta.version.is_some();
    let index = axis(store, &meta.index, &sorted.index, &sorted.buffers, Owner::Index, nrows, ours)?;
    let columns =
        axis(store, &meta.columns, &sorted.columns, &sorted.buffers, Owner::Columns, Some(ncols), ours)?;
    let nrows = match (nrows, axis_len(&index)) {
        (Some(nrows), labels) if nrows != labels => {
            return Err(disagree(store, &sorted.index, "__values_index_0__.npy", "rows", nrows, labels));
        }
        (_, labels) => labels,
    };
    let labels = axis_len(&columns);
    // A frame without blocks has as many columns as labels only where there are none of either.
    if labels != ncols {
        return Err(disagree(store, &sorted.columns, "__values_columns_0__.npy", "columns", ncols, labels));
    }
    check_rows(store, nrows, &parts)?;
    let tags = Tags { name: meta.name.clone(), attrs: meta.attrs.clone(), origin: meta.origin.clone() };
    Ok(FramePlaces { nrows, ncols, parts, index, columns, tags, version: meta.version })
}

/// A number for each block's array as it comes back, in a filtered file: there equal headers do not mean equal arrays.
fn block_ids(store: &Store, sorted: &Sorted, nblocks: usize) -> Vec<usize> {
    if store.filtered.is_empty() {
        return Vec::new();
    }
    let members = sorted.blocks.iter().take(nblocks).flatten().filter_map(|&n| store.members.get(n));
    // The first that is no grid is refused when its turn comes.
    let keys = members.map_while(|member| grid_of(store, member).ok().map(|(key, _)| key));
    let keys: Vec<GroupKey> = keys.collect();
    group_ids(keys.iter())
}

/// Rows that no byte stands behind (automatic labels, columns of null, types of no width) can be claimed in any number.
pub(super) fn check_rows(store: &Store, nrows: usize, parts: &[Part<Place, ColumnPlace>]) -> Result<()> {
    let backed = parts.iter().any(|part| match part {
        Part::Block(place, positions) => place.grid.dtype.itemsize > 0 && !positions.is_empty(),
        Part::Column(column, _) => column.backs(nrows),
    });
    let cap = store.limits.max_unbacked_rows;
    if backed || nrows as u64 <= cap {
        return Ok(());
    }
    let message = format!(
        "declares {nrows} rows without a byte behind them, the limit is {cap}. Raise Limits(max_unbacked_rows=...) if you trust the file."
    );
    Err(Error::limit("npz", message))
}

pub(super) fn check_width(store: &Store, ncols: usize) -> Result<()> {
    let cap = store.limits.max_columns;
    if ncols as u64 <= cap {
        return Ok(());
    }
    let message = format!(
        "declares {ncols} columns, the limit is {cap}. Raise Limits(max_columns=...) if you trust the file."
    );
    Err(Error::limit("npz", message))
}

fn disagree(
    store: &Store,
    stored: &HashMap<usize, usize>,
    member: &str,
    what: &str,
    data: usize,
    labels: usize,
) -> Error {
    let error = Error::malformed("npz", format!("expected {data} labels for {data} {what}, found {labels}."));
    let at = stored.get(&0).and_then(|&n| store.members.get(n)).map_or(0, |m| m.offset);
    error.in_member(member).at(at as u64)
}

fn read_meta(store: &Store, number: Option<usize>) -> Result<Meta> {
    let name = Name::Meta.text();
    let Some(member) = number.and_then(|n| store.members.get(n)) else {
        let message =
            "is missing: without it labels and names are unknown. Read the arrays with read_arrays.";
        return Err(Error::malformed("npz", message).in_member(name));
    };
    let named = |e: Error| e.in_member(name.clone()).at(member.offset as u64);
    if member.nbytes as u64 > store.limits.max_meta_nbytes {
        let message =
            format!("declares {} bytes, the limit is {}.", member.nbytes, store.limits.max_meta_nbytes);
        return Err(named(Error::limit("npz", message)));
    }
    let mut bytes = vec![0; member.nbytes];
    member.unpack(&store.source, &mut bytes).map_err(named)?;
    Meta::decode(&bytes).map_err(named)
}

/// Key and array offset of a 1-D or 2-D array of scalars.
pub(super) fn grid_of(store: &Store, member: &Member) -> Result<(GroupKey, usize)> {
    if let Some(filtered) = store.filtered_of(member) {
        return Ok((filtered.key, member.start));
    }
    match store.array_of(member) {
        Array::Plain { key, head } => Ok((*key, member.start + head)),
        Array::Other(header) => {
            let message = match header.descr {
                Descr::Struct(_) => "expected a scalar dtype, found a structured one.".to_owned(),
                Descr::Scalar(_) => format!("expected 1 or 2 dimensions, found {}.", header.shape.len()),
            };
            Err(Error::unsupported("npz", format!("{message} Read it with read_arrays."))
                .at(member.offset as u64))
        }
        Array::None => Err(Error::malformed("npz", "expected an NPY array.").at(member.offset as u64)),
    }
}

/// A 1-D array of a member.
pub(super) fn line_of(store: &Store, member: &Member) -> Result<Place> {
    let (key, offset) = grid_of(store, member)?;
    if key.two_dimensional {
        let message = format!("expected 1 dimension, found 2 ({} x {}).", key.nrows, key.width);
        return Err(Error::malformed("npz", message).at(member.offset as u64));
    }
    Ok(Place { space: member.space, grid: Grid::column_major(key.dtype, key.nrows, 1, offset) })
}

fn column_place(store: &Store, buffers: &Buffers, owner: Owner, spec: &ColumnSpec) -> Result<ColumnPlace> {
    let mut out = ColumnPlace { spec: spec.clone(), owner, buffers: BTreeMap::new(), kept: Leaves::All };
    for (path, number) in buffers.get(&owner_key(owner)).into_iter().flatten() {
        if let Some(member) = store.members.get(*number) {
            let place = line_of(store, member).map_err(|e| e.in_member(store.name(member.entry)))?;
            let stored = member.method == Method::Stored && member.filter == 0;
            let head = if stored { place.grid.offset.saturating_sub(member.start) } else { 0 };
            let buffer = BufferPlace { place, at: (member.offset + head) as u64, stored };
            out.buffers.insert(path.clone(), buffer);
        }
    }
    if out.buffers.is_empty() && !out.may_be_bare() {
        let message = format!("the buffers of {} are missing.", out.type_name());
        return Err(Error::malformed("npz", message).in_member(Name::Arrow(owner, "values".into()).text()));
    }
    check_children(store, &out)?;
    Ok(out)
}

/// Lengths of children that no byte stands behind (nulls, runs, lists of no width) can be claimed in any number.
fn check_children(store: &Store, column: &ColumnPlace) -> Result<()> {
    let named = |e: Error| e.in_member(Name::Meta.text());
    let largest = column.spec.largest().map_err(named)?;
    let cap = store.limits.max_unbacked_rows;
    // The column's own length is the frame's, which is checked with all its columns.
    if largest <= column.spec.length || largest as u64 <= cap || column.backs(largest) {
        return Ok(());
    }
    let message = format!(
        "{} declares {largest} values without a byte behind them, the limit is {cap}. Raise Limits(max_unbacked_rows=...) if you trust the file.",
        column.type_name()
    );
    Err(named(Error::limit("npz", message)))
}

/// Labels that are not the range which the meta data says that they are.
pub(super) fn not_spelled(count: usize) -> Error {
    let message = format!(
        "expected the {count} labels of the range under auto, found others. The file is damaged, or was changed by a program that does not know the range."
    );
    Error::malformed("npz", message)
}

fn axis(
    store: &Store,
    meta: &AxisMeta,
    stored: &HashMap<usize, usize>,
    buffers: &Buffers,
    owner: fn(usize) -> Owner,
    count: Option<usize>,
    ours: bool,
) -> Result<AxisPlaces> {
    let mut axis = Axis::range(count.unwrap_or(0));
    axis.class.clone_from(&meta.class);
    axis.name.clone_from(&meta.name);
    axis.meta.clone_from(&meta.meta);
    if let Some((start, stop, step, count)) = meta.auto {
        axis.labels = crate::frame::Labels::Auto { start, stop, step, count };
        let Some(member) = stored.get(&0).and_then(|&n| store.members.get(n)) else {
            return Ok(AxisPlaces::Ready(axis));
        };
        let place = line_of(store, member).map_err(|e| e.in_member(store.name(member.entry)))?;
        if stored.len() > 1 || place.grid.nrows != count || place.grid.dtype.descr() != "<i8" {
            return Err(not_spelled(count));
        }
        return Ok(AxisPlaces::Spelled(axis, vec![LevelPlace::Block(place)]));
    }
    if !stored.contains_key(&0) && meta.arrow.is_empty() && meta.depth <= 1 {
        if !ours {
            // StaticFrame does not give a range that is not stored the name that it wrote.
            axis.name = "null".into();
        }
        return Ok(AxisPlaces::Ready(axis));
    }
    if meta.depth == 0 || meta.depth > stored.len() + meta.arrow.len() {
        let found = stored.len() + meta.arrow.len();
        let message =
            format!("expected {} levels of labels as __meta__.json says, found {found}.", meta.depth);
        return Err(Error::malformed("npz", message));
    }
    if !matches!(meta.classes.len(), 0) && meta.classes.len() != meta.depth {
        let message = format!("expected {} classes of levels, found {}.", meta.depth, meta.classes.len());
        return Err(Error::malformed("npz", message));
    }
    axis.classes = match meta.classes.len() {
        0 => vec![if meta.depth > 1 { "Index".into() } else { meta.class.clone() }; meta.depth],
        _ => meta.classes.clone(),
    };
    let mut levels = Vec::new();
    for level in 0..meta.depth {
        let arrow = meta.arrow.iter().find(|(l, _)| *l == level);
        levels.push(match (arrow, stored.get(&level).and_then(|&n| store.members.get(n))) {
            (Some((_, spec)), _) => LevelPlace::Column(column_place(store, buffers, owner(level), spec)?),
            (None, Some(member)) => {
                LevelPlace::Block(line_of(store, member).map_err(|e| e.in_member(store.name(member.entry)))?)
            }
            (None, None) => {
                let message = format!("expected {} levels of labels, level {level} is missing.", meta.depth);
                return Err(Error::malformed("npz", message));
            }
        });
    }
    let length = |l: &LevelPlace| match l {
        LevelPlace::Block(place) => place.grid.nrows,
        LevelPlace::Column(column) => column.spec.length,
    };
    let first = levels.first().map_or(0, length);
    if let Some(other) = levels.iter().map(length).find(|&l| l != first) {
        return Err(Error::malformed(
            "npz",
            format!("levels of labels differ in length: {first} and {other}."),
        ));
    }
    Ok(AxisPlaces::Levels(axis, levels))
}

fn axis_len(axis: &AxisPlaces) -> usize {
    match axis {
        AxisPlaces::Ready(axis) => axis.len(),
        AxisPlaces::Spelled(axis, _) => axis.len(),
        AxisPlaces::Levels(_, levels) => levels.first().map_or(0, |l| match l {
            LevelPlace::Block(place) => place.grid.nrows,
            LevelPlace::Column(column) => column.spec.length,
        }),
    }
}
