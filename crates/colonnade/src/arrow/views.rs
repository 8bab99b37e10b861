//! Converts text and bytes to views, for consumers that use views and would otherwise convert one column after the other.
//! Widens decimals of 32 and 64 bits to 128 bits, because polars reads 128 bits for each of them, whatever the schema
//! declares.
//!
//! Source: Arrow columnar format, "Variable-size Binary View Layout".

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_buffer::{ArrowNativeType, Buffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::frame::{Frame, Part};
use crate::memory::{self, Region};
use crate::parallel;
use crate::parallel::Task;

/// The mask of the value's bytes in the sixteen bytes of an inline view, by the value's length.
const VALUE_MASKS: [u128; 13] = {
    let mut masks = [0; 13];
    let mut length = 1;
    while length < masks.len() {
        masks[length] = masks[length - 1] << 8 | 0xff;
        length += 1;
    }
    masks
};

/// The size of a view.
const NBYTES: usize = size_of::<u128>();

/// The most bytes of a buffer: a view has signed 32-bit offsets.
const MAX_BUFFER_NBYTES: usize = i32::MAX as usize;

/// Converts the offsets of text and byte columns to views, in frames of one layout, without copying the characters. A
/// column with a value of 2 GiB or more, which no view can hold, stays unchanged in all frames.
///
/// # Errors
/// Malformed: offsets beyond the end of the values.
pub fn to_views(frames: Vec<Arc<Frame>>) -> Result<Vec<Arc<Frame>>> {
    let mut columns = Vec::new();
    for (frame_index, frame) in frames.iter().enumerate() {
        for (part_index, part) in frame.parts.iter().enumerate() {
            if let Part::Column(column, position) = part {
                let data_type = column.data.data_type();
                if view_type(data_type).is_none() {
                    if has_narrow_decimals(data_type) {
                        let message =
                            format!("column {position}: expected decimals of 128 bits within {data_type}.");
                        return Err(Error::unsupported("arrow", message));
                    }
                    continue;
                }
                columns.push(ViewColumn { frame_index, part_index, position: *position, views: None });
            }
        }
    }
    if columns.is_empty() {
        return Ok(frames);
    }
    let tasks = columns.iter_mut().map(|view_column| {
        let frame = frames.get(view_column.frame_index);
        Task::new(frame.map_or(0, |frame| frame.nrows * NBYTES), move || {
            if let Some(Part::Column(column, _)) = frame.and_then(|f| f.parts.get(view_column.part_index)) {
                view_column.views = view_array(&column.data)?;
            }
            Ok(())
        })
    });
    parallel::run_on_all_cores(tasks.collect())?;
    Ok(replace_columns(frames, columns))
}

/// A column to convert, and the results.
struct ViewColumn {
    frame_index: usize,
    /// Its position among the frame's parts.
    part_index: usize,
    position: usize,
    views: Option<ArrayData>,
}

/// Replaces columns by their converted arrays. If one chunk of a column cannot be converted, none is, because all chunks
/// have one type.
fn replace_columns(frames: Vec<Arc<Frame>>, columns: Vec<ViewColumn>) -> Vec<Arc<Frame>> {
    let mut parts: Vec<Vec<Part>> = frames.iter().map(|frame| frame.parts.clone()).collect();
    let unconverted: BTreeSet<usize> =
        columns.iter().filter(|c| c.views.is_none()).map(|c| c.position).collect();
    for ViewColumn { frame_index, part_index, position, views } in columns {
        if let Some(views) = views.filter(|_| !unconverted.contains(&position))
            && let Some(Part::Column(column, _)) =
                parts.get_mut(frame_index).and_then(|parts| parts.get_mut(part_index))
        {
            column.data = views;
        }
    }
    frames.iter().zip(parts).map(|(frame, parts)| Arc::new(frame.with_parts(parts))).collect()
}

fn view_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 => Some(DataType::Utf8View),
        DataType::Binary | DataType::LargeBinary => Some(DataType::BinaryView),
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            Some(DataType::Decimal128(*precision, *scale))
        }
        _ => None,
    }
}

/// Whether a type contains decimals of 32 or 64 bits.
fn has_narrow_decimals(data_type: &DataType) -> bool {
    let of = |field: &arrow_schema::FieldRef| has_narrow_decimals(field.data_type());
    match data_type {
        DataType::Decimal32(..) | DataType::Decimal64(..) => true,
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => of(item),
        DataType::Struct(fields) => fields.iter().any(of),
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| of(field)),
        DataType::RunEndEncoded(_, values) => of(values),
        DataType::Dictionary(_, values) => has_narrow_decimals(values),
        _ => false,
    }
}

/// Widens decimals to 128 bits.
fn widen_decimals(data: &ArrayData, wide: DataType) -> Option<ArrayData> {
    let bytes = data.buffers().first()?.as_slice();
    let range = data.offset()..data.offset() + data.len();
    let values: Vec<i128> = if matches!(data.data_type(), DataType::Decimal32(..)) {
        bytes.as_chunks::<4>().0.get(range)?.iter().map(|v| i128::from(i32::from_le_bytes(*v))).collect()
    } else {
        bytes.as_chunks::<8>().0.get(range)?.iter().map(|v| i128::from(i64::from_le_bytes(*v))).collect()
    };
    let builder = ArrayData::builder(wide).len(data.len()).nulls(data.nulls().cloned());
    builder.add_buffer(Buffer::from_vec(values)).build().ok()
}

/// Converts one column; `None` if it has no views: a value of 2 GiB or more, or another type.
///
/// # Errors
/// As [`to_views`].
pub(crate) fn view_array(data: &ArrayData) -> Result<Option<ArrayData>> {
    if let Some(wide @ DataType::Decimal128(..)) = view_type(data.data_type()) {
        return Ok(widen_decimals(data, wide));
    }
    let (Some(view_type), [offsets, values]) = (view_type(data.data_type()), data.buffers()) else {
        return Ok(None);
    };
    // An array without rows may have no offsets.
    let range = if data.is_empty() { 0..0 } else { data.offset()..data.offset() + data.len() + 1 };
    let views = match data.data_type() {
        DataType::LargeUtf8 | DataType::LargeBinary => views(offsets.typed_data::<i64>().get(range), values),
        _ => views(offsets.typed_data::<i32>().get(range), values),
    };
    let Some((views, buffers)) = views? else { return Ok(None) };
    let builder = ArrayData::builder(view_type).len(data.len()).nulls(data.nulls().cloned());
    let builder = builder.add_buffer(views).add_buffers(buffers);
    // Trusted: one view for each row, each over existing bytes; the values were valid text before.
    Ok(Some(trusted_array(builder)))
}

/// Builds the views of all values and the buffers that they refer to; `None` if a value is too long.
fn views<O: ArrowNativeType>(
    offsets: Option<&[O]>,
    values: &Buffer,
) -> Result<Option<(Buffer, Vec<Buffer>)>> {
    let broken = || {
        Error::malformed(
            "arrow",
            "expected offsets that rise within the values. The array breaks Arrow's layout.",
        )
    };
    let offsets = offsets.ok_or_else(broken)?;
    let bytes = values.as_slice();
    let mut views = Region::allocate(offsets.len().saturating_sub(1) * NBYTES)?;
    let mut buffers = Vec::new();
    // Start and end of the current buffer.
    let (mut base, mut end) = (0, 0);
    let (rows, _) = views.as_mut_slice().as_chunks_mut::<NBYTES>();
    let mut start = offsets.first().map_or(0, |first| first.as_usize());
    for (view, stop) in rows.iter_mut().zip(offsets.get(1..).unwrap_or(&[])) {
        let (from, stop) = (start, stop.as_usize());
        start = stop;
        let value = bytes.get(from..stop).ok_or_else(broken)?;
        // In bounds: no value is longer than a buffer.
        let nbytes = u32::try_from(value.len()).unwrap_or(u32::MAX);
        if let Some(mask) = VALUE_MASKS.get(value.len()) {
            // Loading sixteen bytes and masking them costs less than a copy of variable length.
            let wide = match bytes.get(from..).and_then(|rest| rest.first_chunk()) {
                Some(wide) => *wide,
                None => {
                    let mut wide = [0; NBYTES];
                    wide[..value.len()].copy_from_slice(value);
                    wide
                }
            };
            *view = ((u128::from_le_bytes(wide) & mask) << 32 | u128::from(nbytes)).to_le_bytes();
        } else {
            if value.len() > MAX_BUFFER_NBYTES {
                return Ok(None);
            }
            if end == 0 {
                base = from;
            } else if stop - base > MAX_BUFFER_NBYTES {
                buffers.push(values.slice_with_length(base, end - base));
                base = from;
            }
            end = stop;
            view[..4].copy_from_slice(&nbytes.to_le_bytes());
            view[4..8].copy_from_slice(&value[..4]);
            view[8..12].copy_from_slice(&u32::try_from(buffers.len()).unwrap_or(u32::MAX).to_le_bytes());
            view[12..].copy_from_slice(&u32::try_from(from - base).unwrap_or(u32::MAX).to_le_bytes());
        }
    }
    if end > 0 {
        buffers.push(values.slice_with_length(base, end - base));
    }
    let views = memory::Buffer::from_region(views.finish(), false).to_arrow();
    Ok(Some((views, buffers)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        Array, BinaryArray, LargeStringArray, StringArray, StringViewArray, cast::AsArray, make_array,
    };

    use super::*;
    use crate::frame::{Axis, Column, Tags};

    fn frame(data: ArrayData) -> Arc<Frame> {
        let n = data.len();
        let parts = vec![Part::Column(Column::new(data), 0)];
        Arc::new(Frame::new(Axis::range(n), Axis::range(1), parts, Tags::default()).unwrap())
    }

    fn column(frame: &Frame) -> ArrayData {
        match &frame.parts[0] {
            Part::Column(column, _) => column.data.clone(),
            Part::Block(..) => panic!("a block"),
        }
    }

    const CELLS: [Option<&str>; 7] = [
        Some(""),
        Some("a"),
        None,
        Some("twelve bytes"),
        Some("thirteen byte"),
        Some("ünïcödé öf möré"),
        Some("z"),
    ];

    #[test]
    fn views_keep_text_values() {
        for array in
            [StringArray::from(CELLS.to_vec()).to_data(), LargeStringArray::from(CELLS.to_vec()).to_data()]
        {
            for first in 0..CELLS.len() {
                for stop in first..=CELLS.len() {
                    let views = column(&to_views(vec![frame(array.slice(first, stop - first))]).unwrap()[0]);
                    views.validate_full().unwrap();
                    assert_eq!(
                        *make_array(views).as_string_view(),
                        StringViewArray::from(CELLS[first..stop].to_vec())
                    );
                }
            }
        }
    }

    #[test]
    fn views_keep_binary_values() {
        let cells: Vec<Option<&[u8]>> = vec![Some(b"\xff\x00"), None, Some(b"more than twelve \xfe")];
        let views = column(&to_views(vec![frame(BinaryArray::from(cells.clone()).to_data())]).unwrap()[0]);
        views.validate_full().unwrap();
        assert_eq!(make_array(views).as_binary_view().iter().collect::<Vec<_>>(), cells);
    }
}
