//! Restores row labels: from row names, or from the columns that show them in R.

use colonnade::Result;
use colonnade::frame::{Axis, Frame, Labels, Level, Part};

use super::columns;

/// The integers of a level of R's integer row names.
fn integers(level: &Level) -> Option<Vec<i64>> {
    let Level::Block(block) = level else { return None };
    if block.grid.dtype.descr() != "<i4" {
        return None;
    }
    let (cells, _) = block.packed()?.as_chunks::<4>();
    Some(cells.iter().map(|cell| i64::from(i32::from_le_bytes(*cell))).collect())
}

/// The frame with the row labels of the hint, if its own fit them.
pub(super) fn restore(frame: Frame, hint: &Frame) -> Result<Frame> {
    let index = match (&frame.index.labels, &hint.index.labels) {
        (Labels::Auto { .. }, Labels::Auto { start: 0, step: 1, .. }) => {
            Some(Axis { labels: frame.index.labels.clone(), ..hint.index.clone() })
        }
        (Labels::Levels(levels), Labels::Auto { start, step, .. }) => {
            let values = levels.first().and_then(integers).unwrap_or_default();
            let label = |i: usize| start.checked_add(step.checked_mul(i64::try_from(i).ok()?)?);
            let count = frame.nrows;
            let regular =
                values.len() == count && values.iter().enumerate().all(|(i, v)| label(i) == Some(*v));
            label(count).filter(|_| regular).map(|stop| Axis {
                labels: Labels::Auto { start: *start, stop, step: *step, count },
                ..hint.index.clone()
            })
        }
        (Labels::Levels(own), Labels::Levels(hinted)) if own.len() == hinted.len() => {
            let levels: Option<Vec<Level>> =
                own.iter().zip(hinted).map(|(own, hinted)| columns::restore_level(own, hinted)).collect();
            levels.map(|levels| Axis { labels: Labels::Levels(levels), ..hint.index.clone() })
        }
        (Labels::Auto { start: 0, step: 1, .. }, Labels::Levels(hinted)) => {
            return from_columns(frame, hint, hinted);
        }
        _ => None,
    };
    Ok(match index {
        Some(index) => Frame { index, ..frame },
        None => frame,
    })
}

/// Takes the first columns as row labels, if they have the names of the hint's levels.
fn from_columns(frame: Frame, hint: &Frame, hinted: &[Level]) -> Result<Frame> {
    let (names, labels) = (super::level_names(&hint.index), super::label_texts(&frame.columns)?);
    let first = labels.iter().take(names.len()).map(Option::as_deref);
    if labels.len() < names.len() || !first.eq(names.iter().map(|name| Some(name.as_str()))) {
        return Ok(frame);
    }
    let slots = frame.slots()?;
    let mut levels = Vec::with_capacity(names.len());
    for (slot, hinted) in slots.iter().zip(hinted) {
        let level = match frame.parts.get(slot.part) {
            Some(Part::Block(block, _)) => Level::Block(block.column(slot.column)),
            Some(Part::Column(column, _)) => Level::Column(column.clone()),
            None => return Ok(frame),
        };
        let Some(level) = columns::restore_level(&level, hinted) else { return Ok(frame) };
        levels.push(level);
    }
    let rest: Vec<usize> = (names.len()..frame.ncols).collect();
    let out = frame.select(&rest, frame.columns.select(&rest)?)?;
    let index = Axis { labels: Labels::Levels(levels), ..hint.index.clone() };
    Ok(Frame { index, ..out })
}
