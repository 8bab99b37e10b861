//! One filtered array: which part of it each member holds, and the filter undone.

use crate::codec::filter::{Table, greatest, undelta, unshuffle};
use crate::container::members::{Filter, FilterSpec};
use crate::decode::GroupKey;
use crate::error::{Error, Result};
use crate::frame::ByteOrder;

/// The part that a dictionary's values are.
pub(super) const VALUES: u32 = u32::MAX;

/// Differences are summed up in stretches of this size, while they are in the nearest cache.
const STRETCH_NBYTES: usize = 16 << 10;

/// An array whose members hold what a filter made of it.
#[derive(Debug)]
pub(super) struct Filtered {
    pub(super) spec: FilterSpec,
    /// The array as it comes back.
    pub(super) key: GroupKey,
    /// The member of its first part.
    pub(super) first: usize,
    /// The member of its dictionary's values.
    pub(super) values: Option<usize>,
}

impl Filtered {
    /// Bytes of the array.
    pub(super) fn nbytes(&self) -> usize {
        self.key.nbytes()
    }

    /// Where a part starts in the array, and how many bytes it fills.
    pub(super) fn extent(&self, part: u32) -> (usize, usize) {
        if part == VALUES {
            return (0, 0);
        }
        let (item, part) = (self.spec.dtype.itemsize as usize, part as usize);
        let start = part.saturating_mul(self.spec.part_rows).saturating_mul(item);
        (start, self.spec.rows(part).saturating_mul(self.spec.width).saturating_mul(item))
    }
}

impl Filtered {
    /// Makes a part of the array again; its bytes and the target's were counted before.
    pub(super) fn undo(
        &self,
        part: u32,
        bytes: &[u8],
        table: Option<&Table>,
        target: &mut [u8],
    ) -> Result<()> {
        let (dtype, rows) = (self.spec.dtype, self.spec.rows(part as usize));
        let (width, big) = (dtype.itemsize as usize, dtype.order == ByteOrder::Big);
        if self.spec.filter == Filter::Dictionary {
            return self.find(part, bytes, table, target);
        }
        let column = rows.saturating_mul(width).max(1);
        for (from, to) in bytes.chunks(column).zip(target.chunks_mut(column)) {
            match self.spec.filter {
                Filter::None | Filter::Dictionary => copy(from, to),
                Filter::Shuffle => unshuffle(from, width, to),
                Filter::Delta => {
                    let mut before = 0;
                    for (from, to) in from.chunks(STRETCH_NBYTES).zip(to.chunks_mut(STRETCH_NBYTES)) {
                        copy(from, to);
                        before = undelta(to, width, big, before);
                    }
                }
                Filter::DeltaShuffle => {
                    unshuffle(from, width, to);
                    undelta(to, width, big, 0);
                }
            }
        }
        Ok(())
    }

    fn find(&self, part: u32, codes: &[u8], table: Option<&Table>, target: &mut [u8]) -> Result<()> {
        let Some(table) = table else {
            return Err(Error::malformed("npz", "the values of its codes are missing."));
        };
        let (count, wide) = (self.spec.values, self.spec.is_wide());
        if target.is_empty() {
            return Ok(());
        }
        let found = greatest(codes, wide);
        if found >= count {
            let (low, high) = if wide { codes.split_at(codes.len() / 2) } else { (codes, codes) };
            let code = |(&l, &h): (&u8, &u8)| usize::from(u16::from_le_bytes([l, if wide { h } else { 0 }]));
            let row = low.iter().zip(high).map(code).position(|c| c >= count).unwrap_or(0);
            let row = row + (part as usize).saturating_mul(self.spec.part_rows);
            let message = format!("row {row}: expected codes below {count}, found one of up to {found}.");
            return Err(Error::malformed("npz", message));
        }
        table.find(codes, wide, target);
        Ok(())
    }
}

fn copy(from: &[u8], to: &mut [u8]) {
    if from.len() == to.len() {
        to.copy_from_slice(from);
    }
}
