//! The destination of rows of text: the end offset of each row, and the bytes of all rows one after the other.

use crate::error::Error;

use super::dictionary::utf8;

/// The end of a row, 32 or 64 bits of memory.
pub(crate) trait Offset: Copy + PartialEq + Send {
    /// From a place; callers know that it fits.
    fn of(at: usize) -> Self;
    /// The place.
    fn place(self) -> usize;
}

impl Offset for [u8; 4] {
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // 32 bits only where all bytes together fit them
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

/// Rows and bytes of one part of a column, which is filled from its beginning.
#[derive(Debug)]
pub(crate) struct Out<'o, O> {
    /// The end of each row.
    ends: &'o mut [O],
    /// Room for the bytes of all rows.
    bytes: &'o mut [u8],
    /// Where `bytes` begin in the column.
    base: usize,
    /// Rows so far.
    pub(crate) row: usize,
    /// Bytes so far.
    pub(crate) at: usize,
}

/// The texts have another size than the page header declared.
#[derive(Debug)]
pub(crate) struct Full;

/// Why filling stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The page is damaged.
    Error(Error),
    /// It has more bytes than its size told.
    Full,
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<Full> for Stop {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl<'o, O: Offset> Out<'o, O> {
    /// Rows with their ends at `ends`, bytes at `bytes`, which begin at `base` of the column.
    pub(crate) fn new(ends: &'o mut [O], bytes: &'o mut [u8], base: usize) -> Self {
        Self { ends, bytes, base, row: 0, at: 0 }
    }

    /// Whether all rows and all bytes came.
    pub(crate) fn is_full(&self) -> bool {
        self.row == self.ends.len() && self.at == self.bytes.len()
    }

    /// Whether each row is UTF-8; else the first that is none.
    pub(crate) fn utf8(&self) -> Result<(), usize> {
        let bytes = self.bytes.get(..self.at).unwrap_or_default();
        let ends = self.ends.get(..self.row).unwrap_or_default();
        utf8(bytes, ends.len(), |k| ends.get(k).map_or(bytes.len(), |end| end.place() - self.base))
    }

    /// What the rows from here on have instead of ends, the bytes from here on, and where these begin in the column.
    #[inline]
    pub(crate) fn rest(&mut self) -> (&mut [O], &mut [u8], usize) {
        let ends = self.ends.get_mut(self.row..).unwrap_or_default();
        (ends, self.bytes.get_mut(self.at..).unwrap_or_default(), self.base + self.at)
    }

    /// The ends of the next `n` rows, the bytes from here on, and where these begin in the column. The caller says by
    /// [`Out::advance`] what it wrote.
    #[inline]
    pub(crate) fn next(&mut self, n: usize) -> Result<(&mut [O], &mut [u8], usize), Full> {
        let base = self.base + self.at;
        let ends = self.ends.get_mut(self.row..self.row + n).ok_or(Full)?;
        Ok((ends, self.bytes.get_mut(self.at..).unwrap_or_default(), base))
    }

    /// `n` rows of `nbytes` together were written.
    #[inline]
    pub(crate) fn advance(&mut self, n: usize, nbytes: usize) {
        self.row += n;
        self.at += nbytes;
    }

    /// `n` rows without bytes.
    #[inline]
    pub(crate) fn nothing(&mut self, n: usize) -> Result<(), Full> {
        let (ends, _, base) = self.next(n)?;
        ends.fill(O::of(base));
        self.advance(n, 0);
        Ok(())
    }

    /// One row.
    #[inline]
    pub(crate) fn one(&mut self, value: &[u8]) -> Result<(), Full> {
        let (ends, bytes, base) = self.next(1)?;
        bytes.get_mut(..value.len()).ok_or(Full)?.copy_from_slice(value);
        ends.fill(O::of(base + value.len()));
        self.advance(1, value.len());
        Ok(())
    }

    /// `n` rows of the same.
    pub(crate) fn same(&mut self, value: &[u8], n: usize) -> Result<(), Full> {
        let size = value.len();
        let total = size.checked_mul(n).ok_or(Full)?;
        let (ends, bytes, base) = self.next(n)?;
        let room = bytes.get_mut(..total).ok_or(Full)?;
        for (k, end) in ends.iter_mut().enumerate() {
            *end = O::of(base + size * (k + 1));
        }
        // What was copied is a longer row to copy from: each step doubles it.
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
