//! Converts names between Colonnade's tagged JSON and StaticFrame's JSON, where a list is a tuple and dates are their `repr`.

use serde_json::{Value, json};

/// StaticFrame's JSON of a tagged name; `None` if StaticFrame would read it as another name.
pub(super) fn to_static_frame(tagged: &Value) -> Option<Value> {
    match tagged {
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(tagged.clone()),
        Value::String(text) => parse_repr(text).is_none().then(|| tagged.clone()),
        Value::Array(_) => None,
        Value::Object(map) => {
            let (tag, value) = map.iter().next()?;
            match tag.as_str() {
                "$tuple" => {
                    Some(Value::Array(value.as_array()?.iter().map(to_static_frame).collect::<Option<_>>()?))
                }
                "$datetime64" => {
                    let text = value.get(0)?.as_str()?;
                    // NumPy 2 writes `np.`. StaticFrame 2.0 reads only `numpy.`, later versions read both.
                    let repr = format!("numpy.datetime64('{text}')");
                    (parse_repr(&repr)? == *tagged).then(|| json!(repr))
                }
                "$date" => {
                    let mut parts = value.as_str()?.split('-').map(|p| p.parse::<u32>().ok());
                    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
                    Some(json!(format!("datetime.date({year}, {month}, {day})")))
                }
                _ => None,
            }
        }
    }
}

/// The tagged form of a name that StaticFrame wrote.
pub(super) fn from_static_frame(raw: &Value) -> Value {
    match raw {
        Value::String(text) => parse_repr(text).unwrap_or_else(|| raw.clone()),
        Value::Array(items) => json!({"$tuple": items.iter().map(from_static_frame).collect::<Vec<_>>()}),
        other => other.clone(),
    }
}

/// Parses `np.datetime64('...')`, `numpy.datetime64('...')` and `datetime.date(y, m, d)` into tags.
fn parse_repr(text: &str) -> Option<Value> {
    if let Some(arguments) = text.strip_prefix("datetime.date(").and_then(|t| t.strip_suffix(')')) {
        let parts: Vec<u32> = arguments.split(',').map(|p| p.trim().parse().ok()).collect::<Option<_>>()?;
        let [year, month, day] = parts.as_slice() else { return None };
        return Some(json!({"$date": format!("{year:04}-{month:02}-{day:02}")}));
    }
    let rest = text.strip_prefix("numpy.").or_else(|| text.strip_prefix("np."))?;
    let iso = rest.strip_prefix("datetime64('")?.strip_suffix("')")?;
    if iso.is_empty() || !iso.bytes().all(|b| b"-.T:0123456789".contains(&b)) {
        return None;
    }
    Some(json!({"$datetime64": [iso, unit_of(iso)?]}))
}

/// The unit that NumPy infers from the text.
fn unit_of(iso: &str) -> Option<&'static str> {
    let (date, time) = match iso.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (iso, None),
    };
    let fields = date.strip_prefix('-').unwrap_or(date).split('-').count();
    let Some(time) = time else {
        return ["Y", "M", "D"].get(fields.checked_sub(1)?).copied();
    };
    if let Some((_, fraction)) = time.split_once('.') {
        return Some(match fraction.len() {
            0..=3 => "ms",
            4..=6 => "us",
            7..=9 => "ns",
            10..=12 => "ps",
            13..=15 => "fs",
            _ => "as",
        });
    }
    ["h", "m", "s"].get(time.split(':').count().checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_static_frame_holds_come_back() {
        for tagged in [
            json!(null),
            json!("q"),
            json!(1.0),
            json!({"$tuple": ["a", {"$tuple": [1, null]}, {"$date": "2020-01-31"}]}),
            json!({"$datetime64": ["2012-03", "M"]}),
            json!({"$datetime64": ["2012-03-01T10:00:00.000000000", "ns"]}),
        ] {
            assert_eq!(from_static_frame(&to_static_frame(&tagged).unwrap()), tagged);
        }
    }

    #[test]
    fn names_that_static_frame_would_change_have_no_form() {
        for tagged in [
            json!("np.datetime64('2020')"),
            json!({"$bytes": "AA=="}),
            json!({"$datetime64": ["2012-03-01", "W"]}),
            json!({"$tuple": [{"$np": ["<i8", 3]}]}),
        ] {
            assert_eq!(to_static_frame(&tagged), None, "{tagged}");
        }
    }

    #[test]
    fn both_spellings_of_numpy_are_read() {
        let want = json!({"$datetime64": ["2020-01-01", "D"]});
        assert_eq!(from_static_frame(&json!("numpy.datetime64('2020-01-01')")), want);
        assert_eq!(from_static_frame(&json!("np.datetime64('2020-01-01')")), want);
    }
}
