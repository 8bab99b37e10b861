//! A column that a pass reads: its place, and what is known of its type.

use super::declared::DeclaredColumn;
use super::kinds::InferredType;

/// A column to read.
#[derive(Clone, Copy)]
pub(super) struct ColumnRequest<'d> {
    /// Its place in a row.
    pub(super) position: usize,
    /// Whether its cells may be instants.
    pub(super) timed: bool,
    /// Whether all of them must be.
    pub(super) must: bool,
    /// The type that it has had so far, or that is declared.
    pub(super) fixed: Option<InferredType>,
    /// Whether it comes in Arrow's layout though it may have no nulls.
    pub(super) arrow: bool,
    /// Its declared type, whose reader takes what does not fit.
    pub(super) declared: Option<&'d DeclaredColumn>,
}

impl<'d> ColumnRequest<'d> {
    /// A column whose type is declared.
    pub(super) fn declared(declared: &'d DeclaredColumn) -> Self {
        let (position, fixed) = (declared.position, declared.kind);
        Self { position, timed: false, must: false, fixed, arrow: true, declared: Some(declared) }
    }
}
