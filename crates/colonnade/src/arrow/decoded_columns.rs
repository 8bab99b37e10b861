//! Builds frames from columns that a reader decoded field by field.

use std::borrow::Cow;

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::import::{FieldPlan, FieldRole, FramePlan};
use crate::error::{Error, Result};
use crate::frame::paths::{LeafProjection, Projection};
use crate::frame::{Axis, Block, Column, DType, Frame, Level, Part};

/// Decoded columns: blocks, with the indices of their columns in the list of requested fields, and the other columns.
#[derive(Default)]
pub(crate) struct DecodedColumns {
    pub(crate) blocks: Vec<(Block, Vec<usize>)>,
    pub(crate) columns: Vec<(usize, ArrayData)>,
    /// Whether nothing else uses the memory of the columns that [`is_number`] names.
    pub(crate) exclusive: bool,
}

/// Whether values of this type are numbers or times of a fixed width that NumPy has too.
pub(crate) fn is_number(data_type: &DataType) -> bool {
    let times = matches!(data_type, DataType::Timestamp(..) | DataType::Duration(_));
    times || data_type.is_integer() || data_type.is_floating()
}

/// The requested data columns.
pub(crate) struct ColumnSelection<'r> {
    /// Their fields, each once.
    pub(crate) fields: Vec<usize>,
    /// The requested positions, and the index of each in `fields`; `None`: all columns in their order.
    order: Option<(&'r [usize], Vec<usize>)>,
}

impl FieldPlan {
    /// The dtype of the block that the field is decoded to if it has no nulls. Times become NumPy times only if their
    /// metadata declares it. Times of other libraries stay Arrow times, because a block would be written back as NumPy's.
    pub(crate) fn decoded_dtype(&self) -> Option<DType> {
        let times = matches!(self.data_type, DataType::Timestamp(..) | DataType::Duration(_));
        if times { self.dtype } else { self.block_dtype() }
    }
}

impl FramePlan {
    /// The field of each data column.
    pub(crate) fn column_fields(&self) -> Vec<usize> {
        let mut out = vec![0; self.ncols];
        for (i, field) in self.fields.iter().enumerate() {
            if let FieldRole::Column(position) = field.place
                && let Some(slot) = out.get_mut(position)
            {
                *slot = i;
            }
        }
        out
    }

    /// The type of the column at `position`, if it has no NumPy dtype.
    #[must_use]
    pub fn arrow_type(&self, position: usize) -> Option<DataType> {
        let is = |field: &&FieldPlan| field.place == FieldRole::Column(position);
        // The order of columns is nearly always that of the fields.
        let field = self.fields.get(position).filter(is).or_else(|| self.fields.iter().find(is))?;
        field.block_dtype().is_none().then(|| field.data_type.clone())
    }

    /// Returns the plan for the projected leaves of nested columns, and the projection by field.
    pub(crate) fn projected(&self, projection: Option<&Projection>) -> (Cow<'_, Self>, Option<Projection>) {
        let Some(projection) = projection.filter(|projection| !projection.is_all()) else {
            return (Cow::Borrowed(self), None);
        };
        let mut plan = self.clone();
        let mut by_field = Vec::new();
        for (i, field) in plan.fields.iter_mut().enumerate() {
            let FieldRole::Column(position) = field.place else { continue };
            let leaves = projection.of(position);
            if *leaves != LeafProjection::All {
                field.tag = leaves.project_tag(field.tag.take());
                field.data_type = leaves.project_type(&field.data_type);
                by_field.push((i, leaves.clone()));
            }
        }
        (Cow::Owned(plan), Some(by_field.into_iter().collect()))
    }

    /// The fields of the row labels, level by level.
    pub(crate) fn level_fields(&self) -> Vec<usize> {
        let mut levels: Vec<(usize, usize)> = Vec::new();
        for (i, field) in self.fields.iter().enumerate() {
            if let FieldRole::Level(level) = field.place {
                levels.push((level, i));
            }
        }
        levels.sort_unstable();
        levels.into_iter().map(|(_, field)| field).collect()
    }

    /// Selects the columns at `positions`, which may repeat; `None` selects all.
    ///
    /// # Errors
    /// `NotFound`: a position that does not exist.
    pub(crate) fn chosen<'r>(
        &self,
        format: &'static str,
        positions: Option<&'r [usize]>,
    ) -> Result<ColumnSelection<'r>> {
        let all = self.column_fields();
        let Some(positions) = positions else { return Ok(ColumnSelection { fields: all, order: None }) };
        let mut places = vec![usize::MAX; all.len()];
        let mut fields = Vec::with_capacity(positions.len());
        let mut order = Vec::with_capacity(positions.len());
        for &position in positions {
            let (Some(place), Some(&field)) = (places.get_mut(position), all.get(position)) else {
                let message = format!("column {position} is out of range: there are {} columns.", all.len());
                return Err(Error::not_found(format, message));
            };
            if *place == usize::MAX {
                *place = fields.len();
                fields.push(field);
            }
            order.push(*place);
        }
        Ok(ColumnSelection { fields, order: Some((positions, order)) })
    }

    /// Builds the row labels from the decoded `fields`, those of [`FramePlan::level_fields`].
    ///
    /// # Errors
    /// As [`FramePlan::index_axis`].
    pub(crate) fn decoded_index(
        &self,
        fields: &[usize],
        decoded: DecodedColumns,
        nrows: usize,
    ) -> Result<Axis> {
        let mut levels: Vec<Option<Level>> = vec![None; fields.len()];
        let mut put = |i: usize, level: Level| {
            if let Some(slot) = levels.get_mut(i) {
                *slot = Some(level);
            }
        };
        for (block, members) in decoded.blocks {
            for (column, &i) in members.iter().enumerate() {
                put(i, Level::Block(block.column(column)));
            }
        }
        for (i, data) in decoded.columns {
            if let Some(field) = fields.get(i).and_then(|&f| self.fields.get(f)) {
                put(i, Level::Column(field.column(data)));
            }
        }
        self.index_axis(levels.into_iter().flatten().collect(), nrows, 0)
    }

    /// Builds the frame of the decoded columns and the row labels.
    ///
    /// # Errors
    /// As [`Frame::new`].
    pub(crate) fn decoded_frame(
        &self,
        chosen: &ColumnSelection<'_>,
        decoded: DecodedColumns,
        index: Axis,
    ) -> Result<Frame> {
        let mut parts: Vec<Part> =
            decoded.blocks.into_iter().map(|(block, members)| Part::Block(block, members)).collect();
        for (i, data) in decoded.columns {
            if let Some(field) = chosen.fields.get(i).and_then(|&f| self.fields.get(f)) {
                let exclusive = decoded.exclusive && is_number(&field.data_type);
                parts.push(Part::Column(Column { exclusive, ..field.column(data) }, i));
            }
        }
        let tags = self.tags.clone();
        let Some((positions, order)) = &chosen.order else {
            return Frame::new(index, self.columns.clone(), parts, tags);
        };
        let columns = self.columns.select(positions)?;
        if order.iter().enumerate().all(|(i, &o)| i == o) {
            return Frame::new(index, columns, parts, tags);
        }
        Frame::new(index, Axis::range(chosen.fields.len()), parts, tags)?.select(order, columns)
    }
}
