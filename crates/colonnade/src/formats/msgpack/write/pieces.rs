//! Splits sections into pieces of rows, which are measured first and then written by several threads.

use std::ops::Range;

use crate::cells::msgpack::column::changed;
use crate::error::Result;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{NoProgress, Progress};
use crate::sink::Sink;

use super::section::RowSection;

/// The target size of a piece, which fits the caches together with its columns.
const PIECE_NBYTES: usize = 256 << 10;

/// The number of pieces for each thread in one batch of writes.
const PIECES_A_THREAD: usize = 4;

/// The number of rows of the first piece, before the width of a row is known.
const FIRST_ROWS: usize = 256;

#[derive(Debug)]
struct SectionPiece {
    section: usize,
    rows: Range<usize>,
    /// Includes the section's opening bytes, for the first piece.
    nbytes: usize,
}

/// Measured rows that are not written yet.
pub struct Pieces<'a> {
    sections: Vec<RowSection<'a>>,
    pieces: Vec<SectionPiece>,
    nbytes: u64,
}

impl<'a> Pieces<'a> {
    /// Measures all sections.
    ///
    /// # Errors
    /// `Unrepresentable`: a value that MessagePack cannot hold, with the name of its column.
    pub fn of(sections: Vec<RowSection<'a>>) -> Result<Self> {
        let mut pieces = Vec::new();
        for (section, rows) in sections.iter().enumerate() {
            cut(section, rows, &mut pieces)?;
        }
        let nbytes = pieces.iter().map(|piece| piece.nbytes as u64).sum();
        Ok(Self { sections, pieces, nbytes })
    }

    /// Writes everything, a few pieces in one step.
    ///
    /// # Errors
    /// Errors of the sink; `Cancelled` from `progress`; data that changed after the measurement.
    pub fn write(&self, threads: usize, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        let threads = threads.max(1);
        let at_once = if threads == 1 { 1 } else { threads * PIECES_A_THREAD };
        let mut buffer = Vec::new();
        let mut done = 0;
        for some in self.pieces.chunks(at_once) {
            let nbytes = some.iter().map(|piece| piece.nbytes).sum();
            if let Some(place) = sink.place(nbytes)? {
                self.fill_all(some, place, threads)?;
            } else {
                buffer.resize(nbytes, 0);
                self.fill_all(some, &mut buffer, threads)?;
                sink.write(&buffer)?;
            }
            done += nbytes as u64;
            progress.advance(done, Some(self.nbytes))?;
        }
        Ok(())
    }

    fn fill_all(&self, some: &[SectionPiece], mut out: &mut [u8], threads: usize) -> Result<()> {
        let mut tasks = Vec::with_capacity(some.len());
        for piece in some {
            let (place, rest) = out.split_at_mut_checked(piece.nbytes).ok_or_else(changed)?;
            out = rest;
            tasks.push(Task::new(piece.nbytes, move || self.fill(piece, place)));
        }
        parallel::run(tasks, threads, &NoProgress)
    }

    fn fill(&self, piece: &SectionPiece, mut out: &mut [u8]) -> Result<()> {
        let section = self.sections.get(piece.section).ok_or_else(changed)?;
        if piece.rows.start == 0 {
            let (place, rest) = out.split_at_mut_checked(section.opening.len()).ok_or_else(changed)?;
            place.copy_from_slice(&section.opening);
            out = rest;
        }
        section.write(piece.rows.clone(), out)
    }
}

/// Splits a section into pieces of the target size; a longer row is a piece by itself.
fn cut(section: usize, rows: &RowSection<'_>, pieces: &mut Vec<SectionPiece>) -> Result<()> {
    let mut start = 0;
    let mut count = FIRST_ROWS;
    loop {
        let stop = rows.nrows.min(start + count);
        let nbytes = rows.measure(start..stop)?;
        let length = stop - start;
        let fitting = length.saturating_mul(PIECE_NBYTES).checked_div(nbytes).unwrap_or(length).max(1);
        if nbytes > 2 * PIECE_NBYTES && fitting < length {
            count = fitting;
            continue;
        }
        let opening = if start == 0 { rows.opening.len() } else { 0 };
        pieces.push(SectionPiece { section, rows: start..stop, nbytes: opening + nbytes });
        if stop == rows.nrows {
            return Ok(());
        }
        (start, count) = (stop, fitting);
    }
}
