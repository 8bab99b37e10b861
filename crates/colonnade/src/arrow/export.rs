//! Converts a frame to an Arrow schema and arrays, and later chunks of the same layout to arrays of that schema.

mod admit;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32};

use arrow_buffer::Buffer as ArrowBuffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::error::Result;
use crate::frame::{Axis, Block, ByteOrder, Column, DType, Frame, Grid, Labels, Level, Part};
use crate::memory::Buffer;

pub use super::cells::exact_type;
use super::fields::{FieldsBuilder, foreign_metadata};
use super::layout::{self, ColumnLayout, unrepresentable};
use super::meta::{self, FieldMeta, LabelsMeta, SchemaAxisMeta, SchemaMeta};
use super::ordered_categories::CategoryOrders;
use super::pandas::{self, PandasColumn, PandasMetadata};
use super::{gather, labels, names, nullability};

/// Converts frames of one layout to arrays of one schema.
#[derive(Debug)]
pub struct Exporter {
    schema: SchemaRef,
    columns: Vec<ColumnLayout>,
    levels: Vec<ColumnLayout>,
    /// The first chunk's row labels without rows, and its column labels.
    index: Axis,
    axis: Axis,
    /// The next label of an automatic index.
    next: AtomicI64,
    /// The item sizes of fixed-width text, of the widest chunk so far.
    widest: Vec<AtomicU32>,
    orders: CategoryOrders,
    pandas: PandasMetadata,
}

impl Exporter {
    /// An exporter for frames with the layout of `frame`. `total_rows`: the number of rows of all chunks, if known.
    ///
    /// # Errors
    /// `Unrepresentable`: labels or dtypes that Arrow cannot hold.
    pub fn new(frame: &Frame, total_rows: Option<usize>) -> Result<Self> {
        Self::build(frame, total_rows, true)
    }

    /// An exporter whose schema has no metadata, for libraries that only read the fields. The metadata of 10,000 columns
    /// would take a megabyte.
    ///
    /// # Errors
    /// As [`Exporter::new`].
    pub fn without_metadata(frame: &Frame) -> Result<Self> {
        Self::build(frame, None, false)
    }

    fn build(frame: &Frame, total_rows: Option<usize>, with_metadata: bool) -> Result<Self> {
        let (columns, levels) = (layout::columns(frame)?, layout::levels(&frame.index)?);
        let texts = names::texts(&frame.columns)?;
        let level_names = pandas::level_names(&frame.index);
        let level_metas = pandas::level_metas(&frame.index);
        let mut fields = FieldsBuilder::default();
        let (names, are_names) = names::unique(&texts);
        for (layout, name) in columns.iter().zip(names) {
            fields.push(name, layout, None)?;
        }
        for (i, (layout, meta)) in levels.iter().zip(&level_metas).enumerate() {
            let name = fields.level_name(i, level_names.get(i).and_then(Option::as_deref));
            fields.push(name, layout, meta.as_ref())?;
        }
        let mut pandas = pandas::PandasMetadataWriter::new(&frame.columns);
        let described = if with_metadata { columns.len() } else { 0 };
        let entries = fields.list.iter().zip(&columns).enumerate().zip(&texts).take(described);
        for ((position, (field, layout)), text) in entries {
            let tag = fields.tag(position);
            let entry =
                PandasColumn { name: text.as_deref(), column: column_at(frame, position, layout), tag };
            pandas.entry(field, dtype_of(layout), &entry);
        }
        for (i, layout) in levels.iter().enumerate() {
            let column = match &frame.index.labels {
                Labels::Levels(levels) => levels.get(i).and_then(column_of_level),
                Labels::Auto { .. } => None,
            };
            let name = level_names.get(i).and_then(Option::as_deref);
            let position = columns.len() + i;
            if let Some(field) = fields.list.get(position) {
                pandas.entry(
                    field,
                    dtype_of(layout),
                    &PandasColumn { name, column, tag: fields.tag(position) },
                );
            }
        }
        let mut metadata = foreign_metadata(frame.tags.origin.as_deref());
        if with_metadata {
            metadata.insert(meta::KEY, schema_meta(frame, &fields.list, are_names)?.to_json()?);
        }
        let start = match frame.index.labels {
            Labels::Auto { start, .. } => start,
            Labels::Levels(_) => 0,
        };
        let widths = columns.iter().chain(&levels).map(|layout| dtype_of(layout).map_or(0, |d| d.itemsize));
        let mut out = Self {
            widest: widths.map(AtomicU32::new).collect(),
            orders: CategoryOrders::append_only(),
            schema: Arc::new(Schema::new_with_metadata(fields.list, metadata)),
            columns,
            levels,
            index: frame.index.slice(0, 0),
            axis: frame.columns.clone(),
            next: AtomicI64::new(start),
            pandas: pandas.finish(frame.tags.attrs.as_deref()),
        };
        if with_metadata {
            out.schema = out.schema_of(total_rows);
        }
        Ok(out)
    }

    /// Declares columns as non-nullable that the file of these frames declares as required, for consumers that get only
    /// these frames.
    #[must_use]
    pub fn with_required(mut self, frames: &[Arc<Frame>]) -> Self {
        let layouts: Vec<&ColumnLayout> = self.columns.iter().chain(&self.levels).collect();
        if let Some(schema) = nullability::with_nullability(&self.schema, &layouts, frames) {
            self.schema = Arc::new(schema);
        }
        self
    }

    /// Makes fields nullable that are declared as non-nullable but have nulls in these frames: the data counts, not the
    /// metadata.
    #[must_use]
    pub fn with_nulls_of(mut self, frames: &[Arc<Frame>]) -> Self {
        if let Some(schema) = nullability::relax_nullability(&self.schema, frames) {
            self.schema = Arc::new(schema);
        }
        self
    }

    /// Lets chunks have different dictionaries, for formats that store them for each chunk. Only their orders must agree.
    #[must_use]
    pub fn with_own_dictionaries(mut self) -> Self {
        self.orders = CategoryOrders::default();
        self
    }

    /// Replaces the axes.
    pub(super) fn with_axes(self, index: Axis, columns: Axis) -> Self {
        Self { index, axis: columns, ..self }
    }

    /// The layouts of the columns and of the row label levels.
    pub(super) fn layouts(&self) -> (&[ColumnLayout], &[ColumnLayout]) {
        (&self.columns, &self.levels)
    }

    /// The schema, with all metadata.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The final schema, with `total_rows` rows in all, for a footer.
    #[must_use]
    pub fn schema_of(&self, total_rows: Option<usize>) -> SchemaRef {
        let range = match (&self.index.labels, total_rows) {
            (Labels::Auto { start, step, .. }, Some(total)) => {
                let reach = i64::try_from(total).ok().and_then(|n| step.checked_mul(n));
                reach.and_then(|r| start.checked_add(r)).map(|stop| (*start, stop, *step))
            }
            _ => None,
        };
        let name = pandas::level_names(&self.index).into_iter().next().flatten();
        let text = match range {
            Some(range) => self.pandas.with_range(range, name.as_deref()),
            None => {
                let levels = self.schema.fields().iter().skip(self.columns.len());
                self.pandas.with_levels(&levels.map(|f| f.name().as_str()).collect::<Vec<_>>())
            }
        };
        let mut metadata = self.schema.metadata().clone();
        metadata.insert(pandas::KEY, text);
        let mut fields = self.schema.fields().clone();
        for (position, dtype) in self.widened() {
            if let Some(field) = fields.get(position) {
                let text = FieldMeta { dtype: Some(dtype), tag: None }.to_json().ok().flatten();
                let metadata = field.metadata().clone().with(meta::KEY, text.unwrap_or_default());
                let field = field.as_ref().clone().with_metadata(metadata);
                let with = |(i, f): (usize, &Arc<Field>)| {
                    if i == position { Arc::new(field.clone()) } else { Arc::clone(f) }
                };
                fields = fields.iter().enumerate().map(with).collect();
            }
        }
        Arc::new(Schema::new_with_metadata(fields, metadata))
    }

    /// Converts a frame, the first or a later chunk, to arrays: data columns, then row label levels. Packed native columns
    /// are not copied.
    ///
    /// # Errors
    /// As [`Exporter::admit`] and [`Exporter::admitted`].
    pub fn arrays(&self, frame: &Frame) -> Result<Vec<ArrayData>> {
        self.admit(frame)?;
        self.admitted(frame)
    }

    /// Converts an admitted chunk, or some of its rows, to arrays.
    ///
    /// # Errors
    /// `Unrepresentable`: values that the schema's types cannot hold.
    pub fn admitted(&self, frame: &Frame) -> Result<Vec<ArrayData>> {
        let blocks: Vec<Option<(Block, ArrowBuffer)>> =
            frame.parts.iter().map(packed_block).collect::<Result<_>>()?;
        let mut out = Vec::with_capacity(self.columns.len() + self.levels.len());
        let wrong_layout = |position: usize| {
            unrepresentable("is not of the first chunk's layout.".into()).in_member(self.name(position))
        };
        for (position, (slot, layout)) in frame.slots()?.into_iter().zip(&self.columns).enumerate() {
            let array = match (layout, blocks.get(slot.part), frame.parts.get(slot.part)) {
                (ColumnLayout::Native(native), Some(Some((block, whole))), _) => {
                    native.array(block, slot.column, whole).map_err(|e| e.in_member(self.name(position)))?
                }
                (ColumnLayout::Arrow { .. }, _, Some(Part::Column(column, _))) => column.data.clone(),
                _ => return Err(wrong_layout(position)),
            };
            out.push(array);
        }
        if let Labels::Levels(levels) = &frame.index.labels {
            for (level, layout) in levels.iter().zip(&self.levels) {
                let position = out.len();
                out.push(match (level, layout) {
                    (Level::Block(block), ColumnLayout::Native(native)) => native
                        .array(block, 0, &block.buffer.to_arrow())
                        .map_err(|e| e.in_member(self.name(position)))?,
                    (Level::Column(column), ColumnLayout::Arrow { .. }) => column.data.clone(),
                    _ => return Err(wrong_layout(position)),
                });
            }
        }
        if out.len() != self.schema.fields().len() {
            return Err(wrong_layout(out.len()));
        }
        for (position, (array, field)) in out.iter().zip(self.schema.fields()).enumerate() {
            if !field.is_nullable() && array.null_count() > 0 {
                let message = format!(
                    "expected no nulls, as the field is not nullable, found {}. Fill them first.",
                    array.null_count()
                );
                return Err(unrepresentable(message).in_member(self.name(position)));
            }
        }
        Ok(out)
    }

    /// The number of data columns. The other fields are row label levels.
    #[must_use]
    pub fn ncols(&self) -> usize {
        self.columns.len()
    }

    fn name(&self, position: usize) -> String {
        self.schema.fields().get(position).map_or_else(String::new, |f| f.name().clone())
    }
}

/// Returns a block with packed columns in native byte order, copied if necessary, and its buffer as an Arrow buffer.
fn packed_block(part: &Part) -> Result<Option<(Block, ArrowBuffer)>> {
    let Part::Block(block, _) = part else { return Ok(None) };
    let grid = &block.grid;
    let one = Grid { width: grid.width.min(1), ..*grid };
    if one.is_column_major() && grid.dtype.order != ByteOrder::Big || grid.nbytes() == 0 {
        return Ok(Some((block.clone(), block.buffer.to_arrow())));
    }
    let whole = gather::packed(block)?;
    let mut dtype = grid.dtype;
    if dtype.order == ByteOrder::Big {
        dtype.order = ByteOrder::Little;
    }
    let grid = Grid::column_major(dtype, grid.nrows, grid.width, 0);
    Ok(Some((Block { grid, buffer: Buffer::from_arrow(whole.clone()) }, whole)))
}

fn dtype_of(layout: &ColumnLayout) -> Option<DType> {
    match layout {
        ColumnLayout::Native(native) => Some(native.dtype),
        ColumnLayout::Arrow { .. } => None,
    }
}

/// Returns the column at `position` if pandas' metadata needs it.
fn column_at<'f>(frame: &'f Frame, position: usize, layout: &ColumnLayout) -> Option<&'f Column> {
    let ColumnLayout::Arrow { data_type: DataType::Dictionary(..), .. } = layout else { return None };
    frame.parts.iter().find_map(|part| match part {
        Part::Column(column, at) if *at == position => Some(column),
        _ => None,
    })
}

fn column_of_level(level: &Level) -> Option<&Column> {
    match level {
        Level::Column(column) => Some(column),
        Level::Block(_) => None,
    }
}

fn schema_meta(frame: &Frame, fields: &[Field], are_names: bool) -> Result<SchemaMeta> {
    let axis = |axis: &Axis, labels: LabelsMeta| SchemaAxisMeta {
        class: axis.class.clone(),
        classes: axis.classes.clone(),
        name: axis.name.clone(),
        meta: axis.meta.clone(),
        labels,
    };
    let index = match &frame.index.labels {
        Labels::Auto { start, step, .. } => LabelsMeta::Auto { start: *start, stop: None, step: *step },
        Labels::Levels(_) => {
            LabelsMeta::Levels(fields.iter().skip(frame.ncols).map(|field| field.name().clone()).collect())
        }
    };
    let name = if frame.tags.name.is_empty() { "null".to_owned() } else { frame.tags.name.clone() };
    Ok(SchemaMeta {
        version: meta::VERSION,
        name,
        attrs: frame.tags.attrs.clone(),
        origin: frame.tags.origin.clone(),
        ncols: frame.ncols,
        index: axis(&frame.index, index),
        columns: axis(&frame.columns, labels::labels_meta(&frame.columns, are_names)?),
    })
}
