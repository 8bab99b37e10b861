//! What lands field by field, as a frame: which fields are asked for, and what they became.

use std::borrow::Cow;

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::import::{FieldPlan, Place, Plan};
use crate::error::{Error, Result};
use crate::frame::paths::{LeafProjection, Projection};
use crate::frame::{Axis, Block, Column, DType, Frame, Level, Part};

/// What landed: blocks with the places of their columns in the list of fields that were wanted, and the rest.
#[derive(Default)]
pub(crate) struct Landed {
    pub(crate) blocks: Vec<(Block, Vec<usize>)>,
    pub(crate) columns: Vec<(usize, ArrayData)>,
    /// Whether the values of those columns that [`is_number`] names are memory of their own.
    pub(crate) exclusive: bool,
}

/// Whether values of this type are numbers or times of one width that NumPy has too.
pub(crate) fn is_number(data_type: &DataType) -> bool {
    let times = matches!(data_type, DataType::Timestamp(..) | DataType::Duration(_));
    times || data_type.is_integer() || data_type.is_floating()
}

/// Data columns that are asked for.
pub(crate) struct Chosen<'r> {
    /// Their fields, each once.
    pub(crate) fields: Vec<usize>,
    /// The positions that were asked for, and the place of each among the fields; `None`: all columns as they stand.
    order: Option<(&'r [usize], Vec<usize>)>,
}

impl FieldPlan {
    /// The dtype of the block that it lands in where it has no nulls. Times that are NumPy's say so; those of other libraries stay
    /// Arrow's, since a block of them would come back as NumPy's.
    pub(crate) fn landing_dtype(&self) -> Option<DType> {
        let times = matches!(self.data_type, DataType::Timestamp(..) | DataType::Duration(_));
        if times { self.dtype } else { self.block_dtype() }
    }
}

impl Plan {
    /// The field of each data column.
    pub(crate) fn column_fields(&self) -> Vec<usize> {
        let mut out = vec![0; self.ncols];
        for (i, field) in self.fields.iter().enumerate() {
            if let Place::Column(position) = field.place
                && let Some(slot) = out.get_mut(position)
            {
                *slot = i;
            }
        }
        out
    }

    /// The type of the column at `position`, where it has no dtype of NumPy's.
    #[must_use]
    pub fn arrow_type(&self, position: usize) -> Option<DataType> {
        let is = |field: &&FieldPlan| field.place == Place::Column(position);
        // Columns stand as their fields do, nearly always.
        let field = self.fields.get(position).filter(is).or_else(|| self.fields.iter().find(is))?;
        field.block_dtype().is_none().then(|| field.data_type.clone())
    }

    /// The plan of the part of nested columns that is wanted, and that part by field.
    pub(crate) fn kept(&self, kept: Option<&Projection>) -> (Cow<'_, Self>, Option<Projection>) {
        let Some(kept) = kept.filter(|kept| !kept.is_all()) else { return (Cow::Borrowed(self), None) };
        let mut plan = self.clone();
        let mut by_field = Vec::new();
        for (i, field) in plan.fields.iter_mut().enumerate() {
            let Place::Column(position) = field.place else { continue };
            let leaves = kept.of(position);
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
            if let Place::Level(level) = field.place {
                levels.push((level, i));
            }
        }
        levels.sort_unstable();
        levels.into_iter().map(|(_, field)| field).collect()
    }

    /// The columns at `positions`, repeats allowed; all where `None`.
    ///
    /// # Errors
    /// `NotFound`: a position that is not there.
    pub(crate) fn chosen<'r>(
        &self,
        format: &'static str,
        positions: Option<&'r [usize]>,
    ) -> Result<Chosen<'r>> {
        let all = self.column_fields();
        let Some(positions) = positions else { return Ok(Chosen { fields: all, order: None }) };
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
        Ok(Chosen { fields, order: Some((positions, order)) })
    }

    /// The row labels that `fields`, those of [`Plan::level_fields`], became.
    ///
    /// # Errors
    /// As [`Plan::index_axis`].
    pub(crate) fn landed_index(&self, fields: &[usize], landed: Landed, nrows: usize) -> Result<Axis> {
        let mut levels: Vec<Option<Level>> = vec![None; fields.len()];
        let mut put = |i: usize, level: Level| {
            if let Some(slot) = levels.get_mut(i) {
                *slot = Some(level);
            }
        };
        for (block, members) in landed.blocks {
            for (column, &i) in members.iter().enumerate() {
                put(i, Level::Block(block.column(column)));
            }
        }
        for (i, data) in landed.columns {
            if let Some(field) = fields.get(i).and_then(|&f| self.fields.get(f)) {
                put(i, Level::Column(field.column(data)));
            }
        }
        self.index_axis(levels.into_iter().flatten().collect(), nrows, 0)
    }

    /// The frame of the columns that landed, beside their row labels.
    ///
    /// # Errors
    /// As [`Frame::new`].
    pub(crate) fn landed_frame(&self, chosen: &Chosen<'_>, landed: Landed, index: Axis) -> Result<Frame> {
        let mut parts: Vec<Part> =
            landed.blocks.into_iter().map(|(block, members)| Part::Block(block, members)).collect();
        for (i, data) in landed.columns {
            if let Some(field) = chosen.fields.get(i).and_then(|&f| self.fields.get(f)) {
                let exclusive = landed.exclusive && is_number(&field.data_type);
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
