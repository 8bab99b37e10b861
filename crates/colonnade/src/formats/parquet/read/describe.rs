//! Describes an opened file: its row groups and, for each column chunk, encodings, codec, sizes and statistics.

use crate::error::Result;
use crate::formats::parquet::chunk::ColumnChunk;
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::footer::Footer;
use crate::formats::parquet::logical_type::Logical;
use crate::formats::parquet::lowered::raised_type;
use crate::formats::parquet::schema::Element;
use crate::formats::parquet::thrift::{Thrift, ThriftType};
use crate::frame::{ByteOrder, type_name};

use super::file::Parquet;
use super::tree;

/// Encodings, by their numbers in the specification.
const ENCODINGS: [&str; 10] = [
    "PLAIN",
    "GROUP_VAR_INT",
    "PLAIN_DICTIONARY",
    "RLE",
    "BIT_PACKED",
    "DELTA_BINARY_PACKED",
    "DELTA_LENGTH_BYTE_ARRAY",
    "DELTA_BYTE_ARRAY",
    "RLE_DICTIONARY",
    "BYTE_STREAM_SPLIT",
];

/// Physical types, by their numbers in the specification.
const PHYSICAL: [&str; 8] =
    ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];

/// A row group as the footer describes it.
#[derive(Debug, Clone, Copy)]
pub struct GroupInfo {
    /// Rows.
    pub nrows: u64,
    /// Bytes of its pages, decompressed.
    pub nbytes: u64,
    /// Bytes of its pages, compressed.
    pub compressed_nbytes: u64,
    /// Offset of its first page.
    pub offset: u64,
}

/// Minimum, maximum and null count of a column chunk; the values are in their encoded form.
#[derive(Debug, Clone, Default)]
pub struct StatisticsInfo {
    /// Minimum.
    pub min: Option<Vec<u8>>,
    /// Maximum.
    pub max: Option<Vec<u8>>,
    /// Null count.
    pub null_count: Option<u64>,
}

/// A column chunk as the footer describes it.
#[derive(Debug, Clone)]
pub struct ChunkInfo {
    /// The names from the root to the leaf, joined by dots.
    pub name: String,
    /// Its row group.
    pub group: usize,
    /// Physical type.
    pub physical: &'static str,
    /// Logical type.
    pub logical: Option<Logical>,
    /// Encodings of its pages and of their levels.
    pub encodings: Vec<&'static str>,
    /// Its codec; `stored` if it is not compressed.
    pub codec: &'static str,
    /// Values, including nulls.
    pub nvalues: u64,
    /// Bytes of its pages, decompressed.
    pub nbytes: u64,
    /// Bytes of its pages, compressed.
    pub compressed_nbytes: u64,
    /// Offset of its first page.
    pub offset: u64,
    /// Statistics.
    pub bounds: Option<StatisticsInfo>,
    /// Whether it has a page index.
    pub page_index: bool,
    /// Whether it has a bloom filter.
    pub bloom: bool,
    /// Whether it is encrypted.
    pub encrypted: bool,
}

impl Parquet {
    /// Bytes of the source.
    #[must_use]
    pub fn file_nbytes(&self) -> u64 {
        self.source.bytes.nbytes() as u64
    }

    /// The application that wrote the file, as the footer names it.
    #[must_use]
    pub fn created_by(&self) -> Option<&str> {
        self.created_by.as_deref()
    }

    /// Version of the format in the footer.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// Bytes of the decoded columns and row labels: exact for fixed-width values, otherwise the bytes of their pages.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        let mut sum = 0u64;
        for (field, root) in self.plan.fields.iter().zip(&self.roots) {
            let width = field.block_dtype().map(|d| u64::from(d.itemsize));
            let pages = || {
                let chunks = self.groups.iter().flat_map(|g| g.chunks.get(root.leaves.clone()));
                chunks.flatten().map(|c| c.nbytes).fold(0, u64::saturating_add)
            };
            let nbytes = width.map_or_else(pages, |w| w.saturating_mul(self.nrows as u64));
            sum = sum.saturating_add(nbytes);
        }
        sum
    }

    /// The dtype of each data column of the loaded frame, as far as the footer determines it.
    #[must_use]
    pub fn dtypes(&self) -> Vec<String> {
        let name = |i: usize| {
            let field = self.plan.fields.get(i)?;
            let root = self.roots.get(i)?;
            let implied = || field.block_dtype().filter(|_| self.has_no_nulls(root.leaves.start));
            let dtype =
                field.dtype.or_else(implied).filter(|d| d.order != ByteOrder::Big || field.dtype.is_some());
            let original = raised_type(&field.data_type, field.tag.as_deref());
            let arrow = || type_name(original.as_ref().unwrap_or(&field.data_type), field.ordered);
            Some(dtype.map_or_else(arrow, |d| d.descr()))
        };
        self.plan.column_fields().into_iter().filter_map(name).collect()
    }

    /// Whether the statistics prove that a flat leaf holds no null.
    fn has_no_nulls(&self, leaf: usize) -> bool {
        if self.leaves.get(leaf).is_some_and(|l| l.definition == 0) {
            return true;
        }
        let footer = self.footer_bytes();
        self.groups.iter().all(|group| {
            let at = group.chunks.get(leaf).and_then(|chunk| chunk.statistics);
            at.and_then(|at| bounds(footer, at).ok()).is_some_and(|b| b.null_count == Some(0))
        })
    }

    fn footer_bytes(&self) -> &[u8] {
        self.source.bytes.as_slice().get(self.footer.0..self.footer.1).unwrap_or_default()
    }

    /// Whether each column's label is its name in the schema.
    #[must_use]
    pub fn labels_are_names(&self) -> bool {
        self.labels_are_names
    }

    /// Returns the row groups and the chunks of all columns, in file order.
    ///
    /// # Errors
    /// Malformed footers.
    pub fn describe(&self) -> Result<(Vec<GroupInfo>, Vec<ChunkInfo>)> {
        let bytes = self.footer_bytes();
        let all = |_: &[Element<'_>], leaves: &[crate::formats::parquet::schema::SchemaLeaf]| {
            Ok((0..leaves.len()).collect())
        };
        let footer = Footer::read(bytes, self.footer.0 as u64, all)?;
        let names: Vec<(String, Option<Logical>)> = footer
            .leaves
            .iter()
            .map(|leaf| {
                let path = tree::paths(&footer.elements, leaf).pop().unwrap_or_default();
                (path, footer.elements.get(leaf.element).and_then(|e| e.logical))
            })
            .collect();
        let (mut groups, mut chunks) = (Vec::new(), Vec::new());
        for (number, group) in footer.groups.iter().enumerate() {
            let offset = group.chunks.iter().map(ColumnChunk::start).min().unwrap_or(0);
            let compressed = group.chunks.iter().map(|c| c.compressed_nbytes).fold(0, u64::saturating_add);
            groups.push(GroupInfo {
                nrows: group.nrows,
                nbytes: group.chunks.iter().map(|c| c.nbytes).fold(0, u64::saturating_add),
                compressed_nbytes: compressed,
                offset,
            });
            for (chunk, (name, logical)) in group.chunks.iter().zip(&names) {
                chunks.push(chunk_info(chunk, bytes, number, name.clone(), *logical)?);
            }
        }
        Ok((groups, chunks))
    }
}

fn chunk_info(
    chunk: &ColumnChunk<'_>,
    footer: &[u8],
    group: usize,
    name: String,
    logical: Option<Logical>,
) -> Result<ChunkInfo> {
    let codec = match PageCodec::from_number(chunk.codec) {
        Ok(PageCodec::None) => "stored",
        Ok(codec) => codec.name(),
        Err(_) if chunk.codec == 3 => "lzo",
        Err(_) => "unknown",
    };
    Ok(ChunkInfo {
        name,
        group,
        physical: named(&PHYSICAL, chunk.physical),
        logical,
        encodings: chunk.encodings.map(|at| encodings(footer, at)).transpose()?.unwrap_or_default(),
        codec,
        nvalues: chunk.nvalues,
        nbytes: chunk.nbytes,
        compressed_nbytes: chunk.compressed_nbytes,
        offset: chunk.start(),
        bounds: chunk.statistics.map(|at| bounds(footer, at)).transpose()?,
        page_index: chunk.offset_index.is_some(),
        bloom: chunk.bloom.is_some(),
        encrypted: chunk.encrypted,
    })
}

fn named(names: &[&'static str], number: i32) -> &'static str {
    usize::try_from(number).ok().and_then(|n| names.get(n)).copied().unwrap_or("UNKNOWN")
}

fn encodings(footer: &[u8], at: usize) -> Result<Vec<&'static str>> {
    let mut t = Thrift::new(footer, 0, "the footer");
    t.seek(at);
    let (wire, n) = t.list()?;
    let mut out = Vec::with_capacity(n.min(ENCODINGS.len()));
    for _ in 0..n {
        if wire != ThriftType::I32 {
            t.skip(wire)?;
            continue;
        }
        let name = named(&ENCODINGS, t.i32()?);
        if !out.contains(&name) {
            out.push(name);
        }
    }
    Ok(out)
}

/// Reads the statistics at `at`. The deprecated `min` and `max` replace missing `min_value` and `max_value`.
fn bounds(footer: &[u8], at: usize) -> Result<StatisticsInfo> {
    let mut t = Thrift::new(footer, 0, "the footer");
    t.seek(at);
    let (mut out, mut old, mut last) = (StatisticsInfo::default(), StatisticsInfo::default(), 0);
    while let Some(field) = t.field(&mut last)? {
        match (field.id, field.wire) {
            (1, ThriftType::Binary) => old.max = Some(t.binary()?.to_vec()),
            (2, ThriftType::Binary) => old.min = Some(t.binary()?.to_vec()),
            (3, ThriftType::I64) => out.null_count = Some(t.count()?),
            (5, ThriftType::Binary) => out.max = Some(t.binary()?.to_vec()),
            (6, ThriftType::Binary) => out.min = Some(t.binary()?.to_vec()),
            _ => t.skip(field.wire)?,
        }
    }
    if out.min.is_none() && out.max.is_none() {
        (out.min, out.max) = (old.min, old.max);
    }
    Ok(out)
}
