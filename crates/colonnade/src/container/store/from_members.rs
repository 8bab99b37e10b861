//! The frame that members under StaticFrame's names are: blocks grouped, axes found, everything a place.

use std::collections::{BTreeMap, HashMap};

use crate::container::members::{AxisMeta, ColumnSpec, Meta, Name, Owner};
use crate::container::zip::Method;
use crate::decode::{GroupKey, Groups, group_ids};
use crate::error::{Error, Result};
use crate::frame::paths::Leaves;
use crate::frame::{Axis, Part, Tags};

use super::frame_places::{AxisPlaces, FramePlaces, axis_len, not_spelled};
use super::member_places::{check_rows, check_width, grid_of, line_of};
use super::opened::Store;
use super::place::{BufferPlace, ColumnPlace, LevelPlace, Place, Space};
use super::sorted::{Buffers, Sorted, owner_key};

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
