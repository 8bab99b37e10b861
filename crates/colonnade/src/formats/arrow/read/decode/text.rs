//! Decodes text and bytes: computes all sizes first, then copies each batch's bytes to their position and validates them
//! while they are in the cache.

use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Region, STREAMING_FROM_NBYTES, Scatter, copy, fence};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::{BatchRows, ColumnDecoder};
use crate::arrow::ipc::arrays::field_of;
use crate::arrow::ipc::body::BatchBody;
use crate::arrow::ipc::check;

/// The offsets and bytes of one batch's rows, and their position in the column.
#[derive(Debug, Clone)]
struct TextRun {
    /// The decompressed buffers, if they were compressed.
    held: Option<(arrow_buffer::Buffer, arrow_buffer::Buffer)>,
    nbytes: usize,
    at: usize,
}

impl ColumnDecoder<'_> {
    /// Decodes the text fields `projection[i]` for each `i` of `these`.
    pub(super) fn text(
        &self,
        projection: &[usize],
        these: &[usize],
        pieces: &[BatchRows],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        for &i in these {
            let field = projection.get(i).copied().unwrap_or(0);
            decoded.columns.push((i, self.text_column(field, pieces, progress)?));
        }
        Ok(())
    }

    fn text_column(
        &self,
        field: usize,
        pieces: &[BatchRows],
        progress: &dyn Progress,
    ) -> Result<arrow_data::ArrayData> {
        let data_type = field_of(&self.catalog.shape, field)?.data_type();
        let (small, is_text) = match data_type {
            DataType::Utf8 => (true, true),
            DataType::Binary => (true, false),
            DataType::LargeUtf8 => (false, true),
            _ => (false, false),
        };
        let nrows = self.nrows();
        let (mut runs, total) = self.sizes(field, pieces, small, progress)?;
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
        let mut offsets = Region::allocate(offsets_nbytes, offsets_nbytes < 256 << 10)?;
        let mut bytes = Region::allocate(total, total < 256 << 10)?;
        if let Some(first) = offsets.as_mut_slice().get_mut(..item) {
            first.fill(0);
        }
        {
            let (offsets, bytes) = (Scatter::new(&mut offsets), Scatter::new(&mut bytes));
            let streaming = total >= STREAMING_FROM_NBYTES;
            let mut tasks = Vec::new();
            let mut rest: (&[BatchRows], &mut [TextRun]) = (pieces, &mut runs);
            while !rest.0.is_empty() {
                let mut nbytes = 0;
                let enough = rest.0.iter().zip(rest.1.iter()).position(|(piece, run)| {
                    nbytes += run.nbytes + piece.nrows * item;
                    nbytes >= 2 << 20
                });
                let count = enough.map_or(rest.0.len(), |c| c + 1);
                let (tile, tail) = rest.0.split_at(count);
                let (tile_runs, tail_runs) = rest.1.split_at_mut(count);
                rest = (tail, tail_runs);
                tasks.push(Task::new(nbytes, move || {
                    for (piece, run) in tile.iter().zip(tile_runs) {
                        let done = self.text_piece(
                            field,
                            piece,
                            run,
                            (small, narrow, is_text),
                            offsets,
                            bytes,
                            streaming,
                        );
                        done.map_err(|e| self.named(e, field, piece))?;
                        run.held = None;
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

    /// Returns the number of text bytes of each batch's rows. Decompresses compressed buffers, in parallel.
    fn sizes(
        &self,
        field: usize,
        pieces: &[BatchRows],
        small: bool,
        progress: &dyn Progress,
    ) -> Result<(Vec<TextRun>, usize)> {
        let place = self.catalog.shape.places.get(field).copied().unwrap_or_default();
        let item = if small { 4 } else { 8 };
        let one = |piece: &BatchRows| -> Result<TextRun> {
            let body = BatchBody::new(self.source, self.batch(piece)?)?;
            let mut first = place.buffer + 1;
            for view in 0..place.view {
                first += body.views(view)?;
            }
            let (offsets, values) =
                (body.buffer(first, (piece.skip + piece.nrows + 1) * item)?, body.buffer(first + 1, 0)?);
            let ends =
                (offset(&offsets, piece.skip, small), offset(&offsets, piece.skip + piece.nrows, small));
            let range = usize::try_from(ends.0)
                .ok()
                .zip(usize::try_from(ends.1).ok())
                .filter(|&(a, b)| a <= b && b <= values.len());
            let (start, end) = range.ok_or_else(|| {
                Error::malformed(
                    "arrow",
                    format!(
                        "expected offsets from 0 to {}, found {} to {}. The bytes are damaged.",
                        values.len(),
                        ends.0,
                        ends.1
                    ),
                )
            })?;
            let held = body.codec().map(|_| (offsets, values));
            Ok(TextRun { held, nbytes: end - start, at: 0 })
        };
        let compressed = self.catalog.batches.iter().any(|b| b.header.codec.is_some());
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
        bytes: Scatter<'_>,
        streaming: bool,
    ) -> Result<()> {
        let place = self.catalog.shape.places.get(field).copied().unwrap_or_default();
        let body = BatchBody::new(self.source, self.batch(piece)?)?;
        let mut first = place.buffer + 1;
        for view in 0..place.view {
            first += body.views(view)?;
        }
        let item = if small { 4 } else { 8 };
        let (from, values) = match &run.held {
            Some((from, values)) => (from.clone(), values.clone()),
            None => (body.buffer(first, (piece.skip + piece.nrows + 1) * item)?, body.buffer(first + 1, 0)?),
        };
        let source_offsets =
            from.as_slice().get(piece.skip * item..(piece.skip + piece.nrows + 1) * item).unwrap_or(&[]);
        let values = values.as_slice();
        let (start, end) = if small {
            check::strings(
                source_offsets.as_chunks::<4>().0,
                |b| i64::from(i32::from_le_bytes(b)),
                values,
                is_text,
            )?
        } else {
            check::strings(source_offsets.as_chunks::<8>().0, i64::from_le_bytes, values, is_text)?
        };
        let wide = if narrow { 4 } else { 8 };
        // SAFETY: the batches write disjoint rows (the offsets after the first) and disjoint bytes.
        let ranges = unsafe {
            (offsets.range((piece.at + 1) * wide, piece.nrows * wide), bytes.range(run.at, run.nbytes))
        };
        let (Some(to), Some(target)) = ranges else {
            return Err(Error::limit("arrow", "too many bytes of text."));
        };
        if end - start != target.len() {
            return Err(Error::malformed("arrow", "offsets that changed while they were read."));
        }
        let shift = i64::try_from(run.at).unwrap_or(0) - i64::try_from(start).unwrap_or(0);
        rebase(source_offsets.get(item..).unwrap_or(&[]), to, small, narrow, shift);
        copy(target, values.get(start..end).unwrap_or(&[]), streaming);
        Ok(())
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

fn offset(buffer: &arrow_buffer::Buffer, row: usize, small: bool) -> i64 {
    let bytes = buffer.as_slice();
    if small {
        bytes.as_chunks::<4>().0.get(row).map_or(-1, |b| i64::from(i32::from_le_bytes(*b)))
    } else {
        bytes.as_chunks::<8>().0.get(row).map_or(-1, |b| i64::from_le_bytes(*b))
    }
}
