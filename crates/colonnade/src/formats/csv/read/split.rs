//! Splits the input into pieces of whole lines, and counts the lines before each piece.

use super::fields::RareBytes;
use super::pass::LinePiece;
use super::prescan::{Prescan, prescan};
use super::rules::DialectRules;
use super::structural::SpecialBytes;
use super::tokenizer::Tokenizer;
use crate::error::Result;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

/// Size of a piece: large enough to make the cost per piece (a part of each column) small, small enough that threads finish
/// together.
const PIECE_NBYTES: std::ops::RangeInclusive<usize> =
    parallel::split_from(1 << 20)..=parallel::split_from(4 << 20);

/// Number of pieces per thread, within the limits of size.
const PIECES_A_THREAD: usize = 4;

/// Least size of a piece for each column.
const COLUMN_NBYTES: usize = parallel::split_from(256);

/// Size of a piece for an input of `nbytes` with `ncols` columns.
pub(super) fn piece_nbytes(nbytes: usize, ncols: usize, threads: usize) -> usize {
    #[cfg(test)]
    if let Some(nbytes) = TESTED.get() {
        return nbytes;
    }
    let fair = nbytes / (threads.max(1) * PIECES_A_THREAD);
    fair.clamp(*PIECE_NBYTES.start(), *PIECE_NBYTES.end()).max(ncols.saturating_mul(COLUMN_NBYTES))
}

/// Splits `bytes` from `body` on into pieces of about `nbytes` each.
pub(super) fn pieces(
    bytes: &[u8],
    body: usize,
    special: SpecialBytes,
    nbytes: usize,
    threads: usize,
    progress: &dyn Progress,
) -> Result<(Vec<LinePiece>, RareBytes)> {
    let rest = bytes.get(body..).unwrap_or_default();
    let chunks: Vec<&[u8]> = rest.chunks(nbytes.max(1)).collect();
    let mut prescans = vec![Prescan::default(); chunks.len()];
    let tasks = chunks.iter().zip(prescans.iter_mut()).map(|(chunk, out)| {
        Task::new(chunk.len(), move || {
            *out = prescan(chunk, special);
            Ok(())
        })
    });
    parallel::run(tasks.collect(), threads, &SignalsOnly(progress))?;

    let mut out: Vec<LinePiece> = Vec::with_capacity(chunks.len());
    let (mut inside, mut lines) = (false, 0);
    let mut found = RareBytes::default();
    let mut last_line = false;
    for (i, prescan) in prescans.iter().enumerate() {
        let at = body + i * nbytes.max(1);
        if i == 0 {
            out.push(LinePiece { start: body, end: bytes.len(), first_line: 0, lines: 0 });
        } else if let Some(last) = out.last_mut()
            && last.start <= at
            && !last_line
        {
            // A line belongs to the piece in which it begins. Chunks inside a long line are not scanned again.
            match first_line_end(bytes, at, inside, special) {
                Some(first) if first < bytes.len() => {
                    last.end = first;
                    out.push(LinePiece { start: first, end: bytes.len(), first_line: lines + 1, lines: 0 });
                }
                _ => last_line = true,
            }
        }
        lines += if inside { prescan.lines_inside } else { prescan.lines_outside };
        inside ^= prescan.odd_quotes;
        found.returns |= prescan.returns;
        found.nul |= prescan.nul;
    }
    let unended = rest.last().is_some_and(|last| *last != special.newline) || inside;
    let total = lines + usize::from(unended);
    let firsts: Vec<usize> = out.iter().skip(1).map(|p| p.first_line).chain([total]).collect();
    for (piece, next) in out.iter_mut().zip(firsts) {
        piece.lines = next.saturating_sub(piece.first_line);
    }
    Ok((out, found))
}

/// The offset after the first line end outside quotes from `at` on.
fn first_line_end(bytes: &[u8], at: usize, mut inside: bool, special: SpecialBytes) -> Option<usize> {
    // If a line ends directly before the chunk, this chunk begins with a line. That line still goes to the piece before, so that
    // line numbers need no special case.
    for (i, &byte) in bytes.get(at..)?.iter().enumerate() {
        if Some(byte) == special.quote {
            inside = !inside;
        } else if byte == special.newline && !inside {
            return Some(at + i + 1);
        }
    }
    None
}

/// Splits `bytes` into pieces byte by byte.
pub(super) fn pieces_bytewise(
    bytes: &[u8],
    body: usize,
    rules: &DialectRules,
    nbytes: usize,
    longest: usize,
) -> Vec<LinePiece> {
    let mut tokenizer = Tokenizer::default();
    let mut out = Vec::new();
    let (mut at, mut lines) = (body, 0);
    let mut piece = LinePiece { start: body, end: body, first_line: 0, lines: 0 };
    while at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let used = match tokenizer.lines(rest, rules, 4096, longest) {
            Ok(used) => used,
            Err(_) => {
                // The rows before the error are still read, because they may contain an earlier fault.
                piece.end = bytes.len();
                piece.lines += tokenizer.lines + 1;
                out.push(piece);
                return out;
            }
        };
        (at, lines) = (at + used, lines + tokenizer.lines);
        (piece.end, piece.lines) = (at, lines - piece.first_line);
        if piece.end - piece.start >= nbytes {
            out.push(piece);
            piece = LinePiece { start: at, end: at, first_line: lines, lines: 0 };
        }
    }
    if piece.end > piece.start {
        out.push(piece);
    }
    out
}

#[cfg(test)]
thread_local! {
    static TESTED: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// Runs `work` with smaller pieces, so that tests need no megabytes.
#[cfg(test)]
pub(super) fn with_pieces_of<T>(nbytes: usize, work: impl FnOnce() -> T) -> T {
    TESTED.set(Some(nbytes));
    let out = work();
    TESTED.set(None);
    out
}
