//! One filtered array: its parts, and how they are decoded.

use crate::codec::filter::{ValueTable, greatest, undelta, unshuffle};
use crate::container::members::{FilterSpec, MemberFilter};
use crate::decode::GroupKey;
use crate::error::{Error, Result};
use crate::frame::ByteOrder;

/// Part number of a dictionary's values.
pub(super) const DICTIONARY_PART: u32 = u32::MAX;

/// Differences are summed in blocks of this size, which fit the L1 cache.
const DELTA_BLOCK_NBYTES: usize = 16 << 10;

/// An array that a filter encoded into one or more members.
#[derive(Debug)]
pub(super) struct FilteredArray {
    pub(super) spec: FilterSpec,
    /// The decoded array.
    pub(super) key: GroupKey,
    /// The member of its first part.
    pub(super) first: usize,
    /// The member of its dictionary's values.
    pub(super) values: Option<usize>,
}

impl FilteredArray {
    /// Bytes of the array.
    pub(super) fn nbytes(&self) -> usize {
        self.key.nbytes()
    }

    /// Offset of a part in the array, and its size in bytes.
    pub(super) fn extent(&self, part: u32) -> (usize, usize) {
        if part == DICTIONARY_PART {
            return (0, 0);
        }
        let (item, part) = (self.spec.dtype.itemsize as usize, part as usize);
        let start = part.saturating_mul(self.spec.part_rows).saturating_mul(item);
        (start, self.spec.rows(part).saturating_mul(self.spec.width).saturating_mul(item))
    }

    /// Decodes a part of the array. The caller has checked the lengths of `bytes` and `target`.
    pub(super) fn decode(
        &self,
        part: u32,
        bytes: &[u8],
        table: Option<&ValueTable>,
        target: &mut [u8],
    ) -> Result<()> {
        let (dtype, rows) = (self.spec.dtype, self.spec.rows(part as usize));
        let (width, big) = (dtype.itemsize as usize, dtype.order == ByteOrder::Big);
        if self.spec.filter == MemberFilter::Dictionary {
            return self.look_up(part, bytes, table, target);
        }
        let column = rows.saturating_mul(width).max(1);
        for (from, to) in bytes.chunks(column).zip(target.chunks_mut(column)) {
            match self.spec.filter {
                MemberFilter::None | MemberFilter::Dictionary => copy(from, to),
                MemberFilter::Shuffle => unshuffle(from, width, to),
                MemberFilter::Delta => {
                    let mut before = 0;
                    for (from, to) in from.chunks(DELTA_BLOCK_NBYTES).zip(to.chunks_mut(DELTA_BLOCK_NBYTES)) {
                        copy(from, to);
                        before = undelta(to, width, big, before);
                    }
                }
                MemberFilter::DeltaShuffle => {
                    unshuffle(from, width, to);
                    undelta(to, width, big, 0);
                }
            }
        }
        Ok(())
    }

    fn look_up(&self, part: u32, codes: &[u8], table: Option<&ValueTable>, target: &mut [u8]) -> Result<()> {
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
