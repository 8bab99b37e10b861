//! Writes arrays as cells.

use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields, IntervalUnit, UnionMode};

use super::codes::{IntegerCodes, native};
use super::out::{self, ByteSink, Count, PayloadFamily, Slice};
use super::{CellWriter, MsgpackStyle, Range, decimal, half, is_cells, names_are_unique};
use crate::arrow::meta;
use crate::cells::msgpack::column::{FORMAT, changed};
use crate::error::{Error, Result};
use crate::frame::{DType, DTypeKind};

mod values;
use values::ArrayValues;

/// The writer of one array's cells.
pub(super) struct TypedWriter {
    nulls: Option<NullBuffer>,
    /// Whether the smallest 64-bit integer means NaT, which is written as nil.
    nat: bool,
    len: usize,
    values: ArrayValues,
}

impl TypedWriter {
    pub(super) fn new(
        field: &Field,
        numpy_dtype: Option<DType>,
        data: &ArrayData,
        style: MsgpackStyle,
    ) -> Result<Self> {
        let mut data = data.clone();
        data.align_buffers();
        let broken =
            |e| Error::malformed(FORMAT, format!("the array is no valid Arrow: {e}. Make it again."));
        data.validate().map_err(broken)?;
        let times = |dtype: DType| matches!(dtype.kind, DTypeKind::DateTime | DTypeKind::TimeDelta);
        let nat = numpy_dtype.is_some_and(times);
        let tag = field.metadata().get(meta::KEY).and_then(|text| meta::FieldMeta::parse(text).ok()?.tag);
        let values = ArrayValues::new(&data, is_cells(tag.as_deref()), style)?;
        Ok(Self { nulls: data.nulls().cloned(), nat, len: data.len(), values })
    }

    /// Creates the writer of a child array.
    fn inner(data: &ArrayData, style: MsgpackStyle) -> Result<Self> {
        let values = ArrayValues::new(data, false, style)?;
        Ok(Self { nulls: data.nulls().cloned(), nat: false, len: data.len(), values })
    }

    /// Writes one cell.
    fn put<O: ByteSink>(&self, row: usize, out: &mut O) -> Result<()> {
        if row >= self.len {
            return Err(changed());
        }
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) || self.nat && self.values.is_nat(row)
        {
            return out.put(&[out::NIL]);
        }
        self.values.put(row, out)
    }

    fn put_all<O: ByteSink>(&self, rows: Range<usize>, out: &mut O) -> Result<()> {
        if let (None, ArrayValues::F64(values)) = (&self.nulls, &self.values) {
            return out.put_floats(values.get(rows).ok_or_else(changed)?);
        }
        for row in rows {
            self.put(row, out)?;
        }
        Ok(())
    }
}

impl CellWriter for TypedWriter {
    fn measure(&self, rows: Range<usize>) -> Result<usize> {
        let mut count = Count(0);
        self.put_all(rows, &mut count)?;
        Ok(count.0)
    }

    fn write(&self, rows: Range<usize>, out: &mut [u8]) -> Result<usize> {
        let mut slice = Slice { out, at: 0 };
        self.put_all(rows, &mut slice)?;
        Ok(slice.at)
    }
}
