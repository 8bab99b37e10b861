//! Reads schemas of other libraries: the row labels in pandas' metadata, and the origin of the frame.
//!
//! Several versions of pandas write this metadata. Unexpected values are ignored, as `pyarrow` does.

use std::collections::HashMap;

use arrow_schema::Schema;
use serde_json::{Value, json};

use super::meta::KEY;
use super::plan::{IndexLabels, IndexPlan};
use super::scan;
use crate::frame::Tags;

/// Key of pandas' metadata.
const PANDAS: &str = "pandas";

/// What this library uses of a foreign schema.
pub(super) struct ForeignSchema {
    /// The row labels.
    pub(super) index: IndexPlan,
    /// The fields of the row label levels, in order.
    pub(super) levels: Vec<usize>,
    /// The name of the column labels, in tagged JSON.
    pub(super) columns_name: String,
    /// The origin.
    pub(super) tags: Tags,
}

impl ForeignSchema {
    /// Reads the metadata of a schema.
    pub(super) fn of(schema: &Schema) -> Self {
        let pandas = schema.metadata().get(PANDAS);
        let parsed = |text: &String| parts(text).or_else(|| lenient(text));
        let value = pandas.and_then(parsed).unwrap_or(Value::Null);
        let mut pairs: Vec<(&String, &String)> =
            schema.metadata().iter().filter(|(k, _)| *k != KEY).collect();
        pairs.sort_unstable();
        let library = if pandas.is_some() { "pandas" } else { "pyarrow" };
        // Written as text at once: the metadata of many columns can take megabytes.
        let pairs = serde_json::to_string(&pairs).unwrap_or_else(|_| "[]".into());
        let origin = format!("{{\"library\":\"{library}\",\"schema_metadata\":{pairs}}}");
        let tags = Tags { name: "null".into(), attrs: None, origin: Some(origin) };
        let (index, levels) = index_of(schema, &value);
        Self { index, levels, columns_name: columns_name(&value), tags }
    }
}

/// Shorter metadata is parsed as a whole.
const LONG_NBYTES: usize = 32 << 10;

/// Parses the needed parts of long metadata. The entries of the columns are parsed only if a level of the row labels is one
/// of them.
fn parts(text: &str) -> Option<Value> {
    if text.len() < LONG_NBYTES {
        return None;
    }
    let part = |key: &str| lenient(scan::value_of(text, key)?);
    let (index, labels) = (part("index_columns")?, part("column_indexes")?);
    let has_stored_levels = index.as_array()?.iter().any(Value::is_string);
    let columns = if has_stored_levels { part("columns")? } else { Value::Null };
    Some(json!({"index_columns": index, "column_indexes": labels, "columns": columns}))
}

/// Parses JSON as Python writes it, with bare words for labels that are NaN or infinite.
fn lenient(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().or_else(|| serde_json::from_str(&without_words(text)).ok())
}

/// Replaces words that are not JSON by null.
fn without_words(text: &str) -> String {
    let (mut out, mut rest, mut quoted) = (String::with_capacity(text.len()), text, false);
    while let Some(first) = rest.chars().next() {
        let word =
            ["NaN", "-Infinity", "Infinity"].into_iter().find(|word| !quoted && rest.starts_with(word));
        let (nbytes, replacement) = match (word, first) {
            (Some(word), _) => (word.len(), "null"),
            // An escaped character does not end a text.
            (None, '\\') if quoted => {
                let length = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
                (length, rest.get(..length).unwrap_or_default())
            }
            _ => {
                quoted ^= first == '"';
                (first.len_utf8(), rest.get(..first.len_utf8()).unwrap_or_default())
            }
        };
        out.push_str(replacement);
        rest = rest.get(nbytes..).unwrap_or_default();
    }
    out
}

fn index_of(schema: &Schema, pandas: &Value) -> (IndexPlan, Vec<usize>) {
    let listed = pandas.get("index_columns").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if let [range] = listed
        && let Some((labels, name)) = range_of(range)
    {
        return (IndexPlan { labels, name, ..automatic() }, Vec::new());
    }
    // A name that two fields have is ambiguous, and ignored.
    let mut places: HashMap<&str, Option<usize>> = HashMap::with_capacity(schema.fields().len());
    for (i, field) in schema.fields().iter().enumerate() {
        places.entry(field.name()).and_modify(|place| *place = None).or_insert(Some(i));
    }
    let mut levels: Vec<usize> = Vec::new();
    for name in listed.iter().filter_map(Value::as_str) {
        match places.get_mut(name).and_then(Option::take) {
            Some(place) => levels.push(place),
            None => return (automatic(), Vec::new()),
        }
    }
    if levels.is_empty() {
        return (automatic(), levels);
    }
    let entries = pandas.get("columns").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let fields: HashMap<&str, &Value> =
        entries.iter().filter_map(|c| Some((c.get("field_name")?.as_str()?, c))).collect();
    let names: Vec<Value> = levels
        .iter()
        .filter_map(|&i| schema.fields().get(i))
        .map(|field| level_name(field.name(), &fields))
        .collect();
    let name = match names.as_slice() {
        [one] => one.to_string(),
        names if names.iter().all(Value::is_null) => "null".into(),
        names => json!({ "$tuple": names }).to_string(),
    };
    let class = if levels.len() == 1 { "Index" } else { "IndexHierarchy" };
    let plan = IndexPlan {
        class: class.into(),
        classes: vec!["Index".into(); levels.len()],
        name,
        meta: None,
        labels: IndexLabels::Levels(levels.len()),
    };
    (plan, levels)
}

fn automatic() -> IndexPlan {
    IndexPlan {
        class: "Index".into(),
        classes: Vec::new(),
        name: "null".into(),
        meta: None,
        labels: IndexLabels::Auto { start: 0, step: 1 },
    }
}

/// Returns the name of a level from its column's entry. Files older than `field_name` only have the name of the field.
fn level_name(field: &str, entries: &HashMap<&str, &Value>) -> Value {
    if let Some(entry) = entries.get(field) {
        return entry.get("name").filter(|n| n.is_string()).cloned().unwrap_or(Value::Null);
    }
    if is_generated_name(field) { Value::Null } else { json!(field) }
}

/// Whether a field's name is generated (`__index_level_0__`), so that the level has no name.
fn is_generated_name(field: &str) -> bool {
    let digits = field.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
}

fn range_of(value: &Value) -> Option<(IndexLabels, String)> {
    if value.get("kind")?.as_str()? != "range" {
        return None;
    }
    let number = |key: &str| value.get(key).and_then(Value::as_i64);
    let (start, stop, step) = (number("start")?, number("stop")?, number("step")?);
    let name = value.get("name").filter(|n| n.is_string()).map_or_else(|| "null".into(), Value::to_string);
    (step != 0).then_some((IndexLabels::Range { start, stop, step }, name))
}

fn columns_name(pandas: &Value) -> String {
    let listed = pandas.get("column_indexes").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let name = |entry: &Value| entry.get("name").filter(|n| n.is_string()).cloned();
    match listed {
        [one] => name(one).map_or_else(|| "null".into(), |n| n.to_string()),
        _ => "null".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_json_words_become_null_outside_strings() {
        let text = r#"{"name": NaN, "a\\\"NaN": [-Infinity, Infinity, 1], "b": "Infinity"}"#;
        let found = lenient(text);
        assert_eq!(found, Some(json!({"name": null, "a\\\"NaN": [null, null, 1], "b": "Infinity"})));
        assert_eq!(lenient("{NaN"), None);
    }
}
