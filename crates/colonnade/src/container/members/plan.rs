//! Plans the members of a frame: names, headers and the memory of their arrays. Copies nothing.

use arrow_schema::DataType;

use crate::container::npy::write_header;
use crate::error::{Error, Result};
use crate::frame::{AdjacentColumns, Axis, Block, Column, DType, Frame, Grid, Labels, Level, Part};
use crate::memory::Buffer;
use crate::parallel;
use crate::progress::NoProgress;

use super::buffers::{BufferMember, ColumnSpec};
use super::disassemble::disassemble;
use super::{ArchiveAxisMeta, ArchiveMeta, MemberFilter, MemberName, MemberOwner};
use crate::decode::{GroupKey, group_ids};

/// The readers that must be able to open the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compat {
    /// Colonnade, and StaticFrame if every column has a NumPy dtype.
    #[default]
    Ours,
    /// StaticFrame: strings become `<U`, and columns that it cannot hold are refused by name.
    StaticFrame,
}

/// A member to be written.
#[derive(Debug, Clone)]
pub struct PlannedMember {
    /// Its name.
    pub name: MemberName,
    /// Its header; `None` for the meta member.
    pub key: Option<GroupKey>,
    /// Members of one group are adjacent, at a constant distance.
    pub group: usize,
    /// Its array.
    pub data: Block,
    /// Position of its first column, for options by column.
    pub position: Option<usize>,
    /// The filter applied to `data`; `key` is the header of its result.
    pub filter: MemberFilter,
    /// Whether it is stored uncompressed, because a sample did not shrink.
    pub stored: bool,
}

/// The members of a frame without the meta member, which holds their count.
#[derive(Debug)]
pub struct MemberPlan {
    /// Labels.
    pub labels: Vec<PlannedMember>,
    /// Data, left to right.
    pub blocks: Vec<PlannedMember>,
    /// The meta member; its number of blocks is not set yet.
    pub meta: ArchiveMeta,
}

impl PlannedMember {
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

/// All members in the order of the file: the meta member, labels, then blocks group by group.
///
/// `split_nbytes`: larger 2-D arrays are split into members of neighbouring columns, so that all cores compress.
/// `kind_of`: only columns of one kind share a member (options by column).
///
/// # Errors
/// `Unrepresentable`, naming column and reason.
pub fn plan(
    frame: &Frame,
    compat: Compat,
    split_nbytes: Option<usize>,
    kind_of: &dyn Fn(usize) -> usize,
) -> Result<Vec<PlannedMember>> {
    members(frame, compat, split_nbytes, kind_of)?.finish()
}

/// Plans the members without putting them in order.
///
/// # Errors
/// As [`plan`].
pub fn members(
    frame: &Frame,
    compat: Compat,
    split_nbytes: Option<usize>,
    kind_of: &dyn Fn(usize) -> usize,
) -> Result<MemberPlan> {
    let mut out = Vec::new();
    let without_columns = frame.ncols == 0;
    let index = axis(&frame.index, without_columns, MemberName::Index, MemberOwner::Index, compat, &mut out)?;
    let columns = axis(&frame.columns, false, MemberName::Columns, MemberOwner::Columns, compat, &mut out)?;
    let mut blocks = Vec::new();
    let mut arrow = Vec::new();
    let mut position = 0;
    let runs = frame.runs(kind_of)?;
    for (run, buffers) in runs.iter().zip(column_buffers(&runs, compat)?) {
        match run {
            AdjacentColumns::Block(block) => block_members(position, block, split_nbytes, &mut blocks),
            AdjacentColumns::Column(column) => {
                let in_column = |e: Error| e.in_member(label(frame, position));
                column_members(position, column, buffers, &mut blocks, &mut arrow).map_err(in_column)?;
            }
        }
        position += run.width();
    }
    if frame.ncols == 0 && frame.nrows > 0 {
        // StaticFrame takes the row count from the blocks, so a block without columns carries it.
        blocks.push(empty_block(frame)?);
    }
    let meta = ArchiveMeta {
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
    Ok(MemberPlan { labels: out, blocks, meta })
}

impl MemberPlan {
    /// All members in the order of the file.
    ///
    /// # Errors
    /// `Unrepresentable`: a name or type has no form in the meta member.
    pub fn finish(self) -> Result<Vec<PlannedMember>> {
        let Self { labels: mut out, mut blocks, mut meta } = self;
        meta.blocks = blocks.iter().filter(|b| matches!(b.name, MemberName::Block(_))).count();
        out.insert(0, json_member(meta.encode()?));
        let labels = out.len();
        let ids = group_ids(blocks.iter().filter_map(|b| b.key.as_ref()));
        for (block, id) in blocks.iter_mut().zip(&ids) {
            block.group = labels + id;
        }
        // Members of filtered files are compressed, so constant distances gain nothing.
        if meta.filters.is_empty() {
            blocks.sort_by_key(|b| b.group);
        }
        out.append(&mut blocks);
        Ok(out)
    }
}

fn empty_block(frame: &Frame) -> Result<PlannedMember> {
    let block_dtype =
        frame.parts.iter().find_map(|p| if let Part::Block(b, _) = p { Some(b.grid.dtype) } else { None });
    let dtype = block_dtype
        .or_else(|| DType::parse("<f8"))
        .ok_or_else(|| Error::unsupported("npz", "no dtype <f8."))?;
    let buffer = Buffer::from_vec(Vec::new());
    Ok(member(MemberName::Block(0), Grid::column_major(dtype, frame.nrows, 0, 0), true, &buffer, None))
}

/// Names a column in messages.
fn label(frame: &Frame, position: usize) -> String {
    match frame.columns.strings().and_then(|all| all.into_iter().nth(position)) {
        Some(name) => format!("column {name:?}"),
        None => format!("column {position}"),
    }
}

fn json_member(bytes: Vec<u8>) -> PlannedMember {
    let grid = Grid::column_major(DType::BYTE, bytes.len(), 1, 0);
    let data = Block { grid, buffer: Buffer::from_vec(bytes) };
    PlannedMember {
        name: MemberName::Meta,
        key: None,
        group: 0,
        data,
        position: None,
        filter: MemberFilter::None,
        stored: true,
    }
}

/// Plans the member of a run, or several where it is split.
fn block_members(start: usize, block: &Block, split: Option<usize>, out: &mut Vec<PlannedMember>) {
    let grid = block.grid;
    let width = grid.width;
    let per_column = (grid.nrows * grid.dtype.itemsize as usize).max(1);
    let step = split.map_or(width, |nbytes| nbytes / per_column).clamp(1, width.max(1));
    for from in (0..width).step_by(step) {
        let count = step.min(width - from);
        let name = MemberName::Block(next_block(out));
        out.push(member(name, grid.columns(from, count, 1), width > 1, &block.buffer, Some(start + from)));
    }
}

fn next_block(out: &[PlannedMember]) -> usize {
    out.iter()
        .rev()
        .find_map(|p| if let MemberName::Block(i) = p.name { Some(i + 1) } else { None })
        .unwrap_or(0)
}

fn member(
    name: MemberName,
    grid: Grid,
    two_dimensional: bool,
    buffer: &Buffer,
    position: Option<usize>,
) -> PlannedMember {
    // As StaticFrame does: every column-major array, including 1-D, (n, 1) and empty ones, has Fortran order.
    let fortran_order = grid.is_column_major() || !grid.is_row_major();
    let key =
        GroupKey { dtype: grid.dtype, nrows: grid.nrows, width: grid.width, two_dimensional, fortran_order };
    let data = Block { grid, buffer: buffer.clone() };
    PlannedMember {
        name,
        key: Some(key),
        group: 0,
        data,
        position,
        filter: MemberFilter::None,
        stored: false,
    }
}

fn bytes_member(name: MemberName, dtype: DType, bytes: Buffer, position: Option<usize>) -> PlannedMember {
    let count = bytes.nbytes() / (dtype.itemsize as usize).max(1);
    member(name, Grid::column_major(dtype, count, 1, 0), false, &bytes, position)
}

/// The buffers of a column, or why it has none.
type ColumnBuffers = Option<Result<(ColumnSpec, Vec<BufferMember>)>>;

/// The buffers of the columns among the runs. Text of views is copied, so large columns are the tasks of all cores.
fn column_buffers(runs: &[AdjacentColumns<'_>], compat: Compat) -> Result<Vec<ColumnBuffers>> {
    let buffers = |run: &AdjacentColumns<'_>| match run {
        AdjacentColumns::Column(column) if compat != Compat::StaticFrame => Some(disassemble(column)),
        _ => None,
    };
    let copied_nbytes = |run: &AdjacentColumns<'_>| match run {
        AdjacentColumns::Column(column) => match column.data.data_type() {
            DataType::Utf8View | DataType::BinaryView => column.data.buffers().iter().map(|b| b.len()).sum(),
            _ => 0,
        },
        AdjacentColumns::Block(_) => 0,
    };
    let tasks = runs.iter().map(|run| (copied_nbytes(run), move || Ok(buffers(run))));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    parallel::map(tasks.collect(), threads, &NoProgress)
}

fn column_members(
    position: usize,
    column: &Column,
    buffers: ColumnBuffers,
    out: &mut Vec<PlannedMember>,
    arrow: &mut Vec<(usize, ColumnSpec)>,
) -> Result<()> {
    let Some(buffers) = buffers else {
        let (dtype, bytes) = super::unicode::fixed(column)?;
        let name = MemberName::Block(next_block(out));
        out.push(bytes_member(name, dtype, Buffer::from_vec(bytes), Some(position)));
        return Ok(());
    };
    let (spec, buffers) = buffers?;
    arrow.push((position, spec));
    for buffer in buffers {
        let name = MemberName::Arrow(MemberOwner::Column(position), buffer.path);
        out.push(bytes_member(name, buffer.dtype, buffer.bytes, Some(position)));
    }
    Ok(())
}

fn axis(
    axis: &Axis,
    without_columns: bool,
    name: fn(usize) -> MemberName,
    owner: fn(usize) -> MemberOwner,
    compat: Compat,
    out: &mut Vec<PlannedMember>,
) -> Result<ArchiveAxisMeta> {
    let mut meta = ArchiveAxisMeta {
        class: axis.class.clone(),
        classes: axis.classes.clone(),
        depth: axis.depth(),
        name: axis.name.clone(),
        meta: axis.meta.clone(),
        ..ArchiveAxisMeta::default()
    };
    let levels = match &axis.labels {
        Labels::Auto { start, stop, step, count } => {
            meta.auto = Some((*start, *stop, *step, *count));
            // Without labels StaticFrame counts 0, 1, 2... from the blocks, so any other range is stored as labels.
            if (*start, *step) != (0, 1) || (without_columns && *count > 0) {
                meta.stored_range = true;
                let block = axis.range_labels()?;
                let mut planned = member(name(0), block.grid, false, &block.buffer, None);
                planned.group = out.len() + 1;
                out.push(planned);
            }
            return Ok(meta);
        }
        Labels::Levels(levels) => levels,
    };
    for (i, level) in levels.iter().enumerate() {
        let group = |out: &mut Vec<PlannedMember>, mut planned: PlannedMember| {
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
                let (spec, buffers) = disassemble(column)?;
                meta.arrow.push((i, spec));
                for buffer in buffers {
                    let planned = bytes_member(
                        MemberName::Arrow(owner(i), buffer.path),
                        buffer.dtype,
                        buffer.bytes,
                        None,
                    );
                    group(out, planned);
                }
            }
        }
    }
    Ok(meta)
}
