//! The destination of rows of text: the end offset of each row, and the bytes of all rows without gaps.

use crate::error::Error;

use super::dictionary::utf8;

/// The end offset of a row, in 32 or 64 bits.
pub(crate) trait Offset: Copy + PartialEq + Send {
    /// Converts a position; the caller has checked that it fits.
    fn of(at: usize) -> Self;
    /// Returns the position.
    fn place(self) -> usize;
}

impl Offset for [u8; 4] {
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // 32 bits only if all bytes together fit them
    fn of(at: usize) -> Self {
        (at as u32).to_le_bytes()
    }
    #[inline]
    fn place(self) -> usize {
        u32::from_le_bytes(self) as usize
    }
}

impl Offset for [u8; 8] {
    #[inline]
    fn of(at: usize) -> Self {
        (at as u64).to_le_bytes()
    }
    #[inline]
    fn place(self) -> usize {
        usize::try_from(u64::from_le_bytes(self)).unwrap_or(usize::MAX)
    }
}

/// The rows and bytes of one part of a column, filled from the beginning.
#[derive(Debug)]
pub(crate) struct TextOutput<'o, O> {
    /// The end of each row.
    ends: &'o mut [O],
    /// Memory for the bytes of all rows.
    bytes: &'o mut [u8],
    /// Position of `bytes` in the column.
    base: usize,
    /// Rows written.
    pub(crate) row: usize,
    /// Bytes written.
    pub(crate) at: usize,
}

/// The texts have another size than the page header declares.
#[derive(Debug)]
pub(crate) struct SizeMismatch;

/// Why filling stopped.
#[derive(Debug)]
pub(crate) enum FillError {
    /// The page is damaged.
    Error(Error),
    /// It has more bytes than its header declares.
    SizeMismatch,
}

impl From<Error> for FillError {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<SizeMismatch> for FillError {
    fn from(_: SizeMismatch) -> Self {
        Self::SizeMismatch
    }
}

impl<'o, O: Offset> TextOutput<'o, O> {
    /// Writes row ends to `ends` and bytes to `bytes`, which begin at `base` of the column.
    pub(crate) fn new(ends: &'o mut [O], bytes: &'o mut [u8], base: usize) -> Self {
        Self { ends, bytes, base, row: 0, at: 0 }
    }

    /// Whether all rows and all bytes are written.
    pub(crate) fn is_full(&self) -> bool {
        self.row == self.ends.len() && self.at == self.bytes.len()
    }

    /// Checks that each row is UTF-8; the error is the first invalid row.
    pub(crate) fn utf8(&self) -> Result<(), usize> {
        let bytes = self.bytes.get(..self.at).unwrap_or_default();
        let ends = self.ends.get(..self.row).unwrap_or_default();
        utf8(bytes, ends.len(), |k| ends.get(k).map_or(bytes.len(), |end| end.place() - self.base))
    }

    /// Returns the remaining rows (their codes), the remaining bytes, and the position of these bytes in the column.
    #[inline]
    pub(crate) fn rest(&mut self) -> (&mut [O], &mut [u8], usize) {
        let ends = self.ends.get_mut(self.row..).unwrap_or_default();
        (ends, self.bytes.get_mut(self.at..).unwrap_or_default(), self.base + self.at)
    }

    /// Returns the ends of the next `n` rows, the remaining bytes, and the position of these bytes in the column. The caller
    /// reports by [`TextOutput::advance`] what it wrote.
    #[inline]
    pub(crate) fn next(&mut self, n: usize) -> Result<(&mut [O], &mut [u8], usize), SizeMismatch> {
        let base = self.base + self.at;
        let ends = self.ends.get_mut(self.row..self.row + n).ok_or(SizeMismatch)?;
        Ok((ends, self.bytes.get_mut(self.at..).unwrap_or_default(), base))
    }

    /// Advances by `n` rows of `nbytes` bytes together.
    #[inline]
    pub(crate) fn advance(&mut self, n: usize, nbytes: usize) {
        self.row += n;
        self.at += nbytes;
    }

    /// Writes `n` rows without bytes.
    #[inline]
    pub(crate) fn push_empty(&mut self, n: usize) -> Result<(), SizeMismatch> {
        let (ends, _, base) = self.next(n)?;
        ends.fill(O::of(base));
        self.advance(n, 0);
        Ok(())
    }

    /// Writes one row.
    #[inline]
    pub(crate) fn push(&mut self, value: &[u8]) -> Result<(), SizeMismatch> {
        let (ends, bytes, base) = self.next(1)?;
        bytes.get_mut(..value.len()).ok_or(SizeMismatch)?.copy_from_slice(value);
        ends.fill(O::of(base + value.len()));
        self.advance(1, value.len());
        Ok(())
    }

    /// Writes `n` rows of the same value.
    pub(crate) fn push_repeated(&mut self, value: &[u8], n: usize) -> Result<(), SizeMismatch> {
        let size = value.len();
        let total = size.checked_mul(n).ok_or(SizeMismatch)?;
        let (ends, bytes, base) = self.next(n)?;
        let room = bytes.get_mut(..total).ok_or(SizeMismatch)?;
        for (k, end) in ends.iter_mut().enumerate() {
            *end = O::of(base + size * (k + 1));
        }
        // The copied bytes become a longer source for the next copy, so each step doubles it.
        if let Some(first) = room.get_mut(..size) {
            first.copy_from_slice(value);
        }
        let mut done = size;
        while done < total && done > 0 {
            let now = done.min(total - done);
            room.copy_within(..now, done);
            done += now;
        }
        self.advance(n, total);
        Ok(())
    }
}
