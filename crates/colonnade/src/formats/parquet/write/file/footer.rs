//! Writes the footer. Metadata of each column chunk are encoded when it is written, so that of a hundred thousand columns only
//! bytes are kept.
//!
//! ```text
//! "PAR1" | chunks ... | column indexes | offset indexes | FileMetaData | its length | "PAR1"
//! ```

use std::ops::Range;

use crate::error::{Error, Result};
use crate::formats::parquet::thrift::ThriftType;
use crate::formats::parquet::thrift_out::ThriftOut;
use crate::formats::parquet::write::column::{EncodedChunk, MinMax};

/// First and last bytes of a file.
pub(super) const MAGIC: &[u8; 4] = b"PAR1";

/// Format version 2, the first one with all logical types.
const VERSION: i32 = 2;

/// Name and version of the writer, in the specification's syntax.
const CREATED_BY: &str = concat!("colonnade version ", env!("CARGO_PKG_VERSION"), " (build release)");

/// The ranges of a chunk's column index and offset index.
#[derive(Debug, Default)]
struct ChunkIndexes {
    column: Range<usize>,
    offset: Range<usize>,
}

/// A chunk's encoded metadata, and its indexes.
#[derive(Debug)]
struct WrittenChunk {
    metadata: Range<usize>,
    column_index: Range<usize>,
    offset_index: Range<usize>,
}

/// A row group of the footer.
#[derive(Debug)]
struct WrittenRowGroup {
    chunks: Range<usize>,
    nrows: usize,
    nbytes: usize,
    compressed_nbytes: usize,
    at: u64,
}

/// The metadata of the chunks and row groups written so far.
#[derive(Debug, Default)]
pub(super) struct FooterContents {
    groups: Vec<WrittenRowGroup>,
    chunks: Vec<WrittenChunk>,
    metadata: Vec<u8>,
    column_indexes: Vec<u8>,
    offset_indexes: Vec<u8>,
}

/// The type and path of a column chunk.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkColumn<'a> {
    /// Physical type.
    pub(super) physical: i32,
    /// Names of the path from below the root to the leaf.
    pub(super) path: &'a [String],
}

fn count_i64(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn offset_i64(at: u64) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}

impl FooterContents {
    /// Number of row groups.
    pub(super) fn ngroups(&self) -> usize {
        self.groups.len()
    }

    /// Starts a row group at byte `at`.
    pub(super) fn begin(&mut self, nrows: usize, at: u64) {
        let chunks = self.chunks.len()..self.chunks.len();
        self.groups.push(WrittenRowGroup { chunks, nrows, nbytes: 0, compressed_nbytes: 0, at });
    }

    /// Adds the row group's next chunk, which starts at byte `at`. `indexed`: whether to write its page indexes.
    pub(super) fn push(&mut self, column: ChunkColumn<'_>, chunk: &EncodedChunk, at: u64, indexed: bool) {
        let start = self.metadata.len();
        metadata(&mut self.metadata, column, chunk, at);
        let indexed = if indexed { self.index(chunk, at) } else { ChunkIndexes::default() };
        self.chunks.push(WrittenChunk {
            metadata: start..self.metadata.len(),
            column_index: indexed.column,
            offset_index: indexed.offset,
        });
        if let Some(group) = self.groups.last_mut() {
            group.chunks.end = self.chunks.len();
            group.nbytes += chunk.nbytes;
            group.compressed_nbytes += chunk.compressed_nbytes;
        }
    }

    fn index(&mut self, chunk: &EncodedChunk, at: u64) -> ChunkIndexes {
        if chunk.pages.is_empty() {
            return ChunkIndexes::default();
        }
        let (column, offset) = (self.column_indexes.len(), self.offset_indexes.len());
        column_index(&mut self.column_indexes, chunk);
        let mut out = ThriftOut::new(&mut self.offset_indexes);
        out.list(1, ThriftType::Struct, chunk.pages.len());
        for page in &chunk.pages {
            out.element_begin();
            out.i64(1, offset_i64(at) + count_i64(page.at));
            out.i32(2, i32::try_from(page.nbytes).unwrap_or(i32::MAX));
            out.i64(3, count_i64(page.first_row));
            out.end();
        }
        out.end();
        ChunkIndexes { column: column..self.column_indexes.len(), offset: offset..self.offset_indexes.len() }
    }

    /// Returns the bytes after the last chunk, which ends at byte `at`: indexes, metadata, length and magic.
    ///
    /// # Errors
    /// `Unrepresentable`: a footer over 2 GiB.
    pub(super) fn finish(&self, schema: &FooterSchema<'_>, nrows: usize, at: u64) -> Result<Vec<u8>> {
        let indexes = self.column_indexes.len() + self.offset_indexes.len();
        let room = indexes + self.metadata.len() + self.chunks.len() * 32 + schema.elements.len() + 4096;
        let mut bytes =
            Vec::with_capacity(room + schema.metadata.iter().map(|(k, v)| k.len() + v.len()).sum::<usize>());
        bytes.extend_from_slice(&self.column_indexes);
        bytes.extend_from_slice(&self.offset_indexes);
        let start = bytes.len();
        let indexed = (at, at + self.column_indexes.len() as u64);
        let mut out = ThriftOut::new(&mut bytes);
        out.i32(1, VERSION);
        out.list(2, ThriftType::Struct, schema.nelements);
        out.bytes.extend_from_slice(schema.elements);
        out.i64(3, count_i64(nrows));
        out.list(4, ThriftType::Struct, self.groups.len());
        for (ordinal, group) in self.groups.iter().enumerate() {
            self.group(&mut out, group, ordinal, indexed);
        }
        out.list(5, ThriftType::Struct, schema.metadata.len());
        for (key, value) in schema.metadata {
            out.element_begin();
            out.binary(1, key.as_bytes());
            out.binary(2, value.as_bytes());
            out.end();
        }
        out.binary(6, CREATED_BY.as_bytes());
        out.list(7, ThriftType::Struct, schema.nleaves);
        for _ in 0..schema.nleaves {
            // Each leaf has the order of its type (`TypeDefinedOrder`).
            out.element_begin();
            out.empty(1);
            out.end();
        }
        out.end();
        let length = u32::try_from(bytes.len() - start).ok().filter(|&n| i32::try_from(n).is_ok());
        let length = length.ok_or_else(|| {
            let message = "the footer passes 2 GiB. Write fewer columns, or larger row groups.";
            Error::unrepresentable("parquet", message)
        })?;
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(MAGIC);
        Ok(bytes)
    }

    fn group(
        &self,
        out: &mut ThriftOut<'_>,
        group: &WrittenRowGroup,
        ordinal: usize,
        (columns, offsets): (u64, u64),
    ) {
        out.element_begin();
        let chunks = self.chunks.get(group.chunks.clone()).unwrap_or(&[]);
        out.list(1, ThriftType::Struct, chunks.len());
        for chunk in chunks {
            out.element_begin();
            // The deprecated `file_offset` of a ColumnChunk is 0, because there is no metadata next to the chunk.
            out.i64(2, 0);
            out.begin(3);
            out.bytes.extend_from_slice(self.metadata.get(chunk.metadata.clone()).unwrap_or(&[]));
            out.end();
            let length = |range: &Range<usize>| i32::try_from(range.len()).unwrap_or(i32::MAX);
            if !chunk.offset_index.is_empty() {
                out.i64(4, offset_i64(offsets + chunk.offset_index.start as u64));
                out.i32(5, length(&chunk.offset_index));
            }
            if !chunk.column_index.is_empty() {
                out.i64(6, offset_i64(columns + chunk.column_index.start as u64));
                out.i32(7, length(&chunk.column_index));
            }
            out.end();
        }
        out.i64(2, count_i64(group.nbytes));
        out.i64(3, count_i64(group.nrows));
        out.i64(5, offset_i64(group.at));
        out.i64(6, count_i64(group.compressed_nbytes));
        if let Ok(ordinal) = i16::try_from(ordinal) {
            out.i16(7, ordinal);
        }
        out.end();
    }
}

/// The schema and metadata of the whole file.
pub(super) struct FooterSchema<'a> {
    /// The encoded elements, root included.
    pub(super) elements: &'a [u8],
    /// Number of elements.
    pub(super) nelements: usize,
    /// Number of leaves.
    pub(super) nleaves: usize,
    /// Key-value metadata of the file.
    pub(super) metadata: &'a [(String, String)],
}

/// Writes the fields of a chunk's metadata, without the end of the structure.
fn metadata(bytes: &mut Vec<u8>, column: ChunkColumn<'_>, chunk: &EncodedChunk, at: u64) {
    let mut out = ThriftOut::new(bytes);
    out.i32(1, column.physical);
    out.list(2, ThriftType::I32, chunk.encodings.len());
    chunk.encodings.iter().for_each(|&encoding| out.element_i32(encoding as i32));
    out.list(3, ThriftType::Binary, column.path.len());
    column.path.iter().for_each(|name| out.element_binary(name.as_bytes()));
    out.i32(4, chunk.codec as i32);
    out.i64(5, count_i64(chunk.nvalues));
    out.i64(6, count_i64(chunk.nbytes));
    out.i64(7, count_i64(chunk.compressed_nbytes));
    out.i64(9, offset_i64(at) + count_i64(chunk.data_at));
    if let Some(dictionary) = chunk.dictionary_at {
        out.i64(11, offset_i64(at) + count_i64(dictionary));
    }
    if let Some(statistics) = &chunk.statistics {
        out.begin(12);
        out.i64(3, count_i64(statistics.null_count));
        let MinMax { min, max } = &statistics.bounds;
        if let Some(max) = max {
            out.binary(5, &max.bytes);
        }
        if let Some(min) = min {
            out.binary(6, &min.bytes);
        }
        if let Some(max) = max {
            out.bool(7, max.exact);
        }
        if let Some(min) = min {
            out.bool(8, min.exact);
        }
        out.end();
    }
    if !chunk.encoding_stats.is_empty() {
        out.list(13, ThriftType::Struct, chunk.encoding_stats.len());
        for &(kind, encoding, count) in &chunk.encoding_stats {
            out.element_begin();
            out.i32(1, kind);
            out.i32(2, encoding as i32);
            out.i32(3, i32::try_from(count).unwrap_or(i32::MAX));
            out.end();
        }
    }
}

/// Writes the column index, if all pages with values have bounds.
fn column_index(bytes: &mut Vec<u8>, chunk: &EncodedChunk) {
    let empty = |page: &crate::formats::parquet::write::column::EncodedPage| page.nulls == page.nvalues;
    let bounded = |page: &crate::formats::parquet::write::column::EncodedPage| {
        page.bounds.min.is_some() && page.bounds.max.is_some()
    };
    if !chunk.pages.iter().all(|page| empty(page) || bounded(page)) {
        return;
    }
    let n = chunk.pages.len();
    let mut out = ThriftOut::new(bytes);
    out.list(1, ThriftType::True, n);
    chunk.pages.iter().for_each(|page| out.element_bool(empty(page)));
    out.list(2, ThriftType::Binary, n);
    for page in &chunk.pages {
        out.element_binary(page.bounds.min.as_ref().map_or(&[][..], |bound| &bound.bytes));
    }
    out.list(3, ThriftType::Binary, n);
    for page in &chunk.pages {
        out.element_binary(page.bounds.max.as_ref().map_or(&[][..], |bound| &bound.bytes));
    }
    // The boundary order is declared as unordered.
    out.i32(4, 0);
    out.list(5, ThriftType::I64, n);
    chunk.pages.iter().for_each(|page| out.element_i64(count_i64(page.nulls)));
    out.end();
}
