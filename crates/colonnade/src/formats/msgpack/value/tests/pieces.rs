//! Frames and errors do not depend on how the bytes were split.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::*;
use crate::cells::msgpack::skip::skip;
use crate::decode::Request;
use crate::formats::Opened;
use crate::formats::msgpack::{MsgpackOrient, OpenedMsgpack, WriteOptions, encode};
use crate::frame::{Axis, Block, Column, DType, Grid, Labels, Level, Part, Tags};
use crate::progress::NoProgress;

fn block(descr: &str, nrows: usize, value: impl Fn(usize) -> Vec<u8>) -> Block {
    let dtype = DType::parse(descr).unwrap();
    let bytes = (0..nrows).flat_map(value).collect();
    Block::new(Grid::column_major(dtype, nrows, 1, 0), Buffer::from_vec(bytes)).unwrap()
}

/// Blocks of several dtypes, text with and without nulls, categories, lists, structs; row labels of two levels.
fn frame(nrows: usize) -> Frame {
    let text = |i: usize| (i % 3 != 1).then(|| format!("N{}é{}", i * 31 % 4000, "x".repeat(i % 40)));
    let texts: LargeStringArray = (0..nrows).map(text).collect();
    let short: StringArray = (0..nrows).map(|i| Some(format!("{i}"))).collect();
    let codes: DictionaryArray<Int8Type> = (0..nrows).map(|i| Some(["a", "b"][i % 2])).collect();
    let lists = ListArray::from_iter_primitive::<arrow_array::types::Int32Type, _, _>(
        (0..nrows)
            .map(|i| (i % 4 > 0).then(|| (0..i32::try_from(i).unwrap() % 5).map(Some).collect::<Vec<_>>())),
    );
    let inner: ArrayRef =
        Arc::new(Int64Array::from_iter((0..nrows).map(|i| (i % 2 == 0).then_some(i as i64))));
    let structs = StructArray::from(vec![(Arc::new(Field::new("k", DataType::Int64, true)), inner)]);
    let columns: Vec<ArrayData> =
        vec![texts.to_data(), short.to_data(), codes.to_data(), lists.to_data(), structs.to_data()];
    let mut parts = vec![
        Part::Block(block("<f8", nrows, |i| (i as f64 * 0.5).to_le_bytes().to_vec()), vec![0]),
        Part::Block(block("<i8", nrows, |i| (i as i64 * 7919 - 900).to_le_bytes().to_vec()), vec![1]),
        Part::Block(block("|b1", nrows, |i| vec![u8::from(i % 3 == 0)]), vec![2]),
        Part::Block(block("<i8", nrows, |i| (i as i64 % 90).to_le_bytes().to_vec()), vec![3]),
        Part::Block(block(">u2", nrows, |i| u16::try_from(i).unwrap().to_be_bytes().to_vec()), vec![4]),
    ];
    for (i, data) in columns.into_iter().enumerate() {
        parts.push(Part::Column(Column::new(data), 5 + i));
    }
    let columns = Axis::range(parts.len());
    let level = Level::Block(
        block("<i4", nrows, |i| (i32::try_from(i).unwrap() * 3).to_le_bytes().to_vec()).column(0),
    );
    let labels = Labels::Levels(vec![level]);
    let index = Axis { labels, classes: vec!["Index".into()], ..Axis::range(0) };
    Frame::new(index, columns, parts, Tags { name: "null".into(), ..Tags::default() }).unwrap()
}

fn encoded(frame: &Frame, options: &WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    encode(frame, options, &mut out, &NoProgress).unwrap();
    out
}

/// The decoded frame, or the error text.
type PiecesOutcome = std::result::Result<Vec<u8>, String>;

fn outcome_of(frame: Result<Frame>) -> PiecesOutcome {
    frame.map(|f| encoded(&f, &WriteOptions::default())).map_err(|e| format!("{:?} {e}", e.kind()))
}

fn opened(bytes: Buffer) -> Result<Frame> {
    let request = Request::all(1, &NoProgress);
    let opened = OpenedMsgpack::open_buffer(bytes, ReadOptions::default(), &NoProgress)?;
    Ok(opened.load(&request)?.frame)
}

/// Decodes the value at the start of `bytes` that arrive in pieces, and returns its length; `None` if it is incomplete.
/// Every other piece is received at its final position, if there is one.
fn in_pieces(bytes: &[u8], piece: usize, places: bool) -> Result<Option<(PiecesOutcome, usize)>> {
    let mut value = ValueDecoder::new(&ReadOptions::default())?;
    let mut at = 0;
    while at < bytes.len() && !value.is_whole() {
        let here = &bytes[at..bytes.len().min(at + piece)];
        let mut count = 0;
        if places && let Some(room) = value.room()? {
            count = room.len().min(here.len());
            room[..count].copy_from_slice(&here[..count]);
            value.advance(count)?;
        }
        at += if count > 0 { count } else { value.feed(here)? };
    }
    if !value.is_whole() {
        return Ok(None);
    }
    let frame = match value.finish()?.frame() {
        Ok(Err(bytes)) => opened(bytes),
        Ok(Ok(frame)) => Ok(frame),
        Err(e) => Err(e),
    };
    Ok(Some((outcome_of(frame), at)))
}

#[test]
fn any_cut_gives_the_same_frame() {
    let default = WriteOptions::default();
    let styles = [
        default,
        WriteOptions { packed: true, ..default },
        WriteOptions { compatible: true, ..default },
        WriteOptions { orient: MsgpackOrient::Records, ..default },
        WriteOptions { orient: MsgpackOrient::Split, ..default },
        WriteOptions { header: false, ..default },
        WriteOptions { header: false, orient: MsgpackOrient::Records, ..default },
        WriteOptions { header: false, orient: MsgpackOrient::Split, ..default },
    ];
    for nrows in [0, 1, 100, 4000] {
        for options in styles {
            let bytes = encoded(&frame(nrows), &options);
            let expected = outcome_of(opened(Buffer::from_vec(bytes.clone())));
            // Frames without a header and without rows have only column names, or not even these in records.
            assert!(expected.is_ok(), "{nrows} rows, {options:?}: {expected:?}");
            for (piece, places) in
                [(1, false), (7, true), (1000, false), (5000, true), (usize::MAX >> 1, false), (70_000, true)]
            {
                let found = in_pieces(&bytes, piece, places).unwrap().unwrap();
                assert!(
                    found == (expected.clone(), bytes.len()),
                    "{nrows} rows, {options:?}, pieces of {piece}"
                );
            }
        }
    }
}

#[test]
fn columns_with_a_header_are_decoded_early() {
    let bytes = encoded(&frame(4000), &WriteOptions::default());
    let mut value = ValueDecoder::new(&ReadOptions::default()).unwrap();
    value.feed(&bytes[..bytes.len() - 1]).unwrap();
    assert!(matches!(value.state, ValueState::WithHeader(_)), "{:?}", value.state);
    assert!(value.bytes.nbytes() < 64, "{}", value.bytes.nbytes());
    assert_eq!(value.so_far(), (bytes.len() as u64 - 1, bytes.len() as u64));
    let plain = encoded(&frame(4000), &WriteOptions { header: false, ..WriteOptions::default() });
    let mut value = ValueDecoder::new(&ReadOptions::default()).unwrap();
    value.feed(&plain[..plain.len() - 1]).unwrap();
    assert!(matches!(value.state, ValueState::WithoutHeader(_, Ok(_))) && value.bytes.nbytes() < 64);
}

/// Changes every byte in several ways: the frame or the error does not depend on the pieces, and equals that of the whole.
#[test]
fn any_cut_of_damaged_bytes_gives_the_same_error() {
    for options in [WriteOptions::default(), WriteOptions { packed: true, ..WriteOptions::default() }] {
        let bytes = encoded(&frame(5), &options);
        let data = bytes.len() - 600;
        for at in (0..data).step_by(11).chain(data..bytes.len()) {
            for change in [0x01, 0x80, 0xff] {
                let mut bad = bytes.clone();
                bad[at] ^= change;
                // The next message, which is not part of the value.
                bad.extend([0x93, 1, 2, 3]);
                let describe = |e: Error| format!("{:?} {e}", e.kind());
                let one = in_pieces(&bad, 1, false).map_err(describe);
                for piece in [3, 200, bad.len()] {
                    let other = in_pieces(&bad, piece, false).map_err(describe);
                    assert!(one == other, "byte {at} ^ {change:#x}, pieces of {piece}: {one:?} {other:?}");
                }
                let end = skip(&bad, 64).ok().flatten();
                match (one, end) {
                    (Ok(Some((outcome, nbytes))), Some(end)) => {
                        assert_eq!(nbytes, end, "byte {at} ^ {change:#x}: {outcome:?}");
                        let whole = outcome_of(opened(Buffer::from_vec(bad[..end].to_vec())));
                        assert!(
                            outcome == whole || (outcome.is_err() && whole.is_err()),
                            "byte {at} ^ {change:#x}: {outcome:?} {whole:?}"
                        );
                    }
                    (Ok(None), None) | (Err(_), None) => {}
                    (found, end) => panic!("byte {at} ^ {change:#x}: {found:?}, ends at {end:?}"),
                }
            }
        }
    }
}
