//! Decodes columns: copies the buffers of every batch once, in parallel, to their final position.
//!
//! Columns with a NumPy dtype and without nulls are decoded to blocks, one column-major block for each dtype. Text, and
//! numbers with nulls, are decoded to Arrow's layout. Rarer types are decoded batch by batch and joined. There is no
//! intermediate table.

mod fixed;
mod general;
mod text;
mod views;

use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field};

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::import::{self, FramePlan};
use crate::arrow::trusted::trusted_array;
use crate::decode::{PandasNulls, missing};
use crate::error::{Error, Result};
use crate::frame::paths::{LeafProjection, Projection};
use crate::frame::{ByteOrder, DType, DTypeKind};
use crate::memory::Buffer;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::Progress;

use crate::arrow::ipc::allowed::DecodeBudget;
use crate::arrow::ipc::arrays::field_of;
use crate::arrow::ipc::body::IpcSource;
use crate::arrow::ipc::catalog::{BatchPosition, Catalog};
use crate::arrow::ipc::dictionaries::{DictionaryHistory, DictionaryLookup};
use crate::arrow::ipc::shape::width;

pub(super) use fixed::{too_large, values_into};
pub(super) use text::{ReceivedRun, ReceivedText, text_range};

/// A decoding request: the columns and rows of a source.
pub(crate) struct ColumnDecoder<'a> {
    pub(crate) source: &'a IpcSource,
    pub(crate) catalog: &'a Catalog,
    pub(crate) plan: &'a FramePlan,
    pub(crate) history: &'a DictionaryHistory,
    /// The projection of nested fields, by field.
    pub(crate) nested_projection: Option<&'a Projection>,
    pub(crate) rows: (usize, usize),
    pub(crate) threads: usize,
    pub(crate) allowed: &'a DecodeBudget,
    /// A map (or memory) whose bytes may be returned without a copy; a private map if arrays must be writable.
    pub(crate) in_place: Option<&'a Buffer>,
    /// Set if the target is pandas.
    pub(crate) nulls: Option<&'a PandasNulls<'a>>,
}

/// Rows of one batch, and their position in the result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchRows {
    pub(crate) batch: usize,
    /// The rows of the batch before the first requested one.
    pub(crate) skip: usize,
    pub(crate) nrows: usize,
    /// The row of the result.
    pub(crate) at: usize,
}

/// The conversion of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnConversion {
    /// Unchanged bytes, copied to a block.
    Copy(DType),
    /// Values of this type and width, with NaN or NaT for nulls; integers become floats.
    Missing(DType, usize),
    /// Pairs of a fixed-size list, which become complex numbers.
    Pairs(DType),
    /// Bits, which become bytes.
    Bits(DType),
    /// Fixed-width values in Arrow's layout, with separate validity.
    Values(usize),
    /// Offsets and bytes in Arrow's layout.
    Text,
    /// An array for each batch, which are joined, and converted to a block if there is a dtype.
    General(Option<DType>),
}

impl ColumnDecoder<'_> {
    /// Decodes the fields `projection`.
    ///
    /// # Errors
    /// Malformed bodies; errors of the operating system: no memory; cancellation.
    pub(crate) fn run(&self, projection: &[usize], progress: &dyn Progress) -> Result<DecodedColumns> {
        let conversions: Vec<ColumnConversion> =
            projection.iter().map(|&field| self.conversion(field)).collect::<Result<_>>()?;
        let pieces = self.pieces();
        let exclusive = self.nulls.is_some() && !self.catalog.shape.big_endian;
        let mut decoded = DecodedColumns { exclusive, ..DecodedColumns::default() };
        let mut left: Vec<bool> = vec![true; projection.len()];
        self.in_place(projection, &conversions, &pieces, &mut left, &mut decoded, progress)?;
        let of = |pick: &dyn Fn(ColumnConversion) -> bool| -> Vec<usize> {
            (0..projection.len())
                .filter(|&i| left.get(i) == Some(&true) && conversions.get(i).is_some_and(|&w| pick(w)))
                .collect()
        };
        self.fixed(
            projection,
            &conversions,
            &of(&|w| !matches!(w, ColumnConversion::Text | ColumnConversion::General(_))),
            &pieces,
            &mut decoded,
            progress,
        )?;
        self.text(projection, &of(&|w| w == ColumnConversion::Text), &pieces, &mut decoded, progress)?;
        self.decode_general(
            projection,
            &conversions,
            &of(&|w| matches!(w, ColumnConversion::General(_))),
            &pieces,
            &mut decoded,
            progress,
        )?;
        if let Some(nulls) = self.nulls {
            let dtype = |i: usize| nulls.dtype(*projection.get(i)?);
            missing::into_blocks(&mut decoded, &dtype, self.threads, progress)?;
        }
        Ok(decoded)
    }

    /// The batches that contain requested rows.
    pub(super) fn pieces(&self) -> Vec<BatchRows> {
        let (start, stop) = self.rows;
        let batches = &self.catalog.batches;
        let first = batches.partition_point(|b| b.first_row + b.header.nrows <= start);
        let mut out = Vec::with_capacity(batches.len() - first);
        for (i, batch) in batches.iter().enumerate().skip(first) {
            if batch.first_row >= stop {
                break;
            }
            let skip = start.saturating_sub(batch.first_row);
            let end = batch.header.nrows.min(stop - batch.first_row);
            if end > skip {
                out.push(BatchRows { batch: i, skip, nrows: end - skip, at: batch.first_row + skip - start });
            }
        }
        out
    }

    fn nrows(&self) -> usize {
        self.rows.1 - self.rows.0
    }

    fn batch(&self, piece: &BatchRows) -> Result<&BatchPosition> {
        let batch = self.catalog.batches.get(piece.batch);
        batch.ok_or_else(|| {
            Error::not_found("arrow", format!("batch {} of {}.", piece.batch, self.catalog.batches.len()))
        })
    }

    /// The projected leaves of a field.
    fn projection_of(&self, field: usize) -> &LeafProjection {
        self.nested_projection.map_or(&LeafProjection::All, |projection| projection.of(field))
    }

    fn conversion(&self, field: usize) -> Result<ColumnConversion> {
        if *self.projection_of(field) != LeafProjection::All {
            return Ok(ColumnConversion::General(None));
        }
        let data_type = field_of(&self.catalog.shape, field)?.data_type();
        let field_plan = self.plan.fields.get(field);
        let declared = field_plan.and_then(|f| f.dtype);
        let nulls = self.catalog.nulls.get(field).copied().unwrap_or(true);
        let has_tag = field_plan.is_some_and(|f| f.tag.is_some());
        let dtype = declared.or_else(|| import::implied_dtype(data_type).filter(|_| !nulls && !has_tag));
        if self.catalog.shape.big_endian {
            return Ok(ColumnConversion::General(dtype));
        }
        // Integers become floats only if the requested rows have a null, which is unknown in advance for a part of the
        // rows.
        let nulls_are_known = !data_type.is_integer() || self.rows == (0, self.catalog.nrows);
        if let Some(dtype) =
            self.nulls.filter(|_| nulls && nulls_are_known).and_then(|nulls| nulls.dtype(field))
        {
            return Ok(ColumnConversion::Missing(dtype, width(data_type).unwrap_or(0)));
        }
        if let Some(dtype) = dtype {
            return Ok(block_conversion(dtype, data_type, nulls));
        }
        Ok(match data_type {
            text if is_text(text) => ColumnConversion::Text,
            DataType::Dictionary(key, _) if !self.history.replaced => {
                width(key).map_or(ColumnConversion::General(None), ColumnConversion::Values)
            }
            other => width(other)
                .filter(|&w| w > 0)
                .map_or(ColumnConversion::General(None), ColumnConversion::Values),
        })
    }

    /// Runs `work` for tiles of pieces, each of about `nbytes` of bodies.
    fn tiles(
        &self,
        pieces: &[BatchRows],
        row_nbytes: usize,
        work: &(dyn Fn(&[BatchRows]) -> Result<()> + Sync),
        progress: &dyn Progress,
    ) -> Result<()> {
        const TILE_NBYTES: usize = 2 << 20;
        let mut tasks = Vec::new();
        let mut rest = pieces;
        while !rest.is_empty() {
            let mut nbytes = 0;
            let count = rest.iter().position(|p| {
                nbytes += p.nrows.saturating_mul(row_nbytes).max(64);
                nbytes >= TILE_NBYTES
            });
            let (tile, tail) = rest.split_at(count.map_or(rest.len(), |c| c + 1));
            tasks.push(Task::new(nbytes, move || work(tile)));
            rest = tail;
        }
        parallel::run(tasks, self.threads, progress)
    }

    /// An array of the requested part of a field, without rows; a dictionary keeps its values.
    fn empty(&self, field: usize) -> Result<ArrayData> {
        let whole = empty_of(field_of(&self.catalog.shape, field)?, self.history.last())?;
        Ok(self.projection_of(field).prune(whole))
    }

    /// Adds the name of a field and the batch to an error.
    fn named(&self, error: Error, field: usize, piece: &BatchRows) -> Error {
        let name = self.catalog.shape.schema.fields().get(field).map_or("", |f| f.name());
        let at = self.batch(piece).map_or(0, |b| b.input_at);
        error
            .in_member(format!(
                "batch {}, column {}",
                piece.batch,
                crate::arrow::ipc::body::display_name(name)
            ))
            .at(at)
    }
}

/// The conversion of a field before its nulls are known. Assumes that there are none if its values have a fixed width and
/// are copied unchanged.
pub(super) fn direct_conversion(field: &import::FieldPlan) -> ColumnConversion {
    let data_type = &field.data_type;
    match field.decoded_dtype() {
        Some(dtype) => block_conversion(dtype, data_type, false),
        None if matches!(data_type, DataType::Dictionary(..)) => ColumnConversion::General(None),
        None if is_text(data_type) => ColumnConversion::Text,
        None => width(data_type)
            .filter(|&w| w > 0)
            .map_or(ColumnConversion::General(None), ColumnConversion::Values),
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary)
}

fn block_conversion(dtype: DType, data_type: &DataType, nulls: bool) -> ColumnConversion {
    let native = dtype.order != ByteOrder::Big;
    let item = dtype.itemsize as usize;
    match data_type {
        DataType::Boolean if dtype.kind == DTypeKind::Bool && !nulls => ColumnConversion::Bits(dtype),
        DataType::FixedSizeList(inner, 2) if dtype.kind == DTypeKind::Complex && native && !nulls => {
            if width(inner.data_type()).is_some_and(|w| w * 2 == item) {
                ColumnConversion::Pairs(dtype)
            } else {
                ColumnConversion::General(Some(dtype))
            }
        }
        other if native && item > 0 && width(other) == Some(item) => match dtype.kind {
            DTypeKind::DateTime | DTypeKind::TimeDelta if nulls => ColumnConversion::Missing(dtype, item),
            _ if nulls => ColumnConversion::General(Some(dtype)),
            _ => ColumnConversion::Copy(dtype),
        },
        _ => ColumnConversion::General(Some(dtype)),
    }
}

/// Builds an array of a field without rows; a dictionary keeps its values.
///
/// # Errors
/// Malformed: a dictionary's deltas do not fit.
pub(crate) fn empty_of(field: &Field, dictionaries: DictionaryLookup<'_>) -> Result<ArrayData> {
    #[allow(deprecated)] // only the field has the id of a dictionary
    let values = field.dict_id().map_or(Ok(None), |id| dictionaries.get(id))?;
    Ok(match (field.data_type(), values) {
        (DataType::Dictionary(..), Some(values)) => {
            let builder = ArrayDataBuilder::new(field.data_type().clone()).len(0);
            let builder = builder.add_buffer(arrow_buffer::Buffer::default()).add_child_data(values);
            // Trusted: there are no codes, and the values were checked when they were decoded.
            trusted_array(builder.align_buffers(true))
        }
        (data_type, _) => ArrayData::new_empty(data_type),
    })
}
