//! The row labels of a plan, and their values for the rows that are read.

use super::plan::{FramePlan, IndexLabels, IndexPlan};
use crate::error::{Error, Result};
use crate::frame::{Axis, Labels, Level};

impl FramePlan {
    /// Sets the number of rows. A pandas range of another length is ignored, and the labels become 0, 1, 2..., as in
    /// `pyarrow`.
    pub fn set_nrows(&mut self, nrows: usize) {
        if let IndexLabels::Range { start, stop, step } = self.index.labels {
            let same = i128::try_from(nrows).ok() == Some(range_length(start, stop, step));
            let declared = IndexLabels::Auto { start, step };
            self.index.labels = if same { declared } else { IndexLabels::Auto { start: 0, step: 1 } };
            if !same {
                self.index.name = "null".into();
            }
        }
    }

    /// Keeps only the labels of `rows`. A range with a meaning keeps the labels of these rows; the labels 0, 1, 2... are
    /// numbered again, as in `pyarrow`.
    ///
    /// # Errors
    /// Malformed: a range beyond 64 bits.
    pub(crate) fn pick(&mut self, rows: impl FnOnce() -> Vec<usize>) -> Result<()> {
        match self.index.labels {
            IndexLabels::Auto { start: 0, step: 1 } if self.version.is_none() => {
                self.index.name = "null".into()
            }
            IndexLabels::Auto { start, step } if (start, step) != (0, 1) => {
                let rows = rows();
                let nrows = rows.last().map_or(0, |last| last + 1);
                self.picked = Some(self.index_axis(Vec::new(), nrows, 0)?.select(&rows)?);
            }
            _ => {}
        }
        Ok(())
    }

    /// Builds the labels of `nrows` rows from `first_row` on. `levels` has these rows of each level.
    ///
    /// # Errors
    /// Malformed: levels that are missing or have another length, a range beyond 64 bits.
    pub fn index_axis(&self, levels: Vec<Level>, nrows: usize, first_row: usize) -> Result<Axis> {
        if let Some(picked) = &self.picked
            && let Some(stop) = first_row.checked_add(nrows).filter(|stop| *stop <= picked.len())
        {
            return Ok(picked.slice(first_row, stop));
        }
        let labels = match self.index.labels {
            IndexLabels::Auto { start, step } => auto(start, step, nrows, first_row)?,
            IndexLabels::Range { start, stop, step } => {
                let last = first_row as i128 + nrows as i128;
                let inside = last <= range_length(start, stop, step);
                if inside { auto(start, step, nrows, first_row)? } else { auto(0, 1, nrows, first_row)? }
            }
            IndexLabels::Levels(count) => {
                if levels.len() != count || levels.iter().any(|l| l.len() != nrows) {
                    let found: Vec<usize> = levels.iter().map(Level::len).collect();
                    let message = format!("expected {count} levels of {nrows} row labels, found {found:?}.");
                    return Err(Error::malformed("arrow", message));
                }
                Labels::Levels(levels)
            }
        };
        let IndexPlan { class, classes, name, meta, .. } = self.index.clone();
        Ok(Axis { labels, class, classes, name, meta })
    }
}

fn range_length(start: i64, stop: i64, step: i64) -> i128 {
    let (span, step) = (i128::from(stop) - i128::from(start), i128::from(step));
    if span == 0 || (span > 0) != (step > 0) { 0 } else { (span.abs() + step.abs() - 1) / step.abs() }
}

fn auto(start: i64, step: i64, nrows: usize, first_row: usize) -> Result<Labels> {
    let at = |row: usize| {
        let row = i64::try_from(row).ok()?;
        start.checked_add(step.checked_mul(row)?)
    };
    let ends = at(first_row).zip(first_row.checked_add(nrows).and_then(at));
    let (start, stop) = ends.ok_or_else(|| {
        Error::malformed("arrow", format!("row labels from {start} in steps of {step} pass 64 bits."))
    })?;
    Ok(Labels::Auto { start, stop, step, count: nrows })
}
