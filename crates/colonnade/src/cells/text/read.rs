//! Reads text into arrays. Common types have their own code; all others are converted through MessagePack.

use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBufferBuilder};
use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use super::encode::{self, instant};
use super::floats::{self, Float, HalfBits};
use super::json::CellToken;
use super::*;
use crate::arrow::trusted::trusted_array;
use crate::calendar::per_second;
use crate::cells::typed;
use crate::frame::{DTypeKind, type_name};

mod categories;
mod complex;
mod general;
mod json_cells;

use categories::categories;
use complex::ComplexReader;
use general::general;
use json_cells::JsonCellReader;

type PushResult = std::result::Result<(), CellFault>;
type ParseResult<T> = std::result::Result<T, CellFault>;

pub(super) fn reader(
    field: &Field,
    numpy_dtype: Option<DType>,
    tag: Option<&str>,
    style: TextStyle,
    dictionaries: &mut HeaderDictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    let t = field.data_type();
    let csv = style.syntax == Syntax::Csv;
    let tag = if csv { nested::tag_of_type(t, tag) } else { tag };
    let nullable = field.is_nullable();
    let complex = csv && numpy_dtype.is_some_and(|d| d.kind == DTypeKind::Complex);
    let in_json = if csv { nested::json_cells(t, tag, complex) } else { None };
    let numbers = ReaderContext { data_type: t.clone(), nullable, csv, inferred: style.inferred };
    if let Some(cells) = in_json.filter(|_| !matches!(t, DataType::Dictionary(..))) {
        let values = general(field, numpy_dtype, tag, nested::json_style(style), dictionaries, limits)?;
        return Ok(Box::new(JsonCellReader { cells, values }));
    }
    Ok(match t {
        _ if typed::is_cells(tag) => general(field, numpy_dtype, tag, style, dictionaries, limits)?,
        DataType::Dictionary(codes, _) => categories(codes, numbers, in_json, style, dictionaries, limits)?,
        DataType::Boolean => Box::new(BoolReader::new(numbers, 0)),
        DataType::Int8 => numbers.boxed(integer::<i8>),
        DataType::Int16 => numbers.boxed(integer::<i16>),
        DataType::Int32 => numbers.boxed(integer::<i32>),
        DataType::Int64 | DataType::Duration(_) => numbers.boxed(integer::<i64>),
        DataType::UInt8 => numbers.boxed(integer::<u8>),
        DataType::UInt16 => numbers.boxed(integer::<u16>),
        DataType::UInt32 => numbers.boxed(integer::<u32>),
        DataType::UInt64 => numbers.boxed(integer::<u64>),
        // With a header, cells hold exactly their type. Without one, a caller may declare any type for foreign numbers.
        DataType::Float16 if csv && !style.header => {
            numbers.boxed(|common, cell| floats::nearest_half(common.number(cell)?))
        }
        DataType::Float16 => {
            numbers.boxed(|common, cell| float::<HalfBits>(common, cell).map(|HalfBits(bits)| bits))
        }
        DataType::Float32 => numbers.boxed(float::<f32>),
        DataType::Float64 => numbers.boxed(float::<f64>),
        DataType::Timestamp(..) => numbers.boxed(timestamp),
        DataType::Date32 => numbers.boxed(|common, cell| {
            let days = parse_count(common, cell, times::date)?;
            i32::try_from(days).map_err(|_| common.expected(cell))
        }),
        DataType::Date64 => numbers.boxed(|common, cell| {
            let iso =
                |text: &str| times::instant(text, 1000).filter(|(_, zoned)| !zoned).map(|(count, _)| count);
            parse_count(common, cell, iso)
        }),
        DataType::Time32(_) => numbers
            .boxed(|common, cell| i32::try_from(clock(common, cell)?).map_err(|_| common.expected(cell))),
        DataType::Time64(_) => numbers.boxed(clock),
        DataType::Utf8 => Box::new(StrReader::<i32>::new(numbers, 0)),
        DataType::LargeUtf8 => Box::new(StrReader::<i64>::new(numbers, 0)),
        DataType::FixedSizeList(item, 2) if complex => match item.data_type() {
            DataType::Float32 => Box::new(ComplexReader::<f32>::new(numbers, 0)),
            _ => Box::new(ComplexReader::<f64>::new(numbers, 0)),
        },
        _ => general(field, numpy_dtype, tag, style, dictionaries, limits)?,
    })
}

/// The state shared by all readers of one column.
#[derive(Clone)]
struct ReaderContext {
    data_type: DataType,
    nullable: bool,
    csv: bool,
    inferred: bool,
}

impl ReaderContext {
    fn boxed<T: ArrowNativeType>(self, decode: impl ParseCell<T>) -> Box<dyn TextReader> {
        Box::new(NumberReader::new(decode, self, 0))
    }

    #[cold]
    fn expected(&self, found: TextCell<'_>) -> CellFault {
        let token = match found {
            TextCell::Null => CellToken::Null,
            TextCell::Bool(value) => CellToken::Bool(value),
            TextCell::Number(text) => CellToken::Number(text),
            TextCell::Str(text) if self.csv && encode::is_whole(text) => CellToken::Number(text),
            TextCell::Str(text) => CellToken::Str(text.into()),
            TextCell::Raw(text) if text.starts_with('[') => CellToken::Array,
            TextCell::Raw(_) => CellToken::Object,
        };
        encode::expected(&self.data_type, &token)
    }

    fn check_null(&self) -> PushResult {
        if self.nullable {
            return Ok(());
        }
        Err(CellFault::malformed(super::NO_NULLS))
    }

    /// Returns the text of a number; CSV cells are always text.
    #[inline]
    fn number<'c>(&self, cell: TextCell<'c>) -> ParseResult<&'c str> {
        match cell {
            TextCell::Number(text) => Ok(text),
            TextCell::Str(text) if self.csv => Ok(text),
            other => Err(self.expected(other)),
        }
    }

    fn finish(&self, len: usize, nulls: &mut NullBufferBuilder, buffers: Vec<Buffer>) -> Result<ArrayData> {
        let builder = ArrayDataBuilder::new(self.data_type.clone()).len(len).nulls(nulls.finish());
        build_array(builder.buffers(buffers))
    }
}

/// Builds and validates an array.
fn build_array(builder: ArrayDataBuilder) -> Result<ArrayData> {
    builder.build().map_err(|e| Error::malformed("text", format!("the cells make no valid array: {e}.")))
}

#[inline]
fn integer<T: std::str::FromStr>(common: &ReaderContext, cell: TextCell<'_>) -> ParseResult<T> {
    common.number(cell)?.parse().map_err(|_| common.expected(cell))
}

#[inline]
fn float<F: Float>(common: &ReaderContext, cell: TextCell<'_>) -> ParseResult<F> {
    match cell {
        TextCell::Str(text) if !common.csv => floats::nonfinite_number(text),
        other if common.inferred => floats::exact_number(common.number(other)?),
        other => floats::number(common.number(other)?),
    }
}

/// Parses a count: a text that `iso` accepts, or a number.
fn parse_count(
    common: &ReaderContext,
    cell: TextCell<'_>,
    iso: impl Fn(&str) -> Option<i64>,
) -> ParseResult<i64> {
    let found = match cell {
        TextCell::Str(text) => iso(text).or_else(|| text.parse().ok()),
        TextCell::Number(text) => text.parse().ok(),
        _ => None,
    };
    found.ok_or_else(|| common.expected(cell))
}

fn clock(common: &ReaderContext, cell: TextCell<'_>) -> ParseResult<i64> {
    let per = match &common.data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => per_second(*unit),
        _ => 1,
    };
    parse_count(common, cell, |text| times::clock(text, per))
}

fn timestamp(common: &ReaderContext, cell: TextCell<'_>) -> ParseResult<i64> {
    let DataType::Timestamp(unit, zone) = &common.data_type else { return Err(common.expected(cell)) };
    match cell {
        // Most cells are dates, which an integer cannot be.
        TextCell::Str(text) if text.as_bytes().get(4) == Some(&b'-') => instant(text, *unit, zone.is_some()),
        TextCell::Str(text) => text.parse().or_else(|_| instant(text, *unit, zone.is_some())),
        TextCell::Number(text) => text.parse().map_err(|_| common.expected(cell)),
        other => Err(common.expected(other)),
    }
}

/// A function that parses a cell. Each parser is a distinct type, so that loops over cells inline it.
trait ParseCell<T>: Fn(&ReaderContext, TextCell<'_>) -> ParseResult<T> + Copy + Send + Sync + 'static {}

impl<T, D: Fn(&ReaderContext, TextCell<'_>) -> ParseResult<T> + Copy + Send + Sync + 'static> ParseCell<T>
    for D
{
}

struct NumberReader<T, D> {
    values: Vec<T>,
    nulls: NullBufferBuilder,
    decode: D,
    common: ReaderContext,
}

impl<T, D: ParseCell<T>> NumberReader<T, D> {
    fn new(decode: D, common: ReaderContext, rows: usize) -> Self {
        Self { values: Vec::with_capacity(rows), nulls: NullBufferBuilder::new(rows), decode, common }
    }
}

impl<T: ArrowNativeType, D: ParseCell<T>> TextReader for NumberReader<T, D> {
    #[inline]
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        if cell == TextCell::Null {
            self.common.check_null()?;
            return self.nulls(1);
        }
        self.values.push((self.decode)(&self.common, cell)?);
        self.nulls.append_non_null();
        Ok(())
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self::new(self.decode, self.common.clone(), rows)))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        self.values.resize(self.values.len() + n, T::default());
        self.nulls.append_n_nulls(n);
        Ok(())
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        let len = self.values.len();
        let values = Buffer::from_vec(std::mem::take(&mut self.values));
        self.common.finish(len, &mut self.nulls, vec![values])
    }
}

struct BoolReader {
    bits: BooleanBufferBuilder,
    nulls: NullBufferBuilder,
    common: ReaderContext,
}

impl BoolReader {
    fn new(common: ReaderContext, rows: usize) -> Self {
        Self { bits: BooleanBufferBuilder::new(rows), nulls: NullBufferBuilder::new(rows), common }
    }
}

impl TextReader for BoolReader {
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        let value = match cell {
            TextCell::Null => {
                self.common.check_null()?;
                return self.nulls(1);
            }
            TextCell::Bool(value) => value,
            TextCell::Str("true" | "True" | "TRUE") if self.common.csv => true,
            TextCell::Str("false" | "False" | "FALSE") if self.common.csv => false,
            other => return Err(self.common.expected(other)),
        };
        self.bits.append(value);
        self.nulls.append_non_null();
        Ok(())
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self::new(self.common.clone(), rows)))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        self.bits.append_n(n, false);
        self.nulls.append_n_nulls(n);
        Ok(())
    }

    fn len(&self) -> usize {
        self.bits.len()
    }

    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        let len = self.bits.len();
        let bits = self.bits.finish().into_inner();
        self.common.finish(len, &mut self.nulls, vec![bits])
    }
}

struct StrReader<O> {
    offsets: Vec<O>,
    bytes: Vec<u8>,
    nulls: NullBufferBuilder,
    common: ReaderContext,
}

impl<O: ArrowNativeType> StrReader<O> {
    fn new(common: ReaderContext, rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(O::default());
        Self { offsets, bytes: Vec::new(), nulls: NullBufferBuilder::new(rows), common }
    }
}

impl<O: ArrowNativeType + TryFrom<usize>> TextReader for StrReader<O> {
    #[inline]
    fn push(&mut self, cell: TextCell<'_>) -> PushResult {
        let text = match cell {
            TextCell::Str(text) => text,
            TextCell::Null => {
                self.common.check_null()?;
                return self.nulls(1);
            }
            other => return Err(self.common.expected(other)),
        };
        let end = O::try_from(self.bytes.len() + text.len()).map_err(|_| {
            let name = type_name(&self.common.data_type, false);
            CellFault::malformed(format!(
                "the column has more text than the offsets of {name} count. Write it as a large one."
            ))
        })?;
        self.bytes.extend_from_slice(text.as_bytes());
        self.offsets.push(end);
        self.nulls.append_non_null();
        Ok(())
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self::new(self.common.clone(), rows)))
    }

    fn nulls(&mut self, n: usize) -> PushResult {
        let last = self.offsets.last().copied().unwrap_or_default();
        self.offsets.resize(self.offsets.len() + n, last);
        self.nulls.append_n_nulls(n);
        Ok(())
    }

    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        let builder = ArrayDataBuilder::new(self.common.data_type.clone())
            .len(self.offsets.len() - 1)
            .nulls(self.nulls.finish())
            .add_buffer(Buffer::from_vec(self.offsets))
            .add_buffer(Buffer::from_vec(self.bytes));
        // Trusted: `push` appends a whole `str` and its end together, so offsets never decrease and fall between
        // characters.
        Ok(trusted_array(builder))
    }
}
