//! Flattens arrays to the nodes and buffers of a body, parents before children.

use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_ipc::FieldNode;
use arrow_schema::{DataType, UnionMode};

use crate::error::{Error, Result};

use super::slice::{self, invalid_layout};

/// The nodes and buffers of a batch.
#[derive(Debug, Default)]
pub(super) struct FlatBatch {
    pub(super) nodes: Vec<FieldNode>,
    /// Truncated to the rows; some are empty.
    pub(super) buffers: Vec<Buffer>,
    /// Number of data buffers of each view column.
    pub(super) variadic: Vec<i64>,
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

impl FlatBatch {
    /// An empty batch with capacity for `columns` columns.
    pub(super) fn with_capacity(columns: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(columns),
            buffers: Vec::with_capacity(2 * columns),
            variadic: Vec::new(),
        }
    }

    /// Adds a column. A dictionary array counts as its codes.
    ///
    /// # Errors
    /// Malformed arrays.
    pub(super) fn push(&mut self, data: &ArrayData) -> Result<()> {
        let (start, length) = (data.offset(), data.len());
        let nulls = match data.data_type() {
            DataType::Null => length,
            DataType::Union(..) | DataType::RunEndEncoded(..) => 0,
            _ => data.null_count(),
        };
        self.nodes.push(FieldNode::new(count(length), count(nulls)));
        match data.data_type() {
            DataType::Null => return Ok(()),
            DataType::Union(..) | DataType::RunEndEncoded(..) => {}
            _ => self.buffers.push(match data.nulls().filter(|_| nulls > 0) {
                Some(nulls) => bits(nulls.buffer(), nulls.offset(), length)?,
                None => Buffer::default(),
            }),
        }
        match data.data_type() {
            DataType::Boolean => {
                let buffer = data.buffers().first().ok_or_else(|| invalid_layout("a buffer is missing"))?;
                self.buffers.push(bits(buffer, start, length)?);
            }
            DataType::Utf8 | DataType::Binary => self.bytes::<i32>(data)?,
            DataType::LargeUtf8 | DataType::LargeBinary => self.bytes::<i64>(data)?,
            DataType::Utf8View | DataType::BinaryView => {
                let views = slice::views(data)?;
                self.variadic.push(count(views.len() - 1));
                self.buffers.extend(views);
            }
            DataType::List(_) | DataType::Map(..) => self.list::<i32>(data)?,
            DataType::LargeList(_) => self.list::<i64>(data)?,
            DataType::ListView(_) => self.list_view::<i32>(data)?,
            DataType::LargeListView(_) => self.list_view::<i64>(data)?,
            DataType::FixedSizeList(_, size) => {
                let size = usize::try_from(*size).map_err(|_| invalid_layout("a list of negative size"))?;
                self.push(&slice::rows(slice::child(data, 0)?, start * size, length * size)?)?;
            }
            DataType::Struct(_) => {
                for child in data.child_data() {
                    self.push(&slice::rows(child, start, length)?)?;
                }
            }
            DataType::Union(_, UnionMode::Sparse) => {
                self.buffers.push(slice::bytes(data.buffers().first(), start, length)?);
                for child in data.child_data() {
                    self.push(&slice::rows(child, start, length)?)?;
                }
            }
            DataType::Union(fields, UnionMode::Dense) => {
                let (ids, offsets, children) = slice::dense_union(data, fields)?;
                self.buffers.extend([ids, offsets]);
                children.iter().try_for_each(|child| self.push(child))?;
            }
            DataType::RunEndEncoded(ends, _) => {
                let (ends, values) = match ends.data_type() {
                    DataType::Int16 => slice::runs::<i16>(data)?,
                    DataType::Int32 => slice::runs::<i32>(data)?,
                    _ => slice::runs::<i64>(data)?,
                };
                self.push(&ends)?;
                self.push(&values)?;
            }
            other => {
                let width = slice::width(other).ok_or_else(|| {
                    let name = crate::frame::type_name(other, false);
                    Error::unsupported("arrow", format!("columns of type {name} cannot be written."))
                })?;
                self.buffers.push(slice::bytes(data.buffers().first(), start * width, length * width)?);
            }
        }
        Ok(())
    }

    fn bytes<T: slice::LayoutInt>(&mut self, data: &ArrayData) -> Result<()> {
        let (offsets, start, nbytes) = slice::offsets::<T>(data)?;
        self.buffers.push(offsets);
        self.buffers.push(slice::bytes(data.buffers().get(1), start, nbytes)?);
        Ok(())
    }

    fn list<T: slice::LayoutInt>(&mut self, data: &ArrayData) -> Result<()> {
        let (offsets, start, length) = slice::offsets::<T>(data)?;
        self.buffers.push(offsets);
        self.push(&slice::rows(slice::child(data, 0)?, start, length)?)
    }

    fn list_view<T: slice::LayoutInt>(&mut self, data: &ArrayData) -> Result<()> {
        let (offsets, sizes, child) = slice::list_view::<T>(data)?;
        self.buffers.extend([offsets, sizes]);
        self.push(&child)
    }
}

/// `length` bits from bit `start` on, shifted to begin at a byte.
fn bits(buffer: &Buffer, start: usize, length: usize) -> Result<Buffer> {
    let nbytes = length.div_ceil(8);
    if start.checked_add(length).is_none_or(|end| end > buffer.len() * 8) {
        return Err(invalid_layout("a buffer of bits is too short"));
    }
    if start.is_multiple_of(8) {
        return slice::bytes(Some(buffer), start / 8, nbytes);
    }
    Ok(buffer.bit_slice(start, length).slice_with_length(0, nbytes))
}
