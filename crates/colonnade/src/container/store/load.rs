//! Loads the arrays that a request touches, in parallel, into their final memory.

use crate::container::zip::Method;
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::frame::{Axis, Frame, Part, row_range, select, slots};
use crate::limits::Budget;
use crate::memory::{Buffer, Region, RegionMut};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{NoProgress, Progress};

use super::frame_places::AxisPlaces;
use super::place::{ArrayPlace, ColumnPlace, Space, TouchedRanges, merge_ranges};
use super::scan::{ScannedArray, StoredMember};
use super::source::READ_NBYTES;
use super::spaces::Spaces;
use super::{Store, StoreKind, StoreSource, remote};

/// Ranges with smaller gaps are read as one.
const JOIN_GAP: usize = 64 << 10;

impl Store {
    /// Both axes. The first call decodes them, and fetches the labels of a remote file.
    ///
    /// # Errors
    /// As [`Store::axes`].
    pub fn cached_axes(&self) -> Result<&(Axis, Axis)> {
        if let Some(axes) = self.axes.get() {
            return Ok(axes);
        }
        let axes = self.axes(self.threads)?;
        Ok(self.axes.get_or_init(|| axes))
    }

    /// Both axes.
    ///
    /// # Errors
    /// Malformed members; errors of the operating system.
    pub fn axes(&self, threads: usize) -> Result<(Axis, Axis)> {
        let places = self.places()?;
        let mut extents = TouchedRanges::default();
        for axis in [&places.index, &places.columns] {
            if let AxisPlaces::Levels(_, levels) | AxisPlaces::StoredRange(_, levels) = axis {
                levels.iter().for_each(|l| extents.add_level(l));
            }
        }
        let spaces = self.spaces(extents, false, threads, &NoProgress)?;
        Ok((spaces.axis(&places.index, "index")?, spaces.axis(&places.columns, "columns")?))
    }

    /// The requested part of the frame. `axes`: the result of [`Store::axes`].
    ///
    /// # Errors
    /// Malformed members; a position or row outside the frame; errors of the operating system.
    pub fn load(&self, axes: &(Axis, Axis), request: &Request<'_>) -> Result<Frame> {
        let places = self.places()?;
        let (mut index, mut columns) = axes.clone();
        let mut parts: Vec<Part<ArrayPlace, ColumnPlace>> = places.parts.clone();
        if let Some(projection) = request.projection.filter(|projection| !projection.is_all()) {
            for part in &mut parts {
                if let Part::Column(column, position) = part {
                    column.project(projection.of(*position));
                }
            }
        }
        if let Some(positions) = request.positions {
            let cut =
                |p: &ArrayPlace, grid: &dyn Fn(&_) -> _| ArrayPlace { space: p.space, grid: grid(&p.grid) };
            parts = select(&parts, &slots(&parts, places.ncols)?, positions, cut)?;
            columns = columns.select(positions)?;
        }
        let (start, stop) = row_range("npz", request.rows, places.nrows)?;
        if (start, stop) != (0, places.nrows) {
            index = index.slice(start, stop);
            for part in &mut parts {
                if let Part::Block(place, _) = part {
                    place.grid = place.grid.rows(start, stop);
                }
            }
        }
        let mut extents = TouchedRanges::default();
        for part in &parts {
            match part {
                Part::Block(place, _) => extents.add(place),
                Part::Column(column, _) => extents.add_column(column),
            }
        }
        let spaces = self.spaces(extents, request.private, request.threads, request.progress)?;
        let part_at = |part, threads| {
            Ok(match part {
                Part::Block(place, positions) => Part::Block(spaces.block(&place)?, positions),
                Part::Column(column, position) => {
                    let in_column = |e: Error| e.in_member(format!("column {position}"));
                    Part::Column(spaces.column(&column, (start, stop), threads).map_err(in_column)?, position)
                }
            })
        };
        // Text is checked.
        let checked_nbytes = |part: &Part<ArrayPlace, ColumnPlace>| match part {
            Part::Block(..) => 0,
            Part::Column(column, _) => column.checked_nbytes(),
        };
        let part_at = &part_at;
        let task = |part| (checked_nbytes(&part), move |threads| part_at(part, threads));
        let out = parallel::map_short(parts.into_iter().map(task).collect(), request.threads, &NoProgress)?;
        let mut tags = places.tags.clone();
        if self.kind == StoreKind::Npy && request.positions.is_some() {
            // The origin describes the whole array, not a selection of its columns.
            tags.origin = None;
        }
        Frame::new(index, columns, out, tags)
    }

    /// Reads the extents of both spaces.
    pub(super) fn spaces(
        &self,
        extents: TouchedRanges,
        private: bool,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Spaces> {
        let total = self.source.structure().len();
        let ranges = merge_ranges(extents.image, 0);
        let jobs = self.jobs(&ranges);
        if self.source.remote().is_some() {
            let of = |&(member, start, end): &(&StoredMember, usize, usize)| {
                remote::source_range(member, start, end)
            };
            let values = self.values_of(jobs.iter().map(|job| job.0));
            let values = values.iter().map(|(_, member)| remote::source_range(member, 0, 0));
            let ranges: Vec<_> =
                extents.source.iter().copied().chain(jobs.iter().map(of)).chain(values).collect();
            self.source.need(&ranges, progress)?;
        }
        let source = match &self.source {
            _ if extents.source.is_empty() => Buffer::from_vec(Vec::new()),
            StoreSource::Mapped(file, _) if private => file.map_private()?,
            StoreSource::Memory(bytes) | StoreSource::Mapped(_, bytes) if !private => bytes.clone(),
            StoreSource::Remote(remote) if !private => remote.bytes().clone(),
            _ => {
                let ranges = merge_ranges(extents.source, JOIN_GAP);
                let mut region = region_for(total, &ranges)?;
                let reads = split_ranges(&ranges);
                let targets = split_at_ranges(region.as_mut_slice(), &reads);
                let tasks = reads.iter().zip(targets).map(|(&(start, end), target)| {
                    Task::new(end - start, move || self.source.read_into(0, start, target))
                });
                parallel::run(tasks.collect(), threads, progress)?;
                Buffer::from_region(region.finish(), private)
            }
        };
        let image = self.image(&jobs, private, threads, progress)?;
        let nbytes = source.nbytes().saturating_add(image.nbytes());
        let budget = Budget::new(&self.limits, nbytes as u64);
        Ok(Spaces::new(source, image, budget))
    }

    /// The decoding jobs for ranges of the image: members, each with the part of the image that it fills.
    fn jobs(&self, ranges: &[(usize, usize)]) -> Vec<(&StoredMember, usize, usize)> {
        if ranges.is_empty() {
            return Vec::new();
        }
        let mut members: Vec<_> =
            self.members.iter().filter(|m| m.space == Space::Image && self.decoded_nbytes(m) > 0).collect();
        members.sort_by_key(|m| m.start);
        let touched = |start: usize, end: usize| {
            let next = ranges.partition_point(|r| r.1 <= start);
            ranges.get(next).is_some_and(|r| r.0 < end)
        };
        members.retain(|m| touched(m.start, m.start + self.decoded_nbytes(m)));
        // Of a stored member only the requested ranges are copied.
        let mut jobs = Vec::new();
        for member in members {
            let (start, end) = (member.start, member.start + self.decoded_nbytes(member));
            if member.method != Method::Stored || member.filter != 0 {
                jobs.push((member, start, end));
                continue;
            }
            let first = ranges.partition_point(|r| r.1 <= start);
            let within: Vec<(usize, usize)> = ranges
                .iter()
                .skip(first)
                .take_while(|r| r.0 < end)
                .map(|r| (r.0.max(start), r.1.min(end)))
                .collect();
            jobs.extend(split_ranges(&within).into_iter().map(|(from, to)| (member, from, to)));
        }
        jobs
    }

    /// Runs the jobs: decompresses members, or copies them to an aligned place.
    fn image(
        &self,
        jobs: &[(&StoredMember, usize, usize)],
        private: bool,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Buffer> {
        if jobs.is_empty() {
            return Ok(Buffer::from_vec(Vec::new()));
        }
        self.check_unpacked(jobs)?;
        let spans: Vec<(usize, usize)> = jobs.iter().map(|&(_, start, end)| (start, end)).collect();
        let mut region = region_for(self.image_nbytes, &spans)?;
        let targets = split_at_ranges(region.as_mut_slice(), &spans);
        let tables = &self.tables(&self.values_of(jobs.iter().map(|job| job.0)), threads)?;
        let tasks = jobs.iter().zip(targets).map(|(&(member, start, end), target)| {
            Task::new(end - start, move || {
                let result = if member.filter != 0 {
                    self.unfilter(member, tables, target)
                } else if member.method == Method::Stored {
                    self.source.read_into(member.entry, member.offset + (start - member.start), target)
                } else {
                    member.unpack(&self.source, target)
                };
                result.map_err(|e| e.in_member(self.name(member.entry)))
            })
        });
        parallel::run(tasks.collect(), threads, progress)?;
        Ok(Buffer::from_region(region.finish(), private))
    }

    /// Refuses compressed members that expand far beyond the size of the source.
    fn check_unpacked(&self, jobs: &[(&StoredMember, usize, usize)]) -> Result<()> {
        let input = self.source.structure().len() as u64;
        let packed =
            || jobs.iter().filter(|(member, ..)| member.method != Method::Stored || member.filter != 0);
        let nbytes = packed().map(|&(_, start, end)| (end - start) as u64).fold(0, u64::saturating_add);
        if nbytes <= self.limits.decoded_nbytes(input, 0) {
            return Ok(());
        }
        // Single bytes count as cells at most as often as the frame has cells; the others are bytes of text.
        let max_cells =
            self.frame.as_ref().map_or(u64::MAX, |f| (f.nrows as u64).saturating_mul(f.ncols as u64));
        let cells = |&(member, start, end): &(&StoredMember, usize, usize)| match self.array_of(member) {
            ScannedArray::Plain { key, .. } if key.dtype.itemsize > 1 => {
                (end - start) as u64 / u64::from(key.dtype.itemsize)
            }
            _ => ((end - start) as u64).min(max_cells),
        };
        let ncells = packed().map(cells).fold(0, u64::saturating_add);
        self.limits.check_decoded("npz", "the compressed members", nbytes, input, ncells)
    }
}

/// A region of `nbytes`, sparse if the ranges cover less than half of it.
fn region_for(nbytes: usize, ranges: &[(usize, usize)]) -> Result<RegionMut> {
    let touched: usize = ranges.iter().map(|(start, end)| end - start).sum();
    Ok(if touched < nbytes / 2 { Region::allocate_sparse(nbytes)? } else { Region::allocate(nbytes)? })
}

/// Splits ranges into reads of at most [`READ_NBYTES`].
fn split_ranges(ranges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let cut = |&(start, end): &(usize, usize)| {
        (start..end).step_by(READ_NBYTES).map(move |from| (from, (from + READ_NBYTES).min(end)))
    };
    ranges.iter().flat_map(cut).collect()
}

/// Splits `bytes` at sorted, disjoint ranges.
fn split_at_ranges<'b>(mut bytes: &'b mut [u8], ranges: &[(usize, usize)]) -> Vec<&'b mut [u8]> {
    let mut base = 0;
    let mut out = Vec::with_capacity(ranges.len());
    for &(start, end) in ranges {
        let skip = (start - base).min(bytes.len());
        let (_, rest) = bytes.split_at_mut(skip);
        let take = (end - start).min(rest.len());
        let (part, rest) = rest.split_at_mut(take);
        out.push(part);
        bytes = rest;
        base = end;
    }
    out
}
