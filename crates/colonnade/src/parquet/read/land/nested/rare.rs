//! What is rare, in lists, structs and maps or beside them: through the crate's Arrow reader.
//!
//! The pages are ours: their headers are read and proven, and their bytes decompressed, before the crate sees them.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use arrow_array::Array;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection, RowSelector};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Repetition, Type as CrateType};
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::arrow::concat;
use crate::arrow::landed::Landed;
use crate::error::{Error, Result};
use crate::parquet::types::{Physical, Way};
use crate::plan::{self, Progress};

use super::super::super::names;
use super::super::super::schema::RootKind;
use super::super::{Landing, Piece, kept};
use super::bounds::{check_keys, filled_nbytes};
use super::pages::{Chunk, Group};
use super::texts;

/// Rows are read by so many: room for their levels is taken before they are seen.
const BATCH_ROWS: usize = 1 << 16;

impl Landing<'_> {
    /// Lands the fields `wanted[i]` for `i` of `these`, in parallel by column and row group.
    pub(super) fn rare(
        &self,
        wanted: &[usize],
        these: &[usize],
        pieces: &[Piece],
        landed: &mut Landed,
        progress: &dyn Progress,
    ) -> Result<()> {
        let groups: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.group == b.group).collect();
        let mut tasks = Vec::with_capacity(these.len() * groups.len());
        for &i in these {
            let field = wanted.get(i).copied().unwrap_or(0);
            for some in &groups {
                let group = some.first().map_or(0, |p| p.group);
                let nbytes = usize::try_from(self.nested_nbytes(field, group)).unwrap_or(usize::MAX);
                tasks.push((nbytes, move || {
                    self.nested_group(field, some).map_err(|e| self.named(e, field, group))
                }));
            }
        }
        let mut read = plan::gather(tasks, self.threads, progress)?.into_iter();
        for &i in these {
            let field = wanted.get(i).copied().unwrap_or(0);
            let arrays: Vec<ArrayData> = read.by_ref().take(groups.len()).flatten().collect();
            let refs: Vec<&ArrayData> = arrays.iter().collect();
            let told = self.field(field)?;
            let empty = ArrayData::new_empty(kept::column(told).data_type());
            let data = match refs.as_slice() {
                [one] => (*one).clone(),
                several => concat::arrays(&empty, several, false)
                    .map_err(|e| self.named(e.in_format("parquet"), field, 0))?,
            };
            let data = self.with_values(told, data).map_err(|e| self.named(e, field, 0))?;
            landed.columns.push((i, data));
        }
        Ok(())
    }

    /// Bytes of all values of the row groups, about: their widths in the file, texts by their lengths alone.
    pub(in super::super) fn nested_values(&self, field: usize, pieces: &[Piece]) -> Result<u64> {
        let leaves = self.file.roots.get(field).map_or(0..0, |root| root.leaves.clone());
        let mut nbytes = 0u64;
        for group in pieces.chunk_by(|a, b| a.group == b.group).filter_map(<[Piece]>::first).map(|p| p.group)
        {
            for leaf in leaves.clone() {
                let chunk = self.chunk_of(group, leaf)?;
                let width = match chunk.physical {
                    0 => 1,
                    1 | 4 | 6 => 4,
                    _ => 8,
                };
                nbytes = nbytes.saturating_add(chunk.nvalues.saturating_mul(width));
            }
        }
        Ok(nbytes)
    }

    fn nested_nbytes(&self, field: usize, group: usize) -> u64 {
        let leaves = self.file.roots.get(field).map_or(0..0, |r| r.leaves.clone());
        leaves.filter_map(|leaf| self.chunk_of(group, leaf).ok()).map(|c| c.nbytes).sum()
    }

    /// Refuses values that the file's bytes cannot stand for, as rows are refused when it is opened.
    pub(super) fn check_values(&self, nvalues: u64, at: u64) -> Result<()> {
        let nbytes = self.file.source.bytes.nbytes();
        let limit = self.file.options.limits.max_unbacked_rows;
        if nvalues <= limit.max((nbytes as u64).saturating_mul(4096)) {
            return Ok(());
        }
        let message = format!(
            "{nvalues} values in a file of {nbytes} bytes, over the limit of {limit} that no byte stands behind. \
             Raise max_unbacked_rows to read them."
        );
        Err(Error::limit("parquet", message).at(at))
    }

    /// The wanted rows of one row group.
    fn nested_group(&self, field: usize, pieces: &[Piece]) -> Result<Vec<ArrayData>> {
        let root = self.file.roots.get(field).ok_or_else(|| Error::not_found("parquet", "the column."))?;
        if let RootKind::Flat(flat) = &root.kind
            && flat.way == Way::Empty
            && *self.field(field)?.data_type() == DataType::FixedSizeBinary(0)
        {
            return self.no_bytes(root.leaves.clone(), flat.optional, pieces);
        }
        let RootKind::Nested(schema, _) = &root.kind else {
            let data_type = self.field(field)?.data_type();
            let message = format!("values of type {data_type}, as this file stores them, are not read.");
            return Err(Error::unsupported("parquet", message));
        };
        let group = pieces.first().map_or(0, |p| p.group);
        let chunks = self.proven(group, root.leaves.clone())?;
        let nrows = usize::try_from(self.group(group)?.nrows).map_err(|_| Error::too_large("parquet"))?;
        let told = kept::column(self.field(field)?);
        let nvalues = chunks.iter().map(|chunk| chunk.nvalues).max().unwrap_or(0);
        let nbytes = filled_nbytes(told.data_type(), nrows as u64, nvalues);
        self.file.check_backed(nbytes, "lists of one size, as many as may be null,")?;
        let arrays = read(schema, &told, &Group::new(schema, chunks, nrows), pieces)?;
        arrays.iter().try_for_each(check_keys)?;
        Ok(arrays)
    }

    /// The chunks of these leaves, whose headers are proven.
    fn proven(&self, group: usize, leaves: Range<usize>) -> Result<Vec<Chunk>> {
        let mut chunks = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let chunk = self.chunk(group, leaf)?;
            self.check_values(chunk.nvalues, chunk.base)?;
            let whole = self.file.source.bytes.as_slice().as_ptr().addr();
            let start = chunk.bytes.as_ptr().addr() - whole;
            let bytes = self.file.source.bytes.slice(start, chunk.bytes.len());
            let bytes = bytes.ok_or_else(|| Error::too_large("parquet"))?;
            let chunk = Chunk {
                bytes,
                base: chunk.base,
                codec: chunk.codec,
                nvalues: chunk.nvalues,
                levels: chunk.levels,
                verify: self.file.options.verify,
                max_nbytes: self.file.options.limits.max_member_nbytes,
                physical: Physical::of(self.chunk_of(group, leaf)?.physical, Some(0))
                    .unwrap_or(Physical::Bytes),
            };
            let texts = texts::prove(&chunk, self.file.most_nbytes())?;
            self.file.check_backed(texts, "texts inside of lists")?;
            chunks.push(chunk);
        }
        Ok(chunks)
    }

    /// Values of no bytes, some of them null.
    fn no_bytes(&self, leaves: Range<usize>, optional: bool, pieces: &[Piece]) -> Result<Vec<ArrayData>> {
        let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let refused = |e: parquet::errors::ParquetError| Error::unsupported("parquet", format!("{e}."));
        let leaf =
            Type::primitive_type_builder("x", CrateType::BYTE_ARRAY).with_repetition(repetition).build();
        let fields = vec![Arc::new(leaf.map_err(refused)?)];
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(refused)?;
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
        let group = pieces.first().map_or(0, |p| p.group);
        let chunks = self.proven(group, leaves)?;
        let nrows = usize::try_from(self.group(group)?.nrows).map_err(|_| Error::too_large("parquet"))?;
        let told = Field::new("x", DataType::Binary, optional);
        let found = read(&schema, &told, &Group::new(&schema, chunks, nrows), pieces)?;
        found.iter().map(nothing).collect()
    }
}

/// The nulls of values that have no bytes.
fn nothing(data: &ArrayData) -> Result<ArrayData> {
    if data.buffers().get(1).is_some_and(|bytes| !bytes.is_empty()) {
        let message = "expected values of no bytes, found some. The file is damaged; write it again.";
        return Err(Error::malformed("parquet", message));
    }
    let builder =
        ArrayData::builder(DataType::FixedSizeBinary(0)).len(data.len()).nulls(data.nulls().cloned());
    let made = builder.add_buffer(arrow_buffer::Buffer::default()).build();
    made.map_err(|e| Error::malformed("parquet", format!("{e}.")))
}

/// What the crate makes of the wanted rows.
fn read(
    schema: &Arc<SchemaDescriptor>,
    field: &Field,
    group: &Group,
    pieces: &[Piece],
) -> Result<Vec<ArrayData>> {
    let work = || -> parquet::errors::Result<Vec<ArrayData>> {
        let hint = Fields::from(vec![field.clone()]);
        let levels = parquet_to_arrow_field_levels(schema, ProjectionMask::all(), Some(&hint))?;
        let reader = ParquetRecordBatchReader::try_new_with_row_groups(
            &levels,
            group,
            BATCH_ROWS.min(group.nrows.max(1)),
            selection(pieces, group.nrows),
        )?;
        let mut out = Vec::new();
        for batch in reader {
            let batch = batch?;
            out.push(batch.column(0).to_data());
        }
        Ok(out)
    };
    // Levels that contradict each other are met in the middle of its work, some of them by an assertion.
    let done = catch_unwind(AssertUnwindSafe(work));
    if let Some(error) = group.met.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let failed = |what: &str| {
        let at = group.chunks.first().map_or(0, |c| c.base);
        Error::malformed("parquet", format!("{what}. The file is damaged; write it again.")).at(at)
    };
    let arrays = match done {
        Ok(Ok(arrays)) => arrays,
        Ok(Err(error)) => return Err(failed(&error.to_string())),
        Err(_) => return Err(failed("the levels of its values contradict each other")),
    };
    let (wanted, found) =
        (pieces.iter().map(|p| p.nrows).sum::<usize>(), arrays.iter().map(ArrayData::len).sum::<usize>());
    if wanted != found {
        return Err(failed(&format!("expected {wanted} rows, found {found}")));
    }
    arrays.into_iter().map(|data| retyped(data, field)).collect()
}

/// The rows of the pieces among the `nrows` of their group; `None` where they are all.
fn selection(pieces: &[Piece], nrows: usize) -> Option<RowSelection> {
    if let [one] = pieces
        && one.nrows == nrows
    {
        return None;
    }
    let mut out = Vec::with_capacity(2 * pieces.len());
    let mut at = 0;
    for piece in pieces {
        if piece.skip > at {
            out.push(RowSelector::skip(piece.skip - at));
        }
        out.push(RowSelector::select(piece.nrows));
        at = piece.skip + piece.nrows;
    }
    Some(RowSelection::from(out))
}

/// The array with the field's own type: names within lists and maps are those that the writer's schema tells.
fn retyped(data: ArrayData, field: &Field) -> Result<ArrayData> {
    let found = data.data_type().clone();
    names::retyped(data, field.data_type()).ok_or_else(|| {
        let message = format!("expected type {}, found {found}", field.data_type());
        Error::unsupported("parquet", format!("{message}. Its type is not read here."))
    })
}
