//! Kernels of npz, one at a time: `cargo bench -p colonnade`. Each works on memory, so that disks have no say.

#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark: what fails ends it")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, Write};
use std::time::Duration;

use colonnade::codec::{deflate, zstd};
use colonnade::container::members::Compat;
use colonnade::container::npy::{parse_header, write_header};
use colonnade::container::store::{Request, Store, StoreSource};
use colonnade::container::zip::Directory;
use colonnade::formats::npz::{MemberCodec, WriteOptions, encode};
use colonnade::frame::{Axis, Block, DType, Frame, Grid, Labels, Level, Part, Tags};
use colonnade::limits::Limits;
use colonnade::memory::Buffer;
use colonnade::progress::NoProgress;
use colonnade::sink::Sink;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// Takes everything and keeps nothing: what is left is the work before the disk.
struct Null;

impl Sink for Null {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        black_box(bytes);
        Ok(())
    }

    fn can_patch(&self) -> bool {
        true
    }

    fn patch(&mut self, _offset: u64, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }
}

/// Columns of three dtypes in turn: as many members, in three groups.
fn wide(ncols: usize, nrows: usize) -> Frame {
    let dtypes = ["<i8", "|b1", "<f8"].map(|descr| DType::parse(descr).unwrap());
    let column = |position: usize| {
        let dtype = dtypes[position % 3];
        let grid = Grid::column_major(dtype, nrows, 1, 0);
        let block = Block::new(grid, Buffer::from_vec(vec![1; nrows * dtype.itemsize as usize])).unwrap();
        Part::Block(block, vec![position])
    };
    frame(nrows, ncols, (0..ncols).map(column).collect())
}

/// One block of `width` columns of doubles.
fn one_block(nrows: usize, width: usize) -> Frame {
    let dtype = DType::parse("<f8").unwrap();
    let bytes: Vec<u8> = (0..nrows * width).flat_map(|i| (i % 1000).to_le_bytes()).collect();
    let block = Block::new(Grid::column_major(dtype, nrows, width, 0), Buffer::from_vec(bytes)).unwrap();
    frame(nrows, width, vec![Part::Block(block, (0..width).collect())])
}

fn frame(nrows: usize, ncols: usize, parts: Vec<Part>) -> Frame {
    let tags = Tags { name: "null".into(), ..Tags::default() };
    let range = Axis::range(ncols);
    let labels = Labels::Levels(vec![Level::Block(range.range_labels().unwrap())]);
    let columns = Axis { labels, classes: vec!["Index".into()], ..range };
    Frame::new(Axis::range(nrows), columns, parts, tags).unwrap()
}

fn options(threads: usize) -> WriteOptions {
    WriteOptions::new(MemberCodec::None, BTreeMap::new(), None, Compat::Ours, threads).unwrap()
}

/// Opening is linear in the members, and touches no data.
fn open(c: &mut Criterion) {
    let mut bytes = Vec::new();
    encode(&wide(10_000, 100), &options(1), &mut bytes, &NoProgress).unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let mut group = c.benchmark_group("open");
    group.throughput(Throughput::Elements(10_002));
    group.bench_function("directory of 10,002 members", |b| {
        b.iter(|| Directory::parse(&bytes, 1 << 20).unwrap())
    });
    group.bench_function("map of 10,002 members", |b| {
        b.iter(|| {
            let source = StoreSource::file(file.try_clone().unwrap(), true, 1, &NoProgress).unwrap();
            Store::open_source(source, Limits::default()).unwrap()
        });
    });
    group.bench_function("map of 10,002 members, axes and blocks", |b| {
        b.iter(|| {
            let source = StoreSource::file(file.try_clone().unwrap(), true, 1, &NoProgress).unwrap();
            let store = Store::open_source(source, Limits::default()).unwrap();
            let axes = store.axes(1).unwrap();
            let progress = &NoProgress;
            store.load(&axes, &Request::all(1, progress)).unwrap()
        });
    });
    group.finish();
}

/// Many small members cost time a member; one large one costs its checksum.
fn write(c: &mut Criterion) {
    let (small, large) = (wide(10_000, 100), one_block(1 << 20, 8));
    let mut group = c.benchmark_group("write");
    group.throughput(Throughput::Elements(10_002));
    group.bench_function("10,000 small members to memory", |b| {
        let mut out = Vec::new();
        b.iter(|| {
            out.clear();
            encode(&small, &options(1), &mut out, &NoProgress).unwrap()
        });
    });
    group.bench_function("10,000 small members to nowhere", |b| {
        b.iter(|| encode(&small, &options(1), &mut Null, &NoProgress).unwrap());
    });
    group.throughput(Throughput::Bytes(64 << 20));
    // The limit of what follows.
    let bytes = small_integers(8 << 20);
    group.bench_function("checksum of 64 MiB alone", |b| b.iter(|| crc32fast::hash(black_box(&bytes))));
    drop(bytes);
    for threads in [1, 2] {
        group.bench_with_input(
            BenchmarkId::new("a block of 64 MiB to nowhere", threads),
            &threads,
            |b, &threads| {
                b.iter(|| encode(&large, &options(threads), &mut Null, &NoProgress).unwrap());
            },
        );
    }
    group.finish();
}

/// One header in StaticFrame's spelling, one in NumPy's, one that takes the general grammar.
fn header(c: &mut Criterion) {
    let mut ours = Vec::new();
    write_header(&mut ours, &DType::parse("<f8").unwrap(), true, &[1000, 3]);
    let spelled = |text: &[u8]| {
        let mut out = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        out.extend_from_slice(text);
        out.resize(127, b' ');
        out.push(b'\n');
        out
    };
    let numpy = spelled(b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 3), }");
    let unusual = spelled(b"{ 'shape':(1000,3) , 'fortran_order':False, 'descr':'<f8'}");
    let mut group = c.benchmark_group("NPY header");
    for (name, bytes) in [("ours", ours), ("NumPy's", numpy), ("unusual", unusual)] {
        group.bench_function(name, |b| b.iter(|| parse_header(black_box(&bytes), None, 1 << 20).unwrap()));
    }
    group.finish();
}

/// Integers below 1,024 without a pattern: ten bits of news in each eight bytes.
fn small_integers(count: u64) -> Vec<u8> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % 1024
    };
    (0..count).flat_map(|_| next().to_le_bytes()).collect()
}

/// A block that packs, without repeating itself.
fn codecs(c: &mut Criterion) {
    let bytes = small_integers(1 << 17);
    let mut back = vec![0; bytes.len()];
    let mut group = c.benchmark_group("codec, 1 MiB");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    let packed = zstd::compress(&[&bytes], zstd::DEFAULT_LEVEL, 1, &|| Ok(())).unwrap();
    group.bench_function("zstd compress", |b| {
        b.iter(|| zstd::compress(&[&bytes], zstd::DEFAULT_LEVEL, 1, &|| Ok(())).unwrap());
    });
    group.bench_function("zstd decompress", |b| b.iter(|| zstd::decompress(&packed, &mut back).unwrap()));
    let packed = deflate::compress(&[&bytes], deflate::DEFAULT_LEVEL, &|| Ok(())).unwrap();
    group.bench_function("deflate compress", |b| {
        b.iter(|| deflate::compress(&[&bytes], deflate::DEFAULT_LEVEL, &|| Ok(())).unwrap());
    });
    group.bench_function("deflate decompress", |b| {
        b.iter(|| deflate::decompress(&packed, &mut back).unwrap())
    });
    group.finish();
}

/// Under a minute in all: enough to see a kernel change, not to publish.
fn short() -> Criterion {
    let quick = Criterion::default().sample_size(10);
    quick.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1))
}

criterion_group!(name = kernels; config = short(); targets = open, write, header, codecs);
criterion_main!(kernels);
