//! Divides chunks into tasks: small chunks of several columns share a task, a large chunk is split at its pages.

use std::cmp::Reverse;

use crate::error::{Error, Result};
use crate::formats::parquet::page::PageType as PageKind;
use crate::memory::fence;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use super::super::page_decoder::{Job, Scratch};
use super::super::{ChunkDecoder, RowPiece};
use super::{FixedTarget, LEAST_NBYTES, Work};

/// The maximum size of a task, if there are chunks or pages to split at.
const MOST_NBYTES: usize = parallel::split_from(16 << 20);

/// The fixed cost of a chunk, expressed in bytes.
const CHUNK_NBYTES: usize = 1 << 10;

/// A map's pages are released after this many decoded bytes.
const RELEASE_NBYTES: usize = 256 << 10;

/// Rows of one column's chunk.
#[derive(Clone, Copy)]
struct ChunkRows<'p> {
    target: usize,
    pieces: &'p [RowPiece],
    nbytes: usize,
}

/// Returns how many of the pieces are of one row group, in its order, and adjacent in the result.
fn adjacent_pieces(pieces: &[RowPiece]) -> usize {
    let follows = |pair: &[RowPiece]| match pair {
        [a, b] => a.group == b.group && a.skip + a.nrows <= b.skip && a.at + a.nrows == b.at,
        _ => false,
    };
    pieces.windows(2).position(|pair| !follows(pair)).map_or(pieces.len(), |n| n + 1)
}

/// A part of a chunk: the offset of its first page, the values from there on, and its rows.
struct ChunkPart {
    at: usize,
    left: u64,
    skip: usize,
    nrows: usize,
    to: usize,
}

/// A contiguous range of the file that was decoded.
#[derive(Debug, Clone, Copy, Default)]
struct FileRange {
    start: u64,
    nbytes: usize,
}

impl FileRange {
    /// Extends the range by an adjacent chunk; another chunk replaces it.
    fn add(&mut self, (start, nbytes): (u64, usize)) {
        if self.nbytes > 0 && self.start + self.nbytes as u64 == start {
            self.nbytes += nbytes;
        } else {
            *self = Self { start, nbytes };
        }
    }
}

impl ChunkDecoder<'_> {
    pub(super) fn decode_all(
        &self,
        work: &Work<'_>,
        pieces: &[RowPiece],
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut units = Vec::with_capacity(work.targets.len() * pieces.len());
        let mut total = 0usize;
        let mut left = pieces;
        while !left.is_empty() {
            // The pages of one row group are walked once for all pieces.
            let (some, tail) = left.split_at(adjacent_pieces(left));
            left = tail;
            let nrows: usize = some.iter().map(|p| p.nrows).sum();
            for (t, target) in work.targets.iter().enumerate() {
                let nbytes = nrows * target.item + CHUNK_NBYTES;
                total = total.saturating_add(nbytes);
                units.push(ChunkRows { target: t, pieces: some, nbytes });
            }
        }
        let share = (total / (8 * self.threads.max(1))).clamp(LEAST_NBYTES, MOST_NBYTES);
        let few = units.len() < 4 * self.threads;
        let mut tasks: Vec<Task<'_>> = Vec::new();
        let mut rest = units.as_slice();
        while let Some(first) = rest.first() {
            if let (true, [piece], Some(target)) =
                (few && first.nbytes > 2 * share, first.pieces, work.targets.get(first.target))
            {
                rest = rest.get(1..).unwrap_or_default();
                for part in self.parts(target, piece, share)? {
                    let nbytes = part.nrows * target.item;
                    tasks.push(Task::new(nbytes, move || {
                        let decoded = work
                            .scratches
                            .with(|scratch| self.part(work, first.target, piece, &part, scratch));
                        decoded.map_err(|e| self.named(e, target.field, piece.group))?;
                        fence();
                        Ok(())
                    }));
                }
                continue;
            }
            let mut nbytes = 0;
            let count = rest.iter().position(|unit| {
                nbytes += unit.nbytes;
                nbytes >= share
            });
            let (some, tail) = rest.split_at(count.map_or(rest.len(), |c| c + 1));
            rest = tail;
            tasks.push(Task::new(nbytes, move || {
                let mut read = FileRange::default();
                work.scratches.with(|scratch| {
                    some.iter().try_for_each(|unit| {
                        read.add(self.unit(work, unit, scratch)?);
                        self.release(&mut read, RELEASE_NBYTES);
                        Ok::<(), Error>(())
                    })
                })?;
                self.release(&mut read, 1);
                fence();
                Ok(())
            }));
        }
        tasks.sort_by_key(|task| Reverse(task.nbytes));
        parallel::run(tasks, self.threads, progress)
    }

    /// Decodes a chunk and returns its range in the file.
    fn unit(&self, work: &Work<'_>, unit: &ChunkRows<'_>, scratch: &mut Scratch) -> Result<(u64, usize)> {
        let (Some(target), Some(piece)) = (work.targets.get(unit.target), unit.pieces.first()) else {
            return Ok((0, 0));
        };
        let decoded = (|| {
            let chunk = self.chunk(piece.group, target.leaf)?;
            let pages = self.pages(&chunk);
            let mut job = Job { dictionary: None, pages, pieces: unit.pieces, optional: target.optional };
            self.decode(work, unit.target, &mut job, scratch)?;
            Ok((chunk.base, chunk.bytes.len()))
        })();
        decoded.map_err(|e| self.named(e, target.field, piece.group))
    }

    /// Splits the rows of a chunk at its pages into parts of about `share` bytes.
    fn parts(&self, target: &FixedTarget, piece: &RowPiece, share: usize) -> Result<Vec<ChunkPart>> {
        let named = |e: Error| self.named(e, target.field, piece.group);
        let chunk = self.chunk(piece.group, target.leaf).map_err(named)?;
        let mut pages = self.pages(&chunk).unverified();
        let step = (share / target.item.max(1)).max(1);
        let (mut out, mut first) = (Vec::<ChunkPart>::new(), 0usize);
        let end = piece.skip + piece.nrows;
        while first < end {
            let (at, left) = pages.position();
            let Some(page) = pages.next_page().map_err(named)? else { break };
            if matches!(page.header.kind, PageKind::Dictionary { .. }) {
                continue;
            }
            let n = page.header.nvalues as usize;
            let (from, until) = (first.max(piece.skip), (first + n).min(end));
            if until > from {
                match out.last_mut() {
                    Some(last) if last.nrows < step => last.nrows += until - from,
                    _ => out.push(ChunkPart {
                        at,
                        left,
                        skip: from - first,
                        nrows: until - from,
                        to: piece.at + from - piece.skip,
                    }),
                }
            }
            first += n;
        }
        if first < end {
            let message =
                format!("its pages have {first} rows of {end}. The file is damaged; write it again.");
            return Err(named(Error::malformed("parquet", message)));
        }
        Ok(out)
    }

    fn part(
        &self,
        work: &Work<'_>,
        number: usize,
        piece: &RowPiece,
        part: &ChunkPart,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Some(target) = work.targets.get(number) else { return Ok(()) };
        let chunk = self.chunk(piece.group, target.leaf)?;
        let mut pages = self.pages(&chunk);
        // The dictionary page precedes all data pages.
        let first = pages.next_page()?;
        let dictionary = first.filter(|page| matches!(page.header.kind, PageKind::Dictionary { .. }));
        let pages = pages.from(part.at, part.left);
        let rows = [RowPiece { group: piece.group, skip: part.skip, nrows: part.nrows, at: part.to }];
        let mut job = Job { dictionary, pages, pieces: &rows, optional: target.optional };
        self.decode(work, number, &mut job, scratch)?;
        let mut read = FileRange::default();
        read.add((chunk.base + part.at as u64, job.pages.position().0.saturating_sub(part.at)));
        self.release(&mut read, 1);
        Ok(())
    }

    /// Releases decoded pages of a memory map once they are `least` bytes.
    fn release(&self, read: &mut FileRange, least: usize) {
        if read.nbytes >= least {
            self.file.source.release(read.start, read.nbytes);
            *read = FileRange::default();
        }
    }
}
