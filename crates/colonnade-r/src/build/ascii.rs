//! Text that the C code copies itself: most columns of R are ASCII, whose encoding needs no look.

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade::Error;
use colonnade::memory::{Buffer, Region, RegionMut};
use colonnade_capi::error::{CnCode, CnError};

use super::{CnrBuilder, with};
use crate::r_memory::defect;

fn arrow_of(filled: RegionMut) -> ArrowBuffer {
    Buffer::from_region(filled.finish(), true).to_arrow()
}

/// The C code copies texts of up to 16 bytes as two words, so it may write past the last text.
const SLACK_NBYTES: usize = 16;

/// A column of text whose memory the C code fills.
pub(super) struct AsciiText {
    count: usize,
    offsets: RegionMut,
    present: Vec<u8>,
    bytes: RegionMut,
    nbytes: usize,
}

/// Where the C code writes the places of a column's texts.
#[repr(C)]
#[derive(Debug)]
pub struct CnrTextPlaces {
    /// The end of each text, after a first 0.
    pub offsets: *mut i32,
    /// A bit for each row that has a text, from the lowest bit of the first byte on. All are 0.
    pub present: *mut u8,
}

/// Makes room for the places of `count` texts, which the caller fills before `cnr_ascii_bytes`.
///
/// # Safety
/// `builder` is valid; `out` is valid for writes; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_ascii_begin(
    builder: *mut CnrBuilder,
    count: usize,
    out: *mut CnrTextPlaces,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let too_large = || Error::too_large("r");
            let places = count.checked_add(1).and_then(|count| count.checked_mul(4)).ok_or_else(too_large)?;
            let text = builder.ascii.insert(AsciiText {
                count,
                offsets: Region::allocate(places)?,
                present: vec![0; count.div_ceil(8)],
                bytes: RegionMut::default(),
                nbytes: 0,
            });
            // Memory of the core has any values.
            if let Some(first) = text.offsets.as_mut_slice().get_mut(..4) {
                first.fill(0);
            }
            out.write(CnrTextPlaces {
                offsets: text.offsets.as_mut_slice().as_mut_ptr().cast(),
                present: text.present.as_mut_ptr(),
            });
            Ok(())
        })
    }
}

/// Makes room for `nbytes` bytes of text and 16 more, which the caller fills before `cnr_ascii_end`.
///
/// # Safety
/// As `cnr_ascii_begin`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_ascii_bytes(
    builder: *mut CnrBuilder,
    nbytes: usize,
    out: *mut *mut u8,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(builder, error, |builder| {
            let text = builder.ascii.as_mut().ok_or_else(|| defect("no text was begun"))?;
            text.nbytes = nbytes;
            text.bytes = Region::allocate(nbytes.saturating_add(SLACK_NBYTES))?;
            out.write(text.bytes.as_mut_slice().as_mut_ptr());
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
            let AsciiText { count, offsets, present, mut bytes, nbytes } =
                builder.ascii.take().ok_or_else(|| defect("no text was begun"))?;
            let found = bytes.as_mut_slice().get(..nbytes).is_some_and(<[u8]>::is_ascii);
            is_ascii.write(found);
            if found {
                let bits = BooleanBuffer::new(ArrowBuffer::from_vec(present), 0, count);
                let data = ArrayData::builder(DataType::Utf8)
                    .len(count)
                    .add_buffer(arrow_of(offsets))
                    .add_buffer(arrow_of(bytes).slice_with_length(0, nbytes))
                    .nulls((missing > 0).then(|| NullBuffer::new(bits)));
                // SAFETY: the C code wrote ascending offsets up to `nbytes`, and a bit for each text. The bytes are ASCII, as just checked.
                builder.push(data.build_unchecked());
            }
            Ok(())
        })
    }
}
