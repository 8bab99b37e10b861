//! Encoded cells of a batch of rows, column by column.

/// Up to this length a cell is copied with a constant size.
const STRIDE: usize = 16;

/// The cell of a missing key.
pub(super) const NIL: u8 = 0xc0;

/// Encoded cells of one column.
#[derive(Debug, Default)]
pub(super) struct CellBytes {
    bytes: Vec<u8>,
    used: usize,
    pub(super) cells: usize,
    /// The start of the last cell.
    last: usize,
}

impl CellBytes {
    /// Appends the cell at the front of `from`, which has at least `length` bytes.
    #[inline]
    pub(super) fn push(&mut self, from: &[u8], length: usize) {
        self.last = self.used;
        self.cells += 1;
        if length <= STRIDE
            && let Some(chunk) = from.first_chunk::<STRIDE>()
            && let Some(room) = self.bytes.get_mut(self.used..self.used + STRIDE)
        {
            room.copy_from_slice(chunk);
            self.used += length;
            return;
        }
        self.push_slowly(from.get(..length).unwrap_or(&[]));
    }

    #[inline(never)]
    fn push_slowly(&mut self, cell: &[u8]) {
        let end = self.used + cell.len();
        if self.bytes.len() < end + STRIDE {
            let nbytes = (2 * self.bytes.len()).max(end + STRIDE).max(256);
            self.bytes.resize(nbytes, 0);
        }
        if let Some(room) = self.bytes.get_mut(self.used..end) {
            room.copy_from_slice(cell);
        }
        self.used = end;
    }

    /// Appends nils up to `rows` cells, for rows without this column's key.
    #[inline(never)]
    pub(super) fn fill(&mut self, rows: usize) {
        let end = self.used + rows.saturating_sub(self.cells);
        if self.bytes.len() < end + STRIDE {
            self.bytes.resize((2 * self.bytes.len()).max(end + STRIDE).max(256), 0);
        }
        if let Some(room) = self.bytes.get_mut(self.used..end) {
            room.fill(NIL);
        }
        (self.used, self.last) = (end, end.saturating_sub(1));
        self.cells = self.cells.max(rows);
    }

    pub(super) fn undo(&mut self) {
        self.used = self.last;
        self.cells -= 1;
    }

    pub(super) fn cells(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or(&[])
    }

    pub(super) fn clear(&mut self) {
        (self.used, self.cells, self.last) = (0, 0, 0);
    }
}

/// The cells of some rows by column; all columns have the same number of cells.
#[derive(Debug, Default)]
pub(super) struct RowBatch {
    pub(super) columns: Vec<CellBytes>,
    /// The number of rows before the batch.
    pub(super) first_row: usize,
    pub(super) rows: usize,
    /// The start and end of the batch in the input.
    pub(super) start: u64,
    pub(super) end: u64,
}

/// An encoded key, with its front in a word that is compared under a mask.
#[derive(Debug)]
pub(super) struct EncodedKey {
    pub(super) bytes: Vec<u8>,
    word: u128,
    mask: u128,
}

impl EncodedKey {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut front = [0; 16];
        front.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = *byte);
        let bits = 8 * bytes.len().min(16);
        let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
        Self { bytes: bytes.to_vec(), word: u128::from_le_bytes(front), mask }
    }

    #[inline]
    pub(super) fn is_front_of(&self, bytes: &[u8]) -> bool {
        match bytes.first_chunk::<16>() {
            Some(chunk) if self.bytes.len() <= 16 => {
                (u128::from_le_bytes(*chunk) ^ self.word) & self.mask == 0
            }
            _ => bytes.starts_with(&self.bytes),
        }
    }
}
