//! Projections of nested columns: those that Python requests, and the paths that a column has.

use std::collections::BTreeMap;

use arrow_schema::DataType;
use colonnade::frame::paths::{LeafProjection, Projection, field_paths};
use colonnade::frame::type_name;
use pyo3::prelude::*;

use crate::errors::IntoPy;

/// The requested paths within columns, by the column's position.
pub(crate) type RequestedPaths = Option<BTreeMap<usize, LeafPaths>>;

/// Paths within one column. A path is the indexes of the children that lead to its end.
pub(crate) type LeafPaths = Vec<Vec<usize>>;

/// Converts the requested paths. `type_of` returns the type of a column.
pub(crate) fn of_paths(
    paths: RequestedPaths,
    type_of: &dyn Fn(usize) -> Option<DataType>,
) -> PyResult<Option<Projection>> {
    paths.map(|paths| Projection::new(&paths, type_of)).transpose().py()
}

/// The projection of a type to the paths `steps`.
fn leaf_projection(data_type: &DataType, steps: Option<&LeafPaths>) -> LeafProjection {
    steps.map_or(LeafProjection::All, |steps| LeafProjection::of(data_type, steps))
}

/// All paths within a column's type, or within its projection to `steps`: text, child indexes, and whether the path ends at
/// a leaf.
pub(crate) fn list_paths(
    data_type: Option<DataType>,
    steps: Option<&LeafPaths>,
) -> Vec<(String, Vec<usize>, bool)> {
    let Some(data_type) = data_type else { return Vec::new() };
    let paths = field_paths(&data_type, &leaf_projection(&data_type, steps));
    paths.into_iter().map(|spot| (spot.path, spot.steps, spot.is_leaf)).collect()
}

/// The name of the projected type.
pub(crate) fn type_name_of(data_type: Option<DataType>, steps: &LeafPaths) -> String {
    data_type
        .map_or_else(String::new, |t| type_name(&leaf_projection(&t, Some(steps)).project_type(&t), false))
}
