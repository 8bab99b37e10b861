//! The header: types, axes, names and categories, which text cannot express. It is a JSON object, the same in every text
//! format.
//!
//! ```text
//! {"version": 1, "orient": "columns", "nrows": 3, "fields": {"x": "double"},
//!  "schema": base64 of an Arrow schema message, "categories": [[...]...]}
//! ```
//!
//! `fields` is for people; readers use `schema`, whose metadata has axes, names and attrs. `categories` has the values of
//! every dictionary, nested dictionaries before the outer one.

use std::collections::HashSet;
use std::fmt::Write as _;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::arrow::export::Exporter;
use crate::arrow::import::FramePlan;
use crate::arrow::ipc;
use crate::arrow::meta::{self, FieldMeta};
use crate::arrow::pandas;
pub use crate::cells::header_key::{self, KEY};
use crate::cells::typed::{HeaderDictionaries, dictionaries_inside, dictionaries_of, dictionary_types};
use crate::error::{Error, ErrorKind, Result};
use crate::excerpt::excerpt;
use crate::frame::{Frame, type_name};
use crate::limits::Limits;

use crate::cells::text;
use crate::cells::text::{TextCell, TextReader, TextStyle, TextWriter};

/// The version that this code writes.
pub const VERSION: u64 = 1;

/// A frame as arrays of one schema.
#[derive(Debug)]
pub struct ExportedFrame {
    /// Fields and Colonnade's metadata, without the metadata for pandas' own reader of Arrow files.
    pub schema: SchemaRef,
    /// Data columns, followed by the levels of the row labels.
    pub arrays: Vec<ArrayData>,
    /// Number of data columns.
    pub ncols: usize,
    /// Number of rows.
    pub nrows: usize,
}

impl ExportedFrame {
    /// Exports the arrays of `frame`.
    ///
    /// # Errors
    /// `Unrepresentable`: labels or dtypes that Arrow cannot hold.
    pub fn new(frame: &Frame) -> Result<Self> {
        let exporter = Exporter::new(frame, Some(frame.nrows))?;
        let schema = exporter.schema();
        let mut metadata = schema.metadata().clone();
        metadata.remove(pandas::KEY);
        let schema = Schema::new_with_metadata(schema.fields().clone(), metadata).into();
        Ok(Self { schema, arrays: exporter.arrays(frame)?, ncols: exporter.ncols(), nrows: frame.nrows })
    }

    /// Returns a unique key for each field: [`keys`].
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        keys(&self.schema)
    }

    /// Creates the writer of each field's cells.
    ///
    /// # Errors
    /// As [`text::writer`], naming the field.
    pub fn writers(&self, style: TextStyle) -> Result<Vec<Box<dyn TextWriter + '_>>> {
        let mut out = Vec::with_capacity(self.arrays.len());
        for (field, data) in self.schema.fields().iter().zip(&self.arrays) {
            let in_field = |e: Error| e.in_member(field.name().clone());
            let numpy_dtype = meta_of_field(field).map_err(in_field)?.dtype;
            out.push(text::writer(field, numpy_dtype, data, style).map_err(in_field)?);
        }
        Ok(out)
    }

    /// Returns the header.
    #[must_use]
    pub fn header(&self, orient: &str) -> TextHeader {
        TextHeader {
            orient: orient.to_owned(),
            nrows: Some(self.nrows),
            schema: self.schema.clone(),
            dictionaries: dictionaries_of(&self.arrays),
            extra: Map::new(),
        }
    }
}

/// Returns the keys of the fields: their unique names. A field with the header's name gets a longer key.
#[must_use]
pub fn keys(schema: &Schema) -> Vec<String> {
    header_key::keys(schema)
}

/// Returns the NumPy dtype and the tag in the field's own metadata.
///
/// # Errors
/// Malformed metadata.
pub fn meta_of_field(field: &Field) -> Result<FieldMeta> {
    field.metadata().get(meta::KEY).map_or_else(|| Ok(FieldMeta::default()), |text| FieldMeta::parse(text))
}

/// The content of a header.
#[derive(Debug, Clone)]
pub struct TextHeader {
    /// The layout of the data, in the format's own word.
    pub orient: String,
    /// Number of rows, if the writer knew it.
    pub nrows: Option<usize>,
    /// Fields and metadata.
    pub schema: SchemaRef,
    /// The values of all dictionaries.
    pub dictionaries: Vec<ArrayData>,
    /// The format's own entries.
    pub extra: Map<String, Value>,
}

fn values_field(values: &DataType) -> Field {
    Field::new("values", values.clone(), true)
}

impl TextHeader {
    /// Formats the header as one line of JSON.
    ///
    /// # Errors
    /// `Unrepresentable`: categories that are not text.
    pub fn to_json(&self, style: TextStyle) -> Result<String> {
        let style = TextStyle::json(style.format);
        let quoted = |text: &str| Value::from(text).to_string();
        let mut out = format!(r#"{{"version":{VERSION},"orient":{}"#, quoted(&self.orient));
        if let Some(nrows) = self.nrows {
            let _ = write!(out, r#","nrows":{nrows}"#);
        }
        out.push_str(r#","fields":{"#);
        for (i, (key, field)) in keys(&self.schema).iter().zip(self.schema.fields()).enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let ordered = field.dict_is_ordered() == Some(true);
            let dtype = meta_of_field(field)?.dtype.map(|d| d.descr());
            let name = dtype.unwrap_or_else(|| type_name(field.data_type(), ordered));
            let _ = write!(out, "{comma}{}:{}", quoted(key), quoted(&name));
        }
        ipc::check_depth(&self.schema).map_err(|e| e.in_format(style.format))?;
        let schema = STANDARD.encode(ipc::schema_bytes(&self.schema)?);
        let _ = write!(out, r#"}},"schema":"{schema}","categories":["#);
        for (i, values) in self.dictionaries.iter().enumerate() {
            out.push_str(if i == 0 { "[" } else { ",[" });
            let writer = text::writer(&values_field(values.data_type()), None, values, style)?;
            let mut text = Vec::new();
            for row in 0..values.len() {
                if row > 0 {
                    text.push(b',');
                }
                writer.write(row, &mut text)?;
            }
            out.push_str(&String::from_utf8_lossy(&text));
            out.push(']');
        }
        out.push(']');
        for (key, value) in &self.extra {
            let _ = write!(out, ",{}:{value}", quoted(key));
        }
        out.push('}');
        Ok(out)
    }

    /// Parses a header. Errors have no place, because only the caller knows the place of `text`.
    ///
    /// # Errors
    /// Malformed; an unknown version; over the limit.
    pub fn parse(text: &str, style: TextStyle, limits: &Limits) -> Result<Self> {
        let style = TextStyle::json(style.format);
        let malformed = |message: String| Error::malformed(style.format, format!("header: {message}"));
        if text.len() as u64 > limits.max_meta_nbytes {
            let message = format!(
                "header: {} bytes, the limit is {}. Raise max_meta_nbytes to read it.",
                text.len(),
                limits.max_meta_nbytes
            );
            return Err(Error::limit(style.format, message));
        }
        let value: Value = serde_json::from_str(text).map_err(|e| malformed(format!("{e}.")))?;
        let Value::Object(mut entries) = value else {
            return Err(malformed("expected an object.".into()));
        };
        let mut take = |key: &str| {
            entries
                .shift_remove(key)
                .ok_or_else(|| malformed(format!("expected an entry {key:?}, found none.")))
        };
        let version = take("version")?;
        if version != json!(VERSION) {
            let message = format!("header: expected version {VERSION}, found {version}. Upgrade colonnade.");
            return Err(Error::unsupported(style.format, message));
        }
        let (orient, schema) = (take("orient")?, take("schema")?);
        let orient = orient.as_str().ok_or_else(|| malformed("orient: expected text.".into()))?.to_owned();
        let schema = schema.as_str().ok_or_else(|| malformed("schema: expected base64 text.".into()))?;
        let schema =
            STANDARD.decode(schema).map_err(|e| malformed(format!("schema: expected base64: {e}.")))?;
        let schema = ipc::schema_of(&schema, limits).map_err(|e| match e.kind() {
            ErrorKind::LimitExceeded => Error::limit(style.format, format!("header: schema: {e}")),
            ErrorKind::Unsupported => Error::unsupported(style.format, format!("header: schema: {e}")),
            _ => malformed(format!("schema: {e}")),
        })?;
        let columns = schema.fields().len() as u64;
        if columns > limits.max_columns {
            let message = format!(
                "{columns} columns, the limit is {}. Raise max_columns to read it.",
                limits.max_columns
            );
            return Err(Error::limit(style.format, message));
        }
        if let Some(key) = repeated(&keys(&schema)) {
            let message = format!("schema: expected each field once, found {} twice.", excerpt(&key));
            return Err(malformed(message));
        }
        let nrows = match entries.shift_remove("nrows") {
            None => None,
            Some(found) => {
                let count = found.as_u64().and_then(|n| usize::try_from(n).ok());
                Some(count.ok_or_else(|| malformed(format!("nrows: expected a count, found {found}.")))?)
            }
        };
        let categories = entries.shift_remove("categories").unwrap_or(Value::Array(Vec::new()));
        let dictionaries = dictionaries(&schema, &categories, style, limits)?;
        entries.shift_remove("fields");
        Ok(Self { orient, nrows, schema, dictionaries, extra: entries })
    }

    /// Returns the plan that turns the fields into a frame.
    ///
    /// # Errors
    /// Malformed or unsupported metadata.
    pub fn plan(&self) -> Result<FramePlan> {
        FramePlan::new(&self.schema)
    }

    /// Creates the reader of each field's cells; `plan` is [`TextHeader::plan`].
    ///
    /// # Errors
    /// As [`text::reader`], naming the field.
    pub fn readers(
        &self,
        plan: &FramePlan,
        style: TextStyle,
        limits: &Limits,
    ) -> Result<Vec<Box<dyn TextReader>>> {
        let mut dictionaries = HeaderDictionaries::of(self.dictionaries.clone());
        let pairs = self.schema.fields().iter().zip(&plan.fields);
        let reader = |(field, field_plan): (&arrow_schema::FieldRef, &crate::arrow::import::FieldPlan)| {
            text::reader(field, field_plan.dtype, field_plan.tag.as_deref(), style, &mut dictionaries, limits)
                .map_err(|e| e.in_member(field.name().clone()))
        };
        pairs.map(reader).collect()
    }

    /// Builds the frame from the readers' arrays.
    ///
    /// # Errors
    /// Malformed: arrays whose length differs from `nrows`, or from each other without `nrows`.
    pub fn frame(&self, mut plan: FramePlan, arrays: Vec<ArrayData>) -> Result<Frame> {
        let none = || Error::malformed("arrow", "expected a frame, found none.");
        let nrows = self.nrows.or_else(|| arrays.first().map(ArrayData::len)).unwrap_or(0);
        plan.frames(&[(nrows, arrays)])?.pop().ok_or_else(none)
    }
}

/// Returns a key that another field has too.
fn repeated(keys: &[String]) -> Option<String> {
    let mut seen = HashSet::with_capacity(keys.len());
    keys.iter().find(|key| !seen.insert(key.as_str())).cloned()
}

/// Parses the values of all dictionaries of a schema.
fn dictionaries(schema: &Schema, found: &Value, style: TextStyle, limits: &Limits) -> Result<Vec<ArrayData>> {
    let malformed =
        |message: String| Error::malformed(style.format, format!("header: categories: {message}"));
    let lists = found.as_array().ok_or_else(|| malformed("expected an array.".into()))?;
    let types = dictionary_types(schema.fields());
    if lists.len() != types.len() {
        let message =
            format!("expected {} arrays, one a field of categories, found {}.", types.len(), lists.len());
        return Err(malformed(message));
    }
    let mut out: Vec<ArrayData> = Vec::with_capacity(types.len());
    for (i, (values, list)) in types.into_iter().zip(lists).enumerate() {
        let list = list.as_array().ok_or_else(|| malformed(format!("[{i}]: expected an array.")))?;
        let inside = dictionaries_inside(values);
        let mut inner = HeaderDictionaries::of(out.iter().skip(i.saturating_sub(inside)).cloned().collect());
        let mut reader = text::reader(&values_field(values), None, None, style, &mut inner, limits)?;
        for (row, value) in list.iter().enumerate() {
            let text;
            let cell = match value {
                Value::Null => TextCell::Null,
                Value::Bool(value) => TextCell::Bool(*value),
                Value::String(text) => TextCell::Str(text),
                Value::Number(number) => {
                    text = number.to_string();
                    TextCell::Number(&text)
                }
                other => {
                    text = other.to_string();
                    TextCell::Raw(&text)
                }
            };
            reader.push(cell).map_err(|e| malformed(format!("[{i}][{row}]{}: {}", e.path, e.message)))?;
        }
        out.push(reader.finish()?);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{Array, DictionaryArray, Float64Array, Int32Array, StructArray};

    use super::*;

    const STYLE: TextStyle = TextStyle::json("json");

    fn header() -> TextHeader {
        let codes = [Some("x"), None, Some("y")].into_iter().collect::<DictionaryArray<Int8Type>>();
        let member = Field::new("m", codes.data_type().clone(), true);
        let values = StructArray::new(vec![member].into(), vec![Arc::new(codes)], None);
        let outer = DictionaryArray::new(Int32Array::from(vec![2, 2, 0, 1]), Arc::new(values)).to_data();
        let numbers = Float64Array::from(vec![1.0, f64::NAN, 2.0, 3.0]).to_data();
        let fields = vec![
            Field::new("a \"b\"", outer.data_type().clone(), true),
            Field::new("__colonnade__", numbers.data_type().clone(), true),
        ];
        TextHeader {
            orient: "columns".into(),
            nrows: Some(4),
            schema: Schema::new(fields).into(),
            dictionaries: dictionaries_of(&[outer, numbers]),
            extra: [("delimiter".to_owned(), json!(";"))].into_iter().collect(),
        }
    }

    #[test]
    fn headers_come_back() {
        let header = header();
        let text = header.to_json(STYLE).unwrap();
        assert!(text.starts_with(
            r#"{"version":1,"orient":"columns","nrows":4,"fields":{"a \"b\"":"dictionary<int32, struct<"#
        ));
        assert!(text.contains(r#""__colonnade___":"double"}"#), "{text}");
        assert!(text.contains(r#""categories":[["x","y"],[{"m":0},{"m":null},{"m":1}]]"#), "{text}");
        let found = TextHeader::parse(&text, STYLE, &Limits::default()).unwrap();
        assert_eq!(
            (&found.schema, found.nrows, &found.orient, &found.extra),
            (&header.schema, header.nrows, &header.orient, &header.extra)
        );
        assert_eq!(found.dictionaries, header.dictionaries);
        assert_eq!(found.to_json(STYLE).unwrap(), text);
    }

    #[test]
    fn broken_headers_are_refused() {
        let text = header().to_json(STYLE).unwrap();
        for (from, to, expected) in [
            ("\"version\":1", "\"version\":2", "expected version 1, found 2. Upgrade colonnade."),
            ("\"version\":1,", "", "expected an entry \"version\", found none."),
            ("\"nrows\":4", "\"nrows\":-4", "nrows: expected a count, found -4."),
            ("\"orient\":\"columns\"", "\"orient\":7", "orient: expected text."),
            ("\"schema\":\"", "\"schema\":\"?", "schema: expected base64"),
            ("\"schema\":\"////", "\"schema\":\"AAAA", "schema: "),
            ("[\"x\",\"y\"],", "", "categories: expected 2 arrays, one a field of categories, found 1."),
            ("[\"x\",\"y\"]", "[\"x\",1]", "categories: [0][1]: expected utf8, found 1."),
            ("{\"m\":1}", "{\"m\":2}", "categories: [1][2].m: expected a code of one of 2 categories"),
            ("{\"version\"", "[{\"version\"", "header: "),
        ] {
            let broken = text.replacen(from, to, 1);
            assert_ne!(broken, text, "{from}");
            let error = TextHeader::parse(&broken, STYLE, &Limits::default()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let limits = Limits { max_columns: 1, ..Limits::default() };
        assert!(matches!(
            TextHeader::parse(&text, STYLE, &limits).unwrap_err().kind(),
            ErrorKind::LimitExceeded
        ));
    }

    #[test]
    fn a_field_that_is_there_twice_is_refused() {
        let field = |name: &str| Field::new(name, DataType::Int64, true);
        let schema: SchemaRef = Schema::new(vec![field("a"), field("b"), field("a")]).into();
        let text = TextHeader { schema, dictionaries: Vec::new(), ..header() }.to_json(STYLE).unwrap();
        let error = TextHeader::parse(&text, STYLE, &Limits::default()).unwrap_err().to_string();
        assert!(error.contains("schema: expected each field once, found \"a\" twice."), "{error}");
    }
}
