//! The byte ranges of a bundle's frames.

use std::ops::Range;

use super::nodes::Document;

/// Returns the byte range of each value of the root, from the start of its line if only blanks precede it.
///
/// Values are in document order, so that all ranges take one pass over the text.
pub(in crate::formats::yaml) fn extents(document: &Document<'_>) -> Vec<Range<usize>> {
    let text = document.text.as_str();
    let (mut chars, mut byte) = (0, 0);
    let mut byte_at = |at: usize| {
        let rest = text.get(byte..).unwrap_or("");
        let more = at.saturating_sub(chars);
        byte += rest.char_indices().nth(more).map_or(rest.len(), |(i, _)| i);
        chars += more;
        byte
    };
    let mut place = (0, usize::try_from(document.text.source().place(0).byte).unwrap_or(usize::MAX));
    let mut source = |at: usize| {
        place = (at, place.1.saturating_add(document.text.source().source_nbytes(place.0..at)));
        place.1
    };
    let one = |&(start, end): &(usize, usize)| {
        let (start, mut end) = (byte_at(start), byte_at(end));
        // A collection in block style ends where the next token starts, one in brackets with its bracket.
        end += usize::from(text.get(end..).is_some_and(|rest| rest.starts_with([']', '}'])));
        let line = text.get(..start).and_then(|front| front.rfind(['\n', '\r'])).map_or(0, |at| at + 1);
        let before = text.get(line..start).unwrap_or("").trim_start_matches(' ');
        // The parser places a sequence that is not indented behind its first dash.
        let is_dash = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
        let begins_line = before.is_empty() || before.strip_prefix('-').is_some_and(is_dash);
        let start = source(if begins_line { line } else { start });
        start..source(end)
    };
    document.values.iter().map(one).collect()
}
