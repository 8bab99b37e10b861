//! Calls the C interface as a program does that passes on texts of its users.
//!
//! Input: a byte that chooses the formats, the options for reading, a zero, a column, a zero, the options for writing, a zero, then
//! the file. Any text may be options.

use std::ffi::{CStr, CString, c_char};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use arrow_array::RecordBatch;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use colonnade::formats::registry;
use colonnade_capi::file::{CnRequest, cn_file_describe, cn_file_free, cn_file_read, cn_open_bytes};
use colonnade_capi::text::cn_text_free;
use colonnade_capi::write::cn_encode;
use colonnade_capi::{CnBuffer, CnCode, CnError, CnFile, cn_buffer_free, cn_error_clear};

/// Options that raise a limit may use as much memory as they say.
const LIMITS: [&[u8]; 2] = [b"max_", b"limits"];

/// Opens the file by the interface, describes it, reads a part and the whole, and encodes the whole.
///
/// # Panics
/// If a call panics inside, or fails without an error text.
pub fn interface(input: &[u8]) {
    let [choice, rest @ ..] = input else { return };
    let mut parts = rest.splitn(4, |byte| *byte == 0);
    let (Some(options), Some(column), Some(writing), Some(file)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    if LIMITS.iter().any(|word| options.windows(word.len()).any(|found| found == *word)) {
        return;
    }
    let names: Vec<CString> =
        registry().iter().filter_map(|format| CString::new(format.spec().name).ok()).collect();
    let [from, to] = [usize::from(choice & 15), usize::from(choice >> 4)].map(|place| names.get(place));
    let [options, column, writing] = [options, column, writing].map(|text| CString::new(text).ok());
    let Some(file) = Opened::new(file, from, options.as_ref()) else { return };
    file.describe();
    if let Some(column) = &column {
        let names = [column.as_ptr()];
        let request = CnRequest {
            columns: names.as_ptr(),
            ncolumns: 1,
            has_rows: true,
            start_row: usize::from(*choice & 3),
            stop_row: usize::from(*choice),
        };
        drop(file.read(Some(&request)).map(ended));
    }
    drop(file.read(None).map(ended));
    if let (Some(to), Some(stream)) = (to, file.read(None)) {
        encode(stream, to, writing.as_ref());
    }
}

/// A file of the interface, which is freed.
struct Opened(*mut CnFile);

impl Opened {
    fn new(file: &[u8], format: Option<&CString>, options: Option<&CString>) -> Option<Self> {
        let mut out = null_mut();
        let opened = called(|error| {
            // SAFETY: the bytes and texts live until the call returns, `out` and `error` are valid.
            unsafe {
                cn_open_bytes(
                    file.as_ptr(),
                    file.len(),
                    pointer(format),
                    pointer(options),
                    null(),
                    &raw mut out,
                    error,
                )
            }
        });
        opened.then_some(Self(out))
    }

    fn describe(&self) {
        let mut text = null_mut();
        // SAFETY: the file is open, `text` and `error` are valid.
        if called(|error| unsafe { cn_file_describe(self.0, &raw mut text, error) }) {
            // SAFETY: the call succeeded, so `text` is a C string of the library, which is freed once.
            unsafe {
                assert!(CStr::from_ptr(text).to_str().is_ok(), "a description is UTF-8");
                cn_text_free(text);
            }
        }
    }

    fn read(&self, request: Option<&CnRequest>) -> Option<FFI_ArrowArrayStream> {
        let mut out = FFI_ArrowArrayStream::empty();
        let request = request.map_or(null(), std::ptr::from_ref);
        // SAFETY: the file is open, `request` is null or valid, `out` is a released stream.
        called(|error| unsafe { cn_file_read(self.0, request, null(), &raw mut out, error) }).then_some(out)
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: a result of the library, which is freed once.
        unsafe { cn_file_free(self.0) }
    }
}

/// The batches of a stream, which validates the structures that it imports.
fn ended(stream: FFI_ArrowArrayStream) -> Vec<RecordBatch> {
    RecordBatchStreamReader::try_new(stream)
        .map(|batches| batches.map_while(Result::ok).collect())
        .unwrap_or_default()
}

fn encode(mut stream: FFI_ArrowArrayStream, format: &CString, options: Option<&CString>) {
    let mut bytes = CnBuffer { data: null_mut(), nbytes: 0, capacity: 0 };
    let mut losses: *mut c_char = null_mut();
    called(|error| {
        // SAFETY: the stream is valid, texts live until the call returns, the other pointers are valid.
        unsafe {
            cn_encode(
                &raw mut stream,
                format.as_ptr(),
                pointer(options),
                null(),
                &raw mut bytes,
                &raw mut losses,
                error,
            )
        }
    });
    // SAFETY: zeroed, or filled by the library, and freed once.
    unsafe {
        cn_buffer_free(&raw mut bytes);
        cn_text_free(losses);
    }
}

fn pointer(text: Option<&CString>) -> *const c_char {
    text.map_or(null(), |text| text.as_ptr())
}

/// Whether a call succeeded. Its error must have a text, and be no bug of Colonnade.
fn called(call: impl FnOnce(*mut CnError) -> CnCode) -> bool {
    // SAFETY: all fields of the structure allow zero.
    let mut error: CnError = unsafe { MaybeUninit::zeroed().assume_init() };
    let code = call(&raw mut error);
    if code == CnCode::Ok {
        return true;
    }
    assert!(!error.text.is_null(), "{code:?} has no text");
    // SAFETY: the library's texts are C strings.
    let text = unsafe { CStr::from_ptr(error.text) }.to_string_lossy().into_owned();
    assert!(code != CnCode::Internal, "a panic was caught: {text}");
    // SAFETY: the library filled it.
    unsafe { cn_error_clear(&raw mut error) }
    false
}
