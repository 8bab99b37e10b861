//! Selects the requested columns and rows of a frame.

use super::Frame;
use crate::error::{Error, Result};

/// Checks a requested range of `nrows` rows; `None` requests all rows.
///
/// # Errors
/// `NotFound`: rows outside the frame.
pub fn row_range(format: &'static str, rows: Option<(usize, usize)>, nrows: usize) -> Result<(usize, usize)> {
    let (start, stop) = rows.unwrap_or((0, nrows));
    if start > stop || stop > nrows {
        let message = format!("rows {start}..{stop} are out of range: there are {nrows}.");
        return Err(Error::not_found(format, message));
    }
    Ok((start, stop))
}

impl Frame {
    /// The requested columns and rows, without copying; `None` requests all.
    ///
    /// # Errors
    /// `NotFound`: a position or row outside the frame.
    pub fn part(
        self,
        format: &'static str,
        positions: Option<&[usize]>,
        rows: Option<(usize, usize)>,
    ) -> Result<Self> {
        let frame = match positions {
            Some(positions) => self.select(positions, self.columns.select(positions)?)?,
            None => self,
        };
        let (start, stop) = row_range(format, rows, frame.nrows)?;
        Ok(if (start, stop) == (0, frame.nrows) { frame } else { frame.slice(start, stop) })
    }
}
