//! Returns the columns of a single batch without a copy if they already have the layout of the target.

use std::collections::HashMap;

use arrow_data::ArrayData;

use crate::arrow::decoded_columns::{DecodedColumns, is_number};
use crate::arrow::trusted::trusted_array;
use crate::decode::{GroupKey, Groups};
use crate::error::{Error, Result};
use crate::frame::{Block, DType};
use crate::memory::Buffer;
use crate::parallel;
use crate::progress::Progress;

use super::{BatchRows, ColumnConversion, ColumnDecoder};
use crate::arrow::ipc::arrays::{FieldCursor, field_of};
use crate::arrow::ipc::body::BatchBody;
use crate::arrow::ipc::check;

/// The maximum number of grids instead of one block for each dtype (plus one for each so many columns).
const GRIDS: usize = 64;

impl ColumnDecoder<'_> {
    /// Returns the fields of `left` that need no copy, and removes them from it. Only if all rows are in one batch.
    pub(super) fn in_place(
        &self,
        projection: &[usize],
        conversions: &[ColumnConversion],
        pieces: &[BatchRows],
        left: &mut [bool],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        let piece = match pieces {
            [] => {
                for (i, conversion) in conversions.iter().enumerate() {
                    if matches!(
                        conversion,
                        ColumnConversion::Values(_)
                            | ColumnConversion::Text
                            | ColumnConversion::General(None)
                    ) {
                        decoded.columns.push((i, self.empty(projection.get(i).copied().unwrap_or(0))?));
                        take(left, i);
                    }
                }
                return Ok(());
            }
            [piece] => piece,
            _ => return Ok(()),
        };
        let body = BatchBody::new(self.source, self.batch(piece)?)?;
        let map = self.in_place.filter(|_| body.codec().is_none() && !self.catalog.shape.big_endian);
        let is_written = |i: usize| self.is_written(projection.get(i).copied().unwrap_or(0));
        let stays = |i: usize| match conversions.get(i) {
            Some(ColumnConversion::Values(_)) => map.is_some() || !is_written(i),
            conversion => {
                matches!(conversion, Some(ColumnConversion::Text | ColumnConversion::General(None)))
            }
        };
        let columns: Vec<usize> = (0..conversions.len()).filter(|&i| stays(i)).collect();
        for (&i, data) in columns.iter().zip(self.arrays(projection, &columns, piece, progress)?) {
            let data = match map {
                Some(map) if is_written(i) => self.over_map(data, map),
                _ => data,
            };
            decoded.columns.push((i, data));
            take(left, i);
        }
        if let Some(bytes) = map {
            self.grids(projection, conversions, piece, &body, bytes, left, decoded)?;
        }
        Ok(())
    }

    /// Whether pandas writes to the values of a field, so that they need separate memory.
    fn is_written(&self, field: usize) -> bool {
        let data_type = self.plan.fields.get(field).map(|field_plan| &field_plan.data_type);
        self.nulls.is_some() && data_type.is_some_and(is_number)
    }

    /// Returns the array over a private map of the same file, of which a write copies one page. Values outside of the file
    /// (because they were not aligned) already have separate memory.
    fn over_map(&self, data: ArrayData, map: &Buffer) -> ArrayData {
        let Some(values) = data.buffers().first() else { return data };
        let start = values.as_ptr().addr().checked_sub(self.source.bytes.as_ptr().addr());
        let Some(values) = start.and_then(|start| map.slice(start, values.len())) else { return data };
        // Trusted: the same bytes of the same file with the same alignment, since maps begin at a page boundary.
        trusted_array(data.into_builder().buffers(vec![values.to_arrow()]))
    }

    /// Decodes the arrays of the fields `projection[i]` in one batch, in parallel if there are compressed buffers.
    pub(super) fn arrays(
        &self,
        projection: &[usize],
        slots: &[usize],
        piece: &BatchRows,
        progress: &dyn Progress,
    ) -> Result<Vec<ArrayData>> {
        let batch = self.batch(piece)?;
        let body = BatchBody::new(self.source, batch)?;
        let one = |i: usize, threads: usize| -> Result<ArrayData> {
            let index = projection.get(i).copied().unwrap_or(0);
            let field = field_of(&self.catalog.shape, index)?;
            let place = self.catalog.shape.places.get(index).copied().unwrap_or_default();
            let mut cursor = FieldCursor::new(
                &body,
                &self.catalog.shape,
                self.history.at(piece.batch),
                place,
                self.allowed,
            )?;
            cursor.threads = threads;
            let data =
                cursor.part(field, self.projection_of(index)).map_err(|e| self.named(e, index, piece))?;
            Ok(if piece.nrows == data.len() { data } else { data.slice(piece.skip, piece.nrows) })
        };
        let one = &one;
        if body.codec().is_some() || self.catalog.shape.big_endian {
            let nbytes = batch.body_nbytes / slots.len().max(1);
            let tasks = slots.iter().map(|&i| (nbytes, move || one(i, 1))).collect();
            return parallel::map(tasks, self.threads, progress);
        }
        if batch.body_nbytes <= 1 << 20 {
            return slots.iter().map(|&i| one(i, 1)).collect();
        }
        let field = |i: usize| projection.get(i).copied().unwrap_or(0);
        let nbytes = |i: usize| check::nbytes(&body, &self.catalog.shape, field(i));
        let tasks = slots.iter().map(|&i| (nbytes(i), move |threads| one(i, threads))).collect();
        parallel::map_short(tasks, self.threads, progress)
    }

    /// Combines fixed-width columns at constant distances to strided blocks over `bytes`.
    #[allow(clippy::too_many_arguments)] // all of the plan meets here
    fn grids(
        &self,
        projection: &[usize],
        conversions: &[ColumnConversion],
        piece: &BatchRows,
        body: &BatchBody<'_>,
        bytes: &Buffer,
        left: &mut [bool],
        decoded: &mut DecodedColumns,
    ) -> Result<()> {
        let mut groups = Groups::default();
        let mut ids: HashMap<DType, usize> = HashMap::new();
        let mut taken = Vec::new();
        for (i, conversion) in conversions.iter().enumerate() {
            let ColumnConversion::Copy(dtype) = *conversion else { continue };
            let field = projection.get(i).copied().unwrap_or(0);
            let place = self.catalog.shape.places.get(field).copied().unwrap_or_default();
            let buffer = place.buffer + 1 + body.variadic_before(place.view)?;
            let raw = body.bytes(buffer).map_err(|e| self.named(e, field, piece))?;
            let item = dtype.itemsize as usize;
            let end = (piece.skip + piece.nrows) * item;
            if raw.len() < end {
                return Err(self.named(body.too_short(buffer, end, raw.len()), field, piece));
            }
            let offset = raw.as_ptr().addr() - self.source.bytes.as_ptr().addr() + piece.skip * item;
            if !(bytes.as_ptr().addr() + offset).is_multiple_of(dtype.alignment()) {
                continue;
            }
            let next = ids.len();
            let id = *ids.entry(dtype).or_insert(next);
            let key =
                GroupKey { dtype, nrows: piece.nrows, width: 1, two_dimensional: false, fortran_order: true };
            groups.push(id, key, offset, i);
            taken.push(i);
        }
        let grids = groups.finish();
        if grids.len() > GRIDS + projection.len() / GRIDS {
            return Ok(());
        }
        for (grid, members) in grids {
            let block = Block::new(grid, bytes.clone());
            decoded.blocks.push((
                block.ok_or_else(|| Error::malformed("arrow", "a column passes the end of the file."))?,
                members,
            ));
        }
        taken.into_iter().for_each(|i| take(left, i));
        Ok(())
    }
}

fn take(left: &mut [bool], i: usize) {
    if let Some(slot) = left.get_mut(i) {
        *slot = false;
    }
}
