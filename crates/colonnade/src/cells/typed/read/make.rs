//! Creates the builder of a type.

use arrow_array::builder::{BinaryViewBuilder, StringViewBuilder};

use super::flat::{BoolBuilder, BytesBuilder, FixedSizeBuilder, NilBuilder, Payload, ViewBuilder};
use super::lists::{FixedSizeListBuilder, ListBuilder, MapBuilder};
use super::numbers::{self, NumberBuilder};
use super::structs::StructBuilder;
use super::unions::{RunBuilder, UnionBuilder};
use super::*;
use crate::calendar::per_second;
use crate::limits::SHORT_CELL_NBYTES;

/// Creates builders depth first, because dictionaries are taken in that order.
pub(super) struct BuilderFactory<'d> {
    pub(super) dictionaries: &'d mut HeaderDictionaries,
    pub(super) budget: SharedAllowance,
    pub(super) max_depth: u64,
    /// Whether the column's cells are MessagePack values.
    pub(super) cells: bool,
}

impl BuilderFactory<'_> {
    pub(super) fn slot(&mut self, field: &Field, depth: u64) -> Result<SlotBuilder> {
        let data_type = field.data_type();
        if depth > self.max_depth {
            let message =
                format!("the type nests deeper than {}. Raise max_depth to read it.", self.max_depth);
            return Err(Error::limit(FORMAT, message));
        }
        let build = self.build(data_type, depth)?;
        let nullable = match data_type {
            DataType::Null => true,
            DataType::Union(..) => false,
            // Runs have no nulls of their own; their values do.
            DataType::RunEndEncoded(_, values) => field.is_nullable() || values.is_nullable(),
            _ => field.is_nullable(),
        };
        Ok(SlotBuilder { build, len: 0, nullable, cost: cost(data_type), budget: Arc::clone(&self.budget) })
    }

    fn build(&mut self, data_type: &DataType, depth: u64) -> Result<Box<dyn BuildValues>> {
        let plain = if self.cells { Payload::Cell(self.max_depth) } else { Payload::Binary };
        let t = data_type;
        Ok(match data_type {
            DataType::Null => Box::new(NilBuilder),
            DataType::Boolean => BoolBuilder::boxed(),
            DataType::Int8 => NumberBuilder::boxed(t, numbers::integer::<i8>),
            DataType::Int16 => NumberBuilder::boxed(t, numbers::integer::<i16>),
            DataType::Int32 | DataType::Time32(_) | DataType::Interval(IntervalUnit::YearMonth) => {
                NumberBuilder::boxed(t, numbers::integer::<i32>)
            }
            DataType::Int64 | DataType::Time64(_) | DataType::Duration(_) => {
                NumberBuilder::boxed(t, numbers::integer::<i64>)
            }
            DataType::UInt8 => NumberBuilder::boxed(t, numbers::integer::<u8>),
            DataType::UInt16 => NumberBuilder::boxed(t, numbers::integer::<u16>),
            DataType::UInt32 => NumberBuilder::boxed(t, numbers::integer::<u32>),
            DataType::UInt64 => NumberBuilder::boxed(t, numbers::integer::<u64>),
            DataType::Float16 => NumberBuilder::boxed(t, numbers::float16),
            DataType::Float32 => NumberBuilder::boxed(t, numbers::float32),
            DataType::Float64 => NumberBuilder::boxed(t, numbers::float64),
            DataType::Date32 => NumberBuilder::boxed(t, numbers::days),
            DataType::Date64 => NumberBuilder::boxed(t, numbers::instants(1000)),
            DataType::Timestamp(unit, _) => NumberBuilder::boxed(t, numbers::instants(per_second(*unit))),
            DataType::Interval(IntervalUnit::DayTime) => numbers::day_times(t),
            DataType::Interval(IntervalUnit::MonthDayNano) => numbers::month_day_nanos(t),
            DataType::Decimal32(p, s) => {
                NumberBuilder::boxed(t, numbers::decimals(*p, *s, |v| i32::try_from(v.to_i128()?).ok()))
            }
            DataType::Decimal64(p, s) => {
                NumberBuilder::boxed(t, numbers::decimals(*p, *s, |v| i64::try_from(v.to_i128()?).ok()))
            }
            DataType::Decimal128(p, s) => NumberBuilder::boxed(t, numbers::decimals(*p, *s, |v| v.to_i128())),
            DataType::Decimal256(p, s) => NumberBuilder::boxed(t, numbers::decimals(*p, *s, Some)),
            DataType::Utf8 => BytesBuilder::<i32>::boxed(t, Payload::Text),
            DataType::LargeUtf8 => BytesBuilder::<i64>::boxed(t, Payload::Text),
            DataType::Binary => BytesBuilder::<i32>::boxed(t, plain),
            DataType::LargeBinary => BytesBuilder::<i64>::boxed(t, plain),
            DataType::Utf8View => Box::new(ViewBuilder::Text(StringViewBuilder::new())),
            DataType::BinaryView => Box::new(ViewBuilder::Binary(BinaryViewBuilder::new())),
            DataType::FixedSizeBinary(width) => FixedSizeBuilder::boxed(t, size(t, *width)?),
            DataType::Dictionary(codes, values) => {
                let values = self.dictionaries.next(values)?;
                code_builder(t, codes, values)?
            }
            _ => self.nested(data_type, depth + 1)?,
        })
    }

    fn nested(&mut self, data_type: &DataType, depth: u64) -> Result<Box<dyn BuildValues>> {
        let t = data_type;
        self.cells = false;
        Ok(match data_type {
            DataType::List(item) => ListBuilder::<i32>::boxed(t, self.slot(item, depth)?, false),
            DataType::LargeList(item) => ListBuilder::<i64>::boxed(t, self.slot(item, depth)?, false),
            DataType::ListView(item) => ListBuilder::<i32>::boxed(t, self.slot(item, depth)?, true),
            DataType::LargeListView(item) => ListBuilder::<i64>::boxed(t, self.slot(item, depth)?, true),
            DataType::FixedSizeList(item, count) => Box::new(FixedSizeListBuilder {
                size: size(t, *count)?,
                child: self.slot(item, depth)?,
                nulls: ValidityBuilder::default(),
                data_type: t.clone(),
            }),
            DataType::Struct(fields) => {
                let named = |(i, field): (usize, &Arc<Field>)| (field.name().clone().into_bytes(), i);
                let children: Result<Vec<SlotBuilder>> =
                    fields.iter().map(|field| self.slot(field, depth)).collect();
                Box::new(StructBuilder {
                    names: fields.iter().map(|field| field.name().clone()).collect(),
                    positions: names_are_unique(fields)
                        .then(|| fields.iter().enumerate().map(named).collect()),
                    children: children?,
                    nulls: ValidityBuilder::default(),
                    len: 0,
                    budget: Arc::clone(&self.budget),
                    data_type: t.clone(),
                })
            }
            DataType::Map(entries, _) => {
                let DataType::Struct(pair) = entries.data_type() else { return Err(unknown_type(t)) };
                let [key, value] = pair.as_ref() else { return Err(unknown_type(t)) };
                Box::new(MapBuilder {
                    offsets: vec![0],
                    entries: entries.data_type().clone(),
                    keys: self.slot(key, depth + 1)?,
                    values: self.slot(value, depth + 1)?,
                    nulls: ValidityBuilder::default(),
                    data_type: t.clone(),
                })
            }
            DataType::Union(fields, mode) => {
                let child = |(id, field): (i8, &Arc<Field>)| Ok((id, self.slot(field, depth)?));
                let children: Result<Vec<(i8, SlotBuilder)>> = fields.iter().map(child).collect();
                Box::new(UnionBuilder {
                    ids: Vec::new(),
                    offsets: (*mode == UnionMode::Dense).then(Vec::new),
                    children: children?,
                    others: cost(t),
                    budget: Arc::clone(&self.budget),
                    data_type: t.clone(),
                })
            }
            DataType::RunEndEncoded(ends, values) => {
                let most = match ends.data_type() {
                    DataType::Int16 => i64::from(i16::MAX),
                    DataType::Int32 => i64::from(i32::MAX),
                    DataType::Int64 => i64::MAX,
                    _ => return Err(unknown_type(t)),
                };
                Box::new(RunBuilder {
                    ends_type: ends.data_type().clone(),
                    most: usize::try_from(most).unwrap_or(usize::MAX),
                    ends: Vec::new(),
                    child: self.slot(values, depth)?,
                    last: Vec::new(),
                    len: 0,
                    data_type: t.clone(),
                })
            }
            _ => return Err(unknown_type(t)),
        })
    }
}

fn code_builder(t: &DataType, codes: &DataType, values: ArrayData) -> Result<Box<dyn BuildValues>> {
    let count = values.len();
    Ok(match codes {
        DataType::Int8 => NumberBuilder::codes(t, values, numbers::code::<i8>(count)),
        DataType::Int16 => NumberBuilder::codes(t, values, numbers::code::<i16>(count)),
        DataType::Int32 => NumberBuilder::codes(t, values, numbers::code::<i32>(count)),
        DataType::Int64 => NumberBuilder::codes(t, values, numbers::code::<i64>(count)),
        DataType::UInt8 => NumberBuilder::codes(t, values, numbers::code::<u8>(count)),
        DataType::UInt16 => NumberBuilder::codes(t, values, numbers::code::<u16>(count)),
        DataType::UInt32 => NumberBuilder::codes(t, values, numbers::code::<u32>(count)),
        DataType::UInt64 => NumberBuilder::codes(t, values, numbers::code::<u64>(count)),
        _ => return Err(unknown_type(t)),
    })
}

fn unknown_type(data_type: &DataType) -> Error {
    Error::malformed(FORMAT, format!("the schema has a type that does not exist: {data_type}."))
}

fn size(data_type: &DataType, size: i32) -> Result<usize> {
    usize::try_from(size).map_err(|_| unknown_type(data_type))
}

/// Returns the bytes of memory for a null of the type, at least one.
fn cost(data_type: &DataType) -> u64 {
    let times = |count: i32, one: u64| u64::try_from(count).unwrap_or(0).saturating_mul(one).max(1);
    match data_type {
        DataType::Null | DataType::Boolean => 1,
        DataType::FixedSizeBinary(width) => times(*width, 1),
        DataType::FixedSizeList(item, count) => times(*count, cost(item.data_type())).saturating_add(1),
        DataType::Struct(fields) => {
            fields.iter().fold(1, |sum, field| sum.saturating_add(cost(field.data_type())))
        }
        DataType::Union(fields, UnionMode::Sparse) => {
            fields.iter().fold(1, |sum, (_, field)| sum.saturating_add(cost(field.data_type())))
        }
        DataType::Union(fields, UnionMode::Dense) => {
            fields.iter().next().map_or(5, |(_, field)| cost(field.data_type()).saturating_add(5))
        }
        DataType::RunEndEncoded(_, values) => cost(values.data_type()).saturating_add(8),
        other => other.primitive_width().map_or(16, |width| width as u64),
    }
}

/// Whether a null of the type may take far more memory than its one byte of input.
pub(super) fn is_wide(data_type: &DataType) -> bool {
    cost(data_type) > SHORT_CELL_NBYTES
        || matches!(data_type, DataType::Struct(_))
        || crate::frame::children(data_type).iter().any(|field| is_wide(field.data_type()))
}
