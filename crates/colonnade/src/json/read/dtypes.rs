//! The dtypes that a table schema names in pandas' words: Arrow's types, and the tags that pandas' adapter has for them.

use arrow_array::types::{ArrowPrimitiveType, Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array as _, PrimitiveArray};
use arrow_buffer::BooleanBuffer;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::msgpack::read::inferred::Finished;
use crate::msgpack::read::inferred::numbers::exact;

use super::typed;

const MASKED: &str = r#"{"kind":"masked"}"#;
const STR: &str = r#"{"kind":"string","na":"nan","storage":"pyarrow"}"#;
const STRING: &str = r#"{"kind":"string","na":"NA","storage":"pyarrow"}"#;

/// The type of a word of `extDtype`, and the tag of its columns; `None` of others, whose cells tell their type.
pub(crate) fn named(said: &str) -> Option<(DataType, Option<&'static str>)> {
    let integers = [
        ("Int8", DataType::Int8),
        ("Int16", DataType::Int16),
        ("Int32", DataType::Int32),
        ("Int64", DataType::Int64),
        ("UInt8", DataType::UInt8),
        ("UInt16", DataType::UInt16),
        ("UInt32", DataType::UInt32),
        ("UInt64", DataType::UInt64),
        ("Float32", DataType::Float32),
        ("Float64", DataType::Float64),
    ];
    match said {
        "str" => return Some((DataType::LargeUtf8, Some(STR))),
        "string" => return Some((DataType::LargeUtf8, Some(STRING))),
        "boolean" => return Some((DataType::Boolean, Some(MASKED))),
        _ => {}
    }
    let found = integers.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(said));
    found.and_then(|(name, data_type)| match said {
        _ if said == name => Some((data_type, Some(MASKED))),
        // NumPy's words.
        _ if said.bytes().all(|b| !b.is_ascii_uppercase()) => Some((data_type, None)),
        _ => None,
    })
}

/// A time zone as Arrow has it: an offset stands alone.
pub(crate) fn zone(said: &str) -> &str {
    said.strip_prefix("UTC").filter(|rest| rest.starts_with(['+', '-'])).unwrap_or(said)
}

/// The cells in Arrow's layout; `None` where a tag says that they mean something else.
pub(crate) fn array(column: &Finished) -> Option<ArrayData> {
    let block = match column {
        Finished::Column(column) => return column.tag.is_none().then(|| column.data.clone()),
        Finished::Block(block) => block,
    };
    let bytes = block.packed()?;
    let (data_type, buffer) = match block.grid.dtype.descr().as_str() {
        "|b1" => {
            let bits: BooleanBuffer = bytes.iter().map(|&byte| byte == 1).collect();
            (DataType::Boolean, bits.into_inner())
        }
        "<i8" => (DataType::Int64, arrow_buffer::Buffer::from(bytes)),
        "<u8" => (DataType::UInt64, arrow_buffer::Buffer::from(bytes)),
        "<f8" => (DataType::Float64, arrow_buffer::Buffer::from(bytes)),
        _ => return None,
    };
    ArrayDataBuilder::new(data_type).len(block.grid.nrows).add_buffer(buffer).build().ok()
}

/// The cells in the type `wanted`, nulls of any; `None` where something would be lost.
pub(crate) fn cast(wanted: &DataType, data: &ArrayData) -> Option<ArrayData> {
    match (data.data_type(), wanted) {
        (DataType::Null, _) => Some(ArrayData::new_null(wanted, data.len())),
        (DataType::Int64, DataType::Float64) => floats::<Int64Type>(data),
        (DataType::UInt64, DataType::Float64) => floats::<UInt64Type>(data),
        (DataType::Int64, DataType::Float32) => typed::cast(wanted, &floats::<Int64Type>(data)?),
        _ => typed::cast(wanted, data),
    }
}

/// Doubles, where each integer is one exactly.
fn floats<T: ArrowPrimitiveType>(data: &ArrayData) -> Option<ArrayData>
where
    T::Native: Into<i128>,
{
    let cells = PrimitiveArray::<T>::from(data.clone());
    let float = |value: T::Native| exact(value.into()).map(f64::from_bits).ok_or(());
    cells.try_unary::<_, Float64Type, ()>(float).ok().map(|found| found.into_data())
}
