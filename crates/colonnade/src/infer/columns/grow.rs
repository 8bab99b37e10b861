//! The growing buffer of a column. It becomes the column's buffer without a copy.

use crate::cells::msgpack::column::{CellError, FORMAT};
use crate::memory::{Buffer, Growth, Region, RegionMut};
use crate::{Error, ErrorKind};

const FIRST_NBYTES: usize = 256;

/// From this size on, pages are moved instead of copied.
const MOVED_FROM_NBYTES: usize = 64 << 10;

/// From half a huge page on, the region gets a whole huge page, which is faster to touch.
const HUGE_FROM_NBYTES: usize = HUGE_PAGE / 2;
const HUGE_PAGE: usize = 2 << 20;

/// Bytes with spare capacity after them.
#[derive(Debug, Default)]
pub(crate) struct GrowingBuffer {
    region: RegionMut,
    used: usize,
}

impl GrowingBuffer {
    /// Returns the number of bytes so far.
    #[inline]
    pub(crate) fn nbytes(&self) -> usize {
        self.used
    }

    /// Returns the spare capacity.
    #[inline]
    pub(crate) fn room(&self) -> usize {
        self.region.nbytes() - self.used
    }

    /// Makes room for `nbytes` more. Unused room costs address space, not memory.
    #[inline]
    pub(crate) fn reserve(&mut self, nbytes: usize) -> Result<(), CellError> {
        if self.room() >= nbytes { Ok(()) } else { self.enlarge(nbytes) }
    }

    /// Makes room for `nbytes` more and for what the rest of the input probably adds, in memory that was used before.
    pub(super) fn expect(&mut self, nbytes: usize, growth: Growth) -> Result<(), CellError> {
        if self.room() >= nbytes {
            return Ok(());
        }
        // A cell of the rest has at most a word for each byte of input.
        let known = self.used.saturating_add(nbytes);
        let rest = growth.total.saturating_sub(growth.done);
        let likely = growth.likely_nbytes(known, known.saturating_add(rest.saturating_mul(8)));
        self.enlarge(nbytes.max(likely.saturating_sub(self.used)))
    }

    #[cold]
    fn enlarge(&mut self, nbytes: usize) -> Result<(), CellError> {
        let wanted = self.used.saturating_add(nbytes).max(self.used.saturating_mul(2)).max(FIRST_NBYTES);
        let io = |e: std::io::Error| CellError {
            cell: 0,
            offset: 0,
            path: String::new(),
            error: Error::new(ErrorKind::Io(e), FORMAT, ""),
        };
        if self.used >= MOVED_FROM_NBYTES {
            return self.region.grow(wanted).map_err(io);
        }
        let wanted = if wanted >= HUGE_FROM_NBYTES { wanted.max(HUGE_PAGE) } else { wanted };
        let mut region = Region::allocate(wanted).map_err(io)?;
        let target = region.as_mut_slice().get_mut(..self.used).unwrap_or_default();
        target.copy_from_slice(self.bytes());
        self.region = region;
        Ok(())
    }

    /// Appends the first `n` of some bytes. It writes all of them, which needs no call.
    #[inline(always)]
    pub(crate) fn push_front<const N: usize>(&mut self, bytes: &[u8; N], n: usize) -> Result<(), CellError> {
        let used = self.used;
        match self.region.as_mut_slice().get_mut(used..).and_then(|spare| spare.first_chunk_mut::<N>()) {
            Some(target) => *target = *bytes,
            None => return self.push_slowly(bytes.get(..n).unwrap_or(bytes)),
        }
        self.used += n;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn push_slowly(&mut self, bytes: &[u8]) -> Result<(), CellError> {
        self.reserve(bytes.len().max(64))?;
        self.push(bytes)
    }

    /// Returns `nbytes` of spare capacity to fill; [`GrowingBuffer::commit`] keeps them.
    #[inline]
    pub(crate) fn spare(&mut self, nbytes: usize) -> Result<&mut [u8], CellError> {
        self.reserve(nbytes)?;
        let used = self.used;
        Ok(self.region.as_mut_slice().get_mut(used..used + nbytes).unwrap_or_default())
    }

    /// Keeps `nbytes` of the filled bytes.
    #[inline]
    pub(crate) fn commit(&mut self, nbytes: usize) {
        self.used += nbytes;
    }

    /// Appends bytes.
    #[inline]
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), CellError> {
        self.spare(bytes.len())?.copy_from_slice(bytes);
        self.commit(bytes.len());
        Ok(())
    }

    /// Appends the bytes of a range, after which `growth` holds.
    pub(super) fn join(&mut self, bytes: &[u8], growth: Growth) -> Result<(), CellError> {
        self.expect(bytes.len(), growth)?;
        self.push(bytes)
    }

    /// Appends a word.
    #[inline(always)]
    pub(crate) fn push_word(&mut self, word: u64) -> Result<(), CellError> {
        self.push_front(&word.to_le_bytes(), 8)
    }

    /// Removes the bytes and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.used = 0;
    }

    /// Appends `n` zero bytes.
    pub(crate) fn zeros(&mut self, n: usize) -> Result<(), CellError> {
        self.spare(n)?.fill(0);
        self.commit(n);
        Ok(())
    }

    /// Appends a word `n` times.
    pub(crate) fn repeat(&mut self, word: [u8; 8], n: usize) -> Result<(), CellError> {
        let nbytes = n.saturating_mul(8);
        self.spare(nbytes)?.as_chunks_mut::<8>().0.fill(word);
        self.commit(nbytes);
        Ok(())
    }

    /// Returns the bytes so far.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        self.region.as_mut_slice().get_mut(..self.used).unwrap_or_default()
    }

    /// Returns the bytes so far as words.
    pub(crate) fn words(&mut self) -> &mut [[u8; 8]] {
        self.bytes().as_chunks_mut::<8>().0
    }

    /// Returns the buffer of the bytes.
    pub(crate) fn finish(self) -> Buffer {
        if self.used == 0 {
            return Buffer::from_vec(Vec::new());
        }
        let whole = Buffer::from_region(self.region.finish(), true);
        whole.slice(0, self.used).unwrap_or(whole)
    }
}
