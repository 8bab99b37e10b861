//! Splits a column into its buffers for writing, cut to its rows: values outside a slice are not written.

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, UnionFields, UnionMode};

use crate::error::{Error, Result};
use crate::frame::{Column, DType, type_name};
use crate::memory::Buffer;

use super::buffers::{BufferLayout, BufferMember, ColumnSpec, dtype};
use super::compact;
use super::windows::{self, OffsetInteger, Window, WindowError};

/// The buffers of `column`, cut to its rows. Copies bits that start within a byte, and offsets that start above zero.
///
/// # Errors
/// `Unrepresentable`: the column's buffers contradict each other, or a field that is not nullable holds nulls.
pub fn disassemble(column: &Column) -> Result<(ColumnSpec, Vec<BufferMember>)> {
    let mut disassembler = Disassembler::default();
    disassembler.array(&column.data, (0, column.len()), "")?;
    let spec = ColumnSpec {
        data_type: column.data.data_type().clone(),
        ordered: column.ordered,
        tag: column.tag.clone(),
        length: column.len(),
        children: disassembler.lengths,
    };
    Ok((spec, disassembler.buffers))
}

#[derive(Default)]
struct Disassembler {
    buffers: Vec<BufferMember>,
    lengths: Vec<usize>,
}

impl Disassembler {
    fn push(&mut self, prefix: &str, name: &str, dtype: DType, bytes: ArrowBuffer) {
        self.buffers.push(BufferMember {
            path: format!("{prefix}{name}"),
            dtype,
            bytes: Buffer::from_arrow(bytes),
        });
    }

    /// Adds rows `start..start + count` of an array.
    fn array(&mut self, data: &ArrayData, (start, count): Window, prefix: &str) -> Result<()> {
        let broken_by = |fault: WindowError| contradiction(data.data_type(), &fault.message);
        if start.checked_add(count).is_none_or(|end| end > data.len()) {
            return Err(contradiction(
                data.data_type(),
                &format!("expected {start} + {count} rows, found {}.", data.len()),
            ));
        }
        let nulls = data.nulls().map(|nulls| nulls.slice(start, count)).filter(|n| n.null_count() > 0);
        if let Some(nulls) = &nulls {
            self.push(prefix, "validity", DType::BYTE, nulls.inner().sliced());
        }
        let rows = (data.offset() + start, count);
        let buffer = |i: usize| data.buffers().get(i).cloned().unwrap_or_default();
        match BufferLayout::of(data.data_type())? {
            BufferLayout::Null => {}
            BufferLayout::Bits => {
                let bits = buffer(0);
                if bits.len() < (rows.0 + count).div_ceil(8) {
                    return Err(contradiction(data.data_type(), "too few bits."));
                }
                self.push(prefix, "values", DType::BYTE, BooleanBuffer::new(bits, rows.0, count).sliced());
            }
            BufferLayout::Fixed(dtype) => {
                let width = dtype.itemsize as usize;
                let values =
                    windows::aligned_slice::<u8>(&buffer(0), "values", rows.0 * width, count * width);
                self.push(prefix, "values", dtype, values.map_err(broken_by)?);
            }
            BufferLayout::Views => {
                let views =
                    windows::aligned_slice::<u128>(&buffer(0), "views", rows.0, count).map_err(broken_by)?;
                let data_buffers = data.buffers().get(1..).unwrap_or(&[]);
                let (views, data_buffers) = compact::compact_views(views, data_buffers, nulls.as_ref())?
                    .ok_or_else(|| contradiction(data.data_type(), "a view points outside its data."))?;
                self.push(prefix, "views", dtype("|V16")?, views);
                for (k, bytes) in data_buffers.into_iter().enumerate() {
                    self.push(prefix, &format!("data_{k}"), DType::BYTE, bytes);
                }
            }
            BufferLayout::Offsets32 => self.bytes::<i32>(data, rows, prefix, "<i4")?,
            BufferLayout::Offsets64 => self.bytes::<i64>(data, rows, prefix, "<i8")?,
            BufferLayout::Nested => self.nested(data, rows, nulls.as_ref(), prefix)?,
        }
        if let (DataType::Dictionary(..), [categories]) = (data.data_type(), data.child_data()) {
            self.lengths.push(categories.len());
            self.array(categories, (0, categories.len()), &format!("{prefix}dictionary_"))?;
        }
        Ok(())
    }

    fn bytes<T: OffsetInteger>(
        &mut self,
        data: &ArrayData,
        rows: Window,
        prefix: &str,
        descr: &str,
    ) -> Result<()> {
        let broken_by = |fault: WindowError| contradiction(data.data_type(), &fault.message);
        let [offsets, values] = data.buffers() else {
            return Err(contradiction(data.data_type(), "two buffers expected."));
        };
        let (offsets, (from, count)) =
            windows::offsets::<T>(offsets, rows, values.len(), false).map_err(broken_by)?;
        self.push(prefix, "offsets", dtype(descr)?, offsets);
        self.push(prefix, "values", DType::BYTE, values.slice_with_length(from, count));
        Ok(())
    }

    /// Adds rows of a nested array; `rows` counts in its buffers.
    fn nested(
        &mut self,
        data: &ArrayData,
        rows: Window,
        nulls: Option<&NullBuffer>,
        prefix: &str,
    ) -> Result<()> {
        let broken_by = |fault: WindowError| contradiction(data.data_type(), &fault.message);
        let buffer = |i: usize| data.buffers().get(i).cloned().unwrap_or_default();
        let first = || {
            data.child_data().first().ok_or_else(|| contradiction(data.data_type(), "a child is missing."))
        };
        match data.data_type() {
            DataType::Map(item, _) => {
                let keys = first()?.child_data().first();
                if first()?.null_count() > 0 || keys.is_some_and(|keys| keys.null_count() > 0) {
                    return Err(contradiction(
                        data.data_type(),
                        "expected no null among entries and keys, found some.",
                    ));
                }
                self.list::<i32>(data, item, rows, prefix, "<i4")
            }
            DataType::List(item) => self.list::<i32>(data, item, rows, prefix, "<i4"),
            DataType::LargeList(item) => self.list::<i64>(data, item, rows, prefix, "<i8"),
            DataType::ListView(_) => self.list_view::<i32>(data, rows, prefix, "<i4"),
            DataType::LargeListView(_) => self.list_view::<i64>(data, rows, prefix, "<i8"),
            DataType::FixedSizeList(item, n) => {
                let n = usize::try_from(*n)
                    .map_err(|_| contradiction(data.data_type(), "its size is negative."))?;
                let inner = (rows.0.saturating_mul(n), rows.1.saturating_mul(n));
                let mask = nulls.map(|nulls| nulls.expand(n));
                self.child(item, mask.as_ref(), first()?, inner, &format!("{prefix}0_"))
            }
            DataType::Struct(fields) => {
                for (i, (field, child)) in fields.iter().zip(data.child_data()).enumerate() {
                    self.child(field, nulls, child, rows, &format!("{prefix}{i}_"))?;
                }
                Ok(())
            }
            DataType::Union(fields, UnionMode::Sparse) => {
                let ids = windows::type_ids(&buffer(0), rows, &type_ids_of(fields)).map_err(broken_by)?;
                self.push(prefix, "type_ids", dtype("|i1")?, ids);
                for (i, child) in data.child_data().iter().enumerate() {
                    self.array(child, rows, &format!("{prefix}{i}_"))?;
                }
                Ok(())
            }
            DataType::Union(fields, UnionMode::Dense) => {
                let limits: Vec<usize> = data.child_data().iter().map(ArrayData::len).collect();
                let names = type_ids_of(fields);
                let used =
                    windows::dense_union_bounds(&buffer(0), &buffer(1), rows, &names).map_err(broken_by)?;
                let (ids, offsets) =
                    windows::dense_union(&buffer(0), &buffer(1), rows, &names, (&used, &limits))
                        .map_err(broken_by)?;
                self.push(prefix, "type_ids", dtype("|i1")?, ids);
                self.push(prefix, "offsets", dtype("<i4")?, offsets);
                for (i, (child, used)) in data.child_data().iter().zip(used).enumerate() {
                    self.lengths.push(used.1);
                    self.array(child, used, &format!("{prefix}{i}_"))?;
                }
                Ok(())
            }
            DataType::RunEndEncoded(ends, _) => match ends.data_type() {
                DataType::Int16 => self.runs::<i16>(data, rows, prefix, "<i2"),
                DataType::Int32 => self.runs::<i32>(data, rows, prefix, "<i4"),
                _ => self.runs::<i64>(data, rows, prefix, "<i8"),
            },
            other => Err(contradiction(other, "it has no children.")),
        }
    }

    fn list<T: OffsetInteger>(
        &mut self,
        data: &ArrayData,
        item: &Field,
        rows: Window,
        prefix: &str,
        descr: &str,
    ) -> Result<()> {
        let broken_by = |fault: WindowError| contradiction(data.data_type(), &fault.message);
        let ([offsets], [child]) = (data.buffers(), data.child_data()) else {
            return Err(contradiction(data.data_type(), "offsets and one child expected."));
        };
        let (offsets, used) = windows::offsets::<T>(offsets, rows, child.len(), true).map_err(broken_by)?;
        self.push(prefix, "offsets", dtype(descr)?, offsets);
        self.lengths.push(used.1);
        self.child(item, None, child, used, &format!("{prefix}0_"))
    }

    fn list_view<T: OffsetInteger>(
        &mut self,
        data: &ArrayData,
        rows: Window,
        prefix: &str,
        descr: &str,
    ) -> Result<()> {
        let broken_by = |fault: WindowError| contradiction(data.data_type(), &fault.message);
        let ([offsets, sizes], [child]) = (data.buffers(), data.child_data()) else {
            return Err(contradiction(data.data_type(), "offsets, sizes and one child expected."));
        };
        let (offsets, sizes, used) =
            windows::list_views::<T>(offsets, sizes, rows, child.len()).map_err(broken_by)?;
        self.push(prefix, "offsets", dtype(descr)?, offsets);
        self.push(prefix, "sizes", dtype(descr)?, sizes);
        self.lengths.push(used.1);
        self.array(child, used, &format!("{prefix}0_"))
    }

    fn runs<T: OffsetInteger>(
        &mut self,
        data: &ArrayData,
        rows: Window,
        prefix: &str,
        descr: &str,
    ) -> Result<()> {
        let broken_by = |fault: WindowError| contradiction(data.data_type(), &fault.message);
        let [ends, values] = data.child_data() else {
            return Err(contradiction(data.data_type(), "run ends and values expected."));
        };
        let stored = ends.buffers().first().cloned().unwrap_or_default();
        let stored =
            windows::aligned_slice::<T>(&stored, "0_values", ends.offset(), ends.len()).map_err(broken_by)?;
        let (ends, used) = windows::run_ends::<T>(&stored, rows).map_err(broken_by)?;
        self.push(prefix, "0_values", dtype(descr)?, ends);
        self.lengths.push(used.1);
        self.array(values, used, &format!("{prefix}1_"))
    }

    /// Adds a child. A field that is not nullable may hold nulls only where its parent is null.
    fn child(
        &mut self,
        field: &Field,
        mask: Option<&NullBuffer>,
        child: &ArrayData,
        rows: Window,
        prefix: &str,
    ) -> Result<()> {
        let fits = rows.0.checked_add(rows.1).is_some_and(|end| end <= child.len());
        if !field.is_nullable() && fits {
            let nulls = child.nulls().map(|nulls| nulls.slice(rows.0, rows.1)).filter(|n| n.null_count() > 0);
            if let Some(nulls) = nulls.filter(|nulls| mask.is_none_or(|mask| !mask.contains(nulls))) {
                let message = format!(
                    "field {:?} is not nullable, but {} of its values are null. Make the field nullable.",
                    field.name(),
                    nulls.null_count()
                );
                return Err(Error::unrepresentable("npz", message));
            }
        }
        self.array(child, rows, prefix)
    }
}

pub(super) fn type_ids_of(fields: &UnionFields) -> Vec<i8> {
    fields.iter().map(|(id, _)| id).collect()
}

fn contradiction(data_type: &DataType, what: &str) -> Error {
    let name = type_name(data_type, false);
    Error::unrepresentable(
        "npz",
        format!("the buffers of {name} contradict each other: {what} Build the column again."),
    )
}
