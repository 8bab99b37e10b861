//! Which members a frame becomes: names, headers and where their bytes lie. Nothing moves yet.

use crate::container::npy::write_header;
use crate::error::{Error, Result};
use crate::frame::{Axis, Block, Column, DType, Frame, Grid, Labels, Level, Part, Run};
use crate::memory::Buffer;

use super::buffers::ColumnSpec;
use super::cut::pieces;
use super::{AxisMeta, Filter, Meta, Name, Owner};
use crate::decode::{GroupKey, group_ids};

/// Who else must be able to open the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compat {
    /// Ours, and StaticFrame where every column is a NumPy dtype.
    #[default]
    Ours,
    /// StaticFrame, always: strings as `<U`; what it cannot hold is refused by name.
    StaticFrame,
}

/// A member to be written.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Its name.
    pub name: Name,
    /// What its header says; `None` for the meta member.
    pub key: Option<GroupKey>,
    /// Members of one group follow each other and lie at a constant distance.
    pub group: usize,
    /// Its array.
    pub data: Block,
    /// Position of its first column, for options by column.
    pub position: Option<usize>,
    /// What is done to `data` before it is written; `key` says what comes out.
    pub filter: Filter,
    /// A sample of it did not shrink: it is not worth compressing.
    pub stored: bool,
}

/// The members of a frame before the meta member, which says how many there are, is made.
#[derive(Debug)]
pub struct Members {
    /// Labels.
    pub labels: Vec<Planned>,
    /// Data, left to right.
    pub blocks: Vec<Planned>,
    /// What the meta member will say, without the number of blocks.
    pub meta: Meta,
}

impl Planned {
    /// Its NPY header; empty for the meta member.
    #[must_use]
    pub fn head(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(128);
        if let Some(key) = self.key {
            let shape = [key.nrows, key.width];
            let shape = if key.two_dimensional { &shape[..] } else { &shape[..1] };
            write_header(&mut out, &key.dtype, key.fortran_order, shape);
        }
        out
    }

    /// Bytes of the array.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.data.grid.nbytes()
    }
}

/// All members in the order in which they are laid down: the meta member first, labels, then blocks group by group.
///
/// `split_nbytes`: 2-D arrays above it are cut into members of neighbouring columns (for compression on all cores).
/// `kind_of`: only columns of one kind share a member (options by column).
///
/// # Errors
/// `Unrepresentable`, naming column and reason.
pub fn plan(
    frame: &Frame,
    compat: Compat,
    split_nbytes: Option<usize>,
    kind_of: &dyn Fn(usize) -> usize,
) -> Result<Vec<Planned>> {
    members(frame, compat, split_nbytes, kind_of)?.finish()
}

/// The same before the members are put in order.
///
/// # Errors
/// As [`plan`].
pub fn members(
    frame: &Frame,
    compat: Compat,
    split_nbytes: Option<usize>,
    kind_of: &dyn Fn(usize) -> usize,
) -> Result<Members> {
    let mut out = Vec::new();
    let alone = frame.ncols == 0;
    let index = axis(&frame.index, alone, Name::Index, Owner::Index, compat, &mut out)?;
    let columns = axis(&frame.columns, false, Name::Columns, Owner::Columns, compat, &mut out)?;
    let mut blocks = Vec::new();
    let mut arrow = Vec::new();
    let mut position = 0;
    for run in frame.runs(kind_of)? {
        match &run {
            Run::Block(block) => block_members(position, block, split_nbytes, &mut blocks),
            Run::Column(column) => {
                let named = |e: Error| e.in_member(label(frame, position));
                column_members(position, column, compat, &mut blocks, &mut arrow).map_err(named)?;
            }
        }
        position += run.width();
    }
    if frame.ncols == 0 && frame.nrows > 0 {
        // StaticFrame counts rows by blocks: one of no columns says how many there are.
        blocks.push(empty_block(frame)?);
    }
    let meta = Meta {
        version: Some(super::VERSION),
        name: frame.tags.name.clone(),
        index,
        columns,
        blocks: 0,
        attrs: frame.tags.attrs.clone(),
        origin: frame.tags.origin.clone(),
        arrow,
        filters: Vec::new(),
    };
    Ok(Members { labels: out, blocks, meta })
}

impl Members {
    /// All members in the order in which they are laid down.
    ///
    /// # Errors
    /// `Unrepresentable` where the meta member cannot say what it should.
    pub fn finish(self) -> Result<Vec<Planned>> {
        let Self { labels: mut out, mut blocks, mut meta } = self;
        meta.blocks = blocks.iter().filter(|b| matches!(b.name, Name::Block(_))).count();
        out.insert(0, json_member(meta.encode()?));
        let labels = out.len();
        let ids = group_ids(blocks.iter().filter_map(|b| b.key.as_ref()));
        for (block, id) in blocks.iter_mut().zip(&ids) {
            block.group = labels + id;
        }
        // Members of filtered files are compressed: nothing is won where they lie at a constant distance.
        if meta.filters.is_empty() {
            blocks.sort_by_key(|b| b.group);
        }
        out.append(&mut blocks);
        Ok(out)
    }
}

fn empty_block(frame: &Frame) -> Result<Planned> {
    let own =
        frame.parts.iter().find_map(|p| if let Part::Block(b, _) = p { Some(b.grid.dtype) } else { None });
    let dtype =
        own.or_else(|| DType::parse("<f8")).ok_or_else(|| Error::unsupported("npz", "no dtype <f8."))?;
    let buffer = Buffer::from_vec(Vec::new());
    Ok(member(Name::Block(0), Grid::column_major(dtype, frame.nrows, 0, 0), true, &buffer, None))
}

/// What a column is called in messages.
fn label(frame: &Frame, position: usize) -> String {
    match frame.columns.strings().and_then(|all| all.into_iter().nth(position)) {
        Some(name) => format!("column {name:?}"),
        None => format!("column {position}"),
    }
}

fn json_member(bytes: Vec<u8>) -> Planned {
    let grid = Grid::column_major(DType::BYTE, bytes.len(), 1, 0);
    let data = Block { grid, buffer: Buffer::from_vec(bytes) };
    Planned {
        name: Name::Meta,
        key: None,
        group: 0,
        data,
        position: None,
        filter: Filter::None,
        stored: true,
    }
}

/// The member of a run, or the members where it is split.
fn block_members(start: usize, block: &Block, split: Option<usize>, out: &mut Vec<Planned>) {
    let grid = block.grid;
    let width = grid.width;
    let per_column = (grid.nrows * grid.dtype.itemsize as usize).max(1);
    let step = split.map_or(width, |nbytes| nbytes / per_column).clamp(1, width.max(1));
    for from in (0..width).step_by(step) {
        let count = step.min(width - from);
        let name = Name::Block(next_block(out));
        out.push(member(name, grid.columns(from, count, 1), width > 1, &block.buffer, Some(start + from)));
    }
}

fn next_block(out: &[Planned]) -> usize {
    out.iter().rev().find_map(|p| if let Name::Block(i) = p.name { Some(i + 1) } else { None }).unwrap_or(0)
}

fn member(
    name: Name,
    grid: Grid,
    two_dimensional: bool,
    buffer: &Buffer,
    position: Option<usize>,
) -> Planned {
    // As StaticFrame: whatever is column-major (every 1-D, (n, 1) and empty array is) says so.
    let fortran_order = grid.is_column_major() || !grid.is_row_major();
    let key =
        GroupKey { dtype: grid.dtype, nrows: grid.nrows, width: grid.width, two_dimensional, fortran_order };
    let data = Block { grid, buffer: buffer.clone() };
    Planned { name, key: Some(key), group: 0, data, position, filter: Filter::None, stored: false }
}

fn bytes_member(name: Name, dtype: DType, bytes: Buffer, position: Option<usize>) -> Planned {
    let count = bytes.nbytes() / (dtype.itemsize as usize).max(1);
    member(name, Grid::column_major(dtype, count, 1, 0), false, &bytes, position)
}

fn column_members(
    position: usize,
    column: &Column,
    compat: Compat,
    out: &mut Vec<Planned>,
    arrow: &mut Vec<(usize, ColumnSpec)>,
) -> Result<()> {
    if compat == Compat::StaticFrame {
        let (dtype, bytes) = super::unicode::fixed(column)?;
        let name = Name::Block(next_block(out));
        out.push(bytes_member(name, dtype, Buffer::from_vec(bytes), Some(position)));
        return Ok(());
    }
    let (spec, parts) = pieces(column)?;
    arrow.push((position, spec));
    for piece in parts {
        let name = Name::Arrow(Owner::Column(position), piece.path);
        out.push(bytes_member(name, piece.dtype, piece.bytes, Some(position)));
    }
    Ok(())
}

fn axis(
    axis: &Axis,
    alone: bool,
    name: fn(usize) -> Name,
    owner: fn(usize) -> Owner,
    compat: Compat,
    out: &mut Vec<Planned>,
) -> Result<AxisMeta> {
    let mut meta = AxisMeta {
        class: axis.class.clone(),
        classes: axis.classes.clone(),
        depth: axis.depth(),
        name: axis.name.clone(),
        meta: axis.meta.clone(),
        ..AxisMeta::default()
    };
    let levels = match &axis.labels {
        Labels::Auto { start, stop, step, count } => {
            meta.auto = Some((*start, *stop, *step, *count));
            // What is not stored is 0, 1, 2... as far as the blocks go to StaticFrame: any other range is spelled out.
            if (*start, *step) != (0, 1) || (alone && *count > 0) {
                meta.spelled_out = true;
                let block = axis.spelled_out()?;
                let mut planned = member(name(0), block.grid, false, &block.buffer, None);
                planned.group = out.len() + 1;
                out.push(planned);
            }
            return Ok(meta);
        }
        Labels::Levels(levels) => levels,
    };
    for (i, level) in levels.iter().enumerate() {
        let group = |out: &mut Vec<Planned>, mut planned: Planned| {
            planned.group = out.len() + 1;
            out.push(planned);
        };
        match level {
            Level::Block(block) => group(out, member(name(i), block.grid, false, &block.buffer, None)),
            Level::Column(column) if compat == Compat::StaticFrame => {
                let at = |e: Error| e.in_member(name(i).text());
                let (dtype, bytes) = super::unicode::fixed(column).map_err(at)?;
                group(out, bytes_member(name(i), dtype, Buffer::from_vec(bytes), None));
            }
            Level::Column(column) => {
                let (spec, parts) = pieces(column)?;
                meta.arrow.push((i, spec));
                for piece in parts {
                    let planned =
                        bytes_member(Name::Arrow(owner(i), piece.path), piece.dtype, piece.bytes, None);
                    group(out, planned);
                }
            }
        }
    }
    Ok(meta)
}
