//! Text and bytes of any length, copied once, in pieces.

use std::ffi::c_void;

use arrow_buffer::{BooleanBufferBuilder, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade::{Error, Result};
use colonnade_capi::error::{CnCode, CnError};

use super::{CnrBuilder, with};
use crate::r_memory::{defect, values_of};

/// A column of text or bytes that is being filled.
pub(super) struct TextBuilder {
    /// Whether the values are bytes rather than text.
    binary: bool,
    offsets: Vec<i64>,
    bytes: Vec<u8>,
    /// The validity, from the first missing value on.
    present: Option<BooleanBufferBuilder>,
}

impl TextBuilder {
    fn push(&mut self, value: Option<&[u8]>) -> Result<()> {
        self.bytes.extend_from_slice(value.unwrap_or_default());
        if value.is_none() && self.present.is_none() {
            let mut present = BooleanBufferBuilder::new(self.offsets.capacity());
            present.append_n(self.offsets.len() - 1, true);
            self.present = Some(present);
        }
        if let Some(present) = &mut self.present {
            present.append(value.is_some());
        }
        self.offsets.push(i64::try_from(self.bytes.len()).map_err(|_| Error::too_large("r"))?);
        Ok(())
    }

    fn finish(mut self) -> Result<ArrayData> {
        let count = self.offsets.len() - 1;
        let nulls = self.present.as_mut().map(|present| NullBuffer::new(present.finish()));
        let small = i32::try_from(self.bytes.len()).is_ok();
        let data_type = match (self.binary, small) {
            (false, true) => DataType::Utf8,
            (false, false) => DataType::LargeUtf8,
            (true, true) => DataType::Binary,
            (true, false) => DataType::LargeBinary,
        };
        if !self.binary {
            self.check_text()?;
        }
        let offsets = if small {
            let narrow: Vec<i32> =
                self.offsets.iter().map(|&offset| i32::try_from(offset).unwrap_or(i32::MAX)).collect();
            ArrowBuffer::from_vec(narrow)
        } else {
            ArrowBuffer::from_vec(self.offsets)
        };
        let bytes = ArrowBuffer::from_vec(self.bytes);
        let builder =
            ArrayData::builder(data_type).len(count).add_buffer(offsets).add_buffer(bytes).nulls(nulls);
        // SAFETY: `push` made offsets that ascend to the length of the bytes, one more than there are values, and
        // `check_text` checked that the text between two of them is UTF-8.
        Ok(unsafe { builder.build_unchecked() })
    }

    /// Refuses text that is not UTF-8, and names its row.
    fn check_text(&self) -> Result<()> {
        if self.bytes.is_ascii() {
            return Ok(());
        }
        let rows = self.offsets.windows(2);
        for (row, bounds) in rows.enumerate() {
            let [start, stop] = bounds else { continue };
            let range = usize::try_from(*start).unwrap_or(0)..usize::try_from(*stop).unwrap_or(0);
            let text = self.bytes.get(range).unwrap_or_default();
            if std::str::from_utf8(text).is_err() {
                let message = format!(
                    "row {}: expected text of a known encoding, found the bytes \"{}\". Set it with Encoding(), or use a list of raw vectors.",
                    row + 1,
                    text.get(..text.len().min(40)).unwrap_or_default().escape_ascii()
                );
                return Err(Error::unrepresentable("r", message));
            }
        }
        Ok(())
    }
}

/// Begins a column of `count` values with `nbytes` bytes in all: bytes if `binary`, else text.
///
/// # Safety
/// `builder` is valid; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_text_begin(
    builder: *mut CnrBuilder,
    count: usize,
    nbytes: usize,
    binary: bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let mut offsets = Vec::with_capacity(count + 1);
            offsets.push(0);
            builder.text =
                Some(TextBuilder { binary, offsets, bytes: Vec::with_capacity(nbytes), present: None });
            Ok(())
        })
    }
}

/// Appends values: their addresses, null for `NA`, and their sizes in bytes.
///
/// # Safety
/// `builder` is valid; `values` and `sizes` are valid for `count` items, and each value for its size; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_text_push(
    builder: *mut CnrBuilder,
    values: *const *const c_void,
    sizes: *const usize,
    count: usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let text = builder.text.as_mut().ok_or_else(|| defect("no text was begun"))?;
            for (value, size) in values_of(values, count).iter().zip(values_of(sizes, count)) {
                let bytes = (!value.is_null()).then(|| values_of(value.cast::<u8>(), *size));
                text.push(bytes)?;
            }
            Ok(())
        })
    }
}

/// Pushes the column.
///
/// # Safety
/// As `cnr_text_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_text_end(builder: *mut CnrBuilder, error: *mut CnError) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let text = builder.text.take().ok_or_else(|| defect("no text was begun"))?;
            let data = text.finish()?;
            builder.push(data);
            Ok(())
        })
    }
}
