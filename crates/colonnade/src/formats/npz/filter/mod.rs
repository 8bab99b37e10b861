//! Filters of a frame's members: chosen by samples, applied part by part.

mod choose;
mod dictionary;
mod transform;

use crate::container::members::{FilterSpec, MemberFilter, MemberName, MemberPlan, PlannedMember};
use crate::error::{Error, Result};
use crate::frame::{Block, DType, Grid};
use crate::memory::Buffer;
use crate::parallel::map_cancellable;
use crate::progress::Progress;

use super::options::{FilterChoice, WriteOptions};
use dictionary::DictionaryCodes;

pub(super) use transform::encode_member;

/// Size of the parts of a longer column. A part fits a core's cache while it is decoded, and all cores share a column.
const PART_NBYTES: usize = 1 << 20;

/// Smaller columns share one choice with the other columns of their member.
const COLUMN_NBYTES: usize = 32 << 10;

/// Smaller arrays get no filter.
const MIN_NBYTES: usize = 4 << 10;

/// The filter of neighbouring columns of a member.
#[derive(Debug, Default)]
struct ColumnFilter {
    filter: MemberFilter,
    /// Whether to store the columns uncompressed, because a sample did not shrink.
    stored: bool,
    codes: Option<DictionaryCodes>,
}

/// Chooses filters and splits the members accordingly.
pub(super) fn apply(
    mut members: MemberPlan,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<MemberPlan> {
    let mut specs = Vec::new();
    for (list, mut next) in [(&mut members.labels, None), (&mut members.blocks, Some(0))] {
        let whole = std::mem::take(list);
        let chosen = choices(&whole, options, progress)?;
        for (planned, choices) in whole.into_iter().zip(chosen) {
            list.extend(split(planned, choices, &mut next, &mut specs)?);
        }
    }
    members.meta.filters = specs;
    Ok(members)
}

/// The choices for each member: one for all of its columns, or one for each.
fn choices(
    members: &[PlannedMember],
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<Vec<Vec<(usize, ColumnFilter)>>> {
    let mut units: Vec<(usize, Block, FilterChoice)> = Vec::new();
    let mut out: Vec<Vec<(usize, ColumnFilter)>> = Vec::new();
    let mut owners = Vec::new();
    for (i, planned) in members.iter().enumerate() {
        out.push(Vec::new());
        let choice = options.filter(planned.position);
        let grid = planned.data.grid;
        if choice == FilterChoice::default() || grid.nbytes() < MIN_NBYTES {
            continue;
        }
        let column_nbytes = grid.nrows * grid.dtype.itemsize as usize;
        if column_nbytes >= COLUMN_NBYTES || grid.width == 1 {
            units.extend((0..grid.width).map(|k| (1, planned.data.column(k), choice)));
            owners.extend((0..grid.width).map(|_| i));
        } else {
            units.push((grid.width, planned.data.clone(), choice));
            owners.push(i);
        }
    }
    let chosen = map_cancellable(
        &units,
        |(_, block, _)| block.grid.nbytes(),
        &|(_, block, choice), cancel| choose::choose(block, *choice, options.profile(), cancel),
        options.threads,
        progress,
    )?;
    for (((width, ..), choice), owner) in units.iter().zip(chosen).zip(owners) {
        if let Some(choices) = out.get_mut(owner) {
            choices.push((*width, choice));
        }
    }
    Ok(out)
}

/// Splits a member by its choices. `next`: the number of the next block, if the member is a block.
fn split(
    planned: PlannedMember,
    choices: Vec<(usize, ColumnFilter)>,
    next: &mut Option<usize>,
    specs: &mut Vec<FilterSpec>,
) -> Result<Vec<PlannedMember>> {
    let mut name = || match (&planned.name, next.as_mut()) {
        (MemberName::Block(_), Some(next)) => {
            *next += 1;
            MemberName::Block(*next - 1)
        }
        (name, _) => name.clone(),
    };
    if choices.is_empty() {
        return Ok(vec![PlannedMember { name: name(), ..planned.clone() }]);
    }
    let mut out = Vec::new();
    let mut from = 0;
    let mut choices = choices.into_iter().peekable();
    while let Some((mut width, choice)) = choices.next() {
        let grid = planned.data.grid;
        let (item, nrows) = (grid.dtype.itemsize as usize, grid.nrows);
        let part_rows = (PART_NBYTES / item.max(1)).max(1);
        if let Some(codes) = choice.codes {
            let member = PlannedMember { name: name(), data: planned.data.column(from), ..planned.clone() };
            from += 1;
            add_dictionary(&member, codes, part_rows.min(nrows), specs, &mut out)?;
            continue;
        }
        // Neighbours of one choice share a member while they are small.
        if nrows <= part_rows {
            while let Some((more, _)) = choices
                .next_if(|(_, c)| c.codes.is_none() && c.filter == choice.filter && c.stored == choice.stored)
            {
                width += more;
            }
        }
        let data = Block { grid: grid.columns(from, width, 1), ..planned.data.clone() };
        from += width;
        let name = name();
        let key = MemberFilter::None.key(grid.dtype, nrows, width, false);
        let whole = PlannedMember { name, key: Some(key), data, stored: choice.stored, ..planned.clone() };
        if choice.filter == MemberFilter::None && (choice.stored || nrows <= part_rows || width > 1) {
            out.push(unfiltered(whole));
            continue;
        }
        let part_rows = part_rows.min(nrows);
        let spec = FilterSpec {
            member: whole.name.text(),
            filter: choice.filter,
            dtype: grid.dtype,
            nrows,
            width,
            part_rows,
            values: 0,
        };
        out.extend((0..spec.parts()).map(|k| part(&whole, &spec, k, &whole.data, choice.filter)));
        specs.push(spec);
    }
    Ok(out)
}

/// Part `k` of an array whose rows are those of `data`.
fn part(
    whole: &PlannedMember,
    spec: &FilterSpec,
    k: usize,
    data: &Block,
    filter: MemberFilter,
) -> PlannedMember {
    let (start, rows) = (k * spec.part_rows, spec.rows(k));
    let grid = data.grid.rows(start, start + rows);
    let name = if k == 0 { whole.name.clone() } else { MemberName::Part(Box::new(whole.name.clone()), k) };
    let key = filter.key(grid.dtype, rows, grid.width, false);
    PlannedMember { name, key: Some(key), data: Block { grid, ..data.clone() }, filter, ..whole.clone() }
}

/// Adds the members of a dictionary-encoded column.
fn add_dictionary(
    whole: &PlannedMember,
    codes: DictionaryCodes,
    part_rows: usize,
    specs: &mut Vec<FilterSpec>,
    out: &mut Vec<PlannedMember>,
) -> Result<()> {
    let dtype = whole.data.grid.dtype;
    let nrows = whole.data.grid.nrows;
    let spec = FilterSpec {
        member: whole.name.text(),
        filter: MemberFilter::Dictionary,
        dtype,
        nrows,
        width: 1,
        part_rows,
        values: codes.values.len() / (dtype.itemsize as usize).max(1),
    };
    let line = |dtype: DType, bytes: Vec<u8>| {
        let count = bytes.len() / (dtype.itemsize as usize).max(1);
        Block { grid: Grid::column_major(dtype, count, 1, 0), buffer: Buffer::from_vec(bytes) }
    };
    let values = line(dtype, codes.values);
    let key = MemberFilter::None.key(dtype, values.grid.nrows, 1, false);
    let name = MemberName::Dictionary(Box::new(whole.name.clone()));
    out.push(PlannedMember { name, key: Some(key), data: values, ..whole.clone() });
    let (descr, filter) =
        if codes.wide { ("<u2", MemberFilter::Shuffle) } else { ("|u1", MemberFilter::None) };
    let dtype = DType::parse(descr).ok_or_else(|| Error::unsupported("npz", "no NumPy dtype of codes."))?;
    let data = line(dtype, codes.bytes);
    out.extend((0..spec.parts()).map(|k| part(whole, &spec, k, &data, filter)));
    specs.push(spec);
    Ok(())
}

/// The member of an unfiltered array, in the order of its memory.
fn unfiltered(mut whole: PlannedMember) -> PlannedMember {
    let grid = whole.data.grid;
    if let Some(key) = &mut whole.key {
        key.fortran_order = grid.is_column_major() || !grid.is_row_major();
    }
    whole
}
