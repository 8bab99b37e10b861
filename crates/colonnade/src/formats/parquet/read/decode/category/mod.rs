//! Decodes dictionary pages straight to the codes of categoricals.
//!
//! The dictionaries of all chunks are merged, and each page's keys become codes of the merged dictionary. A page of plain
//! values, which writers fall back to if a dictionary grows too large, first gets a dictionary of its values.

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
use crate::error::{Error, Result};
use crate::formats::parquet::levels::Validity;
use crate::formats::parquet::page::PageType;
use crate::formats::parquet::types::Physical;
use crate::memory::{Buffer, Region, Scatter};
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

use super::super::conversion::FlatLeaf;
use super::leaf_selection::LeafSelection;
use super::text::{Dictionary, FillError, PagePart, RowRun, joined, no_text, validity, walk};
use super::{ChunkDecoder, RowPiece};
use merge::MergedDictionaries;

/// The code of a row that is null.
const NULL: u32 = u32::MAX;

/// The dictionary made for a page of plain values, and the code of each row.
#[derive(Default)]
struct PageDictionary {
    dictionary: Dictionary,
    codes: Vec<u32>,
}

/// The map number of a chunk without a dictionary.
const NO_MAP: usize = usize::MAX;

/// A part, and the number of the map that translates its keys.
struct CodedPart<'a> {
    part: PagePart<'a>,
    map: usize,
    /// The keys of a page that had none, in the dictionary made for it.
    codes: Option<Vec<u32>>,
}

impl CodedPart<'_> {
    /// Writes the codes of the selected rows, `N` bytes each. Returns which rows have a value; `None`: all.
    fn fill<const N: usize>(
        &self,
        map: Option<&[u32]>,
        optional: bool,
        room: Scatter<'_>,
    ) -> Result<Option<Validity>> {
        // SAFETY: each part writes to rows that no other part has.
        let room = unsafe { room.range(self.part.at * N, self.part.nrows * N) };
        let out = room.ok_or_else(|| Error::too_large("parquet"))?.as_chunks_mut::<N>().0;
        // Truncates each code of the map to `N` bytes once: there are many more rows than codes.
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

impl<'a> ChunkDecoder<'a> {
    /// Decodes the fields `projection[i]` for `i` of `slots`.
    pub(super) fn category(
        &self,
        projection: &[usize],
        slots: &[usize],
        pieces: &[RowPiece],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        for &slot in slots {
            let field = projection.get(slot).copied().unwrap_or(0);
            let selection = self.leaf_selection(slot, field, pieces)?;
            decoded.columns.push((slot, self.category_column(&selection, progress)?));
        }
        Ok(())
    }

    /// Decodes some rows of a column whose pages hold plain values. Its categories are those of all rows, in order of
    /// appearance, so all rows are decoded. Returns `None` if dictionary pages define the categories.
    fn part_of_all(
        &self,
        selection: &LeafSelection<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<ArrayData>> {
        let (file, field, leaf, pieces) = (self.file, selection.field, selection.leaf, selection.pieces);
        let (mut all, mut starts, mut at) = (Vec::new(), Vec::new(), 0usize);
        for (group, metadata) in file.groups.iter().enumerate() {
            let nrows = usize::try_from(metadata.nrows).map_err(|_| Error::too_large("parquet"))?;
            starts.push(at);
            all.push(RowPiece { group, skip: 0, nrows, at });
            at = at.checked_add(nrows).ok_or_else(|| Error::too_large("parquet"))?;
        }
        all.retain(|piece| piece.nrows > 0);
        let nrows: usize = pieces.iter().map(|p| p.nrows).sum();
        if self.layout.is_arrow() || nrows == at {
            return Ok(None);
        }
        for piece in pieces {
            let first = self.chunk(piece.group, leaf).and_then(|chunk| self.pages(&chunk).next_page());
            let first = first.map_err(|e| self.named(e, field, piece.group))?;
            if first.is_some_and(|page| matches!(page.header.kind, PageType::Dictionary { .. })) {
                return Ok(None);
            }
        }
        file.fetch_pages(&[field], &all, progress)?;
        let decoder = ChunkDecoder::new(file, at, self.threads, self.layout);
        decoder.add_cells(at as u64);
        let column = decoder.category_column(&decoder.leaf_selection(selection.i, field, &all)?, progress)?;
        let mut out = MutableArrayData::new(vec![&column], column.nulls().is_some(), nrows);
        for piece in pieces {
            let start = starts.get(piece.group).copied().unwrap_or(0) + piece.skip;
            let done = out.try_extend(0, start, start + piece.nrows);
            done.map_err(|e| Error::malformed("parquet", format!("{e}.")))?;
        }
        Ok(Some(out.freeze()))
    }

    /// Decodes the codes of a column and their dictionary.
    ///
    /// # Errors
    /// Malformed pages.
    pub(super) fn category_column<'s>(
        &'s self,
        selection: &LeafSelection<'s>,
        progress: &dyn Progress,
    ) -> Result<ArrayData> {
        let LeafSelection { field, flat, pieces, nrows, .. } = *selection;
        let DataType::Dictionary(key_type, value_type) = selection.data_type else {
            return Err(Error::unsupported("parquet", "a column without codes as one of codes."));
        };
        // For a whole column the file's metadata may hold the dictionary, and rows outside the selection may define categories.
        let whole = selection.group_pages.is_none();
        let stored = if whole { self.stored_dictionary(self.field(field)?) } else { Ok(None) };
        let named = |e: Error| self.named(e, field, pieces.first().map_or(0, |p| p.group));
        let stored = stored.map_err(named)?;
        if pieces.is_empty()
            && let Some(values) = &stored
        {
            let empty = ArrayData::builder(selection.data_type.clone());
            let empty =
                empty.add_buffer(arrow_buffer::Buffer::default()).add_child_data(values.clone()).build();
            return empty.map_err(|e| named(Error::malformed("parquet", format!("{e}."))));
        }
        // Without selected rows the categories come from the first row group that has rows.
        let first = self.file.groups.iter().position(|group| group.nrows > 0);
        if let Some(group) = first.filter(|_| pieces.is_empty() && whole) {
            let one = [RowPiece { group, skip: 0, nrows: 1, at: 0 }];
            self.file.fetch_pages(&[field], &one, progress)?;
            let decoder = ChunkDecoder::new(self.file, 1, 1, self.layout);
            let column =
                decoder.category_column(&decoder.leaf_selection(selection.i, field, &one)?, progress)?;
            return Ok(column.slice(0, 0));
        }
        if whole && let Some(part) = self.part_of_all(selection, progress)? {
            return Ok(part);
        }
        let (coded, merged) = self.read_codes(selection, is_text(value_type), &SignalsOnly(progress))?;
        let MergedDictionaries { values, mut maps } = merged;
        let mut values = values::array(value_type, flat.way, &values).map_err(named)?;
        if let Some(stored) = stored
            && let Some(places) = values::positions_in(&stored, &values)
        {
            values = stored;
            for code in maps.iter_mut().flatten() {
                *code = places.get(*code as usize).copied().unwrap_or(0);
            }
        }
        // Text that the caller requests as a categorical has no declared type of codes.
        let is_requested = whole && self.file.options.categories.contains(self.field(field)?.name());
        // Batches need equal types.
        let is_narrow = is_requested && !self.layout.is_arrow() && **key_type == DataType::Int32;
        let key_type = if is_narrow { &DataType::Int8 } else { &**key_type };
        let key_type = wide_enough(key_type, values.len()).map_err(named)?;
        let width = key_type.primitive_width().unwrap_or(4);
        let nbytes = nrows.checked_mul(width).ok_or_else(|| Error::too_large("parquet"))?;
        self.charge(nbytes as u64, "the codes of categorical columns").map_err(named)?;
        let mut codes = Region::allocate(nbytes)?;
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
        // Trusted: every row has a code from a map whose entries are all keys of `values`; the code of a null is 0.
        Ok(trusted_array(builder))
    }

    /// Returns the selected rows of all chunks, and their merged dictionary.
    fn read_codes<'s>(
        &'s self,
        selection: &LeafSelection<'s>,
        text: bool,
        progress: &dyn Progress,
    ) -> Result<(Vec<CodedPart<'s>>, MergedDictionaries)> {
        let LeafSelection { field, flat, pieces, .. } = *selection;
        let (flat, selection) = (&flat, *selection);
        let make = |page: &[u8], n: usize| match flat.physical {
            Physical::Bytes => Dictionary::new(page, n, text),
            Physical::Boolean => Err(Error::malformed("parquet", "a dictionary page of bools.")),
            Physical::Int32 | Physical::Float => Dictionary::fixed(page, n, 4),
            Physical::Int64 | Physical::Double => Dictionary::fixed(page, n, 8),
            Physical::Int96 => Dictionary::fixed(page, n, 12),
            Physical::Fixed(width) => Dictionary::fixed(page, n, width as usize),
        };
        // Leaves of lists and structs may have no value at all.
        if pieces.is_empty()
            && selection.group_pages.is_some()
            && let Some(dictionary) = self.unused_categories(&selection, &make)?
        {
            return Ok((Vec::new(), MergedDictionaries::new(vec![dictionary])?));
        }
        let groups: Vec<&[RowPiece]> = pieces.chunk_by(|a, b| a.group == b.group).collect();
        let tasks = groups.iter().enumerate().map(|(k, some)| {
            let group = some.first().map_or(0, |p| p.group);
            let make = &make;
            let work = move || {
                let named = |e: Error| self.named(e, field, group);
                let mut pages = self.pages_of(&selection, group).map_err(named)?;
                let charge = |n: u64| self.charge(n, "the values of categorical columns");
                walk(&mut pages, some, k, make, &charge).map_err(named)
            };
            (1 << 20, work)
        });
        let walked = parallel::map(tasks.collect(), self.threads, progress)?;
        // The index of each dictionary among those to merge: first a chunk's dictionary page, then the dictionaries of its
        // plain pages.
        let (mut dictionaries, mut paged) = (Vec::new(), Vec::new());
        let mut coded = Vec::new();
        for walked in walked {
            let map = walked.dictionary.map_or(NO_MAP, |dictionary| {
                paged.push(dictionaries.len());
                dictionaries.push(dictionary);
                dictionaries.len() - 1
            });
            let by_value: Vec<bool> = walked.parts.iter().map(|part| !part.has_codes()).collect();
            let page_dictionaries =
                self.page_dictionaries(field, flat, text, &walked.parts, &by_value, progress)?;
            for (part, (page_dictionary, by_value)) in
                walked.parts.into_iter().zip(page_dictionaries.into_iter().zip(by_value))
            {
                if by_value {
                    coded.push(CodedPart {
                        part,
                        map: dictionaries.len(),
                        codes: Some(page_dictionary.codes),
                    });
                    dictionaries.push(page_dictionary.dictionary);
                } else {
                    coded.push(CodedPart { part, map, codes: None });
                }
            }
        }
        let mut merged = MergedDictionaries::new(dictionaries).map_err(|e| self.named(e, field, 0))?;
        // Plain pages define no order of their values.
        if selection.ordered {
            merged.arrange(&paged).map_err(|e| self.named(e, field, 0))?;
        }
        Ok((coded, merged))
    }

    /// Makes dictionaries for the pages of plain values.
    fn page_dictionaries(
        &self,
        field: usize,
        flat: &FlatLeaf,
        text: bool,
        parts: &[PagePart<'_>],
        by_value: &[bool],
        progress: &dyn Progress,
    ) -> Result<Vec<PageDictionary>> {
        let mut page_dictionaries: Vec<PageDictionary> =
            parts.iter().map(|_| PageDictionary::default()).collect();
        let optional = flat.optional;
        // Shared prefixes can expand a few bytes to very many.
        let grown = |nbytes: u64| self.charge(nbytes, "the values of categorical columns");
        let grown = &grown;
        let mut tasks = Vec::new();
        for ((part, slot), _) in
            parts.iter().zip(&mut page_dictionaries).zip(by_value).filter(|(_, by_value)| **by_value)
        {
            let mut scratch = Vec::new();
            if flat.physical != Physical::Bytes && part.page.parts(&mut scratch)?.values.is_empty() {
                // A page of only nulls: the dictionary is empty.
                slot.codes = vec![NULL; part.nrows];
                continue;
            }
            if flat.physical != Physical::Bytes {
                let message = "a page of values in a column of codes, which are not texts.";
                return Err(self.named(Error::unsupported("parquet", message).at(part.page.at), field, 0));
            }
            tasks.push(Task::new(part.page.header.nbytes, move || {
                let page_dictionary = coded_values(part, optional, text, grown);
                *slot = page_dictionary.map_err(|e| self.named(e.at(part.page.at), field, 0))?;
                Ok(())
            }));
        }
        parallel::run(tasks, self.threads, progress)?;
        Ok(page_dictionaries)
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The limit is checked each time a page's dictionary grows by this many bytes.
const GROWN_NBYTES: u64 = 1 << 20;

/// Makes a dictionary of the selected values of a page, and the code of each row.
fn coded_values(
    part: &PagePart<'_>,
    optional: bool,
    text: bool,
    grown: &(dyn Fn(u64) -> Result<()> + Sync),
) -> Result<PageDictionary> {
    let mut page_dictionary = PageDictionary::default();
    let mut more = 0;
    let mut codes_by_value: HashMap<Box<[u8]>, u32> = HashMap::new();
    let mut scratch = Vec::new();
    let PageDictionary { dictionary, codes } = &mut page_dictionary;
    let parts = part.page.parts(&mut scratch)?;
    let levels = optional.then(|| validity(&parts.definition, parts.n)).transpose()?;
    let done = part.each(&parts, levels.as_ref(), &mut |is_selected, rows, cells| {
        if !is_selected {
            cells.skip(rows.valid())?;
            return Ok(());
        }
        let first = codes.len();
        codes.resize(first + rows.len(), NULL);
        let now = codes.get_mut(first..).unwrap_or_default();
        let mut places = (0..rows.len()).filter(|k| match rows {
            RowRun::Same(valid, _) => valid,
            RowRun::Mixed(mask, _) => mask >> k & 1 == 1,
        });
        cells.each(rows.valid(), &mut |value| {
            let code = match codes_by_value.get(value) {
                Some(code) => *code,
                None => {
                    if text && simdutf8::basic::from_utf8(value).is_err() {
                        return Err(no_text("row", part.at + first + places.next().unwrap_or(0)));
                    }
                    more += value.len() as u64;
                    if more > GROWN_NBYTES {
                        grown(std::mem::take(&mut more))?;
                    }
                    let code = dictionary.add(value)?;
                    codes_by_value.insert(value.into(), code);
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
        Ok(()) => Ok(page_dictionary),
        Err(FillError::Error(error)) => Err(error),
        Err(FillError::SizeMismatch) => Err(Error::malformed(
            "parquet",
            "a page has fewer rows than it says. The file is damaged; write it again.",
        )),
    }
}

/// Returns the type of the keys, or a wider one if it cannot address `n` values.
fn wide_enough(key_type: &DataType, n: usize) -> Result<DataType> {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let signed = [(Int8, 1usize << 7), (Int16, 1 << 15), (Int32, 1 << 31), (Int64, usize::MAX)];
    let unsigned = [(UInt8, 1usize << 8), (UInt16, 1 << 16), (UInt32, 1 << 32), (UInt64, usize::MAX)];
    for list in [signed, unsigned] {
        let Some(from) = list.iter().position(|(data_type, _)| data_type == key_type) else { continue };
        if let Some((found, _)) = list.into_iter().skip(from).find(|(_, most)| n <= *most) {
            return Ok(found);
        }
    }
    Err(Error::unsupported("parquet", format!("codes of type {key_type}.")))
}
