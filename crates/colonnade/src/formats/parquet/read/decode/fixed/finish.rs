//! Turns decoded columns into blocks, or into Arrow arrays if they contain nulls.

use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::MemoryLayout;
use crate::error::Result;
use crate::frame::{Block, Grid, as_stride};
use crate::memory::{Buffer, pack};

use super::super::super::conversion::NullFill;
use super::super::ChunkDecoder;
use super::{FixedTarget, NullRange, TargetGroup, too_large};

impl ChunkDecoder<'_> {
    /// Returns blocks of the columns without nulls and Arrow arrays of the others.
    pub(super) fn finish_columns(
        &self,
        targets: &[FixedTarget],
        groups: &[TargetGroup],
        buffers: &[Buffer],
        mut found: Vec<NullRange>,
        decoded: &mut DecodedColumns,
    ) -> Result<()> {
        found.sort_by_key(|f| (f.target, f.at));
        for (group, buffer) in groups.iter().zip(buffers) {
            let mut run: Vec<usize> = Vec::new();
            let mut first = 0;
            let push_block =
                |run: &mut Vec<usize>, first: usize, decoded: &mut DecodedColumns| -> Result<()> {
                    let (Some(dtype), false) = (group.dtype, run.is_empty()) else { return Ok(()) };
                    let grid = Grid {
                        col_stride: as_stride(group.stride),
                        ..Grid::column_major(dtype, self.nrows, run.len(), first * group.stride)
                    };
                    let block = Block::new(grid, buffer.clone()).ok_or_else(too_large)?;
                    decoded.blocks.push((block, std::mem::take(run)));
                    Ok(())
                };
            for (k, &member) in group.members.iter().enumerate() {
                let Some(target) = targets.get(member) else { continue };
                let start = found.partition_point(|f| f.target < member);
                let ranges = found.get(start..).unwrap_or_default();
                let ranges = ranges.get(..ranges.partition_point(|f| f.target == member)).unwrap_or_default();
                if group.dtype.is_some() && (ranges.is_empty() || self.holds_missing(target)) {
                    if run.is_empty() {
                        first = k;
                    }
                    run.push(target.i);
                    continue;
                }
                push_block(&mut run, first, decoded)?;
                let values = buffer.slice(target.offset, group.nbytes).ok_or_else(too_large)?;
                decoded.columns.push((target.i, self.array(target, &values, ranges)?));
            }
            push_block(&mut run, first, decoded)?;
        }
        Ok(())
    }

    /// Whether the target represents missing values by the NaN or NaT that null rows already hold.
    fn holds_missing(&self, target: &FixedTarget) -> bool {
        self.layout == MemoryLayout::Pandas
            && target.null != NullFill::Zero
            && self.nulls.dtype(target.field).is_some()
    }

    fn array(&self, target: &FixedTarget, values: &Buffer, found: &[NullRange]) -> Result<ArrayData> {
        let data_type = self.field(target.field)?.data_type();
        let mut nulls = None;
        if !found.is_empty() {
            let mut bits = BooleanBufferBuilder::new(self.nrows);
            for part in found {
                bits.append_n(part.at.saturating_sub(bits.len()), true);
                bits.append_packed_range(0..part.bits.len(), &part.bits.to_arrow());
            }
            bits.append_n(self.nrows.saturating_sub(bits.len()), true);
            nulls = Some(NullBuffer::new(bits.finish()));
        }
        // Bools that were to become a block are bytes, and have a null.
        let is_bytes = *data_type == DataType::Boolean && !target.bits;
        let values = if is_bytes { pack(values.as_slice()).into() } else { values.to_arrow() };
        let builder =
            ArrayDataBuilder::new(data_type.clone()).len(self.nrows).add_buffer(values).nulls(nulls);
        // SAFETY: the types of `fixed_conversion` have a fixed width and no invalid values. `targets` sized the buffer for one value of
        // that width a row, or a bit, and the validity has a bit for each row.
        Ok(unsafe { builder.align_buffers(true).build_unchecked() })
    }
}
