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
        let (start, end) = (byte_at(start), byte_at(end));
        let front = text.get(..start).unwrap_or("").trim_end_matches(' ');
        let indented = front.is_empty() || front.ends_with(['\n', '\r']);
        let start = source(if indented { front.len() } else { start });
        start..source(end)
    };
    document.values.iter().map(one).collect()
}
