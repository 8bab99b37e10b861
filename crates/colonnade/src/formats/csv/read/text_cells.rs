//! Appends the cells of a text column to the column's memory.

use super::column::{CellSpans, CellWord, PieceColumn};
use super::normalize::NOWHERE;
use super::null_values::NullValue;
use super::rules::DialectRules;
use super::text::TextPiece;

/// Number of bytes copied at once. Most cells are shorter, and a copy of constant size needs no call.
const STRIDE: usize = 32;

/// Reads cells as text: rows `first..first + rows` of a piece, whose end offsets are `ends`. `at` is the offset of `bytes` in the
/// input. Returns whether the text is UTF-8, since the input may be unchecked, and a file may change.
pub(super) fn take_text(
    (rules, part): (&DialectRules, &mut PieceColumn),
    (bytes, at): (&[u8], usize),
    spans: impl CellSpans,
    (first, rows): (usize, usize),
    ends: &mut [CellWord],
    text: &mut TextPiece<'_>,
) -> bool {
    let Some((before, out)) = ends.get_mut(..first + rows).and_then(|ends| ends.split_at_mut_checked(first))
    else {
        return true;
    };
    // The text of a cell is never longer than its bytes in the input, so one check of the capacity covers all cells.
    let most = (0..rows).map(|row| spans.span(row)).fold(STRIDE, |sum, (start, end)| sum + (end - start));
    let Ok((base, room)) = text.room(most, at, before) else {
        part.full = true;
        return true;
    };
    let (used, split) = fill_text(rules, bytes, spans, first, (out, base), part, room);
    // Checks all cells at once, while they are in the cache. A cell that begins inside a character is invalid by itself.
    let valid = !split && room.get(..used).is_some_and(|text| simdutf8::basic::from_utf8(text).is_ok());
    text.commit(used);
    valid
}

/// Writes text into `room`, and the end offset of each cell, counted from `base`. Returns the number of bytes, and whether a cell
/// begins inside a character.
fn fill_text(
    rules: &DialectRules,
    bytes: &[u8],
    spans: impl CellSpans,
    first: usize,
    (out, base): (&mut [CellWord], usize),
    part: &mut PieceColumn,
    room: &mut [u8],
) -> (usize, bool) {
    let escaped = rules.escape.is_some();
    let (mut used, mut split) = (0, false);
    for (row, slot) in out.iter_mut().enumerate() {
        let (start, end) = spans.span(row);
        let length = end - start;
        let head = bytes.get(start).copied().unwrap_or(0);
        let target = room.get_mut(used..).unwrap_or_default();
        if length == 0 {
            if rules.null_values.empty_is_null() || start == NOWHERE {
                part.null(first + row);
            }
        } else if rules.quote == Some(head) || escaped || rules.null_values.may_be(head, length) {
            let nbytes =
                rare_text(rules, bytes.get(start..end).unwrap_or_default(), first + row, part, target);
            split |= nbytes > 0 && target.first().is_some_and(|byte| continues(*byte));
            used += nbytes;
        } else {
            split |= continues(head);
            let source = bytes.get(start..start + STRIDE).and_then(|s| s.first_chunk::<STRIDE>());
            match (source, target.first_chunk_mut::<STRIDE>()) {
                (Some(source), Some(target)) if length <= STRIDE => *target = *source,
                _ => copy(bytes.get(start..end).unwrap_or_default(), target),
            }
            used += length;
        }
        *slot = ((base + used) as u64).to_le_bytes();
    }
    (used, split)
}

/// Whether a byte continues a UTF-8 character.
#[inline(always)]
fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn copy(source: &[u8], target: &mut [u8]) {
    if let Some(target) = target.get_mut(..source.len()) {
        target.copy_from_slice(source);
    }
}

/// Writes a quoted text, or one that may be a null value. Returns the number of bytes.
#[inline(never)]
fn rare_text(
    rules: &DialectRules,
    raw: &[u8],
    row: usize,
    part: &mut PieceColumn,
    target: &mut [u8],
) -> usize {
    let text = rules.text(raw);
    if rules.null_value(&text) != NullValue::Other {
        part.null(row);
        return 0;
    }
    copy(&text.bytes, target);
    text.bytes.len()
}
