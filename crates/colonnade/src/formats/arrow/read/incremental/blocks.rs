//! The blocks that rows are received into.

use arrow_data::ArrayDataBuilder;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::import;
use crate::error::{Error, Result};
use crate::frame::{Block, DType, Grid, as_stride};
use crate::memory::{Buffer, Region, RegionMut, column_stride};

use super::layout::BlockLayout;
use super::schemas::CachedSchema;
use crate::arrow::ipc::check;
use crate::formats::arrow::read::decode::{ColumnDecoder, too_large};

/// The position of one field's rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockTarget {
    pub(super) field: usize,
    pub(super) item: usize,
    pub(super) region: usize,
    pub(super) offset: usize,
}

/// The blocks of one stream.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The rows that there is memory for: the announced number, or more than the number received.
    capacity: usize,
    pub(super) regions: Vec<RegionMut>,
    pub(super) targets: Vec<BlockTarget>,
    /// The region, offset and column stride of each group of the layout.
    places: Vec<(usize, usize, usize)>,
    row_nbytes: u64,
}

/// The other groups share one region: many regions would each take a page, or a huge one, before their rows arrive.
const FEW_GROUPS: usize = 16;

/// If the number of rows is not announced, memory for this multiple of the received rows is reserved. Pages without rows
/// are never touched.
const GROWTH: usize = 4;

impl Blocks {
    /// Allocates memory for the announced rows. Without them, [`Blocks::grow`] allocates it.
    ///
    /// # Errors
    /// A limit; errors of the operating system: no address space.
    pub(super) fn new(schema: &CachedSchema, limit: u64) -> Result<Self> {
        let announced = schema.shape.announced.unwrap_or(0);
        let claimed_nbytes = schema.layout.row_nbytes.saturating_mul(announced);
        if claimed_nbytes > limit {
            let message = format!(
                "{announced} rows are announced, which take {claimed_nbytes} bytes, over the limit of {limit}. Raise max_nbytes to read them."
            );
            return Err(Error::limit("arrow", message));
        }
        Self::of(schema, usize::try_from(announced).map_err(|_| too_large())?)
    }

    fn of(schema: &CachedSchema, capacity: usize) -> Result<Self> {
        let layout = &schema.layout;
        let (regions, targets, places) = (Vec::new(), Vec::new(), Vec::new());
        let mut blocks = Self { capacity, regions, targets, places, row_nbytes: layout.row_nbytes };
        let is_one_region = layout.groups.len() > FEW_GROUPS;
        let mut sizes = Vec::new();
        let mut at = 0usize;
        for (_, item, members) in &layout.groups {
            let stride = column_stride(capacity.checked_mul(*item).ok_or_else(too_large)?);
            let total = stride.checked_mul(members.len()).ok_or_else(too_large)?;
            let (region, base) = if is_one_region { (0, at) } else { (sizes.len(), 0) };
            for (column, &field) in members.iter().enumerate() {
                let offset = base + column * stride;
                blocks.targets.push(BlockTarget { field, item: *item, region, offset });
            }
            blocks.places.push((region, base, stride));
            at = at.checked_add(total).and_then(|n| n.checked_next_multiple_of(64)).ok_or_else(too_large)?;
            if !is_one_region {
                sizes.push(total);
            }
        }
        if is_one_region {
            sizes.push(at);
        }
        for size in sizes {
            blocks.regions.push(Region::allocate_claimed(size, blocks.targets.len())?);
        }
        // In the order of the fields, which is that of the buffers.
        blocks.targets.sort_unstable_by_key(|target| target.field);
        Ok(blocks)
    }

    /// The bytes of `nrows` rows.
    pub(super) fn row_nbytes(&self, nrows: usize) -> u64 {
        self.row_nbytes.saturating_mul(nrows as u64)
    }

    /// Makes room for `nrows` rows, of which the first `filled` exist. For the first batch it allocates exactly as much,
    /// because it is often the only one.
    ///
    /// # Errors
    /// A limit; errors of the operating system: no address space.
    pub(super) fn grow(
        &mut self,
        schema: &CachedSchema,
        nrows: usize,
        filled: usize,
        limit: u64,
    ) -> Result<()> {
        if nrows <= self.capacity {
            return Ok(());
        }
        let needed = self.row_nbytes(nrows);
        if needed > limit {
            let message = format!(
                "{nrows} rows have come, which take {needed} bytes, over the limit of {limit}. Raise max_nbytes to read them."
            );
            return Err(Error::limit("arrow", message));
        }
        let capacity = self.capacity.saturating_mul(GROWTH);
        let capacity = if self.row_nbytes(capacity) > limit { nrows } else { capacity.max(nrows) };
        let mut grown = Self::of(schema, capacity)?;
        for (from, to) in self.targets.iter().zip(&grown.targets) {
            let nbytes = filled * from.item;
            let (Some(old), Some(new)) =
                (self.regions.get_mut(from.region), grown.regions.get_mut(to.region))
            else {
                return Err(too_large());
            };
            let source = old.as_mut_slice().get(from.offset..from.offset + nbytes);
            let place = new.as_mut_slice().get_mut(to.offset..to.offset + nbytes);
            place.ok_or_else(too_large)?.copy_from_slice(source.ok_or_else(too_large)?);
            old.discard(from.offset, nbytes);
        }
        *self = grown;
        Ok(())
    }

    /// The `nbytes` bytes of a target's rows from `first_row` on.
    pub(super) fn place(
        &mut self,
        target: &BlockTarget,
        first_row: usize,
        nbytes: usize,
    ) -> Option<&mut [u8]> {
        let start = target.offset + first_row.checked_mul(target.item)?;
        self.regions.get_mut(target.region)?.as_mut_slice().get_mut(start..start.checked_add(nbytes)?)
    }

    /// Ends filling: a field becomes a part of a block if `block_dtype` returns a dtype for the field and the dtype that it
    /// was received as, and a column otherwise.
    ///
    /// # Errors
    /// Malformed: validity that is too short; nulls in a field whose dtype has none.
    pub(super) fn finish(
        self,
        layout: &BlockLayout,
        decoder: &ColumnDecoder<'_>,
        block_dtype: &dyn Fn(usize, Option<DType>) -> Option<DType>,
        is_private: bool,
    ) -> Result<DecodedColumns> {
        let (plan, nrows) = (decoder.plan, decoder.catalog.nrows);
        let mut decoded = DecodedColumns::default();
        let whole: Vec<Buffer> =
            self.regions.into_iter().map(|region| Buffer::from_region(region.finish(), is_private)).collect();
        for ((dtype, item, members), (region, base, stride)) in layout.groups.iter().zip(self.places) {
            let nbytes = stride.checked_mul(members.len()).ok_or_else(too_large)?;
            let buffer =
                whole.get(region).and_then(|buffer| buffer.slice(base, nbytes)).ok_or_else(too_large)?;
            // The current run of columns of one dtype.
            let (mut first, mut run_dtype) = (0, None);
            for (column, &field) in members.iter().enumerate() {
                let field_dtype = block_dtype(field, *dtype);
                if field_dtype != run_dtype {
                    put_block(run_dtype, nrows, stride, &buffer, members, first..column, &mut decoded)?;
                    (first, run_dtype) = (column, field_dtype);
                }
                if field_dtype.is_none() {
                    let values = buffer.slice(column * stride, nrows * item).ok_or_else(too_large)?;
                    let Some(field_plan) = plan.fields.get(field) else { continue };
                    let builder = ArrayDataBuilder::new(field_plan.data_type.clone()).len(nrows);
                    let builder = builder.add_buffer(values.to_arrow()).nulls(decoder.validity_of(field)?);
                    // SAFETY: nothing uses the array before `check::values` has compared its length with its buffers.
                    let data = unsafe { builder.align_buffers(true).build_unchecked() };
                    check::values(&data, 1).map_err(|e| e.in_member(field_plan.name.clone()))?;
                    let block = field_plan.dtype.map(|d| import::to_block(d, &data)).transpose();
                    match block.map_err(|e| e.in_member(field_plan.name.clone()))?.flatten() {
                        Some(block) => decoded.blocks.push((block, vec![field])),
                        None => decoded.columns.push((field, data)),
                    }
                }
            }
            let end = members.len();
            put_block(run_dtype, nrows, stride, &buffer, members, first..end, &mut decoded)?;
        }
        Ok(decoded)
    }
}

/// Adds neighbouring columns as one block.
fn put_block(
    dtype: Option<DType>,
    nrows: usize,
    stride: usize,
    buffer: &Buffer,
    members: &[usize],
    columns: std::ops::Range<usize>,
    decoded: &mut DecodedColumns,
) -> Result<()> {
    let (Some(dtype), Some(fields)) = (dtype, members.get(columns.clone()).filter(|f| !f.is_empty())) else {
        return Ok(());
    };
    let grid = Grid::column_major(dtype, nrows, fields.len(), columns.start * stride);
    let grid = Grid { col_stride: as_stride(stride), ..grid };
    let block = Block::new(grid, buffer.clone()).ok_or_else(too_large)?;
    decoded.blocks.push((block, fields.to_vec()));
    Ok(())
}
