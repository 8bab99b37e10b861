//! One leaf of one row group, as the bytes of its column chunk.
//!
//! ```text
//! leaf, rows -> dense (values that are there) -> choose (by a sample) -> pages: levels | values, compressed, header, CRC
//! ```
//!
//! The same leaf and the same settings give the same bytes: nothing here looks at the clock, at threads or at addresses.

mod body;
mod choose;
mod delta;
mod dense;
mod dictionary;
pub mod leaf;
mod levels;
pub mod outcome;
mod pack;
mod packing;
mod page;
mod plain;
pub mod settings;
mod split;
mod statistics;

use std::ops::Range;

use crate::error::Result;

pub use leaf::{Bits, Leaf, LeafData, Offsets, Order, Physical, Turn};
pub use outcome::{Bound, Bounds, Chunk, Page, Statistics};
pub use settings::{Codec, Encoding, Packing, Profile, Settings, Wanted};

use body::Source;
use dense::Dense;
use page::Head;
use statistics::Ranks;

/// Appends the column chunk of these rows of a leaf to `out`.
///
/// # Errors
/// Buffers that are shorter than the rows; values that the leaf's type cannot hold; pages over 2 GiB.
pub fn encode(leaf: &Leaf<'_>, rows: Range<usize>, settings: &Settings, out: &mut Vec<u8>) -> Result<Chunk> {
    let values = choose::distinct(leaf, dense::gather(leaf, &rows)?);
    let mut how = choose::choose(leaf, &values, settings, true);
    let pages = cut(leaf, &values, &rows, settings);
    if choose::too_wide(&how, &values, settings, pages.iter().map(|page| page.values.clone())) {
        how = choose::choose(leaf, &values, settings, false);
    }
    let mut source = Source { leaf, values: &values, how: &how, aligned: false };
    let packed = {
        let (first, middle) = (pages.first(), pages.get(pages.len() / 2).filter(|_| pages.len() > 2));
        let some: Vec<_> = first.into_iter().chain(middle).map(|page| page.values.clone()).collect();
        packing::choose(&mut source, &some, settings)?
    };
    source.aligned = packed.aligned;
    let mut writer = ChunkOut::new(packed, settings, out);
    if let Some((_, dictionary)) = source.keyed() {
        writer.dictionary(dictionary)?;
    }
    let bounded = settings.statistics || settings.page_index;
    let ranks = source.keyed().filter(|_| bounded).and_then(|(keys, values)| {
        // Sorting a dictionary pays where its keys are many more.
        let pays = values.len() < keys.len() / 2;
        pays.then(|| Ranks::of(values, leaf.order)).flatten()
    });
    let mut all = None;
    writer.chunk.data_at = writer.out.len() - writer.start;
    for page in pages {
        let found = bounded.then(|| match (&ranks, source.keyed()) {
            (Some(ranks), Some((keys, values))) => {
                ranks.extremes(keys.get(page.values.clone()).unwrap_or_default(), values)
            }
            _ => statistics::extremes(&values, page.values.clone(), leaf.physical, leaf.order),
        });
        let found = found.flatten();
        let bounds = if settings.page_index {
            statistics::bounds(found.as_ref(), &values, page.values.clone(), leaf)
        } else {
            Bounds::default()
        };
        statistics::merge(&mut all, found, leaf.physical, leaf.order);
        writer.page(&source, &page, rows.start, bounds)?;
    }
    let nulls = rows.len() - values.len();
    let statistics = settings.statistics.then(|| Statistics {
        bounds: statistics::bounds(all.as_ref(), &values, 0..values.len(), leaf),
        null_count: nulls,
    });
    Ok(writer.finish(&source, rows.len(), statistics))
}

/// Rows of a page, and which of the values that are there they have.
struct Cut {
    rows: Range<usize>,
    values: Range<usize>,
}

/// Where pages begin and end.
fn cut(leaf: &Leaf<'_>, values: &Dense<'_>, rows: &Range<usize>, settings: &Settings) -> Vec<Cut> {
    let mut out = Vec::new();
    let (mut row, mut given) = (rows.start, 0);
    let step = page_rows(leaf, values, settings);
    while row < rows.end {
        let mut now = row..row.saturating_add(step).min(rows.end);
        let mut n = leaf.validity.map_or(now.len(), |bits| bits.count(now.clone()));
        // Text of very different lengths: halved until it fits.
        while let Dense::Text(texts) = values {
            let these = texts.get(given..given + n).unwrap_or_default();
            if now.len() <= 1
                || these.iter().map(|text| text.len() + 4).sum::<usize>() <= 2 * settings.page_nbytes
            {
                break;
            }
            now.end = now.start + now.len() / 2;
            n = leaf.validity.map_or(now.len(), |bits| bits.count(now.clone()));
        }
        row = now.end;
        out.push(Cut { rows: now, values: given..given + n });
        given += n;
    }
    out
}

/// Bytes of a value; 0 where they differ, and for bools.
pub fn width(physical: Physical) -> usize {
    match physical {
        Physical::Boolean | Physical::Bytes => 0,
        Physical::Int32 | Physical::Float => 4,
        Physical::Int64 | Physical::Double => 8,
        Physical::Int96 => 12,
        Physical::Fixed(n) => n as usize,
    }
}

/// Rows of a page.
fn page_rows(leaf: &Leaf<'_>, values: &Dense<'_>, settings: &Settings) -> usize {
    let width = match (leaf.physical, values) {
        (Physical::Bytes, Dense::Text(texts)) => {
            texts.iter().map(|t| t.len() + 4).sum::<usize>() / texts.len().max(1)
        }
        (Physical::Bytes, _) => 4,
        (other, _) => width(other),
    };
    (settings.page_nbytes / width.max(1)).clamp(1, settings.page_rows.max(1))
}

/// A chunk that is being written.
struct ChunkOut<'s> {
    out: &'s mut Vec<u8>,
    start: usize,
    settings: &'s Settings,
    level: Option<i32>,
    done: Option<(Vec<u8>, Vec<u8>)>,
    chunk: Chunk,
    body: Vec<u8>,
    packed: Vec<u8>,
}

impl<'s> ChunkOut<'s> {
    fn new(packed: packing::Packed, settings: &'s Settings, out: &'s mut Vec<u8>) -> Self {
        let chunk = Chunk {
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

    fn dictionary(&mut self, values: &Dense<'_>) -> Result<()> {
        self.body.clear();
        plain::encode(values, 0..values.len(), &mut self.body);
        self.chunk.dictionary_at = Some(self.out.len() - self.start);
        self.chunk.encoding_stats.push((2, Encoding::Plain, 1));
        self.put(&Head::Dictionary { n: values.len() }, 0)
    }

    /// Writes the body at hand; its first bytes, so many, are never compressed.
    fn put(&mut self, head: &Head, bare: usize) -> Result<()> {
        let at = self.out.len();
        self.packed.clear();
        let bytes = if self.chunk.codec == Codec::None {
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

    fn page(&mut self, source: &Source<'_, '_>, page: &Cut, first: usize, bounds: Bounds) -> Result<()> {
        let at = self.out.len();
        let (n, nulls) = (page.rows.len(), page.rows.len() - page.values.len());
        self.body.clear();
        let levels_nbytes = source.levels(&page.rows, self.settings.version_2, &mut self.body);
        source.encoded(page.values.clone(), &mut self.body);
        let encoding = source.encoding();
        if self.settings.version_2 {
            let compressed = self.chunk.codec != Codec::None;
            self.put(&Head::DataV2 { n, nulls, encoding, levels_nbytes, compressed }, levels_nbytes)?;
        } else {
            self.put(&Head::Data { n, encoding }, 0)?;
        }
        self.chunk.pages.push(Page {
            at: at - self.start,
            nbytes: self.out.len() - at,
            first_row: page.rows.start - first,
            nrows: n,
            nulls,
            bounds,
        });
        Ok(())
    }

    fn finish(self, source: &Source<'_, '_>, nrows: usize, statistics: Option<Statistics>) -> Chunk {
        let mut chunk = self.chunk;
        let encoding = source.encoding();
        chunk.encodings.push(encoding);
        if source.leaf.optional && encoding != Encoding::Rle {
            chunk.encodings.push(Encoding::Rle);
        }
        if chunk.dictionary_at.is_some() {
            chunk.encodings.push(Encoding::Plain);
        }
        if !chunk.pages.is_empty() {
            let page_type = if self.settings.version_2 { 3 } else { 0 };
            chunk.encoding_stats.push((page_type, encoding, chunk.pages.len()));
        }
        chunk.nvalues = nrows;
        chunk.compressed_nbytes = self.out.len() - self.start;
        chunk.statistics = statistics;
        chunk
    }
}

#[cfg(test)]
mod tests;
