//! Columns outside blocks: variable-width or nullable data in Arrow's layout.

use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef, IntervalUnit, TimeUnit, UnionMode};

use crate::error::Error;

/// One column in Arrow's layout.
#[derive(Debug, Clone)]
pub struct Column {
    /// Validity, offsets, values, children.
    pub data: ArrayData,
    /// Whether a dictionary's categories are ordered. Arrow stores this in the field.
    pub ordered: bool,
    /// The source library's type, in tagged JSON that its adapter writes and reads. The core does not interpret it.
    pub tag: Option<String>,
    /// Whether nothing else uses the memory of its values, if they are numbers or times. Its only holder may then write to
    /// them.
    pub exclusive: bool,
}

impl Column {
    /// An untagged column.
    #[must_use]
    pub fn new(data: ArrayData) -> Self {
        Self { data, ordered: false, tag: None, exclusive: false }
    }

    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Rows `start..stop`.
    #[must_use]
    pub fn slice(&self, start: usize, stop: usize) -> Self {
        Self { data: self.data.slice(start, stop - start), exclusive: false, ..self.clone() }
    }

    /// The values as text; `None` unless they are strings without nulls.
    #[must_use]
    pub fn strings(&self) -> Option<Vec<String>> {
        if self.data.null_count() > 0 {
            return None;
        }
        (0..self.len()).map(|row| self.string(row).map(str::to_owned)).collect()
    }

    /// Row `row` of a column of strings. The text of a null row is arbitrary.
    #[must_use]
    pub fn string(&self, row: usize) -> Option<&str> {
        let [offsets, values] = self.data.buffers() else { return None };
        let at = self.data.offset() + row;
        let (start, end) = match self.data.data_type() {
            DataType::Utf8 => {
                let all = offsets.typed_data::<i32>();
                (usize::try_from(*all.get(at)?).ok()?, usize::try_from(*all.get(at + 1)?).ok()?)
            }
            DataType::LargeUtf8 => {
                let all = offsets.typed_data::<i64>();
                (usize::try_from(*all.get(at)?).ok()?, usize::try_from(*all.get(at + 1)?).ok()?)
            }
            _ => return None,
        };
        std::str::from_utf8(values.as_slice().get(start..end)?).ok()
    }

    /// Bytes of the parts of its buffers, including children, that this slice needs.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.data.get_slice_memory_size().unwrap_or_else(|_| self.data.get_buffer_memory_size())
    }
}

/// Deepest nesting of types that Colonnade's readers accept.
pub const MAX_DEPTH: usize = 48;

/// The error for writing a type that nests deeper.
pub(crate) fn too_deep(format: &'static str) -> Error {
    let message = format!(
        "expected types nested at most {MAX_DEPTH} deep, found deeper ones. Flatten the column, or leave it out."
    );
    Error::unrepresentable(format, message)
}

/// Whether a type is a dictionary or contains one.
pub(crate) fn has_dictionary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(..))
        || children(data_type).iter().any(|field| has_dictionary(field.data_type()))
}

/// The child fields of a type, in the order of their arrays. A dictionary's values do not count as a child.
#[must_use]
pub fn children(data_type: &DataType) -> Vec<&FieldRef> {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item],
        DataType::Struct(fields) => fields.iter().collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field).collect(),
        DataType::RunEndEncoded(ends, values) => vec![ends, values],
        _ => Vec::new(),
    }
}

/// Whether the array or a descendant has a validity buffer, even one without nulls. Arrow's copying kernel needs to know.
pub(crate) fn has_validity(data: &ArrayData) -> bool {
    data.nulls().is_some() || data.child_data().iter().any(has_validity)
}

/// The type with other child fields, in the order of [`children`]. Returns the type unchanged if the number of fields differs.
#[must_use]
pub fn with_children(data_type: &DataType, fields: &[FieldRef]) -> DataType {
    match (data_type, fields) {
        (DataType::List(_), [item]) => DataType::List(Arc::clone(item)),
        (DataType::LargeList(_), [item]) => DataType::LargeList(Arc::clone(item)),
        (DataType::ListView(_), [item]) => DataType::ListView(Arc::clone(item)),
        (DataType::LargeListView(_), [item]) => DataType::LargeListView(Arc::clone(item)),
        (DataType::FixedSizeList(_, n), [item]) => DataType::FixedSizeList(Arc::clone(item), *n),
        (DataType::Map(_, sorted), [entries]) => DataType::Map(Arc::clone(entries), *sorted),
        (DataType::Struct(was), fields) if was.len() == fields.len() => DataType::Struct(fields.into()),
        (DataType::Union(was, mode), fields) if was.len() == fields.len() => {
            let all = was.iter().zip(fields).map(|((id, _), field)| (id, Arc::clone(field)));
            DataType::Union(all.collect(), *mode)
        }
        (DataType::RunEndEncoded(..), [ends, values]) => {
            DataType::RunEndEncoded(Arc::clone(ends), Arc::clone(values))
        }
        _ => data_type.clone(),
    }
}

/// Whether two types are equal, including the order of nested dictionaries, which Arrow's comparison ignores.
#[must_use]
pub fn same_type(one: &DataType, other: &DataType) -> bool {
    let same = |(a, b): (&FieldRef, &FieldRef)| {
        a.dict_is_ordered() == b.dict_is_ordered() && same_type(a.data_type(), b.data_type())
    };
    one == other && children(one).into_iter().zip(children(other)).all(same)
}

/// The type of the values behind dictionaries and runs.
#[must_use]
pub fn values_of(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => values_of(values),
        DataType::RunEndEncoded(_, values) => values_of(values.data_type()),
        other => other,
    }
}

/// Arrow's name of a type, as `pyarrow` prints it.
#[must_use]
pub fn type_name(data_type: &DataType, ordered: bool) -> String {
    match data_type {
        DataType::Utf8 => "utf8".into(),
        DataType::LargeUtf8 => "large_utf8".into(),
        DataType::LargeBinary => "large_binary".into(),
        DataType::FixedSizeBinary(n) => format!("fixed_size_binary[{n}]"),
        DataType::Boolean => "bool".into(),
        DataType::Float16 => "halffloat".into(),
        DataType::Float32 => "float".into(),
        DataType::Float64 => "double".into(),
        DataType::Date32 => "date32[day]".into(),
        DataType::Date64 => "date64[ms]".into(),
        DataType::Time32(unit) => format!("time32[{}]", unit_name(unit)),
        DataType::Time64(unit) => format!("time64[{}]", unit_name(unit)),
        DataType::Duration(unit) => format!("duration[{}]", unit_name(unit)),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_name(unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp[{}, {zone}]", unit_name(unit)),
        DataType::Decimal32(p, s) => format!("decimal32({p}, {s})"),
        DataType::Decimal64(p, s) => format!("decimal64({p}, {s})"),
        DataType::Decimal128(p, s) => format!("decimal128({p}, {s})"),
        DataType::Decimal256(p, s) => format!("decimal256({p}, {s})"),
        DataType::Dictionary(codes, values) => {
            format!(
                "dictionary<{}, {}, ordered={ordered}>",
                type_name(codes, false),
                type_name(values, false)
            )
        }
        DataType::Utf8View => "utf8_view".into(),
        DataType::BinaryView => "binary_view".into(),
        DataType::Interval(IntervalUnit::YearMonth) => "month_interval".into(),
        DataType::Interval(IntervalUnit::DayTime) => "day_time_interval".into(),
        DataType::Interval(IntervalUnit::MonthDayNano) => "month_day_nano_interval".into(),
        DataType::List(item) => format!("list<{}>", field_name(item)),
        DataType::LargeList(item) => format!("large_list<{}>", field_name(item)),
        DataType::ListView(item) => format!("list_view<{}>", field_name(item)),
        DataType::LargeListView(item) => format!("large_list_view<{}>", field_name(item)),
        DataType::FixedSizeList(item, n) => format!("fixed_size_list<{}>[{n}]", field_name(item)),
        DataType::Struct(fields) => {
            format!("struct<{}>", fields.iter().map(|f| field_name(f)).collect::<Vec<_>>().join(", "))
        }
        DataType::Union(fields, mode) => {
            let mode = if *mode == UnionMode::Dense { "dense" } else { "sparse" };
            let inner: Vec<String> = fields.iter().map(|(id, f)| format!("{}={id}", field_name(f))).collect();
            format!("{mode}_union<{}>", inner.join(", "))
        }
        DataType::RunEndEncoded(ends, values) => {
            let (ends, values) = (inner_name(ends), inner_name(values));
            format!("run_end_encoded<run_ends: {ends}, values: {values}>")
        }
        DataType::Map(entries, sorted) => {
            let DataType::Struct(pair) = entries.data_type() else { return "map<>".into() };
            let part = |field: &Field, usual: &str| {
                let shown = inner_name(field);
                if field.name() == usual { shown } else { format!("{shown} ('{}')", field.name()) }
            };
            let usual = ["key", "value"];
            let inner: Vec<String> = pair.iter().zip(usual).map(|(f, usual)| part(f, usual)).collect();
            format!("map<{}{}>", inner.join(", "), if *sorted { ", keys_sorted" } else { "" })
        }
        other => format!("{other}").to_lowercase(),
    }
}

fn inner_name(field: &Field) -> String {
    type_name(field.data_type(), field.dict_is_ordered() == Some(true))
}

fn field_name(field: &Field) -> String {
    let nullable = if field.is_nullable() { "" } else { " not null" };
    format!("{}: {}{nullable}", field.name(), inner_name(field))
}

/// The short name of a unit: s, ms, us, ns.
#[must_use]
pub fn unit_name(unit: &TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
