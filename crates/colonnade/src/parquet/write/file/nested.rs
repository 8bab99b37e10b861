//! Lists, structs, maps and run-ends: written by the `parquet` crate as a file of one column in memory, whose chunks become
//! chunks of ours.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions, make_array, new_empty_array};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

use crate::error::{Error, Result};
use crate::parquet::codec::Codec;
use crate::parquet::footer::Footer;
use crate::parquet::schema::{Element, Logical};
use crate::parquet::write::column::{Bound, Bounds, Chunk, Encoding, Packing, Profile, Settings, Statistics};

use super::elements;

/// A group as the schema lists it, and its leaves.
#[derive(Debug)]
pub(super) struct Group {
    /// Its elements in the footer's form.
    pub(super) elements: Vec<u8>,
    /// How many.
    pub(super) nelements: usize,
    /// Physical type and path of each leaf.
    pub(super) leaves: Vec<(i32, Vec<String>)>,
}

fn refuse(error: &ParquetError) -> Error {
    let message = format!("Parquet cannot hold it: {error}. Convert the column first.");
    Error::unrepresentable("parquet", message)
}

/// What of the type has no place in Parquet, and what to do then. `inner`: it stands within another type.
fn unheld(data_type: &DataType, inner: bool) -> Option<&'static str> {
    match data_type {
        DataType::Union(..) => {
            Some("Parquet has no unions. Convert the column first, to a struct of one field a kind, say.")
        }
        DataType::RunEndEncoded(..) if inner => {
            Some("run-ends within another type have no place in Parquet. Decode them first.")
        }
        DataType::FixedSizeBinary(0) if inner => {
            Some("binary of no width within another type has no place in Parquet. Drop it first.")
        }
        DataType::List(f)
        | DataType::LargeList(f)
        | DataType::FixedSizeList(f, _)
        | DataType::ListView(f)
        | DataType::LargeListView(f)
        | DataType::RunEndEncoded(_, f)
        | DataType::Map(f, _) => unheld(f.data_type(), true),
        DataType::Struct(fields) => fields.iter().find_map(|f| unheld(f.data_type(), true)),
        DataType::Dictionary(_, values) => unheld(values, true),
        _ => None,
    }
}

/// What the field is in the schema.
///
/// # Errors
/// `Unrepresentable`: unions, and what else Parquet has not.
pub(super) fn group(field: &Field) -> Result<Group> {
    if let Some(message) = unheld(field.data_type(), false) {
        return Err(Error::unrepresentable("parquet", message));
    }
    let empty = new_empty_array(field.data_type()).to_data();
    let (bytes, _) = file(field, &empty, &Settings::default())?;
    let tail = bytes.len().saturating_sub(8);
    let length =
        bytes.get(tail..).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b) as usize);
    let footer = bytes.get(tail.saturating_sub(length)..tail).unwrap_or(&[]);
    let footer = Footer::read(footer, 0, |_, leaves| Ok((0..leaves.len()).collect()))?;
    let mut all = footer.elements;
    let Some(mine) = all.get_mut(1..) else {
        return Err(Error::malformed("parquet", "a schema without a column."));
    };
    name(mine, &mut 0, None, Within::Nothing);
    let mut out = Group { elements: Vec::new(), nelements: mine.len(), leaves: Vec::new() };
    mine.iter().for_each(|element| elements::push(&mut out.elements, element));
    let mut path = Vec::new();
    leaves(mine, &mut 0, &mut path, &mut out.leaves);
    Ok(out)
}

/// What a repeated group stands in.
#[derive(Clone, Copy)]
enum Within {
    Nothing,
    List,
    Map,
}

/// Names of lists and maps as the specification has them.
fn name(all: &mut [Element<'_>], at: &mut usize, forced: Option<&'static str>, within: Within) {
    let Some(element) = all.get_mut(*at) else { return };
    if let Some(forced) = forced {
        element.name = forced;
    }
    let (children, logical) = (element.children, element.logical);
    *at += 1;
    for k in 0..children {
        match (within, logical) {
            (Within::List, _) => name(all, at, Some("element"), Within::Nothing),
            (Within::Map, _) => name(all, at, Some(if k == 0 { "key" } else { "value" }), Within::Nothing),
            (_, Some(Logical::List)) => name(all, at, Some("list"), Within::List),
            (_, Some(Logical::Map)) => name(all, at, Some("key_value"), Within::Map),
            _ => name(all, at, None, Within::Nothing),
        }
    }
}

fn leaves(all: &[Element<'_>], at: &mut usize, path: &mut Vec<String>, out: &mut Vec<(i32, Vec<String>)>) {
    let Some(element) = all.get(*at) else { return };
    *at += 1;
    path.push(element.name.to_owned());
    if let Some(physical) = element.physical {
        out.push((physical, path.clone()));
    }
    for _ in 0..element.children {
        leaves(all, at, path, out);
    }
    path.pop();
}

/// Appends the chunks of the column's leaves to `out`, one behind the other.
///
/// # Errors
/// `Unrepresentable`: values that Parquet cannot hold.
pub(super) fn encode(
    field: &Field,
    data: &ArrayData,
    settings: &Settings,
    out: &mut Vec<u8>,
) -> Result<Vec<Chunk>> {
    let (bytes, metadata) = file(field, data, settings)?;
    let Some(group) = metadata.row_groups().first() else {
        return Err(Error::malformed("parquet", "a row group was not written."));
    };
    let mut chunks = Vec::with_capacity(group.columns().len());
    for column in group.columns() {
        let (start, length) = column.byte_range();
        let range = usize::try_from(start).ok().zip(usize::try_from(length).ok());
        let part = range.and_then(|(start, length)| bytes.get(start..start.checked_add(length)?));
        out.extend_from_slice(part.ok_or_else(|| Error::malformed("parquet", "a chunk was not written."))?);
        chunks.push(chunk(column, start)?);
    }
    Ok(chunks)
}

fn chunk(column: &ColumnChunkMetaData, start: u64) -> Result<Chunk> {
    let size = |n: i64| usize::try_from(n).unwrap_or(0);
    let from = |at: i64| u64::try_from(at).ok().and_then(|at| usize::try_from(at.checked_sub(start)?).ok());
    let encodings = column.encodings().filter_map(|e| Encoding::of(e as i32)).collect();
    let statistics = column.statistics().map(|found| {
        let bound = |bytes: Option<&[u8]>, exact| bytes.map(|bytes| Bound { bytes: bytes.to_vec(), exact });
        let kept = !found.is_min_max_deprecated();
        let min = bound(found.min_bytes_opt().filter(|_| kept), found.min_is_exact());
        let max = bound(found.max_bytes_opt().filter(|_| kept), found.max_is_exact());
        let null_count = found.null_count_opt().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        Statistics { bounds: Bounds { min, max }, null_count }
    });
    Ok(Chunk {
        encodings,
        encoding_stats: Vec::new(),
        codec: Codec::of(column.compression_codec() as i32)?,
        nvalues: size(column.num_values()),
        nbytes: size(column.uncompressed_size()),
        compressed_nbytes: size(column.compressed_size()),
        dictionary_at: column.dictionary_page_offset().and_then(from),
        data_at: from(column.data_page_offset()).unwrap_or(0),
        statistics,
        pages: Vec::new(),
    })
}

/// A file of this one column.
fn file(field: &Field, data: &ArrayData, settings: &Settings) -> Result<(Vec<u8>, ParquetMetaData)> {
    let field = Arc::new(field.clone().with_metadata(arrow_schema::Metadata::new()));
    let schema = Arc::new(Schema::new(vec![field]));
    let options = RecordBatchOptions::new().with_row_count(Some(data.len()));
    let batch =
        RecordBatch::try_new_with_options(Arc::clone(&schema), vec![make_array(data.clone())], &options);
    let batch = batch.map_err(|e| refuse(&ParquetError::from(e)))?;
    let properties = WriterProperties::builder()
        .set_compression(compression(settings)?)
        .set_dictionary_enabled(settings.dictionary)
        .set_data_page_size_limit(settings.page_nbytes)
        .set_max_row_group_row_count(None)
        .set_max_row_group_bytes(None)
        .set_offset_index_disabled(true)
        .set_writer_version(if settings.version_2 {
            WriterVersion::PARQUET_2_0
        } else {
            WriterVersion::PARQUET_1_0
        })
        .set_statistics_enabled(if settings.statistics {
            EnabledStatistics::Chunk
        } else {
            EnabledStatistics::None
        })
        .build();
    let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let mut writer =
        ArrowWriter::try_new_with_options(Vec::new(), schema, options).map_err(|e| refuse(&e))?;
    writer.write(&batch).map_err(|e| refuse(&e))?;
    let metadata = writer.finish().map_err(|e| refuse(&e))?;
    Ok((writer.inner().clone(), metadata))
}

fn compression(settings: &Settings) -> Result<Compression> {
    let codec = match (settings.codec, settings.profile) {
        (Packing::One(codec), _) => codec,
        (Packing::Auto, Profile::Fast) => Codec::Snappy,
        (Packing::Auto, _) => Codec::Zstd,
    };
    let level = settings.level;
    Ok(match codec {
        Codec::None => Compression::UNCOMPRESSED,
        Codec::Snappy => Compression::SNAPPY,
        Codec::Gzip => {
            let level = level.and_then(|l| u32::try_from(l).ok()).map(GzipLevel::try_new);
            Compression::GZIP(level.transpose().map_err(|e| refuse(&e))?.unwrap_or_default())
        }
        Codec::Brotli => {
            let level = level.and_then(|l| u32::try_from(l).ok()).map(BrotliLevel::try_new);
            Compression::BROTLI(level.transpose().map_err(|e| refuse(&e))?.unwrap_or_default())
        }
        Codec::Zstd => {
            let level = level.map(ZstdLevel::try_new);
            Compression::ZSTD(level.transpose().map_err(|e| refuse(&e))?.unwrap_or_default())
        }
        Codec::Lz4Raw | Codec::Lz4Hadoop => Compression::LZ4_RAW,
    })
}
