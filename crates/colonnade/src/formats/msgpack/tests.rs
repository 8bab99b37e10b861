//! Round trips of frames. The speed tests run by hand: `cargo test --release -p colonnade speed -- --ignored --nocapture`.

use std::time::Instant;

use super::*;
use crate::decode::Request;
use crate::formats::Opened;
use crate::frame::{Axis, Block, Column, DType, Grid, Part, Tags};
use crate::memory::Buffer;
use crate::progress::NoProgress;

fn frame(nrows: usize) -> Frame {
    let column = |descr: &str, bytes: Vec<u8>, at: usize| {
        let dtype = DType::parse(descr).unwrap();
        let block = Block::new(Grid::column_major(dtype, nrows, 1, 0), Buffer::from_vec(bytes)).unwrap();
        Part::Block(block, vec![at])
    };
    let floats = (0..nrows).flat_map(|i| (i as f64 * 0.5).to_le_bytes()).collect();
    let ints = (0..nrows).flat_map(|i| ((i * 7919 % 5000) as i64 - 900).to_le_bytes()).collect();
    let bools = (0..nrows).map(|i| u8::from(i % 3 == 0)).collect();
    let texts: Vec<String> = (0..nrows).map(|i| format!("N{}é", i * 31 % 4000)).collect();
    let text = arrow_array::LargeStringArray::from(texts);
    let parts = vec![
        column("<f8", floats, 0),
        column("<i8", ints, 1),
        column("|b1", bools, 2),
        Part::Column(Column::new(arrow_array::Array::to_data(&text)), 3),
    ];
    Frame::new(Axis::range(nrows), Axis::range(4), parts, Tags { name: "null".into(), ..Tags::default() })
        .unwrap()
}

fn request(threads: usize) -> Request<'static> {
    Request::all(threads, &NoProgress)
}

fn encoded(frame: &Frame, options: &WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    encode(frame, options, &mut out, &NoProgress).unwrap();
    out
}

#[test]
fn a_frame_round_trips_in_every_layout() {
    let input = frame(100);
    for orient in [MsgpackOrient::Columns, MsgpackOrient::Records, MsgpackOrient::Split] {
        for compatible in [false, true] {
            let bytes = encoded(&input, &WriteOptions { orient, compatible, ..WriteOptions::default() });
            let opened =
                OpenedMsgpack::open_buffer(Buffer::from_vec(bytes), ReadOptions::default(), &NoProgress)
                    .unwrap();
            let output = opened.load(&request(1)).unwrap().frame;
            let again = encoded(&output, &WriteOptions::default());
            assert!(again == encoded(&input, &WriteOptions::default()), "{orient:?}");
        }
    }
}

#[test]
fn packed_numbers_come_back() {
    let input = frame(100);
    let bytes = encoded(&input, &WriteOptions { packed: true, ..WriteOptions::default() });
    let opened =
        OpenedMsgpack::open_buffer(Buffer::from_vec(bytes), ReadOptions::default(), &NoProgress).unwrap();
    let output = opened.load(&request(2)).unwrap().frame;
    assert!(encoded(&output, &WriteOptions::default()) == encoded(&input, &WriteOptions::default()));
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let input = frame(1 << 20);
    for threads in [1, 2] {
        let options = WriteOptions { threads, ..WriteOptions::default() };
        let mut bytes = Vec::new();
        for _ in 0..5 {
            bytes.clear();
            let start = Instant::now();
            encode(&input, &options, &mut bytes, &NoProgress).unwrap();
            println!("{threads} threads, encode: {:?} for {} bytes", start.elapsed(), bytes.len());
        }
        let shared = Buffer::from_vec(bytes);
        for _ in 0..5 {
            let start = Instant::now();
            let options = ReadOptions { threads, ..ReadOptions::default() };
            let opened = OpenedMsgpack::open_buffer(shared.clone(), options, &NoProgress).unwrap();
            let output = opened.load(&request(threads)).unwrap().frame;
            println!("{threads} threads, decode: {:?}, {} rows", start.elapsed(), output.nrows);
        }
    }
}
