//! Axes: row labels or column labels.

use arrow_data::transform::MutableArrayData;

use crate::error::{Error, Result};
use crate::memory::Buffer;

use super::column::has_validity;
use super::{Block, Column, DType, Grid};

/// Row labels or column labels, with their class and name.
#[derive(Debug, Clone)]
pub struct Axis {
    /// The labels.
    pub labels: Labels,
    /// Class of the axis, as a name of StaticFrame: `Index`, `IndexHierarchy`, `IndexDate`...
    pub class: String,
    /// Class of each level; empty for an automatic range.
    pub classes: Vec<String>,
    /// Name, as tagged JSON.
    pub name: String,
    /// Data that the source library needs to rebuild its index (freq, tz, closed...). The core does not interpret it.
    pub meta: Option<String>,
}

/// An automatic range, or 1..n levels.
#[derive(Debug, Clone)]
pub enum Labels {
    /// `count` integers `start`, `start + step`..., which are not stored.
    Auto {
        /// First label.
        start: i64,
        /// One past the last, in steps.
        stop: i64,
        /// Difference between labels; not 0.
        step: i64,
        /// Number of labels.
        count: usize,
    },
    /// One entry per level, with full labels rather than codes.
    Levels(Vec<Level>),
}

/// The labels of one level.
#[derive(Debug, Clone)]
pub enum Level {
    /// Labels of fixed width: a block of one column.
    Block(Block),
    /// Other labels.
    Column(Column),
}

impl Level {
    /// Labels.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Block(block) => block.grid.nrows,
            Self::Column(column) => column.len(),
        }
    }

    /// Whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn slice(&self, start: usize, stop: usize) -> Self {
        match self {
            Self::Block(b) => Self::Block(Block { grid: b.grid.rows(start, stop), buffer: b.buffer.clone() }),
            Self::Column(column) => Self::Column(column.slice(start, stop)),
        }
    }

    /// Bytes of its labels.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        match self {
            Self::Block(block) => block.grid.nbytes(),
            Self::Column(column) => column.nbytes(),
        }
    }
}

impl Axis {
    /// Whether the labels are 0, 1, 2...
    #[must_use]
    pub fn counts_from_zero(&self) -> bool {
        matches!(self.labels, Labels::Auto { start: 0, step: 1, .. })
    }

    /// The automatic range of `count` labels: 0, 1, 2...
    #[must_use]
    pub fn range(count: usize) -> Self {
        let stop = i64::try_from(count).unwrap_or(i64::MAX);
        Self {
            labels: Labels::Auto { start: 0, stop, step: 1, count },
            class: "Index".into(),
            classes: Vec::new(),
            name: "null".into(),
            meta: None,
        }
    }

    /// Number of labels.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.labels {
            Labels::Auto { count, .. } => *count,
            Labels::Levels(levels) => levels.first().map_or(0, Level::len),
        }
    }

    /// Whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of levels; 1 for an automatic range.
    #[must_use]
    pub fn depth(&self) -> usize {
        match &self.labels {
            Labels::Auto { .. } => 1,
            Labels::Levels(levels) => levels.len(),
        }
    }

    /// Bytes of all labels.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        match &self.labels {
            Labels::Auto { .. } => 0,
            Labels::Levels(levels) => levels.iter().map(Level::nbytes).sum(),
        }
    }

    /// Labels `start..stop`.
    #[must_use]
    pub fn slice(&self, start: usize, stop: usize) -> Self {
        let labels = match &self.labels {
            Labels::Auto { start: first, step, .. } => {
                let at = |i: usize| {
                    first.saturating_add(step.saturating_mul(i64::try_from(i).unwrap_or(i64::MAX)))
                };
                Labels::Auto { start: at(start), stop: at(stop), step: *step, count: stop - start }
            }
            Labels::Levels(levels) => Labels::Levels(levels.iter().map(|l| l.slice(start, stop)).collect()),
        };
        Self { labels, ..self.clone() }
    }
}

impl Axis {
    /// Copies the labels at `positions`, in that order. A range stays a range if the positions have a constant distance, and else
    /// becomes integers.
    ///
    /// # Errors
    /// `NotFound` for a position outside the axis.
    pub fn select(&self, positions: &[usize]) -> Result<Self> {
        let count = self.len();
        if let Some(bad) = positions.iter().find(|&&p| p >= count) {
            return Err(Error::not_found(
                "frame",
                format!("label {bad} is out of range: there are {count}."),
            ));
        }
        let labels = match &self.labels {
            Labels::Auto { start, step, .. } => {
                let at = |p: usize| {
                    start.saturating_add(step.saturating_mul(i64::try_from(p).unwrap_or(i64::MAX)))
                };
                let values: Vec<i64> = positions.iter().map(|&p| at(p)).collect();
                match range_of(&values, *step) {
                    Some(labels) => labels,
                    None => Labels::Levels(vec![Level::Block(integers(&values)?)]),
                }
            }
            Labels::Levels(levels) => {
                Labels::Levels(levels.iter().map(|l| l.select(positions)).collect::<Result<_>>()?)
            }
        };
        let classes = match &labels {
            Labels::Levels(_) if self.classes.is_empty() => vec!["Index".into()],
            _ => self.classes.clone(),
        };
        Ok(Self { labels, classes, ..self.clone() })
    }
}

impl Axis {
    /// The labels of a range as 64-bit integers.
    ///
    /// # Errors
    /// Malformed: the labels are no range.
    pub fn range_labels(&self) -> Result<Block> {
        let Labels::Auto { start, step, count, .. } = self.labels else {
            return Err(Error::malformed("frame", "expected an automatic range of labels."));
        };
        let at = |i: usize| start.saturating_add(step.saturating_mul(i64::try_from(i).unwrap_or(i64::MAX)));
        let mut values = Vec::new();
        let refused = |_| Error::limit("frame", format!("no memory for {count} labels of a range."));
        values.try_reserve_exact(count).map_err(refused)?;
        values.extend((0..count).map(at));
        integers(&values)
    }
}

/// The range with these `values`, if there is one.
fn range_of(values: &[i64], default_step: i64) -> Option<Labels> {
    let start = values.first().copied().unwrap_or(0);
    let step = match values {
        [first, second, ..] => second.checked_sub(*first)?,
        _ => default_step,
    };
    let regular =
        step != 0 && values.windows(2).all(|w| matches!(w, [a, b] if b.checked_sub(*a) == Some(step)));
    let stop = start.checked_add(step.checked_mul(i64::try_from(values.len()).ok()?)?)?;
    regular.then_some(Labels::Auto { start, stop, step, count: values.len() })
}

fn integers(values: &[i64]) -> Result<Block> {
    let dtype = DType::parse("<i8").ok_or_else(|| Error::unsupported("frame", "no dtype <i8."))?;
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Ok(Block { grid: Grid::column_major(dtype, values.len(), 1, 0), buffer: Buffer::from_vec(bytes) })
}

impl Level {
    fn select(&self, positions: &[usize]) -> Result<Self> {
        match self {
            Self::Block(block) => {
                let item = block.grid.dtype.itemsize as usize;
                let mut bytes = Vec::with_capacity(positions.len() * item);
                for &position in positions {
                    let offset = block.grid.rows(position, position + 1).offset;
                    bytes
                        .extend_from_slice(block.buffer.as_slice().get(offset..offset + item).unwrap_or(&[]));
                }
                let grid = Grid::column_major(block.grid.dtype, positions.len(), 1, 0);
                Ok(Self::Block(Block { grid, buffer: Buffer::from_vec(bytes) }))
            }
            Self::Column(column) => {
                let mut copied =
                    MutableArrayData::new(vec![&column.data], has_validity(&column.data), positions.len());
                for &position in positions {
                    let result = copied.try_extend(0, position, position + 1);
                    result
                        .map_err(|e| Error::malformed("frame", format!("labels cannot be selected: {e}.")))?;
                }
                Ok(Self::Column(Column { data: copied.freeze(), ..column.clone() }))
            }
        }
    }
}

impl Axis {
    /// The labels as text; `None` unless they are one level of strings without nulls.
    #[must_use]
    pub fn strings(&self) -> Option<Vec<String>> {
        let Labels::Levels(levels) = &self.labels else { return None };
        match levels.as_slice() {
            [Level::Column(column)] => column.strings(),
            [Level::Block(block)] => block.strings(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_selections_of_ranges_stay_ranges() {
        let axis = Axis::range(10).select(&[8, 6, 4]).unwrap();
        assert!(matches!(axis.labels, Labels::Auto { start: 8, step: -2, count: 3, .. }));
        let axis = Axis::range(10).select(&[1, 1]).unwrap();
        assert!(matches!(axis.labels, Labels::Levels(_)));
        assert!(Axis::range(2).select(&[2]).is_err());
    }
}
