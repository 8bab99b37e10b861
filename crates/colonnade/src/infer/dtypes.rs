//! The names of pandas' nullable dtypes.

use arrow_schema::DataType;

const MASKED: [(&str, DataType); 11] = [
    ("boolean", DataType::Boolean),
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

/// Returns the type of a nullable dtype's name.
pub(crate) fn nullable_dtype(word: &str) -> Option<DataType> {
    MASKED.iter().find(|(name, _)| *name == word).map(|(_, data_type)| data_type.clone())
}

/// Returns the type of a NumPy dtype's name, which is the nullable dtype's name in lower case.
pub(crate) fn numpy_dtype(word: &str) -> Option<DataType> {
    let is_small = word.bytes().all(|b| !b.is_ascii_uppercase());
    let found = MASKED.iter().find(|(name, _)| is_small && name.eq_ignore_ascii_case(word));
    found.map(|(_, data_type)| data_type.clone())
}
