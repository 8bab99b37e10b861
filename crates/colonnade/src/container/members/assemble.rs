//! Builds a column in Arrow's layout from the buffers of its members, for a range of rows.
//!
//! This code checks lengths against buffers, offsets against children, type ids against fields and run ends against rows.
//! Arrow's full validation follows, so callers may rely on the arrays. Only the requested rows, and the parts of children
//! that they refer to, are read.

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer, bit_util};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, UnionMode};

use crate::arrow::ipc::check;
use crate::arrow::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::frame::paths::LeafProjection;
use crate::frame::{Column, DType, row_range};
use crate::memory::Buffer;

use super::buffers::{BufferLayout, ColumnSpec, dtype, largest_length};
use super::disassemble::type_ids_of;
use super::windows::{self, OffsetInteger, Window, WindowError};

/// Returns dtype and bytes of the member at a path.
pub type FetchMember<'a> = dyn FnMut(&str) -> Result<Option<(DType, Buffer)>> + 'a;

/// Assembles rows `rows.0..rows.1` of the projected leaves of a column. `fetch` returns dtype and bytes of the member at a path.
/// Large text is checked by up to `threads` threads.
///
/// # Errors
/// Malformed, with the path as member and the byte in its data: a buffer is missing, has another dtype or length, or
/// contradicts the others.
pub fn assemble(
    spec: &ColumnSpec,
    leaves: &LeafProjection,
    rows: (usize, usize),
    fetch: &mut FetchMember<'_>,
    threads: usize,
) -> Result<Column> {
    spec.largest_length()?;
    row_range("npz", Some(rows), spec.length)?;
    let mut assembler = Assembler { lengths: spec.children.iter().copied(), fetch, threads };
    let window = (rows.0, rows.1 - rows.0);
    let data = assembler.array(&spec.data_type, leaves, spec.length, window, "")?;
    Ok(Column { ordered: spec.ordered, tag: leaves.project_tag(spec.tag.clone()), ..Column::new(data) })
}

struct Assembler<'r, 'f, L> {
    lengths: L,
    fetch: &'r mut FetchMember<'f>,
    threads: usize,
}

impl<L: Iterator<Item = usize>> Assembler<'_, '_, L> {
    /// Reads a range of rows of an array that stores `total` rows.
    fn array(
        &mut self,
        data_type: &DataType,
        leaves: &LeafProjection,
        total: usize,
        rows: Window,
        prefix: &str,
    ) -> Result<ArrayData> {
        let (start, count) = rows;
        let mut builder = ArrayDataBuilder::new(leaves.project_type(data_type)).len(count);
        let mut nulls = None;
        if let Some(bits) = self.optional(prefix, "validity", DType::BYTE)? {
            check_length(prefix, "validity", &bits, bit_util::ceil(total, 8))?;
            nulls = Some(NullBuffer::new(BooleanBuffer::new(bits, start, count)));
            builder = builder.nulls(nulls.clone());
        }
        let mut main = "values";
        match BufferLayout::of(data_type)? {
            BufferLayout::Null => main = "validity",
            BufferLayout::Bits => {
                let bits = self.required(prefix, "values", DType::BYTE)?;
                check_length(prefix, "values", &bits, bit_util::ceil(total, 8))?;
                let nbytes = bit_util::ceil(start % 8 + count, 8);
                builder = builder.offset(start % 8).add_buffer(bits.slice_with_length(start / 8, nbytes));
            }
            BufferLayout::Fixed(dtype) => {
                let values = self.required(prefix, "values", dtype)?;
                let width = dtype.itemsize as usize;
                check_length(prefix, "values", &values, total.saturating_mul(width))?;
                builder = builder.add_buffer(values.slice_with_length(start * width, count * width));
            }
            BufferLayout::Views => {
                main = "views";
                let views = self.required(prefix, "views", dtype("|V16")?)?;
                check_length(prefix, "views", &views, total.saturating_mul(16))?;
                builder = builder.add_buffer(views.slice_with_length(start * 16, count * 16));
                for k in 0.. {
                    match self.optional(prefix, &format!("data_{k}"), DType::BYTE)? {
                        Some(data) => builder = builder.add_buffer(data),
                        None => break,
                    }
                }
            }
            kind @ (BufferLayout::Offsets32 | BufferLayout::Offsets64) => {
                let (descr, width) = if kind == BufferLayout::Offsets32 { ("<i4", 4) } else { ("<i8", 8) };
                let offsets = self.required(prefix, "offsets", dtype(descr)?)?;
                check_length(prefix, "offsets", &offsets, total.saturating_add(1).saturating_mul(width))?;
                let values = self.required(prefix, "values", DType::BYTE)?;
                let offsets = offsets.slice_with_length(start * width, (count + 1) * width);
                check::text(data_type, &offsets, &values, self.threads).map_err(|e| {
                    let message = format!("{} The column's buffers contradict each other.", e.message());
                    Error::malformed("npz", message).in_member(format!("{prefix}{main}")).at(0)
                })?;
                // Trusted: the lengths of all buffers, and each offset and text, were checked here.
                return Ok(trusted_array(builder.add_buffer(offsets).add_buffer(values).align_buffers(true)));
            }
            BufferLayout::Nested => {
                main = match data_type {
                    DataType::Struct(_) | DataType::FixedSizeList(..) => "validity",
                    DataType::Union(..) => "type_ids",
                    DataType::RunEndEncoded(..) => "0_values",
                    _ => "offsets",
                };
                builder = self.nested(builder, (data_type, leaves), total, rows, nulls.as_ref(), prefix)?;
            }
        }
        if let DataType::Dictionary(_, values) = data_type {
            let count = self.length(prefix)?;
            let prefix = format!("{prefix}dictionary_");
            builder = builder.add_child_data(self.array(
                values,
                &LeafProjection::All,
                count,
                (0, count),
                &prefix,
            )?);
        }
        // Full validation: offsets in order and in bounds, UTF-8, codes within the categories.
        builder.align_buffers(true).build().map_err(|e| {
            let message = format!("{e}. The column's buffers contradict each other; the file is damaged.");
            Error::malformed("npz", message).in_member(format!("{prefix}{main}")).at(0)
        })
    }

    /// Adds the buffers and children of a nested array.
    fn nested(
        &mut self,
        builder: ArrayDataBuilder,
        (data_type, leaves): (&DataType, &LeafProjection),
        total: usize,
        rows: Window,
        nulls: Option<&NullBuffer>,
        prefix: &str,
    ) -> Result<ArrayDataBuilder> {
        let item_leaves = leaves.child(0).unwrap_or(&LeafProjection::All);
        match data_type {
            DataType::List(item) | DataType::Map(item, _) => {
                self.list::<i32>(builder, (item, item_leaves), total, rows, prefix, "<i4")
            }
            DataType::LargeList(item) => {
                self.list::<i64>(builder, (item, item_leaves), total, rows, prefix, "<i8")
            }
            DataType::ListView(item) => {
                self.list_view::<i32>(builder, (item, item_leaves), total, rows, prefix, "<i4")
            }
            DataType::LargeListView(item) => {
                self.list_view::<i64>(builder, (item, item_leaves), total, rows, prefix, "<i8")
            }
            DataType::FixedSizeList(item, n) => {
                let n = usize::try_from(*n).unwrap_or(0);
                let inner = (rows.0.saturating_mul(n), rows.1.saturating_mul(n));
                let mask = nulls.map(|nulls| nulls.expand(n));
                let prefix = format!("{prefix}0_");
                Ok(builder.add_child_data(self.child(
                    (item, item_leaves),
                    mask.as_ref(),
                    total.saturating_mul(n),
                    inner,
                    &prefix,
                )?))
            }
            DataType::Struct(fields) => {
                let mut builder = builder;
                for (i, field) in fields.iter().enumerate() {
                    let Some(leaves) = leaves.child(i) else {
                        self.skip_lengths(field.data_type(), total, prefix)?;
                        continue;
                    };
                    let child = self.child((field, leaves), nulls, total, rows, &format!("{prefix}{i}_"))?;
                    builder = builder.add_child_data(child);
                }
                Ok(builder)
            }
            DataType::Union(fields, mode) => {
                let malformed = |fault: WindowError| fault_error(prefix, fault);
                let ids = self.required(prefix, "type_ids", dtype("|i1")?)?;
                check_length(prefix, "type_ids", &ids, total)?;
                let names = type_ids_of(fields);
                if *mode == UnionMode::Sparse {
                    let mut builder =
                        builder.add_buffer(windows::type_ids(&ids, rows, &names).map_err(malformed)?);
                    for (i, (_, field)) in fields.iter().enumerate() {
                        let prefix = format!("{prefix}{i}_");
                        let child =
                            self.array(field.data_type(), &LeafProjection::All, total, rows, &prefix)?;
                        builder = builder.add_child_data(child);
                    }
                    return Ok(builder);
                }
                let offsets = self.required(prefix, "offsets", dtype("<i4")?)?;
                check_length(prefix, "offsets", &offsets, total.saturating_mul(4))?;
                // Lengths are listed depth first, so a child's length is taken just before the child is read.
                let mut limits = Vec::new();
                let mut children = Vec::new();
                let bounds = windows::dense_union_bounds(&ids, &offsets, rows, &names).map_err(malformed)?;
                for (i, ((_, field), used)) in fields.iter().zip(&bounds).enumerate() {
                    let length = self.length(prefix)?;
                    let used = (used.0.min(length), used.1.min(length - used.0.min(length)));
                    limits.push(length);
                    let prefix = format!("{prefix}{i}_");
                    children.push(self.array(
                        field.data_type(),
                        &LeafProjection::All,
                        length,
                        used,
                        &prefix,
                    )?);
                }
                let (ids, offsets) = windows::dense_union(&ids, &offsets, rows, &names, (&bounds, &limits))
                    .map_err(malformed)?;
                Ok(builder.add_buffer(ids).add_buffer(offsets).child_data(children))
            }
            DataType::RunEndEncoded(ends, values) => match ends.data_type() {
                DataType::Int16 => self.runs::<i16>(builder, (ends, values, leaves), rows, prefix, "<i2"),
                DataType::Int32 => self.runs::<i32>(builder, (ends, values, leaves), rows, prefix, "<i4"),
                _ => self.runs::<i64>(builder, (ends, values, leaves), rows, prefix, "<i8"),
            },
            _ => Ok(builder),
        }
    }

    fn list<T: OffsetInteger>(
        &mut self,
        builder: ArrayDataBuilder,
        item: (&Field, &LeafProjection),
        total: usize,
        rows: Window,
        prefix: &str,
        descr: &str,
    ) -> Result<ArrayDataBuilder> {
        let offsets = self.required(prefix, "offsets", dtype(descr)?)?;
        let expected = total.saturating_add(1).saturating_mul(size_of::<T>());
        check_length(prefix, "offsets", &offsets, expected)?;
        let length = self.length(prefix)?;
        let (offsets, used) = windows::offsets::<T>(&offsets, rows, length, true)
            .map_err(|fault| fault_error(prefix, fault))?;
        let child = self.child(item, None, length, used, &format!("{prefix}0_"))?;
        Ok(builder.add_buffer(offsets).add_child_data(child))
    }

    fn list_view<T: OffsetInteger>(
        &mut self,
        builder: ArrayDataBuilder,
        item: (&Field, &LeafProjection),
        total: usize,
        rows: Window,
        prefix: &str,
        descr: &str,
    ) -> Result<ArrayDataBuilder> {
        let offsets = self.required(prefix, "offsets", dtype(descr)?)?;
        let sizes = self.required(prefix, "sizes", dtype(descr)?)?;
        let expected = total.saturating_mul(size_of::<T>());
        check_length(prefix, "offsets", &offsets, expected)?;
        check_length(prefix, "sizes", &sizes, expected)?;
        let length = self.length(prefix)?;
        let (offsets, sizes, used) = windows::list_views::<T>(&offsets, &sizes, rows, length)
            .map_err(|fault| fault_error(prefix, fault))?;
        let child = self.array(item.0.data_type(), item.1, length, used, &format!("{prefix}0_"))?;
        Ok(builder.add_buffer(offsets).add_buffer(sizes).add_child_data(child))
    }

    fn runs<T: OffsetInteger>(
        &mut self,
        builder: ArrayDataBuilder,
        (ends, values, leaves): (&Field, &Field, &LeafProjection),
        rows: Window,
        prefix: &str,
        descr: &str,
    ) -> Result<ArrayDataBuilder> {
        let malformed = |fault: WindowError| fault_error(prefix, fault);
        let length = self.length(prefix)?;
        let stored = self.required(prefix, "0_values", dtype(descr)?)?;
        let stored = windows::aligned_slice::<T>(&stored, "0_values", 0, length).map_err(malformed)?;
        let (stored, used) = windows::run_ends::<T>(&stored, rows).map_err(malformed)?;
        let ends = ArrayDataBuilder::new(ends.data_type().clone()).len(used.1).add_buffer(stored);
        let ends = ends.build().map_err(|e| Error::malformed("npz", format!("{e}.")))?;
        let leaves = leaves.child(1).unwrap_or(&LeafProjection::All);
        let values = self.array(values.data_type(), leaves, length, used, &format!("{prefix}1_"))?;
        Ok(builder.add_child_data(ends).add_child_data(values))
    }

    /// Reads a child. A field that is not nullable may hold nulls only where its parent is null.
    fn child(
        &mut self,
        (field, leaves): (&Field, &LeafProjection),
        mask: Option<&NullBuffer>,
        total: usize,
        rows: Window,
        prefix: &str,
    ) -> Result<ArrayData> {
        let data = self.array(field.data_type(), leaves, total, rows, prefix)?;
        let nulls = data.nulls().filter(|nulls| !field.is_nullable() && nulls.null_count() > 0);
        if nulls.is_some_and(|nulls| mask.is_none_or(|mask| !mask.contains(nulls))) {
            let message = format!("expected no null in field {:?}, which is not nullable.", field.name());
            return Err(Error::malformed("npz", message).in_member(format!("{prefix}validity")).at(0));
        }
        Ok(data)
    }

    /// Skips a child of `total` values, and takes the lengths below it off the list.
    fn skip_lengths(&mut self, data_type: &DataType, total: usize, prefix: &str) -> Result<()> {
        match largest_length(data_type, total, &mut self.lengths) {
            Some(_) => Ok(()),
            None => self.length(prefix).map(|_| ()),
        }
    }

    fn length(&mut self, prefix: &str) -> Result<usize> {
        self.lengths.next().ok_or_else(|| {
            Error::malformed("npz", format!("child {prefix:?} has no length in __colonnade__."))
        })
    }

    fn optional(&mut self, prefix: &str, name: &str, expected: DType) -> Result<Option<ArrowBuffer>> {
        let path = format!("{prefix}{name}");
        match (self.fetch)(&path)? {
            None => Ok(None),
            Some((found, bytes)) if found == expected => Ok(Some(bytes.to_arrow())),
            Some((found, _)) => {
                let message = format!("expected dtype {}, found {}.", expected.descr(), found.descr());
                Err(Error::malformed("npz", message).in_member(path).at(0))
            }
        }
    }

    fn required(&mut self, prefix: &str, name: &str, expected: DType) -> Result<ArrowBuffer> {
        self.optional(prefix, name, expected)?.ok_or_else(|| {
            let message = "is missing, though __meta__.json needs it. Fetch or write the file again.";
            Error::malformed("npz", message).in_member(format!("{prefix}{name}"))
        })
    }
}

/// Requires the declared length exactly. Surplus bytes would be values that get lost.
fn check_length(prefix: &str, name: &str, buffer: &ArrowBuffer, expected: usize) -> Result<()> {
    if buffer.len() == expected {
        return Ok(());
    }
    let message = format!("expected {expected} bytes, found {}.", buffer.len());
    Err(Error::malformed("npz", message).in_member(format!("{prefix}{name}")).at(buffer.len() as u64))
}

fn fault_error(prefix: &str, fault: WindowError) -> Error {
    Error::malformed("npz", fault.message)
        .in_member(format!("{prefix}{}", fault.buffer))
        .at(fault.byte as u64)
}
