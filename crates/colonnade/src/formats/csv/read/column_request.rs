//! A column that a pass reads: its position, and the constraints on its type.

use super::declared::DeclaredColumn;
use super::kinds::InferredType;

/// A column to read.
#[derive(Clone, Copy)]
pub(super) struct ColumnRequest<'d> {
    /// Its position in a row.
    pub(super) position: usize,
    /// Whether its cells may be instants.
    pub(super) timed: bool,
    /// Whether all its cells must be instants.
    pub(super) must_be_time: bool,
    /// Its type in earlier chunks, or its declared type.
    pub(super) fixed: Option<InferredType>,
    /// Whether it is in Arrow's layout even without nulls.
    pub(super) arrow: bool,
    /// Its declared type. The reader of that type reads cells that the loops of inference refuse.
    pub(super) declared: Option<&'d DeclaredColumn>,
}

impl<'d> ColumnRequest<'d> {
    /// Requests a column whose type is declared.
    pub(super) fn declared(declared: &'d DeclaredColumn) -> Self {
        let (position, fixed) = (declared.position, declared.kind);
        Self { position, timed: false, must_be_time: false, fixed, arrow: true, declared: Some(declared) }
    }
}
