//! Converts labels to names of fields: text, unique, without NUL (Arrow's C interface ends names there).

use std::collections::{HashMap, HashSet};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{DataType, TimeUnit};
use serde_json::Value;

use crate::error::Result;
use crate::frame::TimeBase;
use crate::frame::{Axis, Column, DTypeKind, Labels, Level};

use super::native::NativeType;

/// Returns `str(label)` of every label, as Python and pandas print it; for labels of several levels that of a tuple. `None`
/// is a missing label.
///
/// # Errors
/// Labels that are not Unicode.
pub fn texts(axis: &Axis) -> Result<Vec<Option<String>>> {
    let levels = match &axis.labels {
        Labels::Auto { start, step, count, .. } => {
            let label = |i: usize| {
                let reach = step.saturating_mul(i64::try_from(i).unwrap_or(i64::MAX));
                Some(start.saturating_add(reach).to_string())
            };
            return Ok((0..*count).map(label).collect());
        }
        Labels::Levels(levels) => levels,
    };
    let mut all = levels.iter().map(level_texts).collect::<Result<Vec<_>>>()?;
    if all.len() == 1 {
        return Ok(all.pop().unwrap_or_default());
    }
    let tuple = |row: usize| {
        let parts = all.iter().map(|level| match level.get(row) {
            Some(Some(text)) => python_repr(text),
            _ => "None".into(),
        });
        format!("({})", parts.collect::<Vec<_>>().join(", "))
    };
    Ok((0..axis.len()).map(|row| Some(tuple(row))).collect())
}

/// Makes the texts unique (`a`, `a_1`), and returns whether they already were unique names.
pub(super) fn unique(texts: &[Option<String>]) -> (Vec<String>, bool) {
    let mut used: HashSet<&str> = HashSet::with_capacity(texts.len());
    let is_name = |text: &Option<String>| text.as_deref().is_some_and(|t| !t.is_empty() && !t.contains('\0'));
    if texts.iter().all(|text| is_name(text) && used.insert(text.as_deref().unwrap_or(""))) {
        return (texts.iter().flatten().cloned().collect(), true);
    }
    let names = texts.iter().map(|text| text.as_deref().unwrap_or("None").replace('\0', "\u{2400}"));
    (distinct(names), false)
}

/// Returns the labels as keys of mappings: their texts, those that repeat with a number (`a`, `a_1`).
///
/// # Errors
/// Labels that are not Unicode.
pub(crate) fn keys(axis: &Axis) -> Result<Vec<String>> {
    Ok(distinct(texts(axis)?.into_iter().map(|text| text.unwrap_or_else(|| "None".into()))))
}

fn distinct(texts: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let mut used: HashSet<String> = HashSet::with_capacity(texts.len());
    // The last number tried for each text: all smaller numbers are used.
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut out = Vec::with_capacity(texts.len());
    for text in texts {
        let mut name = text.clone();
        if !used.insert(name.clone()) {
            let count = counts.entry(text.clone()).or_insert(0);
            while !used.insert(name.clone()) {
                *count += 1;
                name = format!("{text}_{count}");
            }
        }
        out.push(name);
    }
    out
}

/// Quotes text as Python's `repr` does, so that `ast.literal_eval` can read it.
fn python_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn level_texts(level: &Level) -> Result<Vec<Option<String>>> {
    match level {
        Level::Block(block) => {
            let native = NativeType::of(block)?;
            let array = make_array(native.array(block, 0, &block.buffer.to_arrow())?);
            // Units that Arrow does not have are printed as dates; their numbers mean something else.
            let unit = block.grid.dtype.unit.filter(|_| block.grid.dtype.kind == DTypeKind::DateTime);
            if let (Some(unit), DataType::Int64) = (unit, array.data_type())
                && let Some(text) = year_month(unit.base, i64::from(unit.multiple))
            {
                let values = array.as_primitive::<arrow_array::types::Int64Type>();
                return Ok(values.iter().map(|v| v.map(&*text)).collect());
            }
            Ok(label_texts(&array))
        }
        Level::Column(column) => {
            let array = make_array(column.data.clone());
            let texts = label_texts(&array);
            Ok(if is_tagged(column) { texts.into_iter().map(untagged).collect() } else { texts })
        }
    }
}

/// Whether the labels are text in tagged JSON.
pub(crate) fn is_tagged(column: &Column) -> bool {
    column.tag.as_deref().is_some_and(|t| t.contains("\"labels\""))
}

/// Prints years and months, which have no fixed number of seconds.
fn year_month(base: TimeBase, multiple: i64) -> Option<Box<dyn Fn(i64) -> String>> {
    match base {
        TimeBase::Year => {
            Some(Box::new(move |v| format!("{:04}", v.saturating_mul(multiple).saturating_add(1970))))
        }
        TimeBase::Month => Some(Box::new(move |v| {
            let months = v.saturating_mul(multiple);
            format!("{:04}-{:02}", months.div_euclid(12) + 1970, months.rem_euclid(12) + 1)
        })),
        _ => None,
    }
}

/// Converts a label in tagged JSON to text close to `str`.
pub(super) fn untagged(text: Option<String>) -> Option<String> {
    let text = text?;
    Some(match serde_json::from_str::<Value>(&text) {
        Ok(Value::Null) => return None,
        Ok(Value::String(inner)) => inner,
        Ok(Value::Bool(true)) => "True".into(),
        Ok(Value::Bool(false)) => "False".into(),
        Ok(Value::Object(map)) => match map.get("$tuple").and_then(Value::as_array) {
            Some(parts) => {
                let part =
                    |v: &Value| untagged(Some(v.to_string())).map_or("None".into(), |t| python_repr(&t));
                format!("({})", parts.iter().map(part).collect::<Vec<_>>().join(", "))
            }
            None => text,
        },
        _ => text,
    })
}

fn label_texts(array: &ArrayRef) -> Vec<Option<String>> {
    (0..array.len()).map(|row| if array.is_null(row) { None } else { Some(cell(array, row)) }).collect()
}

fn cell(array: &ArrayRef, row: usize) -> String {
    use arrow_array::types as t;
    macro_rules! value {
        ($type:ty) => {
            array.as_primitive::<$type>().value(row)
        };
    }
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
        DataType::LargeUtf8 => array.as_string::<i64>().value(row).to_owned(),
        DataType::Utf8View => array.as_string_view().value(row).to_owned(),
        DataType::Binary => bytes(array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => bytes(array.as_binary::<i64>().value(row)),
        DataType::FixedSizeBinary(_) => bytes(array.as_fixed_size_binary().value(row)),
        DataType::Boolean => if array.as_boolean().value(row) { "True" } else { "False" }.into(),
        DataType::Int8 => value!(t::Int8Type).to_string(),
        DataType::Int16 => value!(t::Int16Type).to_string(),
        DataType::Int32 => value!(t::Int32Type).to_string(),
        DataType::Int64 => value!(t::Int64Type).to_string(),
        DataType::UInt8 => value!(t::UInt8Type).to_string(),
        DataType::UInt16 => value!(t::UInt16Type).to_string(),
        DataType::UInt32 => value!(t::UInt32Type).to_string(),
        DataType::UInt64 => value!(t::UInt64Type).to_string(),
        DataType::Float32 => float(&format!("{:?}", value!(t::Float32Type))),
        DataType::Float64 => float(&format!("{:?}", value!(t::Float64Type))),
        DataType::Date32 => date(i64::from(value!(t::Date32Type))),
        DataType::Timestamp(TimeUnit::Second, _) => instant(value!(t::TimestampSecondType), 0),
        DataType::Timestamp(TimeUnit::Millisecond, _) => instant(value!(t::TimestampMillisecondType), 3),
        DataType::Timestamp(TimeUnit::Microsecond, _) => instant(value!(t::TimestampMicrosecondType), 6),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => instant(value!(t::TimestampNanosecondType), 9),
        DataType::Float16 => float(&format!("{:?}", value!(t::Float16Type).to_f32())),
        DataType::Date64 => instant(value!(t::Date64Type), 3),
        DataType::Time32(TimeUnit::Second) => clock(i64::from(value!(t::Time32SecondType)), 0),
        DataType::Time32(_) => clock(i64::from(value!(t::Time32MillisecondType)), 3),
        DataType::Time64(TimeUnit::Microsecond) => clock(value!(t::Time64MicrosecondType), 6),
        DataType::Time64(_) => clock(value!(t::Time64NanosecondType), 9),
        // Durations are printed as counts, as pandas does.
        DataType::Duration(TimeUnit::Second) => value!(t::DurationSecondType).to_string(),
        DataType::Duration(TimeUnit::Millisecond) => value!(t::DurationMillisecondType).to_string(),
        DataType::Duration(TimeUnit::Microsecond) => value!(t::DurationMicrosecondType).to_string(),
        DataType::Duration(TimeUnit::Nanosecond) => value!(t::DurationNanosecondType).to_string(),
        DataType::Decimal32(..) => array.as_primitive::<t::Decimal32Type>().value_as_string(row),
        DataType::Decimal64(..) => array.as_primitive::<t::Decimal64Type>().value_as_string(row),
        DataType::Decimal128(..) => array.as_primitive::<t::Decimal128Type>().value_as_string(row),
        DataType::Decimal256(..) => array.as_primitive::<t::Decimal256Type>().value_as_string(row),
        DataType::Dictionary(..) => {
            // Slices one row, because the keys of all rows would be a new vector each time.
            let one = array.slice(row, 1);
            let codes = one.as_any_dictionary();
            let code = codes.normalized_keys().first().copied().unwrap_or(0);
            if codes.values().is_null(code) { "None".into() } else { cell(codes.values(), code) }
        }
        DataType::Struct(_) => {
            let part = |c: &ArrayRef| if c.is_null(row) { "None".into() } else { cell(c, row) };
            let parts: Vec<String> = array.as_struct().columns().iter().map(part).collect();
            format!("({})", parts.join(", "))
        }
        // The text only needs to be unique, because the metadata has the labels themselves.
        _ => format!("{row}"),
    }
}

fn bytes(value: &[u8]) -> String {
    String::from_utf8_lossy(value).trim_end_matches('\0').to_owned()
}

/// Converts Rust's digits to Python's exponent notation.
fn float(text: &str) -> String {
    match text.split_once('e') {
        Some((digits, power)) => {
            let (sign, power) = power.strip_prefix('-').map_or(('+', power), |p| ('-', p));
            format!("{}e{sign}{power:0>2}", digits.strip_suffix(".0").unwrap_or(digits))
        }
        None => text.replace("NaN", "nan"),
    }
}

/// Prints days since 1970 as year-month-day.
fn date(days: i64) -> String {
    let (year, month, day) = crate::calendar::date_from_days(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Prints ticks of `digits` decimal digits a second as `str(pandas.Timestamp)` does.
fn instant(ticks: i64, digits: u32) -> String {
    let scale = 10_i64.pow(digits);
    let (seconds, fraction) = (ticks.div_euclid(scale), ticks.rem_euclid(scale));
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    format!("{} {}", date(day), clock(second * scale + fraction, digits))
}

/// Prints ticks of `digits` decimal digits a second since midnight as `str(datetime.time)` does.
fn clock(ticks: i64, digits: u32) -> String {
    let scale = 10_i64.pow(digits);
    let (second, fraction) = (ticks.div_euclid(scale), ticks.rem_euclid(scale));
    let clock = format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
    let fraction = match (fraction, digits) {
        (0, _) => String::new(),
        (f, 9) if f % 1000 == 0 => format!(".{:06}", f / 1000),
        (f, 9) => format!(".{f:09}"),
        (f, 6) => format!(".{f:06}"),
        (f, _) => format!(".{:06}", f * 1000),
    };
    format!("{clock}{fraction}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::DictionaryArray;
    use arrow_array::types::Int32Type;

    use super::*;

    #[test]
    fn names_are_those_of_python() {
        assert_eq!(float("1e20"), "1e+20");
        assert_eq!(float("1.5e-7"), "1.5e-07");
        assert_eq!(float("1.0"), "1.0");
        assert_eq!(instant(1_485_907_200_123_456_789, 9), "2017-02-01 00:00:00.123456789");
        assert_eq!(instant(-1, 3), "1969-12-31 23:59:59.999000");
        assert_eq!(
            (date(0), date(-719_528), date(19_782)),
            ("1970-01-01".into(), "0000-01-01".into(), "2024-02-29".into())
        );
        assert_eq!(python_repr("it's"), "\"it's\"");
        assert_eq!(python_repr("a\\\n'\""), "'a\\\\\\n\\'\"'");
        assert_eq!(untagged(Some(r#"{"$tuple":[1,"a",null]}"#.into())).unwrap(), "('1', 'a', None)");
    }

    #[test]
    fn categories_are_those_of_their_rows() {
        let labels: DictionaryArray<Int32Type> =
            [Some("b"), None, Some("a"), Some("b")].into_iter().collect();
        let expected = [Some("b"), None, Some("a"), Some("b")].map(|t| t.map(str::to_owned));
        let labels: ArrayRef = Arc::new(labels);
        assert_eq!(label_texts(&labels), expected);
        assert_eq!(label_texts(&labels.slice(2, 2)), expected[2..]);
    }

    #[test]
    fn duplicates_are_numbered() {
        let texts = ["a", "a", "a_1", "", "x\0"].map(|t| Some(t.to_owned()));
        assert_eq!(unique(&texts).0, ["a", "a_1", "a_1_1", "", "x\u{2400}"]);
        let texts = ["b", "a"].map(|t| Some(t.to_owned()));
        assert_eq!(unique(&texts), (vec!["b".to_owned(), "a".to_owned()], true));
    }
}
