//! Cuts sections of rows into pieces, which several threads write and one sink receives in order.

use std::ops::Range;

use crate::error::Result;
use crate::parallel;
use crate::progress::Progress;
use crate::sink::Sink;

/// The target size of a piece: it fits the caches together with its columns.
const PIECE_NBYTES: usize = 256 << 10;

/// The minimum rows of a piece, unless it would exceed [`WIDE_NBYTES`]: neighbours in a column share cache lines.
const PIECE_ROWS: usize = 16;

/// The maximum bytes of a piece of a wide frame.
const WIDE_NBYTES: usize = 4 << 20;

/// Rows with an opening and a closing text.
pub trait TextSection: Send + Sync {
    /// Returns the number of rows.
    fn nrows(&self) -> usize;

    /// Returns the approximate bytes of a row, which only affect the size of pieces.
    fn row_nbytes(&self) -> usize;

    /// Returns the bytes before the first row.
    fn opening(&self) -> &[u8];

    /// Appends rows with the separators between them.
    ///
    /// # Errors
    /// `Unrepresentable`: a value that the format cannot hold, with the name of its column.
    fn write(&self, rows: Range<usize>, out: &mut Vec<u8>) -> Result<()>;

    /// Returns the bytes after the last row.
    fn closing(&self) -> &[u8];
}

/// Rows of one section.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SectionSpan {
    section: usize,
    rows: Range<usize>,
}

/// A function that converts the bytes of a piece before output, for example to another encoding. It is called for pieces in
/// any order.
pub type FinishPiece<'f> = &'f (dyn Fn(&mut Vec<u8>) -> Result<()> + Sync);

/// Writes sections one after the other.
///
/// # Errors
/// As [`TextSection::write`]; the sink's own; `Cancelled` of `progress`.
pub fn write(
    sections: &[Box<dyn TextSection + '_>],
    threads: usize,
    finish: Option<FinishPiece<'_>>,
    sink: &mut dyn Sink,
    progress: &dyn Progress,
) -> Result<()> {
    let sizes: Vec<(usize, usize)> = sections.iter().map(|s| (s.nrows(), s.row_nbytes())).collect();
    let (spans, pieces) = divide(&sizes);
    let make = |i: usize, out: &mut Vec<u8>| {
        out.clear();
        let spans = pieces.get(i).and_then(|piece| spans.get(piece.clone())).unwrap_or(&[]);
        for span in spans {
            let Some(section) = sections.get(span.section) else { continue };
            if span.rows.start == 0 {
                out.extend_from_slice(section.opening());
            }
            section.write(span.rows.clone(), out)?;
            if span.rows.end == section.nrows() {
                out.extend_from_slice(section.closing());
            }
        }
        finish.map_or(Ok(()), |finish| finish(out))
    };
    let mut done = 0;
    let mut take = |piece: &mut Vec<u8>| {
        sink.write(piece)?;
        done += piece.len() as u64;
        progress.advance(done, None)
    };
    parallel::ordered(pieces.len(), threads, &make, &mut take, progress)?;
    progress.advance(done, Some(done))
}

/// Divides sections into spans, and spans into pieces. Each section has at least one span, so that its opening and closing
/// are written.
fn divide(sections: &[(usize, usize)]) -> (Vec<SectionSpan>, Vec<Range<usize>>) {
    let mut spans = Vec::new();
    let mut pieces = Vec::new();
    let (mut first, mut nbytes) = (0, 0usize);
    for (section, &(nrows, row_nbytes)) in sections.iter().enumerate() {
        let row_nbytes = row_nbytes.max(1);
        let fitting = (PIECE_NBYTES / row_nbytes).max(PIECE_ROWS.min(WIDE_NBYTES / row_nbytes)).max(1);
        let mut start: usize = 0;
        loop {
            let room = PIECE_NBYTES.saturating_sub(nbytes) / row_nbytes;
            let count = if nbytes == 0 { fitting } else { room.clamp(1, fitting) };
            let stop = nrows.min(start.saturating_add(count));
            spans.push(SectionSpan { section, rows: start..stop });
            nbytes += (stop - start).saturating_mul(row_nbytes) + 64;
            if nbytes >= PIECE_NBYTES || stop < nrows {
                pieces.push(first..spans.len());
                (first, nbytes) = (spans.len(), 0);
            }
            start = stop;
            if start == nrows {
                break;
            }
        }
    }
    if first < spans.len() {
        pieces.push(first..spans.len());
    }
    (spans, pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::NoProgress;

    struct NumberSection {
        nrows: usize,
        row_nbytes: usize,
    }

    impl TextSection for NumberSection {
        fn nrows(&self) -> usize {
            self.nrows
        }

        fn row_nbytes(&self) -> usize {
            self.row_nbytes
        }

        fn opening(&self) -> &[u8] {
            b"["
        }

        fn write(&self, rows: Range<usize>, out: &mut Vec<u8>) -> Result<()> {
            rows.for_each(|row| out.extend(format!("{row};").bytes()));
            Ok(())
        }

        fn closing(&self) -> &[u8] {
            b"]"
        }
    }

    #[test]
    fn sections_of_any_size_are_written_whole() {
        let sizes = [(0, 1), (1, 1 << 30), (70_000, 10), (0, 5), (3, 1), (40, 100_000), (2, 200_000), (0, 0)];
        let sections: Vec<Box<dyn TextSection>> = sizes
            .iter()
            .map(|&(nrows, row_nbytes)| Box::new(NumberSection { nrows, row_nbytes }) as Box<dyn TextSection>)
            .collect();
        let mut expected = String::new();
        for (nrows, _) in sizes {
            let rows: String = (0..nrows).map(|row| format!("{row};")).collect();
            expected += &format!("[{rows}]");
        }
        for threads in [1, 3] {
            let mut out = Vec::new();
            write(&sections, threads, None, &mut out, &NoProgress).unwrap();
            assert_eq!(out, expected.as_bytes());
        }
        let (spans, pieces) = divide(&sizes);
        assert_eq!(pieces.iter().map(Range::len).sum::<usize>(), spans.len());
        assert!(pieces.len() > 5);
    }

    #[test]
    fn many_small_sections_share_pieces() {
        let (spans, pieces) = divide(&[(5, 10); 10_000]);
        assert_eq!(spans.len(), 10_000);
        assert!(pieces.len() < 20, "{}", pieces.len());
    }
}
