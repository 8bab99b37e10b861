//! Places: the position of each array in the file or in the image that a load makes.

use std::collections::BTreeMap;

use arrow_schema::DataType;

use crate::container::members::{ColumnSpec, MemberName, MemberOwner};
use crate::error::Error;
use crate::frame::Grid;
use crate::frame::paths::LeafProjection;

/// The bytes that an offset refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// The file.
    Source,
    /// The image that a load makes.
    Image,
}

/// Cells in a space.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrayPlace {
    pub(super) space: Space,
    pub(super) grid: Grid,
}

/// A column in Arrow's layout: its buffers by path.
#[derive(Debug, Clone)]
pub(super) struct ColumnPlace {
    pub(super) spec: ColumnSpec,
    pub(super) owner: MemberOwner,
    pub(super) buffers: BTreeMap<String, BufferPlace>,
    /// The requested leaves.
    pub(super) projection: LeafProjection,
}

impl ColumnPlace {
    /// Bytes that checks read: of numbers only the validity.
    pub(super) fn checked_nbytes(&self) -> usize {
        let is_number = self.spec.data_type.primitive_width().is_some();
        let is_read = |path: &str| !is_number || path == "validity";
        let read = self.buffers.iter().filter(|(path, _)| is_read(path.as_ref()));
        read.map(|(_, buffer)| buffer.place.grid.nbytes()).sum()
    }
}

/// One buffer, which is a place of one column.
#[derive(Debug, Clone, Copy)]
pub(super) struct BufferPlace {
    pub(super) place: ArrayPlace,
    /// Byte of the file for messages: the array's first byte, or the member's if it is compressed.
    pub(super) at: u64,
    /// Whether the array is stored unencoded, so that its bytes are bytes of the file.
    pub(super) stored: bool,
}

/// The labels of one level.
#[derive(Debug, Clone)]
pub(super) enum LevelPlace {
    Block(ArrayPlace),
    Column(ColumnPlace),
}

/// Byte ranges of a space that a load touches.
#[derive(Debug, Default)]
pub(super) struct TouchedRanges {
    pub(super) source: Vec<(usize, usize)>,
    pub(super) image: Vec<(usize, usize)>,
}

impl TouchedRanges {
    /// Adds the cells of a grid, column by column if large gaps separate the columns.
    pub(super) fn add(&mut self, place: &ArrayPlace) {
        let ranges = match place.space {
            Space::Source => &mut self.source,
            Space::Image => &mut self.image,
        };
        let grid = place.grid;
        let (low, high) = grid.extent();
        if low == high {
            return;
        }
        let is_dense = high - low <= 2 * grid.nbytes();
        let one = grid.columns(0, 1, 1);
        let (column_low, column_high) = one.extent();
        if is_dense || column_high - column_low > (high - low) / 2 {
            return ranges.push((low, high));
        }
        for column in 0..grid.width {
            ranges.push(grid.columns(column, 1, 1).extent());
        }
    }

    pub(super) fn add_column(&mut self, column: &ColumnPlace) {
        column.buffers.values().for_each(|buffer| self.add(&buffer.place));
    }

    pub(super) fn add_level(&mut self, level: &LevelPlace) {
        match level {
            LevelPlace::Block(place) => self.add(place),
            LevelPlace::Column(column) => self.add_column(column),
        }
    }
}

/// Sorts ranges and merges those with gaps of up to `gap`.
pub(super) fn merge_ranges(mut ranges: Vec<(usize, usize)>, gap: usize) -> Vec<(usize, usize)> {
    ranges.sort_unstable();
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (start, end) in ranges {
        match out.last_mut() {
            Some(last) if start <= last.1 + gap => last.1 = last.1.max(end),
            _ => out.push((start, end)),
        }
    }
    out
}

impl ColumnPlace {
    /// Keeps only the buffers of the requested leaves.
    pub(super) fn project(&mut self, projection: &LeafProjection) {
        self.buffers.retain(|path, _| contains_buffer(projection, path));
        self.projection = projection.clone();
    }

    /// The type's name for messages.
    pub(super) fn type_name(&self) -> String {
        crate::frame::type_name(&self.spec.data_type, self.spec.ordered)
    }

    /// Whether a buffer stores at least a bit for each of `count` values.
    pub(super) fn has_bits_for(&self, count: usize) -> bool {
        self.buffers.values().any(|buffer| buffer.place.grid.nbytes() >= count / 8)
    }

    /// Whether a column of this type may have no buffers.
    pub(super) fn may_have_no_buffers(&self) -> bool {
        matches!(self.spec.data_type, DataType::Null | DataType::Struct(_) | DataType::FixedSizeList(..))
    }

    /// Converts an error at a buffer's path and byte to the member's name and the byte of the file.
    pub(super) fn locate_error(&self, error: Error) -> Error {
        let Some(path) = error.location().member.clone() else { return error };
        let name = MemberName::Arrow(self.owner, path.clone()).text();
        match self.buffers.get(&path) {
            None => error.moved(name, None),
            Some(buffer) => {
                let inside = error.location().offset.filter(|_| buffer.stored).unwrap_or(0);
                error.moved(name, Some(buffer.at.saturating_add(inside)))
            }
        }
    }
}

/// Whether the buffer at `path` (child numbers, then the buffer's name) belongs to the requested leaves.
fn contains_buffer(projection: &LeafProjection, path: &str) -> bool {
    let mut at = projection;
    let mut rest = path;
    while let Some((head, tail)) = rest.split_once('_')
        && let Ok(number) = head.parse::<usize>()
    {
        match at.child(number) {
            Some(inner) => at = inner,
            None => return false,
        }
        rest = tail;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_belong_to_the_child_that_their_path_begins_with() {
        let below = LeafProjection::Some([(1, LeafProjection::All)].into());
        let projection = LeafProjection::Some([(0, below)].into());
        for (path, held) in
            [("validity", true), ("0_offsets", true), ("0_1_values", true), ("0_0_values", false)]
        {
            assert_eq!(contains_buffer(&projection, path), held, "{path}");
        }
        assert!(
            contains_buffer(&projection, "0_1_data_0")
                && !contains_buffer(&projection, "0_2_dictionary_values")
                && !contains_buffer(&projection, "1_values")
        );
    }

    #[test]
    fn ranges_are_joined_over_small_gaps() {
        assert_eq!(merge_ranges(vec![(10, 20), (0, 5), (18, 30), (100, 110)], 8), [(0, 30), (100, 110)]);
    }
}
