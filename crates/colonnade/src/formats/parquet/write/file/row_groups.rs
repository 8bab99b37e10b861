//! Encodes row groups. Tasks of one or several neighbouring columns run in parallel, and are written in order.

use std::ops::Range;

use crate::error::Result;
use crate::formats::parquet::write::column::{EncodedChunk, Settings, encode};
use crate::frame::Frame;
use crate::parallel;
use crate::sink::write_buffer::{SinkTarget, WriteBuffer};

use super::file_column::{FileColumn, RootStorage};
use super::footer::{ChunkColumn, FooterContents};
use super::layout::FileLayout;
use super::source::{ColumnSource, PackedColumn, each_packed, sources};
use super::{array_leaf, dictionaries, leaves, nested};

/// Neighbouring columns with fewer bytes together form one task.
const TASK_NBYTES: usize = 1 << 20;

/// The columns `roots` of one row group.
struct EncodeTask {
    group: usize,
    roots: Range<usize>,
    /// The leaves of the column, if a column of many leaves is split into several tasks.
    leaves: Range<usize>,
    /// Whether the task is the first one of its row group.
    first: bool,
}

/// An encoded chunk: its root, its leaf within the root, and its offset in the task's output.
struct TaskChunk {
    root: usize,
    leaf: usize,
    at: usize,
    chunk: EncodedChunk,
}

/// Encodes frames as row groups, one each, and writes them to the file.
///
/// # Errors
/// `Unrepresentable` for values that the file's types cannot hold; errors of the sink.
pub(super) fn write(
    frames: &[Frame],
    layout: &FileLayout,
    all: &Settings,
    threads: usize,
    (written, output): (&mut FooterContents, &mut WriteBuffer),
    target: &mut SinkTarget<'_>,
) -> Result<()> {
    let groups: Vec<Vec<ColumnSource<'_>>> = frames.iter().map(sources).collect::<Result<_>>()?;
    let index = all.page_index;
    let (mut tasks, mut total, mut indexed) = (Vec::new(), 0, Vec::new());
    for (group, (sources, frame)) in groups.iter().zip(frames).enumerate() {
        let (nbytes, most) = cut(&mut tasks, group, layout, sources, frame.nrows);
        total += nbytes;
        let nvalues = sources.iter().map(|source| source.nvalues(frame.nrows)).max().unwrap_or(0);
        // If one column has several pages, all columns get an index.
        indexed.push(index && (nvalues > all.page_rows || most > all.page_nbytes));
    }
    let threads = if total < parallel::INLINE_NBYTES { 1 } else { threads };
    let make = |i: usize, (chunks, out): &mut (Vec<TaskChunk>, Vec<u8>)| -> Result<()> {
        out.clear();
        let Some(task) = tasks.get(i) else { return Ok(()) };
        let columns = groups.get(task.group).and_then(|g| g.get(task.roots.clone())).unwrap_or(&[]);
        *chunks = task_bytes(layout, task, columns, all, out)?;
        Ok(())
    };
    let progress = target.progress;
    let mut next = 0;
    let mut take = |(chunks, bytes): &mut (Vec<TaskChunk>, Vec<u8>)| -> Result<()> {
        let Some(task) = tasks.get(next) else { return Ok(()) };
        next += 1;
        let at = output.position();
        if task.first {
            written.begin(frames.get(task.group).map_or(0, |frame| frame.nrows), at);
        }
        let indexed = indexed.get(task.group).copied().unwrap_or(false);
        for encoded in chunks.drain(..) {
            let leaf = layout.roots.get(encoded.root).and_then(|root| root.leaves.get(encoded.leaf));
            if let Some(leaf) = leaf {
                let indexed = indexed || index && encoded.chunk.pages.len() > 1;
                written.push(
                    ChunkColumn { physical: leaf.physical, path: &leaf.path },
                    &encoded.chunk,
                    at + encoded.at as u64,
                    indexed,
                );
            }
        }
        output.put(bytes, target)
    };
    parallel::ordered(tasks.len(), threads, &make, &mut take, progress)
}

/// Splits a row group into tasks. Returns its bytes, and those of its largest column.
fn cut(
    tasks: &mut Vec<EncodeTask>,
    group: usize,
    layout: &FileLayout,
    sources: &[ColumnSource<'_>],
    nrows: usize,
) -> (usize, usize) {
    let (mut total, mut most, mut held, mut start) = (0, 0, 0, 0);
    let all = 0..usize::MAX;
    let mut push = |roots: Range<usize>, leaves: Range<usize>| {
        let first = roots.start == 0 && leaves.start == 0;
        tasks.push(EncodeTask { group, roots, leaves, first });
    };
    for (k, source) in sources.iter().enumerate() {
        let nbytes = source.nbytes(nrows);
        total += nbytes;
        most = most.max(nbytes);
        let nleaves = layout.roots.get(k).map_or(1, |root| root.leaves.len());
        let parts = nleaves.min(nbytes / TASK_NBYTES);
        if parts > 1 {
            if start < k {
                push(start..k, all.clone());
            }
            let edge = |part: usize| part * nleaves / parts;
            (0..parts).for_each(|part| push(k..k + 1, edge(part)..edge(part + 1)));
            (start, held) = (k + 1, 0);
            continue;
        }
        held += nbytes;
        if held >= TASK_NBYTES {
            push(start..k + 1, all.clone());
            (start, held) = (k + 1, 0);
        }
    }
    if start < sources.len() || sources.is_empty() {
        push(start..sources.len(), all);
    }
    (total, most)
}

fn task_bytes(
    layout: &FileLayout,
    task: &EncodeTask,
    columns: &[ColumnSource<'_>],
    all: &Settings,
    out: &mut Vec<u8>,
) -> Result<Vec<TaskChunk>> {
    let mut done = Vec::with_capacity(columns.len());
    each_packed(columns, |k, column| {
        let Some(root) = layout.roots.get(task.roots.start + k) else { return Ok(()) };
        let chunks = chunks(root, &task.leaves, &column, all, out)
            .map_err(|e| e.in_member(root.field.name().clone()))?;
        done.extend(chunks.into_iter().map(|(leaf, at, chunk)| TaskChunk {
            root: task.roots.start + k,
            leaf,
            at,
            chunk,
        }));
        Ok(())
    })?;
    Ok(done)
}

/// Encodes the chunks of a column and returns each one's leaf and offset in `out`.
fn chunks(
    root: &FileColumn,
    leaf_range: &Range<usize>,
    column: &PackedColumn<'_>,
    all: &Settings,
    out: &mut Vec<u8>,
) -> Result<Vec<(usize, usize, EncodedChunk)>> {
    if let RootStorage::Nested(tree) = &root.kind {
        let data = leaves::array(column, root.field.data_type())?;
        return nested::encode((tree, &root.leaves), leaf_range, &data, all, out);
    }
    let nrows = match column {
        PackedColumn::Block(block) => block.grid.nrows,
        PackedColumn::Array(data) => data.len(),
    };
    let settings = root.leaves.first().and_then(|leaf| leaf.settings.as_deref()).unwrap_or(all);
    let (at, optional) = (out.len(), root.optional);
    let mut one = None;
    let mut take = |leaf: &crate::formats::parquet::write::column::LeafColumn<'_>| {
        one = Some(encode(leaf, 0..nrows, settings, out)?);
        Ok(())
    };
    match (&root.kind, column) {
        (RootStorage::PlainValues(stored), PackedColumn::Array(data)) => {
            array_leaf::of_array(&dictionaries::decoded_values(data)?, stored, optional, &mut take)?;
        }
        (RootStorage::Codes(stored), PackedColumn::Array(data)) => {
            array_leaf::of_array(&dictionaries::as_codes(data)?, stored, optional, &mut take)?;
        }
        (RootStorage::Leaf(stored) | RootStorage::PlainValues(stored) | RootStorage::Codes(stored), _) => {
            leaves::leaf(column, root.field.data_type(), stored, optional, &mut take)?;
        }
        (RootStorage::Nested(_), _) => {}
    }
    Ok(one.map(|chunk| (0, at, chunk)).into_iter().collect())
}
