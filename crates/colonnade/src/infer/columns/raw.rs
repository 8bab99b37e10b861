//! Mixed cells: whole MessagePack values. Cells stored before the column became mixed are encoded in the smallest form;
//! later ones keep their bytes.

use crate::cells::exact_double::int_from_double;
use crate::cells::msgpack::column::{CellError, malformed};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::cells::msgpack::options::{Fallback, ReadOptions};
use crate::{ErrorKind, Result};

use super::marks::RowMarks;

use super::text::{TextBuilder, TextFamily, utf8};
use super::time::instant;
use super::{InferredColumn, InferredValues};

/// Nil.
const NIL: u8 = 0xc0;

impl InferredColumn {
    /// Creates a column without cells that keeps each cell as MessagePack.
    ///
    /// # Errors
    /// The operating system's error if memory runs out.
    pub(crate) fn of_mixed(options: &ReadOptions) -> Result<Self> {
        let mut column = Self::new(options);
        column.mix().map_err(|e| e.error)?;
        Ok(column)
    }

    /// Appends one whole MessagePack value to a column of [`InferredColumn::of_mixed`].
    ///
    /// # Errors
    /// As [`InferredColumn::of_mixed`].
    pub(crate) fn push_mixed(&mut self, cell: &[u8]) -> Result<()> {
        match &mut self.values {
            InferredValues::Mixed(_) if cell == [NIL] => self.empty(1).map_err(|e| e.error),
            InferredValues::Mixed(cells) => {
                cells.push(cell).map_err(|e| e.error)?;
                self.rows += 1;
                Ok(())
            }
            _ => Err(malformed(0, "expected cells of several types.").error),
        }
    }

    /// Converts the cells so far to MessagePack values.
    pub(super) fn mix(&mut self) -> std::result::Result<(), CellError> {
        let mut cells = TextBuilder::new(TextFamily::Raw)?;
        cells.offsets.reserve(self.rows.saturating_add(self.likely).saturating_mul(8))?;
        match std::mem::replace(&mut self.values, InferredValues::Nil) {
            InferredValues::Nil | InferredValues::Unknown => {
                self.nulls.mark(0, self.rows);
                cells.empty(self.rows)?;
            }
            InferredValues::Mixed(raw) | InferredValues::Nested { raw: Some(raw), .. } => cells = raw,
            InferredValues::Nested { raw: None, .. } => {
                return Err(malformed(0, "expected cells of one type."));
            }
            InferredValues::Bool(mut bytes) => {
                let bytes = bytes.bytes();
                self.write_each(&mut cells, |row, out| {
                    out.push(0xc2 | bytes.get(row).copied().unwrap_or(0))
                })?;
            }
            InferredValues::Int { mut words, big, .. } => {
                let words = words.words();
                self.write_each(&mut cells, |row, out| {
                    let word = words.get(row).copied().unwrap_or_default();
                    let value =
                        if big { u64::from_le_bytes(word).into() } else { i64::from_le_bytes(word).into() };
                    int(value, out);
                })?;
            }
            InferredValues::Float { mut words, ints } => {
                let words = words.words();
                self.write_each(&mut cells, |row, out| {
                    float(words.get(row).copied().unwrap_or_default(), &ints, row, out);
                })?;
            }
            InferredValues::Text(mut text) => {
                let is_text = text.family == TextFamily::Str;
                self.write_each(&mut cells, |row, out| {
                    let cell = text.cell(row);
                    if is_text {
                        str_head(cell.len(), out)
                    } else {
                        bin_head(cell.len(), out)
                    }
                    out.extend(cell);
                })?;
            }
            InferredValues::Time(mut times) => {
                self.write_each(&mut cells, |row, out| timestamp(times.at(row), out))?;
            }
            InferredValues::Ext { mut codes, mut data } => {
                self.write_each(&mut cells, |row, out| {
                    let cell = data.cell(row);
                    ext_head(codes.bytes().get(row).copied().unwrap_or(0), cell.len(), out);
                    out.extend(cell);
                })?;
            }
        }
        self.values = InferredValues::Mixed(cells);
        Ok(())
    }

    fn write_each(
        &self,
        cells: &mut TextBuilder,
        mut write: impl FnMut(usize, &mut Vec<u8>),
    ) -> std::result::Result<(), CellError> {
        let mut out = Vec::new();
        for row in 0..self.rows {
            out.clear();
            if !self.nulls.has(row) {
                write(row, &mut out);
            }
            cells.push(&out)?;
        }
        Ok(())
    }
}

/// Checks a whole value with everything in it, and appends it to mixed cells.
pub(super) fn push_checked(
    cells: &mut TextBuilder,
    cell: &[u8],
    options: &ReadOptions,
) -> std::result::Result<(), CellError> {
    let mut changed: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some((head, length)) = head(cell.get(at..).unwrap_or_default()).map_err(|e| e.after(0, at))? {
        let end = at + length + head.payload();
        let payload = cell.get(at + length..end).unwrap_or_default();
        let sound = match head {
            MsgpackHead::Str(_) => match utf8(payload) {
                Err(_) if options.invalid_utf8 == Fallback::Bytes => {
                    // The same bytes, with a head of binary data instead of text.
                    let out = changed.get_or_insert_with(|| cell.get(..at).unwrap_or_default().to_vec());
                    bin_head(payload.len(), out);
                    out.extend(payload);
                    at = end;
                    continue;
                }
                checked => checked,
            },
            MsgpackHead::Ext(-1, _) => instant(payload).map(|_| ()),
            MsgpackHead::Ext(..) if options.ext == Fallback::Error => Err(unknown_extension(head)),
            _ => Ok(()),
        };
        sound.map_err(|e| e.after(0, at))?;
        if let Some(out) = &mut changed {
            out.extend(cell.get(at..end).unwrap_or_default());
        }
        at = end;
    }
    cells.push(changed.as_deref().unwrap_or(cell))
}

/// Returns the error for an unknown extension.
#[cold]
pub(super) fn unknown_extension(head: MsgpackHead) -> CellError {
    let MsgpackHead::Ext(code, length) = head else {
        return CellError::new(ErrorKind::Unsupported, 0, format!("found {}.", head.name()));
    };
    let message = format!(
        "expected a value of the specification's own types, found {length} bytes of extension type {code}. Read with \
         ext=\"bytes\" to keep its type and bytes."
    );
    CellError::new(ErrorKind::Unsupported, 0, message)
}

/// Writes an integer in its smallest form.
pub(super) fn int(value: i128, out: &mut Vec<u8>) {
    let raw = value.to_be_bytes();
    let (marker, width) = match value {
        -32..=127 => {
            out.extend(raw.last());
            return;
        }
        128..=0xFF => (0xcc, 1),
        0x100..=0xFFFF => (0xcd, 2),
        0x1_0000..=0xFFFF_FFFF => (0xce, 4),
        0x1_0000_0000.. => (0xcf, 8),
        -0x80..=-33 => (0xd0, 1),
        -0x8000..=-0x81 => (0xd1, 2),
        -0x8000_0000..=-0x8001 => (0xd2, 4),
        _ => (0xd3, 8),
    };
    out.push(marker);
    out.extend(raw.iter().skip(raw.len() - width));
}

fn float(word: [u8; 8], ints: &RowMarks, row: usize, out: &mut Vec<u8>) {
    let bits = u64::from_le_bytes(word);
    match int_from_double(f64::from_bits(bits)) {
        Some(value) if ints.has(row) => int(value, out),
        _ => {
            out.push(0xcb);
            out.extend(bits.to_be_bytes());
        }
    }
}

/// Writes a head of one of three widths.
fn put_sized_head(length: usize, markers: [u8; 3], out: &mut Vec<u8>) {
    let [one, two, four] = markers;
    if let Ok(n) = u8::try_from(length) {
        out.extend([one, n]);
    } else if let Ok(n) = u16::try_from(length) {
        out.push(two);
        out.extend(n.to_be_bytes());
    } else {
        out.push(four);
        // The input gave the length in 32 bits.
        out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }
}

fn str_head(length: usize, out: &mut Vec<u8>) {
    match u8::try_from(length) {
        Ok(n @ 0..32) => out.push(0xa0 | n),
        _ => put_sized_head(length, [0xd9, 0xda, 0xdb], out),
    }
}

fn bin_head(length: usize, out: &mut Vec<u8>) {
    put_sized_head(length, [0xc4, 0xc5, 0xc6], out);
}

fn ext_head(code: u8, length: usize, out: &mut Vec<u8>) {
    match length {
        1 => out.push(0xd4),
        2 => out.push(0xd5),
        4 => out.push(0xd6),
        8 => out.push(0xd7),
        16 => out.push(0xd8),
        _ => put_sized_head(length, [0xc7, 0xc8, 0xc9], out),
    }
    out.push(code);
}

fn timestamp((seconds, nanos): (i64, u32), out: &mut Vec<u8>) {
    match (u32::try_from(seconds), u64::try_from(seconds)) {
        (Ok(short), _) if nanos == 0 => {
            ext_head(0xff, 4, out);
            out.extend(short.to_be_bytes());
        }
        (_, Ok(long)) if long >> 34 == 0 => {
            ext_head(0xff, 8, out);
            out.extend((u64::from(nanos) << 34 | long).to_be_bytes());
        }
        _ => {
            ext_head(0xff, 12, out);
            out.extend(nanos.to_be_bytes());
            out.extend(seconds.to_be_bytes());
        }
    }
}
