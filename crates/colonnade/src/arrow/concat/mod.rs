//! Concatenates the rows of frames.
//!
//! Blocks become one column-major block for each dtype, in one region. Columns in Arrow's layout are joined by Arrow's
//! kernel, and their dictionaries are merged. Frames that differ in more than rows are refused with an error that shows
//! both.

mod blocks;
mod columns;
pub(crate) mod common_order;
mod compatibility;
pub(crate) mod dictionary;
mod index;
mod kernel;
mod nullability;
pub(crate) mod order;

use crate::error::{Error, Result};
use crate::frame::{DTypeKind, Frame, Part, Slot};
use arrow_data::ArrayData;

use self::blocks::BlockColumn;

/// Concatenates frames. A single frame is returned unchanged; names and attributes are those of the first.
///
/// # Errors
/// Malformed: there is no frame, or columns, types or row labels differ.
pub fn concat(frames: &[Frame]) -> Result<Frame> {
    let borrowed: Vec<&Frame> = frames.iter().collect();
    concat_all(&borrowed)
}

/// [`concat()`] of borrowed frames.
///
/// # Errors
/// As [`concat()`].
pub fn concat_all(frames: &[&Frame]) -> Result<Frame> {
    let first = match frames {
        [] => return Err(Error::malformed("frame", "expected one frame at least, found none.")),
        [one] => return Ok((*one).clone()),
        [first, ..] => *first,
    };
    let slots: Vec<Vec<Slot>> = frames.iter().map(|f| f.slots()).collect::<Result<_>>()?;
    compatibility::check(frames, &slots)?;
    let total = frames.iter().try_fold(0usize, |sum, f| sum.checked_add(f.nrows));
    let nrows =
        total.ok_or_else(|| Error::limit("frame", "the rows of all frames pass the address space."))?;
    let index = index::join(frames, nrows)?;

    let mut groups: Vec<(crate::frame::DType, Vec<usize>)> = Vec::new();
    let mut group_of = std::collections::HashMap::new();
    let mut arrow = Vec::new();
    for (position, slot) in slots.first().map_or(&[][..], Vec::as_slice).iter().enumerate() {
        match first.parts.get(slot.part) {
            Some(Part::Block(block, _)) => {
                let dtype = match block.grid.dtype {
                    // Text may be longer in later frames; `compatibility` has checked that nothing else differs.
                    text if text.kind == DTypeKind::Unicode => {
                        index::common_dtype(&block_columns(frames, &slots, position))?
                    }
                    dtype => dtype,
                };
                let group = *group_of.entry(dtype).or_insert_with(|| {
                    groups.push((dtype, Vec::new()));
                    groups.len() - 1
                });
                if let Some((_, positions)) = groups.get_mut(group) {
                    positions.push(position);
                }
            }
            _ => arrow.push(position),
        }
    }
    let mut parts = Vec::with_capacity(groups.len() + arrow.len());
    for (dtype, positions) in groups {
        let columns = positions.iter().map(|&position| block_columns(frames, &slots, position)).collect();
        parts.push(Part::Block(blocks::join(dtype, nrows, columns)?, positions));
    }
    parts.extend(columns::join(frames, &slots, &arrow)?);
    Frame::new(index, first.columns.clone(), parts, first.tags.clone())
}

/// The column at `position` in each frame.
fn block_columns<'f>(frames: &[&'f Frame], slots: &[Vec<Slot>], position: usize) -> Vec<BlockColumn<'f>> {
    let column = |(frame, slots): (&&'f Frame, &Vec<Slot>)| {
        let slot = slots.get(position)?;
        match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => Some(BlockColumn { block, column: slot.column }),
            _ => None,
        }
    };
    frames.iter().zip(slots).filter_map(column).collect()
}

/// Concatenates arrays of one type and merges their dictionaries. `empty` is the result if no array has rows. `is_ordered`:
/// the order of categories is significant.
///
/// # Errors
/// Types that cannot be joined; dictionaries whose orders differ.
pub fn arrays(empty: &ArrayData, pieces: &[&ArrayData], is_ordered: bool) -> Result<ArrayData> {
    columns::join_data(empty, pieces, is_ordered)
}

#[cfg(test)]
mod tests;
