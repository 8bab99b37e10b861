//! Decodes rare shapes of lists, structs and maps with the Arrow reader of the `parquet` crate.
//!
//! The crate gets pages with verified headers and decompressed bytes.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use arrow_array::Array;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection, RowSelector};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Repetition, Type as CrateType};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};

use crate::arrow::concat;
use crate::arrow::decoded_columns::DecodedColumns;
use crate::error::{Error, Result};
use crate::formats::parquet::types::{LeafConversion, Physical};
use crate::parallel;
use crate::progress::Progress;

use super::super::super::names;
use super::super::super::schema::RootKind;
use super::super::{ChunkDecoder, RowPiece, stored_dictionary};
use super::bounds::{check_keys, filled_nbytes};
use super::pages::{FallbackRowGroup, OwnedChunk};
use super::text_size;

/// Rows of a batch: the crate allocates their levels before it reads them.
const BATCH_ROWS: usize = 1 << 16;

impl ChunkDecoder<'_> {
    /// Decodes the fields `projection[i]` for `i` of `slots`, in parallel by column and row group.
    pub(super) fn fallback(
        &self,
        projection: &[usize],
        slots: &[usize],
        pieces: &[RowPiece],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        let groups: Vec<&[RowPiece]> = pieces.chunk_by(|a, b| a.group == b.group).collect();
        let mut tasks = Vec::with_capacity(slots.len() * groups.len());
        for &i in slots {
            let field = projection.get(i).copied().unwrap_or(0);
            let (nvalues, nbytes) = self.nested_values(field, pieces)?;
            self.add_cells(nvalues);
            self.charge(nbytes, "values inside of lists and structs").map_err(|e| self.named(e, field, 0))?;
            for some in &groups {
                let group = some.first().map_or(0, |p| p.group);
                let nbytes = usize::try_from(self.nested_nbytes(field, group)).unwrap_or(usize::MAX);
                tasks.push((nbytes, move || {
                    self.nested_group(field, some).map_err(|e| self.named(e, field, group))
                }));
            }
        }
        let mut read = parallel::map(tasks, self.threads, progress)?.into_iter();
        for &i in slots {
            let field = projection.get(i).copied().unwrap_or(0);
            let arrays: Vec<ArrayData> = read.by_ref().take(groups.len()).flatten().collect();
            let refs: Vec<&ArrayData> = arrays.iter().collect();
            let declared = self.field(field)?;
            let empty = ArrayData::new_empty(stored_dictionary::stored_field(declared).data_type());
            let data = match refs.as_slice() {
                [one] => (*one).clone(),
                several => concat::arrays(&empty, several, false)
                    .map_err(|e| self.named(e.in_format("parquet"), field, 0))?,
            };
            let data = self.restore_type(declared, data).map_err(|e| self.named(e, field, 0))?;
            decoded.columns.push((i, data));
        }
        Ok(())
    }

    /// Returns the number of values in the row groups and their approximate bytes: the stored width, for texts only their
    /// lengths.
    fn nested_values(&self, field: usize, pieces: &[RowPiece]) -> Result<(u64, u64)> {
        let leaves = self.file.roots.get(field).map_or(0..0, |root| root.leaves.clone());
        let (mut nvalues, mut nbytes) = (0u64, 0u64);
        for group in
            pieces.chunk_by(|a, b| a.group == b.group).filter_map(<[RowPiece]>::first).map(|p| p.group)
        {
            for leaf in leaves.clone() {
                let chunk = self.chunk_of(group, leaf)?;
                let width = match chunk.physical {
                    0 => 1,
                    1 | 4 | 6 => 4,
                    _ => 8,
                };
                nvalues = nvalues.saturating_add(chunk.nvalues);
                nbytes = nbytes.saturating_add(chunk.nvalues.saturating_mul(width));
            }
        }
        Ok((nvalues, nbytes))
    }

    fn nested_nbytes(&self, field: usize, group: usize) -> u64 {
        let leaves = self.file.roots.get(field).map_or(0..0, |r| r.leaves.clone());
        leaves.filter_map(|leaf| self.chunk_of(group, leaf).ok()).map(|c| c.nbytes).sum()
    }

    /// Decodes the selected rows of one row group.
    fn nested_group(&self, field: usize, pieces: &[RowPiece]) -> Result<Vec<ArrayData>> {
        let root = self.file.roots.get(field).ok_or_else(|| Error::not_found("parquet", "the column."))?;
        if let RootKind::Flat(flat) = &root.kind
            && flat.way == LeafConversion::Empty
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
        let types: Vec<Physical> = schema.columns().iter().map(|column| physical(column)).collect();
        let chunks = self.verify_chunks(group, root.leaves.clone(), &types)?;
        let nrows = usize::try_from(self.group(group)?.nrows).map_err(|_| Error::too_large("parquet"))?;
        let declared = stored_dictionary::stored_field(self.field(field)?);
        let nvalues = chunks.iter().map(|chunk| chunk.nvalues).max().unwrap_or(0);
        let nbytes = filled_nbytes(declared.data_type(), nrows as u64, nvalues);
        self.charge(nbytes, "lists of one size, as many as may be null,")?;
        let arrays = read(schema, &declared, &FallbackRowGroup::new(schema, chunks, nrows), pieces)?;
        arrays.iter().try_for_each(check_keys)?;
        Ok(arrays)
    }

    /// Returns the chunks of these leaves with verified headers and physical types.
    fn verify_chunks(
        &self,
        group: usize,
        leaves: Range<usize>,
        types: &[Physical],
    ) -> Result<Vec<OwnedChunk>> {
        let mut chunks = Vec::with_capacity(leaves.len());
        for (leaf, &physical) in leaves.zip(types) {
            let (chunk, found) = (self.chunk(group, leaf)?, self.chunk_of(group, leaf)?.physical);
            if found != physical.number() {
                let message = format!(
                    "expected physical type {} as the schema says, found {found}. The file is damaged; write it again.",
                    physical.number()
                );
                return Err(Error::malformed("parquet", message).at(chunk.base));
            }
            self.file.check_count(chunk.nvalues, "values", chunk.base)?;
            let whole = self.file.source.bytes.as_slice().as_ptr().addr();
            let start = chunk.bytes.as_ptr().addr() - whole;
            let bytes = self.file.source.bytes.slice(start, chunk.bytes.len());
            let bytes = bytes.ok_or_else(|| Error::too_large("parquet"))?;
            let chunk = OwnedChunk {
                bytes,
                base: chunk.base,
                codec: chunk.codec,
                nvalues: chunk.nvalues,
                levels: chunk.levels,
                verify: self.file.options.verify,
                bounds: self.file.bounds(),
                physical,
            };
            let texts = text_size::check(&chunk, self.file.most_nbytes(chunk.nvalues))?;
            self.charge(texts, "texts inside of lists")?;
            chunks.push(chunk);
        }
        Ok(chunks)
    }

    /// Decodes values without bytes, some of which are null.
    fn no_bytes(&self, leaves: Range<usize>, optional: bool, pieces: &[RowPiece]) -> Result<Vec<ArrayData>> {
        let repetition = if optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let refused = |e: parquet::errors::ParquetError| Error::unsupported("parquet", format!("{e}."));
        let leaf =
            Type::primitive_type_builder("x", CrateType::BYTE_ARRAY).with_repetition(repetition).build();
        let fields = vec![Arc::new(leaf.map_err(refused)?)];
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(refused)?;
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
        let group = pieces.first().map_or(0, |p| p.group);
        let chunks = self.verify_chunks(group, leaves, &[Physical::Bytes])?;
        let nrows = usize::try_from(self.group(group)?.nrows).map_err(|_| Error::too_large("parquet"))?;
        let declared = Field::new("x", DataType::Binary, optional);
        let found = read(&schema, &declared, &FallbackRowGroup::new(&schema, chunks, nrows), pieces)?;
        found.iter().map(null_values).collect()
    }
}

/// The physical type of a leaf of the crate's schema.
fn physical(column: &ColumnDescriptor) -> Physical {
    match column.physical_type() {
        CrateType::BOOLEAN => Physical::Boolean,
        CrateType::INT32 => Physical::Int32,
        CrateType::INT64 => Physical::Int64,
        CrateType::INT96 => Physical::Int96,
        CrateType::FLOAT => Physical::Float,
        CrateType::DOUBLE => Physical::Double,
        CrateType::BYTE_ARRAY => Physical::Bytes,
        CrateType::FIXED_LEN_BYTE_ARRAY => Physical::Fixed(u32::try_from(column.type_length()).unwrap_or(0)),
    }
}

/// Converts the values of BYTE_ARRAY, which must have no bytes, to FixedSizeBinary(0).
fn null_values(data: &ArrayData) -> Result<ArrayData> {
    if data.buffers().get(1).is_some_and(|bytes| !bytes.is_empty()) {
        let message = "expected values of no bytes, found some. The file is damaged; write it again.";
        return Err(Error::malformed("parquet", message));
    }
    let builder =
        ArrayData::builder(DataType::FixedSizeBinary(0)).len(data.len()).nulls(data.nulls().cloned());
    let array = builder.add_buffer(arrow_buffer::Buffer::default()).build();
    array.map_err(|e| Error::malformed("parquet", format!("{e}.")))
}

/// Reads the selected rows with the crate's reader.
fn read(
    schema: &Arc<SchemaDescriptor>,
    field: &Field,
    group: &FallbackRowGroup,
    pieces: &[RowPiece],
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
    // The crate meets contradictory levels while it decodes; some of them fail an assertion.
    let done = catch_unwind(AssertUnwindSafe(work));
    if let Some(error) = group.first_error.lock().unwrap_or_else(PoisonError::into_inner).take() {
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
    let (expected, found) =
        (pieces.iter().map(|p| p.nrows).sum::<usize>(), arrays.iter().map(ArrayData::len).sum::<usize>());
    if expected != found {
        return Err(failed(&format!("expected {expected} rows, found {found}")));
    }
    arrays.into_iter().map(|data| retyped(data, field)).collect()
}

/// Returns the rows of the pieces among the `nrows` of their group; `None`: all rows.
fn selection(pieces: &[RowPiece], nrows: usize) -> Option<RowSelection> {
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

/// Converts the array to the field's type, with the writer's names within lists and maps.
fn retyped(data: ArrayData, field: &Field) -> Result<ArrayData> {
    let found = data.data_type().clone();
    names::retyped(data, field.data_type()).ok_or_else(|| {
        let message = format!("expected type {}, found {found}", field.data_type());
        Error::unsupported("parquet", format!("{message}. Its type is not read here."))
    })
}
