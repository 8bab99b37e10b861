//! Names, row labels and attributes of a frame.

use std::ffi::c_void;

use colonnade::Result;
use colonnade::frame::Labels;
use colonnade_capi::CnBuffer;
use colonnade_capi::error::{CnCode, CnError};
use serde_json::Value;

use super::{CnrFrame, with};
use crate::{hint, tags};

/// The row labels of a frame.
#[repr(C)]
#[derive(Debug)]
pub struct CnrRows {
    /// Levels, which are nodes after the columns; 0 for a range.
    pub levels: usize,
    /// The first label of a range.
    pub start: i64,
    /// The difference of labels of a range.
    pub step: i64,
    /// Whether R wrote the frame.
    pub is_r: bool,
}

/// The name of a column: UTF-8 of `nbytes`; null for `NA`. It lives as long as the frame.
///
/// # Safety
/// `frame`, `name` and `nbytes` are valid; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_column_name(
    frame: *const CnrFrame,
    column: usize,
    name: *mut *const c_void,
    nbytes: *mut usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let label = frame.labels.get(column).and_then(Option::as_deref);
            name.write(label.map_or(std::ptr::null(), |label| label.as_ptr().cast()));
            nbytes.write(label.map_or(0, str::len));
            Ok(())
        })
    }
}

/// The name of a data frame's column within a column, as `cnr_column_name`.
///
/// # Safety
/// As `cnr_column_name`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_child_name(
    frame: *const CnrFrame,
    node: usize,
    child: usize,
    name: *mut *const c_void,
    nbytes: *mut usize,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let label = frame.node(node)?.child_name(child);
            name.write(label.as_ptr().cast());
            nbytes.write(label.len());
            Ok(())
        })
    }
}

/// The row labels.
///
/// # Safety
/// `frame` and `out` are valid; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_rows(frame: *const CnrFrame, out: *mut CnrRows, error: *mut CnError) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let is_r = frame.is_r();
            out.write(match &frame.frame.index.labels {
                Labels::Auto { start, step, .. } => CnrRows { levels: 0, start: *start, step: *step, is_r },
                Labels::Levels(levels) => CnrRows { levels: levels.len(), start: 0, step: 1, is_r },
            });
            Ok(())
        })
    }
}

impl CnrFrame {
    /// Whether R wrote the frame.
    #[must_use]
    pub fn is_r(&self) -> bool {
        self.origin.get("library").and_then(Value::as_str) == Some("r")
    }

    /// The names of the row labels' levels.
    #[must_use]
    pub fn level_names(&self) -> Vec<String> {
        hint::level_names(&self.frame.index)
    }

    fn attributes(&self) -> Result<Vec<u8>> {
        let attributes = self.origin.get("attributes").filter(|_| self.is_r());
        attributes.map_or(Ok(Vec::new()), tags::attributes_to_msgpack)
    }
}

/// Hands out the names of the levels, one a line; the text has no NUL at the end.
///
/// # Safety
/// `frame` and `out` are valid; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_level_names(
    frame: *const CnrFrame,
    out: *mut CnBuffer,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            out.write(CnBuffer::of(frame.level_names().join("\n").into_bytes()));
            Ok(())
        })
    }
}

/// Hands out R's attributes of the data frame, as typed MessagePack; nothing if R did not write it.
///
/// # Safety
/// As `cnr_level_names`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_frame_attributes(
    frame: *const CnrFrame,
    out: *mut CnBuffer,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            out.write(CnBuffer::of(frame.attributes()?));
            Ok(())
        })
    }
}

/// Hands out what R cannot hold of a frame of another library: its types, labels and names, as a stream without rows. Nothing if
/// R wrote the frame.
///
/// # Safety
/// As `cnr_level_names`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_frame_hint(
    frame: *const CnrFrame,
    out: *mut CnBuffer,
    error: *mut CnError,
) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        with(frame, error, |frame| {
            let bytes = if frame.is_r() { Vec::new() } else { hint::of(&frame.frame)? };
            out.write(CnBuffer::of(bytes));
            Ok(())
        })
    }
}
