//! Memory of blocks that grows with the received cells.

use crate::error::Result;
use crate::frame::DTypeKind;
use crate::memory::{Region, RegionMut};

use super::super::columns::{BlockGroup, into, too_large};
use crate::cells::msgpack::column::CellReader;

/// The first size of a block, whatever the header declares. It is address space, which costs nothing before it is filled.
const FIRST_NBYTES: usize = 64 << 20;

/// Blocks that are filled column by column.
pub(super) struct GrowingBlocks {
    blocks: Vec<(BlockGroup, RegionMut)>,
    nrows: usize,
}

impl GrowingBlocks {
    pub(super) fn of(groups: Vec<BlockGroup>, nrows: usize) -> Result<Self> {
        let mut blocks = Vec::with_capacity(groups.len());
        for group in groups {
            let nbytes = nbytes(&group)?;
            blocks.push((group, Region::allocate(nbytes.min(FIRST_NBYTES))?));
        }
        Ok(Self { blocks, nrows })
    }

    /// Each column: its index in the wanted fields, its block, and its position there.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, (usize, usize))> + '_ {
        self.blocks.iter().enumerate().flat_map(|(g, (group, _))| {
            group.members.iter().enumerate().map(move |(column, &i)| (i, (g, column)))
        })
    }

    /// The size of a value.
    pub(super) fn item(&self, group: usize) -> usize {
        self.blocks.get(group).map_or(0, |(group, _)| group.dtype.itemsize as usize)
    }

    /// Whether a block holds booleans.
    pub(super) fn is_bool(&self, group: usize) -> bool {
        self.blocks.get(group).is_some_and(|(group, _)| group.dtype.kind == DTypeKind::Bool)
    }

    /// Returns the decoder of the next `ncells` cells of a column, after `row` of them.
    pub(super) fn cells(
        &mut self,
        group: usize,
        column: usize,
        row: usize,
        ncells: usize,
    ) -> Result<Box<dyn CellReader + '_>> {
        let (dtype, item) = (self.blocks.get(group).map(|(g, _)| g.dtype), self.item(group));
        let place = self.bytes(group, column, row.saturating_mul(item), ncells.saturating_mul(item))?;
        Ok(into(dtype.ok_or_else(too_large)?, place))
    }

    /// Returns the next `nbytes` bytes of a column, after `done` of them.
    pub(super) fn bytes(
        &mut self,
        group: usize,
        column: usize,
        done: usize,
        nbytes: usize,
    ) -> Result<&mut [u8]> {
        let (group, region) = self.blocks.get_mut(group).ok_or_else(too_large)?;
        let column_nbytes = self.nrows * group.dtype.itemsize as usize;
        let start = column * group.stride + done;
        let end = start + nbytes.min(column_nbytes.saturating_sub(done));
        if end > region.nbytes() {
            let all = self::nbytes(group)?;
            region.grow(all.min(end.max(region.nbytes().saturating_mul(2))))?;
        }
        region.as_mut_slice().get_mut(start..end).ok_or_else(too_large)
    }

    /// Returns the complete blocks.
    pub(super) fn finish(mut self) -> Result<impl Iterator<Item = (BlockGroup, RegionMut)>> {
        for (group, region) in &mut self.blocks {
            region.grow(nbytes(group)?)?;
        }
        Ok(self.blocks.into_iter())
    }
}

fn nbytes(group: &BlockGroup) -> Result<usize> {
    group.stride.checked_mul(group.members.len()).ok_or_else(too_large)
}
