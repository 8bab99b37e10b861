//! A frame whose arrays are places in a file or image. Nothing has been read yet.

use crate::error::Error;
use crate::frame::{Axis, Part, Tags};

use super::place::{ArrayPlace, ColumnPlace, LevelPlace};

/// A frame that has not been read: each array is a place.
#[derive(Debug)]
pub(super) struct FramePlaces {
    pub(super) nrows: usize,
    pub(super) ncols: usize,
    pub(super) parts: Vec<Part<ArrayPlace, ColumnPlace>>,
    pub(super) index: AxisPlaces,
    pub(super) columns: AxisPlaces,
    pub(super) tags: Tags,
    pub(super) version: Option<u64>,
}

/// The labels of one side.
#[derive(Debug, Clone)]
pub(super) enum AxisPlaces {
    /// Labels that need no reading.
    Ready(Axis),
    /// Levels to read. The axis has class, name and metadata; its labels are a placeholder.
    Levels(Axis, Vec<LevelPlace>),
    /// A range whose labels are also stored, for readers that do not know the range. Both must agree.
    StoredRange(Axis, Vec<LevelPlace>),
}

/// The error for stored labels that differ from the declared range.
pub(super) fn range_mismatch(count: usize) -> Error {
    let message = format!(
        "expected the {count} labels of the range under auto, found others. The file is damaged, or was changed by a program that does not know the range."
    );
    Error::malformed("npz", message)
}

/// Number of labels of one side.
pub(super) fn axis_len(axis: &AxisPlaces) -> usize {
    match axis {
        AxisPlaces::Ready(axis) => axis.len(),
        AxisPlaces::StoredRange(axis, _) => axis.len(),
        AxisPlaces::Levels(_, levels) => levels.first().map_or(0, |l| match l {
            LevelPlace::Block(place) => place.grid.nrows,
            LevelPlace::Column(column) => column.spec.length,
        }),
    }
}
