//! Frames one after the other, as one.
//!
//! Blocks are joined into one column-major block a dtype, in one region; columns in Arrow's layout by Arrow's own kernel,
//! dictionaries merged. Frames that differ in more than rows are refused, both shown.

pub(crate) mod agreed;
mod blocks;
mod columns;
pub(crate) mod dictionary;
mod index;
mod kernel;
pub(crate) mod order;
mod required;
mod same;

use crate::error::{Error, Result};
use crate::frame::{Frame, Kind, Part, Slot};
use arrow_data::ArrayData;

use self::blocks::Strip;

/// The rows of all frames, one after the other. One frame is answered as it is; names and attributes are the first's.
///
/// # Errors
/// Malformed: no frame, or frames whose columns, types or row labels differ.
pub fn concat(frames: &[Frame]) -> Result<Frame> {
    let borrowed: Vec<&Frame> = frames.iter().collect();
    concat_all(&borrowed)
}

/// [`concat`] of frames that others hold.
///
/// # Errors
/// As [`concat`].
pub fn concat_all(frames: &[&Frame]) -> Result<Frame> {
    let first = match frames {
        [] => return Err(Error::malformed("frame", "expected one frame at least, found none.")),
        [one] => return Ok((*one).clone()),
        [first, ..] => *first,
    };
    let slots: Vec<Vec<Slot>> = frames.iter().map(|f| f.slots()).collect::<Result<_>>()?;
    same::check(frames, &slots)?;
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
                    // Text may be longer in later frames; `same` has checked that nothing else differs.
                    text if text.kind == Kind::Unicode => index::common(&strips(frames, &slots, position))?,
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
        let strips = positions.iter().map(|&position| strips(frames, &slots, position)).collect();
        parts.push(Part::Block(blocks::join(dtype, nrows, strips)?, positions));
    }
    parts.extend(columns::join(frames, &slots, &arrow)?);
    Frame::new(index, first.columns.clone(), parts, first.tags.clone())
}

/// One column of all frames.
fn strips<'f>(frames: &[&'f Frame], slots: &[Vec<Slot>], position: usize) -> Vec<Strip<'f>> {
    let strip = |(frame, slots): (&&'f Frame, &Vec<Slot>)| {
        let slot = slots.get(position)?;
        match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => Some(Strip { block, column: slot.column }),
            _ => None,
        }
    };
    frames.iter().zip(slots).filter_map(strip).collect()
}

#[cfg(test)]
mod tests;

/// Arrays of one type as one, dictionaries merged; `empty` where none has rows. `is_ordered`: whether the order of their
/// categories means anything.
///
/// # Errors
/// Types that cannot be joined; dictionaries whose orders differ.
pub fn arrays(empty: &ArrayData, pieces: &[&ArrayData], is_ordered: bool) -> Result<ArrayData> {
    columns::join_data(empty, pieces, is_ordered)
}
