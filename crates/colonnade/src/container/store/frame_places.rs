//! The frame that a set of members describes: everything a place, before any byte moves.

use crate::error::Error;
use crate::frame::{Axis, Part, Tags};

use super::place::{ColumnPlace, LevelPlace, Place};

/// A frame before any byte moves.
#[derive(Debug)]
pub(super) struct FramePlaces {
    pub(super) nrows: usize,
    pub(super) ncols: usize,
    pub(super) parts: Vec<Part<Place, ColumnPlace>>,
    pub(super) index: AxisPlaces,
    pub(super) columns: AxisPlaces,
    pub(super) tags: Tags,
    pub(super) version: Option<u64>,
}

/// The labels of one side.
#[derive(Debug, Clone)]
pub(super) enum AxisPlaces {
    /// Nothing to read.
    Ready(Axis),
    /// Levels; the axis carries class, name and meta, with an empty range for labels.
    Levels(Axis, Vec<LevelPlace>),
    /// A range whose labels are stored too, for readers that do not know it: they must be the same.
    Spelled(Axis, Vec<LevelPlace>),
}

/// Labels that are not the range which the meta data says that they are.
pub(super) fn not_spelled(count: usize) -> Error {
    let message = format!(
        "expected the {count} labels of the range under auto, found others. The file is damaged, or was changed by a program that does not know the range."
    );
    Error::malformed("npz", message)
}

/// Number of labels of one side.
pub(super) fn axis_len(axis: &AxisPlaces) -> usize {
    match axis {
        AxisPlaces::Ready(axis) => axis.len(),
        AxisPlaces::Spelled(axis, _) => axis.len(),
        AxisPlaces::Levels(_, levels) => levels.first().map_or(0, |l| match l {
            LevelPlace::Block(place) => place.grid.nrows,
            LevelPlace::Column(column) => column.spec.length,
        }),
    }
}
