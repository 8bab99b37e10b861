//! A column of what was taken.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::Result;
use crate::frame::{Block, Column, DType, Grid};
use crate::memory::Buffer;
use crate::msgpack::cells::FORMAT;

use super::text::{Family, Text};
use super::{Inferred, Values};

/// A column, in the form that needs no more than what it is.
#[derive(Debug)]
pub enum Finished {
    /// One column of a fixed width without nulls: `|b1`, `<i8`, `<u8` or `<f8`.
    Block(Block),
    /// Anything else.
    Column(Column),
}

impl Finished {
    /// Rows.
    #[must_use]
    pub fn nrows(&self) -> usize {
        match self {
            Self::Block(block) => block.grid.nrows,
            Self::Column(column) => column.len(),
        }
    }
}

impl Inferred {
    /// The column.
    ///
    /// # Errors
    /// None that good input provokes: Arrow's refusal of what was built.
    pub fn finish(self) -> Result<Finished> {
        let rows = self.rows;
        let nulls = self.nulls.validity(rows);
        let fixed = |descr: &str, data_type: DataType, buffer: Buffer| match nulls.clone() {
            None => block(descr, rows, buffer),
            some => {
                column(ArrayDataBuilder::new(data_type).len(rows).nulls(some).add_buffer(buffer.to_arrow()))
            }
        };
        match self.values {
            Values::Nil => Ok(Finished::Column(Column::new(ArrayData::new_null(&DataType::Null, rows)))),
            Values::Bool(cells) => match nulls {
                None => block("|b1", rows, cells.finish()),
                some => {
                    let bytes = cells.finish();
                    let bits: BooleanBuffer = bytes.as_slice().iter().map(|&byte| byte == 1).collect();
                    let builder = ArrayDataBuilder::new(DataType::Boolean).len(rows).nulls(some);
                    column(builder.add_buffer(bits.into_inner()))
                }
            },
            Values::Int { words, big: false, .. } => fixed("<i8", DataType::Int64, words.finish()),
            Values::Int { words, .. } => fixed("<u8", DataType::UInt64, words.finish()),
            Values::Float { words, .. } => fixed("<f8", DataType::Float64, words.finish()),
            Values::Text(text) => Ok(Finished::Column(Column::new(varying(text, rows, nulls)))),
        }
    }
}

fn block(descr: &str, rows: usize, buffer: Buffer) -> Result<Finished> {
    DType::parse(descr)
        .and_then(|dtype| Block::new(Grid::column_major(dtype, rows, 1, 0), buffer))
        .map(Finished::Block)
        .ok_or_else(|| crate::Error::malformed(FORMAT, "a column is shorter than its rows."))
}

fn column(builder: ArrayDataBuilder) -> Result<Finished> {
    let data = builder
        .build()
        .map_err(|e| crate::Error::malformed(FORMAT, format!("Arrow refused a column: {e}.")))?;
    Ok(Finished::Column(Column::new(data)))
}

/// Text or bytes in Arrow's layout.
fn varying(text: Text, rows: usize, nulls: Option<NullBuffer>) -> ArrayData {
    let data_type = if text.family == Family::Str { DataType::LargeUtf8 } else { DataType::LargeBinary };
    let builder = ArrayDataBuilder::new(data_type)
        .len(rows)
        .nulls(nulls)
        .add_buffer(text.offsets.finish().to_arrow())
        .add_buffer(text.bytes.finish().to_arrow());
    // SAFETY: `Text` appends an offset and its bytes together, `rows` times, and checks every cell of `Family::Str`.
    unsafe { builder.build_unchecked() }
}
