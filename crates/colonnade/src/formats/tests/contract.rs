//! Checks the claims of registered formats: claimed capabilities work, and others return an error.
//!
//! The samples are golden files of `conformance/`: an article of 3 rows and 4 columns in most formats.

#![allow(clippy::type_complexity, reason = "a test that is called with each format is spelled once")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::codec::gzip;
use crate::container::store;
use crate::decode::Request;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::arrow::read::OpenOptions;
use crate::formats::json::lines;
use crate::formats::parquet;
use crate::formats::{Event, Format, IncrementalReader, Opened, Options, registry};
use crate::formats::{csv, json, msgpack, yaml};
use crate::limits::Limits;
use crate::memory::{Buffer, Remote};
use crate::progress::NoProgress;
use crate::source::Source;
use crate::source::tests::InMemoryRemote;

/// Options to open a format, and a sample file.
fn sample(name: &str) -> (Box<Options>, PathBuf) {
    let limits = Limits::default();
    let file = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance").join(name);
    let members = Box::new(store::ReadOptions { limits, threads: 2 });
    let messages = Box::new(OpenOptions { form: None, limits, allow_truncated: false, threads: 2 });
    match name {
        "npz" => (members, file("npz/article.npz")),
        "npy" => (members, file("npy/f_order.npy")),
        "arrow" => (messages, file("arrow/article.arrow")),
        "arrows" => (messages, file("arrows/article.arrows")),
        "parquet" => {
            let options = parquet::read::ReadOptions { threads: 2, ..Default::default() };
            (Box::new(options), file("parquet/article.parquet"))
        }
        "msgpack" => (Box::new(msgpack::ReadOptions::default()), file("msgpack/article.msgpack")),
        "csv" => (Box::new(csv::ReadOptions::default()), file("csv/article.csv")),
        "json" => (Box::new(json::ReadOptions::default()), file("json/article.json")),
        "ndjson" => (Box::new(lines::ReadOptions::default()), file("ndjson/article.ndjson")),
        "yaml" => (Box::new(yaml::ReadOptions::default()), file("yaml/article.yaml")),
        _ => panic!("{name} has no sample here"),
    }
}

/// Each format, with its options, its sample and the sample's bytes.
fn each(test: &dyn Fn(&'static dyn Format, &Options, &Path, Vec<u8>)) {
    for format in registry().iter() {
        let (options, path) = sample(format.spec().name);
        test(format, &*options, &path, std::fs::read(&path).unwrap());
    }
}

fn open(format: &dyn Format, options: &Options, source: Source<'_>) -> Result<Box<dyn Opened>> {
    format.open(source, options, &NoProgress)
}

fn refuses(error: Option<Error>, name: &str, what: &str) {
    let error = error.unwrap_or_else(|| panic!("{name} does not claim {what}, and does not refuse it"));
    assert!(matches!(error.kind(), ErrorKind::Unsupported), "{name}, {what}: {error}");
}

#[test]
fn a_file_is_the_same_from_memory_from_a_path_and_from_a_stream() {
    each(&|format, options, path, bytes| {
        let name = format.spec().name;
        let request = Request::all(2, &NoProgress);
        let summary = |source: Source<'_>| {
            let opened = open(format, options, source).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(opened.format(), name);
            opened.verify(2, &NoProgress).unwrap();
            let (nrows, ncols) = opened.shape().unwrap();
            let loaded = opened.load(&request).unwrap();
            assert!(!loaded.private);
            assert_eq!((loaded.frame.nrows, loaded.frame.ncols), (nrows, ncols), "{name}");
            assert_eq!(opened.columns().unwrap().len(), ncols);
            assert_eq!(opened.index().unwrap().len(), nrows);
            assert_eq!(opened.dtypes().unwrap().len(), ncols);
            let batches: usize = opened.load_arrow(&request).unwrap().iter().map(|batch| batch.nrows).sum();
            assert_eq!(batches, nrows, "{name}");
            if let Some(rows) = opened.batch_rows() {
                assert_eq!(rows.iter().sum::<usize>(), nrows, "{name}");
                assert_eq!(opened.batches().unwrap().len(), rows.len());
                assert!(opened.batch(rows.len(), &request).is_err());
            }
            (nrows, opened.dtypes().unwrap(), opened.members().unwrap(), opened.facts(), opened.file_nbytes())
        };
        let expected = summary(Source::Memory(Buffer::from_vec(bytes.clone())));
        assert!(expected.0 > 0 && expected.4 == bytes.len() as u64, "{name}");
        for mmap in [false, true] {
            assert_eq!(summary(Source::Path { path, mmap }), expected, "{name}");
        }
        assert_eq!(summary(Source::Stream(&mut bytes.as_slice())), expected, "{name}");
    });
}

#[test]
fn options_of_another_format_are_refused() {
    each(&|format, _, path, _| {
        let error = open(format, &0u8, Source::Path { path, mmap: false }).err().unwrap();
        assert!(matches!(error.kind(), ErrorKind::InvalidOption), "{error}");
    });
}

#[test]
fn a_file_begins_with_the_magic_of_its_format() {
    each(&|format, _, _, bytes| {
        let spec = format.spec();
        assert!(spec.magic.is_empty() || spec.begins(&bytes), "{}", spec.name);
    });
}

/// Feeds one byte at a time, and returns the rows of all batches.
fn feed(mut reader: Box<dyn IncrementalReader>, bytes: &[u8]) -> Result<usize> {
    let mut nrows = 0;
    let mut hear = |reader: &mut dyn IncrementalReader, mut count| loop {
        match reader.filled(count, &NoProgress)? {
            Event::Batch(frame) => nrows += frame.nrows,
            Event::Schema => {}
            Event::Need => return Ok::<bool, Error>(true),
            Event::End => return Ok(false),
        }
        count = 0;
    };
    for byte in bytes {
        let room = reader.room()?;
        *room.first_mut().unwrap() = *byte;
        if !hear(&mut *reader, 1)? {
            break;
        }
    }
    reader.finish()?;
    hear(&mut *reader, 0)?;
    assert!(reader.schema()?.is_some());
    Ok(nrows)
}

#[test]
fn incremental_formats_are_read_byte_by_byte_and_others_refuse() {
    each(&|format, options, path, bytes| {
        let spec = format.spec();
        let reader = format.reader(options, 2, Some(path));
        if !spec.capabilities.incremental {
            return refuses(reader.err(), spec.name, "incremental");
        }
        let whole = open(format, options, Source::Path { path, mmap: false }).unwrap().shape().unwrap();
        assert_eq!(feed(reader.unwrap(), &bytes).unwrap(), whole.0, "{}", spec.name);
    });
}

#[test]
fn chosen_columns_and_rows_are_what_is_loaded() {
    each(&|format, options, path, _| {
        let spec = format.spec();
        if !spec.capabilities.projection {
            return;
        }
        let opened = open(format, options, Source::Path { path, mmap: true }).unwrap();
        let request =
            Request { positions: Some(&[1, 0]), rows: Some((1, 2)), ..Request::all(2, &NoProgress) };
        let part = opened.load(&request).unwrap().frame;
        assert_eq!((part.nrows, part.ncols), (1, 2), "{}", spec.name);
    });
}

#[test]
fn ranged_formats_are_read_of_ranges() {
    each(&|format, options, path, bytes| {
        let spec = format.spec();
        if !spec.capabilities.ranged {
            return;
        }
        let remote = Remote::new(bytes.len() as u64, u64::MAX, Box::new(InMemoryRemote(bytes))).unwrap();
        let opened = open(format, options, Source::Ranges(Arc::new(remote))).unwrap();
        let whole = open(format, options, Source::Path { path, mmap: false }).unwrap();
        assert_eq!(opened.shape().unwrap(), whole.shape().unwrap());
        let frame = opened.load(&Request::all(2, &NoProgress)).unwrap().frame;
        assert_eq!((frame.nrows, frame.ncols), whole.shape().unwrap(), "{}", spec.name);
    });
}

#[test]
fn only_formats_that_claim_it_open_a_directory() {
    let members = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/npy/article");
    each(&|format, options, _, _| {
        let spec = format.spec();
        let opened = open(format, options, Source::Path { path: &members, mmap: true });
        assert_eq!(opened.is_ok(), spec.capabilities.directory, "{}", spec.name);
    });
}

#[test]
fn only_formats_that_claim_it_open_a_compressed_file() {
    each(&|format, options, _, bytes| {
        let spec = format.spec();
        let mut packed = Vec::new();
        gzip::compress(&bytes, 6, &mut packed).unwrap();
        let opened = open(format, options, Source::Memory(Buffer::from_vec(packed)));
        assert_eq!(opened.is_ok(), spec.capabilities.compressed, "{}", spec.name);
    });
}

#[test]
fn labels_are_those_of_a_bundle() {
    each(&|format, options, path, _| {
        let opened = open(format, options, Source::Path { path, mmap: true }).unwrap();
        assert_ne!(opened.kind(), "bundle");
        assert!(opened.open_label("a", &NoProgress).is_err(), "{}", format.spec().name);
        assert!(opened.labels().map_or(true, |labels| labels.is_empty()));
    });
}
