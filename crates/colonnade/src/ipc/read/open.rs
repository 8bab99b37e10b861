//! An opened file or stream: described from its headers, decoded where it is asked to be.

use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, OnceLock};

use arrow_data::ArrayData;

use crate::arrow::import::{Place, Plan};
use crate::container::store::Limits;
use crate::error::{Error, Result};
use crate::frame::{Axis, Block, Frame, Level, Part};
use crate::memory::{Buffer, MappedFile, read_small};
use crate::plan::{self, NoProgress, Progress, Task};

use super::arrays::{Cursor, field_of};
use super::body::{Body, Source};
use super::catalog::{Batch, Catalog};
use super::footer;
use super::land::{Landed, Landing, empty_of};
use super::receive::{read_whole, receive};
use super::remote::Decoded;
use super::scan;

/// Files below this size are read rather than mapped.
pub(super) const MAP_MIN_NBYTES: u64 = 1 << 20;

/// The two forms of the same messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Random access by a footer: `arrow`.
    File,
    /// Front to back: `arrows`.
    Stream,
}

/// How a source is opened.
#[derive(Debug, Clone, Copy)]
pub struct OpenOptions {
    /// The form; told by the first bytes where `None`.
    pub form: Option<Form>,
    /// Caps.
    pub limits: Limits,
    /// A stream without its end mark gives what came.
    pub allow_truncated: bool,
    /// Threads that may work.
    pub threads: usize,
}

/// What is wanted of a source.
pub struct Request<'a> {
    /// Columns by position, in that order; all where `None`.
    pub positions: Option<&'a [usize]>,
    /// Rows `start..stop`; all where `None`.
    pub rows: Option<(usize, usize)>,
    /// Memory of its own, that no other frame sees.
    pub private: bool,
    /// Threads that may work.
    pub threads: usize,
    /// Told how far it is.
    pub progress: &'a dyn Progress,
}

/// An opened file or stream.
#[derive(Debug)]
pub struct Ipc {
    pub(super) source: Source,
    mapped: Option<Arc<MappedFile>>,
    pub(super) catalog: Catalog,
    pub(super) plan: Plan,
    form: Form,
    pub(super) options: OpenOptions,
    pub(super) history: Mutex<Option<Decoded>>,
    index: OnceLock<Axis>,
}

impl Ipc {
    /// Opens a regular file: mapped, or read in parallel where it is small or `mmap` is off.
    ///
    /// # Errors
    /// The system's own; malformed or truncated messages.
    pub fn open_file(file: File, mmap: bool, options: OpenOptions) -> Result<Self> {
        let nbytes = file.metadata()?.len();
        let length = usize::try_from(nbytes).map_err(io::Error::other)?;
        if nbytes < MAP_MIN_NBYTES {
            return Self::open(
                Source::new(Buffer::from_region(read_small(&file, length)?, false)),
                None,
                options,
            );
        }
        if mmap {
            let file = Arc::new(MappedFile::new(file, nbytes));
            let shared = file.map_shared()?;
            return Self::open(Source::new(shared), Some(file), options);
        }
        Self::open(
            Source::new(Buffer::from_region(read_whole(&file, length, options.threads)?.finish(), false)),
            None,
            options,
        )
    }

    /// Opens bytes in memory.
    ///
    /// # Errors
    /// Malformed or truncated messages.
    pub fn open_buffer(bytes: Buffer, options: OpenOptions) -> Result<Self> {
        Self::open(Source::new(bytes), None, options)
    }

    /// Reads a pipe or socket: a stream up to its end mark and no further, a file to the end.
    ///
    /// # Errors
    /// The system's own; malformed or truncated messages; a limit.
    pub fn open_stream(stream: &mut dyn Read, options: OpenOptions, progress: &dyn Progress) -> Result<Self> {
        let region = receive(stream, &options, progress)?;
        Self::open(Source::new(Buffer::from_region(region.finish(), false)), None, options)
    }

    pub(super) fn open(
        source: Source,
        mapped: Option<Arc<MappedFile>>,
        options: OpenOptions,
    ) -> Result<Self> {
        let all = source.bytes.as_slice();
        if all.starts_with(b"FEA1") {
            return Err(feather_v1());
        }
        let form =
            options.form.unwrap_or(if all.starts_with(scan::MAGIC) { Form::File } else { Form::Stream });
        let catalog = match form {
            Form::File => footer::file(all, &options.limits)?,
            Form::Stream => scan::stream(all, &options.limits, options.allow_truncated)?,
        };
        let mut plan = Plan::new(&catalog.shape.schema)?;
        plan.settle(catalog.nrows);
        let (history, index) = (Mutex::new(None), OnceLock::new());
        let batches = catalog.batches.iter().chain(catalog.dictionaries.iter().map(|d| &d.batch));
        check_nbytes(&source, batches, options.limits.max_nbytes)?;
        Ok(Self { source, mapped, catalog, plan, form, options, history, index })
    }

    /// File or stream.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// How its fields become a frame.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// (rows, columns).
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.catalog.nrows, self.plan.ncols)
    }

    /// Record batches.
    #[must_use]
    pub fn nbatches(&self) -> usize {
        self.catalog.batches.len()
    }

    /// Rows of each record batch.
    pub fn batch_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.catalog.batches.iter().map(|b| b.header.nrows)
    }

    /// Row labels, decoded once.
    ///
    /// # Errors
    /// Malformed bodies.
    pub fn index(&self) -> Result<&Axis> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let (wanted, levels) = self.level_fields();
        let request = Request {
            positions: None,
            rows: None,
            private: false,
            threads: self.options.threads,
            progress: &NoProgress,
        };
        let landed = self.land(&wanted, (0, self.catalog.nrows), &request)?;
        let mut made: Vec<Option<Level>> = vec![None; wanted.len()];
        let mut put = |i: usize, level: Level| {
            if let Some(slot) = levels.get(i).and_then(|&l| made.get_mut(l)) {
                *slot = Some(level);
            }
        };
        for (block, members) in landed.blocks {
            for (column, &i) in members.iter().enumerate() {
                put(
                    i,
                    Level::Block(Block {
                        grid: block.grid.columns(column, 1, 1),
                        buffer: block.buffer.clone(),
                    }),
                );
            }
        }
        for (i, data) in landed.columns {
            if let Some(field) = wanted.get(i).and_then(|&f| self.plan.fields.get(f)) {
                put(i, Level::Column(field.column(data)));
            }
        }
        let axis = self.plan.index_axis(made.into_iter().flatten().collect(), self.catalog.nrows, 0)?;
        Ok(self.index.get_or_init(|| axis))
    }

    /// Fields that are levels of the index, and which level each is.
    fn level_fields(&self) -> (Vec<usize>, Vec<usize>) {
        let of = |(i, field): (usize, &crate::arrow::import::FieldPlan)| match field.place {
            Place::Level(level) => Some((i, level)),
            Place::Column(_) => None,
        };
        self.plan.fields.iter().enumerate().filter_map(of).unzip()
    }

    /// The field of each data column.
    fn column_fields(&self) -> Vec<usize> {
        let mut out = vec![0; self.plan.ncols];
        for (i, field) in self.plan.fields.iter().enumerate() {
            if let Place::Column(position) = field.place
                && let Some(slot) = out.get_mut(position)
            {
                *slot = i;
            }
        }
        out
    }

    fn land(&self, wanted: &[usize], rows: (usize, usize), request: &Request<'_>) -> Result<Landed> {
        let in_place = match (&self.mapped, request.private) {
            (_, false) => Some(self.source.bytes.clone()),
            (Some(file), true) if self.nbatches() > 0 => Some(file.map_private()?),
            _ => None,
        };
        let history = self.history(wanted)?;
        let (start, stop) = rows;
        let touched = |i: &usize| self.catalog.batches.get(*i).is_some_and(|b| b.meets(start, stop));
        self.need(wanted, (0..self.nbatches()).filter(touched), request.progress)?;
        let landing = Landing {
            source: &self.source,
            catalog: &self.catalog,
            plan: &self.plan,
            history: &history,
            rows,
            threads: request.threads,
            unbacked: self.options.limits.max_unbacked_rows,
            in_place: in_place.as_ref(),
        };
        landing.run(wanted, request.progress)
    }

    fn rows(&self, rows: Option<(usize, usize)>) -> Result<(usize, usize)> {
        let nrows = self.catalog.nrows;
        let (start, stop) = rows.unwrap_or((0, nrows));
        if start > stop || stop > nrows {
            return Err(Error::not_found(
                "arrow",
                format!("rows {start}..{stop} are out of range: there are {nrows}."),
            ));
        }
        Ok((start, stop))
    }

    /// The columns asked for: each field once, and the place of each position among them.
    fn chosen(&self, positions: Option<&[usize]>) -> Result<(Vec<usize>, Option<Vec<usize>>)> {
        let fields = self.column_fields();
        let Some(positions) = positions else { return Ok((fields, None)) };
        let mut place = vec![usize::MAX; fields.len()];
        let (mut wanted, mut order) =
            (Vec::with_capacity(positions.len()), Vec::with_capacity(positions.len()));
        for &position in positions {
            let (Some(slot), Some(&field)) = (place.get_mut(position), fields.get(position)) else {
                let message =
                    format!("column {position} is out of range: there are {} columns.", fields.len());
                return Err(Error::not_found("arrow", message));
            };
            if *slot == usize::MAX {
                *slot = wanted.len();
                wanted.push(field);
            }
            order.push(*slot);
        }
        Ok((wanted, Some(order)))
    }

    /// All batches landed in one frame, or the part of it that is asked for.
    ///
    /// # Errors
    /// Malformed bodies; a position or row that is not there; the system's own.
    pub fn load(&self, request: &Request<'_>) -> Result<Frame> {
        let (start, stop) = self.rows(request.rows)?;
        let (wanted, order) = self.chosen(request.positions)?;
        let landed = self.land(&wanted, (start, stop), request)?;
        let mut parts: Vec<Part> =
            landed.blocks.into_iter().map(|(block, members)| Part::Block(block, members)).collect();
        for (i, data) in landed.columns {
            if let Some(field) = wanted.get(i).and_then(|&f| self.plan.fields.get(f)) {
                parts.push(Part::Column(field.column(data), i));
            }
        }
        let whole = (start, stop) == (0, self.catalog.nrows);
        let index = if whole { self.index()?.clone() } else { self.index()?.slice(start, stop) };
        let tags = self.plan.tags.clone();
        match (order, request.positions) {
            (Some(order), Some(positions)) => {
                let columns = self.plan.columns.select(positions)?;
                if order.iter().enumerate().all(|(i, &o)| i == o) {
                    return Frame::new(index, columns, parts, tags);
                }
                let frame = Frame::new(index, Axis::range(wanted.len()), parts, tags)?;
                frame.select(&order, columns)
            }
            _ => Frame::new(index, self.plan.columns.clone(), parts, tags),
        }
    }

    /// One frame a record batch, in Arrow's layout, not copied where not compressed; at least one frame.
    ///
    /// # Errors
    /// As [`Ipc::load`].
    pub fn load_arrow(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        let (start, stop) = self.rows(request.rows)?;
        let touched = |i: &usize| self.catalog.batches.get(*i).is_some_and(|b| b.meets(start, stop));
        let (needed, _) = self.needed(request.positions)?;
        self.need(&needed, (0..self.nbatches()).filter(touched), request.progress)?;
        let mut out = Vec::new();
        for (i, batch) in self.catalog.batches.iter().enumerate() {
            let (first, last) =
                (batch.first_row.max(start), (batch.first_row + batch.header.nrows).min(stop));
            // Batches without rows are batches too, where all rows are wanted.
            if first > last || first == last && request.rows.is_some() {
                continue;
            }
            let frame = self.batch(i, request)?;
            let (skip, count) = (first - batch.first_row, last - first);
            out.push(if count == batch.header.nrows { frame } else { frame.slice(skip, skip + count) });
        }
        if out.is_empty() {
            let fields = self.catalog.shape.schema.fields().iter();
            let history = self.history(&(0..fields.len()).collect::<Vec<_>>())?;
            let arrays: Vec<ArrayData> =
                fields.map(|f| empty_of(f, history.last())).collect::<Result<_>>()?;
            out.push(self.arrow_frame(&arrays, 0, start, request.positions)?);
        }
        Ok(out)
    }

    /// Record batch `i` alone, in Arrow's layout.
    ///
    /// # Errors
    /// As [`Ipc::load`]; `NotFound` past the end.
    pub fn batch(&self, i: usize, request: &Request<'_>) -> Result<Frame> {
        let batch = self.catalog.batches.get(i).ok_or_else(|| {
            Error::not_found(
                "arrow",
                format!("batch {i} is out of range: there are {}.", self.catalog.batches.len()),
            )
        })?;
        let body = Body::new(&self.source, batch)?;
        let (needed, _) = self.needed(request.positions)?;
        let history = self.history(&needed)?;
        self.need(&needed, std::iter::once(i), &NoProgress)?;
        let dictionaries = history.at(i);
        let shape = &self.catalog.shape;
        let one = |index: usize| -> Result<ArrayData> {
            let place = shape.places.get(index).copied().unwrap_or_default();
            let mut cursor =
                Cursor::new(&body, shape, dictionaries, place, self.options.limits.max_unbacked_rows)?;
            let named = |e: Error| e.in_member(format!("batch {i}")).at(batch.body_at as u64);
            cursor.field(field_of(shape, index)?).map_err(named)
        };
        let mut made: Vec<Option<ArrayData>> = vec![None; shape.places.len()];
        if body.codec().is_some() || batch.body_nbytes > 1 << 20 {
            let nbytes = batch.body_nbytes / needed.len().max(1);
            let tasks =
                made.iter_mut().enumerate().filter(|(index, _)| needed.binary_search(index).is_ok()).map(
                    |(index, slot)| {
                        let one = &one;
                        Task::new(nbytes, move || {
                            *slot = Some(one(index)?);
                            Ok(())
                        })
                    },
                );
            plan::run(tasks.collect(), request.threads, request.progress)?;
        } else {
            for &index in &needed {
                if let Some(slot) = made.get_mut(index) {
                    *slot = Some(one(index)?);
                }
            }
        }
        // Columns that nobody asked for stand in as empty values that are dropped at once.
        let nrows = batch.header.nrows;
        let arrays: Vec<ArrayData> =
            made.into_iter().map(|data| data.unwrap_or_else(|| nothing(nrows))).collect();
        self.arrow_frame(&arrays, nrows, batch.first_row, request.positions)
    }

    /// Fields to decode for these columns: theirs and those of the index, in order.
    fn needed(&self, positions: Option<&[usize]>) -> Result<(Vec<usize>, Option<Vec<usize>>)> {
        let (mut needed, order) = self.chosen(positions)?;
        needed.extend(self.level_fields().0);
        needed.sort_unstable();
        needed.dedup();
        Ok((needed, order))
    }

    fn arrow_frame(
        &self,
        arrays: &[ArrayData],
        nrows: usize,
        first_row: usize,
        positions: Option<&[usize]>,
    ) -> Result<Frame> {
        let said = |i: usize, data: &ArrayData| {
            let dtype = self
                .plan
                .fields
                .get(i)
                .and_then(|f| f.dtype)
                .filter(|d| crate::arrow::import::fits(*d, data.data_type()));
            dtype.map_or(Ok(None), |dtype| crate::arrow::import::to_block(dtype, data))
        };
        let frame = self.plan.frame_with(arrays, nrows, first_row, &said)?;
        match positions {
            None => Ok(frame),
            Some(positions) => frame.select(positions, self.plan.columns.select(positions)?),
        }
    }

    /// Decodes and checks everything; nothing is kept.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn verify(&self, threads: usize, progress: &dyn Progress) -> Result<()> {
        self.need_all(progress)?;
        let mut done = 0u64;
        for i in 0..self.nbatches() {
            self.batch(
                i,
                &Request { positions: None, rows: None, private: false, threads, progress: &NoProgress },
            )?;
            done += self.catalog.batches.get(i).map_or(0, |b| b.body_nbytes as u64);
            progress.advance(done, Some(self.source.bytes.nbytes() as u64))?;
        }
        self.index()?;
        let left = self.source.bytes.nbytes() - self.catalog.end.min(self.source.bytes.nbytes());
        if left > 0 && !self.catalog.truncated {
            let message = format!("{left} bytes follow the end mark. They are no part of this stream.");
            return Err(Error::malformed("arrow", message).at(self.catalog.end as u64));
        }
        Ok(())
    }
}

/// Refuses bodies that become more than the limit. What compressed ones claim is read only where it may be too much.
pub(super) fn check_nbytes<'b>(
    source: &Source,
    batches: impl Iterator<Item = &'b Batch> + Clone,
    limit: u64,
) -> Result<()> {
    let sum = |of: &dyn Fn(&Body<'_>) -> u64| {
        let mut nbytes = batches.clone().map(|batch| match batch.header.codec {
            None => Ok(batch.body_nbytes as u64),
            Some(_) => Ok(of(&Body::new(source, batch)?)),
        });
        nbytes.try_fold(0u64, |sum, n: Result<u64>| Ok::<u64, Error>(sum.saturating_add(n?)))
    };
    if sum(&|body| body.most_nbytes())? <= limit {
        return Ok(());
    }
    match sum(&|body| body.decoded_nbytes())? {
        nbytes if nbytes <= limit => Ok(()),
        nbytes => {
            let message = format!(
                "the bodies take {nbytes} bytes once decompressed, over the limit of {limit}. Raise max_nbytes to read them."
            );
            Err(Error::limit("arrow", message))
        }
    }
}

fn nothing(nrows: usize) -> ArrayData {
    ArrayData::new_null(&arrow_schema::DataType::Null, nrows)
}

fn feather_v1() -> Error {
    Error::unsupported(
        "arrow",
        "this is Feather V1, an older format that is not Arrow IPC. Read it with pyarrow.feather.read_table (or pandas.read_feather) and write it again.",
    )
}
