//! Texts that the caller passes and gets.

use std::ffi::{CStr, CString, c_char};

use colonnade::{Error, Result};

/// The text of a C string; `None` for null. `name` is the argument, for the error.
///
/// # Errors
/// `InvalidOption`: not UTF-8.
///
/// # Safety
/// `text` is null, or a C string that outlives the result.
pub unsafe fn optional<'t>(name: &'static str, text: *const c_char) -> Result<Option<&'t str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller guarantees it.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| {
        Error::invalid_option("capi", format!("{name}: expected UTF-8, found {:?}.", text.to_string_lossy()))
    })
}

/// The text of a C string.
///
/// # Errors
/// `InvalidOption`: null, or not UTF-8.
///
/// # Safety
/// As [`optional`].
pub unsafe fn required<'t>(name: &'static str, text: *const c_char) -> Result<&'t str> {
    // SAFETY: the caller guarantees it.
    unsafe { optional(name, text) }?.ok_or_else(|| null(name))
}

/// The error for an argument that must not be null.
#[must_use]
pub fn null(name: &'static str) -> Error {
    Error::invalid_option("capi", format!("{name}: expected a pointer, found NULL."))
}

/// Frees a text that this library returned. Null is ignored.
///
/// # Safety
/// `text` is null, or a result of this library that was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: the caller guarantees that `CString::into_raw` made it.
        drop(unsafe { CString::from_raw(text) });
    }
}
