//! Decodes column chunks: every page once, in parallel, straight into the memory of the result.
//!
//! Columns with a NumPy dtype and without nulls become blocks, one for each dtype, column-major. Text, and numbers with nulls,
//! are decoded into Arrow's layout. Rare nested types use the reader of the `parquet` crate. There is no intermediate table.

mod bools;
mod category;
mod decimal;
mod fixed;
mod fixed_len_byte_array;
mod leaf_selection;
mod nested;
mod page_decoder;
mod primitive;
mod stored_dictionary;
mod text;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::import::{holds_nulls, to_block};
use crate::decode::{MemoryLayout, PandasNulls};
use crate::error::{Error, Result};
use crate::formats::parquet::chunk::ColumnChunk;
use crate::formats::parquet::codec::PageCodec;
use crate::formats::parquet::footer::RowGroup;
use crate::formats::parquet::types::Physical;
use crate::progress::Progress;

use super::chunk::{ChunkInput, Pages};
use super::column_plan::{ColumnPlan, column_plan};
use super::conversion::fixed_conversion;
use super::file::Parquet;
use super::level_streams::MaxLevels;
use super::limits::Account;
use super::schema::RootKind;
use super::selection::RowPiece;

/// Old versions of parquet-mr stored chunk sizes without the dictionary page header, so that pages may exceed the chunk by this
/// much (PARQUET-816). In files of other writers, the bytes after a chunk belong to another chunk.
const SLACK_NBYTES: usize = 128;

/// The first version of parquet-mr that stored correct sizes.
const SIZES_ARE_RIGHT: [u32; 3] = [1, 2, 9];

/// Pages of only nulls may be smaller than one of their fixed-length values; a type of values up to this width is always
/// accepted.
const LONG_NBYTES: u64 = 1 << 20;

/// One decoding of some columns and rows of a file.
pub(crate) struct ChunkDecoder<'a> {
    pub(crate) file: &'a Parquet,
    /// Rows of the result.
    pub(crate) nrows: usize,
    pub(crate) threads: usize,
    pub(crate) layout: MemoryLayout,
    pub(crate) nulls: PandasNulls<'a>,
    /// The bytes and cells of all its columns.
    account: Account,
}

impl<'a> ChunkDecoder<'a> {
    /// A decoding of `nrows` rows of `file`.
    pub(crate) fn new(file: &'a Parquet, nrows: usize, threads: usize, layout: MemoryLayout) -> Self {
        let nulls = PandasNulls::new(&file.plan);
        Self { file, nrows, threads, layout, nulls, account: Account::default() }
    }

    /// Adds bytes to the decoded size. `what` is the plural noun for the error message.
    ///
    /// # Errors
    /// `LimitExceeded`.
    pub(super) fn charge(&self, nbytes: u64, what: &str) -> Result<()> {
        self.file.charge(&self.account, nbytes, what)
    }

    /// Adds cells, each of which may take some bytes whatever the size of the file.
    pub(super) fn add_cells(&self, ncells: u64) {
        self.account.add_cells(ncells);
    }

    /// Decodes the fields `projection`; `pieces` are adjacent in the result.
    ///
    /// # Errors
    /// Malformed pages; out of memory; cancellation.
    pub(crate) fn run(
        &self,
        projection: &[usize],
        pieces: &[RowPiece],
        progress: &dyn Progress,
    ) -> Result<DecodedColumns> {
        let plans: Vec<ColumnPlan> =
            projection.iter().map(|&field| self.column_plan(field)).collect::<Result<_>>()?;
        // Row groups without rows have no pages.
        let pieces: Vec<RowPiece> = pieces.iter().filter(|p| p.nrows > 0).copied().collect();
        let pieces = pieces.as_slice();
        let mut decoded = DecodedColumns { exclusive: true, ..DecodedColumns::default() };
        let of = |pick: &dyn Fn(ColumnPlan) -> bool| -> Vec<usize> {
            (0..projection.len()).filter(|&i| plans.get(i).is_some_and(|&w| pick(w))).collect()
        };
        self.check(projection, pieces)?;
        self.check_size(projection, &plans, pieces)?;
        self.fixed(projection, &of(&|w| matches!(w, ColumnPlan::Fixed(_))), pieces, &mut decoded, progress)?;
        self.text(projection, &of(&|w| w == ColumnPlan::Text), pieces, &mut decoded, progress)?;
        self.category(projection, &of(&|w| w == ColumnPlan::Category), pieces, &mut decoded, progress)?;
        self.nested(projection, &of(&|w| w == ColumnPlan::Nested), pieces, &mut decoded, progress)?;
        for i in of(&|w| w == ColumnPlan::Nothing) {
            decoded.columns.push((i, ArrayData::new_null(&DataType::Null, self.nrows)));
        }
        if !self.layout.is_arrow() {
            self.convert_to_blocks(projection, &mut decoded)?;
        }
        Ok(decoded)
    }

    fn column_plan(&self, field: usize) -> Result<ColumnPlan> {
        let root = self.file.roots.get(field).ok_or_else(|| no_field(field))?;
        let RootKind::Flat(flat) = &root.kind else { return Ok(ColumnPlan::Nested) };
        Ok(column_plan(self.field(field)?.data_type(), flat))
    }

    /// Converts columns with a stored dtype to blocks of that dtype if it can hold all their values.
    fn convert_to_blocks(&self, projection: &[usize], decoded: &mut DecodedColumns) -> Result<()> {
        let mut left = Vec::with_capacity(decoded.columns.len());
        for (i, data) in std::mem::take(&mut decoded.columns) {
            let plan = projection.get(i).and_then(|&field| self.file.plan.fields.get(field));
            match plan.and_then(|plan| plan.decoded_dtype()) {
                Some(dtype) if holds_nulls(dtype, &data) => match to_block(dtype, &data)? {
                    Some(block) => decoded.blocks.push((block, vec![i])),
                    None => left.push((i, data)),
                },
                _ => left.push((i, data)),
            }
        }
        decoded.columns = left;
        Ok(())
    }

    /// Returns a field of the schema.
    pub(super) fn field(&self, field: usize) -> Result<&'a Field> {
        self.file.schema.fields().get(field).map(|f| &**f).ok_or_else(|| no_field(field))
    }

    /// Returns a row group.
    pub(super) fn group(&self, group: usize) -> Result<&'a RowGroup<'static>> {
        self.file.groups.get(group).ok_or_else(|| Error::not_found("parquet", format!("row group {group}.")))
    }

    /// Returns the footer's entry for the chunk of projected leaf `leaf` in a row group.
    pub(super) fn chunk_of(&self, group: usize, leaf: usize) -> Result<&'a ColumnChunk<'static>> {
        let chunk = self.group(group)?.chunks.get(leaf);
        chunk.ok_or_else(|| Error::not_found("parquet", format!("row group {group}: leaf {leaf}.")))
    }

    /// Returns the bytes and properties of that chunk.
    ///
    /// # Errors
    /// Truncated: offsets outside the file. Unsupported: its codec; a missing key.
    pub(super) fn chunk(&self, group: usize, leaf: usize) -> Result<ChunkInput<'a>> {
        let chunk = self.chunk_of(group, leaf)?;
        if chunk.encrypted {
            return Err(Error::unsupported(
                "parquet",
                "the column is encrypted, and no key for it was given.",
            ));
        }
        let levels = self.file.leaves.get(leaf).map_or(MaxLevels { definition: 0, repetition: 0 }, |l| {
            MaxLevels { definition: l.definition, repetition: l.repetition }
        });
        if chunk.nvalues == 0 {
            // Some writers store no offset for a chunk without values.
            let codec = PageCodec::from_number(chunk.codec)?;
            return Ok(ChunkInput { bytes: &[], base: chunk.start(), codec, nvalues: 0, levels });
        }
        let end_of_data = self.file.footer.0;
        let all = self.file.source.bytes.as_slice().get(..end_of_data).unwrap_or_default();
        let base = chunk.start();
        let range = usize::try_from(base).ok().zip(usize::try_from(chunk.compressed_nbytes).ok());
        let bytes = range.and_then(|(start, nbytes)| {
            let end = start.checked_add(nbytes).filter(|end| *end <= all.len())?;
            let slack = if stores_small_sizes(self.file.created_by.as_deref()) { SLACK_NBYTES } else { 0 };
            all.get(start..end.saturating_add(slack).min(all.len()))
        });
        let Some(bytes) = bytes.filter(|_| base >= 4) else {
            let end = base.saturating_add(chunk.compressed_nbytes);
            let what = "a column chunk, by what the footer says,";
            return Err(Error::truncated("parquet", what, end, end_of_data as u64).at(base));
        };
        self.wait_for(chunk)?;
        Ok(ChunkInput {
            bytes,
            base,
            codec: PageCodec::from_number(chunk.codec)?,
            nvalues: chunk.nvalues,
            levels,
        })
    }

    /// Waits until a chunk of a remote file has landed.
    pub(super) fn wait_for(&self, chunk: &ColumnChunk<'_>) -> Result<()> {
        let Some(remote) = &self.file.source.remote else { return Ok(()) };
        let range = usize::try_from(chunk.start()).ok().zip(usize::try_from(chunk.compressed_nbytes).ok());
        let (start, nbytes) = range.ok_or_else(|| Error::too_large("parquet"))?;
        remote.wait_for(start, start.saturating_add(nbytes))
    }

    /// Returns an iterator over the pages of a chunk.
    pub(super) fn pages(&self, chunk: &ChunkInput<'a>) -> Pages<'a> {
        Pages::new(chunk, self.file.options.verify, self.file.bounds())
    }

    /// Adds the row group and the column to an error.
    pub(super) fn named(&self, error: Error, field: usize, group: usize) -> Error {
        let name = self.file.schema.fields().get(field).map_or("", |f| f.name());
        error.in_format("parquet").in_member(format!("row group {group}, column {name}"))
    }

    /// Refuses rows whose values take more memory than the file's bytes can back.
    fn check_size(&self, projection: &[usize], plans: &[ColumnPlan], pieces: &[RowPiece]) -> Result<()> {
        let (mut nbytes, mut most) = (0u64, (0, 0));
        for (&field, plan) in projection.iter().zip(plans) {
            let rows = self.nrows as u64;
            let more = match plan {
                ColumnPlan::Fixed(flat) => {
                    let item =
                        fixed_conversion(self.field(field)?.data_type(), flat).map_or(8, |(_, item)| item);
                    rows.saturating_mul(item as u64)
                }
                ColumnPlan::Text => rows.saturating_mul(4),
                // These are charged as their sizes become known.
                ColumnPlan::Category | ColumnPlan::Nested | ColumnPlan::Nothing => 0,
            };
            nbytes = nbytes.saturating_add(more);
            most = most.max((more, field));
        }
        self.add_cells((self.nrows as u64).saturating_mul(projection.len() as u64));
        let checked = self.charge(nbytes, &format!("{} rows of {} columns", self.nrows, projection.len()));
        // The error names the column that takes the most memory.
        checked.map_err(|e| self.named(e, most.1, pieces.first().map_or(0, |piece| piece.group)))
    }

    /// Refuses chunks whose physical type is not the schema's, or whose number of values is not their row group's number of
    /// rows.
    fn check(&self, projection: &[usize], pieces: &[RowPiece]) -> Result<()> {
        for piece in pieces {
            let nrows = self.group(piece.group)?.nrows;
            for &field in projection {
                let Some(root) = self.file.roots.get(field) else { continue };
                let RootKind::Flat(flat) = &root.kind else { continue };
                let chunk = self.chunk_of(piece.group, root.leaves.start)?;
                let named = |message: String| {
                    let error = Error::malformed("parquet", message).at(chunk.start());
                    self.named(error, field, piece.group)
                };
                if chunk.nvalues != nrows && !chunk.encrypted {
                    let message = format!(
                        "expected {nrows} values as its row group has rows, found {}. The file is damaged; write it again.",
                        chunk.nvalues
                    );
                    return Err(named(message));
                }
                if chunk.physical != flat.physical.number() && !chunk.encrypted {
                    let message = format!(
                        "expected physical type {} as the schema says, found {}. The file is damaged; write it again.",
                        flat.physical.number(),
                        chunk.physical
                    );
                    return Err(named(message));
                }
                if let Physical::Fixed(width) = flat.physical
                    && u64::from(width) > chunk.nbytes.max(LONG_NBYTES)
                {
                    let message = format!(
                        "values of {width} bytes, where all of its pages have {}. The file is damaged; write it again.",
                        chunk.nbytes
                    );
                    return Err(named(message));
                }
            }
        }
        Ok(())
    }
}

fn no_field(field: usize) -> Error {
    Error::not_found("parquet", format!("field {field}."))
}

/// Whether the file's writer is parquet-mr before 1.2.9, or an unknown version of it.
fn stores_small_sizes(created_by: Option<&str>) -> bool {
    let Some(rest) = created_by.and_then(|by| by.strip_prefix("parquet-mr")) else { return false };
    let version = rest.trim_start().strip_prefix("version ").unwrap_or_default();
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0)) < SIZES_ARE_RIGHT
}

#[cfg(test)]
mod tests {
    use super::stores_small_sizes;

    #[test]
    fn old_parquet_mr_is_known() {
        for by in ["parquet-mr", "parquet-mr version 1.2.8", "parquet-mr version 1.2.5-cdh5 (build 7)"] {
            assert!(stores_small_sizes(Some(by)), "{by}");
        }
        for by in
            ["parquet-mr version 1.2.9", "parquet-mr version 1.10.0 (build 1)", "parquet-cpp version 1.0.0"]
        {
            assert!(!stores_small_sizes(Some(by)), "{by}");
        }
        assert!(!stores_small_sizes(None));
    }
}
