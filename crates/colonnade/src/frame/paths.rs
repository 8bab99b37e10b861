//! Projection of nested columns: paths to their fields, and the part of a type or array that a set of paths selects.
//!
//! A path has one step per level: `.name` for a struct's field, `[]` for a list's items or a map's entries, `.key` and `.value`
//! below the `[]` of a map. Run-end encoding adds no step. Unions, dictionaries and leaves have no paths below them and are
//! selected whole.
//!
//! Children are identified by number, in the order of [`children`], because names may be duplicates.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, FieldRef};

use super::{Column, Frame, Part, children, with_children};
use crate::error::{Error, Result};

/// Metadata keys of extension types. A part of an extension type no longer has that type.
const EXTENSION: &str = "ARROW:extension:";

/// The selected part of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeafProjection {
    /// All of it.
    All,
    /// Some of its children, by number; at least one.
    Some(BTreeMap<usize, LeafProjection>),
}

/// A field within a type: its path, and the number of the child at each level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    /// The text that follows the column's label.
    pub path: String,
    /// Child numbers from the root to the field.
    pub steps: Vec<usize>,
    /// Whether no path leads further down.
    pub is_leaf: bool,
}

/// All fields within `data_type` that are selected at least partly, parents before children.
#[must_use]
pub fn field_paths(data_type: &DataType, projection: &LeafProjection) -> Vec<FieldPath> {
    let mut out = Vec::new();
    collect_paths(data_type, projection, "", &mut Vec::new(), &mut out);
    out
}

fn collect_paths(
    data_type: &DataType,
    projection: &LeafProjection,
    path: &str,
    steps: &mut Vec<usize>,
    out: &mut Vec<FieldPath>,
) {
    if let DataType::RunEndEncoded(_, values) = data_type {
        let projection = projection.child(1).unwrap_or(&LeafProjection::All);
        steps.push(1);
        collect_paths(values.data_type(), projection, path, steps, out);
        steps.pop();
        return;
    }
    for (number, name, field) in inner(data_type) {
        let Some(projection) = projection.child(number) else { continue };
        let path = format!("{path}{name}");
        steps.push(number);
        let at = out.len();
        out.push(FieldPath { path: path.clone(), steps: steps.clone(), is_leaf: true });
        // The entries struct of a map is not a level.
        match (data_type, field.data_type()) {
            (DataType::Map(..), DataType::Struct(pair)) => {
                for (place, (field, name)) in pair.iter().zip([".key", ".value"]).enumerate() {
                    let Some(projection) = projection.child(place) else { continue };
                    let path = format!("{path}{name}");
                    steps.push(place);
                    let at = out.len();
                    out.push(FieldPath { path: path.clone(), steps: steps.clone(), is_leaf: true });
                    collect_paths(field.data_type(), projection, &path, steps, out);
                    mark_leaf(out, at);
                    steps.pop();
                }
            }
            (_, data_type) => collect_paths(data_type, projection, &path, steps, out),
        }
        mark_leaf(out, at);
        steps.pop();
    }
}

/// Marks a field as leaf if no fields were added below it.
fn mark_leaf(out: &mut [FieldPath], at: usize) {
    let has_fields = out.len() > at + 1;
    if let Some(field) = out.get_mut(at) {
        field.is_leaf = !has_fields;
    }
}

/// The children that a path can name: number, step and field.
fn inner(data_type: &DataType) -> Vec<(usize, String, &FieldRef)> {
    let fields = children(data_type).into_iter().enumerate();
    match data_type {
        DataType::Struct(_) => fields.map(|(i, field)| (i, format!(".{}", field.name()), field)).collect(),
        DataType::Union(..) => Vec::new(),
        _ => fields.map(|(i, field)| (i, "[]".to_owned(), field)).collect(),
    }
}

impl LeafProjection {
    /// Selects the fields at `steps` of a type; the whole type if one of them does not exist.
    #[must_use]
    pub fn of<S: AsRef<[usize]>>(data_type: &DataType, steps: &[S]) -> Self {
        let lists: Vec<&[usize]> = steps.iter().map(AsRef::as_ref).collect();
        Self::from(data_type, &lists)
    }

    fn from(data_type: &DataType, lists: &[&[usize]]) -> Self {
        // A union cannot be read in part.
        if matches!(data_type, DataType::Union(..)) {
            return Self::All;
        }
        let fields = children(data_type);
        let mut by_child: BTreeMap<usize, Vec<&[usize]>> = BTreeMap::new();
        for list in lists {
            match list.split_first() {
                Some((first, rest)) if *first < fields.len() => {
                    by_child.entry(*first).or_default().push(rest)
                }
                _ => return Self::All,
            }
        }
        let inner = |(child, rest): (usize, Vec<&[usize]>)| {
            (child, fields.get(child).map_or(Self::All, |field| Self::from(field.data_type(), &rest)))
        };
        let mut out: BTreeMap<usize, Self> = by_child.into_iter().map(inner).collect();
        if matches!(data_type, DataType::RunEndEncoded(..)) {
            out.insert(0, Self::All);
            out.entry(1).or_insert(Self::All);
        }
        let whole = out.len() == fields.len() && out.values().all(|inner| *inner == Self::All);
        if whole || out.is_empty() { Self::All } else { Self::Some(out) }
    }

    /// The selected part of child `number`; `None` if nothing of it is selected.
    #[must_use]
    pub fn child(&self, number: usize) -> Option<&Self> {
        match self {
            Self::All => Some(&Self::All),
            Self::Some(children) => children.get(&number),
        }
    }

    /// The selected children of a type, by number. The projected type and the projected arrays are both built from them.
    fn selected_children<'l>(&'l self, data_type: &DataType) -> Vec<(usize, &'l Self)> {
        let count = children(data_type).len();
        let at = |number: usize| (number, self.child(number).unwrap_or(&Self::All));
        match (self, data_type) {
            (Self::Some(children), DataType::Struct(_)) => {
                children.iter().map(|(&number, inner)| (number, inner)).filter(|(n, _)| *n < count).collect()
            }
            (Self::Some(_), DataType::RunEndEncoded(..)) => vec![(0, &Self::All), at(1)],
            (Self::Some(_), DataType::Union(..)) | (Self::All, _) => {
                (0..count).map(|n| (n, &Self::All)).collect()
            }
            (Self::Some(_), _) => (0..count).map(at).collect(),
        }
    }

    /// The projected type.
    #[must_use]
    pub fn project_type(&self, data_type: &DataType) -> DataType {
        if *self == Self::All {
            return data_type.clone();
        }
        let all = children(data_type);
        let selected = self.selected_children(data_type);
        let fields: Vec<FieldRef> =
            selected.iter().filter_map(|(n, inner)| Some(inner.project_field(all.get(*n)?))).collect();
        match (data_type, fields.as_slice()) {
            (DataType::Struct(_), _) => DataType::Struct(fields.into()),
            (DataType::Map(..), [entries]) => {
                let pair = self.child(0).unwrap_or(&Self::All);
                let is_map = pair.child(0) == Some(&Self::All) && pair.child(1).is_some();
                if is_map { with_children(data_type, &fields) } else { DataType::List(Arc::clone(entries)) }
            }
            _ => with_children(data_type, &fields),
        }
    }

    /// This projection relative to the type that `read`, a superset, leaves.
    #[must_use]
    pub fn within(&self, read: &Self) -> Self {
        let Self::Some(children) = self else { return Self::All };
        let Self::Some(read) = read else { return self.clone() };
        let mut out = BTreeMap::new();
        for (place, (number, read)) in read.iter().enumerate() {
            if let Some(child) = children.get(number) {
                out.insert(place, child.within(read));
            }
        }
        let whole = out.len() == read.len() && out.values().all(|inner| *inner == Self::All);
        if whole { Self::All } else { Self::Some(out) }
    }

    /// The projected field, with the same name and nullability.
    #[must_use]
    pub fn project_field(&self, field: &FieldRef) -> FieldRef {
        if *self == Self::All {
            return Arc::clone(field);
        }
        let mut metadata = field.metadata().clone();
        metadata.retain(|key, _| !key.starts_with(EXTENSION));
        let data_type = self.project_type(field.data_type());
        Arc::new(Field::clone(field).with_data_type(data_type).with_metadata(metadata))
    }

    /// The projected array, without copying.
    #[must_use]
    pub fn prune(&self, data: ArrayData) -> ArrayData {
        if *self == Self::All || children(data.data_type()).is_empty() {
            return data;
        }
        let data_type = self.project_type(data.data_type());
        let child = |(n, inner): &(usize, &Self)| Some(inner.prune(data.child_data().get(*n)?.clone()));
        let child_data: Vec<ArrayData> =
            self.selected_children(data.data_type()).iter().filter_map(child).collect();
        let builder = data.into_builder().data_type(data_type).child_data(child_data);
        // SAFETY: buffers, length, offset and validity are those of a valid array. Its projected children are those of the
        // projected type, because `selected_children` lists them for both, and their lengths are unchanged.
        unsafe { builder.build_unchecked() }
    }

    /// The projected column. It loses the tag of the whole column.
    #[must_use]
    pub fn prune_column(&self, column: Column) -> Column {
        if *self == Self::All {
            return column;
        }
        Column { data: self.prune(column.data), tag: self.project_tag(column.tag), ..column }
    }

    /// The tag of the projected column. A field's nullability stays valid; other tags are dropped.
    #[must_use]
    pub fn project_tag(&self, tag: Option<String>) -> Option<String> {
        if *self == Self::All {
            return tag;
        }
        let mut parsed: serde_json::Value = serde_json::from_str(&tag?).ok()?;
        if parsed.get("kind").and_then(serde_json::Value::as_str) != Some("field") {
            return None;
        }
        if let Some(pairs) = parsed.get_mut("metadata").and_then(serde_json::Value::as_array_mut) {
            let key = |pair: &serde_json::Value| pair.get(0)?.as_str().map(|key| key.starts_with(EXTENSION));
            pairs.retain(|pair| key(pair) != Some(true));
        }
        Some(parsed.to_string())
    }
}

/// The projections of nested columns, by position. Other columns are selected whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Projection(BTreeMap<usize, LeafProjection>);

impl FromIterator<(usize, LeafProjection)> for Projection {
    fn from_iter<I: IntoIterator<Item = (usize, LeafProjection)>>(leaves: I) -> Self {
        Self(leaves.into_iter().collect())
    }
}

impl Projection {
    /// Selects the fields at `steps` of each column; `type_of` returns a column's type.
    ///
    /// # Errors
    /// `NotFound`: a position outside the frame, or a column without nested fields.
    pub fn new(
        requested: &BTreeMap<usize, Vec<Vec<usize>>>,
        type_of: &dyn Fn(usize) -> Option<DataType>,
    ) -> Result<Self> {
        let one = |(&position, steps): (&usize, &Vec<Vec<usize>>)| {
            let data_type = type_of(position);
            let data_type = data_type.ok_or_else(|| {
                Error::not_found("frame", format!("column {position} has no nested fields."))
            })?;
            Ok((position, LeafProjection::of(&data_type, steps)))
        };
        requested.iter().map(one).collect::<Result<_>>().map(Self)
    }

    /// The projection of the column at `position`.
    #[must_use]
    pub fn of(&self, position: usize) -> &LeafProjection {
        self.0.get(&position).unwrap_or(&LeafProjection::All)
    }

    /// Whether every column is selected whole.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.0.values().all(|leaves| *leaves == LeafProjection::All)
    }

    /// The projection of a frame of the columns at `positions`; `None`: of all columns.
    #[must_use]
    pub fn selected(&self, positions: Option<&[usize]>) -> Self {
        let Some(positions) = positions else { return self.clone() };
        let places = positions.iter().enumerate();
        places.filter_map(|(i, position)| Some((i, self.0.get(position)?.clone()))).collect()
    }

    /// The columns that are selected in part.
    pub fn parts(&self) -> impl Iterator<Item = (usize, &LeafProjection)> + '_ {
        self.0
            .iter()
            .map(|(&position, leaves)| (position, leaves))
            .filter(|(_, l)| **l != LeafProjection::All)
    }
}

impl Frame {
    /// The type of the column at `position`; `None` unless it is in Arrow's layout.
    #[must_use]
    pub fn arrow_type(&self, position: usize) -> Option<DataType> {
        self.parts.iter().find_map(|part| match part {
            Part::Column(column, at) if *at == position => Some(column.data.data_type().clone()),
            _ => None,
        })
    }

    /// The projected frame, without copying.
    #[must_use]
    pub fn projected(self, projection: &Projection) -> Self {
        if projection.is_all() {
            return self;
        }
        let one = |part: &Part| match part {
            Part::Column(column, position) => {
                Part::Column(projection.of(*position).prune_column(column.clone()), *position)
            }
            Part::Block(block, positions) => Part::Block(block.clone(), positions.clone()),
        };
        let parts = self.parts.iter().map(one).collect();
        self.with_parts(parts)
    }
}

#[cfg(test)]
mod tests;
