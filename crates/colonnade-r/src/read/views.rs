//! Text, bytes and lists, as views of the file's memory.

use std::ffi::c_void;

use arrow_array::cast::AsArray;
use arrow_array::{Array, make_array};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use colonnade::Result;
use colonnade_capi::error::{CnCode, CnError};

use super::{CnrFrame, Node, with};
use crate::r_memory::defect;

/// The texts of an array.
pub(super) fn texts(data: &ArrayData) -> Vec<Option<String>> {
    let array = make_array(data.clone());
    let own = |text: Option<&str>| text.map(str::to_owned);
    match data.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(own).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(own).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(own).collect(),
        _ => Vec::new(),
    }
}

/// The bytes of rows `start..stop`: addresses and sizes; null for missing values.
fn values(node: &Node, start: usize, addresses: &mut [*const c_void], sizes: &mut [usize]) -> Result<()> {
    let array = make_array(node.data.clone());
    let mut each = |value: &dyn Fn(usize) -> *const [u8]| {
        for (i, (address, size)) in addresses.iter_mut().zip(sizes.iter_mut()).enumerate() {
            let row = start + i;
            if array.is_valid(row) {
                let bytes = value(row);
                *address = bytes.cast();
                *size = bytes.len();
            } else {
                *address = std::ptr::null();
                *size = 0;
            }
        }
    };
    match node.data.data_type() {
        DataType::Utf8 => {
            let texts = array.as_string::<i32>();
            each(&|row| texts.value(row).as_bytes());
        }
        DataType::LargeUtf8 => {
            let texts = array.as_string::<i64>();
            each(&|row| texts.value(row).as_bytes());
        }
        DataType::Utf8View => {
            let texts = array.as_string_view();
            each(&|row| texts.value(row).as_bytes());
        }
        DataType::Binary => {
            let bytes = array.as_binary::<i32>();
            each(&|row| bytes.value(row));
        }
        DataType::LargeBinary => {
            let bytes = array.as_binary::<i64>();
            each(&|row| bytes.value(row));
        }
        DataType::BinaryView => {
            let bytes = array.as_binary_view();
            each(&|row| bytes.value(row));
        }
        DataType::FixedSizeBinary(_) => {
            let bytes = array.as_fixed_size_binary();
            each(&|row| bytes.value(row));
        }
        _ => return Err(defect("text of another type")),
    }
    Ok(())
}

/// The memory of a column of text, if its texts are one after another.
#[repr(C)]
#[derive(Debug)]
pub struct CnrTexts {
    /// The start of each text, and the end of the last one; null unless they are of 32 bits.
    pub offsets32: *const i32,
    /// The same of 64 bits. If both are null, use `cnr_values`.
    pub offsets64: *const i64,
    /// The texts.
    pub bytes: *const u8,
    /// A bit for each text that is not missing; null if none is.
    pub present: *const u8,
    /// The bit of the first text.
    pub first_bit: usize,
}

/// The memory of a column of text. It is valid as long as the frame.
///
/// # Safety
/// `frame` is valid; `out` is valid for writes; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_texts(
    frame: *const CnrFrame,
    node: usize,
    out: *mut CnrTexts,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let data = &frame.node(node)?.data;
            let mut texts = CnrTexts {
                offsets32: std::ptr::null(),
                offsets64: std::ptr::null(),
                bytes: std::ptr::null(),
                present: data.nulls().map_or(std::ptr::null(), |nulls| nulls.validity().as_ptr()),
                first_bit: data.nulls().map_or(0, arrow_buffer::NullBuffer::offset),
            };
            // An empty column may have no offsets.
            if let ([offsets, bytes], false) = (data.buffers(), data.is_empty()) {
                texts.bytes = bytes.as_ptr();
                let first = data.offset();
                match data.data_type() {
                    DataType::Utf8 => texts.offsets32 = offsets.typed_data::<i32>().as_ptr().add(first),
                    DataType::LargeUtf8 => texts.offsets64 = offsets.typed_data::<i64>().as_ptr().add(first),
                    _ => {}
                }
            }
            out.write(texts);
            Ok(())
        })
    }
}

/// The addresses and sizes of `count` texts or byte strings from row `start` on; null for missing values. They are valid as long
/// as the frame. The address of an empty value is not null.
///
/// # Safety
/// `frame` is valid; `addresses` and `sizes` are valid for writes of `count` items; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_values(
    frame: *const CnrFrame,
    node: usize,
    start: usize,
    count: usize,
    addresses: *mut *const c_void,
    sizes: *mut usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let node = frame.node(node)?;
            if count == 0 {
                return Ok(());
            }
            if start.checked_add(count).is_none_or(|stop| stop > node.data.len()) {
                return Err(defect("rows out of range"));
            }
            let addresses = std::slice::from_raw_parts_mut(addresses, count);
            values(node, start, addresses, std::slice::from_raw_parts_mut(sizes, count))
        })
    }
}

/// The first and the last value of each list among the values of child 0; the last is -1 for NULL.
///
/// # Safety
/// `frame` is valid; `starts` and `stops` are valid for writes of the node's count; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_list_bounds(
    frame: *const CnrFrame,
    node: usize,
    starts: *mut i64,
    stops: *mut i64,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let data = &frame.node(node)?.data;
            let buffer = data.buffers().first();
            let bound = |row: usize| -> Option<(i64, i64)> {
                let at = data.offset() + row;
                match data.data_type() {
                    DataType::List(_) | DataType::Map(..) => {
                        let offsets = buffer?.typed_data::<i32>();
                        Some((i64::from(*offsets.get(at)?), i64::from(*offsets.get(at + 1)?)))
                    }
                    DataType::LargeList(_) => {
                        let offsets = buffer?.typed_data::<i64>();
                        Some((*offsets.get(at)?, *offsets.get(at + 1)?))
                    }
                    DataType::FixedSizeList(_, width) => {
                        let (row, width) = (i64::try_from(row).ok()?, i64::from(*width));
                        Some((row * width, (row + 1) * width))
                    }
                    _ => None,
                }
            };
            for row in 0..data.len() {
                let (start, stop) = bound(row).ok_or_else(|| defect("a list without bounds"))?;
                starts.add(row).write(start);
                stops.add(row).write(if data.is_valid(row) { stop } else { -1 });
            }
            Ok(())
        })
    }
}
