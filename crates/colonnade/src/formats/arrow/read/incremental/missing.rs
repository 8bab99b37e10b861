//! Nulls that become NaN or NaT in the blocks, after the last batch.

use crate::decode::missing::{integers_to_floats, write_missing};
use crate::error::Result;
use crate::formats::arrow::read::decode::{BatchRows, ColumnDecoder, too_large};
use crate::frame::{DType, DTypeKind};
use crate::memory::Scatter;
use crate::parallel::{self, Task};
use crate::progress::Progress;

use super::blocks::Blocks;
use super::layout::BlockLayout;

/// Bytes of the rows of one task.
const TASK_NBYTES: usize = 2 << 20;

/// Which nulls become NaN or NaT.
pub(super) struct MissingValues<'a> {
    pub(super) decoder: &'a ColumnDecoder<'a>,
}

impl MissingValues<'_> {
    fn has_nulls(&self, field: usize) -> bool {
        self.decoder.catalog.nulls.get(field).copied().unwrap_or(false)
    }

    /// The dtype of the block that a field with nulls becomes without a copy: that of times whose metadata declare a NumPy
    /// dtype, and in pandas' layout that of floats, times and 64-bit integers.
    fn missing_dtype(&self, field: usize) -> Option<DType> {
        let field_plan = self.decoder.plan.fields.get(field)?;
        let times = |dtype: &DType| matches!(dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
        let pandas = || {
            let dtype = self.decoder.nulls?.dtype(field)?;
            let width = field_plan.data_type.primitive_width();
            (width == Some(dtype.itemsize as usize)).then_some(dtype)
        };
        field_plan.dtype.filter(times).or_else(pandas)
    }

    /// The dtype of the block of a field that was received as `dtype`; `None` if the field becomes a column.
    pub(super) fn block_dtype(&self, field: usize, dtype: Option<DType>) -> Option<DType> {
        if self.has_nulls(field) { self.missing_dtype(field) } else { dtype }
    }

    /// Writes NaN and NaT to the blocks, in parallel.
    ///
    /// # Errors
    /// Malformed: validity that is too short. Cancellation.
    pub(super) fn write(
        &self,
        blocks: &mut Blocks,
        layout: &BlockLayout,
        progress: &dyn Progress,
    ) -> Result<()> {
        let members = layout.groups.iter().flat_map(|(_, _, members)| members);
        if !members.clone().any(|&field| self.has_nulls(field)) {
            return Ok(());
        }
        let pieces = self.decoder.pieces();
        let regions: Vec<Scatter<'_>> = blocks.regions.iter_mut().map(Scatter::new).collect();
        let mut tasks = Vec::new();
        for target in blocks.targets.iter().filter(|target| self.has_nulls(target.field)) {
            let Some(dtype) = self.missing_dtype(target.field) else { continue };
            let region = *regions.get(target.region).ok_or_else(too_large)?;
            let (field, offset, item) = (target.field, target.offset, target.item);
            let mut rest = pieces.as_slice();
            while !rest.is_empty() {
                let mut nbytes = 0;
                let count = rest.iter().position(|piece| {
                    nbytes += piece.nrows * item;
                    nbytes >= TASK_NBYTES
                });
                let (some, tail) = rest.split_at(count.map_or(rest.len(), |count| count + 1));
                rest = tail;
                tasks.push(Task::new(nbytes, move || {
                    for piece in some {
                        // SAFETY: targets have disjoint columns, and batches disjoint rows.
                        let rows = unsafe { region.range(offset + piece.at * item, piece.nrows * item) };
                        self.write_rows(field, dtype, piece, rows.ok_or_else(too_large)?)?;
                    }
                    Ok(())
                }));
            }
        }
        parallel::run(tasks, self.decoder.threads, progress)
    }

    fn write_rows(&self, field: usize, dtype: DType, piece: &BatchRows, rows: &mut [u8]) -> Result<()> {
        let data_type = self.decoder.plan.fields.get(field).map(|field_plan| &field_plan.data_type);
        if let Some(data_type) = data_type.filter(|data_type| data_type.is_integer())
            && dtype.kind == DTypeKind::Float
        {
            integers_to_floats(data_type, rows);
        }
        if let Some(valid) = self.decoder.bits_in(field, piece)? {
            write_missing(dtype, rows, valid.as_slice(), piece.skip);
        }
        Ok(())
    }
}
