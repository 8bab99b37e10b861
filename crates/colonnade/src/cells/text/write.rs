//! Writes arrays as text. Common types have their own code; all others are converted through MessagePack.

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::decode::{put_int, put_time};
use super::floats::{self, Float, HalfBits};
use super::*;
use crate::cells::digits::FormatInteger;
use crate::cells::msgpack::column::changed;
use crate::cells::typed;
use crate::cells::typed::native;
use crate::cells::views::ViewCells;
use crate::frame::DTypeKind;

pub(super) mod categories;
mod general;

use categories::CategoryWriter;
use general::general;

pub(super) fn writer<'a>(
    field: &Field,
    numpy_dtype: Option<DType>,
    data: &'a ArrayData,
    style: TextStyle,
) -> Result<Box<dyn TextWriter + 'a>> {
    let mut data = data.clone();
    data.align_buffers();
    let broken =
        |e| Error::malformed(style.format, format!("the array is no valid Arrow: {e}. Make it again."));
    data.validate().map_err(broken)?;
    let tag = nested::tag_of(field);
    let complex = nested::is_complex(numpy_dtype);
    let csv = style.syntax == Syntax::Csv;
    let tag = if csv { nested::tag_of_type(data.data_type(), tag.as_deref()) } else { tag.as_deref() };
    let is_mixed = typed::is_cells(tag);
    let in_json = csv && nested::json_cells(data.data_type(), tag, complex).is_some();
    let value_style = if in_json { nested::json_style(style) } else { style };
    let general = |is_mixed: bool| -> Result<Box<dyn TextWriter>> {
        let values = general(field, numpy_dtype, &data, value_style, is_mixed)?;
        Ok(if in_json { Box::new(nested::JsonCellWriter(values)) } else { values })
    };
    // NumPy's times have no null except NaT.
    let nat = numpy_dtype.is_some_and(|d| matches!(d.kind, DTypeKind::DateTime | DTypeKind::TimeDelta));
    let t = data.data_type();
    let nulls = NullText { nulls: data.nulls().filter(|nulls| nulls.null_count() > 0).cloned(), style };
    Ok(match t {
        _ if is_mixed => general(true)?,
        DataType::Boolean => {
            let buffer = data.buffers().first().cloned().unwrap_or_default();
            Box::new(BoolWriter { bits: BooleanBuffer::new(buffer, data.offset(), data.len()), nulls })
        }
        DataType::Int8 => ints(native::<i8>(&data, 0), nulls),
        DataType::Int16 => ints(native::<i16>(&data, 0), nulls),
        DataType::Int32 => ints(native::<i32>(&data, 0), nulls),
        DataType::Int64 | DataType::Duration(_) if nat => {
            Box::new(TimeWriter { values: native::<i64>(&data, 0), data_type: t.clone(), nat, nulls })
        }
        DataType::Int64 | DataType::Duration(_) => ints(native::<i64>(&data, 0), nulls),
        DataType::UInt8 => ints(native::<u8>(&data, 0), nulls),
        DataType::UInt16 => ints(native::<u16>(&data, 0), nulls),
        DataType::UInt32 => ints(native::<u32>(&data, 0), nulls),
        DataType::UInt64 => ints(native::<u64>(&data, 0), nulls),
        DataType::Float16 => Box::new(FloatWriter { values: native::<u16>(&data, 0), make: HalfBits, nulls }),
        DataType::Float32 => {
            Box::new(FloatWriter { values: native::<u32>(&data, 0), make: f32::from_bits, nulls })
        }
        DataType::Float64 => {
            Box::new(FloatWriter { values: native::<u64>(&data, 0), make: f64::from_bits, nulls })
        }
        DataType::Timestamp(..) | DataType::Date64 | DataType::Time64(_) => {
            Box::new(TimeWriter { values: native::<i64>(&data, 0), data_type: t.clone(), nat, nulls })
        }
        DataType::Date32 | DataType::Time32(_) => {
            Box::new(TimeWriter { values: native::<i32>(&data, 0), data_type: t.clone(), nat: false, nulls })
        }
        DataType::Utf8 => Box::new(StrWriter::<i32>::new(&data, nulls)?),
        DataType::LargeUtf8 => Box::new(StrWriter::<i64>::new(&data, nulls)?),
        DataType::Utf8View => {
            Box::new(ViewWriter { cells: ViewCells::new(&data).ok_or_else(changed)?, nulls })
        }
        DataType::Dictionary(codes, _) => Box::new(CategoryWriter::new(codes, &data, value_style, style)?),
        DataType::FixedSizeList(item, 2) if complex && csv => {
            let child = data.child_data().first().ok_or_else(changed)?;
            let start = data.offset() * 2;
            let parts = child.slice(start, data.len() * 2);
            match item.data_type() {
                DataType::Float32 => {
                    Box::new(ComplexWriter { values: native::<u32>(&parts, 0), make: f32::from_bits, nulls })
                }
                _ => {
                    Box::new(ComplexWriter { values: native::<u64>(&parts, 0), make: f64::from_bits, nulls })
                }
            }
        }
        _ => general(false)?,
    })
}

/// Which cells are null, and how nulls are spelled.
struct NullText {
    nulls: Option<NullBuffer>,
    style: TextStyle,
}

impl NullText {
    #[inline]
    fn has(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn put(&self, out: &mut Vec<u8>) {
        if self.style.syntax != Syntax::Csv {
            out.extend_from_slice(b"null");
        }
    }
}

struct BoolWriter {
    bits: BooleanBuffer,
    nulls: NullText,
}

impl TextWriter for BoolWriter {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.has(row) {
            self.nulls.put(out);
            return Ok(());
        }
        if row >= self.bits.len() {
            return Err(changed());
        }
        out.extend_from_slice(if self.bits.value(row) { b"true" } else { b"false" });
        Ok(())
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.has(row)
    }

    fn is_plain(&self) -> bool {
        true
    }
}

struct IntWriter<T: ArrowNativeType> {
    values: ScalarBuffer<T>,
    nulls: NullText,
}

fn ints<T>(values: ScalarBuffer<T>, nulls: NullText) -> Box<dyn TextWriter>
where
    T: ArrowNativeType + FormatInteger,
{
    Box::new(IntWriter { values, nulls })
}

impl<T: ArrowNativeType + FormatInteger> TextWriter for IntWriter<T> {
    #[inline]
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.has(row) {
            self.nulls.put(out);
            return Ok(());
        }
        self.values.get(row).ok_or_else(changed)?.put(out);
        Ok(())
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.has(row)
    }

    fn is_plain(&self) -> bool {
        true
    }
}

struct FloatWriter<B: ArrowNativeType, F> {
    values: ScalarBuffer<B>,
    make: fn(B) -> F,
    nulls: NullText,
}

impl<B: ArrowNativeType, F: Float> TextWriter for FloatWriter<B, F> {
    #[inline]
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.has(row) {
            self.nulls.put(out);
            return Ok(());
        }
        let value = (self.make)(*self.values.get(row).ok_or_else(changed)?);
        floats::put(value, self.nulls.style, out)
    }

    fn is_null(&self, row: usize) -> bool {
        let nan = |bits: &B| {
            let bits = (self.make)(*bits).bits() & !F::SIGN;
            bits > F::INFINITY
        };
        self.nulls.has(row) || self.nulls.style.nan_is_null && self.values.get(row).is_some_and(nan)
    }

    fn is_plain(&self) -> bool {
        true
    }
}

/// Writes complex numbers for CSV in Python's spelling.
struct ComplexWriter<B: ArrowNativeType, F> {
    values: ScalarBuffer<B>,
    make: fn(B) -> F,
    nulls: NullText,
}

impl<B: ArrowNativeType, F: Float> TextWriter for ComplexWriter<B, F> {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.has(row) {
            return Ok(());
        }
        let part = |i: usize| self.values.get(2 * row + i).map(|bits| (self.make)(*bits)).ok_or_else(changed);
        out.push(b'(');
        floats::put(part(0)?, self.nulls.style, out)?;
        let at = out.len();
        floats::put(part(1)?, self.nulls.style, out)?;
        if out.get(at) != Some(&b'-') {
            out.insert(at, b'+');
        }
        out.extend_from_slice(b"j)");
        Ok(())
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.has(row)
    }

    fn is_plain(&self) -> bool {
        true
    }
}

struct TimeWriter<T: ArrowNativeType> {
    values: ScalarBuffer<T>,
    data_type: DataType,
    /// Whether the smallest 64-bit integer means NaT.
    nat: bool,
    nulls: NullText,
}

impl<T: ArrowNativeType + Into<i64>> TextWriter for TimeWriter<T> {
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.is_null(row) {
            self.nulls.put(out);
            return Ok(());
        }
        let count: i64 = (*self.values.get(row).ok_or_else(changed)?).into();
        if !put_time(count, &self.data_type, self.nulls.style, out) {
            put_int(count, out);
        }
        Ok(())
    }

    #[inline]
    fn is_null(&self, row: usize) -> bool {
        self.nulls.has(row)
            || self.nat && self.values.get(row).is_some_and(|count| Into::<i64>::into(*count) == i64::MIN)
    }

    fn is_plain(&self) -> bool {
        true
    }
}

struct StrWriter<O: ArrowNativeType> {
    /// The start of each cell, and the end of the last one.
    offsets: ScalarBuffer<O>,
    bytes: Buffer,
    nulls: NullText,
}

impl<O: ArrowNativeType> StrWriter<O> {
    fn new(data: &ArrayData, nulls: NullText) -> Result<Self> {
        let bytes = data.buffers().get(1).cloned().unwrap_or_default();
        let offsets: ScalarBuffer<O> = native(data, 1);
        let at = |i: usize| offsets.get(i).and_then(|o| o.to_usize()).unwrap_or(0);
        let used = bytes.get(at(0)..at(data.len())).ok_or_else(changed)?;
        if simdutf8::basic::from_utf8(used).is_err() {
            return Err(no_utf8(nulls.style));
        }
        Ok(Self { offsets, bytes, nulls })
    }

    #[inline]
    fn range(&self, row: usize) -> Option<std::ops::Range<usize>> {
        Some(self.offsets.get(row)?.to_usize()?..self.offsets.get(row + 1)?.to_usize()?)
    }
}

impl<O: ArrowNativeType> TextWriter for StrWriter<O> {
    #[inline]
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.has(row) {
            self.nulls.put(out);
            return Ok(());
        }
        let range = self.range(row).ok_or_else(changed)?;
        let text = self.bytes.get(range.clone()).ok_or_else(changed)?;
        if text.first().is_some_and(|b| b & 0xc0 == 0x80) {
            return Err(changed());
        }
        strings::put_part(&self.bytes, range, self.nulls.style.syntax, out);
        Ok(())
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.has(row)
    }
}

#[cold]
fn no_utf8(style: TextStyle) -> Error {
    Error::malformed(style.format, "the array holds text that is no UTF-8. Make it again.")
}

/// Writes text views.
struct ViewWriter {
    cells: ViewCells,
    nulls: NullText,
}

impl TextWriter for ViewWriter {
    #[inline]
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.has(row) {
            self.nulls.put(out);
            return Ok(());
        }
        let (bytes, range) = self.cells.part(row).ok_or_else(changed)?;
        let text = bytes.get(range.clone()).ok_or_else(changed)?;
        if !text.is_ascii() && simdutf8::basic::from_utf8(text).is_err() {
            return Err(no_utf8(self.nulls.style));
        }
        strings::put_part(bytes, range, self.nulls.style.syntax, out);
        Ok(())
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.has(row)
    }
}
