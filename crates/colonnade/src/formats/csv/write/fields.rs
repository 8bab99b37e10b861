//! Writes the fields of one column. Common types have direct writers; [`crate::cells::text`] formats all others.

use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::cells::digits;
use crate::cells::digits::FormatInteger;
use crate::cells::msgpack::column::changed;
use crate::cells::text;
use crate::cells::text::{TextStyle, TextWriter};
use crate::cells::views::ViewCells;
use crate::error::Result;
use crate::frame::DType;

use super::quoting::Dialect;

/// Writes the fields of one column, and quotes them where necessary.
pub trait FieldWriter: Send + Sync {
    /// Appends the field of `row`.
    ///
    /// # Errors
    /// `Unrepresentable`, without a position: a value that CSV cannot hold.
    fn put(&self, row: usize, dialect: &Dialect, out: &mut Vec<u8>) -> Result<()>;
}

/// Returns the writer of the fields of `data`. `says`: the NumPy dtype in the field's metadata.
///
/// # Errors
/// `Unrepresentable`: a type that CSV cannot hold.
pub fn fields<'a>(
    field: &Field,
    says: Option<DType>,
    data: &'a ArrayData,
    style: TextStyle,
    dialect: &Dialect,
) -> Result<Box<dyn FieldWriter + 'a>> {
    // These types use only digits, signs, points and letters. They need quotes only if an option makes such a character
    // special.
    let bare = [dialect.delimiter, dialect.quote].iter().all(|mark| !b": ()".contains(mark));
    if says.is_none_or(|dtype| dtype.unit.is_none())
        && let Some(direct) = direct(data, style, dialect)
    {
        return Ok(direct);
    }
    let writer = text::writer(field, says, data, style)?;
    let kind = FieldKind::of(data.data_type());
    let quoted = if kind == FieldKind::Text { dialect.text } else { dialect.numbers };
    Ok(Box::new(TextFields {
        is_plain: bare && dialect.decimal == b'.' && (kind != FieldKind::Text || writer.is_plain()),
        point: dialect.decimal != b'.' && kind == FieldKind::Float,
        quoted,
        writer,
    }))
}

/// The kind of field of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Number,
    /// A number with a decimal mark.
    Float,
    Text,
}

impl FieldKind {
    fn of(data_type: &DataType) -> Self {
        match data_type {
            DataType::Dictionary(_, values) => Self::of(values),
            DataType::RunEndEncoded(_, values) => Self::of(values.data_type()),
            DataType::Boolean | DataType::Null => Self::Number,
            t if t.is_integer() => Self::Number,
            t if t.is_floating() || t.is_decimal() => Self::Float,
            _ => Self::Text,
        }
    }
}

/// Fields that a `TextWriter` formats.
struct TextFields<'a> {
    writer: Box<dyn TextWriter + 'a>,
    /// Whether no field can need quotes.
    is_plain: bool,
    /// Whether every field is quoted.
    quoted: bool,
    /// Whether the decimal mark is not a point.
    point: bool,
}

impl FieldWriter for TextFields<'_> {
    fn put(&self, row: usize, dialect: &Dialect, out: &mut Vec<u8>) -> Result<()> {
        if self.writer.is_null(row) {
            out.extend_from_slice(&dialect.null);
            return Ok(());
        }
        let start = out.len();
        self.writer.write(row, out)?;
        if self.point {
            point(start, dialect, out);
        }
        if !self.is_plain || self.quoted {
            dialect.quote_tail(start, self.quoted, out);
        }
        Ok(())
    }
}

/// Replaces the point in `out[start..]` by the decimal mark.
fn point(start: usize, dialect: &Dialect, out: &mut [u8]) {
    out.iter_mut().skip(start).filter(|byte| **byte == b'.').for_each(|byte| *byte = dialect.decimal);
}

/// Returns the direct writer of text and integers, and of floats if NaN is written without its payload.
fn direct<'a>(data: &'a ArrayData, style: TextStyle, dialect: &Dialect) -> Option<Box<dyn FieldWriter + 'a>> {
    let nulls = data.nulls().filter(|nulls| nulls.null_count() > 0);
    let plain = !style.header;
    let TextStyle { nan_is_null, .. } = style;
    fn of<T: ArrowNativeType>(data: &ArrayData) -> Option<&[T]> {
        data.buffers().first()?.typed_data::<T>().get(data.offset()..data.offset() + data.len())
    }
    macro_rules! ints {
        ($t:ty) => {
            Box::new(IntegerFields { values: of::<$t>(data)?, nulls })
        };
    }
    macro_rules! floats {
        ($t:ty) => {
            Box::new(FloatFields { values: of::<$t>(data)?, nulls, nan_is_null })
        };
    }
    Some(match data.data_type() {
        _ if data.is_empty() => return None,
        DataType::Utf8 => Box::new(text::<i32>(data, nulls)?),
        DataType::LargeUtf8 => Box::new(text::<i64>(data, nulls)?),
        DataType::Utf8View => Box::new(ViewFields { cells: ViewCells::new(data)?, nulls }),
        DataType::Float64 if plain => floats!(f64),
        DataType::Float32 if plain => floats!(f32),
        _ if dialect.numbers => return None,
        DataType::Int8 => ints!(i8),
        DataType::Int16 => ints!(i16),
        DataType::Int32 => ints!(i32),
        DataType::Int64 => ints!(i64),
        DataType::UInt8 => ints!(u8),
        DataType::UInt16 => ints!(u16),
        DataType::UInt32 => ints!(u32),
        DataType::UInt64 => ints!(u64),
        _ => return None,
    })
}

struct IntegerFields<'a, T> {
    values: &'a [T],
    nulls: Option<&'a NullBuffer>,
}

impl<T: FormatInteger + Send + Sync> FieldWriter for IntegerFields<'_, T> {
    fn put(&self, row: usize, dialect: &Dialect, out: &mut Vec<u8>) -> Result<()> {
        match self.values.get(row) {
            Some(value) if self.nulls.is_none_or(|nulls| nulls.is_valid(row)) => value.put(out),
            _ => out.extend_from_slice(&dialect.null),
        }
        Ok(())
    }
}

/// Floats without payloads.
struct FloatFields<'a, T> {
    values: &'a [T],
    nulls: Option<&'a NullBuffer>,
    nan_is_null: bool,
}

impl<T: zmij::Float + Into<f64> + Copy + Send + Sync> FieldWriter for FloatFields<'_, T> {
    fn put(&self, row: usize, dialect: &Dialect, out: &mut Vec<u8>) -> Result<()> {
        let Some(value) = self.values.get(row).filter(|_| self.nulls.is_none_or(|nulls| nulls.is_valid(row)))
        else {
            out.extend_from_slice(&dialect.null);
            return Ok(());
        };
        let start = out.len();
        let wide: f64 = (*value).into();
        if wide.is_finite() {
            // Narrower floats have a shorter text, except integers in the range that the type holds without gaps.
            let simple = size_of::<T>() == 8 || wide.abs() < 1e7 && wide.trunc() == wide;
            if !(simple && digits::float(wide, out)) {
                out.extend_from_slice(zmij::Buffer::new().format_finite(*value).as_bytes());
            }
        } else if wide.is_nan() && self.nan_is_null {
            out.extend_from_slice(&dialect.null);
            return Ok(());
        } else {
            out.extend_from_slice(if wide.is_nan() {
                b"NaN"
            } else if wide > 0.0 {
                b"inf"
            } else {
                b"-inf"
            });
        }
        if dialect.numbers || dialect.decimal != b'.' {
            point(start, dialect, out);
            dialect.quote_tail(start, dialect.numbers, out);
        }
        Ok(())
    }
}

struct StringFields<'a, O> {
    offsets: &'a [O],
    values: &'a [u8],
    nulls: Option<&'a NullBuffer>,
}

fn text<'a, O: ArrowNativeType>(
    data: &'a ArrayData,
    nulls: Option<&'a NullBuffer>,
) -> Option<StringFields<'a, O>> {
    let [offsets, values] = data.buffers() else { return None };
    let offsets = offsets.typed_data::<O>().get(data.offset()..=data.offset() + data.len())?;
    Some(StringFields { offsets, values: values.as_slice(), nulls })
}

impl<O: ArrowNativeType> FieldWriter for StringFields<'_, O> {
    fn put(&self, row: usize, dialect: &Dialect, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            out.extend_from_slice(&dialect.null);
            return Ok(());
        }
        let at = |i: usize| self.offsets.get(i).map_or(0, |offset| offset.as_usize());
        dialect.put_part(self.values, at(row)..at(row + 1), out);
        Ok(())
    }
}

struct ViewFields<'a> {
    cells: ViewCells,
    nulls: Option<&'a NullBuffer>,
}

impl FieldWriter for ViewFields<'_> {
    fn put(&self, row: usize, dialect: &Dialect, out: &mut Vec<u8>) -> Result<()> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            out.extend_from_slice(&dialect.null);
            return Ok(());
        }
        let (bytes, range) = self.cells.part(row).ok_or_else(changed)?;
        dialect.put_part(bytes, range, out);
        Ok(())
    }
}
