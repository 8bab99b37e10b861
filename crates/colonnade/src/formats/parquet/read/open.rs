//! Opens a file: reads its footer, but none of its pages.

use super::columns::{label_columns, projected_columns};
use super::file::{Parquet, ParquetBytes};
use super::options::ReadOptions;
use super::projection::ColumnNames;
use super::schema::choose;
use super::selection::Selection;
use super::{encrypted, row_filter};
use crate::arrow::meta::{KEY as OURS, LabelsMeta, SchemaMeta};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::RowFilter;
use crate::formats::parquet::footer::{Footer, RowGroup};
use crate::formats::parquet::schema::SchemaLeaf;
use crate::memory::{Buffer, Remote};
use crate::progress::{NoProgress, Progress, SignalsOnly};
use crate::source;
use std::collections::HashSet;
use std::sync::{Mutex, OnceLock};

/// The magic number at both ends of a file.
pub const MAGIC: &[u8; 4] = b"PAR1";

/// The magic number at the end of a file whose footer is encrypted.
const ENCRYPTED: &[u8; 4] = b"PARE";

/// Bytes that hold the footer of most files, which are fetched first.
const TAIL_NBYTES: usize = 64 << 10;

impl Parquet {
    /// Opens any source. Of a remote file only the footer is fetched. A stream is read to its end, because the footer comes
    /// last; `progress` reports that.
    ///
    /// # Errors
    /// Operating-system errors; malformed or truncated footers; columns that do not exist; a limit.
    pub fn open_source(
        source: source::Source<'_>,
        options: ReadOptions,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let source = source.open("parquet", &options.limits, options.threads, progress)?;
        if let Some(remote) = &source.remote {
            need_footer(remote)?;
        }
        Self::open(source.into(), options, progress)
    }

    /// Opens bytes in memory. `progress` can cancel the evaluation of a filter; nothing is reported to it.
    ///
    /// # Errors
    /// Malformed or truncated footers; columns that do not exist.
    pub fn open_buffer(bytes: Buffer, options: ReadOptions, progress: &dyn Progress) -> Result<Self> {
        Self::open(ParquetBytes { bytes, remote: None, is_map: false }, options, progress)
    }

    pub(super) fn open(source: ParquetBytes, options: ReadOptions, progress: &dyn Progress) -> Result<Self> {
        let bytes = source.bytes.clone();
        let (mut start, mut end) = footer_range(bytes.as_slice())?;
        let mut footer_bytes = bytes.as_slice().get(start..end).unwrap_or_default();
        let sealed = bytes.as_slice().ends_with(ENCRYPTED);
        let sealed = sealed
            .then(|| encrypted::footer(footer_bytes, start as u64, options.keys.as_ref()))
            .transpose()?;
        if let Some(plain) = &sealed {
            footer_bytes = plain.footer.as_slice();
        }
        if footer_bytes.len() as u64 > options.limits.max_meta_nbytes {
            let message = format!(
                "the footer has {} bytes, over the limit of {}. Raise max_meta_nbytes to read it.",
                footer_bytes.len(),
                options.limits.max_meta_nbytes
            );
            return Err(Error::limit("parquet", message).at(start as u64));
        }
        let read = |names: Option<&ColumnNames<'_>>| {
            Footer::read(footer_bytes, start as u64, |elements, leaves| {
                let mut chosen = choose(elements, leaves, names)?;
                if let Some(only) = &options.leaves {
                    chosen.retain(|&leaf| leaves.get(leaf).is_some_and(|leaf| only.contains(&leaf.element)));
                }
                Ok(chosen)
            })
        };
        let names: Option<ColumnNames<'_>> =
            options.columns.as_ref().map(|list| list.iter().map(String::as_str).collect());
        let mut footer = read(names.as_ref())?;
        let colonnade_meta =
            footer.value(OURS).map(SchemaMeta::parse).transpose().map_err(|e| e.in_format("parquet"))?;
        if let Some(mut names) = names {
            // Columns that hold row labels are read too. The metadata name them; they are stored after the row groups.
            let labels = label_columns(&footer, colonnade_meta.as_ref());
            let labels: HashSet<&str> = labels.iter().map(String::as_str).collect();
            let known = footer.leaves.iter().filter_map(|l| footer.elements.get(l.root)).map(|e| e.name);
            let more: HashSet<&str> = known.filter(|n| labels.contains(n) && !names.contains(n)).collect();
            if !more.is_empty() {
                names.extend(more);
                footer = read(Some(&names))?;
            }
        }
        for element in &mut footer.elements {
            element.int96_unit = options.int96_unit;
        }
        let labels_are_names = colonnade_meta
            .as_ref()
            .is_none_or(|meta| matches!(meta.columns.labels, LabelsMeta::Fixed(_) | LabelsMeta::Text { .. }));
        let (schema, roots, plan) = projected_columns(&footer, colonnade_meta.is_some(), &options)?;
        check_columns(schema.fields().len(), &options)?;
        let leaves: Vec<SchemaLeaf> =
            footer.projection.iter().filter_map(|&l| footer.leaves.get(l).copied()).collect();
        let (created_by, version) = (footer.created_by.map(str::to_owned), footer.version);
        let ordered = std::mem::take(&mut footer.ordered);
        let stored_bytes = source.clone();
        let mut source = source;
        if let Some(keys) = options.keys.as_ref().filter(|_| footer.encrypted || sealed.is_some()) {
            let signed;
            let opened = match &sealed {
                Some(sealed) => sealed,
                None => {
                    signed = encrypted::signed_footer(footer_bytes, start as u64, keys)?;
                    &signed
                }
            };
            if let Some(remote) = &source.remote {
                remote.need(&[(0, bytes.nbytes())], &NoProgress)?;
            }
            let (image, at) = opened.image(bytes.as_slice(), &mut footer, keys)?;
            (start, end) = (at, image.len());
            source = ParquetBytes { bytes: Buffer::from_vec(image), remote: None, is_map: false };
        }
        let (groups, mut starts, mut nrows) = groups(footer.groups)?;
        let left = |filter| evaluate_filter(&stored_bytes, filter, &options, progress);
        let selection = options.filter.as_ref().map(left).transpose()?;
        let mut plan = plan;
        plan.set_nrows(nrows);
        if let Some(selection) = &selection {
            if selection.counts().sum::<usize>() < nrows {
                plan.pick(|| selection.positions(&starts))?;
            }
            nrows = 0;
            for (start, count) in starts.iter_mut().zip(selection.counts()) {
                *start = nrows;
                nrows += count;
            }
        }
        let index = OnceLock::new();
        let out = Self {
            source,
            stored_bytes,
            groups,
            starts,
            nrows,
            selection,
            leaves,
            ordered,
            roots,
            schema,
            plan,
            footer: (start, end),
            created_by,
            version,
            labels_are_names,
            options,
            index,
            narrowed: Mutex::new(None),
        };
        out.check_rows()?;
        Ok(out)
    }

    /// Refuses a number of rows that the file's bytes cannot back.
    fn check_rows(&self) -> Result<()> {
        self.check_count(self.nrows as u64, "rows", self.footer.0 as u64)
    }
}

/// Evaluates the filter: the file is opened once more, for the filter's columns.
fn evaluate_filter(
    source: &ParquetBytes,
    filter: &RowFilter,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Selection> {
    let columns = filter.columns().into_iter().map(str::to_owned).collect();
    let filter_options = ReadOptions { columns: Some(columns), filter: None, ..options.clone() };
    row_filter::select(
        &Parquet::open(source.clone(), filter_options, progress)?,
        filter,
        &SignalsOnly(progress),
    )
}

/// Returns start and end of the footer.
fn footer_range(bytes: &[u8]) -> Result<(usize, usize)> {
    let length = bytes.len() as u64;
    let known = |magic: &[u8]| magic.starts_with(bytes) || bytes.starts_with(magic);
    let is_ours = known(MAGIC) || known(ENCRYPTED);
    if bytes.len() < 12 && is_ours {
        return Err(Error::truncated("parquet", "the file", 12, length));
    }
    if bytes.len() < 12 || !bytes.ends_with(MAGIC) && !bytes.ends_with(ENCRYPTED) {
        let at = length.saturating_sub(4);
        if is_ours {
            let message = "expected PAR1 at the end. The file was cut short, or its writer was not closed: \
                           fetch or write it again.";
            let kind = ErrorKind::Truncated { needed: length + 1, had: length };
            return Err(Error::new(kind, "parquet", message).at(at));
        }
        return Err(Error::malformed("parquet", "expected PAR1 at the end. This is no Parquet file.").at(at));
    }
    let end = bytes.len() - 8;
    let length =
        bytes.get(end..).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b)) as usize;
    match end.checked_sub(length) {
        Some(start) if start >= 4 => Ok((start, end)),
        _ => Err(Error::truncated("parquet", "the footer", length as u64, end as u64 - 4).at(end as u64)),
    }
}

/// Fetches the footer of a remote file.
fn need_footer(remote: &Remote) -> Result<()> {
    let total = remote.bytes().nbytes();
    remote.need(&[(0, 4), (total.saturating_sub(TAIL_NBYTES), total)], &NoProgress)?;
    // Opening reads the same bytes and reports what is wrong with them.
    match footer_range(remote.bytes().as_slice()) {
        Ok(range) => remote.need(&[range], &NoProgress),
        Err(_) => Ok(()),
    }
}

fn check_columns(found: usize, options: &ReadOptions) -> Result<()> {
    let limit = options.limits.max_columns;
    if found as u64 <= limit {
        return Ok(());
    }
    let message = format!("{found} columns, over the limit of {limit}. Raise max_columns to read them.");
    Err(Error::limit("parquet", message))
}

/// Returns row groups that own their data, the first row of each, and the total number of rows.
fn groups(groups: Vec<RowGroup<'_>>) -> Result<(Vec<RowGroup<'static>>, Vec<usize>, usize)> {
    let (mut out, mut starts, mut nrows) = (Vec::with_capacity(groups.len()), Vec::new(), 0usize);
    for (number, group) in groups.into_iter().enumerate() {
        let mut chunks = Vec::with_capacity(group.chunks.len());
        for chunk in group.chunks {
            if let Some(file) = chunk.file {
                let message = format!(
                    "its columns are stored in another file, {file:?}, which is not followed. Read that file itself."
                );
                return Err(Error::unsupported("parquet", message).in_member(format!("row group {number}")));
            }
            chunks.push(crate::formats::parquet::chunk::ColumnChunk { file: None, ..chunk });
        }
        starts.push(nrows);
        let more = usize::try_from(group.nrows).ok();
        nrows = more.and_then(|n| nrows.checked_add(n)).ok_or_else(|| Error::too_large("parquet"))?;
        out.push(RowGroup { nrows: group.nrows, nbytes: group.nbytes, chunks });
    }
    Ok((out, starts, nrows))
}
