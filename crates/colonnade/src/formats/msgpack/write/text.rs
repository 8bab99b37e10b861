//! Columns of text.

use std::ops::Range;

use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use crate::error::{Error, Result};

use crate::cells::msgpack::column::{CellWriter, FORMAT, changed};

/// Short texts are copied with this constant size, whatever their length: one move instead of a call.
const BLIND_NBYTES: usize = 16;

struct StringWriter<'a, O> {
    offsets: &'a [O],
    values: &'a [u8],
    nulls: Option<&'a NullBuffer>,
    /// Whether `str 8` may be used, which came with the specification of 2013.
    str8: bool,
}

fn head_nbytes(length: usize, str8: bool) -> usize {
    1 + usize::from(length > 31)
        + usize::from(length > 255 || length > 31 && !str8)
        + 2 * usize::from(length > 65535)
}

impl<O: ArrowNativeType> StringWriter<'_, O> {
    fn bounds(&self, rows: Range<usize>) -> Result<&[O]> {
        self.offsets.get(rows.start..=rows.end).ok_or_else(changed)
    }
}

/// Returns the range between two neighbouring offsets.
#[inline]
fn span<O: ArrowNativeType>(pair: &[O]) -> (usize, usize) {
    match pair {
        [a, b] => (a.as_usize(), b.as_usize().wrapping_sub(a.as_usize())),
        _ => (0, 0),
    }
}

#[cold]
fn too_long(length: usize) -> Error {
    let message =
        format!("a text has {length} bytes, over the 4294967295 that MessagePack can hold. Split it.");
    Error::unrepresentable(FORMAT, message)
}

impl<O: ArrowNativeType + Sync> CellWriter for StringWriter<'_, O> {
    fn measure(&self, rows: Range<usize>) -> Result<usize> {
        let bounds = self.bounds(rows.clone())?;
        let mut total = 0usize;
        for (i, pair) in bounds.windows(2).enumerate() {
            let (_, length) = span(pair);
            if self.nulls.is_some_and(|n| n.is_null(rows.start + i)) {
                total += 1;
                continue;
            }
            if u32::try_from(length).is_err() {
                return Err(too_long(length));
            }
            total += head_nbytes(length, self.str8) + length;
        }
        Ok(total)
    }

    fn write(&self, rows: Range<usize>, out: &mut [u8]) -> Result<usize> {
        let bounds = self.bounds(rows.clone())?;
        let mut at = 0usize;
        for (i, pair) in bounds.windows(2).enumerate() {
            let rest = out.get_mut(at..).ok_or_else(changed)?;
            if self.nulls.is_some_and(|n| n.is_null(rows.start + i)) {
                *rest.first_mut().ok_or_else(changed)? = 0xc0;
                at += 1;
                continue;
            }
            let (start, length) = span(pair);
            if length <= BLIND_NBYTES
                && let (Some(source), Some(place)) = (
                    self.values.get(start..).and_then(|v| v.first_chunk::<BLIND_NBYTES>()),
                    rest.first_chunk_mut::<{ BLIND_NBYTES + 1 }>(),
                )
            {
                let [first, behind @ ..] = place;
                *first = 0xa0 | length.to_le_bytes()[0];
                *behind = *source;
                at += 1 + length;
                continue;
            }
            let source = start.checked_add(length).and_then(|end| self.values.get(start..end));
            at += long(source.ok_or_else(changed)?, self.str8, rest)?;
        }
        Ok(at)
    }
}

fn long(text: &[u8], str8: bool, out: &mut [u8]) -> Result<usize> {
    let length = text.len();
    let head = head_nbytes(length, str8);
    let (place, rest) = out.split_at_mut_checked(head).ok_or_else(changed)?;
    let be = u32::try_from(length).map_err(|_| too_long(length))?.to_be_bytes();
    match (place, be) {
        ([m], [.., d]) => *m = 0xa0 | d,
        ([m, a], [.., d]) => (*m, *a) = (0xd9, d),
        ([m, a, b], [.., c, d]) => (*m, *a, *b) = (0xda, c, d),
        ([m, a, b, c, d], [e, f, g, h]) => (*m, *a, *b, *c, *d) = (0xdb, e, f, g, h),
        _ => return Err(changed()),
    }
    rest.get_mut(..length).ok_or_else(changed)?.copy_from_slice(text);
    Ok(head + length)
}

/// Returns the writer of a column of text; `None` for other types.
pub(super) fn writer(data: &ArrayData, str8: bool) -> Option<Box<dyn CellWriter + '_>> {
    fn writer_of<'a, O: ArrowNativeType + Sync>(
        data: &'a ArrayData,
        str8: bool,
    ) -> Option<Box<dyn CellWriter + 'a>> {
        let [offsets, values] = data.buffers() else { return None };
        let offsets = offsets.typed_data::<O>().get(data.offset()..)?;
        let nulls = data.nulls().filter(|n| n.null_count() > 0);
        Some(Box::new(StringWriter { offsets, values: values.as_slice(), nulls, str8 }))
    }
    match data.data_type() {
        _ if data.is_empty() => None,
        DataType::Utf8 => writer_of::<i32>(data, str8),
        DataType::LargeUtf8 => writer_of::<i64>(data, str8),
        _ => None,
    }
}
