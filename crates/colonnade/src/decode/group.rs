//! Groups of container members with equal header. The writer stores them at a constant distance, and the reader detects
//! that.

use crate::frame::{DType, Grid};

/// The common header of a group's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupKey {
    /// The dtype of the cells.
    pub dtype: DType,
    /// Number of rows.
    pub nrows: usize,
    /// Number of columns (1 for 1-D).
    pub width: usize,
    /// Whether the array has two dimensions.
    pub two_dimensional: bool,
    /// Whether the array is column-major.
    pub fortran_order: bool,
}

impl GroupKey {
    /// Returns the bytes of the array.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.nrows.saturating_mul(self.width).saturating_mul(self.dtype.itemsize as usize)
    }
}

/// Numbers each key's group, in order of first appearance. Frames have few distinct keys, so the keys seen last are
/// compared first.
pub fn group_ids<'k>(keys: impl Iterator<Item = &'k GroupKey>) -> Vec<usize> {
    let mut seen: Vec<GroupKey> = Vec::new();
    let mut hashed: std::collections::HashMap<(DType, usize, usize, bool, bool), usize> = Default::default();
    keys.map(|key| {
        if let Some(found) = seen.iter().take(16).position(|k| k == key) {
            return found;
        }
        let parts = (key.dtype, key.nrows, key.width, key.two_dimensional, key.fortran_order);
        *hashed.entry(parts).or_insert_with(|| {
            seen.push(*key);
            seen.len() - 1
        })
    })
    .collect()
}

/// Detects members with equal header at a constant distance, pushed in order, and combines them into strided grids with the
/// positions of their columns. `k` members of `w` columns become the smaller number of grids: one per column of the member,
/// or one per member.
#[derive(Debug, Default)]
pub struct Groups {
    runs: Vec<Option<MemberRun>>,
    out: Vec<(Grid, Vec<usize>)>,
}

/// Members of one key, so far at a constant distance.
#[derive(Debug)]
struct MemberRun {
    key: GroupKey,
    first: usize,
    last: usize,
    distance: usize,
    positions: Vec<usize>,
}

impl Groups {
    /// Adds the next member. `id`: a small number, equal for equal keys; `offset`: that of its array; `position`: that of
    /// its first column.
    pub fn push(&mut self, id: usize, key: GroupKey, offset: usize, position: usize) {
        if self.runs.len() <= id {
            self.runs.resize_with(id + 1, || None);
        }
        let Some(slot) = self.runs.get_mut(id) else { return };
        if let Some(run) = slot {
            let distance = offset.checked_sub(run.last).filter(|&d| d > 0);
            if distance.is_some_and(|d| run.positions.len() == 1 || d == run.distance) {
                run.distance = offset - run.last;
                run.last = offset;
                run.positions.push(position);
                return;
            }
        }
        if let Some(done) = slot.replace(MemberRun {
            key,
            first: offset,
            last: offset,
            distance: 0,
            positions: vec![position],
        }) {
            close(&done, &mut self.out);
        }
    }

    /// Returns the grids.
    #[must_use]
    pub fn finish(mut self) -> Vec<(Grid, Vec<usize>)> {
        for run in self.runs.iter().flatten() {
            close(run, &mut self.out);
        }
        self.out
    }
}

fn close(run: &MemberRun, out: &mut Vec<(Grid, Vec<usize>)>) {
    let (key, count) = (run.key, run.positions.len());
    let one = |offset: usize| {
        if key.fortran_order {
            Grid::column_major(key.dtype, key.nrows, key.width, offset)
        } else {
            Grid::row_major(key.dtype, key.nrows, key.width, offset)
        }
    };
    if count == 1 || count <= key.width {
        for (i, &position) in run.positions.iter().enumerate() {
            out.push((one(run.first + i * run.distance), (position..position + key.width).collect()));
        }
        return;
    }
    for column in 0..key.width {
        let base = one(run.first);
        let grid = Grid {
            width: count,
            col_stride: crate::frame::as_stride(run.distance),
            offset: base.column_offset(column),
            ..base
        };
        out.push((grid, run.positions.iter().map(|p| p + column).collect()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(descr: &str, width: usize) -> GroupKey {
        let dtype = DType::parse(descr).unwrap();
        GroupKey { dtype, nrows: 2, width, two_dimensional: width > 1, fortran_order: true }
    }

    #[test]
    fn equal_headers_at_a_constant_distance_are_one_grid() {
        let mut groups = Groups::default();
        for i in 0..6 {
            groups.push(i % 2, key(if i % 2 == 0 { "<f8" } else { "|b1" }, 1), 64 + i * 192, i);
        }
        let grids = groups.finish();
        assert_eq!(grids.len(), 2);
        assert_eq!((grids[0].0.width, grids[0].0.col_stride, &grids[0].1), (3, 384, &vec![0, 2, 4]));
    }

    #[test]
    fn a_change_of_distance_or_direction_starts_another_grid() {
        let offsets = [64, 256, 448, 1024, 2048, 64];
        let mut groups = Groups::default();
        offsets.iter().enumerate().for_each(|(i, &offset)| groups.push(0, key("<f8", 1), offset, i));
        let widths: Vec<usize> = groups.finish().iter().map(|(g, _)| g.width).collect();
        assert_eq!(widths, [3, 2, 1]);
    }

    #[test]
    fn wide_members_become_the_fewer_grids() {
        let grids = |count: usize| {
            let mut groups = Groups::default();
            (0..count).for_each(|i| groups.push(0, key("<i8", 2), 64 + i * 192, i * 3));
            groups.finish()
        };
        let got = grids(5);
        assert_eq!(got.len(), 2);
        assert_eq!(got[1].1, [1, 4, 7, 10, 13]);
        assert_eq!((got[1].0.offset, got[1].0.col_stride), (80, 192));
        assert_eq!(grids(2).len(), 2);
    }
}
