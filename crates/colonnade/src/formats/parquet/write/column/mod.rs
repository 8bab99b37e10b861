//! Encodes one leaf of one row group as a column chunk.
//!
//! ```text
//! leaf, rows -> non-null values -> choose the encoding (by a sample) -> pages: levels | values, compressed, header, CRC
//! ```
//!
//! The output is deterministic: it does not depend on time, threads or addresses.

mod body;
mod byte_stream_split;
mod choose;
mod codec_choice;
mod delta;
mod dictionary;
pub mod encoded_chunk;
pub mod leaf;
mod levels;
mod non_null_values;
mod pack;
mod page;
mod page_split;
mod plain;
pub mod settings;
mod statistics;

use std::ops::Range;

use crate::error::Result;

pub use encoded_chunk::{ChunkStatistics, EncodedChunk, EncodedPage, MinMax};
pub use leaf::{
    Bitmap, ElementConversion, LeafColumn, LeafData, LeafOffsets, NestedLevels, Physical, SortOrder,
};
pub use settings::{CodecChoice, EncodingChoice, PageCodec, PageEncoding, Settings};

use body::PageSource;
use non_null_values::NonNullValues;
use page::PageFields;
use page_split::PageSplit;
use statistics::Ranks;

/// Appends the column chunk of these rows of a leaf to `out`.
///
/// # Errors
/// Buffers shorter than the rows; values that the leaf's type cannot hold; pages over 2 GiB.
pub fn encode(
    leaf: &LeafColumn<'_>,
    rows: Range<usize>,
    settings: &Settings,
    out: &mut Vec<u8>,
) -> Result<EncodedChunk> {
    chunk(leaf, &rows, None, settings, out)
}

/// Appends the column chunk of a leaf within lists or structs. The first `n` values with their validity give the values, and the
/// levels their positions.
///
/// # Errors
/// As [`encode`]; levels that do not match the number of values.
pub fn encode_within(
    leaf: &LeafColumn<'_>,
    n: usize,
    levels: &NestedLevels<'_>,
    settings: &Settings,
    out: &mut Vec<u8>,
) -> Result<EncodedChunk> {
    chunk(leaf, &(0..n), Some(levels), settings, out)
}

fn chunk(
    leaf: &LeafColumn<'_>,
    rows: &Range<usize>,
    levels: Option<&NestedLevels<'_>>,
    settings: &Settings,
    out: &mut Vec<u8>,
) -> Result<EncodedChunk> {
    let values = choose::distinct(leaf, non_null_values::gather(leaf, rows)?);
    let mut chunk_encoding = choose::choose(leaf, &values, settings, true);
    let pages = page_split::page_split(leaf, &values, rows, levels, settings)?;
    if choose::too_wide(&chunk_encoding, &values, settings, pages.iter().map(|page| page.values.clone())) {
        chunk_encoding = choose::choose(leaf, &values, settings, false);
    }
    let mut source =
        PageSource { leaf, levels, values: &values, chunk_encoding: &chunk_encoding, aligned: false };
    let packed = {
        let (first, middle) = (pages.first(), pages.get(pages.len() / 2).filter(|_| pages.len() > 2));
        let some: Vec<_> = first.into_iter().chain(middle).map(|page| page.values.clone()).collect();
        codec_choice::choose(&mut source, &some, settings)?
    };
    source.aligned = packed.aligned;
    let mut writer = ColumnChunkWriter::new(packed, settings, out);
    if let Some((_, dictionary)) = source.dictionary() {
        writer.dictionary(dictionary)?;
    }
    let bounded = settings.statistics || settings.page_index;
    let ranks = source.dictionary().filter(|_| bounded).and_then(|(keys, values)| {
        // Sorting a dictionary pays only if there are many more keys than values.
        let pays = values.len() < keys.len() / 2;
        pays.then(|| Ranks::of(values, leaf.order)).flatten()
    });
    let mut all = None;
    writer.chunk.data_at = writer.out.len() - writer.start;
    for page in pages {
        let found = bounded.then(|| match (&ranks, source.dictionary()) {
            (Some(ranks), Some((keys, values))) => {
                ranks.extremes(keys.get(page.values.clone()).unwrap_or_default(), values)
            }
            _ => statistics::extremes(&values, page.values.clone(), leaf.physical, leaf.order),
        });
        let found = found.flatten();
        let bounds = if settings.page_index {
            statistics::bounds(found.as_ref(), &values, page.values.clone(), leaf)
        } else {
            MinMax::default()
        };
        statistics::merge(&mut all, found, leaf.physical, leaf.order);
        writer.page(&source, &page, bounds)?;
    }
    let n = levels.map_or(rows.len(), |levels| levels.definition.len());
    let nulls = n.saturating_sub(values.len());
    let statistics = settings.statistics.then(|| ChunkStatistics {
        bounds: statistics::bounds(all.as_ref(), &values, 0..values.len(), leaf),
        null_count: nulls,
    });
    Ok(writer.finish(&source, n, statistics))
}

/// Bytes of a fixed-width value; 0 for variable-length values and bools.
pub fn width(physical: Physical) -> usize {
    match physical {
        Physical::Boolean | Physical::Bytes => 0,
        Physical::Int32 | Physical::Float => 4,
        Physical::Int64 | Physical::Double => 8,
        Physical::Int96 => 12,
        Physical::Fixed(n) => n as usize,
    }
}

/// A column chunk under construction.
struct ColumnChunkWriter<'s> {
    out: &'s mut Vec<u8>,
    start: usize,
    settings: &'s Settings,
    level: Option<i32>,
    done: Option<(Vec<u8>, Vec<u8>)>,
    chunk: EncodedChunk,
    body: Vec<u8>,
    packed: Vec<u8>,
}

impl<'s> ColumnChunkWriter<'s> {
    fn new(packed: codec_choice::ChosenCodec, settings: &'s Settings, out: &'s mut Vec<u8>) -> Self {
        let chunk = EncodedChunk {
            encodings: Vec::new(),
            encoding_stats: Vec::new(),
            codec: packed.codec,
            nvalues: 0,
            nbytes: 0,
            compressed_nbytes: 0,
            dictionary_at: None,
            data_at: 0,
            statistics: None,
            pages: Vec::new(),
        };
        let (body, start) = (Vec::new(), out.len());
        Self { out, start, settings, level: packed.level, done: packed.done, chunk, body, packed: Vec::new() }
    }

    fn dictionary(&mut self, values: &NonNullValues<'_>) -> Result<()> {
        self.body.clear();
        plain::encode(values, 0..values.len(), &mut self.body);
        self.chunk.dictionary_at = Some(self.out.len() - self.start);
        self.chunk.encoding_stats.push((2, PageEncoding::Plain, 1));
        self.put(&PageFields::Dictionary { n: values.len() }, 0)
    }

    /// Writes the current page body. The first `bare` bytes are never compressed.
    fn put(&mut self, head: &PageFields, bare: usize) -> Result<()> {
        let at = self.out.len();
        self.packed.clear();
        let bytes = if self.chunk.codec == PageCodec::None {
            &self.body
        } else {
            let (bare, rest) = self.body.split_at_checked(bare).unwrap_or((&[], &self.body));
            self.packed.extend_from_slice(bare);
            match self.done.take() {
                Some((tried, done)) if tried == rest => self.packed.extend_from_slice(&done),
                other => {
                    self.done = other;
                    self.chunk.codec.compress(rest, self.level, &mut self.packed)?;
                }
            }
            &self.packed
        };
        page::head(head, self.body.len(), bytes, self.settings.crc, self.out)?;
        self.chunk.nbytes += self.out.len() - at + self.body.len();
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn page(&mut self, source: &PageSource<'_, '_>, page: &PageSplit, bounds: MinMax) -> Result<()> {
        let at = self.out.len();
        let (n, nrows) = (page.entries.len(), page.nrows);
        let nulls = n.saturating_sub(page.values.len());
        self.body.clear();
        let levels = source.levels(&page.entries, self.settings.version_2, &mut self.body);
        source.encoded(page.values.clone(), &mut self.body);
        let encoding = source.encoding();
        if self.settings.version_2 {
            let compressed = self.chunk.codec != PageCodec::None;
            let bare = levels.repetition_nbytes + levels.definition_nbytes;
            self.put(&PageFields::DataV2 { n, nulls, nrows, encoding, levels, compressed }, bare)?;
        } else {
            self.put(&PageFields::Data { n, encoding }, 0)?;
        }
        self.chunk.pages.push(EncodedPage {
            at: at - self.start,
            nbytes: self.out.len() - at,
            first_row: page.first_row,
            nvalues: n,
            nulls,
            bounds,
        });
        Ok(())
    }

    fn finish(
        self,
        source: &PageSource<'_, '_>,
        nvalues: usize,
        statistics: Option<ChunkStatistics>,
    ) -> EncodedChunk {
        let mut chunk = self.chunk;
        let encoding = source.encoding();
        chunk.encodings.push(encoding);
        if (source.leaf.optional || source.levels.is_some()) && encoding != PageEncoding::Rle {
            chunk.encodings.push(PageEncoding::Rle);
        }
        if chunk.dictionary_at.is_some() {
            chunk.encodings.push(PageEncoding::Plain);
        }
        if !chunk.pages.is_empty() {
            let page_type = if self.settings.version_2 { 3 } else { 0 };
            chunk.encoding_stats.push((page_type, encoding, chunk.pages.len()));
        }
        chunk.nvalues = nvalues;
        chunk.compressed_nbytes = self.out.len() - self.start;
        chunk.statistics = statistics;
        chunk
    }
}

#[cfg(test)]
mod tests;
