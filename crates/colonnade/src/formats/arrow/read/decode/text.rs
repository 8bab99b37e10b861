//! Decodes text and bytes: computes all sizes first, then copies or decompresses each batch's bytes to their position and
//! validates them while they are in the cache. Bytes that were received at their position are only validated.

use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Region, RegionMut, STREAMING_FROM_NBYTES, Scatter, copy, fence};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::{BatchRows, ColumnDecoder};
use crate::arrow::ipc::arrays::field_of;
use crate::arrow::ipc::body::BatchBody;
use crate::arrow::ipc::check::{self, TextBytes};

/// Batches are decoded together in tasks of about this size.
const TASK_NBYTES: usize = 512 << 10;

/// The offsets and bytes of one batch's rows, and their position in the column.
#[derive(Debug, Clone, Default)]
struct TextRun {
    /// The decompressed offsets, if they were compressed.
    offsets: Option<arrow_buffer::Buffer>,
    /// Whether the rows cover the whole buffer of bytes, which then decompresses to its position.
    is_whole: bool,
    nbytes: usize,
    at: usize,
}

/// The bytes of one batch that were received at their position in the column.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::formats::arrow::read) struct ReceivedRun {
    pub(in crate::formats::arrow::read) at: usize,
    pub(in crate::formats::arrow::read) nbytes: usize,
    /// The offset of the first of them in the buffer of the batch.
    pub(in crate::formats::arrow::read) from: usize,
    /// The number of bytes of the buffer of the batch.
    pub(in crate::formats::arrow::read) stored: usize,
}

/// The bytes of a column that were received at their position, batch by batch.
#[derive(Debug)]
pub(in crate::formats::arrow::read) struct ReceivedText {
    pub(in crate::formats::arrow::read) bytes: RegionMut,
    pub(in crate::formats::arrow::read) runs: Vec<ReceivedRun>,
}

/// The bytes of the column while its batches are decoded.
#[derive(Clone, Copy)]
enum ColumnBytes<'c> {
    /// They come from the batches. Whether copies bypass the cache.
    Scattered(Scatter<'c>, bool),
    /// They are there, with a run for each batch.
    Received(&'c [u8], &'c [ReceivedRun]),
}

impl ColumnDecoder<'_> {
    /// Decodes a text field whose bytes were received at their position. All rows are requested.
    ///
    /// # Errors
    /// Malformed offsets and text; errors of the operating system: no memory; cancellation.
    pub(in crate::formats::arrow::read) fn received_text(
        &self,
        field: usize,
        received: ReceivedText,
        progress: &dyn Progress,
    ) -> Result<arrow_data::ArrayData> {
        self.text_column(field, &self.pieces(), Some(received), progress)
    }

    /// Decodes the text fields `projection[i]` for each `i` of `slots`.
    pub(super) fn text(
        &self,
        projection: &[usize],
        slots: &[usize],
        pieces: &[BatchRows],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        for &i in slots {
            let field = projection.get(i).copied().unwrap_or(0);
            decoded.columns.push((i, self.text_column(field, pieces, None, progress)?));
        }
        Ok(())
    }

    fn text_column(
        &self,
        field: usize,
        pieces: &[BatchRows],
        received: Option<ReceivedText>,
        progress: &dyn Progress,
    ) -> Result<arrow_data::ArrayData> {
        let schema_field = field_of(&self.catalog.shape, field)?;
        let data_type = schema_field.data_type();
        // Errors of a single batch name the column alone, as in memory.
        let is_alone = received.is_some() && pieces.len() == 1;
        let (small, is_text) = match data_type {
            DataType::Utf8 => (true, true),
            DataType::Binary => (true, false),
            DataType::LargeUtf8 => (false, true),
            _ => (false, false),
        };
        let nrows = self.nrows();
        let (mut runs, total) = match &received {
            // `text_piece` names the first wrong row of a single batch.
            Some(received) if pieces.len() < 2 => received.sizes(pieces),
            _ => self.sizes(field, pieces, small, received.as_ref(), progress)?,
        };
        // Offsets become 64-bit if 32 bits are too few for the sum.
        let narrow = small && i32::try_from(total).is_ok();
        let data_type = match data_type {
            DataType::Utf8 if !narrow => DataType::LargeUtf8,
            DataType::Binary if !narrow => DataType::LargeBinary,
            same => same.clone(),
        };
        let item = if narrow { 4 } else { 8 };
        let offsets_nbytes =
            (nrows + 1).checked_mul(item).ok_or_else(|| Error::limit("arrow", "too many rows."))?;
        let mut offsets = Region::allocate(offsets_nbytes)?;
        let (mut bytes, received) = match received {
            Some(received) => (received.bytes, Some(received.runs)),
            None => (Region::allocate(total)?, None),
        };
        if let Some(first) = offsets.as_mut_slice().get_mut(..item) {
            first.fill(0);
        }
        {
            let offsets = Scatter::new(&mut offsets);
            let bytes = match &received {
                Some(runs) => ColumnBytes::Received(bytes.as_mut_slice(), runs),
                None => ColumnBytes::Scattered(Scatter::new(&mut bytes), total >= STREAMING_FROM_NBYTES),
            };
            let mut tasks = Vec::new();
            let mut rest: (&[BatchRows], &mut [TextRun]) = (pieces, &mut runs);
            while !rest.0.is_empty() {
                let mut nbytes = 0;
                let enough = rest.0.iter().zip(rest.1.iter()).position(|(piece, run)| {
                    nbytes += run.nbytes + piece.nrows * item;
                    nbytes >= TASK_NBYTES
                });
                let count = enough.map_or(rest.0.len(), |c| c + 1);
                let (tile, tail) = rest.0.split_at(count);
                let (tile_runs, tail_runs) = rest.1.split_at_mut(count);
                rest = (tail, tail_runs);
                tasks.push(Task::new(nbytes, move || {
                    for (piece, run) in tile.iter().zip(tile_runs) {
                        let done =
                            self.text_piece(field, piece, run, (small, narrow, is_text), offsets, bytes);
                        let placed = |e: Error| if is_alone { e.in_member(schema_field.name()) } else { e };
                        done.map_err(|e| self.named(placed(e), field, piece))?;
                        run.offsets = None;
                    }
                    fence();
                    Ok(())
                }));
            }
            parallel::run(tasks, self.threads, progress)?;
        }
        let builder = ArrayDataBuilder::new(data_type).len(nrows).nulls(self.validity(field, pieces)?);
        let builder = builder.add_buffer(Buffer::from_region(offsets.finish(), true).to_arrow());
        let builder = builder.add_buffer(Buffer::from_region(bytes.finish(), true).to_arrow());
        // Trusted: the offsets of each batch were checked and rebased to the position of its bytes, and its text is UTF-8.
        Ok(trusted_array(builder))
    }

    /// Returns the number of text bytes of each batch's rows. Decompresses compressed offsets, in parallel.
    #[allow(clippy::too_many_arguments)] // the request, and the received bytes
    fn sizes(
        &self,
        field: usize,
        pieces: &[BatchRows],
        small: bool,
        received: Option<&ReceivedText>,
        progress: &dyn Progress,
    ) -> Result<(Vec<TextRun>, usize)> {
        let place = self.catalog.shape.places.get(field).copied().unwrap_or_default();
        let item = if small { 4 } else { 8 };
        let one = |piece: &BatchRows| -> Result<TextRun> {
            let body = BatchBody::new(self.source, self.batch(piece)?)?;
            let first = place.buffer + 1 + body.variadic_before(place.view)?;
            let offsets = body.buffer(first, (piece.skip + piece.nrows + 1) * item)?;
            let nbytes = match received {
                Some(received) => received.run(piece.batch).stored,
                None => usize::try_from(body.decompressed_nbytes(first + 1)?).unwrap_or(usize::MAX),
            };
            let range = text_range(offsets.as_slice(), (piece.skip, piece.nrows), small, nbytes);
            let (start, end) = range.map_err(|(first, last)| {
                let message = format!(
                    "expected offsets from 0 to {nbytes}, found {first} to {last}. The bytes are damaged."
                );
                Error::malformed("arrow", message)
            })?;
            let is_whole = (start, end) == (0, nbytes);
            let offsets = body.codec().map(|_| offsets);
            Ok(TextRun { offsets, is_whole, nbytes: end - start, at: 0 })
        };
        let compressed = received.is_none() && self.catalog.batches.iter().any(|b| b.header.codec.is_some());
        let mut runs: Vec<TextRun> = if compressed {
            let tasks = pieces.iter().map(|piece| {
                let one = &one;
                let nbytes = self.batch(piece).map_or(0, |b| b.body_nbytes);
                (nbytes, move || one(piece).map_err(|e| self.named(e, field, piece)))
            });
            parallel::map(tasks.collect(), self.threads, progress)?
        } else {
            pieces
                .iter()
                .map(|piece| one(piece).map_err(|e| self.named(e, field, piece)))
                .collect::<Result<_>>()?
        };
        let mut total = 0usize;
        for run in &mut runs {
            run.at = total;
            total = total
                .checked_add(run.nbytes)
                .ok_or_else(|| Error::limit("arrow", "too many bytes of text."))?;
        }
        Ok((runs, total))
    }

    #[allow(clippy::too_many_arguments)] // source and destination
    fn text_piece(
        &self,
        field: usize,
        piece: &BatchRows,
        run: &TextRun,
        (small, narrow, is_text): (bool, bool, bool),
        offsets: Scatter<'_>,
        bytes: ColumnBytes<'_>,
    ) -> Result<()> {
        let place = self.catalog.shape.places.get(field).copied().unwrap_or_default();
        let body = BatchBody::new(self.source, self.batch(piece)?)?;
        let first = place.buffer + 1 + body.variadic_before(place.view)?;
        let item = if small { 4 } else { 8 };
        let needed = (piece.skip + piece.nrows + 1) * item;
        let too_long = || Error::limit("arrow", "too many bytes of text.");
        let from = match &run.offsets {
            Some(offsets) => offsets.clone(),
            None => body.buffer(first, needed)?,
        };
        let source_offsets =
            from.as_slice().get(piece.skip * item..(piece.skip + piece.nrows + 1) * item).unwrap_or(&[]);
        let buffer;
        let mut to_copy = None;
        let values = match bytes {
            ColumnBytes::Received(bytes, runs) => {
                let received = runs.get(piece.batch).copied().unwrap_or_default();
                let held = bytes.get(received.at..received.at + received.nbytes).unwrap_or(&[]);
                TextBytes { held, from: received.from, nbytes: received.stored }
            }
            ColumnBytes::Scattered(bytes, streaming) => {
                // SAFETY: `sizes` gave each batch the bytes after those of the batch before, and each batch belongs to one task.
                let target = unsafe { bytes.range(run.at, run.nbytes) }.ok_or_else(too_long)?;
                if run.is_whole && body.codec().is_some() {
                    body.fill(first + 1, target)?;
                    TextBytes::whole(target)
                } else {
                    buffer = body.buffer(first + 1, 0)?;
                    to_copy = Some((target, streaming));
                    TextBytes::whole(buffer.as_slice())
                }
            }
        };
        let (start, end) = if small {
            check::strings(
                source_offsets.as_chunks::<4>().0,
                |b| i64::from(i32::from_le_bytes(b)),
                values,
                is_text,
                1,
            )?
        } else {
            check::strings(source_offsets.as_chunks::<8>().0, i64::from_le_bytes, values, is_text, 1)?
        };
        let wide = if narrow { 4 } else { 8 };
        // SAFETY: each batch has rows of its own, and writes the offsets after its first.
        let to = unsafe { offsets.range((piece.at + 1) * wide, piece.nrows * wide) }.ok_or_else(too_long)?;
        if end - start != run.nbytes {
            return Err(Error::malformed("arrow", "offsets that changed while they were read."));
        }
        let shift = i64::try_from(run.at).unwrap_or(0) - i64::try_from(start).unwrap_or(0);
        rebase(source_offsets.get(item..).unwrap_or(&[]), to, small, narrow, shift);
        if let Some((target, streaming)) = to_copy {
            copy(target, values.range(start, end).unwrap_or(&[]), streaming);
        }
        Ok(())
    }
}

impl ReceivedText {
    fn run(&self, batch: usize) -> ReceivedRun {
        self.runs.get(batch).copied().unwrap_or_default()
    }

    /// The runs as they were received.
    fn sizes(&self, pieces: &[BatchRows]) -> (Vec<TextRun>, usize) {
        let runs = pieces.iter().map(|piece| self.run(piece.batch));
        let total = runs.clone().map(|run| run.nbytes).sum();
        (runs.map(|run| TextRun { nbytes: run.nbytes, at: run.at, ..TextRun::default() }).collect(), total)
    }
}

/// Adds `shift` to the offsets, and converts them to the width of the target.
fn rebase(source: &[u8], target: &mut [u8], small: bool, narrow: bool, shift: i64) {
    match (small, narrow) {
        (true, true) => {
            // Both bounds fit 32 bits, so their difference does too.
            let shift = i32::try_from(shift).unwrap_or(0);
            for (to, from) in target.as_chunks_mut::<4>().0.iter_mut().zip(source.as_chunks::<4>().0) {
                *to = i32::from_le_bytes(*from).wrapping_add(shift).to_le_bytes();
            }
        }
        (true, false) => {
            for (to, from) in target.as_chunks_mut::<8>().0.iter_mut().zip(source.as_chunks::<4>().0) {
                *to = i64::from(i32::from_le_bytes(*from)).wrapping_add(shift).to_le_bytes();
            }
        }
        _ => {
            for (to, from) in target.as_chunks_mut::<8>().0.iter_mut().zip(source.as_chunks::<8>().0) {
                *to = i64::from_le_bytes(*from).wrapping_add(shift).to_le_bytes();
            }
        }
    }
}

/// Returns the range of `nbytes` bytes that the offsets of `nrows` rows after the first `skip` cover.
///
/// # Errors
/// The first and the last offset, if they are out of order or pass the bytes.
pub(in crate::formats::arrow::read) fn text_range(
    offsets: &[u8],
    (skip, nrows): (usize, usize),
    small: bool,
    nbytes: usize,
) -> std::result::Result<(usize, usize), (i64, i64)> {
    let (first, last) = (offset(offsets, skip, small), offset(offsets, skip + nrows, small));
    let range = usize::try_from(first).ok().zip(usize::try_from(last).ok());
    range.filter(|&(a, b)| a <= b && b <= nbytes).ok_or((first, last))
}

fn offset(bytes: &[u8], row: usize, small: bool) -> i64 {
    if small {
        bytes.as_chunks::<4>().0.get(row).map_or(-1, |b| i64::from(i32::from_le_bytes(*b)))
    } else {
        bytes.as_chunks::<8>().0.get(row).map_or(-1, |b| i64::from_le_bytes(*b))
    }
}
