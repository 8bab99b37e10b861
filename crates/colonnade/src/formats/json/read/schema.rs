//! Reads pandas' `table` orient: rows with a schema of field names, types and row labels.
//!
//! Specification: Frictionless' Table Schema, <https://specs.frictionlessdata.io/table-schema/>.

use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::Hash;

use arrow_array::{Array as _, Float64Array, Int32Array, Int64Array, LargeStringArray};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, TimeUnit};
use serde_json::{Value, json};

use crate::cells::text;
use crate::cells::text::TextStyle;
use crate::cells::typed::HeaderDictionaries;
use crate::error::{ErrorKind, Result};
use crate::frame::{Axis, Column, Labels, Level};
use crate::infer::columns::BlockOrColumn;

use super::context::Context;
use super::dtypes;
use super::frames::{assemble_columns, levels};
use super::members::ObjectMembers;
use super::orients::rows;
use super::rows::RowContainer;
use super::table::ScannedTable;
use super::typed::feed;
use super::walk::RowForm;
use crate::cells::json::fault::JsonFault;
use crate::cells::json::scan::Scan;
use crate::frame::Frame;

/// Reads the frame of an object of `schema` and `data`. Returns it and its end. Types follow from the cells, except times,
/// categories, numbers and pandas' own dtypes, which follow the schema.
pub(crate) fn frame(context: &Context<'_>, mut scan: Scan<'_>) -> Result<(Frame, usize)> {
    let mut members = context.locate(ObjectMembers::begin(&mut scan, 0, &context.rules))?;
    let (mut schema, mut table) = (None, None);
    while let Some((key, at)) = context.locate(members.next(&mut scan))? {
        match key.as_str() {
            "schema" => {
                let start = scan.at;
                context.locate(scan.value(1, &context.rules))?;
                let found: Value = serde_json::from_str(scan.text(start..scan.at))
                    .map_err(|e| context.error(JsonFault::malformed(start, format!("schema: {e}."))))?;
                schema = Some((start, found));
            }
            "data" => {
                let (found, end) = rows(context, scan.at, (RowContainer::Array, RowForm::Named), 2)?;
                scan.at = end;
                table = Some(found);
            }
            _ => {
                let message = format!("expected \"schema\" and \"data\", found the key {key:?}.");
                return Err(context.error(JsonFault::malformed(at, message)));
            }
        }
    }
    let end = scan.at;
    let missing = |what: &str| {
        context.error(JsonFault::malformed(end, format!("expected a member {what:?}, found none.")))
    };
    let (at, schema) = schema.ok_or_else(|| missing("schema"))?;
    let table = table.ok_or_else(|| missing("data"))?;
    Ok((TableSchema { context, at, schema: &schema }.frame(table)?, end))
}

/// A schema and its position.
struct TableSchema<'a> {
    context: &'a Context<'a>,
    at: usize,
    schema: &'a Value,
}

impl TableSchema<'_> {
    fn schema_error(&self, message: String) -> crate::Error {
        self.context.error(JsonFault::malformed(self.at, format!("schema: {message}")))
    }

    /// Returns the names of the fields that are row labels.
    fn index(&self) -> Result<Vec<String>> {
        let names = match self.schema.get("primaryKey") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::String(name)) => return Ok(vec![name.clone()]),
            Some(names) => {
                names.as_array().and_then(|all| all.iter().map(|n| n.as_str().map(str::to_owned)).collect())
            }
        };
        names.ok_or_else(|| self.schema_error("primaryKey: expected names.".into()))
    }

    fn frame(&self, mut table: ScannedTable) -> Result<Frame> {
        let fields = self.schema.get("fields").and_then(Value::as_array);
        let fields = fields.ok_or_else(|| self.schema_error("expected an array \"fields\".".into()))?;
        let index = self.index()?;
        let rows = table.rows;
        // Fields without a cell in any row are columns too.
        for field in fields {
            let name = field.get("name").and_then(Value::as_str);
            let name =
                name.ok_or_else(|| self.schema_error("expected a field's name that is text.".into()))?;
            if table.keys.place(name).is_none() {
                table.keys.add(name, Value::from(name).to_string().as_bytes());
                table.columns.push(super::frames::null_column(rows)?);
            }
        }
        let (keys, columns) = table.finish(self.context)?;
        let mut found: HashMap<&str, BlockOrColumn> =
            keys.names().iter().map(String::as_str).zip(columns).collect();
        let mut data = Vec::with_capacity(found.len());
        let mut labels = Vec::new();
        for field in fields {
            let name = field.get("name").and_then(Value::as_str).unwrap_or("");
            let Some(column) = found.remove(name) else {
                return Err(self.schema_error(format!("expected every field once, found {name:?} twice.")));
            };
            let column = self.typed(field, name, column)?;
            if index.iter().any(|n| n == name) {
                labels.push((name.to_owned(), column));
            } else {
                data.push((name.to_owned(), column));
            }
        }
        if let Some(name) = found.keys().next() {
            return Err(self.schema_error(format!(
                "expected a field for every key of the rows, found none for {name:?}."
            )));
        }
        if labels.len() != index.len() {
            return Err(self.schema_error(format!("primaryKey: expected names of fields, found {index:?}.")));
        }
        // In the order of the key.
        labels.sort_by_key(|(name, _)| index.iter().position(|n| n == name));
        assemble_columns(rows, data, axis(labels)?)
    }

    /// Converts a column to its type in the schema.
    fn typed(&self, field: &Value, name: &str, column: BlockOrColumn) -> Result<BlockOrColumn> {
        let text = |key: &str| field.get(key).and_then(Value::as_str);
        let data = dtypes::array(&column);
        if let Some(said) = text("extDtype")
            && let Some((data_type, tag)) = dtypes::type_of_ext_dtype(said)
        {
            let found = data.as_ref().map_or("several kinds".to_owned(), |data| data.data_type().to_string());
            let data = data.and_then(|data| dtypes::cast(&data_type, &data)).ok_or_else(|| {
                self.schema_error(format!("{name}: expected cells of extDtype {said}, found {found}."))
            })?;
            if tag.is_none()
                && data.null_count() > 0
                && let Some(floats) = dtypes::nan_for_null(&data)?
            {
                return Ok(floats);
            }
            return Ok(BlockOrColumn::Column(Column { tag: tag.map(Into::into), ..Column::new(data) }));
        }
        let Some(data) = data else { return Ok(column) };
        let is_null = matches!(data.data_type(), DataType::Null);
        let is_text = matches!(data.data_type(), DataType::LargeUtf8 | DataType::Null);
        match text("type") {
            Some("datetime") if is_text => {
                let zone = text("tz").map(|zone| dtypes::arrow_time_zone(zone).into());
                let read = |unit| self.parse_cells(&DataType::Timestamp(unit, zone.clone()), name, &data);
                // Nanoseconds end in 1677 and 2262, microseconds in the year 292,277.
                read(TimeUnit::Nanosecond)
                    .or_else(|_| read(TimeUnit::Microsecond))
                    .or_else(|_| read(TimeUnit::Second))
            }
            Some("string") if is_null => self.parse_cells(&DataType::LargeUtf8, name, &data),
            Some("integer") if is_null && data.is_empty() => dtypes::no_integers(),
            Some("integer") if is_null => self.parse_cells(&DataType::Int64, name, &data),
            Some("boolean") if is_null => self.parse_cells(&DataType::Boolean, name, &data),
            Some("number") => {
                let Some(floats) = dtypes::cast(&DataType::Float64, &data) else { return Ok(column) };
                if text("extDtype").is_none()
                    && floats.null_count() > 0
                    && let Some(floats) = dtypes::nan_for_null(&floats)?
                {
                    return Ok(floats);
                }
                Ok(BlockOrColumn::Column(Column::new(floats)))
            }
            Some("any") => {
                let categories =
                    field.get("constraints").and_then(|c| c.get("enum")).and_then(Value::as_array);
                let Some(categories) = categories else { return Ok(column) };
                let Some(data) = self.categories(name, categories, &data)? else { return Ok(column) };
                let ordered = field.get("ordered").and_then(Value::as_bool) == Some(true);
                Ok(BlockOrColumn::Column(Column { ordered, ..Column::new(data) }))
            }
            _ => Ok(column),
        }
    }

    fn parse_cells(&self, data_type: &DataType, name: &str, data: &ArrayData) -> Result<BlockOrColumn> {
        let field = Field::new(name, data_type.clone(), true);
        let (style, limits) = (TextStyle::json(self.context.format), &self.context.options.limits);
        let mut none = HeaderDictionaries::default();
        let mut reader = text::reader(&field, None, None, style, &mut none, limits)?;
        if !feed(reader.as_mut(), data) {
            let row = reader.len();
            return Err(self.schema_error(format!(
                "{name}: expected cells of the type that the field says, found another in row {row} of \"data\"."
            )));
        }
        Ok(BlockOrColumn::Column(Column::new(reader.finish()?)))
    }

    /// Reads categories of text, integers or floats. Returns `None` for others, and if the cells have another type.
    fn categories(&self, name: &str, categories: &[Value], data: &ArrayData) -> Result<Option<ArrayData>> {
        if let Some(texts) = categories.iter().map(Value::as_str).collect::<Option<Vec<_>>>() {
            let Some(cells) = dtypes::cast(&DataType::LargeUtf8, data) else { return Ok(None) };
            let cells = LargeStringArray::from(cells);
            let values = LargeStringArray::from(texts.clone()).into_data();
            return self.dictionary(name, &texts, cells.iter(), values).map(Some);
        }
        if let Some(integers) = categories.iter().map(Value::as_i64).collect::<Option<Vec<_>>>() {
            let Some(cells) = dtypes::integers(data) else { return Ok(None) };
            let values = Int64Array::from(integers.clone()).into_data();
            return self.dictionary(name, &integers, cells.iter(), values).map(Some);
        }
        let Some(floats) = categories.iter().map(Value::as_f64).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let Some(cells) = dtypes::cast(&DataType::Float64, data) else { return Ok(None) };
        // Categories are compared by their text, which is unique per value; both zeros are equal.
        let text = |value: f64| (value + 0.0).to_string();
        let texts: Vec<String> = floats.iter().copied().map(text).collect();
        let (cells, values) = (Float64Array::from(cells), Float64Array::from(floats).into_data());
        self.dictionary(name, &texts, cells.iter().map(|cell| cell.map(text)), values).map(Some)
    }

    fn dictionary<K: Clone + Debug + Eq + Hash>(
        &self,
        name: &str,
        categories: &[K],
        cells: impl Iterator<Item = Option<K>>,
        values: ArrayData,
    ) -> Result<ArrayData> {
        let places: HashMap<K, i32> = categories.iter().cloned().zip(0..).collect();
        if places.len() < categories.len() {
            return Err(self.schema_error(format!("{name}: expected every category once.")));
        }
        let code = |(row, cell): (usize, Option<K>)| {
            let Some(cell) = cell else { return Ok(None) };
            let found = places.get(&cell).copied().ok_or_else(|| {
                self.schema_error(format!(
                    "{name}: expected one of the categories, found {cell:?} in row {row}."
                ))
            });
            found.map(Some)
        };
        let codes = cells.enumerate().map(code).collect::<Result<Int32Array>>()?.into_data();
        let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(values.data_type().clone()));
        codes.into_builder().data_type(data_type).add_child_data(values).build().map_err(|e| {
            crate::Error::new(
                ErrorKind::Malformed,
                self.context.format,
                format!("Arrow refused {name:?}: {e}."),
            )
        })
    }
}

/// Builds the row labels. The names that pandas gives to unnamed levels become no name.
fn axis(columns: Vec<(String, BlockOrColumn)>) -> Result<Option<Axis>> {
    if columns.is_empty() {
        return Ok(None);
    }
    let depth = columns.len();
    let name = |i: usize, name: &str| match name {
        "index" if depth == 1 => Value::Null,
        _ if depth > 1 && name == format!("level_{i}") => Value::Null,
        _ => Value::from(name),
    };
    let names: Vec<Value> = columns.iter().enumerate().map(|(i, (n, _))| name(i, n)).collect();
    let columns: Vec<BlockOrColumn> = columns.into_iter().map(|(_, column)| column).collect();
    let mut axis = match columns.as_slice() {
        [_] => super::frames::scanned_axis(columns)?,
        _ => levels(
            columns
                .into_iter()
                .map(|column| match column {
                    BlockOrColumn::Block(block) => Level::Block(block),
                    BlockOrColumn::Column(column) => Level::Column(column),
                })
                .collect(),
        ),
    };
    if matches!(axis.labels, Labels::Auto { .. }) && names.iter().all(Value::is_null) {
        return Ok(None);
    }
    axis.name = match names.as_slice() {
        [name] => name.to_string(),
        all if all.iter().all(Value::is_null) => "null".into(),
        all => json!({ "$tuple": all }).to_string(),
    };
    Ok(Some(axis))
}
