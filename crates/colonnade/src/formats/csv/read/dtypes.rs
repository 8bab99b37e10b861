//! Parses the type names in `dtype=`: those of NumPy, pandas and Arrow.

use arrow_schema::{DataType, TimeUnit};

use super::{FORMAT, category};
use crate::arrow::import::{exact_type, implied_dtype};
use crate::error::{Error, Result};
use crate::frame::DType;
use crate::infer::dtypes::nullable_dtype;

/// Names without parameters, and the NumPy dtype of the block that a column without nulls becomes.
const NAMES: [(&str, &str); 14] = [
    ("bool", "|b1"),
    ("int", "<i8"),
    ("int8", "<i1"),
    ("int16", "<i2"),
    ("int32", "<i4"),
    ("int64", "<i8"),
    ("uint8", "<u1"),
    ("uint16", "<u2"),
    ("uint32", "<u4"),
    ("uint64", "<u8"),
    ("float", "<f8"),
    ("float16", "<f2"),
    ("float32", "<f4"),
    ("float64", "<f8"),
];

/// Names of other types, all of them nullable.
const NULLABLE: [(&str, DataType); 9] = [
    ("str", DataType::LargeUtf8),
    ("string", DataType::LargeUtf8),
    ("text", DataType::LargeUtf8),
    ("large_utf8", DataType::LargeUtf8),
    ("utf8", DataType::Utf8),
    ("binary", DataType::Binary),
    ("large_binary", DataType::LargeBinary),
    ("date32", DataType::Date32),
    ("date64", DataType::Date64),
];

/// Whether a name is a nullable dtype of pandas.
pub(super) fn is_nullable(text: &str) -> bool {
    nullable_dtype(text).is_some()
}

/// A type declared in `dtypes`.
#[derive(Debug, PartialEq)]
pub(super) enum DeclaredType {
    /// An Arrow type, and the NumPy dtype of its block.
    Type(DataType, Option<DType>),
    /// Categories of inferred type.
    Category,
}

/// Parses a type name.
pub(super) fn parse(column: &str, text: &str) -> Result<DeclaredType> {
    if text == category::NAME {
        return Ok(DeclaredType::Category);
    }
    let other = || NULLABLE.iter().find(|(name, _)| *name == text).map(|(_, data_type)| data_type.clone());
    if let Some(data_type) = nullable_dtype(text).or_else(other) {
        return Ok(DeclaredType::Type(data_type, None));
    }
    let descr = NAMES.iter().find(|(name, _)| *name == text).map(|(_, descr)| (*descr).to_owned());
    let descr = descr
        .or_else(|| text.strip_prefix("datetime64[").map(|unit| format!("<M8[{unit}")))
        .or_else(|| text.strip_prefix("timedelta64[").map(|unit| format!("<m8[{unit}")))
        .unwrap_or_else(|| text.to_owned());
    // `datetime64[ns, UTC]` is the pandas name of a timestamp with a zone.
    if let Some(dtype) = DType::parse(&descr)
        && let Some(data_type) = exact_type(dtype)
    {
        return Ok(DeclaredType::Type(data_type, Some(dtype)));
    }
    if let Some(data_type) = parametric(text) {
        let dtype = implied_dtype(&data_type);
        return Ok(DeclaredType::Type(data_type, dtype));
    }
    let message = if matches!(text, "object" | "O" | "|O") {
        format!(
            "dtype: {text:?} holds anything and says no type. Leave the column out, and its cells tell the type; or say \"str\" \
             for the text as it stands."
        )
    } else {
        format!(
            "dtype: expected the name of a type, as \"int32\", \"Int64\", \"float32\", \"str\", \"bool\", \"category\", \
             \"datetime64[ns]\", \"timestamp[us, UTC]\", \"date32\", \"decimal128(10, 2)\", found {text:?}."
        )
    };
    Err(Error::invalid_option(FORMAT, message).in_member(column))
}

fn parametric(text: &str) -> Option<DataType> {
    let (name, inner) = text.split_once(['[', '('])?;
    let inner = inner.strip_suffix([']', ')'])?;
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    let unit = match parts.first().copied() {
        Some("s") => Some(TimeUnit::Second),
        Some("ms") => Some(TimeUnit::Millisecond),
        Some("us") => Some(TimeUnit::Microsecond),
        Some("ns") => Some(TimeUnit::Nanosecond),
        _ => None,
    };
    let digits = || {
        Some((parts.first()?.parse::<u8>().ok()?, parts.get(1).map_or(Some(0), |s| s.parse::<i8>().ok())?))
    };
    match (name, parts.len()) {
        ("timestamp", 1) => Some(DataType::Timestamp(unit?, None)),
        ("timestamp" | "datetime64", 2) => Some(DataType::Timestamp(unit?, Some((*parts.get(1)?).into()))),
        ("duration", 1) => Some(DataType::Duration(unit?)),
        ("time32", 1) => Some(DataType::Time32(unit?)),
        ("time64", 1) => Some(DataType::Time64(unit?)),
        ("decimal128", _) => {
            let (precision, scale) = digits()?;
            (1..=38).contains(&precision).then_some(DataType::Decimal128(precision, scale))
        }
        ("decimal256", _) => {
            let (precision, scale) = digits()?;
            (1..=76).contains(&precision).then_some(DataType::Decimal256(precision, scale))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_three_libraries_are_known() {
        let parse_type = |text: &str| match parse("x", text)? {
            DeclaredType::Type(data_type, dtype) => Ok::<_, Error>((data_type, dtype.map(|d| d.descr()))),
            DeclaredType::Category => panic!("{text}"),
        };
        assert_eq!(parse("x", "category").unwrap(), DeclaredType::Category);
        assert_eq!(parse_type("int32").unwrap(), (DataType::Int32, Some("<i4".into())));
        assert_eq!(parse_type("<i4").unwrap(), (DataType::Int32, Some("<i4".into())));
        assert_eq!(parse_type("Int64").unwrap(), (DataType::Int64, None));
        assert_eq!(parse_type("str").unwrap(), (DataType::LargeUtf8, None));
        let ns = DataType::Timestamp(TimeUnit::Nanosecond, None);
        assert_eq!(parse_type("datetime64[ns]").unwrap().0, ns);
        let utc = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
        assert_eq!(parse_type("timestamp[us, UTC]").unwrap().0, utc);
        assert_eq!(parse_type("decimal128(10, 2)").unwrap().0, DataType::Decimal128(10, 2));
        for wrong in [
            "",
            "int3",
            "categories",
            "decimal128(99)",
            "timestamp[h]",
            "list<int64>",
            "complex64",
            "complex128",
        ] {
            let error = parse_type(wrong).unwrap_err().to_string();
            assert!(error.contains("\"x\"") && error.contains("found"), "{error}");
        }
        for anything in ["object", "O", "|O"] {
            let error = parse_type(anything).unwrap_err().to_string();
            assert!(error.contains("\"x\"") && error.contains("says no type"), "{error}");
        }
    }
}
