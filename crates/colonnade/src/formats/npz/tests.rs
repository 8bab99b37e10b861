//! Round trips of npz, and the bytes that it writes.

use proptest::prelude::*;

use super::*;
use crate::container::members::Compat;
use crate::container::store::{Request, Store, StoreSource};
use crate::container::zip::{Directory, data_offset};
use crate::frame::{AdjacentColumns, Axis, Block, DType, Frame, Grid, Part, Tags};
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::NoProgress;
use crate::{Error, ErrorKind};

fn named() -> Tags {
    Tags { name: "null".into(), ..Tags::default() }
}

/// Columns of the given dtypes in turn, each with different bytes.
fn frame(nrows: usize, descrs: &[&str]) -> Frame {
    let mut parts = Vec::new();
    for (position, descr) in descrs.iter().enumerate() {
        let dtype = DType::parse(descr).unwrap();
        let nbytes = nrows * dtype.itemsize as usize;
        let bytes = (0..nbytes).map(|i| u8::try_from((i * 7 + position) % 2).unwrap()).collect();
        let block = Block::new(Grid::column_major(dtype, nrows, 1, 0), Buffer::from_vec(bytes)).unwrap();
        parts.push(Part::Block(block, vec![position]));
    }
    Frame::new(Axis::range(nrows), Axis::range(descrs.len()), parts, named()).unwrap()
}

fn written(frame: &Frame, codec: MemberCodec) -> Vec<u8> {
    let options = WriteOptions::new(codec, Default::default(), None, Compat::Ours, 2).unwrap();
    let mut out = Vec::new();
    let nbytes = encode(frame, &options, &mut out, &NoProgress).unwrap();
    assert_eq!(nbytes, out.len() as u64);
    out
}

fn read(bytes: Vec<u8>) -> Result<Frame, Error> {
    let store = Store::open_source(StoreSource::Memory(Buffer::from_vec(bytes)), Limits::default())?;
    let request = Request { private: true, ..Request::all(2, &NoProgress) };
    store.verify(2, &NoProgress)?;
    store.load(&store.axes(1)?, &request)
}

/// Every column's dtype and packed bytes.
fn cells(frame: &Frame) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    for run in frame.runs(&|position| position).unwrap() {
        let AdjacentColumns::Block(block) = run else { continue };
        let mut bytes = Vec::new();
        block
            .chunks(&mut |chunk| {
                bytes.extend_from_slice(chunk);
                Ok(())
            })
            .unwrap();
        out.push((block.grid.dtype.descr(), bytes));
    }
    out
}

#[test]
fn arrays_are_aligned_and_equal_headers_stand_at_a_constant_odd_distance() {
    let descrs: Vec<&str> = ["<i8", "|b1", "<f8"].into_iter().cycle().take(60).collect();
    let bytes = written(&frame(100, &descrs), MemberCodec::None);
    let directory = Directory::parse(&bytes, 1000).unwrap();
    let mut floats = Vec::new();
    for i in 0..directory.entries.len() {
        let name = directory.name_str(i);
        let offset = data_offset(&bytes, &directory, i).unwrap();
        if let Some(number) = name.strip_prefix("__blocks_").and_then(|n| n.strip_suffix("__.npy")) {
            assert_eq!(offset % 64, 0, "{name}");
            if number.parse::<usize>().unwrap() % 3 == 2 {
                floats.push(offset);
            }
        }
    }
    let distances: Vec<u64> = floats.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(distances.iter().all(|&d| d == distances[0] && d % 128 == 64), "{distances:?}");
    assert_eq!(read(bytes).unwrap().parts.len(), 3);
}

#[test]
fn large_arrays_start_on_a_page() {
    let bytes = written(&frame(200_000, &["<f8"]), MemberCodec::None);
    let directory = Directory::parse(&bytes, 1000).unwrap();
    let offset = data_offset(&bytes, &directory, 1).unwrap();
    let start = usize::try_from(offset).unwrap();
    let head = crate::container::npy::header_len(&bytes[start..start + 12]).unwrap();
    assert_eq!((directory.name(1), (start + head) % 4096), (&b"__blocks_0__.npy"[..], 0));
}

#[test]
fn the_same_frame_gives_the_same_bytes_on_any_number_of_threads() {
    let frame = frame(50_000, &["<i8", "<i8", "|b1", "<f8"]);
    for codec in [MemberCodec::None, MemberCodec::Zstd, MemberCodec::Deflate] {
        let bytes = |threads| {
            let options = WriteOptions::new(codec, Default::default(), None, Compat::Ours, threads).unwrap();
            let mut out = Vec::new();
            encode(&frame, &options, &mut out, &NoProgress).unwrap();
            out
        };
        assert_eq!(bytes(1), bytes(4), "{codec:?}");
    }
}

#[test]
fn a_level_outside_its_range_is_refused() {
    for (codec, level) in [(MemberCodec::Zstd, 23), (MemberCodec::Deflate, 10)] {
        let error = WriteOptions::new(codec, Default::default(), Some(level), Compat::Ours, 1).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::InvalidOption) && error.to_string().contains("found"),
            "{error}"
        );
    }
}

fn descrs() -> impl Strategy<Value = Vec<&'static str>> {
    let dtypes = ["|b1", "|i1", "<i8", ">i4", "<f2", "<f8", "<c16", "|S3", "<M8[D]", "|V5", ">f8", "<f16"];
    proptest::collection::vec(proptest::sample::select(dtypes.to_vec()), 0..20)
}

proptest! {
    #[test]
    fn frames_come_back(nrows in 0usize..50, descrs in descrs(), codec in 0u8..3) {
        let codec = [MemberCodec::None, MemberCodec::Zstd, MemberCodec::Deflate][usize::from(codec)];
        let frame = frame(nrows, &descrs);
        let back = read(written(&frame, codec)).unwrap();
        prop_assert_eq!((back.nrows, back.ncols), (nrows, descrs.len()));
        prop_assert_eq!(cells(&back), cells(&frame));
    }

    #[test]
    fn any_byte_flipped_or_cut_is_an_error_or_a_frame(at in 0usize..2000, flip in 1u8..=255, cut: bool) {
        let mut bytes = written(&frame(7, &["<i8", "|b1"]), MemberCodec::Zstd);
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= flip }
        let _ = read(bytes);
    }
}
