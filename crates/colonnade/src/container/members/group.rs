//! Groups: members of equal header. The writer lays them at a constant distance, the reader finds them again.

use crate::frame::{DType, Grid};

/// What members of one group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupKey {
    /// The cells' type.
    pub dtype: DType,
    /// Rows.
    pub nrows: usize,
    /// Columns (1 for 1-D).
    pub width: usize,
    /// Whether the array has two dimensions.
    pub two_dimensional: bool,
    /// Column-major.
    pub fortran_order: bool,
}

/// A group number for each key, in order of first appearance. Frames have few distinct keys: the last ones seen are
/// looked at first.
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

/// One data member as the reader found it.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// Its header.
    pub key: GroupKey,
    /// Offset of its array data.
    pub offset: usize,
    /// Position of its first column in the frame.
    pub position: usize,
}

/// Finds members of equal header at a constant distance and makes them strided grids, each with the positions of its
/// columns. `k` members of `w` columns become the smaller number of grids: one a column of the member, or one a member.
#[must_use]
pub fn grids(found: &[Found]) -> Vec<(Grid, Vec<usize>)> {
    let ids = group_ids(found.iter().map(|f| &f.key));
    let count = ids.iter().max().map_or(0, |m| m + 1);
    // The open run of each group: indices into `found`.
    let mut runs: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut out = Vec::new();
    for (i, (&id, member)) in ids.iter().zip(found).enumerate() {
        let Some(run) = runs.get_mut(id) else { continue };
        let offset = |j: Option<&usize>| j.and_then(|&j| found.get(j)).map(|f| f.offset);
        let fits = match (offset(run.first()), offset(run.get(1)), offset(run.last())) {
            (Some(first), Some(second), Some(last)) => {
                second > first && member.offset.checked_sub(last) == Some(second - first)
            }
            (Some(first), None, _) => member.offset > first,
            _ => true,
        };
        if !fits {
            close(found, run, &mut out);
            run.clear();
        }
        run.push(i);
    }
    for run in &runs {
        close(found, run, &mut out);
    }
    out
}

fn close(found: &[Found], run: &[usize], out: &mut Vec<(Grid, Vec<usize>)>) {
    let members: Vec<&Found> = run.iter().filter_map(|&i| found.get(i)).collect();
    let Some(first) = members.first() else { return };
    let one = |member: &Found| {
        let key = member.key;
        if key.fortran_order {
            Grid::column_major(key.dtype, key.nrows, key.width, member.offset)
        } else {
            Grid::row_major(key.dtype, key.nrows, key.width, member.offset)
        }
    };
    let width = first.key.width;
    if members.len() <= width || members.len() == 1 {
        for member in members {
            out.push((one(member), (member.position..member.position + width).collect()));
        }
        return;
    }
    let distance = members.get(1).map_or(0, |second| second.offset - first.offset);
    for column in 0..width {
        let base = one(first);
        let grid = Grid {
            width: members.len(),
            col_stride: crate::frame::as_stride(distance),
            offset: base.column_offset(column),
            ..base
        };
        out.push((grid, members.iter().map(|m| m.position + column).collect()));
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
        let found: Vec<Found> = (0..6)
            .map(|i| Found { key: key(if i % 2 == 0 { "<f8" } else { "|b1" }, 1), offset: 64 + i * 192, position: i })
            .collect();
        let grids = grids(&found);
        assert_eq!(grids.len(), 2);
        assert_eq!((grids[0].0.width, grids[0].0.col_stride, &grids[0].1), (3, 384, &vec![0, 2, 4]));
    }

    #[test]
    fn a_change_of_distance_or_direction_starts_another() {
        let offsets = [64, 256, 448, 1024, 2048, 64];
        let found: Vec<Found> = offsets
            .iter()
            .enumerate()
            .map(|(i, &offset)| Found { key: key("<f8", 1), offset, position: i })
            .collect();
        let widths: Vec<usize> = grids(&found).iter().map(|(g, _)| g.width).collect();
        assert_eq!(widths, [3, 2, 1]);
    }

    #[test]
    fn wide_members_become_the_fewer_grids() {
        let found: Vec<Found> =
            (0..5).map(|i| Found { key: key("<i8", 2), offset: 64 + i * 192, position: i * 3 }).collect();
        let got = grids(&found);
        assert_eq!(got.len(), 2);
        assert_eq!(got[1].1, [1, 4, 7, 10, 13]);
        assert_eq!((got[1].0.offset, got[1].0.col_stride), (80, 192));
        assert_eq!(grids(&found[..2]).len(), 2);
    }
}
