//! Values of one width: into blocks, or into Arrow's layout. Which it is, for columns that may be null, the pages tell:
//! all land as if they were not, and those that were leave their block.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrow_buffer::{BooleanBufferBuilder, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, TimeUnit};

use crate::arrow::landed::Landed;
use crate::error::{Error, Result};
use crate::frame::{Block, ByteOrder, DType, Grid, Kind as Letter, as_stride};
use crate::memory::{Buffer, Region, RegionMut, STREAMING_FROM_NBYTES, Scatter, apart, fence};
use crate::parquet::levels::Validity;
use crate::parquet::page::Kind as PageKind;
use crate::parquet::values::Int96;
use crate::plan::{self, Progress, Task};

use super::drive::{Job, Nulls, Scratch, Scratches};
use super::kinds::{Kind, Null, kind};
use super::lengths::Lengths;
use super::wide::Wide;
use super::words::{Bools, Words};
use super::{Landing, Piece, Way};

/// Tasks are not made smaller than this.
const LEAST_NBYTES: usize = 256 << 10;

/// Nor larger, where there are chunks or pages to cut at.
const MOST_NBYTES: usize = 16 << 20;

/// What a chunk costs besides its rows, as bytes.
const CHUNK_NBYTES: usize = 1 << 10;

/// Columns in Arrow's layout that are at least so large have memory of their own.
const ALONE_NBYTES: usize = 64 << 10;

/// Pages of a map are let go once so many bytes were decoded.
const LET_GO_NBYTES: usize = 256 << 10;

/// Memory that any file may ask for.
const UNBACKED_NBYTES: usize = 4 << 30;

/// Bytes of memory that a byte of the file is believed to stand for, beyond that.
const UNBACKED_TIMES: usize = 4096;

/// One column: what it is, and where it goes.
struct Target {
    /// Place among the wanted.
    i: usize,
    field: usize,
    leaf: usize,
    kind: Kind,
    null: Null,
    optional: bool,
    /// Nulls are not-a-times, and need no validity.
    nat: bool,
    item: usize,
    region: usize,
    offset: usize,
}

/// Columns that share memory.
struct Group {
    /// Of the block; none: Arrow's.
    dtype: Option<DType>,
    item: usize,
    stride: usize,
    members: Vec<usize>,
}

/// Rows of one column's chunk.
#[derive(Clone, Copy)]
struct Unit<'p> {
    target: usize,
    pieces: &'p [Piece],
    nbytes: usize,
}

/// How many of the pieces are of one row group, in its order, and follow each other in the result.
fn together(pieces: &[Piece]) -> usize {
    let follows = |pair: &[Piece]| match pair {
        [a, b] => a.group == b.group && a.skip + a.nrows <= b.skip && a.at + a.nrows == b.at,
        _ => false,
    };
    pieces.windows(2).position(|pair| !follows(pair)).map_or(pieces.len(), |n| n + 1)
}

/// The nulls of some rows of a target.
struct Found {
    target: usize,
    at: usize,
    bits: Validity,
}

/// What all tasks share.
struct Work<'w> {
    targets: &'w [Target],
    scatters: &'w [Scatter<'w>],
    scratches: Scratches,
    found: Mutex<Vec<Found>>,
    streaming: bool,
}

/// A part of a chunk: where its pages begin, its values from there on, and its rows.
struct Part {
    at: usize,
    left: u64,
    skip: usize,
    nrows: usize,
    to: usize,
}

/// Bytes of the file, side by side, that were decoded.
#[derive(Debug, Clone, Copy, Default)]
struct Read {
    start: u64,
    nbytes: usize,
}

impl Read {
    /// Takes a chunk; of chunks that do not stand side by side the last.
    fn add(&mut self, (start, nbytes): (u64, usize)) {
        if self.nbytes > 0 && self.start + self.nbytes as u64 == start {
            self.nbytes += nbytes;
        } else {
            *self = Self { start, nbytes };
        }
    }
}

impl Landing<'_> {
    /// Lands the fields `wanted[i]` for `i` of `these`.
    pub(super) fn fixed(
        &self,
        wanted: &[usize],
        these: &[usize],
        pieces: &[Piece],
        landed: &mut Landed,
        progress: &dyn Progress,
    ) -> Result<()> {
        if these.is_empty() {
            return Ok(());
        }
        let (targets, groups) = self.targets(wanted, these)?;
        let mut regions: Vec<RegionMut> = Vec::with_capacity(groups.len());
        for group in &groups {
            let nbytes = group.stride.checked_mul(group.members.len()).ok_or_else(too_large)?;
            self.check_backed(nbytes)?;
            // Many small columns would each take a huge page.
            regions.push(Region::allocate(nbytes, nbytes < LEAST_NBYTES)?);
        }
        let scatters: Vec<Scatter<'_>> = regions.iter_mut().map(Scatter::new).collect();
        let total = targets.iter().map(|t| t.item.saturating_mul(self.nrows)).fold(0, usize::saturating_add);
        let work = Work {
            targets: &targets,
            scatters: &scatters,
            scratches: Scratches::default(),
            found: Mutex::default(),
            streaming: total >= STREAMING_FROM_NBYTES,
        };
        self.decode_all(&work, pieces, progress)?;
        let found = work.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        drop(scatters);
        let buffers: Vec<Buffer> =
            regions.into_iter().map(|region| Buffer::from_region(region.finish(), true)).collect();
        self.hand_out(&targets, &groups, &buffers, found, landed)
    }

    /// Refuses memory for rows that so few bytes cannot stand for, before it is taken.
    fn check_backed(&self, nbytes: usize) -> Result<()> {
        let file = self.file.source.bytes.nbytes();
        if nbytes <= UNBACKED_NBYTES.max(file.saturating_mul(UNBACKED_TIMES)) {
            return Ok(());
        }
        let message = format!(
            "{} rows take {nbytes} bytes, and the file has {file}. Read some rows= or columns= of it if you trust it.",
            self.nrows
        );
        Err(Error::limit("parquet", message))
    }

    fn targets(&self, wanted: &[usize], these: &[usize]) -> Result<(Vec<Target>, Vec<Group>)> {
        let mut groups: Vec<Group> = Vec::new();
        let mut known: HashMap<(Option<DType>, usize), usize> = HashMap::new();
        let mut targets = Vec::with_capacity(these.len());
        for &i in these {
            let field = wanted.get(i).copied().unwrap_or(0);
            let (Way::Fixed(flat), data_type) = (self.way(field)?, self.field(field)?.data_type()) else {
                continue;
            };
            let (kind, item) =
                kind(data_type, &flat).ok_or_else(|| Error::unsupported("parquet", "its type."))?;
            let plan = self.file.plan.fields.get(field);
            let dtype = plan.filter(|_| !self.arrow).and_then(|plan| plan.landing_dtype());
            let dtype = dtype.filter(|d| d.order != ByteOrder::Big && d.itemsize as usize == item);
            let nbytes = self.nrows.checked_mul(item).ok_or_else(too_large)?;
            let shared = dtype.is_some() || nbytes < ALONE_NBYTES;
            let group = if shared { known.get(&(dtype, item)).copied() } else { None };
            let region = group.unwrap_or_else(|| {
                groups.push(Group { dtype, item, stride: apart(nbytes), members: Vec::new() });
                if shared {
                    known.insert((dtype, item), groups.len() - 1);
                }
                groups.len() - 1
            });
            let Some(group) = groups.get_mut(region) else { continue };
            let offset = group.stride.checked_mul(group.members.len()).ok_or_else(too_large)?;
            group.members.push(targets.len());
            let leaf = self.file.roots.get(field).map_or(0, |root| root.leaves.start);
            let nat = dtype.is_some_and(|d| matches!(d.kind, Letter::DateTime | Letter::TimeDelta));
            let null = if nat { Null::Nat } else { Null::of(data_type) };
            let optional = flat.optional;
            targets.push(Target { i, field, leaf, kind, null, optional, nat, item, region, offset });
        }
        Ok((targets, groups))
    }

    fn decode_all(&self, work: &Work<'_>, pieces: &[Piece], progress: &dyn Progress) -> Result<()> {
        let mut units = Vec::with_capacity(work.targets.len() * pieces.len());
        let mut total = 0usize;
        let mut left = pieces;
        while !left.is_empty() {
            // Rows of one row group: its pages are walked once for all of them.
            let (some, tail) = left.split_at(together(left));
            left = tail;
            let nrows: usize = some.iter().map(|p| p.nrows).sum();
            for (t, target) in work.targets.iter().enumerate() {
                let nbytes = nrows * target.item + CHUNK_NBYTES;
                total = total.saturating_add(nbytes);
                units.push(Unit { target: t, pieces: some, nbytes });
            }
        }
        let share = (total / (8 * self.threads.max(1))).clamp(LEAST_NBYTES, MOST_NBYTES);
        let few = units.len() < 4 * self.threads;
        let mut tasks: Vec<Task<'_>> = Vec::new();
        let mut rest = units.as_slice();
        while let Some(first) = rest.first() {
            if let (true, [piece], Some(target)) =
                (few && first.nbytes > 2 * share, first.pieces, work.targets.get(first.target))
            {
                rest = rest.get(1..).unwrap_or_default();
                for part in self.parts(target, piece, share)? {
                    let nbytes = part.nrows * target.item;
                    tasks.push(Task::new(nbytes, move || {
                        let decoded = work
                            .scratches
                            .with(|scratch| self.part(work, first.target, piece, &part, scratch));
                        decoded.map_err(|e| self.named(e, target.field, piece.group))?;
                        fence();
                        Ok(())
                    }));
                }
                continue;
            }
            let mut nbytes = 0;
            let count = rest.iter().position(|unit| {
                nbytes += unit.nbytes;
                nbytes >= share
            });
            let (some, tail) = rest.split_at(count.map_or(rest.len(), |c| c + 1));
            rest = tail;
            tasks.push(Task::new(nbytes, move || {
                let mut read = Read::default();
                work.scratches.with(|scratch| {
                    some.iter().try_for_each(|unit| {
                        read.add(self.unit(work, unit, scratch)?);
                        self.let_go(&mut read, LET_GO_NBYTES);
                        Ok::<(), Error>(())
                    })
                })?;
                self.let_go(&mut read, 1);
                fence();
                Ok(())
            }));
        }
        tasks.sort_by_key(|task| Reverse(task.nbytes));
        plan::run(tasks, self.threads, progress)
    }

    /// Decodes a chunk; answers where it stands in the file.
    fn unit(&self, work: &Work<'_>, unit: &Unit<'_>, scratch: &mut Scratch) -> Result<(u64, usize)> {
        let (Some(target), Some(piece)) = (work.targets.get(unit.target), unit.pieces.first()) else {
            return Ok((0, 0));
        };
        let decoded = (|| {
            let chunk = self.chunk(piece.group, target.leaf)?;
            let pages = self.pages(&chunk);
            let mut job = Job { dictionary: None, pages, pieces: unit.pieces, optional: target.optional };
            self.decode(work, unit.target, &mut job, scratch)?;
            Ok((chunk.base, chunk.bytes.len()))
        })();
        decoded.map_err(|e| self.named(e, target.field, piece.group))
    }

    /// Cuts rows of a chunk at its pages, into parts of about `share` bytes.
    fn parts(&self, target: &Target, piece: &Piece, share: usize) -> Result<Vec<Part>> {
        let named = |e: Error| self.named(e, target.field, piece.group);
        let chunk = self.chunk(piece.group, target.leaf).map_err(named)?;
        let mut pages = self.pages(&chunk).unverified();
        let step = (share / target.item.max(1)).max(1);
        let (mut out, mut first) = (Vec::<Part>::new(), 0usize);
        let end = piece.skip + piece.nrows;
        while first < end {
            let (at, left) = pages.place();
            let Some(page) = pages.next_page().map_err(named)? else { break };
            if matches!(page.header.kind, PageKind::Dictionary { .. }) {
                continue;
            }
            let n = page.header.nvalues as usize;
            let (from, until) = (first.max(piece.skip), (first + n).min(end));
            if until > from {
                match out.last_mut() {
                    Some(last) if last.nrows < step => last.nrows += until - from,
                    _ => out.push(Part {
                        at,
                        left,
                        skip: from - first,
                        nrows: until - from,
                        to: piece.at + from - piece.skip,
                    }),
                }
            }
            first += n;
        }
        if first < end {
            let message =
                format!("its pages have {first} rows of {end}. The file is damaged; write it again.");
            return Err(named(Error::malformed("parquet", message)));
        }
        Ok(out)
    }

    fn part(
        &self,
        work: &Work<'_>,
        number: usize,
        piece: &Piece,
        part: &Part,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Some(target) = work.targets.get(number) else { return Ok(()) };
        let chunk = self.chunk(piece.group, target.leaf)?;
        let mut pages = self.pages(&chunk);
        // The dictionary stands in front of all data.
        let first = pages.next_page()?;
        let dictionary = first.filter(|page| matches!(page.header.kind, PageKind::Dictionary { .. }));
        let pages = pages.from(part.at, part.left);
        let rows = [Piece { group: piece.group, skip: part.skip, nrows: part.nrows, at: part.to }];
        let mut job = Job { dictionary, pages, pieces: &rows, optional: target.optional };
        self.decode(work, number, &mut job, scratch)?;
        let mut read = Read::default();
        read.add((chunk.base + part.at as u64, job.pages.place().0.saturating_sub(part.at)));
        self.let_go(&mut read, 1);
        Ok(())
    }

    /// Decodes rows of a target.
    fn decode(
        &self,
        work: &Work<'_>,
        number: usize,
        job: &mut Job<'_, '_>,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Some(target) = work.targets.get(number) else { return Ok(()) };
        let scatter = work.scatters.get(target.region).ok_or_else(too_large)?;
        let at = job.pieces.first().map_or(0, |p| p.at);
        let nrows: usize = job.pieces.iter().map(|p| p.nrows).sum();
        // SAFETY: each task has rows of its own, and each column ranges of its own.
        let out = unsafe { scatter.range(target.offset + at * target.item, nrows * target.item) };
        let out = out.ok_or_else(too_large)?;
        let mut nulls = Nulls::default();
        let told = (!target.nat).then_some(&mut nulls);
        let Scratch { page, rows, dictionary } = scratch;
        let streaming = work.streaming;
        macro_rules! words {
            ($raw:ty, $row:ty, $null:expr, $cast:expr, $same:expr) => {{
                let mut decoder = Words::<$raw, $row, _>::new(dictionary, $null, $cast, $same, streaming);
                job.drive(&mut decoder, out, told, page, rows)
            }};
        }
        let none = target.null;
        let nat = if none == Null::Nat { i64::MIN.cast_unsigned() } else { 0 };
        match target.kind {
            Kind::Bools => job.drive(&mut Bools, out, told, page, rows),
            Kind::Same2 => words!(u16, u16, if none == Null::Nan { 0x7e00 } else { 0 }, |v| v, true),
            Kind::Same4 => words!(u32, u32, if none == Null::Nan { 0x7fc0_0000 } else { 0 }, |v| v, true),
            Kind::Same8 => words!(u64, u64, if none == Null::Nan { 0x7ff8 << 48 } else { nat }, |v| v, true),
            Kind::Low1 => words!(u32, u8, 0, |v: u32| v.to_le_bytes()[0], false),
            Kind::Low2 => words!(u32, u16, 0, |v: u32| (v & 0xffff) as u16, false),
            Kind::Int4To16 => {
                words!(u32, u128, 0, |v: u32| i128::from(v.cast_signed()).cast_unsigned(), false)
            }
            Kind::Int8To16 => {
                words!(u64, u128, 0, |v: u64| i128::from(v.cast_signed()).cast_unsigned(), false)
            }
            Kind::Days => {
                let day = |v: u32| (i64::from(v.cast_signed()) * 86_400_000).cast_unsigned();
                words!(u32, u64, nat, day, false)
            }
            Kind::Seconds8 => words!(u64, u64, nat, |v: u64| (v.cast_signed() / 1000).cast_unsigned(), false),
            Kind::Seconds4 => words!(u32, u32, 0, |v: u32| (v.cast_signed() / 1000).cast_unsigned(), false),
            Kind::Int96(unit) => {
                let per = match unit {
                    TimeUnit::Nanosecond => 1,
                    TimeUnit::Microsecond => 1_000,
                    TimeUnit::Millisecond => 1_000_000,
                    TimeUnit::Second => 1_000_000_000,
                };
                words!(Int96, u64, nat, move |v: Int96| v.0.div_euclid(per).cast_unsigned(), false)
            }
            Kind::Lengths => {
                let mut lengths = Lengths { item: target.item, dictionary: Vec::new() };
                job.drive(&mut lengths, out, told, page, rows)
            }
            Kind::Wide(width, change) => {
                let mut wide =
                    Wide { width: width as usize, item: target.item, change, dictionary: Vec::new() };
                job.drive(&mut wide, out, told, page, rows)
            }
        }?;
        if let Some(bits) = nulls.finish() {
            let mut found = work.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(Found { target: number, at, bits });
        }
        Ok(())
    }

    /// Pages of a map that were decoded need not stay in memory: they go once they are `least` bytes.
    fn let_go(&self, read: &mut Read, least: usize) {
        if read.nbytes >= least {
            self.file.source.let_go(read.start, read.nbytes);
            *read = Read::default();
        }
    }

    /// Blocks of the columns without nulls, Arrow arrays of the others.
    fn hand_out(
        &self,
        targets: &[Target],
        groups: &[Group],
        buffers: &[Buffer],
        mut found: Vec<Found>,
        landed: &mut Landed,
    ) -> Result<()> {
        found.sort_by_key(|f| (f.target, f.at));
        for (group, buffer) in groups.iter().zip(buffers) {
            let mut run: Vec<usize> = Vec::new();
            let mut first = 0;
            let seat = |run: &mut Vec<usize>, first: usize, landed: &mut Landed| -> Result<()> {
                let (Some(dtype), false) = (group.dtype, run.is_empty()) else { return Ok(()) };
                let grid = Grid {
                    col_stride: as_stride(group.stride),
                    ..Grid::column_major(dtype, self.nrows, run.len(), first * group.stride)
                };
                let block = Block::new(grid, buffer.clone()).ok_or_else(too_large)?;
                landed.blocks.push((block, std::mem::take(run)));
                Ok(())
            };
            for (k, &member) in group.members.iter().enumerate() {
                let Some(target) = targets.get(member) else { continue };
                let start = found.partition_point(|f| f.target < member);
                let own = found.get(start..).unwrap_or_default();
                let own = own.get(..own.partition_point(|f| f.target == member)).unwrap_or_default();
                if group.dtype.is_some() && own.is_empty() {
                    if run.is_empty() {
                        first = k;
                    }
                    run.push(target.i);
                    continue;
                }
                seat(&mut run, first, landed)?;
                let values = buffer.slice(target.offset, self.nrows * group.item).ok_or_else(too_large)?;
                landed.columns.push((target.i, self.array(target, &values, own)?));
            }
            seat(&mut run, first, landed)?;
        }
        Ok(())
    }

    fn array(&self, target: &Target, values: &Buffer, found: &[Found]) -> Result<ArrayData> {
        let data_type = self.field(target.field)?.data_type();
        let mut nulls = None;
        if !found.is_empty() {
            let mut bits = BooleanBufferBuilder::new(self.nrows);
            for part in found {
                bits.append_n(part.at.saturating_sub(bits.len()), true);
                let words: Vec<u8> = part.bits.words().iter().flat_map(|w| w.to_le_bytes()).collect();
                bits.append_packed_range(0..part.bits.len(), &words);
            }
            bits.append_n(self.nrows.saturating_sub(bits.len()), true);
            nulls = Some(NullBuffer::new(bits.finish()));
        }
        let values =
            if *data_type == DataType::Boolean { packed(values.as_slice()) } else { values.to_arrow() };
        let builder =
            ArrayDataBuilder::new(data_type.clone()).len(self.nrows).add_buffer(values).nulls(nulls);
        // SAFETY: as many values of this width as rows, all written.
        Ok(unsafe { builder.align_buffers(true).build_unchecked() })
    }
}

/// A bit a byte.
fn packed(bytes: &[u8]) -> ArrowBuffer {
    let bits =
        arrow_buffer::BooleanBuffer::collect_bool(bytes.len(), |i| bytes.get(i).is_some_and(|&b| b != 0));
    bits.into_inner()
}

#[cold]
fn too_large() -> Error {
    Error::too_large("parquet")
}
