//! A column of the file: its leaves, and their encodings.

use arrow_schema::FieldRef;

use crate::formats::parquet::types::LeafType;
use crate::formats::parquet::write::column::Settings;

use super::tree::Tree;

/// How a column is stored.
#[derive(Debug)]
pub(super) enum RootStorage {
    /// As a leaf.
    Leaf(LeafType),
    /// As the plain values of a dictionary whose values cannot form a dictionary page.
    PlainValues(LeafType),
    /// As the codes of a dictionary of nested values.
    Codes(LeafType),
    /// As leaves with levels.
    Nested(Box<Tree>),
}

/// A leaf of a column.
#[derive(Debug)]
pub(super) struct ColumnLeaf {
    /// Physical type.
    pub(super) physical: i32,
    /// Names of the path from below the root of the schema.
    pub(super) path: Vec<String>,
    /// Settings, if they differ from the default.
    pub(super) settings: Option<Box<Settings>>,
}

/// A column of the file.
#[derive(Debug)]
pub(super) struct FileColumn {
    /// The Arrow field.
    pub(super) field: FieldRef,
    /// How the column is stored.
    pub(super) kind: RootStorage,
    /// Whether the column is nullable.
    pub(super) optional: bool,
    /// The leaves.
    pub(super) leaves: Vec<ColumnLeaf>,
}
