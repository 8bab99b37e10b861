//! Finishes a column as a block or an Arrow array.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, Fields};

use crate::Result;
use crate::arrow::trusted::trusted_array;
use crate::cells::msgpack::column::{FORMAT, malformed};
use crate::frame::{Block, Column, DType, Grid};
use crate::memory::Buffer;

use super::nested::structure;
use super::text::{TextBuilder, TextFamily};
use super::{InferredColumn, InferredValues, StopReason};

/// The adapters' tag of columns of whole MessagePack values.
pub const MIXED_TAG: &str = r#"{"cells":"msgpack"}"#;

/// A finished column, as a block if that suffices.
#[derive(Debug)]
pub enum BlockOrColumn {
    /// One column of a fixed width without nulls: `|b1`, `<i8`, `<u8` or `<f8`.
    Block(Block),
    /// Anything else.
    Column(Column),
}

impl BlockOrColumn {
    /// Returns the number of rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        match self {
            Self::Block(block) => block.grid.nrows,
            Self::Column(column) => column.len(),
        }
    }
}

impl InferredColumn {
    /// Returns the column.
    ///
    /// # Errors
    /// The operating system's error if memory runs out.
    pub fn finish(mut self) -> Result<BlockOrColumn> {
        let rows = self.rows;
        if self.nulls.count() == 0 {
            match self.values {
                InferredValues::Bool(cells) => return block("|b1", rows, cells.finish()),
                InferredValues::Int { words, big: false, .. } => return block("<i8", rows, words.finish()),
                InferredValues::Int { words, .. } => return block("<u8", rows, words.finish()),
                InferredValues::Float { words, .. } => return block("<f8", rows, words.finish()),
                _ => {}
            }
        }
        if let InferredValues::Time(times) = &mut self.values
            && times.unit().is_none()
        {
            self.mix().map_err(|e| e.error)?;
        }
        let (values, nulls) = (self.values, self.nulls);
        let (data, is_mixed) = match values {
            InferredValues::Mixed(cells) => (text_array(cells, rows, nulls.validity(rows)), true),
            InferredValues::Nested { nested, raw } => {
                let nulls = nulls.validity(rows);
                match (nested.finish(rows, nulls.clone()), raw) {
                    (Ok(data), _) => (data, false),
                    (Err(StopReason::Mixed), Some(raw)) => (text_array(raw, rows, nulls), true),
                    (Err(stop), _) => return Err(stop.error().error),
                }
            }
            values => match (Self { values, nulls, ..self }).data() {
                Ok(data) => (data, false),
                Err(stop) => return Err(stop.error().error),
            },
        };
        let tag = is_mixed.then(|| MIXED_TAG.to_owned());
        Ok(BlockOrColumn::Column(Column { tag, ..Column::new(data) }))
    }

    /// Returns the column in Arrow's layout, for a format that reads mixed cells in a second pass.
    ///
    /// # Errors
    /// As [`InferredColumn::finish`].
    pub(crate) fn array(self) -> Result<ArrayData> {
        self.data().map_err(|stop| stop.error().error)
    }

    /// Returns the column in Arrow's layout, or [`StopReason::Mixed`] if no single type holds it.
    pub(super) fn data(self) -> std::result::Result<ArrayData, StopReason> {
        let rows = self.rows;
        let nulls = self.nulls.validity(rows);
        let fixed = |data_type: DataType, buffer: Buffer| {
            let builder = ArrayDataBuilder::new(data_type).len(rows).nulls(nulls.clone());
            let built = builder.add_buffer(buffer.to_arrow()).build();
            built.map_err(|e| malformed(0, format!("Arrow refused a column: {e}.")).into())
        };
        match self.values {
            InferredValues::Nil | InferredValues::Unknown => Ok(ArrayData::new_null(&DataType::Null, rows)),
            InferredValues::Bool(cells) => {
                let bytes = cells.finish();
                let bits: BooleanBuffer = bytes.as_slice().iter().map(|&byte| byte == 1).collect();
                fixed(DataType::Boolean, Buffer::from_arrow(bits.into_inner()))
            }
            InferredValues::Int { words, big: false, .. } => fixed(DataType::Int64, words.finish()),
            InferredValues::Int { words, .. } => fixed(DataType::UInt64, words.finish()),
            InferredValues::Float { words, .. } => fixed(DataType::Float64, words.finish()),
            InferredValues::Text(text) => Ok(text_array(text, rows, nulls)),
            InferredValues::Time(mut times) => {
                let unit = times.unit().ok_or(StopReason::Mixed)?;
                fixed(DataType::Timestamp(unit, Some("UTC".into())), times.finish(unit))
            }
            InferredValues::Ext { codes, data } => {
                let codes =
                    ArrayDataBuilder::new(DataType::Int8).len(rows).add_buffer(codes.finish().to_arrow());
                // Trusted: one byte per row was appended.
                let codes = trusted_array(codes);
                let fields = Fields::from(vec![
                    Field::new("code", DataType::Int8, true),
                    Field::new("data", DataType::LargeBinary, true),
                ]);
                Ok(structure(fields, rows, nulls, vec![codes, text_array(data, rows, None)]))
            }
            InferredValues::Nested { nested, .. } => nested.finish(rows, nulls),
            InferredValues::Mixed(_) => Err(StopReason::Mixed),
        }
    }
}

fn block(descr: &str, rows: usize, buffer: Buffer) -> Result<BlockOrColumn> {
    DType::parse(descr)
        .and_then(|dtype| Block::new(Grid::column_major(dtype, rows, 1, 0), buffer))
        .map(BlockOrColumn::Block)
        .ok_or_else(|| crate::Error::malformed(FORMAT, "a column is shorter than its rows."))
}

/// Builds an array of text or bytes.
fn text_array(text: TextBuilder, rows: usize, nulls: Option<NullBuffer>) -> ArrayData {
    let data_type = if text.family == TextFamily::Str { DataType::LargeUtf8 } else { DataType::LargeBinary };
    let builder = ArrayDataBuilder::new(data_type)
        .len(rows)
        .nulls(nulls)
        .add_buffer(text.offsets.finish().to_arrow())
        .add_buffer(text.bytes.finish().to_arrow());
    // Trusted: `TextBuilder` appends an offset and its bytes together, `rows` times, and checks every cell of `TextFamily::Str`.
    trusted_array(builder)
}
