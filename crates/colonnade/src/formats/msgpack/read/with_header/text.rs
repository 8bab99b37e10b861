//! Decodes text directly to offsets and bytes.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::arrow::trusted::trusted_array;
use crate::error::{Error, ErrorKind, Result};
use crate::memory::{Buffer, Region, RegionMut};

use crate::cells::msgpack::column::{CellError, CellExtent, CellReader, FORMAT, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};

/// Short texts are copied with this constant size, whatever their length.
const BLIND_NBYTES: usize = 16;

/// Text is validated in runs of this size, which are still in the cache.
const CHECKED_NBYTES: usize = 64 << 10;

/// A column of text with a known number of rows, which has no more bytes than its cells.
pub(super) struct StringColumn<const N: usize> {
    data_type: DataType,
    offsets: RegionMut,
    values: RegionMut,
    rows: usize,
    row: usize,
    used: usize,
    /// One bit for each row, if the header declares nulls.
    validity: Option<Vec<u8>>,
}

impl<const N: usize> StringColumn<N> {
    /// Allocates memory for `rows` cells in `nbytes` bytes.
    ///
    /// # Errors
    /// Errors of the operating system; a limit: offsets of the type cannot count the bytes.
    pub(super) fn new(data_type: DataType, rows: usize, nbytes: usize, nulls: bool) -> Result<Self> {
        rows.checked_add(1).and_then(|n| n.checked_mul(N)).ok_or_else(|| no_memory(rows))?;
        let (offsets, values) = (Region::allocate(0)?, Region::allocate(0)?);
        let mut text =
            Self { data_type, offsets, values, rows, row: 0, used: 0, validity: nulls.then(Vec::new) };
        text.room(nbytes)?;
        if let Some(first) = text.offsets.as_mut_slice().get_mut(..N) {
            first.fill(0);
        }
        Ok(text)
    }

    /// Makes room for the cells in `nbytes` bytes.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub(super) fn room(&mut self, nbytes: usize) -> Result<()> {
        let rows = self.rows.min(self.row.saturating_add(nbytes));
        widened(&mut self.offsets, (rows + 1) * N)?;
        widened(&mut self.values, self.used.saturating_add(nbytes))?;
        if let Some(bits) = &mut self.validity
            && bits.len() < rows.div_ceil(8)
        {
            bits.resize(rows.div_ceil(8), 0xff);
        }
        Ok(())
    }

    /// Returns the column.
    ///
    /// # Errors
    /// Malformed: a text beyond the range of the offsets.
    pub(super) fn finish(mut self) -> Result<ArrayData> {
        if self.row != self.rows {
            let message = format!("expected {} rows of text, found {}.", self.rows, self.row);
            return Err(Error::malformed(FORMAT, message));
        }
        if N == 4 && i32::try_from(self.used).is_err() {
            let message =
                format!("expected 2147483647 bytes of text at most as the header says, found {}.", self.used);
            return Err(Error::malformed(FORMAT, message));
        }
        self.offsets.grow((self.rows + 1) * N)?;
        let offsets = Buffer::from_region(self.offsets.finish(), true).to_arrow();
        let values =
            Buffer::from_region(self.values.finish(), true).to_arrow().slice_with_length(0, self.used);
        let nulls = self.validity.map(|bits| NullBuffer::new(BooleanBuffer::new(bits.into(), 0, self.rows)));
        let builder = ArrayDataBuilder::new(self.data_type).len(self.rows).nulls(nulls);
        let builder = builder.add_buffer(offsets).add_buffer(values);
        // Trusted: every row has its offset, as was just checked, and offsets never decrease; each text was checked to be
        // UTF-8 when it was decoded, and the last offset is the length of the values.
        Ok(trusted_array(builder.align_buffers(true)))
    }
}

impl<const N: usize> CellReader for StringColumn<N> {
    fn take(&mut self, bytes: &[u8], max_cells: usize) -> std::result::Result<CellExtent, CellError> {
        let max_cells = max_cells.min(self.rows - self.row);
        let mut taken = CellExtent::default();
        while taken.cells < max_cells {
            let rest = bytes.get(taken.nbytes..).unwrap_or(&[]);
            let run =
                self.run(rest, max_cells - taken.cells).map_err(|e| e.after(taken.cells, taken.nbytes))?;
            if run.cells == 0 {
                break;
            }
            taken.cells += run.cells;
            taken.nbytes += run.nbytes;
        }
        Ok(taken)
    }
}

impl<const N: usize> StringColumn<N> {
    /// Decodes cells until there is enough text to validate.
    fn run(&mut self, bytes: &[u8], max_cells: usize) -> std::result::Result<CellExtent, CellError> {
        let (values, offsets) =
            (self.values.as_mut_slice(), self.offsets.as_mut_slice().as_chunks_mut::<N>().0);
        let (first_row, first_byte) = (self.row, self.used);
        let (mut row, mut used, mut at) = (self.row, self.used, 0);
        let mut starts_inside = false;
        while row - first_row < max_cells && used - first_byte < CHECKED_NBYTES {
            let rest = bytes.get(at..).unwrap_or(&[]);
            // Short text with enough room on both sides, the usual case.
            let nbytes = if let (Some(&[marker @ 0xa0..=0xb0, ref source @ ..]), Some(place)) = (
                rest.first_chunk::<{ BLIND_NBYTES + 1 }>(),
                values.get_mut(used..).and_then(|v| v.first_chunk_mut::<BLIND_NBYTES>()),
            ) {
                *place = *source;
                starts_inside |= marker > 0xa0 && is_inside(source.first());
                at += 1;
                usize::from(marker & 0x1f)
            } else {
                let Some((found, length)) = head(rest).map_err(|e| e.after(row - first_row, at))? else {
                    break;
                };
                match found {
                    MsgpackHead::Nil => {
                        at += length;
                        let byte = self.validity.as_mut().and_then(|bits| bits.get_mut(row / 8));
                        let byte = byte.ok_or_else(|| not_text(found).after(row - first_row, at - length))?;
                        *byte &= !(1 << (row % 8));
                        0
                    }
                    MsgpackHead::Str(n) => {
                        let n = n as usize;
                        let Some(text) = rest.get(length..length + n) else { break };
                        starts_inside |= is_inside(text.first());
                        let place = values.get_mut(used..used + n);
                        place
                            .ok_or_else(|| malformed(at, "the header says fewer bytes."))?
                            .copy_from_slice(text);
                        at += length;
                        n
                    }
                    other => return Err(not_text(other).after(row - first_row, at)),
                }
            };
            at += nbytes;
            used += nbytes;
            row += 1;
            let Some(place) = offsets.get_mut(row) else {
                return Err(malformed(at, "expected fewer cells, as the header says."));
            };
            for (to, from) in place.iter_mut().zip(used.to_le_bytes()) {
                *to = from;
            }
        }
        let text = values.get(first_byte..used).unwrap_or(&[]);
        if starts_inside || simdutf8::basic::from_utf8(text).is_err() {
            return Err(first_broken(bytes));
        }
        (self.row, self.used) = (row, used);
        Ok(CellExtent { cells: row - first_row, nbytes: at })
    }
}

/// Grows a region to at least `nbytes`, and at least to twice its size.
fn widened(region: &mut RegionMut, nbytes: usize) -> Result<()> {
    let held = region.capacity();
    if held == 0 && nbytes > 0 {
        *region = Region::allocate(nbytes)?;
    } else if nbytes > held {
        region.grow(nbytes.max(held.saturating_mul(2)))?;
    }
    let held = region.capacity();
    Ok(region.grow(held)?)
}

#[cold]
fn no_memory(rows: usize) -> Error {
    Error::limit(FORMAT, format!("no memory for {rows} offsets."))
}

/// Whether a text cannot begin with this byte, because it is inside a character.
fn is_inside(first: Option<&u8>) -> bool {
    first.is_some_and(|byte| byte & 0xc0 == 0x80)
}

#[cold]
fn not_text(found: MsgpackHead) -> CellError {
    malformed(0, format!("expected text (str) as the header says, found {}.", found.name()))
}

/// Finds the first cell whose text is not UTF-8.
#[cold]
fn first_broken(bytes: &[u8]) -> CellError {
    let (mut at, mut cells) = (0, 0);
    while let Some(Ok(Some((found, length)))) = bytes.get(at..).map(head) {
        let text = bytes.get(at + length..at + length + found.payload()).unwrap_or(&[]);
        if let (MsgpackHead::Str(_), Err(e)) = (found, std::str::from_utf8(text)) {
            let message = format!(
                "expected UTF-8, found an invalid byte after {} bytes of the text. Pass invalid_utf8=\"bytes\" to read \
                 such a column of a foreign file as bytes.",
                e.valid_up_to()
            );
            return CellError::new(ErrorKind::Malformed, at, message).after(cells, 0);
        }
        at += length + found.payload();
        cells += 1;
    }
    malformed(at, "expected UTF-8.")
}
