//! Reads frames with our header. It declares the type and end of every column and the number of rows, so that all columns
//! are decoded in parallel, directly into their blocks.

mod columns;
mod incremental;
mod numbers;
mod rows;
mod text;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use crate::arrow::import::{FieldPlan, FramePlan};
use crate::decode::{MemoryLayout, Request};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Axis, DType, Frame, row_range};
use crate::memory::Buffer;
use crate::progress::{NoProgress, Progress};

use crate::cells::msgpack::column::{FORMAT, step};
use crate::cells::msgpack::heads;
use crate::cells::msgpack::options::{MsgpackOrient, ReadOptions};
use crate::formats::msgpack::header;
use crate::formats::msgpack::header::MsgpackHeader;
use crate::infer::schemaless::check_nbytes;

pub use incremental::{FrameFault, IncrementalColumns};

/// A frame whose columns are located and not yet decoded.
#[derive(Debug)]
pub struct LocatedFrame {
    bytes: Buffer,
    header: MsgpackHeader,
    plan: FramePlan,
    /// The range of each field's value, including its head.
    extents: Vec<Range<usize>>,
    options: ReadOptions,
    index: OnceLock<Axis>,
    end: usize,
}

/// An opened frame, as far as opening decodes it.
#[derive(Debug)]
pub enum OpenedFrame {
    /// A frame in columns: located, not decoded.
    Columns(Box<LocatedFrame>),
    /// A frame in rows: decoded, because the cells of a column are interleaved with others.
    Rows {
        /// The frame.
        frame: Box<Frame>,
        /// Records or split.
        orient: MsgpackOrient,
        /// The end of the frame.
        end: usize,
    },
}

impl OpenedFrame {
    /// The end of the frame.
    #[must_use]
    pub fn end(&self) -> usize {
        match self {
            Self::Columns(frame) => frame.end,
            Self::Rows { end, .. } => *end,
        }
    }
}

impl LocatedFrame {
    /// Opens the frame at the start of `bytes`; `None` if it has no Colonnade header. Checks `progress` only for
    /// cancellation.
    ///
    /// # Errors
    /// Malformed, truncated, over a limit, with the position; `Cancelled` from `progress`.
    pub fn open(
        bytes: &Buffer,
        options: ReadOptions,
        progress: &dyn Progress,
    ) -> Result<Option<OpenedFrame>> {
        let Some((header, entries, at)) = header::read(bytes.as_slice(), &options.limits)? else {
            return Ok(None);
        };
        let plan = FramePlan::new(&header.schema).map_err(|e| e.in_member("$.__colonnade__"))?;
        check(&header, &options)?;
        if header.orient != MsgpackOrient::Columns {
            check_nbytes(bytes.nbytes() as u64, &options.limits)?;
            let decoded = rows::decode(bytes.as_slice(), &header, plan, (entries, at), &options, progress);
            return decoded.map(Some);
        }
        check_entries(&header, entries)?;
        let keys = encoded_keys(&header)?;
        let (extents, end) = declared_extents(&header, &keys, at);
        check_extents(bytes.as_slice(), &header, &keys, &extents)?;
        check_decoded(&header, &plan, &extents, &options)?;
        let bytes = bytes.clone();
        let frame = Self { bytes, header, plan, extents, options, index: OnceLock::new(), end };
        Ok(Some(OpenedFrame::Columns(Box::new(frame))))
    }

    /// The numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.header.nrows, self.plan.ncols)
    }

    /// The conversion of its fields to a frame.
    #[must_use]
    pub fn plan(&self) -> &FramePlan {
        &self.plan
    }

    /// The key, offset and size of each data column's value.
    pub fn places(&self) -> impl Iterator<Item = (&str, usize, usize)> + '_ {
        let place = |f: usize| {
            let (field, extent) = (self.plan.fields.get(f)?, self.extents.get(f)?);
            Some((field.name.as_str(), extent.start, extent.len()))
        };
        self.plan.column_fields().into_iter().filter_map(place)
    }

    /// The dtype of each column: NumPy's name if it is decoded to a block, else Arrow's.
    #[must_use]
    pub fn dtypes(&self) -> Vec<String> {
        let name = |f: usize| {
            let field = self.plan.fields.get(f)?;
            let shown = || crate::frame::type_name(&field.data_type, field.ordered);
            Some(self.dtype(f, field).map_or_else(shown, |d| d.descr()))
        };
        self.plan.column_fields().into_iter().filter_map(name).collect()
    }

    /// The dtype of the block that a field is decoded to.
    fn dtype(&self, field: usize, field_plan: &FieldPlan) -> Option<DType> {
        let nulls = self.header.nulls.get(field).is_none_or(|&n| n > 0);
        field_plan.decoded_dtype().filter(|_| field_plan.dtype.is_some() || !nulls)
    }

    /// Whether the header declares nulls in any field.
    #[must_use]
    pub fn declares_nulls(&self) -> bool {
        self.header.nulls.iter().any(|&count| count > 0)
    }

    /// Returns the row labels, which are decoded once.
    ///
    /// # Errors
    /// Malformed columns.
    pub fn index(&self) -> Result<&Axis> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let fields = self.plan.level_fields();
        let decoded =
            self.decode_columns(&fields, (MemoryLayout::AsStored, self.options.threads), &NoProgress)?;
        let axis = self.plan.decoded_index(&fields, decoded, self.header.nrows)?;
        Ok(self.index.get_or_init(|| axis))
    }

    /// Decodes the frame, or the requested part of it, to separate memory.
    ///
    /// # Errors
    /// Malformed columns; a position or row that does not exist; errors of the operating system.
    pub fn load(&self, request: &Request<'_>) -> Result<Frame> {
        let nrows = self.header.nrows;
        let (start, stop) = row_range(FORMAT, request.rows, nrows)?;
        let chosen = self.plan.chosen(FORMAT, request.positions)?;
        // Whether integers become floats depends on the nulls among the requested rows.
        let layout = if (start, stop) == (0, nrows) { request.layout } else { MemoryLayout::AsStored };
        let decoded = self.decode_columns(&chosen.fields, (layout, request.threads), request.progress)?;
        let frame = self.plan.decoded_frame(&chosen, decoded, self.index()?.clone())?;
        Ok(if (start, stop) == (0, nrows) { frame } else { frame.slice(start, stop) })
    }

    /// The path of a field, for errors.
    fn path(&self, field: usize) -> String {
        format!("${}", step(self.header.schema.fields().get(field).map_or("", |f| f.name())))
    }
}

/// Refuses headers that no writer of this library produces: duplicate names, or too many rows without bytes.
fn check(header: &MsgpackHeader, options: &ReadOptions) -> Result<()> {
    let fields = header.schema.fields();
    let mut seen = HashSet::with_capacity(fields.len());
    if let Some(duplicate) = fields.iter().find(|field| !seen.insert(field.name())) {
        let message = format!("expected fields of different names, found {} twice.", step(duplicate.name()));
        return Err(Error::malformed(FORMAT, message).in_member("$.__colonnade__"));
    }
    let cap = options.limits.max_unbacked_rows;
    if fields.is_empty() && header.nrows as u64 > cap {
        let message = format!(
            "declares {} rows that store no bytes, the limit is {cap}. Raise Limits(max_unbacked_rows=...) if you \
             trust the file.",
            header.nrows
        );
        return Err(Error::limit(FORMAT, message).in_member("$.__colonnade__"));
    }
    Ok(())
}

/// Refuses frames that exceed the limit when they are decoded.
fn check_decoded(
    header: &MsgpackHeader,
    plan: &FramePlan,
    extents: &[Range<usize>],
    options: &ReadOptions,
) -> Result<()> {
    let nrows = header.nrows as u64;
    let nbytes = |(field_plan, extent): (&FieldPlan, &Range<usize>)| {
        let decoded =
            field_plan.decoded_dtype().map_or(0, |dtype| nrows.saturating_mul(u64::from(dtype.itemsize)));
        decoded.max(extent.len() as u64)
    };
    check_nbytes(plan.fields.iter().zip(extents).map(nbytes).fold(0, u64::saturating_add), &options.limits)
}

/// Encodes the key of each field.
fn encoded_keys(header: &MsgpackHeader) -> Result<Vec<Vec<u8>>> {
    let encode = |key: String| {
        let mut encoded = Vec::with_capacity(key.len() + 5);
        heads::text(&mut encoded, &key, header.old)?;
        Ok(encoded)
    };
    crate::cells::header_key::keys(&header.schema).into_iter().map(encode).collect()
}

/// Returns the range of each field's value and the end of the frame, as the header declares them. They end at `usize::MAX` if
/// they are too large.
fn declared_extents(header: &MsgpackHeader, keys: &[Vec<u8>], mut at: usize) -> (Vec<Range<usize>>, usize) {
    let mut extents = Vec::with_capacity(keys.len());
    for (key, &nbytes) in keys.iter().zip(&header.nbytes) {
        let start = at.saturating_add(key.len());
        at = start.saturating_add(usize::try_from(nbytes).unwrap_or(usize::MAX));
        extents.push(start..at);
    }
    (extents, at)
}

/// Checks that `bytes` have each key where the header says, and its value as a whole.
fn check_extents(
    bytes: &[u8],
    header: &MsgpackHeader,
    keys: &[Vec<u8>],
    extents: &[Range<usize>],
) -> Result<()> {
    for ((key, field), extent) in keys.iter().zip(header.schema.fields()).zip(extents) {
        let at = extent.start.saturating_sub(key.len());
        let rest = bytes.get(at..).unwrap_or(&[]);
        if !rest.starts_with(key) && !key.starts_with(rest) {
            return Err(wrong_key(field.name(), at));
        }
        if extent.end > bytes.len() {
            let (needed, had) = (extent.end as u64, bytes.len() as u64);
            let message = format!(
                "the column needs {needed} bytes, found {had}. The file was cut short: fetch or write it again."
            );
            let error = Error::new(ErrorKind::Truncated { needed, had }, FORMAT, message);
            return Err(error.in_member(format!("${}", step(field.name()))).at(had));
        }
    }
    Ok(())
}

/// Checks that there is one entry for each column, and the header.
fn check_entries(header: &MsgpackHeader, entries: u32) -> Result<()> {
    let fields = header.schema.fields().len();
    if entries as usize == fields + 1 {
        return Ok(());
    }
    let message =
        format!("expected {} entries, the header and {fields} columns, found {entries}.", fields + 1);
    Err(Error::malformed(FORMAT, message).in_member("$").at(0))
}

fn wrong_key(name: &str, at: usize) -> Error {
    let message = format!(
        "expected the key {name:?} as the header says, found another. The file was changed by a program that does not know \
         the header: drop the entry __colonnade__ to read it as a foreign one."
    );
    Error::malformed(FORMAT, message).in_member("$").at(at as u64)
}
