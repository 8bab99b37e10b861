//! A column of the file: what it is made of, and how each of its leaves is encoded.

use arrow_schema::FieldRef;

use crate::formats::parquet::types::Stored;
use crate::formats::parquet::write::column::Settings;

use super::tree::Tree;

/// How a column gets into the file.
#[derive(Debug)]
pub(super) enum Kind {
    /// As a leaf.
    Leaf(Stored),
    /// A dictionary of values that cannot be a dictionary page, as plain values.
    NonNullValues(Stored),
    /// A dictionary of nested values, as its codes.
    Codes(Stored),
    /// As leaves with levels.
    Nested(Box<Tree>),
}

/// A leaf of a column.
#[derive(Debug)]
pub(super) struct RootLeaf {
    /// Physical type.
    pub(super) physical: i32,
    /// Names from below the schema's root to it.
    pub(super) path: Vec<String>,
    /// Settings of its own.
    pub(super) settings: Option<Box<Settings>>,
}

/// A column of the file.
#[derive(Debug)]
pub(super) struct Root {
    /// Its field.
    pub(super) field: FieldRef,
    /// How it is written.
    pub(super) kind: Kind,
    /// Whether it may have nulls.
    pub(super) optional: bool,
    /// What it is made of.
    pub(super) leaves: Vec<RootLeaf>,
}
