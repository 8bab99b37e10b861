//! Checks the write capabilities of every registered format: claimed ones work, and others return an error.

use std::cell::RefCell;
use std::rc::Rc;

use super::*;
use crate::codec::file::unpacked;
use crate::error::ErrorKind;
use crate::formats::{self, MemberSink, csv, msgpack, npy, npz};
use crate::frame::{Axis, Block, DType, Grid, Part, Tags};
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::NoProgress;

/// An array with automatic labels, which every format can hold.
fn frame() -> Frame {
    let dtype = DType::parse("<i4").unwrap();
    let bytes = Buffer::from_vec((0..24).collect());
    let block = Block::new(Grid::column_major(dtype, 3, 2, 0), bytes).unwrap();
    let tags = Tags { name: "null".into(), ..Tags::default() };
    Frame::new(Axis::range(3), Axis::range(2), vec![Part::Block(block, vec![0, 1])], tags).unwrap()
}

/// Options for writing a frame of the format as a message, if the format has messages.
fn options(name: &str) -> Arc<Options> {
    let schema = csv::SchemaPlace::Header;
    match name {
        "npz" => Arc::new(npz::WriteOptions::default()),
        "npy" => Arc::new(npy::WriteOptions::default()),
        "arrow" | "arrows" => Arc::new(formats::arrow::WriteOptions::default()),
        "parquet" => Arc::new(formats::parquet::WriteOptions::default()),
        "msgpack" => Arc::new(msgpack::WriteOptions::default()),
        "csv" => Arc::new(csv::WriteOptions { schema, ..csv::WriteOptions::default() }),
        "json" => Arc::new(formats::json::WriteOptions::default()),
        "ndjson" => Arc::new(formats::json::lines::WriteOptions::default()),
        "yaml" => Arc::new(formats::yaml::WriteOptions::default()),
        other => panic!("{other} is registered; say here which options it takes"),
    }
}

fn encodings() -> Vec<FrameEncoding> {
    let names = registry().iter().map(|format| format.spec().name);
    names.map(|name| FrameEncoding::new(name, options(name)).unwrap()).collect()
}

fn encoded(encoding: &FrameEncoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    encoding.encode(&frame(), &mut bytes, &NoProgress).unwrap();
    bytes
}

fn is_unsupported(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Unsupported)
}

fn is_option(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidOption)
}

#[test]
fn every_format_writes_a_frame_and_refuses_the_options_of_another() {
    for encoding in encodings() {
        assert!(!encoded(&encoding).is_empty());
        let name = encoding.format().spec().name;
        let others = FrameEncoding::new(name, Arc::new(0_u8)).unwrap();
        assert!(is_option(&others.encode(&frame(), &mut Vec::new(), &NoProgress).unwrap_err()), "{name}");
    }
    assert!(FrameEncoding::new("xls", Arc::new(0_u8)).is_err());
}

#[test]
fn an_encoder_writes_the_bytes_that_the_format_writes() {
    for encoding in encodings() {
        let Some(mut encoder) = encoding.format().encoder() else { continue };
        for _ in 0..2 {
            let mut bytes = Vec::new();
            encoding.encode_with(&mut *encoder, &frame(), &mut bytes, &NoProgress).unwrap();
            assert_eq!(bytes, encoded(&encoding));
        }
    }
}

#[test]
fn a_format_has_a_writer_where_it_claims_chunks() {
    for encoding in encodings() {
        let spec = encoding.format().spec();
        let mut writer = match encoding.writer() {
            Ok(writer) => writer,
            Err(error) => {
                assert!(is_unsupported(&error) && !spec.capabilities.chunks, "{}: {error}", spec.name);
                continue;
            }
        };
        assert!(spec.capabilities.chunks, "{}", spec.name);
        let mut bytes = Vec::new();
        let empty = writer.finish(&mut bytes, &NoProgress).unwrap_err();
        assert!(matches!(empty.kind(), ErrorKind::Unrepresentable), "{}: {empty}", spec.name);
        let mut writer = encoding.writer().unwrap();
        writer.write(&frame(), &mut bytes, &NoProgress).unwrap();
        writer.finish(&mut bytes, &NoProgress).unwrap();
        assert!(!bytes.is_empty());
        assert_eq!((writer.nbatches(), writer.nrows()), (1, 3), "{}", spec.name);
    }
}

#[test]
fn a_format_writes_bundles_where_it_claims_them() {
    for encoding in encodings() {
        let (spec, mut bytes) = (encoding.format().spec(), Vec::new());
        let frames = [("a".to_owned(), frame()), ("b".to_owned(), frame())];
        match encoding.encode_bundle(&frames, &mut bytes, &NoProgress) {
            Ok(()) => assert!(spec.capabilities.bundle && !bytes.is_empty(), "{}", spec.name),
            Err(error) => {
                assert!(is_unsupported(&error) && !spec.capabilities.bundle, "{}: {error}", spec.name);
            }
        }
    }
}

#[test]
fn a_frame_is_a_message_where_the_format_claims_messages() {
    for encoding in encodings() {
        let spec = encoding.format().spec();
        let checked = encoding.check_message(&frame());
        assert_eq!(checked.is_ok(), spec.capabilities.messages, "{}", spec.name);
        if let Err(error) = checked {
            assert!(is_option(&error), "{}: {error}", spec.name);
        }
        assert_eq!(encoding.message_writer().is_ok(), spec.name == "arrows", "{}", spec.name);
    }
    let npz = FrameEncoding::new("npz", options("npz")).unwrap();
    let error = npz.check_message(&frame()).unwrap_err().to_string();
    assert_eq!(error, "format: expected \"arrows\", \"msgpack\", \"csv\" or \"ndjson\", found \"npz\".");
}

#[test]
fn text_without_its_header_is_no_message() {
    let plain = FrameEncoding::new("csv", Arc::new(csv::WriteOptions::default())).unwrap();
    assert!(is_option(&plain.check_message(&frame()).unwrap_err()));
    let header = FrameEncoding::new("csv", options("csv")).unwrap();
    let packed = header.compressed(Some(FileCodec::Gzip), None).unwrap();
    assert!(is_option(&packed.check_message(&frame()).unwrap_err()));
}

#[test]
fn an_empty_map_is_no_message() {
    let core = msgpack::WriteOptions { header: false, ..msgpack::WriteOptions::default() };
    let encoding = FrameEncoding::new("msgpack", Arc::new(core)).unwrap();
    let tags = Tags { name: "null".into(), ..Tags::default() };
    let empty = Frame::new(Axis::range(0), Axis::range(0), vec![], tags).unwrap();
    let error = encoding.check_message(&empty).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unrepresentable), "{error}");
    assert!(encoding.check_message(&frame()).is_ok());
}

#[test]
fn whole_file_compression_keeps_the_bytes() {
    for encoding in encodings() {
        let spec = encoding.format().spec();
        let plain = encoded(&encoding);
        for codec in [FileCodec::Gzip, FileCodec::Zstd] {
            let Ok(packed) = encoding.clone().compressed(Some(codec), Some(1)) else {
                assert!(!spec.capabilities.compressed, "{}", spec.name);
                continue;
            };
            assert!(spec.capabilities.compressed, "{}", spec.name);
            let inside = |bytes: Vec<u8>| {
                let limits = Limits::default();
                let (text, found) =
                    unpacked(spec.name, Buffer::from_vec(bytes), &limits, &NoProgress).unwrap();
                assert_eq!(found, Some(codec));
                text.as_slice().to_vec()
            };
            assert_eq!(inside(encoded(&packed)), plain, "{}", spec.name);
            let (Ok(mut writer), Ok(mut bare)) = (packed.writer(), encoding.writer()) else { continue };
            let (mut bytes, mut expected) = (Vec::new(), Vec::new());
            writer.write(&frame(), &mut bytes, &NoProgress).unwrap();
            writer.finish(&mut bytes, &NoProgress).unwrap();
            bare.write(&frame(), &mut expected, &NoProgress).unwrap();
            assert_eq!(inside(bytes), expected, "{}", spec.name);
        }
    }
    let level = FrameEncoding::new("csv", options("csv"))
        .unwrap()
        .compressed(Some(FileCodec::Gzip), Some(99))
        .unwrap();
    assert!(is_option(&level.encode(&frame(), &mut Vec::new(), &NoProgress).unwrap_err()));
}

#[test]
fn only_csv_has_a_sidecar() {
    for encoding in encodings() {
        let sidecar = encoding.sidecar(Some(&frame())).unwrap();
        assert_eq!(sidecar.is_some(), encoding.format().spec().name == "csv");
    }
    let schema = csv::SchemaPlace::Sidecar;
    let core = csv::WriteOptions { schema, ..csv::WriteOptions::default() };
    let encoding = FrameEncoding::new("csv", Arc::new(core)).unwrap();
    let Sidecar { suffix, content, is_sidecar } = encoding.sidecar(Some(&frame())).unwrap().unwrap();
    assert_eq!(suffix, ".schema.json");
    assert!(is_sidecar(&content.unwrap()));
    assert!(!is_sidecar(b"{\"schema\": \"somebody's own\"}"));
    assert!(encoding.sidecar(None).unwrap().unwrap().content.is_none());
}

struct CollectedMember(String, Vec<u8>, Rc<RefCell<Vec<(String, usize)>>>);

impl Sink for CollectedMember {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.1.write(bytes)
    }
}

impl MemberSink for CollectedMember {
    fn commit(self: Box<Self>) -> Result<()> {
        self.2.borrow_mut().push((self.0, self.1.len()));
        Ok(())
    }
}

#[test]
fn a_directory_has_members_that_the_format_knows() {
    for encoding in encodings() {
        let members = Rc::new(RefCell::new(Vec::new()));
        let mut open = |name: &str| {
            Ok(Box::new(CollectedMember(name.to_owned(), Vec::new(), Rc::clone(&members)))
                as Box<dyn MemberSink>)
        };
        let spec = encoding.format().spec();
        match encoding.encode_directory(&frame(), &mut open, &NoProgress) {
            Err(error) => assert!(is_unsupported(&error), "{}: {error}", spec.name),
            Ok(()) => {
                assert!(spec.capabilities.directory, "{}", spec.name);
                for (name, nbytes) in members.borrow().iter() {
                    assert!(encoding.format().is_member(name) && *nbytes > 0, "{name}");
                }
                assert!(!members.borrow().is_empty());
            }
        }
        assert!(!encoding.format().is_member("notes.txt"));
    }
}
