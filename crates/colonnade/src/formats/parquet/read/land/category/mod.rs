//! Dictionary pages straight to the codes of categoricals.
//!
//! The dictionaries of all chunks become one, and each page's keys the codes of that one. Pages of values, which writers fall
//! back to where a dictionary grows too large, have a dictionary made of them first.

mod merge;
#[cfg(test)]
mod tests;
mod unused;
mod values;

use std::collections::HashMap;

use arrow_data::transform::MutableArrayData;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::trusted::trusted_array;
use crate::decode::Layout;
use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::formats::parquet::page::Kind;
use crate::formats::parquet::types::Physical;
use crate::memory::{Buffer, Region, Scatter};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

use super::super::conversion::Flat;
use super::strip::Strip;
use super::text::{Dictionary, Part, Rows, Stop, joined, no_text, validity, walk};
use super::{Landing, Piece};
use merge::Merged;

/// Below this size regions take ordinary pages.
const SPARSE_BELOW_NBYTES: usize = 256 << 10;

/// The code of a row that is null.
const NULL: u32 = u32::MAX;

/// A page of values with the dictionary that was made of it.
#[derive(Default)]
struct Made {
    dictionary: Dictionary,
    codes: Vec<u32>,
}

/// The number of the map of a chunk without a dictionary.
const NO_MAP: usize = usize::MAX;

/// A part, and where its keys are explained: the number of a map.
struct Coded<'a> {
    part: Part<'a>,
    map: usize,
    /// Keys in the dictionary of their own; none where the page has the keys itself.
    codes: Option<Vec<u32>>,
}

impl Coded<'_> {
    /// Writes the codes of the wanted rows to their place, of `N` bytes each; answers which rows have a value, `None` where all
    /// have.
    fn fill<const N: usize>(
        &self,
        map: Option<&[u32]>,
        optional: bool,
        room: Scatter<'_>,
    ) -> Result<Option<Validity>> {
        // SAFETY: each part has rows of its own.
        let room = unsafe { room.range(self.part.at * N, self.part.nrows * N) };
        let out = room.ok_or_else(|| Error::too_large("parquet"))?.as_chunks_mut::<N>().0;
        // Cut to `N` bytes once: rows are many more than codes.
        let cut = |code: &u32| {
            let mut word = [0u8; N];
            word.iter_mut().zip(code.to_le_bytes()).for_each(|(to, from)| *to = from);
            word
        };
        let words: Vec<[u8; N]> = map.unwrap_or_default().iter().map(cut).collect();
        let code = |key: u32| words.get(key as usize).copied().unwrap_or([0; N]);
        let Some(keys) = &self.codes else {
            let (n, mut scratch) = (map.map(<[u32]>::len), Vec::new());
            return self.part.codes(n, code, [0; N], optional, &mut scratch, out);
        };
        let mut validity = Validity::default();
        for (to, key) in out.iter_mut().zip(keys) {
            validity.push(u64::from(*key != NULL), 1);
            *to = code(*key);
        }
        Ok(Some(validity))
    }
}

impl<'a> Landing<'a> {
    /// Lands the fields `wanted[i]` for `i` of `these`.
    pub(super) fn category(
        &self,
        wanted: &[usize],
        these: &[usize],
        pieces: &[Piece],
        landed: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        for &slot in these {
            let field = wanted.get(slot).copied().unwrap_or(0);
            let strip = self.strip(slot, field, pieces)?;
            landed.columns.push((slot, self.category_column(&strip, progress)?));
        }
        Ok(())
    }

    /// Some rows of a frame's column whose pages hold values: its categories are those of all rows, in the order in which they
    /// come up, so that all are landed. `None` where dictionary pages say the categories.
    fn part_of_all(&self, strip: &Strip<'_>, progress: &dyn Progress) -> Result<Option<ArrayData>> {
        let (file, field, leaf, pieces) = (self.file, strip.field, strip.leaf, strip.pieces);
        let (mut all, mut starts, mut at) = (Vec::new(), Vec::new(), 0usize);
        for (group, about) in file.groups.iter().enumerate() {
            let nrows = usize::try_from(about.nrows).map_err(|_| Error::too_large("parquet"))?;
            starts.push(at);
            all.push(Piece { group, skip: 0, nrows, at });
            at = at.checked_add(nrows).ok_or_else(|| Error::too_large("parquet"))?;
        }
        all.retain(|piece| piece.nrows > 0);
        let wanted: usize = pieces.iter().map(|p| p.nrows).sum();
        if self.layout == Layout::Arrow || wanted == at {
            return Ok(None);
        }
        for piece in pieces {
            let first = self.chunk(piece.group, leaf).and_then(|chunk| self.pages(&chunk).next_page());
            let first = first.map_err(|e| self.named(e, field, piece.group))?;
            if first.is_some_and(|page| matches!(page.header.kind, Kind::Dictionary { .. })) {
                return Ok(None);
            }
        }
        file.need(&[field], &all, progress)?;
        let landing = Landing::new(file, at, self.threads, self.layout);
        landing.add_cells(at as u64);
        let column = landing.category_column(&landing.strip(strip.i, field, &all)?, progress)?;
        let mut out = MutableArrayData::new(vec![&column], column.nulls().is_some(), wanted);
        for piece in pieces {
            let start = starts.get(piece.group).copied().unwrap_or(0) + piece.skip;
            let done = out.try_extend(0, start, start + piece.nrows);
            done.map_err(|e| Error::malformed("parquet", format!("{e}.")))?;
        }
        Ok(Some(out.freeze()))
    }

    /// The codes of a column, and their dictionary.
    ///
    /// # Errors
    /// Malformed pages.
    pub(super) fn category_column<'s>(
        &'s self,
        strip: &Strip<'s>,
        progress: &dyn Progress,
    ) -> Result<ArrayData> {
        let Strip { field, flat, pieces, nrows, .. } = *strip;
        let DataType::Dictionary(key_type, value_type) = strip.data_type else {
            return Err(Error::unsupported("parquet", "a column without codes as one of codes."));
        };
        // Of a whole column the file's metadata may say the dictionary, and others' rows what all categories are.
        let whole = strip.listed.is_none();
        let kept = if whole { self.kept_values(self.field(field)?) } else { Ok(None) };
        let named = |e: Error| self.named(e, field, pieces.first().map_or(0, |p| p.group));
        let kept = kept.map_err(named)?;
        if pieces.is_empty()
            && let Some(values) = &kept
        {
            let empty = ArrayData::builder(strip.data_type.clone());
            let empty =
                empty.add_buffer(arrow_buffer::Buffer::default()).add_child_data(values.clone()).build();
            return empty.map_err(|e| named(Error::malformed("parquet", format!("{e}."))));
        }
        // No rows are wanted: the categories stand in front of any row.
        let first = self.file.groups.iter().position(|group| group.nrows > 0);
        if let Some(group) = first.filter(|_| pieces.is_empty() && whole) {
            let one = [Piece { group, skip: 0, nrows: 1, at: 0 }];
            self.file.need(&[field], &one, progress)?;
            let landing = Landing::new(self.file, 1, 1, self.layout);
            let column = landing.category_column(&landing.strip(strip.i, field, &one)?, progress)?;
            return Ok(column.slice(0, 0));
        }
        if whole && let Some(part) = self.part_of_all(strip, progress)? {
            return Ok(part);
        }
        let (coded, merged) = self.keyed(strip, is_text(value_type), &SignalsOnly(progress))?;
        let Merged { values, mut maps } = merged;
        let mut values = values::array(value_type, flat.way, &values).map_err(named)?;
        if let Some(kept) = kept
            && let Some(places) = values::among(&kept, &values)
        {
            values = kept;
            for code in maps.iter_mut().flatten() {
                *code = places.get(*code as usize).copied().unwrap_or(0);
            }
        }
        // Of text that is asked for as a categorical no type of codes was said.
        let asked = whole && self.file.options.categories.contains(self.field(field)?.name());
        // Batches must not differ.
        let is_narrow = asked && self.layout != Layout::Arrow && **key_type == DataType::Int32;
        let key_type = if is_narrow { &DataType::Int8 } else { &**key_type };
        let key_type = wide_enough(key_type, values.len()).map_err(named)?;
        let width = key_type.primitive_width().unwrap_or(4);
        let nbytes = nrows.checked_mul(width).ok_or_else(|| Error::too_large("parquet"))?;
        self.charge(nbytes as u64, "the codes of categorical columns").map_err(named)?;
        let mut codes = Region::allocate(nbytes, nbytes < SPARSE_BELOW_NBYTES)?;
        let (room, optional, maps) = (Scatter::new(&mut codes), flat.optional, &maps);
        let tasks = coded.iter().map(|coded| {
            let work = move || {
                let map = maps.get(coded.map).map(Vec::as_slice);
                let done = match width {
                    1 => coded.fill::<1>(map, optional, room),
                    2 => coded.fill::<2>(map, optional, room),
                    4 => coded.fill::<4>(map, optional, room),
                    _ => coded.fill::<8>(map, optional, room),
                };
                done.map_err(|e| self.named(e.at(coded.part.page.at), field, 0))
            };
            (coded.part.nrows * width, work)
        });
        let found = parallel::map(tasks.collect(), self.threads, progress)?;
        let found = found.iter().zip(&coded).map(|(bits, coded)| (bits.as_ref(), coded.part.nrows));
        let nulls = joined(found, nrows);
        let data_type = DataType::Dictionary(Box::new(key_type), value_type.clone());
        let builder = ArrayDataBuilder::new(data_type).len(nrows).nulls(nulls);
        let builder =
            builder.add_buffer(Buffer::from_region(codes.finish(), true).to_arrow()).add_child_data(values);
        // Trusted: every row has a code, each from a map whose entries are all keys of `values`; of nulls it is 0.
        Ok(trusted_array(builder))
    }

    /// The wanted rows of all chunks, and the dictionary of them all.
    fn keyed<'s>(
        &'s self,
        strip: &Strip<'s>,
        text: bool,
        progress: &dyn Progress,
    ) -> Result<(Vec<Coded<'s>>, Merged)> {
        let Strip { field, flat, pieces, .. } = *strip;
        let (flat, strip) = (&flat, *strip);
        let make = |page: &[u8], n: usize| match flat.physical {
            Physical::Bytes => Dictionary::new(page, n, text),
            Physical::Boolean => Err(Error::malformed("parquet", "a dictionary page of bools.")),
            Physical::Int32 | Physical::Float => Dictionary::fixed(page, n, 4),
            Physical::Int64 | Physical::Double => Dictionary::fixed(page, n, 8),
            Physical::Int96 => Dictionary::fixed(page, n, 12),
            Physical::Fixed(width) => Dictionary::fixed(page, n, width as usize),
        };
        // Within lists and structs there need not be a value.
        if pieces.is_empty()
            && strip.listed.is_some()
            && let Some(dictionary) = self.unused(&strip, &make)?
        {
            return Ok((Vec::new(), Merged::new(vec![dictionary])?));
        }
        let groups: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.group == b.group).collect();
        let tasks = groups.iter().enumerate().map(|(k, some)| {
            let group = some.first().map_or(0, |p| p.group);
            let make = &make;
            let work = move || {
                let named = |e: Error| self.named(e, field, group);
                let mut pages = self.pages_of(&strip, group).map_err(named)?;
                let charge = |n: u64| self.charge(n, "the values of categorical columns");
                walk(&mut pages, some, k, make, &charge).map_err(named)
            };
            (1 << 20, work)
        });
        let walked = parallel::map(tasks.collect(), self.threads, progress)?;
        // Where every dictionary stands among those that are merged: of a chunk, then of its pages of values.
        let (mut dictionaries, mut paged) = (Vec::new(), Vec::new());
        let mut coded = Vec::new();
        for walked in walked {
            let map = walked.dictionary.map_or(NO_MAP, |dictionary| {
                paged.push(dictionaries.len());
                dictionaries.push(dictionary);
                dictionaries.len() - 1
            });
            let by_value: Vec<bool> = walked.parts.iter().map(|part| !part.has_codes()).collect();
            let made = self.made(field, flat, text, &walked.parts, &by_value, progress)?;
            for (part, (made, by_value)) in walked.parts.into_iter().zip(made.into_iter().zip(by_value)) {
                if by_value {
                    coded.push(Coded { part, map: dictionaries.len(), codes: Some(made.codes) });
                    dictionaries.push(made.dictionary);
                } else {
                    coded.push(Coded { part, map, codes: None });
                }
            }
        }
        let mut merged = Merged::new(dictionaries).map_err(|e| self.named(e, field, 0))?;
        // Of values that stand in pages of their own nobody said an order.
        if strip.ordered {
            merged.arrange(&paged).map_err(|e| self.named(e, field, 0))?;
        }
        Ok((coded, merged))
    }

    /// Dictionaries of the pages that have values.
    fn made(
        &self,
        field: usize,
        flat: &Flat,
        text: bool,
        parts: &[Part<'_>],
        by_value: &[bool],
        progress: &dyn Progress,
    ) -> Result<Vec<Made>> {
        let mut made: Vec<Made> = parts.iter().map(|_| Made::default()).collect();
        let optional = flat.optional;
        // Shared beginnings can make very much of a few bytes.
        let grown = |nbytes: u64| self.charge(nbytes, "the values of categorical columns");
        let grown = &grown;
        let mut tasks = Vec::new();
        for ((part, slot), _) in parts.iter().zip(&mut made).zip(by_value).filter(|(_, by_value)| **by_value)
        {
            let mut scratch = Vec::new();
            if flat.physical != Physical::Bytes && part.page.parts(&mut scratch)?.values.is_empty() {
                // Nothing but nulls: the dictionary is empty.
                slot.codes = vec![NULL; part.nrows];
                continue;
            }
            if flat.physical != Physical::Bytes {
                let message = "a page of values in a column of codes, which are not texts.";
                return Err(self.named(Error::unsupported("parquet", message).at(part.page.at), field, 0));
            }
            tasks.push(Task::new(part.page.header.nbytes, move || {
                let made = coded_values(part, optional, text, grown);
                *slot = made.map_err(|e| self.named(e.at(part.page.at), field, 0))?;
                Ok(())
            }));
        }
        parallel::run(tasks, self.threads, progress)?;
        Ok(made)
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Dictionaries of pages are held against the limit so many bytes at a time.
const GROWN_NBYTES: u64 = 1 << 20;

/// A dictionary of the wanted values of a page, and the key of each row.
fn coded_values(
    part: &Part<'_>,
    optional: bool,
    text: bool,
    grown: &(dyn Fn(u64) -> Result<()> + Sync),
) -> Result<Made> {
    let mut made = Made::default();
    let mut more = 0;
    let mut known: HashMap<Box<[u8]>, u32> = HashMap::new();
    let mut scratch = Vec::new();
    let Made { dictionary, codes } = &mut made;
    let parts = part.page.parts(&mut scratch)?;
    let levels = optional.then(|| validity(&parts.definition, parts.n)).transpose()?;
    let done = part.each(&parts, levels.as_ref(), &mut |wanted, rows, cells| {
        if !wanted {
            cells.measure(rows.valid())?;
            return Ok(());
        }
        let first = codes.len();
        codes.resize(first + rows.len(), NULL);
        let now = codes.get_mut(first..).unwrap_or_default();
        let mut places = (0..rows.len()).filter(|k| match rows {
            Rows::Same(valid, _) => valid,
            Rows::Mixed(mask, _) => mask >> k & 1 == 1,
        });
        cells.each(rows.valid(), &mut |value| {
            let code = match known.get(value) {
                Some(code) => *code,
                None => {
                    if text && simdutf8::basic::from_utf8(value).is_err() {
                        return Err(no_text("row", part.at + first));
                    }
                    more += value.len() as u64;
                    if more > GROWN_NBYTES {
                        grown(std::mem::take(&mut more))?;
                    }
                    let code = dictionary.add(value)?;
                    known.insert(value.into(), code);
                    code
                }
            };
            if let Some(to) = places.next().and_then(|k| now.get_mut(k)) {
                *to = code;
            }
            Ok(())
        })?;
        Ok(())
    });
    match done {
        Ok(()) => Ok(made),
        Err(Stop::Error(error)) => Err(error),
        Err(Stop::Full) => Err(Error::malformed(
            "parquet",
            "a page has fewer rows than it says. The file is damaged; write it again.",
        )),
    }
}

/// The type of the keys, or a wider one where it does not reach `n` values.
fn wide_enough(told: &DataType, n: usize) -> Result<DataType> {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let signed = [(Int8, 1usize << 7), (Int16, 1 << 15), (Int32, 1 << 31), (Int64, usize::MAX)];
    let unsigned = [(UInt8, 1usize << 8), (UInt16, 1 << 16), (UInt32, 1 << 32), (UInt64, usize::MAX)];
    for list in [signed, unsigned] {
        let Some(from) = list.iter().position(|(data_type, _)| data_type == told) else { continue };
        if let Some((found, _)) = list.into_iter().skip(from).find(|(_, most)| n <= *most) {
            return Ok(found);
        }
    }
    Err(Error::unsupported("parquet", format!("codes of type {told}.")))
}
