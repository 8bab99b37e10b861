//! An encoder with cached layouts writes the same bytes as one without.

use arrow_array::builder::{StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{Array, BooleanArray, Int64Array, StringArray};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::arrow::ipc::BodyCodec;
use crate::formats::arrow::read::Form;
use crate::formats::arrow::write::{Encoder, WriteOptions, encode};
use crate::frame::{Axis, Block, Column, DType, Frame, Grid, Labels, Level, Part, Tags};
use crate::memory::Buffer;
use crate::progress::NoProgress;

fn block(descr: &str, nrows: usize, width: usize, seed: u8) -> Block {
    let dtype = DType::parse(descr).unwrap();
    let nbytes = nrows * width * dtype.itemsize as usize;
    let bytes = (0..nbytes).map(|i| u8::try_from(i % 251).unwrap() ^ seed).collect();
    Block { grid: Grid::column_major(dtype, nrows, width, 0), buffer: Buffer::from_vec(bytes) }
}

fn labels(texts: &[&str]) -> Axis {
    let width = 4 * texts.iter().map(|t| t.chars().count()).max().unwrap_or(0).max(1);
    let cell = |text: &&str| {
        let mut cell: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        cell.resize(width, 0);
        cell
    };
    let buffer = Buffer::from_vec(texts.iter().flat_map(cell).collect());
    let dtype = DType::parse(&format!("<U{}", width / 4)).unwrap();
    let level = Level::Block(Block { grid: Grid::column_major(dtype, texts.len(), 1, 0), buffer });
    Axis { labels: Labels::Levels(vec![level]), classes: vec!["Index".into()], ..Axis::range(0) }
}

fn column(texts: &[&str], categories: bool) -> Column {
    if categories {
        let mut out = StringDictionaryBuilder::<Int8Type>::new();
        texts.iter().for_each(|t| out.append_value(t));
        return Column::new(out.finish().to_data());
    }
    let mut out = StringBuilder::new();
    texts.iter().for_each(|t| out.append_value(t));
    Column::new(out.finish().to_data())
}

fn frame(seed: u8) -> Frame {
    let parts = vec![
        Part::Block(block("<f8", 3, 2, seed), vec![0, 2]),
        Part::Column(column(&["x", "yy", "zzz"], false), 1),
        Part::Column(column(&["u", "v", "u"], true), 3),
    ];
    Frame::new(Axis::range(3), labels(&["a", "b", "c", "d"]), parts, Tags::default()).unwrap()
}

/// Frames that differ from `frame(0)` in one thing each.
fn others() -> Vec<Frame> {
    let mut out = Vec::new();
    let mut add = |change: &dyn Fn(&mut Frame)| {
        let mut changed = frame(0);
        change(&mut changed);
        out.push(changed);
    };
    add(&|f| f.tags.name = "\"n\"".into());
    add(&|f| f.tags.attrs = Some("{\"a\":1}".into()));
    add(&|f| f.tags.origin = Some("{\"library\":\"pandas\"}".into()));
    add(&|f| f.columns.name = "\"n\"".into());
    add(&|f| f.columns.meta = Some("{}".into()));
    add(&|f| f.columns.class = "IndexDate".into());
    add(&|f| f.columns = labels(&["a", "b", "c", "e"]));
    add(&|f| f.columns = labels(&["a", "b", "c", "long"]));
    add(&|f| f.columns = Axis::range(4));
    add(&|f| f.index.name = "\"n\"".into());
    add(&|f| f.index.labels = Labels::Auto { start: 1, stop: 4, step: 1, count: 3 });
    add(&|f| f.index.labels = Labels::Auto { start: 0, stop: 6, step: 2, count: 3 });
    add(&|f| f.index = labels(&["p", "q", "r"]));
    add(&|f| f.index = labels(&["pp", "q", "r"]));
    add(&|f| f.parts[0] = Part::Block(block("<i8", 3, 2, 0), vec![0, 2]));
    add(&|f| f.parts[0] = Part::Block(block(">f8", 3, 2, 0), vec![0, 2]));
    add(&|f| f.parts[0] = Part::Block(block("<M8[ns]", 3, 2, 0), vec![0, 2]));
    add(&|f| f.parts[0] = Part::Block(block("<f8", 3, 2, 0), vec![2, 0]));
    add(&|f| f.parts[2] = Part::Column(column(&["u", "v", "w"], true), 3));
    add(&|f| f.parts[2] = Part::Column(column(&["u", "v", "w"], false), 3));
    add(&|f| f.parts[2] = Part::Column(Column::new(Int64Array::from(vec![1, 2, 3]).to_data()), 3));
    add(&|f| {
        let Part::Column(column, _) = &mut f.parts[1] else { return };
        column.tag = Some("{\"kind\":\"string_dtype\"}".into());
    });
    add(&|f| {
        let Part::Column(column, _) = &mut f.parts[2] else { return };
        column.ordered = true;
    });
    out.push(frame(0).slice(0, 2));
    out.push(frame(0).slice(1, 3));
    out
}

fn fresh(frame: &Frame, form: Form, options: WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    encode(frame, form, options, &mut out, &NoProgress).unwrap();
    out
}

fn encode_with(encoder: &mut Encoder, frame: &Frame, form: Form, options: WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    encoder.encode(frame, form, options, &mut out, &NoProgress).unwrap();
    out
}

#[test]
fn a_cached_layout_gives_the_same_bytes() {
    let mut encoder = Encoder::new();
    let options = WriteOptions::new(None, None, None, None, 1).unwrap();
    let packed = WriteOptions::new(Some(BodyCodec::Zstd), None, Some(64), None, 1).unwrap();
    let mut all = others();
    for seed in 1..4 {
        all.push(frame(seed));
        all.extend(others());
    }
    for _ in 0..2 {
        for one in &all {
            for form in [Form::Stream, Form::File] {
                let expected = fresh(one, form, options);
                assert!(encode_with(&mut encoder, one, form, options) == expected);
                assert!(encode_with(&mut encoder, one, form, options) == expected);
            }
            assert!(encode_with(&mut encoder, one, Form::Stream, packed) == fresh(one, Form::Stream, packed));
        }
    }
}

#[test]
fn days_have_the_type_that_their_values_need() {
    let options = WriteOptions::default();
    let days = |values: [i64; 2]| {
        let buffer = Buffer::from_vec(values.iter().flat_map(|v| v.to_le_bytes()).collect());
        let grid = Grid::column_major(DType::parse("<M8[D]").unwrap(), 2, 1, 0);
        let parts = vec![Part::Block(Block { grid, buffer: buffer.clone() }, vec![0])];
        let level = Level::Block(Block { grid, buffer });
        let index =
            Axis { labels: Labels::Levels(vec![level]), classes: vec!["IndexDate".into()], ..Axis::range(0) };
        Frame::new(index, Axis::range(1), parts, Tags::default()).unwrap()
    };
    let mut encoder = Encoder::new();
    for frame in [days([1, 2]), days([1, 1 << 40]), days([3, 4]), days([1 << 41, 0])] {
        assert!(
            encode_with(&mut encoder, &frame, Form::Stream, options) == fresh(&frame, Form::Stream, options)
        );
    }
}

#[test]
fn a_changed_order_of_inner_dictionaries_is_detected() {
    let (mut encoder, options) = (Encoder::new(), WriteOptions::default());
    for ordered in [true, false, true] {
        let words = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        let item = Field::new("item", words, true).with_dict_is_ordered(ordered);
        let data = ArrayData::new_empty(&DataType::List(item.into()));
        let parts = vec![Part::Column(Column::new(data), 0)];
        let frame = Frame::new(Axis::range(0), Axis::range(1), parts, Tags::default()).unwrap();
        let expected = fresh(&frame, Form::Stream, options);
        assert!(encode_with(&mut encoder, &frame, Form::Stream, options) == expected, "ordered {ordered}");
    }
}

#[test]
fn unused_categories_of_labels_are_compared() {
    let (mut encoder, options) = (Encoder::new(), WriteOptions::default());
    let labels = |codes: Vec<i8>, values: ArrayData| {
        let data_type = DataType::Dictionary(Box::new(DataType::Int8), Box::new(values.data_type().clone()));
        let builder = ArrayData::builder(data_type).len(codes.len()).add_buffer(codes.into());
        Column::new(builder.add_child_data(values).build().unwrap())
    };
    let words = |words: &[&str]| StringArray::from(words.to_vec()).into_data();
    let truths = |truths: &[bool]| BooleanArray::from(truths.to_vec()).into_data();
    let all = [
        labels(vec![], truths(&[false])),
        labels(vec![], truths(&[true])),
        labels(vec![], truths(&[false, true])),
        labels(vec![0], words(&["a"])),
        labels(vec![0], words(&["a", "b"])),
        labels(vec![1], words(&["b", "a"])),
        labels(vec![0], words(&["a", "a"])),
        labels(vec![1], words(&["a", "a"])),
    ];
    for column in all.iter().chain(&all) {
        let count = column.len();
        let columns = Axis { labels: Labels::Levels(vec![Level::Column(column.clone())]), ..Axis::range(0) };
        let nothing = Block {
            grid: Grid::column_major(DType::parse("<i8").unwrap(), 0, count, 0),
            buffer: Buffer::from_vec(Vec::new()),
        };
        let parts = if count == 0 { Vec::new() } else { vec![Part::Block(nothing, (0..count).collect())] };
        let frame = Frame::new(Axis::range(0), columns, parts, Tags::default()).unwrap();
        let expected = fresh(&frame, Form::Stream, options);
        assert!(encode_with(&mut encoder, &frame, Form::Stream, options) == expected, "{column:?}");
    }
}

#[test]
fn labels_changed_in_place_are_detected() {
    struct Shared(std::cell::UnsafeCell<[u8; 8]>);
    // SAFETY: one thread.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}
    let bytes = std::sync::Arc::new(Shared(std::cell::UnsafeCell::new(*b"a\0\0\0b\0\0\0")));
    let at = bytes.0.get().cast::<u8>();
    // SAFETY: the bytes are alive with their owner.
    let buffer = unsafe { Buffer::from_raw(at, 8, bytes) };
    let grid = Grid::column_major(DType::parse("<U1").unwrap(), 2, 1, 0);
    let mut columns = labels(&["a", "b"]);
    columns.labels = Labels::Levels(vec![Level::Block(Block { grid, buffer })]);
    let parts = vec![Part::Block(block("<f8", 3, 2, 0), vec![0, 1])];
    let frame = Frame::new(Axis::range(3), columns, parts, Tags::default()).unwrap();
    let (mut encoder, options) = (Encoder::new(), WriteOptions::default());
    let before = encode_with(&mut encoder, &frame, Form::Stream, options);
    // SAFETY: no other code reads the memory meanwhile.
    unsafe { *at = b'c' };
    let after = encode_with(&mut encoder, &frame, Form::Stream, options);
    assert!(before != after && after == fresh(&frame, Form::Stream, options));
}

#[test]
fn a_small_frame_is_one_call() {
    struct Calls(Vec<usize>);
    impl crate::sink::Sink for Calls {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
            self.0.push(bytes.len());
            Ok(())
        }
        fn can_patch(&self) -> bool {
            false
        }
        fn patch(&mut self, _offset: u64, _bytes: &[u8]) -> std::io::Result<()> {
            Err(std::io::ErrorKind::Unsupported.into())
        }
        fn reserve(&mut self, _total: u64) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (mut encoder, options) = (Encoder::new(), WriteOptions::default());
    for seed in 0..3 {
        let mut calls = Calls(Vec::new());
        encoder.encode(&frame(seed), Form::Stream, options, &mut calls, &NoProgress).unwrap();
        assert_eq!(calls.0, [fresh(&frame(seed), Form::Stream, options).len()]);
    }
}

#[test]
fn an_encoder_is_usable_after_an_error() {
    let (mut encoder, options) = (Encoder::new(), WriteOptions::default());
    let parts = vec![Part::Block(block("<U1", 2, 1, 0xFF), vec![0])];
    let bad = Frame::new(Axis::range(2), Axis::range(1), parts, Tags::default()).unwrap();
    let mut out = Vec::new();
    assert!(encoder.encode(&bad, Form::Stream, options, &mut out, &NoProgress).is_err());
    assert!(
        encode_with(&mut encoder, &frame(0), Form::Stream, options)
            == fresh(&frame(0), Form::Stream, options)
    );
}
