//! Text as arrays: what is common has code of its own, all else goes by way of MessagePack.

use std::collections::HashMap;

use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBufferBuilder};
use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use super::dictionary::Texts;
use super::encode::{self, instant, per_second};
use super::floats::{self, Float, Half};
use super::json::{Json, Token};
use super::*;
use crate::frame::{Kind, type_name};
use crate::msgpack::options::ReadOptions;
use crate::msgpack::typed::{self, TypedCells};

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
    let complex = csv && says.is_some_and(|d| d.kind == Kind::Complex);
    let numbers = Common { data_type: t.clone(), nullable, csv };
    Ok(match t {
        _ if typed::is_cells(tag) => general(field, says, tag, style, dictionaries, limits)?,
        DataType::Boolean => {
            let (bits, nulls) = (BooleanBufferBuilder::new(0), NullBufferBuilder::new(0));
            Box::new(Bools { bits, nulls, common: numbers })
        }
        DataType::Int8 => numbers.boxed(integer::<i8>),
        DataType::Int16 => numbers.boxed(integer::<i16>),
        DataType::Int32 => numbers.boxed(integer::<i32>),
        DataType::Int64 | DataType::Duration(_) => numbers.boxed(integer::<i64>),
        DataType::UInt8 => numbers.boxed(integer::<u8>),
        DataType::UInt16 => numbers.boxed(integer::<u16>),
        DataType::UInt32 => numbers.boxed(integer::<u32>),
        DataType::UInt64 => numbers.boxed(integer::<u64>),
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
        DataType::Utf8 => Box::new(Strings::<i32>::new(numbers)),
        DataType::LargeUtf8 => Box::new(Strings::<i64>::new(numbers)),
        DataType::Dictionary(codes, _) => categories(codes, numbers, style, dictionaries, limits)?,
        DataType::FixedSizeList(item, 2) if complex => match item.data_type() {
            DataType::Float32 => Box::new(Pairs::<f32>::new(numbers)),
            _ => Box::new(Pairs::<f64>::new(numbers)),
        },
        _ => general(field, says, tag, style, dictionaries, limits)?,
    })
}

/// What readers of one column share.
struct Common {
    data_type: DataType,
    nullable: bool,
    csv: bool,
}

impl Common {
    fn boxed<T: ArrowNativeType>(self, decode: fn(&Self, Cell<'_>) -> Read<T>) -> Box<dyn TextReader> {
        Box::new(Numbers { values: Vec::new(), nulls: NullBufferBuilder::new(0), decode, common: self })
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

struct Numbers<T> {
    values: Vec<T>,
    nulls: NullBufferBuilder,
    decode: fn(&Common, Cell<'_>) -> Read<T>,
    common: Common,
}

impl<T: ArrowNativeType> TextReader for Numbers<T> {
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
    fn new(common: Common) -> Self {
        Self { offsets: vec![O::default()], bytes: Vec::new(), nulls: NullBufferBuilder::new(0), common }
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
        // SAFETY: `push` appends a whole `str` and its end together, so offsets never fall and stand between characters.
        Ok(unsafe { builder.build_unchecked() })
    }
}

/// Complex numbers of CSV, as Python has them.
struct Pairs<F> {
    values: Vec<F>,
    nulls: NullBufferBuilder,
    common: Common,
}

impl<F: Float> Pairs<F> {
    fn new(common: Common) -> Self {
        Self { values: Vec::new(), nulls: NullBufferBuilder::new(0), common }
    }

    fn parse(text: &str) -> Option<(F, F)> {
        let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
        let inner = inner.strip_suffix('j')?;
        // The sign that begins the second part: not the first's, not an exponent's.
        let bytes = inner.as_bytes();
        let begins = |i: &usize| {
            matches!(bytes.get(*i), Some(b'+' | b'-')) && !matches!(bytes.get(*i - 1), Some(b'e' | b'E'))
        };
        let at = (1..bytes.len()).rfind(begins)?;
        let (real, imaginary) = inner.split_at_checked(at)?;
        let imaginary = imaginary.strip_prefix('+').unwrap_or(imaginary);
        Some((floats::number(real).ok()?, floats::number(imaginary).ok()?))
    }
}

impl<F: Float + ArrowNativeType> TextReader for Pairs<F> {
    fn push(&mut self, cell: Cell<'_>) -> Done {
        let (real, imaginary) = match cell {
            Cell::Null => {
                self.common.check_null()?;
                return self.nulls(1);
            }
            Cell::Str(text) => Self::parse(text).ok_or_else(|| {
                let shown = crate::text::place::shown(text);
                CellFault::malformed(format!("expected a complex number as (1.0+2.0j), found {shown}."))
            })?,
            other => return Err(self.common.expected(other)),
        };
        self.values.extend([real, imaginary]);
        self.nulls.append_non_null();
        Ok(())
    }

    fn nulls(&mut self, n: usize) -> Done {
        self.values.resize(self.values.len() + 2 * n, F::default());
        self.nulls.append_n_nulls(n);
        Ok(())
    }

    fn len(&self) -> usize {
        self.values.len() / 2
    }

    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        let len = self.values.len() / 2;
        let DataType::FixedSizeList(item, _) = &self.common.data_type else {
            return Err(Error::malformed("text", "expected a list of two."));
        };
        let child = ArrayDataBuilder::new(item.data_type().clone())
            .len(2 * len)
            .add_buffer(Buffer::from_vec(std::mem::take(&mut self.values)));
        let builder =
            ArrayDataBuilder::new(self.common.data_type.clone()).len(len).nulls(self.nulls.finish());
        made(builder.add_child_data(made(child)?))
    }
}

/// Categories, by their text or by their codes.
struct Categories {
    known: Known,
    values: ArrayData,
    codes: Numbers<i64>,
    limits: Limits,
    style: Style,
}

enum Known {
    /// The code of each text; whether categories are text themselves, without quotes then.
    Texts(HashMap<Vec<u8>, usize>, bool),
    /// Cells are codes.
    Codes,
}

fn categories(
    codes: &DataType,
    common: Common,
    style: Style,
    dictionaries: &mut Dictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    let DataType::Dictionary(_, values_type) = &common.data_type else {
        return Err(Error::malformed(style.format, "expected categories."));
    };
    let values = dictionaries.next(values_type)?;
    let syntax = if style.syntax == Syntax::Csv { Syntax::Csv } else { Syntax::Json };
    let style = Style { syntax, header: true, nonfinite: Nonfinite::Tagged, ..style };
    let is_text = matches!(**values_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let spelled = if is_text { Style { syntax: Syntax::Csv, ..style } } else { style };
    let texts = Texts::new(&values, spelled)?.codes();
    let known = texts.map_or(Known::Codes, |texts| Known::Texts(texts, is_text));
    if !codes.is_dictionary_key_type() {
        return Err(Error::malformed(
            style.format,
            format!("expected codes that are integers, found {codes}."),
        ));
    }
    let codes =
        Numbers { values: Vec::new(), nulls: NullBufferBuilder::new(0), decode: integer::<i64>, common };
    Ok(Box::new(Categories { known, values, codes, limits: *limits, style }))
}

impl Categories {
    fn code(&self, cell: Cell<'_>) -> Read<usize> {
        let none = || {
            let fault = self.codes.common.expected(cell);
            let found =
                fault.message.split_once(", found ").map_or("another.", |(_, found)| found).to_owned();
            CellFault::malformed(format!("expected one of {} categories, found {found}", self.values.len()))
        };
        let (texts, is_text) = match &self.known {
            Known::Texts(texts, is_text) => (texts, *is_text),
            Known::Codes => {
                let code = integer::<usize>(&self.codes.common, cell)?;
                return if code < self.values.len() { Ok(code) } else { Err(none()) };
            }
        };
        let mut quoted = Vec::new();
        let key = match cell {
            Cell::Str(text) if is_text || self.style.syntax == Syntax::Csv => text.as_bytes(),
            _ if is_text => return Err(none()),
            Cell::Str(text) => {
                strings::json(text.as_bytes(), &mut quoted);
                &quoted
            }
            Cell::Bool(true) => b"true",
            Cell::Bool(false) => b"false",
            Cell::Number(text) | Cell::Raw(text) => text.as_bytes(),
            Cell::Null => b"null",
        };
        if let Some(code) = texts.get(key) {
            return Ok(*code);
        }
        if is_text {
            return Err(none());
        }
        // Other spellings of the same value.
        let field = Field::new("values", self.values.data_type().clone(), true);
        let again = || -> Result<Option<usize>> {
            let mut inner = Dictionaries::of(Vec::new());
            let mut reader = reader(&field, None, None, self.style, &mut inner, &self.limits)?;
            if reader.push(cell).is_err() {
                return Ok(None);
            }
            let data = reader.finish()?;
            let mut text = Vec::new();
            write::writer(&field, None, &data, self.style)?.write(0, &mut text)?;
            Ok(texts.get(&text).copied())
        };
        again().ok().flatten().ok_or_else(none)
    }
}

impl TextReader for Categories {
    fn push(&mut self, cell: Cell<'_>) -> Done {
        if cell == Cell::Null {
            return self.codes.push(cell);
        }
        let code = self.code(cell)?;
        let code = i64::try_from(code).map_err(|_| self.codes.common.expected(cell))?;
        self.codes.values.push(code);
        self.codes.nulls.append_non_null();
        Ok(())
    }

    fn nulls(&mut self, n: usize) -> Done {
        self.codes.nulls(n)
    }

    fn len(&self) -> usize {
        self.codes.values.len()
    }

    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        let common = &self.codes.common;
        let DataType::Dictionary(codes, _) = &common.data_type else {
            return Err(Error::malformed("text", "expected categories."));
        };
        fn narrow<T: TryFrom<i64> + ArrowNativeType>(values: &[i64]) -> Option<Buffer> {
            let all: Option<Vec<T>> = values.iter().map(|v| T::try_from(*v).ok()).collect();
            all.map(Buffer::from_vec)
        }
        let all = &self.codes.values;
        let buffer = match codes.as_ref() {
            DataType::Int8 => narrow::<i8>(all),
            DataType::Int16 => narrow::<i16>(all),
            DataType::Int32 => narrow::<i32>(all),
            DataType::UInt8 => narrow::<u8>(all),
            DataType::UInt16 => narrow::<u16>(all),
            DataType::UInt32 => narrow::<u32>(all),
            DataType::UInt64 => narrow::<u64>(all),
            _ => narrow::<i64>(all),
        };
        let too_many = || Error::malformed("text", "more categories than codes of the type can count.");
        let builder = ArrayDataBuilder::new(common.data_type.clone()).len(all.len());
        let builder = builder.add_buffer(buffer.ok_or_else(too_many)?).add_child_data(self.values.clone());
        made(builder.nulls(self.codes.nulls.finish()))
    }
}

/// Any type, by way of MessagePack cells.
struct General {
    cells: Box<dyn TypedCells>,
    len: usize,
    buffer: Vec<u8>,
    is_mixed: bool,
    max_depth: u64,
    style: Style,
    common: Common,
}

fn general(
    field: &Field,
    says: Option<DType>,
    tag: Option<&str>,
    style: Style,
    dictionaries: &mut Dictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    let options = ReadOptions { limits: *limits, ..ReadOptions::default() };
    // Rows that are missing are null even where the field has none.
    let cells =
        typed::reader(field, says, tag, &options, dictionaries).map_err(|e| e.in_format(style.format))?;
    let csv = style.syntax == Syntax::Csv;
    let common = Common { data_type: field.data_type().clone(), nullable: field.is_nullable(), csv };
    Ok(Box::new(General {
        cells,
        len: 0,
        buffer: Vec::new(),
        is_mixed: typed::is_cells(tag),
        max_depth: limits.max_depth,
        style,
        common,
    }))
}

impl General {
    fn take(&mut self) -> Done {
        let taken = self.cells.take(&self.buffer, 1)?;
        if taken.nbytes != self.buffer.len() || taken.cells != 1 {
            return Err(CellFault::malformed("expected one whole value."));
        }
        self.len += 1;
        Ok(())
    }
}

impl TextReader for General {
    fn push(&mut self, cell: Cell<'_>) -> Done {
        self.buffer.clear();
        let mut json = Json::of(cell, self.max_depth);
        if self.is_mixed && cell != Cell::Null {
            let source = if let Cell::Raw(text) = cell { Some(text) } else { None };
            encode::mixed(&mut json, source, self.max_depth, &mut self.buffer)?;
        } else {
            encode::value(&mut json, &self.common.data_type, self.style, &mut self.buffer)?;
            json.end()?;
        }
        self.take()
    }

    fn nulls(&mut self, n: usize) -> Done {
        for _ in 0..n {
            self.buffer.clear();
            self.buffer.push(0xc0);
            self.take()?;
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.len
    }

    fn finish(self: Box<Self>) -> Result<ArrayData> {
        self.cells.finish().map_err(|e| e.in_format(self.style.format))
    }
}
