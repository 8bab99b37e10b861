//! Calls the interface as a C program does: pointers, codes and structures.

#![allow(clippy::unwrap_used)] // helpers of tests

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, Float64Array, Int32Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{DataType, Field, Schema};
use colonnade_capi::convert::cn_convert;
use colonnade_capi::file::{
    CnRequest, cn_file_describe, cn_file_free, cn_file_read, cn_open_bytes, cn_open_path,
};
use colonnade_capi::reader::cn_open_reader;
use colonnade_capi::text::cn_text_free;
use colonnade_capi::write::{cn_encode, cn_write_path};
use colonnade_capi::writer::{cn_writer_close, cn_writer_create, cn_writer_free, cn_writer_write};
use colonnade_capi::{CnBuffer, CnCode, CnError, CnFile, CnProgress, cn_buffer_free, cn_error_clear};

fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn batch(start: i32) -> RecordBatch {
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![start, start + 1, start + 2])),
        Arc::new(StringArray::from(vec![Some("a"), None, Some("ü")])),
        Arc::new(Float64Array::from(vec![1.5, f64::NAN, -0.0])),
    ];
    let fields = vec![
        Field::new("i", DataType::Int32, true),
        Field::new("s", DataType::Utf8, true),
        Field::new("f", DataType::Float64, true),
    ];
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

fn stream(batches: Vec<RecordBatch>) -> FFI_ArrowArrayStream {
    let schema = batches[0].schema();
    FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema)))
}

fn error() -> CnError {
    // SAFETY: the interface asks for a zeroed structure, of which all fields allow zero.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the interface's texts are C strings.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned()
}

fn check(code: CnCode, error: &mut CnError) {
    assert_eq!(code, CnCode::Ok, "{}", text(error.text));
}

fn values(stream: &mut FFI_ArrowArrayStream) -> Vec<RecordBatch> {
    // SAFETY: the library filled the stream.
    unsafe { RecordBatchStreamReader::from_raw(stream) }.unwrap().map(Result::unwrap).collect()
}

#[test]
fn files_of_all_formats_come_back() {
    let directory = tempfile::tempdir().unwrap();
    for suffix in ["npz", "arrow", "arrows", "parquet", "msgpack", "csv", "json", "ndjson", "yaml"] {
        let path = c(directory.path().join(format!("x.{suffix}")).to_str().unwrap());
        let options = if matches!(suffix, "csv" | "json" | "ndjson" | "yaml") {
            r#"{"schema":"header"}"#
        } else {
            "{}"
        };
        let (mut input, mut failure) = (stream(vec![batch(1)]), error());
        // SAFETY: all pointers are valid.
        unsafe {
            let options = c(options);
            let code = cn_write_path(
                &raw mut input,
                path.as_ptr(),
                null(),
                options.as_ptr(),
                null(),
                null_mut(),
                &raw mut failure,
            );
            check(code, &mut failure);
            let mut file: *mut CnFile = null_mut();
            let code = cn_open_path(path.as_ptr(), null(), null(), null(), &raw mut file, &raw mut failure);
            check(code, &mut failure);
            let mut described = null_mut();
            check(cn_file_describe(file, &raw mut described, &raw mut failure), &mut failure);
            assert!(text(described).contains(&format!("\"format\":\"{suffix}\",")), "{}", text(described));
            assert!(text(described).contains("\"nrows\":3"), "{}", text(described));
            cn_text_free(described);
            let names = [c("f"), c("i")];
            let names = names.iter().map(|name| name.as_ptr()).collect::<Vec<_>>();
            let request =
                CnRequest { columns: names.as_ptr(), ncolumns: 2, has_rows: true, start_row: 1, stop_row: 3 };
            let mut out = FFI_ArrowArrayStream::empty();
            check(cn_file_read(file, &request, null(), &raw mut out, &raw mut failure), &mut failure);
            cn_file_free(file);
            let batches = values(&mut out);
            let (f, i) = (batches[0].column(0), batches[0].column(1));
            assert_eq!(batches[0].schema().field(0).name(), "f", "{suffix}");
            let f = f.as_any().downcast_ref::<Float64Array>().unwrap();
            assert!(f.value(0).is_nan() && f.value(1).to_bits() == (-0.0_f64).to_bits(), "{suffix}");
            let i = i.as_any().downcast_ref::<Int32Array>().unwrap();
            assert_eq!(i.values().as_ref(), [2, 3], "{suffix}");
        }
    }
}

#[test]
fn bytes_come_back() {
    let (mut input, mut failure) = (stream(vec![batch(1), batch(4)]), error());
    let mut bytes = CnBuffer { data: null_mut(), nbytes: 0, capacity: 0 };
    // SAFETY: all pointers are valid.
    unsafe {
        let (format, options) = (c("parquet"), c(r#"{"compression": "zstd"}"#));
        let code = cn_encode(
            &raw mut input,
            format.as_ptr(),
            options.as_ptr(),
            null(),
            &raw mut bytes,
            null_mut(),
            &raw mut failure,
        );
        check(code, &mut failure);
        let mut file: *mut CnFile = null_mut();
        let code =
            cn_open_bytes(bytes.data, bytes.nbytes, null(), null(), null(), &raw mut file, &raw mut failure);
        check(code, &mut failure);
        cn_buffer_free(&raw mut bytes);
        let mut out = FFI_ArrowArrayStream::empty();
        check(cn_file_read(file, null(), null(), &raw mut out, &raw mut failure), &mut failure);
        cn_file_free(file);
        let rows: usize = values(&mut out).iter().map(RecordBatch::num_rows).sum();
        assert_eq!(rows, 6);
    }
}

#[test]
fn chunks_are_written_read_and_converted() {
    let directory = tempfile::tempdir().unwrap();
    for suffix in ["arrow", "arrows", "parquet", "msgpack"] {
        let path = c(directory.path().join(format!("x.{suffix}")).to_str().unwrap());
        let other = c(directory.path().join(format!("from_{suffix}.npz")).to_str().unwrap());
        let mut failure = error();
        // SAFETY: all pointers are valid.
        unsafe {
            let mut writer = null_mut();
            let code = cn_writer_create(path.as_ptr(), null(), null(), &raw mut writer, &raw mut failure);
            check(code, &mut failure);
            for start in [1, 4] {
                let mut input = stream(vec![batch(start)]);
                check(cn_writer_write(writer, &raw mut input, null(), &raw mut failure), &mut failure);
            }
            check(cn_writer_close(writer, null(), &raw mut failure), &mut failure);
            cn_writer_free(writer);
            let mut out = FFI_ArrowArrayStream::empty();
            let code = cn_open_reader(path.as_ptr(), null(), null(), 0, &raw mut out, &raw mut failure);
            check(code, &mut failure);
            let batches = values(&mut out);
            let i = batches.iter().flat_map(|batch| {
                batch.column(0).as_any().downcast_ref::<Int32Array>().unwrap().values().to_vec()
            });
            assert_eq!(i.collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6], "{suffix}");
            let code = cn_convert(
                path.as_ptr(),
                null(),
                null(),
                other.as_ptr(),
                null(),
                null(),
                null(),
                null_mut(),
                &raw mut failure,
            );
            check(code, &mut failure);
            assert!(std::fs::read(other.to_str().unwrap()).unwrap().starts_with(b"PK"), "{suffix}");
        }
    }
}

#[test]
fn a_writer_that_is_not_closed_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = c(directory.path().join("x.arrow").to_str().unwrap());
    let mut failure = error();
    // SAFETY: all pointers are valid.
    unsafe {
        let mut writer = null_mut();
        check(
            cn_writer_create(path.as_ptr(), null(), null(), &raw mut writer, &raw mut failure),
            &mut failure,
        );
        cn_writer_free(writer);
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn errors_have_their_parts() {
    let mut failure = error();
    let mut file: *mut CnFile = null_mut();
    // SAFETY: all pointers are valid.
    unsafe {
        let mut open = |bytes: &[u8], options: &str, failure: &mut CnError| {
            let (format, options) = (c("arrows"), c(options));
            let progress = null();
            cn_open_bytes(
                bytes.as_ptr(),
                bytes.len(),
                format.as_ptr(),
                options.as_ptr(),
                progress,
                &raw mut file,
                failure,
            )
        };
        let cut = b"\xff\xff\xff\xff\x10\0\0\0";
        assert_eq!(open(cut, "{}", &mut failure), CnCode::Truncated, "{}", text(failure.text));
        assert_eq!(text(failure.kind), "truncated");
        assert!(failure.needed > failure.had && failure.had >= 0, "{failure:?}");
        cn_error_clear(&raw mut failure);
        assert_eq!(open(cut, r#"{"threads": "two"}"#, &mut failure), CnCode::InvalidOption);
        assert_eq!(text(failure.what), "threads");
        assert_eq!((text(failure.expected), text(failure.found)), ("a count".into(), "\"two\"".into()));
        cn_error_clear(&raw mut failure);
        let path = c("/nowhere/x.npz");
        let code = cn_open_path(path.as_ptr(), null(), null(), null(), &raw mut file, &raw mut failure);
        assert_eq!((code, failure.os_error), (CnCode::Io, 2));
        cn_error_clear(&raw mut failure);
        let code = cn_open_path(null(), null(), null(), null(), &raw mut file, &raw mut failure);
        assert_eq!(code, CnCode::InvalidOption);
        cn_error_clear(&raw mut failure);
    }
}

unsafe extern "C" fn stop(_: *mut c_void, _: i64, _: i64) -> c_int {
    1
}

#[test]
fn a_callback_cancels() {
    let directory = tempfile::tempdir().unwrap();
    let path = c(directory.path().join("x.npz").to_str().unwrap());
    let (mut input, mut failure) = (stream(vec![batch(1)]), error());
    let progress = CnProgress { call: Some(stop), context: null_mut() };
    // SAFETY: all pointers are valid.
    unsafe {
        let code = cn_write_path(
            &raw mut input,
            path.as_ptr(),
            null(),
            null(),
            &progress,
            null_mut(),
            &raw mut failure,
        );
        assert_eq!(code, CnCode::Cancelled);
        cn_error_clear(&raw mut failure);
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
