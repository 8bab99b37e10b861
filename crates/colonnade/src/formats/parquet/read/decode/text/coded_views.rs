//! Text whose pages have only dictionary codes, as views into the dictionaries: one pass, and no text is copied.

use arrow_buffer::Buffer as ArrowBuffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::memory::{Buffer, Region, RegionMut, Scatter};
use crate::parallel::{self, Task};
use crate::progress::Progress;

use super::super::ChunkDecoder;
use super::dictionary::DictionaryEntry;
use super::{ByteArrayColumn, Dictionary, PageBuffers, PagePart, joined, tiles, views};

/// Returns the type of the views of a column of this type.
///
/// Only consumers that ask for views get them: the limits do not count the texts, and another consumer may copy each of them.
pub(super) fn view_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8View,
        _ => DataType::BinaryView,
    }
}

/// The views of a dictionary's values.
type Views = Vec<[u8; views::NBYTES]>;

impl ByteArrayColumn<'_> {
    /// Whether the column becomes views, and all its pages have codes of dictionaries that views can address together.
    pub(super) fn has_coded_views(&self) -> bool {
        let nbytes =
            self.dictionaries().map(|dictionary| dictionary.bytes().len()).fold(0, usize::saturating_add);
        self.may_be_views && self.parts.iter().all(PagePart::has_codes) && i32::try_from(nbytes).is_ok()
    }

    fn dictionaries(&self) -> impl Iterator<Item = &Dictionary> {
        self.walked.iter().filter_map(|walked| walked.dictionary.as_ref())
    }

    /// The views of each chunk's dictionary into [`ByteArrayColumn::into_texts`].
    fn dictionary_views(&self) -> Vec<Option<Views>> {
        let mut base = 0u32;
        let mut views = |dictionary: &Dictionary| {
            let value = |k: usize| dictionary.value(k).unwrap_or_default();
            let entries = dictionary.entries().iter().enumerate();
            let view = |(k, entry): (usize, &DictionaryEntry)| {
                views::view(value(k), entry.nbytes, 0, base.saturating_add(entry.start))
            };
            let views = entries.map(view).collect();
            base = base.saturating_add(u32::try_from(dictionary.bytes().len()).unwrap_or(u32::MAX));
            views
        };
        self.walked.iter().map(|walked| walked.dictionary.as_ref().map(&mut views)).collect()
    }

    /// The bytes of all dictionaries as one buffer: each batch of the column refers to all its buffers, so thousands of buffers in
    /// thousands of batches would need more memory than the texts.
    fn into_texts(self) -> Vec<u8> {
        let nbytes = self.dictionaries().map(|dictionary| dictionary.bytes().len()).sum();
        let mut dictionaries = self.walked.into_iter().filter_map(|walked| walked.dictionary);
        let mut texts = dictionaries.next().map(Dictionary::into_bytes).unwrap_or_default();
        texts.reserve_exact(usize::saturating_sub(nbytes, texts.len()));
        dictionaries.for_each(|dictionary| texts.extend_from_slice(dictionary.bytes()));
        texts
    }
}

impl ChunkDecoder<'_> {
    /// Decodes columns with [`ByteArrayColumn::has_coded_views`].
    ///
    /// # Errors
    /// Malformed pages; codes outside the dictionary; limits.
    pub(super) fn coded_views(
        &self,
        mut columns: Vec<ByteArrayColumn<'_>>,
        buffers: &PageBuffers,
        decoded: &mut Vec<(usize, ArrayData)>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut regions = Vec::with_capacity(columns.len());
        for column in &columns {
            let nbytes = column.selection.nrows.checked_mul(views::NBYTES);
            let nbytes = nbytes.ok_or_else(|| Error::too_large("parquet"))?;
            // Half of them are charged as the offsets of any text column.
            self.charge(nbytes as u64 / 2, "views of texts").map_err(|e| self.named(e, column.field, 0))?;
            regions.push(Region::allocate(nbytes)?);
        }
        let size = |part: &PagePart<'_>| part.page.header.nbytes + part.nrows * views::NBYTES;
        let tile_nbytes = self.tile_nbytes(&columns, size);
        let all_views: Vec<_> = columns.iter().map(ByteArrayColumn::dictionary_views).collect();
        let mut tasks = Vec::new();
        for ((column, region), views) in columns.iter_mut().zip(&mut regions).zip(&all_views) {
            let (field, optional, out) = (column.field, column.optional, Scatter::new(region));
            for tile in tiles(&mut column.parts, tile_nbytes, size) {
                tasks.push(Task::new(tile.iter().map(size).sum(), move || {
                    buffers.with(|scratch| {
                        for part in tile {
                            let views = views.get(part.chunk).and_then(Option::as_deref);
                            let done = part.views(views, optional, scratch, out);
                            done.map_err(|e| self.named(e.at(part.page.at), field, 0))?;
                        }
                        Ok(())
                    })
                }));
            }
        }
        parallel::run(tasks, self.threads, progress)?;
        decoded.extend(columns.into_iter().zip(regions).map(|(column, views)| array(column, views)));
        Ok(())
    }
}

fn array(column: ByteArrayColumn<'_>, views: RegionMut) -> (usize, ArrayData) {
    let (selection, data_type) = (column.selection, view_type(column.selection.data_type));
    let validities = column.parts.iter().map(|part| (part.validity.as_ref(), part.nrows));
    let nulls = joined(validities, selection.nrows);
    let mut builder = ArrayDataBuilder::new(data_type).len(selection.nrows).nulls(nulls);
    builder = builder.add_buffer(Buffer::from_region(views.finish(), true).to_arrow());
    builder = builder.add_buffer(ArrowBuffer::from_vec(column.into_texts()));
    // Trusted: each view is that of a value of its chunk's dictionary, or empty; texts were checked with their dictionary.
    (selection.i, trusted_array(builder))
}
