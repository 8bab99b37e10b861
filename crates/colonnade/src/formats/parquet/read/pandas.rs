//! pandas' metadata, reduced to the projected columns: of 18,000 entries 200 are parsed.

use crate::arrow::scan::{end_of_value, place_of, skip_space, value_of};
use crate::parallel::split_from;

use super::projection::ColumnNames;

/// The key of pandas' metadata in the file's metadata.
pub(crate) const KEY: &str = "pandas";

/// Shorter metadata are parsed whole.
const CUT_FROM_NBYTES: usize = split_from(32 << 10);

/// Returns the columns that hold row labels.
pub(crate) fn index_columns(text: &str) -> Vec<String> {
    let Some(list) = value_of(text, "index_columns") else { return Vec::new() };
    let Ok(serde_json::Value::Array(list)) = serde_json::from_str(list) else { return Vec::new() };
    list.into_iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

/// Returns `text` without the entries of columns that are not in `names`; `None` if `text` is short, or not as pandas writes
/// it.
pub(crate) fn cut(text: &str, names: &ColumnNames<'_>) -> Option<String> {
    if text.len() < CUT_FROM_NBYTES {
        return None;
    }
    let start = place_of(text, "columns")?;
    let (bytes, mut at, mut any) = (text.as_bytes(), start + 1, false);
    let mut out = String::with_capacity(CUT_FROM_NBYTES + 256 * names.len());
    out.push_str(text.get(..start).filter(|_| bytes.get(start) == Some(&b'['))?);
    out.push('[');
    loop {
        at = skip_space(bytes, at);
        match bytes.get(at)? {
            b']' => break,
            b',' => at += 1,
            _ => {
                let end = end_of_value(bytes, at)?;
                let entry = text.get(at..end)?;
                if is_of(entry, names) {
                    if any {
                        out.push(',');
                    }
                    any = true;
                    out.push_str(entry);
                }
                at = end;
            }
        }
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Whether an entry describes a column of `names`.
fn is_of(entry: &str, names: &ColumnNames<'_>) -> bool {
    let Some(name) = value_of(entry, "field_name").or_else(|| value_of(entry, "name")) else { return false };
    match name.strip_prefix('"').and_then(|n| n.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => names.contains(plain),
        _ => serde_json::from_str::<String>(name).is_ok_and(|name| names.contains(name.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_outside_the_projection_are_removed() {
        let entry = |name: &str| {
            format!(
                r#"{{"name": "{name}", "field_name": "{name}", "metadata": {{"a": [1, "]}}\""]}}, "n": null}}"#
            )
        };
        let all: Vec<String> = (0..1000).map(|k| entry(&format!("c{k}"))).collect();
        let text = format!(
            r#"{{"index_columns": ["i", {{"kind": "range"}}], "columns": [{}], "v": 1}}"#,
            all.join(", ")
        );
        let names = ColumnNames::from_iter(["c7", "c999"]);
        let Some(cut) = cut(&text, &names) else { unreachable!() };
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&cut) else { unreachable!() };
        let columns = value["columns"]
            .as_array()
            .map(|list| list.iter().map(|c| c["name"].clone()).collect::<Vec<_>>());
        assert_eq!(columns, Some(vec!["c7".into(), "c999".into()]));
        assert_eq!(value["v"], 1);
        assert_eq!(index_columns(&text), ["i"]);
        for damaged in ["", "{", "[1]", r#"{"columns"#, r#"{"columns": [{"name""#] {
            let long = format!("{damaged}{}", " ".repeat(CUT_FROM_NBYTES));
            assert_eq!(super::cut(&long, &names), None);
        }
    }
}
