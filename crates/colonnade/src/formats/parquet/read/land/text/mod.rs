//! Text and bytes of any length: offsets and values in Arrow's layout.
//!
//! Two passes: how many bytes each page's texts have, which a PLAIN page's size tells and a page of keys by the lengths of
//! what they name; then every page, in parallel, its bytes straight to where they stay. No page is kept in between.

mod cells;
mod dictionary;
mod front;
mod lengths;
mod out;
mod parts;
mod rows;
#[cfg(test)]
mod tests;
pub(super) mod views;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::landed::Landed;
use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::memory::{Buffer, Region, RegionMut, Scatter};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, Silent};

use super::strip::Strip;
use super::{Landing, Piece};
pub(super) use cells::Cells;
pub(super) use dictionary::{Dictionary, no_text};
pub(super) use out::Stop;
use out::{Offset, Out};
pub(super) use parts::{Part, Walked, walk};
pub(super) use rows::Rows;

/// A task of pages makes about so many bytes.
const TILE_NBYTES: usize = 4 << 20;

/// Columns are landed together while their dictionaries have no more bytes.
const HELD_NBYTES: u64 = 64 << 20;

/// Below this size regions take ordinary pages.
const SPARSE_BELOW_NBYTES: usize = 256 << 10;

/// A column that is being landed.
struct Column<'a> {
    strip: Strip<'a>,
    field: usize,
    text: bool,
    optional: bool,
    /// One a row group that is touched.
    walked: Vec<Walked<'a>>,
    parts: Vec<Part<'a>>,
    /// Bytes of its texts that the limits know of.
    charged: u64,
}

/// Where a column's rows go.
struct Room {
    ends: RegionMut,
    bytes: RegionMut,
    /// Whether offsets have 32 bits.
    narrow: bool,
}

/// Rooms that pages are decompressed in: few, and used again, since fresh memory costs more than what is done with it.
#[derive(Default)]
struct Rooms(Mutex<Vec<Vec<u8>>>);

impl Rooms {
    fn with<T>(&self, work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut room = self.lock().pop().unwrap_or_default();
        let out = work(&mut room);
        self.lock().push(room);
        out
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Landing<'a> {
    /// Lands the fields `wanted[i]` for `i` of `these`.
    pub(super) fn text(
        &self,
        wanted: &[usize],
        these: &[usize],
        pieces: &[Piece],
        landed: &mut Landed,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut strips = Vec::with_capacity(these.len());
        for &slot in these {
            strips.push(self.strip(slot, wanted.get(slot).copied().unwrap_or(0), pieces)?);
        }
        landed.columns.extend(self.texts(&strips, progress)?);
        Ok(())
    }

    /// The arrays of columns of text.
    pub(super) fn texts<'s>(
        &'s self,
        strips: &[Strip<'s>],
        progress: &dyn Progress,
    ) -> Result<Vec<(usize, ArrayData)>> {
        let mut columns = Vec::with_capacity(strips.len());
        for &strip in strips {
            let text = matches!(strip.data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
            let (field, optional) = (strip.field, strip.flat.optional);
            columns.push(Column {
                strip,
                field,
                text,
                optional,
                walked: Vec::new(),
                parts: Vec::new(),
                charged: 0,
            });
        }
        let (mut rest, mut out) = (columns.as_mut_slice(), Vec::with_capacity(strips.len()));
        while !rest.is_empty() {
            let mut held = 0u64;
            let some = rest.iter().position(|column| {
                held = held.saturating_add(self.dictionary_nbytes(&column.strip, column.strip.pieces));
                held > HELD_NBYTES
            });
            let (now, later) = rest.split_at_mut(some.unwrap_or(rest.len()).max(1));
            self.text_columns(now, &mut out, progress)?;
            rest = later;
        }
        Ok(out)
    }

    /// The most that the dictionary pages of a column have.
    fn dictionary_nbytes(&self, strip: &Strip<'_>, pieces: &[Piece]) -> u64 {
        let leaf = strip.leaf;
        let groups = pieces.chunk_by(|a, b| a.group == b.group).filter_map(|some| some.first());
        let chunks = groups.filter_map(|piece| self.chunk_of(piece.group, leaf).ok());
        // Writers end dictionaries at 1 MiB; a few at more.
        chunks.filter(|c| c.dictionary_at.is_some()).map(|c| c.nbytes.min(1 << 20)).sum()
    }

    fn text_columns<'s>(
        &'s self,
        columns: &mut [Column<'s>],
        landed: &mut Vec<(usize, ArrayData)>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let rooms = &Rooms::default();
        let silent = &Silent(progress);
        self.walk_columns(columns, silent)?;
        self.measure_columns(columns, rooms, false, silent)?;
        let exact = match self.fill_columns(columns, rooms, landed, progress)? {
            true => return Ok(()),
            false => true,
        };
        // A page was longer than its texts: sizes are not told by it, so all are looked at.
        self.measure_columns(columns, rooms, exact, silent)?;
        if self.fill_columns(columns, rooms, landed, progress)? {
            return Ok(());
        }
        let message =
            "a page's texts have another size each time they are read. Was the file written to meanwhile?";
        Err(Error::malformed("parquet", message))
    }

    /// Page headers and dictionaries, a task a chunk.
    fn walk_columns<'s>(&'s self, columns: &mut [Column<'s>], progress: &dyn Progress) -> Result<()> {
        let groups = |column: &Column<'s>| column.strip.pieces.chunk_by(|a, b| a.group == b.group);
        let mut tasks = Vec::new();
        for column in columns.iter() {
            let (strip, text) = (column.strip, column.text);
            for (k, some) in groups(column).enumerate() {
                let group = some.first().map_or(0, |p| p.group);
                let nbytes = self.dictionary_nbytes(&strip, some);
                tasks.push((usize::try_from(nbytes).unwrap_or(0), move || {
                    let mut pages =
                        self.pages_of(&strip, group).map_err(|e| self.named(e, strip.field, group))?;
                    let make = |page: &[u8], n: usize| Dictionary::new(page, n, text);
                    let walked =
                        walk(&mut pages, some, k, &make, &|n| self.charge(n, "dictionaries of texts"));
                    walked.map_err(|e| self.named(e, strip.field, group))
                }));
            }
        }
        let mut walked = parallel::gather(tasks, self.threads, progress)?.into_iter();
        for column in columns {
            let ngroups = groups(column).count();
            column.walked = walked.by_ref().take(ngroups).collect();
            column.parts = column.walked.iter_mut().flat_map(|w| std::mem::take(&mut w.parts)).collect();
        }
        Ok(())
    }

    /// How many bytes the texts of each page have, and where they go.
    fn measure_columns(
        &self,
        columns: &mut [Column<'_>],
        rooms: &Rooms,
        exact: bool,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut tasks = Vec::new();
        for column in columns.iter_mut() {
            let Column { field, optional, walked, parts, .. } = column;
            let (field, optional, walked) = (*field, *optional, &*walked);
            for tile in tiles(parts, |part| part.page.header.nbytes) {
                let nbytes = tile.iter().map(|p| p.page.header.nbytes).sum();
                tasks.push(Task::new(nbytes, move || {
                    rooms.with(|scratch| {
                        for part in tile {
                            let dictionary = walked.get(part.chunk).and_then(|w| w.dictionary.as_ref());
                            let nbytes = part.measure(optional, dictionary, exact, scratch);
                            part.nbytes = nbytes.map_err(|e| self.named(e, field, 0))?;
                        }
                        Ok(())
                    })
                }));
            }
        }
        parallel::run(tasks, self.threads, progress)?;
        let limit = self.file.options.limits.max_nbytes;
        for column in columns {
            let mut total = 0usize;
            for part in &mut column.parts {
                part.base = total;
                total = total.saturating_add(part.nbytes);
            }
            if total as u64 > limit {
                let message = format!(
                    "texts of {total} bytes, over the limit of {limit}. Raise max_nbytes to read them."
                );
                return Err(self.named(Error::limit("parquet", message), column.field, 0));
            }
            let more = (total as u64).saturating_sub(column.charged);
            column.charged += more;
            let what = format!("the columns up to this one, of {} texts,", column.strip.nrows);
            self.charge(more, &what).map_err(|e| self.named(e, column.field, 0))?;
        }
        Ok(())
    }

    /// Fills and keeps the columns; `false` where a page has other sizes than told.
    fn fill_columns(
        &self,
        columns: &mut [Column<'_>],
        scratches: &Rooms,
        landed: &mut Vec<(usize, ArrayData)>,
        progress: &dyn Progress,
    ) -> Result<bool> {
        let mut rooms: Vec<Room> = columns.iter().map(|c| self.room(c)).collect::<Result<_>>()?;
        let surprised = AtomicBool::new(false);
        let (mut tasks, mut ntiles) = (Vec::new(), Vec::with_capacity(columns.len()));
        for (column, room) in columns.iter_mut().zip(&mut rooms) {
            let narrow = room.narrow;
            let (ends, bytes) = (Scatter::new(&mut room.ends), Scatter::new(&mut room.bytes));
            let Column { field, optional, walked, parts, text, .. } = column;
            let (field, optional, text, walked) = (*field, *optional, *text, &*walked);
            let tiles = tiles(parts, |part| part.nbytes + part.nrows * 8);
            ntiles.push(tiles.len());
            for tile in tiles {
                let nbytes = tile.iter().map(|p| p.nbytes + p.nrows * 8).sum();
                let surprised = &surprised;
                tasks.push((nbytes, move || {
                    let mut validity = Validity::default();
                    scratches.with(|scratch| -> Result<()> {
                        for part in tile.iter() {
                            let dictionary = walked.get(part.chunk).and_then(|w| w.dictionary.as_ref());
                            let known = (optional, text, dictionary);
                            let done = if narrow {
                                fill_part::<4>(part, known, scratch, &mut validity, ends, bytes)
                            } else {
                                fill_part::<8>(part, known, scratch, &mut validity, ends, bytes)
                            };
                            match done {
                                Ok(()) => {}
                                Err(Stop::Full) => surprised.store(true, Ordering::Relaxed),
                                Err(Stop::Error(e)) => return Err(self.named(e.at(part.page.at), field, 0)),
                            }
                        }
                        Ok(())
                    })?;
                    Ok(validity)
                }));
            }
        }
        let mut validities = parallel::gather(tasks, self.threads, progress)?.into_iter();
        if surprised.into_inner() {
            return Ok(false);
        }
        for ((column, room), ntiles) in columns.iter_mut().zip(rooms).zip(ntiles) {
            let validities: Vec<Validity> = validities.by_ref().take(ntiles).collect();
            let nulls = if column.optional { joined(validities, column.strip.nrows) } else { None };
            let data = array(column.strip.data_type, room, nulls, column.strip.nrows)?;
            landed.push((column.strip.i, data));
            column.walked = Vec::new();
        }
        Ok(true)
    }

    fn room(&self, column: &Column<'_>) -> Result<Room> {
        let total = column.parts.iter().map(|p| p.nbytes).sum::<usize>();
        let small = matches!(column.strip.data_type, DataType::Utf8 | DataType::Binary);
        // 32-bit offsets that no longer reach become 64-bit ones.
        let narrow = small && i32::try_from(total).is_ok();
        let width = if narrow { 4 } else { 8 };
        let nbytes = column.strip.nrows.checked_add(1).and_then(|n| n.checked_mul(width));
        let nbytes = nbytes.ok_or_else(|| Error::too_large("parquet"))?;
        let mut ends = Region::allocate(nbytes, nbytes < SPARSE_BELOW_NBYTES)?;
        if let Some(first) = ends.as_mut_slice().get_mut(..width) {
            first.fill(0);
        }
        Ok(Room { ends, bytes: Region::allocate(total, total < SPARSE_BELOW_NBYTES)?, narrow })
    }
}

fn fill_part<const N: usize>(
    part: &Part<'_>,
    (optional, text, dictionary): (bool, bool, Option<&Dictionary>),
    scratch: &mut Vec<u8>,
    validity: &mut Validity,
    ends: Scatter<'_>,
    bytes: Scatter<'_>,
) -> std::result::Result<(), Stop>
where
    [u8; N]: Offset,
{
    // SAFETY: each part has rows of its own (their ends stand behind the first offset), and bytes of its own.
    let rooms =
        unsafe { (ends.range((part.at + 1) * N, part.nrows * N), bytes.range(part.base, part.nbytes)) };
    let (Some(ends), Some(bytes)) = rooms else { return Err(Error::too_large("parquet").into()) };
    let mut out = Out::new(ends.as_chunks_mut::<N>().0, bytes, part.base);
    let keyed = part.fill(optional, dictionary, scratch, &mut out, &mut |rows| match rows {
        Rows::Same(valid, n) => validity.push_same(valid, n),
        Rows::Mixed(mask, n) => validity.push(mask, n),
    })?;
    if !out.is_full() {
        return Err(Stop::Full);
    }
    if text && !keyed {
        out.utf8().map_err(|k| no_text("row", part.at + k))?;
    }
    Ok(())
}

/// Parts that make about [`TILE_NBYTES`] together, as many tiles as that makes.
fn tiles<'t, 'a>(parts: &'t mut [Part<'a>], size: impl Fn(&Part<'a>) -> usize) -> Vec<&'t mut [Part<'a>]> {
    let (mut out, mut rest) = (Vec::new(), parts);
    while !rest.is_empty() {
        let mut nbytes = 0usize;
        let enough = rest.iter().position(|part| {
            nbytes = nbytes.saturating_add(size(part));
            nbytes >= TILE_NBYTES
        });
        let (tile, later) = rest.split_at_mut(enough.map_or(rest.len(), |k| k + 1));
        out.push(tile);
        rest = later;
    }
    out
}

/// The validity of rows that follow each other; `None` where all have a value.
pub(super) fn joined(parts: Vec<Validity>, nrows: usize) -> Option<NullBuffer> {
    if parts.iter().all(|part| part.nulls == 0) {
        return None;
    }
    let mut all = Validity::default();
    for part in &parts {
        let mut left = part.len();
        for word in part.words() {
            let now = left.min(64);
            all.push(*word, now);
            left -= now;
        }
    }
    let bytes: Vec<u8> = all.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    let bits = BooleanBuffer::new(arrow_buffer::Buffer::from_vec(bytes), 0, nrows.min(all.len()));
    Some(NullBuffer::new(bits))
}

fn array(data_type: &DataType, room: Room, nulls: Option<NullBuffer>, nrows: usize) -> Result<ArrayData> {
    let Room { ends, bytes, narrow } = room;
    let ends = Buffer::from_region(ends.finish(), true).to_arrow();
    let bytes = Buffer::from_region(bytes.finish(), true).to_arrow();
    let data_type = match data_type {
        DataType::Utf8View | DataType::BinaryView => {
            return views::array(data_type, ends.as_slice(), &bytes, nulls, nrows);
        }
        DataType::Utf8 if !narrow => DataType::LargeUtf8,
        DataType::Binary if !narrow => DataType::LargeBinary,
        same => same.clone(),
    };
    let builder = ArrayDataBuilder::new(data_type).len(nrows).nulls(nulls).add_buffer(ends).add_buffer(bytes);
    // SAFETY: every page's rows were filled, each end behind the one before and none behind the bytes; texts are UTF-8.
    Ok(unsafe { builder.build_unchecked() })
}
