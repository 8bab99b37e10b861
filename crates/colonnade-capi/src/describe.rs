//! Describes an opened source as JSON.

use std::ffi::c_char;

use colonnade::Result;
use colonnade::formats::{Fact, Facts, Opened, registry};
use serde_json::{Map, Value, json};

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
