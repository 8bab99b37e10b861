//! Reads and writes the `colonnade` metadata of schemas and fields.
//!
//! A schema's metadata has what an Arrow schema cannot hold: names, classes, the storage of row and column labels. A
//! field's metadata has the NumPy dtype, if the Arrow type does not determine it, or the adapter's tag.
//!
//! ```text
//! {"version":1, "name":.., "attrs":.., "origin":.., "ncols":3,
//!  "index":   {"class":.., "classes":[..], "name":.., "meta":.., "auto":[start,step] | "levels":[names of their fields]},
//!  "columns": {"class":.., "classes":[..], "name":.., "meta":..,
//!              "auto":[start,stop,step] | "names":{"dtype":"<U5"} | "names":{"type":..,"tag":..} | "stream":"base64"}}
//! ```

use arrow_schema::DataType;
use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::frame::arrow_type;
use crate::frame::{DType, DTypeKind};

/// The key, in schemas and in fields.
pub const KEY: &str = "colonnade";

/// The version that this code writes.
pub const VERSION: u64 = 1;

/// The metadata of a schema.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaMeta {
    /// The version of the metadata.
    pub version: u64,
    /// The name of the frame, in tagged JSON.
    pub name: String,
    /// The user attributes, in tagged JSON.
    pub attrs: Option<String>,
    /// The library and class of the source, in tagged JSON.
    pub origin: Option<String>,
    /// The number of data columns; the fields after them are row label levels.
    pub ncols: usize,
    /// The row labels.
    pub index: SchemaAxisMeta,
    /// The column labels.
    pub columns: SchemaAxisMeta,
}

/// The metadata of one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct SchemaAxisMeta {
    /// The class of the axis.
    pub class: String,
    /// The class of each level.
    pub classes: Vec<String>,
    /// The name, in tagged JSON.
    pub name: String,
    /// The adapter's metadata, in tagged JSON.
    pub meta: Option<String>,
    /// The storage of the labels.
    pub labels: LabelsMeta,
}

/// The storage of an axis' labels.
#[derive(Debug, Clone, PartialEq)]
pub enum LabelsMeta {
    /// A range. Row labels have no stop: the number of rows determines it.
    Auto {
        /// The first label.
        start: i64,
        /// The end, exclusive, in steps; column labels only.
        stop: Option<i64>,
        /// The difference of neighbouring labels; not 0.
        step: i64,
    },
    /// Row labels: the fields with these names, after the data columns.
    Levels(Vec<String>),
    /// Column labels: the names of the fields, as fixed-width text.
    Fixed(DType),
    /// Column labels: the names of the fields, as text in Arrow's layout.
    Text {
        /// `Utf8` or `LargeUtf8`.
        data_type: DataType,
        /// The adapter's tag.
        tag: Option<String>,
    },
    /// Column labels: a base64 stream whose columns are the levels; see [`super::labels`].
    Stream(String),
}

/// The metadata of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldMeta {
    /// The NumPy dtype of a block's column.
    pub dtype: Option<DType>,
    /// The adapter's tag of a column in Arrow's layout, in tagged JSON.
    pub tag: Option<String>,
}

fn malformed(what: &str, found: &Value) -> Error {
    let mut shown = found.to_string();
    if shown.len() > 80 {
        shown = shown.chars().take(77).collect::<String>() + "...";
    }
    Error::malformed("arrow", format!("metadata colonnade: expected {what}, found {shown}."))
}

fn parse_json(text: &str) -> Result<Value> {
    let value: Value = serde_json::from_str(text)
        .map_err(|e| Error::malformed("arrow", format!("metadata colonnade: expected JSON, found {e}.")))?;
    if value.is_object() { Ok(value) } else { Err(malformed("an object", &value)) }
}

fn tagged(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|e| Error::malformed("arrow", format!("a tag is no JSON: {e}.")))
}

fn put(map: &mut Map<String, Value>, key: &str, text: Option<&String>) -> Result<()> {
    if let Some(text) = text {
        map.insert(key.into(), tagged(text)?);
    }
    Ok(())
}

impl SchemaMeta {
    /// Writes the value of the schema's key.
    ///
    /// # Errors
    /// Malformed: a tag is not JSON.
    pub fn to_json(&self) -> Result<String> {
        let mut out = Map::new();
        out.insert("version".into(), json!(self.version));
        out.insert("name".into(), tagged(&self.name)?);
        put(&mut out, "attrs", self.attrs.as_ref())?;
        put(&mut out, "origin", self.origin.as_ref())?;
        out.insert("ncols".into(), json!(self.ncols));
        out.insert("index".into(), self.index.to_value()?);
        out.insert("columns".into(), self.columns.to_value()?);
        Ok(Value::Object(out).to_string())
    }

    /// Reads the value of the schema's key.
    ///
    /// # Errors
    /// Malformed: not JSON, or a key is missing or has another type. Unsupported: a later version.
    pub fn parse(text: &str) -> Result<Self> {
        let root = parse_json(text)?;
        let version =
            root.get("version").and_then(Value::as_u64).ok_or_else(|| malformed("a version", &root))?;
        if version != VERSION {
            let message =
                format!("expected colonnade metadata version {VERSION}, found {version}. Upgrade colonnade.");
            return Err(Error::unsupported("arrow", message));
        }
        let size = |key: &str| usize::try_from(root.get(key)?.as_u64()?).ok();
        let ncols = size("ncols").ok_or_else(|| malformed("ncols, a count", &root))?;
        let side = |key: &str, rows: bool| {
            SchemaAxisMeta::from_value(
                root.get(key).ok_or_else(|| malformed(&format!("a key {key}"), &root))?,
                rows,
            )
        };
        let text = |key: &str| root.get(key).map(Value::to_string);
        Ok(Self {
            version,
            name: text("name").unwrap_or_else(|| "null".into()),
            attrs: text("attrs"),
            origin: text("origin"),
            ncols,
            index: side("index", true)?,
            columns: side("columns", false)?,
        })
    }
}

impl SchemaAxisMeta {
    fn to_value(&self) -> Result<Value> {
        let mut out = Map::new();
        out.insert("class".into(), json!(self.class));
        out.insert("classes".into(), json!(self.classes));
        out.insert("name".into(), tagged(&self.name)?);
        put(&mut out, "meta", self.meta.as_ref())?;
        let (key, value) = match &self.labels {
            LabelsMeta::Auto { start, stop: None, step } => ("auto", json!([start, step])),
            LabelsMeta::Auto { start, stop: Some(stop), step } => ("auto", json!([start, stop, step])),
            LabelsMeta::Levels(names) => ("levels", json!(names)),
            LabelsMeta::Fixed(dtype) => ("names", json!({ "dtype": dtype.descr() })),
            LabelsMeta::Text { data_type, tag } => {
                let mut names = Map::new();
                names.insert("type".into(), arrow_type::to_json(data_type)?);
                put(&mut names, "tag", tag.as_ref())?;
                ("names", Value::Object(names))
            }
            LabelsMeta::Stream(text) => ("stream", json!(text)),
        };
        out.insert(key.into(), value);
        Ok(Value::Object(out))
    }

    fn from_value(value: &Value, rows: bool) -> Result<Self> {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let classes = match value.get("classes") {
            None => Vec::new(),
            Some(list) => {
                let strings = |list: &Value| {
                    list.as_array()?.iter().map(|v| v.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
                };
                strings(list).ok_or_else(|| malformed("classes, a list of names", list))?
            }
        };
        let class = text("class").ok_or_else(|| malformed("a class name", value))?;
        for class in classes.iter().chain([&class]) {
            check_class(class)?;
        }
        Ok(Self {
            class,
            classes,
            name: value.get("name").map_or_else(|| "null".into(), Value::to_string),
            meta: value.get("meta").map(Value::to_string),
            labels: LabelsMeta::from_value(value, rows)?,
        })
    }
}

impl LabelsMeta {
    fn from_value(value: &Value, rows: bool) -> Result<Self> {
        if let Some(auto) = value.get("auto") {
            let numbers: Option<Vec<i64>> =
                auto.as_array().and_then(|a| a.iter().map(Value::as_i64).collect());
            return match (numbers.as_deref(), rows) {
                (Some([start, step @ (..=-1 | 1..)]), true) => {
                    Ok(Self::Auto { start: *start, stop: None, step: *step })
                }
                (Some([start, stop, step @ (..=-1 | 1..)]), false) => {
                    Ok(Self::Auto { start: *start, stop: Some(*stop), step: *step })
                }
                _ => Err(malformed("auto, integers with a step that is not 0", auto)),
            };
        }
        if rows {
            let texts =
                |list: &Vec<Value>| list.iter().map(|name| name.as_str().map(str::to_owned)).collect();
            let levels: Option<Vec<String>> = value.get("levels").and_then(Value::as_array).and_then(texts);
            let levels = levels.filter(|names| !names.is_empty());
            return levels.map(Self::Levels).ok_or_else(|| malformed("auto or levels", value));
        }
        if let Some(stream) = value.get("stream") {
            let text = stream.as_str().ok_or_else(|| malformed("stream, base64 text", stream))?;
            return Ok(Self::Stream(text.to_owned()));
        }
        let names = value.get("names").ok_or_else(|| malformed("auto, names or stream", value))?;
        if let Some(descr) = names.get("dtype") {
            let dtype = descr.as_str().and_then(DType::parse).filter(|d| d.kind == DTypeKind::Unicode);
            return dtype.map(Self::Fixed).ok_or_else(|| malformed("names of a dtype <U", names));
        }
        let data_type = names.get("type").and_then(|t| arrow_type::from_json(t).ok());
        match data_type {
            Some(data_type @ (DataType::Utf8 | DataType::LargeUtf8)) => {
                Ok(Self::Text { data_type, tag: names.get("tag").map(Value::to_string) })
            }
            _ => Err(malformed("names of a text type", names)),
        }
    }
}

impl FieldMeta {
    /// Writes the value of the field's key; `None` if it would be empty.
    ///
    /// # Errors
    /// Malformed: the tag is not JSON.
    pub fn to_json(&self) -> Result<Option<String>> {
        let mut out = Map::new();
        if let Some(dtype) = &self.dtype {
            out.insert("dtype".into(), json!(dtype.descr()));
        }
        put(&mut out, "tag", self.tag.as_ref())?;
        Ok((!out.is_empty()).then(|| Value::Object(out).to_string()))
    }

    /// Reads the value of the field's key.
    ///
    /// # Errors
    /// Malformed: not JSON, or a dtype that NumPy does not have.
    pub fn parse(text: &str) -> Result<Self> {
        let root = parse_json(text)?;
        let dtype = match root.get("dtype") {
            None => None,
            Some(descr) => {
                let dtype = descr.as_str().and_then(DType::parse);
                Some(dtype.ok_or_else(|| malformed("a NumPy dtype without objects", descr))?)
            }
        };
        Ok(Self { dtype, tag: root.get("tag").map(Value::to_string) })
    }
}

/// Checks a class name, which StaticFrame looks up: it has only letters, digits and underscores.
fn check_class(class: &str) -> Result<()> {
    crate::frame::check_class(class).map_err(|_| {
        let message = format!("expected an index class such as Index or IndexDate, found {class:?}.");
        Error::unsupported("arrow", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(labels: LabelsMeta) -> SchemaAxisMeta {
        SchemaAxisMeta {
            class: "Index".into(),
            classes: vec!["Index".into()],
            name: r#"{"$tuple":[1,"a"]}"#.into(),
            meta: Some(r#"{"pandas":[null]}"#.into()),
            labels,
        }
    }

    #[test]
    fn schema_metadata_round_trips() {
        let unicode = DType::parse("<U5").unwrap();
        let sides = [
            (LabelsMeta::Auto { start: 3, stop: None, step: -2 }, LabelsMeta::Fixed(unicode)),
            (
                LabelsMeta::Levels(vec!["k".into(), "l".into()]),
                LabelsMeta::Auto { start: 0, stop: Some(4), step: 1 },
            ),
            (LabelsMeta::Levels(vec!["k".into()]), LabelsMeta::Stream("QUJD".into())),
            (
                LabelsMeta::Levels(vec!["k".into()]),
                LabelsMeta::Text { data_type: DataType::LargeUtf8, tag: Some(r#"{"kind":"object"}"#.into()) },
            ),
        ];
        for (index, columns) in sides {
            let meta = SchemaMeta {
                version: VERSION,
                name: "\"x\"".into(),
                attrs: Some(r#"{"a":1.50}"#.into()),
                origin: None,
                ncols: 4,
                index: axis(index),
                columns: axis(columns),
            };
            assert_eq!(SchemaMeta::parse(&meta.to_json().unwrap()).unwrap(), meta);
        }
        for meta in [
            FieldMeta::default(),
            FieldMeta { dtype: DType::parse(">c16"), tag: None },
            FieldMeta { dtype: None, tag: Some(r#"{"kind":"masked"}"#.into()) },
        ] {
            let text = meta.to_json().unwrap();
            assert_eq!(text.map_or(Ok(FieldMeta::default()), |t| FieldMeta::parse(&t)).unwrap(), meta);
        }
    }

    #[test]
    fn invalid_metadata_is_refused() {
        let good = r#"{"version":1,"name":null,"ncols":1,"index":{"class":"Index","classes":[],"auto":[0,1]},
            "columns":{"class":"Index","classes":["Index"],"names":{"dtype":"<U1"}}}"#;
        SchemaMeta::parse(good).unwrap();
        for (from, to) in [
            ("\"version\":1", "\"version\":2"),
            ("\"version\":1", "\"version\":\"1\""),
            ("\"ncols\":1", "\"ncols\":-1"),
            ("[0,1]", "[0,0]"),
            ("[0,1]", "[0]"),
            ("[0,1]", "[0,99999999999999999999]"),
            ("\"auto\":[0,1]", "\"levels\":0"),
            ("<U1", "<i8"),
            ("<U1", "|O"),
            ("{\"dtype\":\"<U1\"}", "{\"type\":\"int8\"}"),
            ("\"class\":\"Index\"", "\"class\":\"os.system\""),
            ("\"names\"", "\"nothing\""),
        ] {
            let bad = good.replace(from, to);
            assert!(SchemaMeta::parse(&bad).is_err(), "{bad}");
        }
        let deep = "[".repeat(10_000);
        for bad in ["", "[]", "null", r#"{"dtype":"|O"}"#, r#"{"dtype":7}"#, &deep] {
            assert!(FieldMeta::parse(bad).is_err(), "{bad:.20}");
        }
    }
}
