//! Converts an Arrow schema and arrays to a frame.
//!
//! A [`FramePlan`] is built once for each schema. It converts every batch to a frame, and readers that decode batches elsewhere
//! look up the position of each field in it.

use arrow_data::ArrayData;
use arrow_schema::{DataType, Schema};

pub use super::cells::{exact_type, fill, fits, holds_nulls, implied_dtype, to_block, widen_dtype};
use super::column_labels;
use super::fields::field_meta;
use super::foreign::ForeignSchema;
use super::meta::{FieldMeta, KEY, LabelsMeta, SchemaMeta};
use super::names::{texts, unique};
pub use super::plan::{FieldPlan, FieldRole, FramePlan, IndexLabels, IndexPlan};
use crate::error::{Error, Result};
use crate::frame::{Block, DType, DTypeKind, Frame, Level, Part, Tags};

impl FramePlan {
    /// Reads a schema and its metadata.
    ///
    /// If our metadata has another number of columns, another tool changed the columns and kept the metadata. Such a schema
    /// is foreign.
    ///
    /// # Errors
    /// Malformed or unsupported metadata; a field whose type cannot hold its dtype.
    pub fn new(schema: &Schema) -> Result<Self> {
        let meta = match schema.metadata().get(KEY) {
            None => None,
            Some(text) => Some(SchemaMeta::parse(text)?).filter(|meta| describes(meta, schema)),
        };
        let Some(meta) = meta else { return Self::foreign(schema) };
        let levels: Vec<usize> = (meta.ncols..schema.fields().len()).collect();
        let names: Vec<&str> = schema.fields().iter().take(meta.ncols).map(|f| f.name().as_str()).collect();
        let columns = column_labels::from_meta(&names, &meta.columns)?;
        if matches!(meta.columns.labels, LabelsMeta::Stream(_)) && unique(&texts(&columns)?).0 != names {
            return Self::foreign(schema); // fields were reordered or renamed
        }
        let labels = match meta.index.labels {
            LabelsMeta::Auto { start, step, .. } => IndexLabels::Auto { start, step },
            _ => IndexLabels::Levels(levels.len()),
        };
        if !levels.is_empty() && meta.index.classes.len() != levels.len() {
            let message = format!(
                "metadata colonnade: index: expected a class for each of {} levels, found {}.",
                levels.len(),
                meta.index.classes.len()
            );
            return Err(Error::malformed("arrow", message));
        }
        let SchemaMeta { name, attrs, origin, version, ncols, index, .. } = meta;
        Ok(Self {
            fields: fields(schema, &levels)?,
            ncols,
            tags: Tags { name, attrs, origin },
            index: IndexPlan {
                class: index.class,
                classes: index.classes,
                name: index.name,
                meta: index.meta,
                labels,
            },
            picked: None,
            columns,
            version: Some(version),
        })
    }

    fn foreign(schema: &Schema) -> Result<Self> {
        let ForeignSchema { index, levels, columns_name, tags } = ForeignSchema::of(schema);
        let fields = fields(schema, &levels)?;
        let data = fields.iter().filter(|f| matches!(f.place, FieldRole::Column(_)));
        let names: Vec<&str> = data.map(|f| f.name.as_str()).collect();
        let columns = column_labels::from_names(&names, columns_name)?;
        Ok(Self { ncols: names.len(), tags, index, picked: None, columns, version: None, fields })
    }

    /// Converts a batch to a frame in Arrow's layout, without a copy. `first_row` is the row number of its first row.
    ///
    /// # Errors
    /// Malformed: the number or the length of the arrays does not match the schema and `nrows`.
    pub fn frame(&self, arrays: &[ArrayData], nrows: usize, first_row: usize) -> Result<Frame> {
        self.frame_with(arrays, nrows, first_row, &|i, data| match self.fields.get(i) {
            Some(field) if matches!(field.place, FieldRole::Level(_)) => {
                field.block_dtype().map_or(Ok(None), |dtype| to_block(dtype, data))
            }
            _ => Ok(None),
        })
    }

    /// Converts a batch as [`FramePlan::frame`] does, with fields of a declared dtype as blocks: for one batch of many, of which
    /// the others are unknown.
    ///
    /// # Errors
    /// As [`FramePlan::frame`].
    pub fn batch(&self, arrays: &[ArrayData], nrows: usize, first_row: usize) -> Result<Frame> {
        self.frame_with(arrays, nrows, first_row, &|i, data| {
            let dtype = self.fields.get(i).and_then(|field| match field.place {
                FieldRole::Level(_) => field.block_dtype(),
                FieldRole::Column(_) => field.dtype,
            });
            dtype.map_or(Ok(None), |dtype| to_block(dtype, data))
        })
    }

    /// The declared dtype of each field that has a cell for every row of all `batches`.
    pub(crate) fn shared_dtypes<A: AsRef<[ArrayData]>>(&self, batches: &[A]) -> Vec<Option<DType>> {
        let holds = |i: usize, dtype: DType| {
            batches.iter().all(|arrays| arrays.as_ref().get(i).is_none_or(|data| holds_nulls(dtype, data)))
        };
        self.fields.iter().enumerate().map(|(i, field)| field.dtype.filter(|d| holds(i, *d))).collect()
    }

    /// Converts a batch as [`FramePlan::frame`] does, with the fields for which `block` returns a block.
    pub(crate) fn frame_with(
        &self,
        arrays: &[ArrayData],
        nrows: usize,
        first_row: usize,
        block: &dyn Fn(usize, &ArrayData) -> Result<Option<Block>>,
    ) -> Result<Frame> {
        if arrays.len() != self.fields.len() {
            let message =
                format!("expected {} arrays as the schema has, found {}.", self.fields.len(), arrays.len());
            return Err(Error::malformed("arrow", message));
        }
        let mut parts = Vec::with_capacity(self.ncols);
        let mut levels = vec![None; self.fields.len() - self.ncols];
        for (i, (field, data)) in self.fields.iter().zip(arrays).enumerate() {
            let in_field = |e: Error| e.in_member(field.name.clone());
            if data.len() != nrows {
                let message = format!("expected {nrows} rows as the batch has, found {}.", data.len());
                return Err(in_field(Error::malformed("arrow", message)));
            }
            let block = block(i, data).map_err(in_field)?;
            match field.place {
                FieldRole::Column(position) => parts.push(match block {
                    Some(block) => Part::Block(block, vec![position]),
                    None => Part::Column(field.column(data.clone()), position),
                }),
                FieldRole::Level(level) => {
                    if let Some(slot) = levels.get_mut(level) {
                        let column = || Level::Column(field.column(data.clone()));
                        *slot = Some(block.map_or_else(column, Level::Block));
                    }
                }
            }
        }
        let levels: Vec<Level> = levels.into_iter().flatten().collect();
        let index = self.index_axis(levels, nrows, first_row)?;
        Frame::new(index, self.columns.clone(), parts, self.tags.clone())
    }

    /// Converts all batches to frames. Fields with a declared dtype become blocks. So do row label levels and all fields of
    /// our own schemas, if the type implies a dtype and no batch has a null, which restores the frames that were written.
    ///
    /// # Errors
    /// As [`FramePlan::frame`].
    pub fn frames(&mut self, batches: &[(usize, Vec<ArrayData>)]) -> Result<Vec<Frame>> {
        self.set_nrows(batches.iter().map(|(nrows, _)| nrows).sum());
        let is_colonnade = self.version.is_some();
        let dtype_of = |(i, field): (usize, &FieldPlan)| {
            // Arrow times stay Arrow times: NumPy times would be declared.
            let times = matches!(field.data_type, DataType::Timestamp(..) | DataType::Duration(_));
            let implied = (is_colonnade && !times) || matches!(field.place, FieldRole::Level(_));
            let dtype = if implied { field.block_dtype() } else { field.dtype }?;
            let is_exact =
                batches.iter().all(|(_, arrays)| arrays.get(i).is_none_or(|a| holds_nulls(dtype, a)));
            let all =
                || -> Vec<&ArrayData> { batches.iter().filter_map(|(_, arrays)| arrays.get(i)).collect() };
            is_exact
                .then(|| if dtype.kind == DTypeKind::Unicode { widen_dtype(dtype, &all()) } else { dtype })
        };
        let dtypes: Vec<Option<DType>> = self.fields.iter().enumerate().map(dtype_of).collect();
        let block = |i: usize, data: &ArrayData| match dtypes.get(i) {
            Some(Some(dtype)) => to_block(*dtype, data),
            _ => Ok(None),
        };
        let mut first_row = 0;
        let mut out = Vec::with_capacity(batches.len());
        for (nrows, arrays) in batches {
            out.push(self.frame_with(arrays, *nrows, first_row, &block)?);
            first_row += nrows;
        }
        Ok(out)
    }
}

/// Whether our metadata describes these fields: a tool that adds, drops or reorders fields keeps it unchanged.
fn describes(meta: &SchemaMeta, schema: &Schema) -> bool {
    let levels = if let LabelsMeta::Levels(names) = &meta.index.labels { names.as_slice() } else { &[] };
    let stored = schema.fields().iter().skip(meta.ncols).map(|field| field.name());
    if meta.ncols.checked_add(levels.len()) != Some(schema.fields().len()) || !stored.eq(levels) {
        return false;
    }
    match meta.columns.labels {
        LabelsMeta::Auto { start, step, .. } => {
            let mut label = i128::from(start);
            schema.fields().iter().take(meta.ncols).all(|field| {
                let same = *field.name() == label.to_string();
                label += i128::from(step);
                same
            })
        }
        _ => true,
    }
}

fn fields(schema: &Schema, levels: &[usize]) -> Result<Vec<FieldPlan>> {
    let mut places = vec![None; schema.fields().len()];
    for (level, &field) in levels.iter().enumerate() {
        if let Some(slot) = places.get_mut(field) {
            *slot = Some(level);
        }
    }
    let mut position = 0;
    let mut out = Vec::with_capacity(places.len());
    for (field, level) in schema.fields().iter().zip(places) {
        let place = level.map_or(FieldRole::Column(position), FieldRole::Level);
        position += usize::from(level.is_none());
        let FieldMeta { dtype, tag } = field_meta(field)?;
        // NumPy times have no zone. Only row labels may have one, in their axis' metadata.
        let zoned = matches!(place, FieldRole::Column(_))
            && matches!(field.data_type(), DataType::Timestamp(_, Some(zone)) if !zone.is_empty());
        if let Some(dtype) = dtype
            && (zoned || !fits(dtype, field.data_type()))
        {
            let message = format!(
                "expected an Arrow type that holds the dtype {}, found {}. Drop the field's `colonnade` metadata to read it as it is.",
                dtype.descr(),
                crate::frame::type_name(field.data_type(), false)
            );
            return Err(Error::malformed("arrow", message).in_member(field.name().clone()));
        }
        let (data_type, name) = (field.data_type().clone(), field.name().clone());
        out.push(FieldPlan { place, data_type, dtype, tag, ordered: column_labels::is_ordered(field), name });
    }
    Ok(out)
}
