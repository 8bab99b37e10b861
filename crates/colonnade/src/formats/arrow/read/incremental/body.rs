//! Plans where the bytes of one record batch are received.

use crate::error::{Error, Result};

use super::blocks::Blocks;
use super::layout::{BlockLayout, BufferOwner};
use super::texts::TextColumns;
use crate::arrow::ipc::catalog::node;
use crate::arrow::ipc::message::{BatchHeader, HeaderVector};
use crate::formats::arrow::read::decode::too_large;

/// Bodies with smaller buffers on average are received as a whole and then copied, because a system call takes time for
/// each buffer.
const SCATTERED_FROM_NBYTES: usize = if cfg!(fuzzing) { 8 } else { 2 << 10 };

/// Smaller bodies are received as a whole. A fuzzer's inputs are small.
const WHOLE_BELOW_NBYTES: usize = if cfg!(fuzzing) { 256 } else { 64 << 10 };

/// The memory that receives a run of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentTarget {
    /// The bytes that are kept until the end.
    StreamBytes,
    /// A block.
    Block(usize),
    /// A text column.
    Text(usize),
    /// Padding, which is dropped.
    Padding,
}

/// A run of bytes of a body, and the offset that it is received at.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodySegment {
    pub(super) dest: SegmentTarget,
    pub(super) at: usize,
    pub(super) nbytes: usize,
}

/// The text of one column in a body: the position of its offsets in the kept bytes, and the number of its bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TextReceipt {
    pub(super) offsets_at: usize,
    pub(super) offsets_nbytes: usize,
    pub(super) stored: usize,
}

/// The plan for receiving one body.
#[derive(Debug, Default)]
pub(super) struct BodyPlan {
    pub(super) segments: Vec<BodySegment>,
    /// The text columns, in the order of the layout.
    pub(super) texts: Vec<TextReceipt>,
    /// The number of bytes of the body that are kept.
    pub(super) kept_nbytes: usize,
}

/// How a body is received.
pub(super) enum BodyReceipt {
    Segments(Vec<BodySegment>),
    Whole,
}

fn pair_at(head: &[u8], span: HeaderVector, i: usize) -> (i64, i64) {
    node(head.get(span.at..span.at + span.count * 16).unwrap_or(&[]), i)
}

pub(super) fn set_pair(head: &mut [u8], span: HeaderVector, i: usize, offset: usize, length: usize) {
    let at = span.at + i * 16;
    if let Some(place) = head.get_mut(at..at + 16) {
        let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX).to_le_bytes();
        let (first, second) = place.split_at_mut(8);
        first.copy_from_slice(&number(offset));
        second.copy_from_slice(&number(length));
    }
}

/// Returns what receives each buffer of a batch.
pub(super) fn owners(header: &BatchHeader, head: &[u8], layout: &BlockLayout) -> Result<Vec<BufferOwner>> {
    let words = head.get(header.variadic.at..header.variadic.at + header.variadic.count * 8).unwrap_or(&[]);
    let (words, _) = words.as_chunks::<8>();
    let mut owners = vec![BufferOwner::StreamBytes; header.buffers.count];
    // They are in the order of the fields, so the number of view columns before them grows.
    let (mut views, mut variadic) = (0, 0usize);
    for owned in &layout.owned {
        for word in words.get(views..owned.view.max(views)).unwrap_or(&[]) {
            let count = usize::try_from(i64::from_le_bytes(*word)).ok().and_then(|n| variadic.checked_add(n));
            variadic = count.filter(|&n| n <= header.buffers.count).ok_or_else(|| {
                Error::malformed(
                    "arrow",
                    "expected counts of view buffers, found others than there are buffers.",
                )
            })?;
        }
        views = owned.view.max(views);
        let slot = owners.get_mut(owned.buffer + variadic);
        *slot.ok_or_else(|| Error::malformed("arrow", "a field has no buffer."))? = owned.owner;
    }
    Ok(owners)
}

/// Plans a body that is received directly at its final position, and rewrites the buffer offsets in `head` to those of the
/// kept bytes, relative to `kept_at`. `None`: receiving the body as a whole is better.
///
/// # Errors
/// Malformed: a buffer is too short for its rows, or ends outside of the body.
pub(super) fn plan(
    header: &BatchHeader,
    head: &mut [u8],
    body_nbytes: usize,
    (layout, blocks, texts): (&BlockLayout, &Blocks, &TextColumns),
    first_row: usize,
    kept_at: usize,
) -> Result<Option<BodyPlan>> {
    let count = header.buffers.count;
    let small = body_nbytes < WHOLE_BELOW_NBYTES || body_nbytes / count.max(1) < SCATTERED_FROM_NBYTES;
    if header.codec.is_some() || small {
        return Ok(None);
    }
    let owners = owners(header, head, layout)?;
    let mut plan = BodyPlan::default();
    let mut at = 0;
    let skip = |plan: &mut BodyPlan, nbytes: usize| {
        if nbytes > 0 {
            plan.segments.push(BodySegment { dest: SegmentTarget::Padding, at: 0, nbytes });
        }
    };
    let mut places: Vec<(usize, usize)> = Vec::with_capacity(count);
    for (i, &owner) in owners.iter().enumerate() {
        let (offset, length) = pair_at(head, header.buffers, i);
        // The offset of an empty buffer means nothing.
        let start = if length == 0 { Ok(at) } else { usize::try_from(offset) };
        let (Ok(offset), Ok(length)) = (start, usize::try_from(length)) else {
            return Err(outside(i, offset, length, body_nbytes));
        };
        let end = offset.checked_add(length).filter(|&end| end <= body_nbytes);
        let end = end.ok_or_else(|| outside(i, offset, length, body_nbytes))?;
        if let BufferOwner::Text(_) = owner {
            let (offsets_at, offsets_nbytes) = places.last().map_or((0, 0), |&(at, n)| (kept_at + at, n));
            plan.texts.push(TextReceipt { offsets_at, offsets_nbytes, stored: length });
        }
        if length == 0 && !matches!(owner, BufferOwner::Block(_)) {
            places.push((0, 0));
            continue;
        }
        if offset < at {
            return Ok(None); // shared or out of order: allowed, though no known writer does it
        }
        skip(&mut plan, offset - at);
        at = end;
        match owner {
            BufferOwner::Text(column) => {
                let (dest, at) = (SegmentTarget::Text(column), texts.end(column));
                plan.segments.push(BodySegment { dest, at, nbytes: length });
                places.push((0, 0));
            }
            BufferOwner::Block(target) => {
                let target = blocks.targets.get(target).ok_or_else(too_large)?;
                let nbytes = header.nrows.checked_mul(target.item).ok_or_else(too_large)?;
                if length < nbytes {
                    return Err(short(i, nbytes, length));
                }
                let place = target.offset + first_row * target.item;
                plan.segments.push(BodySegment {
                    dest: SegmentTarget::Block(target.region),
                    at: place,
                    nbytes,
                });
                skip(&mut plan, length - nbytes);
                places.push((0, 0));
            }
            BufferOwner::StreamBytes => {
                let start = plan.kept_nbytes.next_multiple_of(64);
                plan.segments.push(BodySegment {
                    dest: SegmentTarget::StreamBytes,
                    at: kept_at + start,
                    nbytes: length,
                });
                plan.kept_nbytes = start + length;
                places.push((start, length));
            }
        }
    }
    skip(&mut plan, body_nbytes - at);
    for (i, (start, length)) in places.into_iter().enumerate() {
        set_pair(head, header.buffers, i, start, length);
    }
    Ok(Some(plan))
}

fn outside(i: usize, offset: impl std::fmt::Display, length: impl std::fmt::Display, nbytes: usize) -> Error {
    let message = format!(
        "buffer {i}: expected a range within the body of {nbytes} bytes, found {length} bytes at {offset}."
    );
    Error::malformed("arrow", message)
}

fn short(i: usize, needed: usize, found: usize) -> Error {
    let message =
        format!("buffer {i}: {needed} bytes are needed for its rows, found {found}. The bytes are damaged.");
    Error::malformed("arrow", message)
}
