//! The plan by which the fields of a schema become a frame, with its labels.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::cells::implied_dtype;
use crate::frame::{Axis, Column, DType, Tags};

/// The position of a field in the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRole {
    /// A data column.
    Column(usize),
    /// A level of the row labels.
    Level(usize),
}

/// One field.
#[derive(Debug, Clone)]
pub struct FieldPlan {
    /// Its position in the frame.
    pub place: FieldRole,
    /// Its Arrow type.
    pub data_type: DataType,
    /// The NumPy dtype in its metadata; see also [`FieldPlan::block_dtype`].
    pub dtype: Option<DType>,
    /// The adapter's tag, tagged JSON.
    pub tag: Option<String>,
    /// For dictionaries: whether their order is significant.
    pub ordered: bool,
    /// Its name.
    pub name: String,
}

impl FieldPlan {
    /// The dtype of the block that the field becomes if it has no nulls: declared, or implied by a type without a tag.
    #[must_use]
    pub fn block_dtype(&self) -> Option<DType> {
        self.dtype.or_else(|| implied_dtype(&self.data_type).filter(|_| self.tag.is_none()))
    }

    /// Builds the column of this field.
    #[must_use]
    pub fn column(&self, data: ArrayData) -> Column {
        Column { ordered: self.ordered, tag: self.tag.clone(), ..Column::new(data) }
    }
}

/// The conversion of a schema's fields to a frame.
#[derive(Debug, Clone)]
pub struct FramePlan {
    /// The plans of the fields, in the schema's order.
    pub fields: Vec<FieldPlan>,
    /// The number of data columns.
    pub ncols: usize,
    /// The name, attributes and origin.
    pub tags: Tags,
    /// The row labels.
    pub index: IndexPlan,
    /// The labels of rows picked from a range; see [`FramePlan::pick`].
    pub(crate) picked: Option<Axis>,
    /// The column labels.
    pub columns: Axis,
    /// The version of the `colonnade` metadata; `None` for a foreign schema.
    pub version: Option<u64>,
}

/// The row labels of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlan {
    /// The class of the axis.
    pub class: String,
    /// The class of each level.
    pub classes: Vec<String>,
    /// The name, in tagged JSON.
    pub name: String,
    /// The adapter's metadata, in tagged JSON.
    pub meta: Option<String>,
    /// The labels.
    pub labels: IndexLabels,
}

/// The source of row labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexLabels {
    /// A range as long as the data.
    Auto {
        /// The label of the first row.
        start: i64,
        /// The difference of neighbouring labels; not 0.
        step: i64,
    },
    /// pandas' descriptor of a range, which may be shorter or longer than the data; see [`FramePlan::set_nrows`].
    Range {
        /// The first label.
        start: i64,
        /// The end, exclusive.
        stop: i64,
        /// The difference of neighbouring labels; not 0.
        step: i64,
    },
    /// Fields, with their number.
    Levels(usize),
}
