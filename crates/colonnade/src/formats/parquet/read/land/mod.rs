//! Landing: every page is decoded once, in parallel, to where its values will stay.
//!
//! Columns that NumPy has a dtype for and that hold no nulls land in blocks, one a dtype, column-major; text, and numbers
//! with nulls, land in Arrow's layout; what is rarer goes through the crate's reader. No table stands in between.

mod category;
mod fixed;
mod kept;
mod lengths;
mod nested;
mod page_decoder;
mod strip;
mod text;
mod wide;
mod words;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::import::{holds_nulls, to_block};
use crate::decode::{Layout, PandasNulls};
use crate::error::{Error, Result};
use crate::formats::parquet::chunk::Chunk;
use crate::formats::parquet::codec::Codec;
use crate::formats::parquet::footer::Group;
use crate::formats::parquet::types::Physical;
use crate::progress::Progress;

use super::chunk::{ChunkAt, Pages};
use super::column_plan::{Way, way_of};
use super::conversion::kind;
use super::file::Parquet;
use super::level_streams::Levels;
use super::limits::Account;
use super::schema::RootKind;
use super::selection::Piece;

/// Old parquet-mr told sizes of chunks without the dictionary's header: there pages may pass the end by so much
/// (PARQUET-816). Of others' files, what lies behind a chunk belongs to another.
const SLACK_NBYTES: usize = 128;

/// The first parquet-mr that told them rightly.
const SIZES_ARE_RIGHT: [u32; 3] = [1, 2, 9];

/// Values of fixed bytes that may all be null, and so longer than their pages.
const LONG_NBYTES: u64 = 1 << 20;

/// What is landed, and from where.
pub(crate) struct Landing<'a> {
    pub(crate) file: &'a Parquet,
    /// Rows of the result.
    pub(crate) nrows: usize,
    pub(crate) threads: usize,
    pub(crate) layout: Layout,
    pub(crate) nulls: PandasNulls<'a>,
    /// What all of its columns take.
    account: Account,
}

impl<'a> Landing<'a> {
    /// `nrows` rows of `file`.
    pub(crate) fn new(file: &'a Parquet, nrows: usize, threads: usize, layout: Layout) -> Self {
        let nulls = PandasNulls::new(&file.plan);
        Self { file, nrows, threads, layout, nulls, account: Account::default() }
    }

    /// Adds bytes to what is decoded. `what` takes them, in the plural.
    ///
    /// # Errors
    /// `LimitExceeded`.
    pub(super) fn charge(&self, nbytes: u64, what: &str) -> Result<()> {
        self.file.charge(&self.account, nbytes, what)
    }

    /// Adds cells, of which each may take some bytes whatever the file's size.
    pub(super) fn add_cells(&self, ncells: u64) {
        self.account.add_cells(ncells);
    }

    /// Lands the fields `wanted`; `pieces` follow each other in the result.
    ///
    /// # Errors
    /// Malformed pages; the system's refusal of memory; cancellation.
    pub(crate) fn run(
        &self,
        wanted: &[usize],
        pieces: &[Piece],
        progress: &dyn Progress,
    ) -> Result<DecodedColumns> {
        let ways: Vec<Way> = wanted.iter().map(|&field| self.way(field)).collect::<Result<_>>()?;
        // Row groups without rows have no pages.
        let pieces: Vec<Piece> = pieces.iter().filter(|p| p.nrows > 0).copied().collect();
        let pieces = pieces.as_slice();
        let mut landed = DecodedColumns { exclusive: true, ..DecodedColumns::default() };
        let of = |pick: &dyn Fn(Way) -> bool| -> Vec<usize> {
            (0..wanted.len()).filter(|&i| ways.get(i).is_some_and(|&w| pick(w))).collect()
        };
        self.check(wanted, pieces)?;
        self.check_size(wanted, &ways, pieces)?;
        self.fixed(wanted, &of(&|w| matches!(w, Way::Fixed(_))), pieces, &mut landed, progress)?;
        self.text(wanted, &of(&|w| w == Way::Text), pieces, &mut landed, progress)?;
        self.category(wanted, &of(&|w| w == Way::Category), pieces, &mut landed, progress)?;
        self.nested(wanted, &of(&|w| w == Way::Nested), pieces, &mut landed, progress)?;
        for i in of(&|w| w == Way::Nothing) {
            landed.columns.push((i, ArrayData::new_null(&DataType::Null, self.nrows)));
        }
        if self.layout != Layout::Arrow {
            self.seat_blocks(wanted, &mut landed)?;
        }
        Ok(landed)
    }

    fn way(&self, field: usize) -> Result<Way> {
        let root = self.file.roots.get(field).ok_or_else(|| no_field(field))?;
        let RootKind::Flat(flat) = &root.kind else { return Ok(Way::Nested) };
        Ok(way_of(self.field(field)?.data_type(), flat))
    }

    /// Columns that say a dtype of their own become blocks of it where it holds all that they are.
    fn seat_blocks(&self, wanted: &[usize], landed: &mut DecodedColumns) -> Result<()> {
        let mut left = Vec::with_capacity(landed.columns.len());
        for (i, data) in std::mem::take(&mut landed.columns) {
            let plan = wanted.get(i).and_then(|&field| self.file.plan.fields.get(field));
            match plan.and_then(|plan| plan.decoded_dtype()) {
                Some(dtype) if holds_nulls(dtype, &data) => match to_block(dtype, &data)? {
                    Some(block) => landed.blocks.push((block, vec![i])),
                    None => left.push((i, data)),
                },
                _ => left.push((i, data)),
            }
        }
        landed.columns = left;
        Ok(())
    }

    /// A field of the schema.
    pub(super) fn field(&self, field: usize) -> Result<&'a Field> {
        self.file.schema.fields().get(field).map(|f| &**f).ok_or_else(|| no_field(field))
    }

    /// A row group.
    pub(super) fn group(&self, group: usize) -> Result<&'a Group<'static>> {
        self.file.groups.get(group).ok_or_else(|| Error::not_found("parquet", format!("row group {group}.")))
    }

    /// What the footer says of the chunk of wanted leaf `leaf` in a row group.
    pub(super) fn chunk_of(&self, group: usize, leaf: usize) -> Result<&'a Chunk<'static>> {
        let chunk = self.group(group)?.chunks.get(leaf);
        chunk.ok_or_else(|| Error::not_found("parquet", format!("row group {group}: leaf {leaf}.")))
    }

    /// The bytes of that chunk, and what is known of them.
    ///
    /// # Errors
    /// Truncated: places outside the file. Unsupported: its codec; a key that is missing.
    pub(super) fn chunk(&self, group: usize, leaf: usize) -> Result<ChunkAt<'a>> {
        let chunk = self.chunk_of(group, leaf)?;
        if chunk.encrypted {
            return Err(Error::unsupported(
                "parquet",
                "the column is encrypted, and no key for it was given.",
            ));
        }
        let levels = self.file.leaves.get(leaf).map_or(Levels { definition: 0, repetition: 0 }, |l| Levels {
            definition: l.definition,
            repetition: l.repetition,
        });
        if chunk.nvalues == 0 {
            // Of a chunk without values some writers say no place.
            let codec = Codec::of(chunk.codec)?;
            return Ok(ChunkAt { bytes: &[], base: chunk.start(), codec, nvalues: 0, levels });
        }
        let end_of_data = self.file.footer.0;
        let all = self.file.source.bytes.as_slice().get(..end_of_data).unwrap_or_default();
        let base = chunk.start();
        let range = usize::try_from(base).ok().zip(usize::try_from(chunk.compressed_nbytes).ok());
        let bytes = range.and_then(|(start, nbytes)| {
            let end = start.checked_add(nbytes).filter(|end| *end <= all.len())?;
            let slack = if tells_small_sizes(self.file.created_by.as_deref()) { SLACK_NBYTES } else { 0 };
            all.get(start..end.saturating_add(slack).min(all.len()))
        });
        let Some(bytes) = bytes.filter(|_| base >= 4) else {
            let end = base.saturating_add(chunk.compressed_nbytes);
            let what = "a column chunk, by what the footer says,";
            return Err(Error::truncated("parquet", what, end, end_of_data as u64).at(base));
        };
        Ok(ChunkAt { bytes, base, codec: Codec::of(chunk.codec)?, nvalues: chunk.nvalues, levels })
    }

    /// The pages of a chunk.
    pub(super) fn pages(&self, chunk: &ChunkAt<'a>) -> Pages<'a> {
        Pages::new(chunk, self.file.options.verify, self.file.bounds())
    }

    /// The row group and the column, for errors.
    pub(super) fn named(&self, error: Error, field: usize, group: usize) -> Error {
        let name = self.file.schema.fields().get(field).map_or("", |f| f.name());
        error.in_format("parquet").in_member(format!("row group {group}, column {name}"))
    }

    /// Refuses rows whose values take more memory than the file's bytes can stand for.
    fn check_size(&self, wanted: &[usize], ways: &[Way], pieces: &[Piece]) -> Result<()> {
        let (mut nbytes, mut most) = (0u64, (0, 0));
        for (&field, way) in wanted.iter().zip(ways) {
            let rows = self.nrows as u64;
            let more = match way {
                Way::Fixed(flat) => {
                    let item = kind(self.field(field)?.data_type(), flat).map_or(8, |(_, item)| item);
                    rows.saturating_mul(item as u64)
                }
                Way::Text => rows.saturating_mul(4),
                // Charged as their sizes become known.
                Way::Category | Way::Nested | Way::Nothing => 0,
            };
            nbytes = nbytes.saturating_add(more);
            most = most.max((more, field));
        }
        self.add_cells((self.nrows as u64).saturating_mul(wanted.len() as u64));
        let checked = self.charge(nbytes, &format!("{} rows of {} columns", self.nrows, wanted.len()));
        // The column that takes the most of it is shown.
        checked.map_err(|e| self.named(e, most.1, pieces.first().map_or(0, |piece| piece.group)))
    }

    /// Refuses chunks whose physical type is not the schema's, or of other lengths than their row group.
    fn check(&self, wanted: &[usize], pieces: &[Piece]) -> Result<()> {
        for piece in pieces {
            let nrows = self.group(piece.group)?.nrows;
            for &field in wanted {
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

/// Whether a file's writer was parquet-mr before 1.2.9, or did not say which.
fn tells_small_sizes(created_by: Option<&str>) -> bool {
    let Some(rest) = created_by.and_then(|by| by.strip_prefix("parquet-mr")) else { return false };
    let version = rest.trim_start().strip_prefix("version ").unwrap_or_default();
    let mut parts = version.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0)) < SIZES_ARE_RIGHT
}

#[cfg(test)]
mod tests {
    use super::tells_small_sizes;

    #[test]
    fn old_parquet_mr_is_known() {
        for by in ["parquet-mr", "parquet-mr version 1.2.8", "parquet-mr version 1.2.5-cdh5 (build 7)"] {
            assert!(tells_small_sizes(Some(by)), "{by}");
        }
        for by in
            ["parquet-mr version 1.2.9", "parquet-mr version 1.10.0 (build 1)", "parquet-cpp version 1.0.0"]
        {
            assert!(!tells_small_sizes(Some(by)), "{by}");
        }
        assert!(!tells_small_sizes(None));
    }
}
