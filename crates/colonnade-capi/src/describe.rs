//! Describes an opened source as JSON.

use std::ffi::c_char;

use colonnade::Result;
use colonnade::formats::{Fact, Facts, Opened, registry};
use serde_json::{Map, Value, json};

/// The label that differs least from `name`, if one is near.
pub fn nearest<'l>(name: &str, labels: impl Iterator<Item = &'l String>) -> Option<String> {
    let near = |label: &&String| distance(name, label) * 3 <= name.chars().count().max(3);
    labels.take(10_000).filter(near).min_by_key(|label| distance(name, label)).cloned()
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (y, &up) in b.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(x != *y)).min(up + 1).min(left + 1);
            diagonal = up;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

fn fact(value: &Fact) -> Value {
    match value {
        Fact::None => Value::Null,
        Fact::Bool(value) => json!(value),
        Fact::Int(value) => i64::try_from(*value).map_or_else(|_| json!(value.to_string()), |v| json!(v)),
        Fact::Float(value) => json!(value),
        Fact::Text(value) => json!(value),
        Fact::Bytes(value) => json!(value.escape_ascii().to_string()),
        Fact::Shape(value) => json!(value),
        Fact::Dtype(value) => json!(format!("{value:?}")),
        Fact::List(list) => Value::Array(list.iter().map(fact).collect()),
        Fact::Facts(list) => object(list),
    }
}

fn object(list: &Facts) -> Value {
    Value::Object(list.iter().map(|(name, value)| ((*name).to_owned(), fact(value))).collect::<Map<_, _>>())
}

/// The description, as the text of a JSON object.
///
/// # Errors
/// As [`Opened::shape`].
pub fn describe(opened: &dyn Opened) -> Result<String> {
    let mut out = Map::new();
    out.insert("format".into(), json!(opened.format()));
    out.insert("kind".into(), json!(opened.kind()));
    out.insert("layout".into(), json!(opened.layout()));
    out.insert("version".into(), json!(opened.version()));
    out.insert("file_nbytes".into(), json!(opened.file_nbytes()));
    if opened.kind() == "frame" {
        let (nrows, ncols) = opened.shape()?;
        out.insert("nrows".into(), json!(nrows));
        out.insert("ncols".into(), json!(ncols));
        out.insert("nbytes".into(), json!(opened.nbytes()));
        let names = colonnade::arrow::label_texts(&opened.columns()?)?;
        let column = |(name, dtype): (Option<String>, String)| json!({"name": name, "type": dtype});
        out.insert("columns".into(), names.into_iter().zip(opened.dtypes()?).map(column).collect());
        out.insert("batches".into(), json!(opened.batch_rows()));
    } else {
        out.insert("labels".into(), json!(opened.labels()?));
    }
    out.insert("facts".into(), object(&opened.facts()));
    Ok(Value::Object(out).to_string())
}

/// Describes the formats as the text of a JSON array: `name`, `suffixes`, `capabilities`. Free it with `cn_text_free`.
#[unsafe(no_mangle)]
pub extern "C" fn cn_formats() -> *mut c_char {
    let format = |spec: &colonnade::formats::FormatSpec| {
        let can = spec.capabilities;
        let capabilities = [
            ("incremental", can.incremental),
            ("chunks", can.chunks),
            ("bundle", can.bundle),
            ("messages", can.messages),
            ("directory", can.directory),
            ("compressed", can.compressed),
        ];
        let capabilities: Vec<&str> =
            capabilities.iter().filter(|(_, can)| *can).map(|(name, _)| *name).collect();
        json!({"name": spec.name, "suffixes": spec.suffixes, "capabilities": capabilities})
    };
    let formats: Value = registry().iter().map(|known| format(known.spec())).collect();
    crate::error::c_text(&formats.to_string())
}

/// The version of the library. The text is static.
#[unsafe(no_mangle)]
pub extern "C" fn cn_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_label_is_near() {
        let labels = ["price".to_owned(), "count".to_owned()];
        assert_eq!(nearest("prize", labels.iter()), Some("price".into()));
        assert_eq!(nearest("weather", labels.iter()), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
