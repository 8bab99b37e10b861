//! The buffers of a column in Arrow's layout: each is a 1-D NPY member.
//!
//! Paths: `validity` (bits, absent where nothing is null), `offsets`, `values`, `views` and `data_{k}` (views of text and
//! bytes), `sizes` (list views), `type_ids` (unions), `dictionary_...` (a dictionary's categories; its codes are its
//! `values`), `{i}_...` (child i: a list's items and a map's entries are child 0, run ends child 0 and their values 1).

use arrow_schema::{DataType, IntervalUnit, TimeUnit, UnionMode};

use crate::error::{Error, Result};
use crate::frame::DType;
use crate::memory::Buffer;

/// One buffer as a member: a 1-D array.
#[derive(Debug, Clone)]
pub struct BufferMember {
    /// Its path inside the column.
    pub path: String,
    /// Its NumPy dtype.
    pub dtype: DType,
    /// Its bytes, packed.
    pub bytes: Buffer,
}

/// A column without its buffers, as `__colonnade__` describes it.
#[derive(Debug, Clone)]
pub struct ColumnSpec {
    /// Arrow's type.
    pub data_type: DataType,
    /// Whether the dictionary is ordered.
    pub ordered: bool,
    /// The adapter's tag.
    pub tag: Option<String>,
    /// Rows.
    pub length: usize,
    /// Lengths that no parent implies, depth first: a dictionary's categories, the items of lists and maps, each child of
    /// a dense union, the runs of run ends.
    pub children: Vec<usize>,
}

/// The buffers that a type has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferLayout {
    /// No buffer.
    Null,
    /// Bits.
    Bits,
    /// Values of one width.
    Fixed(DType),
    /// 32-bit offsets and bytes.
    Offsets32,
    /// 64-bit offsets and bytes.
    Offsets64,
    /// 16-byte views and data buffers.
    Views,
    /// Children, with offsets for some types.
    Nested,
}

pub(super) fn dtype(descr: &str) -> Result<DType> {
    DType::parse(descr).ok_or_else(|| Error::unsupported("npz", format!("no NumPy dtype {descr}.")))
}

fn unit_dtype(kind: &str, unit: TimeUnit) -> Result<DType> {
    dtype(&format!("<{kind}8[{}]", crate::frame::unit_name(&unit)))
}

impl BufferLayout {
    /// The buffers of `data_type`.
    ///
    /// # Errors
    /// `Unsupported` for widths that NumPy has no dtype for.
    pub fn of(data_type: &DataType) -> Result<Self> {
        Ok(match data_type {
            DataType::Null => Self::Null,
            DataType::Boolean => Self::Bits,
            DataType::Utf8 | DataType::Binary => Self::Offsets32,
            DataType::LargeUtf8 | DataType::LargeBinary => Self::Offsets64,
            DataType::Utf8View | DataType::BinaryView => Self::Views,
            DataType::Struct(_)
            | DataType::List(_)
            | DataType::LargeList(_)
            | DataType::ListView(_)
            | DataType::LargeListView(_)
            | DataType::FixedSizeList(..)
            | DataType::Map(..)
            | DataType::Union(..)
            | DataType::RunEndEncoded(..) => Self::Nested,
            DataType::Dictionary(codes, _) => Self::of(codes)?,
            DataType::Date32 => Self::Fixed(dtype("<i4")?),
            DataType::Date64 => Self::Fixed(dtype("<M8[ms]")?),
            DataType::Timestamp(unit, _) => Self::Fixed(unit_dtype("M", *unit)?),
            DataType::Duration(unit) => Self::Fixed(unit_dtype("m", *unit)?),
            DataType::Int8 => Self::Fixed(dtype("|i1")?),
            DataType::UInt8 => Self::Fixed(DType::BYTE),
            DataType::Int16 => Self::Fixed(dtype("<i2")?),
            DataType::UInt16 => Self::Fixed(dtype("<u2")?),
            DataType::Int32 | DataType::Time32(_) | DataType::Decimal32(..) => Self::Fixed(dtype("<i4")?),
            DataType::UInt32 => Self::Fixed(dtype("<u4")?),
            DataType::Int64 | DataType::Time64(_) | DataType::Decimal64(..) => Self::Fixed(dtype("<i8")?),
            DataType::UInt64 => Self::Fixed(dtype("<u8")?),
            DataType::Float16 => Self::Fixed(dtype("<f2")?),
            DataType::Float32 => Self::Fixed(dtype("<f4")?),
            DataType::Float64 => Self::Fixed(dtype("<f8")?),
            DataType::Interval(IntervalUnit::YearMonth) => Self::Fixed(dtype("<i4")?),
            DataType::Interval(IntervalUnit::DayTime) => Self::Fixed(dtype("|V8")?),
            DataType::Interval(IntervalUnit::MonthDayNano) => Self::Fixed(dtype("|V16")?),
            DataType::Decimal128(..) => Self::Fixed(dtype("|V16")?),
            DataType::Decimal256(..) => Self::Fixed(dtype("|V32")?),
            DataType::FixedSizeBinary(n) => Self::Fixed(dtype(&format!("|V{n}"))?),
        })
    }
}

impl ColumnSpec {
    /// The largest length of the column and its descendants.
    ///
    /// # Errors
    /// Malformed: too few or too many lengths of children.
    pub fn largest_length(&self) -> Result<usize> {
        let mut children = self.children.iter().copied();
        let largest = largest_length(&self.data_type, self.length, &mut children);
        largest.filter(|_| children.next().is_none()).ok_or_else(|| {
            let name = crate::frame::type_name(&self.data_type, self.ordered);
            let found = &self.children;
            Error::malformed(
                "npz",
                format!("expected the lengths of the children of {name}, found {found:?}."),
            )
        })
    }
}

/// The largest length of an array and its descendants, whose lengths are taken off `children`; `None` where one is missing.
pub(super) fn largest_length(
    data_type: &DataType,
    length: usize,
    children: &mut dyn Iterator<Item = usize>,
) -> Option<usize> {
    let mut out = length;
    match data_type {
        DataType::Dictionary(_, values) => {
            let count = children.next()?;
            out = out.max(largest_length(values, count, children)?);
        }
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::Map(item, _) => {
            let count = children.next()?;
            out = out.max(largest_length(item.data_type(), count, children)?);
        }
        DataType::RunEndEncoded(_, values) => {
            let count = children.next()?;
            out = out.max(largest_length(values.data_type(), count, children)?);
        }
        DataType::FixedSizeList(item, n) => {
            let count = length.checked_mul(usize::try_from(*n).ok()?)?;
            out = out.max(largest_length(item.data_type(), count, children)?);
        }
        DataType::Struct(fields) => {
            for field in fields {
                out = out.max(largest_length(field.data_type(), length, children)?);
            }
        }
        DataType::Union(fields, mode) => {
            for (_, field) in fields.iter() {
                let count = if *mode == UnionMode::Dense { children.next()? } else { length };
                out = out.max(largest_length(field.data_type(), count, children)?);
            }
        }
        _ => {}
    }
    Some(out)
}
