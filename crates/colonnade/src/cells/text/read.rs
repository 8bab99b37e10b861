//! Text as arrays: what is common has code of its own, all else goes by way of MessagePack.

use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBufferBuilder};
use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use super::encode::{self, instant};
use super::floats::{self, Float, Half};
use super::json::Token;
use super::*;
use crate::arrow::trusted::trusted_array;
use crate::calendar::per_second;
use crate::cells::typed;
use crate::frame::{DTypeKind, type_name};

mod categories;
mod complex;
mod general;
mod intervals;

use categories::categories;
use complex::Pairs;
use general::general;
use intervals::Intervals;

type Done = std::result::Result<(), CellFault>;
type Read<T> = std::result::Result<T, CellFault>;

pub(super) fn reader(
    field: &Field,
    says: Option<DType>,
    tag: Option<&str>,
    style: Style,
    dictionaries: &mut Dictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    let t = field.data_type();
    let csv = style.syntax == Syntax::Csv;
    let nullable = field.is_nullable();
    let complex = csv && says.is_some_and(|d| d.kind == DTypeKind::Complex);
    let intervals = csv && nested::are_intervals(t, tag);
    let numbers = Common { data_type: t.clone(), nullable, csv, inferred: style.inferred };
    Ok(match t {
        _ if typed::is_cells(tag) => general(field, says, tag, style, dictionaries, limits)?,
        DataType::Boolean => Box::new(Bools::new(numbers, 0)),
        DataType::Int8 => numbers.boxed(integer::<i8>),
        DataType::Int16 => numbers.boxed(integer::<i16>),
        DataType::Int32 => numbers.boxed(integer::<i32>),
        DataType::Int64 | DataType::Duration(_) => numbers.boxed(integer::<i64>),
        DataType::UInt8 => numbers.boxed(integer::<u8>),
        DataType::UInt16 => numbers.boxed(integer::<u16>),
        DataType::UInt32 => numbers.boxed(integer::<u32>),
        DataType::UInt64 => numbers.boxed(integer::<u64>),
        // What a header says, its cells hold; whoever reads others' numbers may say it of any.
        DataType::Float16 if csv && !style.header => {
            numbers.boxed(|common, cell| floats::nearest_half(common.number(cell)?))
        }
        DataType::Float16 => numbers.boxed(|common, cell| float::<Half>(common, cell).map(|Half(bits)| bits)),
        DataType::Float32 => numbers.boxed(float::<f32>),
        DataType::Float64 => numbers.boxed(float::<f64>),
        DataType::Timestamp(..) => numbers.boxed(timestamp),
        DataType::Date32 => numbers.boxed(|common, cell| {
            let days = counted(common, cell, times::date)?;
            i32::try_from(days).map_err(|_| common.expected(cell))
        }),
        DataType::Date64 => numbers.boxed(|common, cell| {
            let iso =
                |text: &str| times::instant(text, 1000).filter(|(_, zoned)| !zoned).map(|(count, _)| count);
            counted(common, cell, iso)
        }),
        DataType::Time32(_) => numbers
            .boxed(|common, cell| i32::try_from(clock(common, cell)?).map_err(|_| common.expected(cell))),
        DataType::Time64(_) => numbers.boxed(clock),
        DataType::Utf8 => Box::new(Strings::<i32>::new(numbers, 0)),
        DataType::LargeUtf8 => Box::new(Strings::<i64>::new(numbers, 0)),
        DataType::Dictionary(codes, _) => categories(codes, numbers, intervals, style, dictionaries, limits)?,
        DataType::Struct(_) if intervals => {
            Box::new(Intervals(general(field, says, tag, nested::spelled(style), dictionaries, limits)?))
        }
        DataType::FixedSizeList(item, 2) if complex => match item.data_type() {
            DataType::Float32 => Box::new(Pairs::<f32>::new(numbers, 0)),
            _ => Box::new(Pairs::<f64>::new(numbers, 0)),
        },
        _ => general(field, says, tag, style, dictionaries, limits)?,
    })
}

/// What readers of one column share.
#[derive(Clone)]
struct Common {
    data_type: DataType,
    nullable: bool,
    csv: bool,
    inferred: bool,
}

impl Common {
    fn boxed<T: ArrowNativeType>(self, decode: impl Decode<T>) -> Box<dyn TextReader> {
        Box::new(Numbers::new(decode, self, 0))
    }

    #[cold]
    fn expected(&self, found: Cell<'_>) -> CellFault {
        let token = match found {
            Cell::Null => Token::Null,
            Cell::Bool(value) => Token::Bool(value),
            Cell::Number(text) => Token::Number(text),
            Cell::Str(text) => Token::Str(text.into()),
            Cell::Raw(text) if text.starts_with('[') => Token::Array,
            Cell::Raw(_) => Token::Object,
        };
        encode::expected(&self.data_type, &token)
    }

    fn check_null(&self) -> Done {
        if self.nullable {
            return Ok(());
        }
        Err(CellFault::malformed("expected a value, as the field holds no nulls, found null."))
    }

    /// The text of a number: CSV has no other cells.
    #[inline]
    fn number<'c>(&self, cell: Cell<'c>) -> Read<&'c str> {
        match cell {
            Cell::Number(text) => Ok(text),
            Cell::Str(text) if self.csv => Ok(text),
            other => Err(self.expected(other)),
        }
    }

    fn finish(&self, len: usize, nulls: &mut NullBufferBuilder, buffers: Vec<Buffer>) -> Result<ArrayData> {
        let builder = ArrayDataBuilder::new(self.data_type.clone()).len(len).nulls(nulls.finish());
        made(builder.buffers(buffers))
    }
}

/// Validates.
fn made(builder: ArrayDataBuilder) -> Result<ArrayData> {
    builder.build().map_err(|e| Error::malformed("text", format!("the cells make no valid array: {e}.")))
}

#[inline]
fn integer<T: std::str::FromStr>(common: &Common, cell: Cell<'_>) -> Read<T> {
    common.number(cell)?.parse().map_err(|_| common.expected(cell))
}

#[inline]
fn float<F: Float>(common: &Common, cell: Cell<'_>) -> Read<F> {
    match cell {
        Cell::Str(text) if !common.csv => floats::word(text),
        other if common.inferred => floats::exactly(common.number(other)?),
        other => floats::number(common.number(other)?),
    }
}

/// A count: of what `iso` reads, or of a number.
fn counted(common: &Common, cell: Cell<'_>, iso: impl Fn(&str) -> Option<i64>) -> Read<i64> {
    let found = match cell {
        Cell::Str(text) => iso(text).or_else(|| text.parse().ok()),
        Cell::Number(text) => text.parse().ok(),
        _ => None,
    };
    found.ok_or_else(|| common.expected(cell))
}

fn clock(common: &Common, cell: Cell<'_>) -> Read<i64> {
    let per = match &common.data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => per_second(*unit),
        _ => 1,
    };
    counted(common, cell, |text| times::clock(text, per))
}

fn timestamp(common: &Common, cell: Cell<'_>) -> Read<i64> {
    let DataType::Timestamp(unit, zone) = &common.data_type else { return Err(common.expected(cell)) };
    match cell {
        Cell::Str(text) => text.parse().or_else(|_| instant(text, *unit, zone.is_some())),
        Cell::Number(text) => text.parse().map_err(|_| common.expected(cell)),
        other => Err(common.expected(other)),
    }
}

/// What makes a value of a cell: a type of its own for each decoder, so that loops over cells contain it.
trait Decode<T>: Fn(&Common, Cell<'_>) -> Read<T> + Copy + Send + Sync + 'static {}

impl<T, D: Fn(&Common, Cell<'_>) -> Read<T> + Copy + Send + Sync + 'static> Decode<T> for D {}

struct Numbers<T, D> {
    values: Vec<T>,
    nulls: NullBufferBuilder,
    decode: D,
    common: Common,
}

impl<T, D: Decode<T>> Numbers<T, D> {
    fn new(decode: D, common: Common, rows: usize) -> Self {
        Self { values: Vec::with_capacity(rows), nulls: NullBufferBuilder::new(rows), decode, common }
    }
}

impl<T: ArrowNativeType, D: Decode<T>> TextReader for Numbers<T, D> {
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> Done {
        if cell == Cell::Null {
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

    fn nulls(&mut self, n: usize) -> Done {
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

struct Bools {
    bits: BooleanBufferBuilder,
    nulls: NullBufferBuilder,
    common: Common,
}

impl Bools {
    fn new(common: Common, rows: usize) -> Self {
        Self { bits: BooleanBufferBuilder::new(rows), nulls: NullBufferBuilder::new(rows), common }
    }
}

impl TextReader for Bools {
    fn push(&mut self, cell: Cell<'_>) -> Done {
        let value = match cell {
            Cell::Null => {
                self.common.check_null()?;
                return self.nulls(1);
            }
            Cell::Bool(value) => value,
            Cell::Str("true" | "True" | "TRUE") if self.common.csv => true,
            Cell::Str("false" | "False" | "FALSE") if self.common.csv => false,
            other => return Err(self.common.expected(other)),
        };
        self.bits.append(value);
        self.nulls.append_non_null();
        Ok(())
    }

    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>> {
        Ok(Box::new(Self::new(self.common.clone(), rows)))
    }

    fn nulls(&mut self, n: usize) -> Done {
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

struct Strings<O> {
    offsets: Vec<O>,
    bytes: Vec<u8>,
    nulls: NullBufferBuilder,
    common: Common,
}

impl<O: ArrowNativeType> Strings<O> {
    fn new(common: Common, rows: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(O::default());
        Self { offsets, bytes: Vec::new(), nulls: NullBufferBuilder::new(rows), common }
    }
}

impl<O: ArrowNativeType + TryFrom<usize>> TextReader for Strings<O> {
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> Done {
        let text = match cell {
            Cell::Str(text) => text,
            Cell::Null => {
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

    fn nulls(&mut self, n: usize) -> Done {
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
        // Trusted: `push` appends a whole `str` and its end together, so offsets never fall and stand between characters.
        Ok(trusted_array(builder))
    }
}
