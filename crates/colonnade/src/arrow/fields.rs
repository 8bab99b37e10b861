//! Fields: names, types, nullability and metadata of columns and levels.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{Field, Metadata};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::frame::DType;

use super::layout::ColumnLayout;
use super::meta::{self, FieldMeta};
use super::pandas;

/// Builds the fields of a schema. Thousands of columns share a few kinds of metadata.
#[derive(Default)]
pub(super) struct FieldsBuilder {
    /// The fields.
    pub(super) list: Vec<Field>,
    tags: Vec<Option<Arc<Value>>>,
    dtypes: HashMap<DType, Metadata>,
    parsed: HashMap<String, Arc<Value>>,
}

impl FieldsBuilder {
    /// Adds the field of a column, or of a level with its part of the axis' meta.
    pub(super) fn push(
        &mut self,
        name: String,
        layout: &ColumnLayout,
        level_meta: Option<&Value>,
    ) -> Result<()> {
        let mut field = Field::new(name, layout.data_type().clone(), true);
        let mut tag = level_meta.map(|meta| Arc::new(meta.clone()));
        match layout {
            ColumnLayout::Native(native) => {
                if native.needs_dtype() {
                    field.set_metadata(self.dtype(native.dtype)?);
                }
            }
            ColumnLayout::Arrow { ordered, tag: tag_text, .. } => {
                field = field.with_dict_is_ordered(*ordered);
                if let Some(text) = tag_text {
                    let value = self.parse(text)?;
                    field = tagged(field, text, &value)?;
                    tag = Some(value);
                }
            }
        }
        if let Some((extension, text)) =
            tag.as_ref().and_then(|tag| pandas::extension(field.data_type(), tag))
        {
            // Without our metadata the extension would be read as part of a foreign field.
            if field.metadata().get(meta::KEY).is_none()
                && let ColumnLayout::Native(native) = layout
            {
                field.set_metadata(self.dtype(native.dtype)?);
            }
            field.metadata_mut().insert("ARROW:extension:name", extension);
            field.metadata_mut().insert("ARROW:extension:metadata", text);
        }
        self.list.push(field);
        self.tags.push(tag);
        Ok(())
    }

    fn dtype(&mut self, dtype: DType) -> Result<Metadata> {
        if let Some(metadata) = self.dtypes.get(&dtype) {
            return Ok(metadata.clone());
        }
        let text = FieldMeta { dtype: Some(dtype), tag: None }.to_json()?.unwrap_or_default();
        let metadata = Metadata::new().with(meta::KEY, text);
        self.dtypes.insert(dtype, metadata.clone());
        Ok(metadata)
    }

    fn parse(&mut self, text: &str) -> Result<Arc<Value>> {
        if let Some(value) = self.parsed.get(text) {
            return Ok(Arc::clone(value));
        }
        let value = serde_json::from_str(text);
        let value: Value =
            value.map_err(|e| Error::malformed("arrow", format!("a column's tag is no JSON: {e}.")))?;
        let value = Arc::new(value);
        self.parsed.insert(text.to_owned(), Arc::clone(&value));
        Ok(value)
    }

    /// The tag of a field's column, or its level's meta.
    pub(super) fn tag(&self, position: usize) -> Option<&Value> {
        self.tags.get(position).and_then(Option::as_deref)
    }

    /// The name of a level's field, as pandas names it.
    pub(super) fn level_name(&self, level: usize, name: Option<&str>) -> String {
        let is_used = |name: &str| self.list.iter().any(|field| field.name() == name);
        if let Some(name) = name.filter(|n| !n.is_empty() && !n.contains('\0') && !is_used(n)) {
            return name.to_owned();
        }
        let mut number = level;
        loop {
            let name = format!("__index_level_{number}__");
            if !is_used(&name) {
                return name;
            }
            number += 1;
        }
    }
}

/// Adds the tag of a column to its field. The nullability and metadata of a foreign field are restored, other tags go under
/// our key.
fn tagged(field: Field, text: &str, tag: &Value) -> Result<Field> {
    if tag.get("kind").and_then(Value::as_str) != Some("field") {
        let text = FieldMeta { dtype: None, tag: Some(text.to_owned()) }.to_json()?.unwrap_or_default();
        return Ok(field.with_metadata(Metadata::new().with(meta::KEY, text)));
    }
    let nullable = tag.get("nullable").and_then(Value::as_bool).unwrap_or(true);
    Ok(field.with_nullable(nullable).with_metadata(pairs(tag.get("metadata"))))
}

/// Reads the metadata of a field: our key, or its own metadata and nullability.
pub(super) fn field_meta(field: &Field) -> Result<FieldMeta> {
    let metadata = field.metadata();
    if let Some(text) = metadata.get(meta::KEY) {
        return FieldMeta::parse(text).map_err(|e| e.in_member(field.name().clone()));
    }
    if metadata.is_empty() && field.is_nullable() {
        return Ok(FieldMeta::default());
    }
    let mut pairs: Vec<(&String, &String)> = metadata.iter().collect();
    pairs.sort_unstable();
    let tag = serde_json::json!({"kind": "field", "nullable": field.is_nullable(), "metadata": pairs});
    Ok(FieldMeta { dtype: None, tag: Some(tag.to_string()) })
}

/// `[["key", "value"], ...]`
fn pairs(list: Option<&Value>) -> Metadata {
    let mut out = Metadata::new();
    for pair in list.and_then(Value::as_array).into_iter().flatten() {
        if let Some([Value::String(key), Value::String(value)]) = pair.as_array().map(Vec::as_slice) {
            out.insert(key, value);
        }
    }
    out
}

/// Returns the schema metadata of a foreign file, without the keys that the exporter writes.
pub(super) fn foreign_metadata(origin: Option<&str>) -> Metadata {
    let origin: Option<Value> = origin.and_then(|text| serde_json::from_str(text).ok());
    let mut out = pairs(origin.as_ref().and_then(|o| o.get("schema_metadata")));
    out.remove(meta::KEY);
    out.remove(pandas::KEY);
    out
}
