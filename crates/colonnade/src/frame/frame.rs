//! The frame: blocks and columns with their positions, row labels and column labels.

use std::sync::LazyLock;

use crate::error::{Error, Result};

use super::{Axis, Block, Column, Grid, Labels, Level};

/// A block or a column, with its positions in the frame.
#[derive(Debug, Clone)]
pub enum Part<B = Block, C = Column> {
    /// A block; `positions[i]` is the position of its column `i`.
    Block(B, Vec<usize>),
    /// A column in Arrow's layout and its position.
    Column(C, usize),
}

/// The part and column of a position.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// Index into the parts.
    pub part: usize,
    /// Column of the block; 0 for a column in Arrow's layout.
    pub column: usize,
}

/// Name, attributes and origin of a frame, in tagged JSON that the core does not interpret.
#[derive(Debug, Clone, Default)]
pub struct Tags {
    /// The frame's name.
    pub name: String,
    /// User attributes.
    pub attrs: Option<String>,
    /// Library and class of the source object.
    pub origin: Option<String>,
}

impl Tags {
    /// Tags without name, attributes and origin.
    #[must_use]
    pub fn unnamed() -> &'static Self {
        static UNNAMED: LazyLock<Tags> = LazyLock::new(|| Tags { name: "null".into(), ..Tags::default() });
        &UNNAMED
    }
}

/// An immutable frame. Slicing and selecting columns copies no data.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Rows.
    pub nrows: usize,
    /// Columns.
    pub ncols: usize,
    /// Row labels.
    pub index: Axis,
    /// Column labels.
    pub columns: Axis,
    /// Blocks and columns, which together cover each position once.
    pub parts: Vec<Part>,
    /// Name, attributes, origin.
    pub tags: Tags,
}

impl Frame {
    /// Checks that axes, parts and positions agree.
    ///
    /// # Errors
    /// Malformed, naming the length or position that disagrees.
    pub fn new(index: Axis, columns: Axis, parts: Vec<Part>, tags: Tags) -> Result<Self> {
        let (nrows, ncols) = (index.len(), columns.len());
        for part in &parts {
            let (rows, first) = match part {
                Part::Block(block, positions) => (block.grid.nrows, positions.first()),
                Part::Column(column, position) => (column.len(), Some(position)),
            };
            if rows != nrows {
                let at = first.map_or(String::new(), |p| format!("column {p}: "));
                return Err(Error::malformed(
                    "frame",
                    format!("{at}expected {nrows} rows, the length of the index, found {rows}."),
                ));
            }
        }
        slots(&parts, ncols)?;
        Ok(Self { nrows, ncols, index, columns, parts, tags })
    }

    /// The part and column of each position.
    ///
    /// # Errors
    /// Malformed: a position is missing, duplicate or out of range.
    pub fn slots(&self) -> Result<Vec<Slot>> {
        slots(&self.parts, self.ncols)
    }

    /// Rows `start..stop`, without copying.
    #[must_use]
    pub fn slice(&self, start: usize, stop: usize) -> Self {
        let parts = self.parts.iter().map(|part| match part {
            Part::Block(b, positions) => Part::Block(
                Block { grid: b.grid.rows(start, stop), buffer: b.buffer.clone() },
                positions.clone(),
            ),
            Part::Column(column, position) => Part::Column(column.slice(start, stop), *position),
        });
        Self {
            nrows: stop - start,
            index: self.index.slice(start, stop),
            parts: parts.collect(),
            ..self.clone_without_parts()
        }
    }

    /// The columns at `positions` in that order, without copying. Positions may repeat; `columns` are the new labels.
    ///
    /// # Errors
    /// `NotFound` for a position outside the frame.
    pub fn select(&self, positions: &[usize], columns: Axis) -> Result<Self> {
        let parts = select(&self.parts, &self.slots()?, positions, |block, grid| Block {
            grid: grid(&block.grid),
            buffer: block.buffer.clone(),
        })?;
        Ok(Self { ncols: positions.len(), columns, parts, ..self.clone_without_parts() })
    }

    /// Bytes of data and labels.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        let data: usize = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Block(block, _) => block.grid.nbytes(),
                Part::Column(column, _) => column.nbytes(),
            })
            .sum();
        data + self.index.nbytes() + self.columns.nbytes()
    }

    /// The columns in Arrow's layout by position, then the levels of row labels in Arrow's layout, with positions after all
    /// columns.
    pub fn arrow_columns(&self) -> impl Iterator<Item = (usize, &Column)> + '_ {
        let columns = self.parts.iter().filter_map(|part| match part {
            Part::Column(column, position) => Some((*position, column)),
            Part::Block(..) => None,
        });
        let levels = if let Labels::Levels(levels) = &self.index.labels { levels.as_slice() } else { &[] };
        let levels = (self.ncols..).zip(levels).filter_map(|(position, level)| match level {
            Level::Column(column) => Some((position, column)),
            Level::Block(_) => None,
        });
        columns.chain(levels)
    }

    /// The frame with other parts, which must have the same rows and positions.
    pub(crate) fn with_parts(&self, parts: Vec<Part>) -> Self {
        Self { parts, ..self.clone_without_parts() }
    }

    fn clone_without_parts(&self) -> Self {
        Self {
            nrows: self.nrows,
            ncols: self.ncols,
            index: self.index.clone(),
            columns: self.columns.clone(),
            parts: Vec::new(),
            tags: self.tags.clone(),
        }
    }
}

/// The part and column of each of `ncols` positions.
///
/// # Errors
/// Malformed: a position is missing, duplicate or out of range.
pub fn slots<B, C>(parts: &[Part<B, C>], ncols: usize) -> Result<Vec<Slot>> {
    const FREE: usize = usize::MAX;
    if let [Part::Block(_, positions)] = parts
        && positions.len() == ncols
        && positions.iter().enumerate().all(|(i, &p)| i == p)
    {
        return Ok((0..ncols).map(|column| Slot { part: 0, column }).collect());
    }
    let mut slots = vec![Slot { part: FREE, column: 0 }; ncols];
    let mut filled = 0;
    for (index, part) in parts.iter().enumerate() {
        let one;
        let positions: &[usize] = match part {
            Part::Block(_, positions) => positions,
            Part::Column(_, position) => {
                one = [*position];
                &one
            }
        };
        for (column, &position) in positions.iter().enumerate() {
            match slots.get_mut(position) {
                Some(slot) if slot.part == FREE => *slot = Slot { part: index, column },
                Some(_) => {
                    return Err(Error::malformed("frame", format!("column {position} is given twice.")));
                }
                None => {
                    let message =
                        format!("column {position} is out of range: the frame has {ncols} columns.");
                    return Err(Error::malformed("frame", message));
                }
            }
            filled += 1;
        }
    }
    if filled == ncols {
        return Ok(slots);
    }
    let missing = slots.iter().position(|s| s.part == FREE).unwrap_or(0);
    Err(Error::malformed(
        "frame",
        format!("column {missing} is missing: {filled} of {ncols} columns were given."),
    ))
}

/// Parts with the columns at `positions`, in that order. Columns of a block with a constant distance stay one block.
///
/// # Errors
/// `NotFound` for a position outside the frame.
pub fn select<B, C: Clone>(
    parts: &[Part<B, C>],
    slots: &[Slot],
    positions: &[usize],
    cut: impl Fn(&B, &dyn Fn(&Grid) -> Grid) -> B,
) -> Result<Vec<Part<B, C>>> {
    let mut by_part: Vec<Vec<(usize, usize)>> = vec![Vec::new(); parts.len()];
    for (new, &old) in positions.iter().enumerate() {
        let slot = slots.get(old).ok_or_else(|| {
            Error::not_found(
                "frame",
                format!("column {old} is out of range: there are {} columns.", slots.len()),
            )
        })?;
        if let Some(list) = by_part.get_mut(slot.part) {
            list.push((slot.column, new));
        }
    }
    let mut out = Vec::new();
    for (part, list) in parts.iter().zip(by_part) {
        match part {
            Part::Column(column, _) => {
                out.extend(list.iter().map(|&(_, new)| Part::Column(column.clone(), new)))
            }
            Part::Block(block, _) => {
                for (first, step, run) in column_runs(&list) {
                    let grid = |g: &Grid| g.columns(first, run.len(), step);
                    out.push(Part::Block(cut(block, &grid), run.iter().map(|&(_, new)| new).collect()));
                }
            }
        }
    }
    Ok(out)
}

/// First column, distance between columns, and the (column, new position) pairs.
type ColumnRun<'l> = (usize, isize, &'l [(usize, usize)]);

/// Splits a list of (column, new position) where the distance between columns changes: (first column, distance, run).
fn column_runs(mut list: &[(usize, usize)]) -> Vec<ColumnRun<'_>> {
    let mut out = Vec::new();
    while let Some(&(first, _)) = list.first() {
        let distance =
            |a: usize, b: usize| super::block::as_stride(b).wrapping_sub(super::block::as_stride(a));
        let step = list.get(1).map_or(1, |&(second, _)| distance(first, second));
        let mut length = list.len().min(2);
        while let (Some(&(a, _)), Some(&(b, _))) = (list.get(length - 1), list.get(length)) {
            if distance(a, b) != step {
                break;
            }
            length += 1;
        }
        let (run, rest) = list.split_at(length);
        out.push((first, step, run));
        list = rest;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::DType;
    use crate::memory::Buffer;

    fn frame() -> Frame {
        let dtype = DType::parse("|u1").unwrap();
        let buffer = Buffer::from_vec((0..12).collect());
        let wide = Block::new(Grid::column_major(dtype, 2, 5, 0), buffer.clone()).unwrap();
        let single = Block::new(Grid::column_major(dtype, 2, 1, 10), buffer).unwrap();
        let parts = vec![Part::Block(wide, vec![0, 1, 3, 4, 5]), Part::Block(single, vec![2])];
        Frame::new(Axis::range(2), Axis::range(6), parts, Tags::default()).unwrap()
    }

    fn cells(frame: &Frame) -> Vec<Vec<u8>> {
        let columns = frame.slots().unwrap().into_iter().map(|slot| match &frame.parts[slot.part] {
            Part::Block(b, _) => {
                let grid = b.grid.columns(slot.column, 1, 1);
                (0..grid.nrows).map(|r| b.buffer.as_slice()[grid.rows(r, r + 1).offset]).collect()
            }
            Part::Column(..) => vec![],
        });
        columns.collect()
    }

    #[test]
    fn selection_keeps_order_and_repeats() {
        let got = frame().select(&[5, 5, 2, 0, 1, 4, 3], Axis::range(7)).unwrap();
        assert_eq!(cells(&got), [[8, 9], [8, 9], [10, 11], [0, 1], [2, 3], [6, 7], [4, 5]]);
        assert!(frame().select(&[6], Axis::range(1)).is_err());
    }

    #[test]
    fn slices_move_the_offset() {
        assert_eq!(cells(&frame().slice(1, 2)), [[1], [3], [11], [5], [7], [9]]);
    }

    #[test]
    fn positions_are_checked() {
        let mut parts = frame().parts;
        parts.pop();
        let error = Frame::new(Axis::range(2), Axis::range(6), parts, Tags::default()).unwrap_err();
        assert!(error.to_string().contains("column 2 is missing"));
    }
}
