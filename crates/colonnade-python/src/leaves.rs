//! Parts of nested columns: what Python asks for, and what there is to ask for.

use std::collections::BTreeMap;

use arrow_schema::DataType;
use colonnade::frame::paths::{Kept, Leaves, spots};
use colonnade::frame::type_name;
use pyo3::prelude::*;

use crate::errors::IntoPy;

/// Places within each column by position: numbers of the children that lead there.
pub(crate) type Asked = Option<BTreeMap<usize, Steps>>;

/// Places within one column.
pub(crate) type Steps = Vec<Vec<usize>>;

/// What is kept, of columns whose types `type_of` answers.
pub(crate) fn kept(asked: Asked, type_of: &dyn Fn(usize) -> Option<DataType>) -> PyResult<Option<Kept>> {
    asked.map(|asked| Kept::new(&asked, type_of)).transpose().py()
}

/// The part of a type that is kept.
fn part(data_type: &DataType, steps: Option<&Steps>) -> Leaves {
    steps.map_or(Leaves::All, |steps| Leaves::of(data_type, steps))
}

/// All places within a column's type, or the part of it at `steps`: path, children that lead there, whether nothing is below.
pub(crate) fn listed(data_type: Option<DataType>, steps: Option<&Steps>) -> Vec<(String, Vec<usize>, bool)> {
    let Some(data_type) = data_type else { return Vec::new() };
    let found = spots(&data_type, &part(&data_type, steps));
    found.into_iter().map(|spot| (spot.path, spot.steps, spot.is_leaf)).collect()
}

/// The name of the type that is left.
pub(crate) fn named(data_type: Option<DataType>, steps: &Steps) -> String {
    data_type.map_or_else(String::new, |t| type_name(&part(&t, Some(steps)).kept_type(&t), false))
}
