//! Maps members under StaticFrame's names to a frame: groups the blocks and finds the axes.

use std::collections::{BTreeMap, HashMap};

use crate::container::members::{ArchiveAxisMeta, ArchiveMeta, ColumnSpec, MemberName, MemberOwner};
use crate::container::zip::Method;
use crate::decode::{GroupKey, Groups, group_ids};
use crate::error::{Error, Result};
use crate::frame::paths::LeafProjection;
use crate::frame::{Axis, Part, Tags};

use super::by_name::{BufferNames, MembersByName, owner_key};
use super::frame_places::{AxisPlaces, FramePlaces, axis_len, range_mismatch};
use super::member_places::{check_rows, check_width, grid_of, vector_of};
use super::opened::Store;
use super::place::{ArrayPlace, BufferPlace, ColumnPlace, LevelPlace, Space};

/// The frame of members under StaticFrame's names.
pub(super) fn from_members(
    store: &Store,
    by_name: &MembersByName,
    meta: &ArchiveMeta,
) -> Result<FramePlaces> {
    if by_name.blocks.len() < meta.blocks || by_name.blocks.iter().take(meta.blocks).any(Option::is_none) {
        let missing =
            (0..meta.blocks).find(|&i| by_name.blocks.get(i).copied().flatten().is_none()).unwrap_or(0);
        let message =
            format!("expected {} blocks, which __meta__.json declares, this one is missing.", meta.blocks);
        let meta = by_name.meta.and_then(|n| store.members.get(n)).map_or(0, |m| m.offset);
        return Err(Error::malformed("npz", message)
            .in_member(MemberName::Block(missing).text())
            .at(meta as u64));
    }
    // Columns in Arrow's layout have their positions; blocks fill the others from left to right.
    let mut arrow_positions: Vec<usize> = meta.arrow.iter().map(|(position, _)| *position).collect();
    arrow_positions.sort_unstable();
    let mut arrow_positions = arrow_positions.into_iter().peekable();
    let mut position = 0usize;
    let (mut image, mut direct) = (Groups::default(), Groups::default());
    let mut nrows = None;
    let ids = block_ids(store, by_name, meta.blocks);
    for (i, number) in by_name.blocks.iter().take(meta.blocks).flatten().enumerate() {
        let Some(member) = store.members.get(*number) else { continue };
        let in_member = |e: Error| e.in_member(store.name(member.entry)).at(member.offset as u64);
        let (key, offset) = grid_of(store, member).map_err(in_member)?;
        check_width(store, position.saturating_add(key.width)).map_err(in_member)?;
        let expected = *nrows.get_or_insert(key.nrows);
        if key.nrows != expected {
            let message = format!("expected {expected} rows as the blocks before, found {}.", key.nrows);
            return Err(in_member(Error::malformed("npz", message)));
        }
        while arrow_positions.next_if_eq(&position).is_some() {
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
            groups.finish().into_iter().map(|(grid, places)| Part::Block(ArrayPlace { space, grid }, places)),
        );
    }
    for (position, spec) in &meta.arrow {
        let expected = *nrows.get_or_insert(spec.length);
        if spec.length != expected {
            let message = format!("column {position}: expected {expected} rows, found {}.", spec.length);
            return Err(Error::malformed("npz", message));
        }
        parts.push(Part::Column(
            column_place(store, &by_name.buffers, MemberOwner::Column(*position), spec)?,
            *position,
        ));
    }
    let ncols = position + arrow_positions.count();
    check_width(store, ncols)?;
    crate::frame::slots(&parts, ncols)?;
    let from_colonnade = meta.version.is_some();
    let index = axis(
        store,
        &meta.index,
        &by_name.index,
        &by_name.buffers,
        MemberOwner::Index,
        nrows,
        from_colonnade,
    )?;
    let columns = axis(
        store,
        &meta.columns,
        &by_name.columns,
        &by_name.buffers,
        MemberOwner::Columns,
        Some(ncols),
        from_colonnade,
    )?;
    let nrows = match (nrows, axis_len(&index)) {
        (Some(nrows), labels) if nrows != labels => {
            return Err(label_mismatch(
                store,
                &by_name.index,
                "__values_index_0__.npy",
                "rows",
                nrows,
                labels,
            ));
        }
        (_, labels) => labels,
    };
    let labels = axis_len(&columns);
    if labels != ncols {
        return Err(label_mismatch(
            store,
            &by_name.columns,
            "__values_columns_0__.npy",
            "columns",
            ncols,
            labels,
        ));
    }
    check_rows(store, nrows, &parts)?;
    let tags = Tags { name: meta.name.clone(), attrs: meta.attrs.clone(), origin: meta.origin.clone() };
    Ok(FramePlaces { nrows, ncols, parts, index, columns, tags, version: meta.version })
}

/// In a filtered file, a number for the decoded array of each block. Equal headers do not imply equal arrays there.
fn block_ids(store: &Store, by_name: &MembersByName, nblocks: usize) -> Vec<usize> {
    if store.filtered.is_empty() {
        return Vec::new();
    }
    let members = by_name.blocks.iter().take(nblocks).flatten().filter_map(|&n| store.members.get(n));
    // The first member that is no grid is refused by the caller's loop.
    let keys = members.map_while(|member| grid_of(store, member).ok().map(|(key, _)| key));
    let keys: Vec<GroupKey> = keys.collect();
    group_ids(keys.iter())
}

fn label_mismatch(
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

fn column_place(
    store: &Store,
    buffers: &BufferNames,
    owner: MemberOwner,
    spec: &ColumnSpec,
) -> Result<ColumnPlace> {
    let mut out =
        ColumnPlace { spec: spec.clone(), owner, buffers: BTreeMap::new(), projection: LeafProjection::All };
    for (path, number) in buffers.get(&owner_key(owner)).into_iter().flatten() {
        if let Some(member) = store.members.get(*number) {
            let place = vector_of(store, member).map_err(|e| e.in_member(store.name(member.entry)))?;
            let stored = member.method == Method::Stored && member.filter == 0;
            let head = if stored { place.grid.offset.saturating_sub(member.start) } else { 0 };
            let buffer = BufferPlace { place, at: (member.offset + head) as u64, stored };
            out.buffers.insert(path.clone(), buffer);
        }
    }
    if out.buffers.is_empty() && !out.may_have_no_buffers() {
        let message = format!("the buffers of {} are missing.", out.type_name());
        return Err(
            Error::malformed("npz", message).in_member(MemberName::Arrow(owner, "values".into()).text())
        );
    }
    check_children(store, &out)?;
    Ok(out)
}

/// Limits the lengths of children that store no bytes (nulls, runs, lists of no width), since a file can declare any number.
fn check_children(store: &Store, column: &ColumnPlace) -> Result<()> {
    let in_meta = |e: Error| e.in_member(MemberName::Meta.text());
    let largest = column.spec.largest_length().map_err(in_meta)?;
    let cap = store.limits.max_unbacked_rows;
    // The column's length is the frame's row count, which `check_rows` limits.
    if largest <= column.spec.length || largest as u64 <= cap || column.has_bits_for(largest) {
        return Ok(());
    }
    let message = format!(
        "{} declares {largest} values that store no bytes, the limit is {cap}. Raise Limits(max_unbacked_rows=...) if you trust the file.",
        column.type_name()
    );
    Err(in_meta(Error::limit("npz", message)))
}

fn axis(
    store: &Store,
    meta: &ArchiveAxisMeta,
    stored: &HashMap<usize, usize>,
    buffers: &BufferNames,
    owner: fn(usize) -> MemberOwner,
    count: Option<usize>,
    from_colonnade: bool,
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
        let place = vector_of(store, member).map_err(|e| e.in_member(store.name(member.entry)))?;
        if stored.len() > 1 || place.grid.nrows != count || place.grid.dtype.descr() != "<i8" {
            return Err(range_mismatch(count));
        }
        return Ok(AxisPlaces::StoredRange(axis, vec![LevelPlace::Block(place)]));
    }
    if !stored.contains_key(&0) && meta.arrow.is_empty() && meta.depth <= 1 {
        if !from_colonnade {
            // StaticFrame drops the name of an axis without labels, so its files' names are dropped too.
            axis.name = "null".into();
        }
        return Ok(AxisPlaces::Ready(axis));
    }
    if meta.depth == 0 || meta.depth > stored.len() + meta.arrow.len() {
        let found = stored.len() + meta.arrow.len();
        let message =
            format!("expected {} levels of labels, which __meta__.json declares, found {found}.", meta.depth);
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
            (None, Some(member)) => LevelPlace::Block(
                vector_of(store, member).map_err(|e| e.in_member(store.name(member.entry)))?,
            ),
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
