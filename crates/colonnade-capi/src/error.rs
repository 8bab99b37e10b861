//! Errors: a code, a position, and the parts of the message.

use std::ffi::{CString, c_char};
use std::sync::Once;

use colonnade::panics::{catch_panic, install_panic_hook};
use colonnade::{Error, ErrorKind, Result};

/// The kind of an error. The values never change.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CnCode {
    /// No error.
    Ok = 0,
    /// The bytes break the format's specification.
    Malformed = 1,
    /// The input ends inside a structure; see `needed` and `had`.
    Truncated = 2,
    /// Legal input that this build does not read.
    Unsupported = 3,
    /// The format cannot hold this column exactly.
    Unrepresentable = 4,
    /// An option or argument outside its range.
    InvalidOption = 5,
    /// A declared size over a limit.
    LimitExceeded = 6,
    /// A column, member or label that does not exist.
    NotFound = 7,
    /// An error of the operating system; see `os_error`.
    Io = 8,
    /// The progress callback asked to stop.
    Cancelled = 9,
    /// A bug in Colonnade.
    Internal = 10,
}

/// An error. A caller passes a zeroed structure, and calls `cn_error_clear` when it has read the texts. Texts that do not
/// apply are null, numbers that do not apply are -1.
#[repr(C)]
#[derive(Debug)]
pub struct CnError {
    /// The kind.
    pub code: CnCode,
    /// `errno` of an error of the operating system; else 0.
    pub os_error: i32,
    /// Offset in bytes from the start of the source.
    pub offset: i64,
    /// Line of text, from 1.
    pub line: i64,
    /// Bytes that a truncated structure needs.
    pub needed: i64,
    /// Bytes that the input has.
    pub had: i64,
    /// The name of the kind: `"truncated"`.
    pub kind: *mut c_char,
    /// The format, or another part of the library.
    pub format: *mut c_char,
    /// The column, or the member of an archive.
    pub member: *mut c_char,
    /// The whole text: format, position and message.
    pub text: *mut c_char,
    /// The part of the message before what was expected: the option, or the subject.
    pub what: *mut c_char,
    /// What was expected.
    pub expected: *mut c_char,
    /// What was found.
    pub found: *mut c_char,
    /// The next step.
    pub next_step: *mut c_char,
}

/// The code and the name of a kind.
#[must_use]
pub fn code_of(kind: &ErrorKind) -> (CnCode, &'static str) {
    match kind {
        ErrorKind::Truncated { .. } => (CnCode::Truncated, "truncated"),
        ErrorKind::Unsupported => (CnCode::Unsupported, "unsupported"),
        ErrorKind::Unrepresentable => (CnCode::Unrepresentable, "unrepresentable"),
        ErrorKind::InvalidOption => (CnCode::InvalidOption, "invalid_option"),
        ErrorKind::LimitExceeded => (CnCode::LimitExceeded, "limit_exceeded"),
        ErrorKind::NotFound => (CnCode::NotFound, "not_found"),
        ErrorKind::Io(_) => (CnCode::Io, "io"),
        ErrorKind::Cancelled => (CnCode::Cancelled, "cancelled"),
        ErrorKind::Internal => (CnCode::Internal, "internal"),
        _ => (CnCode::Malformed, "malformed"),
    }
}

/// The parts of a message.
#[derive(Debug, Default, PartialEq, Eq)]
struct MessageParts<'m> {
    what: Option<&'m str>,
    expected: Option<&'m str>,
    found: Option<&'m str>,
    next_step: Option<&'m str>,
}

/// Splits a message of the form `what: expected E, found F. Next step.`, which most messages of the core have. Parts that a
/// message does not have stay `None`.
fn message_parts(message: &str) -> MessageParts<'_> {
    let some = |text: &'_ str| (!text.is_empty()).then_some(text.len());
    let mut out = MessageParts::default();
    let Some(start) = message.find("expected ") else {
        return MessageParts { what: some(message).map(|_| message), ..out };
    };
    let (before, rest) = message.split_at(start);
    let what = before.trim_end_matches([' ', ':']);
    out.what = some(what).map(|_| what);
    let rest = rest.get("expected ".len()..).unwrap_or_default();
    let Some((expected, rest)) = rest.split_once(", found ") else {
        let (expected, next_step) = sentences(rest);
        return MessageParts { expected: Some(expected), next_step, ..out };
    };
    let (found, next_step) = sentences(rest);
    MessageParts { expected: Some(expected), found: Some(found), next_step, ..out }
}

/// The end of the current sentence, and the sentences after it. A sentence begins with a capital letter.
fn sentences(text: &str) -> (&str, Option<&str>) {
    let ends = text.match_indices(". ").find(|(at, _)| {
        text.get(at + 2..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase)
    });
    match ends {
        Some((at, _)) => (text.get(..at).unwrap_or(text), text.get(at + 2..)),
        None => (text.strip_suffix('.').unwrap_or(text), None),
    }
}

/// A C string of `text` that the caller frees. A NUL inside becomes a space.
#[must_use]
pub fn c_text(text: &str) -> *mut c_char {
    CString::new(text.replace('\0', " ")).unwrap_or_default().into_raw()
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(-1)
}

impl CnError {
    /// The C form of an error.
    #[must_use]
    pub fn of(error: &Error) -> Self {
        let (code, kind) = code_of(error.kind());
        // Numbers, not options: the compiler may test the sign of the value in a `None`. No result depends on it, but valgrind
        // reports memory without a value.
        let (os_error, needed, had) = match error.kind() {
            ErrorKind::Io(error) => (error.raw_os_error().unwrap_or(0), -1, -1),
            ErrorKind::Truncated { needed, had } => (0, number(*needed), number(*had)),
            _ => (0, -1, -1),
        };
        let location = error.location();
        let parts = message_parts(error.message());
        let optional = |text: Option<&str>| text.map_or(std::ptr::null_mut(), c_text);
        Self {
            code,
            os_error,
            offset: location.offset.map_or(-1, number),
            line: location.line.map_or(-1, number),
            needed,
            had,
            kind: c_text(kind),
            format: c_text(error.format()),
            member: optional(location.member.as_deref()),
            text: c_text(&error.to_string()),
            what: optional(parts.what),
            expected: optional(parts.expected),
            found: optional(parts.found),
            next_step: optional(parts.next_step),
        }
    }
}

/// Runs `work`, and reports its error or its panic to `error`, which may be null.
///
/// # Safety
/// `error` is null or valid for writes.
pub unsafe fn report(error: *mut CnError, work: impl FnOnce() -> Result<()>) -> CnCode {
    static HOOK: Once = Once::new();
    HOOK.call_once(install_panic_hook);
    match catch_panic(work).and_then(|result| result) {
        Ok(()) => CnCode::Ok,
        Err(failure) => {
            let code = code_of(failure.kind()).0;
            if !error.is_null() {
                // SAFETY: the caller guarantees it. The old value has no texts to free: callers pass a zeroed structure.
                unsafe { error.write(CnError::of(&failure)) };
            }
            code
        }
    }
}

/// Frees the texts of an error, and zeroes it. Null is ignored.
///
/// # Safety
/// `error` is null, zeroed, or was filled by this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cn_error_clear(error: *mut CnError) {
    // SAFETY: the caller guarantees that the pointer is null or valid.
    let Some(error) = (unsafe { error.as_mut() }) else { return };
    for text in [
        &mut error.kind,
        &mut error.format,
        &mut error.member,
        &mut error.text,
        &mut error.what,
        &mut error.expected,
        &mut error.found,
        &mut error.next_step,
    ] {
        let text = std::mem::replace(text, std::ptr::null_mut());
        if !text.is_null() {
            // SAFETY: `c_text` made every text that is not null, and each is freed once.
            drop(unsafe { CString::from_raw(text) });
        }
    }
    error.code = CnCode::Ok;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_split() {
        let parts = message_parts("level: expected 1 to 22, found 99. Take 3.");
        let expected = MessageParts {
            what: Some("level"),
            expected: Some("1 to 22"),
            found: Some("99"),
            next_step: Some("Take 3."),
        };
        assert_eq!(parts, expected);
        let parts = message_parts("rows 1..2 are out of range: there are 0.");
        assert_eq!(parts.what, Some("rows 1..2 are out of range: there are 0."));
        assert_eq!(parts.expected, None);
        let parts = message_parts("expected text, found \"a. b\".");
        assert_eq!(parts.found, Some("\"a. b\""));
    }

    #[test]
    fn panics_are_errors() {
        let mut error = std::mem::MaybeUninit::<CnError>::zeroed();
        // SAFETY: the structure is zeroed, and valid for writes.
        let code = unsafe { report(error.as_mut_ptr(), || panic!("a panic for tests")) };
        assert_eq!(code, CnCode::Internal);
        // SAFETY: `report` filled it.
        unsafe { cn_error_clear(error.as_mut_ptr()) };
    }
}
