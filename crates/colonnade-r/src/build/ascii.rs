//! Text that the C code copies itself: most columns of R are ASCII, whose encoding needs no look.

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade_capi::error::{CnCode, CnError};

use super::{CnrBuilder, with};
use crate::r_memory::defect;

/// The C code copies texts of up to 16 bytes as two words, so it may write past the last text.
const SLACK_NBYTES: usize = 16;

/// A column of text whose memory the C code fills.
pub(super) struct AsciiText {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
    present: Vec<u8>,
    nbytes: usize,
}

/// Where the C code writes a column of text.
#[repr(C)]
#[derive(Debug)]
pub struct CnrTextMemory {
    /// The end of each text, after a first 0.
    pub offsets: *mut i32,
    /// The texts, one after another, and 16 bytes that may be overwritten.
    pub bytes: *mut u8,
    /// A bit for each row that has a text, from the lowest bit of the first byte on. All are 0.
    pub present: *mut u8,
}

/// Makes room for a column of `count` texts with `nbytes` bytes in all, which the caller fills before `cnr_ascii_end`.
///
/// # Safety
/// `builder` is valid; `out` is valid for writes; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_ascii_begin(
    builder: *mut CnrBuilder,
    count: usize,
    nbytes: usize,
    out: *mut CnrTextMemory,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            if i32::try_from(nbytes).is_err() {
                return Err(defect("more text than 32-bit offsets hold"));
            }
            let text = builder.ascii.insert(AsciiText {
                offsets: vec![0; count + 1],
                bytes: vec![0; nbytes + SLACK_NBYTES],
                present: vec![0; count.div_ceil(8)],
                nbytes,
            });
            out.write(CnrTextMemory {
                offsets: text.offsets.as_mut_ptr(),
                bytes: text.bytes.as_mut_ptr(),
                present: text.present.as_mut_ptr(),
            });
            Ok(())
        })
    }
}

/// Pushes the column if all of it is ASCII. Otherwise `is_ascii` is false, and the caller pushes it by `cnr_text_begin`.
///
/// # Safety
/// As `cnr_ascii_begin`, whose memory is filled: offsets ascend from 0 to the number of bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_ascii_end(
    builder: *mut CnrBuilder,
    missing: usize,
    is_ascii: *mut bool,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let AsciiText { offsets, mut bytes, present, nbytes } =
                builder.ascii.take().ok_or_else(|| defect("no text was begun"))?;
            bytes.truncate(nbytes);
            let found = bytes.is_ascii();
            is_ascii.write(found);
            if found {
                let count = offsets.len() - 1;
                let bits = BooleanBuffer::new(ArrowBuffer::from_vec(present), 0, count);
                let data = ArrayData::builder(DataType::Utf8)
                    .len(count)
                    .add_buffer(ArrowBuffer::from_vec(offsets))
                    .add_buffer(ArrowBuffer::from_vec(bytes))
                    .nulls((missing > 0).then(|| NullBuffer::new(bits)));
                // The caller guarantees the offsets; the bytes are ASCII.
                builder.push(data.build_unchecked());
            }
            Ok(())
        })
    }
}
