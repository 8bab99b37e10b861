//! Loads an opened file as one frame, or in Arrow's layout by row group.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::import::{fits, to_block};
use crate::decode::{MemoryLayout, Request, missing};
use crate::error::{Error, Result};
use crate::formats::parquet::lowered::{raised, raised_axis};
use crate::frame::{Axis, Frame, row_range};
use crate::progress::{NoProgress, Progress, SignalsOnly};

use super::decode::ChunkDecoder;
use super::file::Parquet;
use super::selection::{RowPiece, RowsToDecode, keep_selected};

/// Row groups are decoded together in Arrow's layout up to this many bytes: more text does not fit 32-bit offsets.
const TOGETHER_NBYTES: u64 = 1 << 30;

impl Parquet {
    /// Returns the row labels, which are decoded once.
    ///
    /// # Errors
    /// Malformed pages.
    pub fn index(&self) -> Result<&Axis> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let axis = self.labels(&self.rows(0, self.nrows), self.options.threads)?;
        Ok(self.index.get_or_init(|| axis))
    }

    fn labels(&self, rows: &RowsToDecode, threads: usize) -> Result<Axis> {
        let fields = self.plan.level_fields();
        let landed = self.decode(&fields, rows, (MemoryLayout::AsStored, threads), &NoProgress)?;
        self.plan.decoded_index(&fields, landed, rows.nrows).map(raised_axis)
    }

    /// Decodes all row groups into one frame, or the requested part.
    ///
    /// # Errors
    /// Malformed pages; a position or row that does not exist; operating-system errors.
    pub fn load(&self, request: &Request<'_>) -> Result<Frame> {
        let (start, stop) = row_range("parquet", request.rows, self.nrows)?;
        let chosen = self.plan.chosen("parquet", request.positions)?;
        let rows = self.rows(start, stop);
        let how = (request.layout, request.threads);
        let landed = self.decode(&chosen.fields, &rows, how, request.progress)?;
        let whole = (start, stop) == (0, self.nrows);
        let index = if whole { self.index()?.clone() } else { self.index()?.slice(start, stop) };
        self.plan.decoded_frame(&chosen, landed, index).map(raised)
    }

    /// Decodes the fields `projection` of these rows.
    ///
    /// # Errors
    /// Malformed pages; operating-system errors.
    pub(crate) fn decode(
        &self,
        projection: &[usize],
        rows: &RowsToDecode,
        (layout, threads): (MemoryLayout, usize),
        progress: &dyn Progress,
    ) -> Result<DecodedColumns> {
        let decoder = ChunkDecoder::new(self, rows.decoded, threads, layout);
        let work = |progress: &dyn Progress| decoder.run(projection, &rows.pieces, progress);
        let landed = match &self.source.remote {
            // Each chunk is decoded when it has landed.
            Some(remote) => {
                remote.fetch_during(&self.chunk_ranges(projection, &rows.pieces), progress, work)?
            }
            None => work(progress)?,
        };
        let mut landed = match &rows.keep {
            Some(keep) => keep_selected(landed, keep, threads, &SignalsOnly(progress))?,
            None => landed,
        };
        if layout == MemoryLayout::Pandas {
            let dtype = |i: usize| decoder.nulls.dtype(*projection.get(i)?);
            missing::into_blocks(&mut landed, &dtype, threads, &SignalsOnly(progress))?;
        }
        Ok(landed)
    }

    /// Fetches the pages of these fields from a remote file.
    pub(crate) fn fetch_pages(
        &self,
        projection: &[usize],
        pieces: &[RowPiece],
        progress: &dyn Progress,
    ) -> Result<()> {
        let Some(remote) = &self.source.remote else { return Ok(()) };
        remote.need(&self.chunk_ranges(projection, pieces), progress)
    }

    /// The bytes of the column chunks of these fields.
    fn chunk_ranges(&self, projection: &[usize], pieces: &[RowPiece]) -> Vec<(usize, usize)> {
        let mut ranges = Vec::new();
        for piece in pieces {
            let Some(group) = self.groups.get(piece.group) else { continue };
            for root in projection.iter().filter_map(|&field| self.roots.get(field)) {
                for chunk in group.chunks.get(root.leaves.clone()).unwrap_or_default() {
                    let start = usize::try_from(chunk.start()).unwrap_or(usize::MAX);
                    let nbytes = usize::try_from(chunk.compressed_nbytes).unwrap_or(usize::MAX);
                    ranges.push((start, start.saturating_add(nbytes).saturating_add(128)));
                }
            }
        }
        ranges
    }

    /// The pieces of row groups that make up rows `start..stop` of the result.
    fn rows(&self, start: usize, stop: usize) -> RowsToDecode {
        match &self.selection {
            Some(selection) => selection.rows(start, stop),
            None => RowsToDecode {
                pieces: self.pieces(start, stop),
                decoded: stop - start,
                keep: None,
                nrows: stop - start,
            },
        }
    }

    /// The row groups that rows `start..stop` overlap, and which of their rows.
    pub(crate) fn pieces(&self, start: usize, stop: usize) -> Vec<RowPiece> {
        let mut out = Vec::new();
        for group in 0..self.groups.len() {
            let (first, nrows) = self.rows_of(group);
            if first >= stop {
                break;
            }
            let skip = start.saturating_sub(first).min(nrows);
            let end = nrows.min(stop - first);
            if end > skip {
                out.push(RowPiece { group, skip, nrows: end - skip, at: first + skip - start });
            }
        }
        out
    }

    /// Returns one frame for each row group, in Arrow's layout; at least one frame.
    ///
    /// # Errors
    /// As [`Parquet::load`].
    pub fn load_arrow(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        let (start, stop) = row_range("parquet", request.rows, self.nrows)?;
        let pieces = self.pieces(start, stop);
        let mut out = Vec::new();
        let mut rest = pieces.as_slice();
        while !rest.is_empty() {
            let mut nbytes = 0u64;
            let count = rest.iter().position(|p| {
                nbytes = nbytes.saturating_add(self.groups.get(p.group).map_or(0, |g| g.nbytes));
                nbytes > TOGETHER_NBYTES
            });
            let (some, tail) = rest.split_at(count.unwrap_or(rest.len()).max(1));
            rest = tail;
            let first = some.first().map_or(0, |p| p.at);
            let end = some.last().map_or(0, |p| p.at + p.nrows);
            let frame = self.arrow_frame(&self.rows(start + first, start + end), start + first, request)?;
            match some {
                [_] => out.push(frame),
                several => {
                    out.extend(several.iter().map(|p| frame.slice(p.at - first, p.at - first + p.nrows)));
                }
            }
        }
        if out.is_empty() {
            out.push(self.arrow_frame(&RowsToDecode::default(), start, request)?);
        }
        Ok(out)
    }

    /// Returns row group `i` in Arrow's layout.
    ///
    /// # Errors
    /// As [`Parquet::load`]; `NotFound` past the last row group.
    pub fn batch(&self, i: usize, request: &Request<'_>) -> Result<Frame> {
        if i >= self.groups.len() {
            let message = format!("row group {i} is out of range: there are {}.", self.groups.len());
            return Err(Error::not_found("parquet", message));
        }
        let (first, nrows) = self.rows_of(i);
        self.arrow_frame(&self.rows(first, first + nrows), first, request)
    }

    fn arrow_frame(&self, rows: &RowsToDecode, first_row: usize, request: &Request<'_>) -> Result<Frame> {
        let nrows = rows.nrows;
        let mut needed = self.plan.chosen("parquet", request.positions)?.fields;
        needed.extend(self.plan.level_fields());
        needed.sort_unstable();
        needed.dedup();
        let layout = if request.layout.is_arrow() { request.layout } else { MemoryLayout::Arrow };
        let landed = self.decode(&needed, rows, (layout, request.threads), request.progress)?;
        // Columns outside the projection become empty placeholders that are dropped at once.
        let mut arrays: Vec<ArrayData> =
            (0..self.plan.fields.len()).map(|_| ArrayData::new_null(&DataType::Null, nrows)).collect();
        for (i, data) in landed.columns {
            if let Some(slot) = needed.get(i).and_then(|&field| arrays.get_mut(field)) {
                *slot = data;
            }
        }
        let said = |i: usize, data: &ArrayData| {
            let dtype = self.plan.fields.get(i).and_then(|f| f.dtype).filter(|d| fits(*d, data.data_type()));
            dtype.map_or(Ok(None), |dtype| to_block(dtype, data))
        };
        let frame = raised(self.plan.frame_with(&arrays, nrows, first_row, &said)?);
        match request.positions {
            None => Ok(frame),
            Some(positions) => frame.select(positions, self.plan.columns.select(positions)?),
        }
    }
}
