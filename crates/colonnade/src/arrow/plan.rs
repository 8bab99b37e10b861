//! Where the fields of a schema belong in a frame, and what its labels are.

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::cells::implied_dtype;
use crate::frame::{Axis, Column, DType, Tags};

/// Where a field belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Data, by position.
    Column(usize),
    /// Level of the row labels.
    Level(usize),
}

/// One field.
#[derive(Debug, Clone)]
pub struct FieldPlan {
    /// Where it belongs.
    pub place: Place,
    /// Its Arrow type.
    pub data_type: DataType,
    /// The NumPy dtype that its own metadata says; see also [`FieldPlan::block_dtype`].
    pub dtype: Option<DType>,
    /// The adapter's tag, tagged JSON.
    pub tag: Option<String>,
    /// Dictionaries only: whether their order means anything.
    pub ordered: bool,
    /// Its name.
    pub name: String,
}

impl FieldPlan {
    /// The dtype of the block that it is where it has no nulls: said, or implied by a type without a tag.
    #[must_use]
    pub fn block_dtype(&self) -> Option<DType> {
        self.dtype.or_else(|| implied_dtype(&self.data_type).filter(|_| self.tag.is_none()))
    }

    /// The column of this field.
    #[must_use]
    pub fn column(&self, data: ArrayData) -> Column {
        Column { ordered: self.ordered, tag: self.tag.clone(), ..Column::new(data) }
    }
}

/// How the fields of a schema become a frame.
#[derive(Debug, Clone)]
pub struct Plan {
    /// One a field, in the schema's order.
    pub fields: Vec<FieldPlan>,
    /// Data columns.
    pub ncols: usize,
    /// Name, attributes, origin.
    pub tags: Tags,
    /// Row labels.
    pub index: IndexPlan,
    /// The labels of rows that were picked out of a range: see [`Plan::pick`].
    pub(crate) picked: Option<Axis>,
    /// Column labels.
    pub columns: Axis,
    /// Version of the `colonnade` metadata; `None` in a foreign schema.
    pub version: Option<u64>,
}

/// Row labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlan {
    /// Class of the whole.
    pub class: String,
    /// Class of each level.
    pub classes: Vec<String>,
    /// Name, tagged JSON.
    pub name: String,
    /// The adapter's own, tagged JSON.
    pub meta: Option<String>,
    /// The labels.
    pub labels: IndexLabels,
}

/// Where row labels come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexLabels {
    /// A range as long as the data.
    Auto {
        /// First label of the first row.
        start: i64,
        /// From one to the next; not 0.
        step: i64,
    },
    /// pandas' descriptor of a range, which may be shorter or longer than the data: see [`Plan::settle`].
    Range {
        /// First label.
        start: i64,
        /// One past the last.
        stop: i64,
        /// From one to the next; not 0.
        step: i64,
    },
    /// So many fields.
    Levels(usize),
}
