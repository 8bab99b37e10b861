//! Uses a format that only this test registers through the traits.

use super::minimal::{NoOptions, SevenBitFormat, values};
use crate::decode::Request;
use crate::error::{ErrorKind, Result};
use crate::formats::{Event, Fact, Format, Opened, Registry};
use crate::memory::Buffer;
use crate::progress::NoProgress;
use crate::source::Source;

const BYTES: &[u8] = b"7BIT\nabc";

fn format() -> &'static dyn Format {
    let registry = Registry::new(vec![&SevenBitFormat]).unwrap();
    let found = [registry.by_name("7bit"), registry.by_suffix("dir/A.7BIT"), registry.by_magic(BYTES)];
    let [format, ..] = found.map(|found| found.unwrap());
    format
}

fn open(source: Source<'_>) -> Result<Box<dyn Opened>> {
    format().open(source, &NoOptions, &NoProgress)
}

fn opened(bytes: &[u8]) -> Box<dyn Opened> {
    open(Source::Memory(Buffer::from_vec(bytes.to_vec()))).unwrap()
}

#[test]
fn it_is_read_and_written_again() {
    let request = Request { rows: Some((1, 3)), ..Request::all(1, &NoProgress) };
    let frame = opened(BYTES).load(&request).unwrap().frame;
    let mut out = Vec::new();
    format().encode(&frame, &NoOptions, &mut out, &NoProgress).unwrap();
    assert_eq!(out, b"7BIT\nbc");
}

#[test]
fn it_is_read_from_a_stream_and_from_a_path() {
    let path = std::env::temp_dir().join(format!("colonnade-minimal-{}.7bit", std::process::id()));
    std::fs::write(&path, BYTES).unwrap();
    let file = open(Source::Path { path: &path, mmap: true });
    std::fs::remove_file(&path).unwrap();
    for opened in [open(Source::Stream(&mut &BYTES[..])), file] {
        let loaded = opened.unwrap().load(&Request::all(1, &NoProgress)).unwrap();
        assert_eq!(values(&loaded.frame), b"abc");
    }
}

#[test]
fn it_is_read_incrementally() {
    for step in [1, 3, 64] {
        let mut reader = format().reader(&NoOptions, 1, None).unwrap();
        let mut found = Vec::new();
        for piece in BYTES.chunks(step) {
            reader.room().unwrap()[..piece.len()].copy_from_slice(piece);
            let mut count = piece.len();
            while let Event::Batch(frame) = reader.filled(count, &NoProgress).unwrap() {
                found.extend_from_slice(values(&frame));
                count = 0;
            }
        }
        reader.finish().unwrap();
        assert!(matches!(reader.filled(0, &NoProgress).unwrap(), Event::End));
        assert_eq!((found.as_slice(), reader.schema().unwrap().unwrap().nrows), (&b"abc"[..], 0));
    }
}

#[test]
fn it_is_inspected_and_verified() {
    let opened_file = opened(BYTES);
    let names = (opened_file.format(), opened_file.kind(), opened_file.layout());
    assert_eq!(names, ("7bit", "frame", "column"));
    assert_eq!(opened_file.shape().unwrap(), (3, 1));
    assert_eq!((opened_file.file_nbytes(), opened_file.nbytes()), (8, 3));
    assert_eq!(opened_file.members().unwrap()[0][1], ("shape", Fact::Shape(vec![3])));
    opened_file.verify(1, &NoProgress).unwrap();
    let error = opened(b"7BIT\n\xff").verify(1, &NoProgress).unwrap_err();
    assert_eq!(error.to_string(), "7bit: expected \"7BIT\\n\" and bytes below 128.");
}

#[test]
fn it_refuses_what_it_does_not_claim() {
    let frame = opened(BYTES).load(&Request::all(1, &NoProgress)).unwrap().frame;
    let bundle = [("a".to_owned(), frame)];
    let bundled = format().encode_bundle(&bundle, &NoOptions, &mut Vec::new(), &NoProgress);
    for refused in [bundled.err(), format().writer(&NoOptions).err()] {
        assert!(matches!(refused.unwrap().kind(), ErrorKind::Unsupported));
    }
    let bytes = Source::Memory(Buffer::from_vec(BYTES.to_vec()));
    assert!(!format().is_series(bytes, &NoOptions, &NoProgress).unwrap());
}
