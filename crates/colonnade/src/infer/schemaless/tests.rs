use arrow_array::make_array;

use super::*;

mod refusals;
use crate::cells::msgpack::options::MsgpackOrient;
use crate::frame::{Block, Column, Labels, Level};

/// Writes MessagePack by hand: `{`, `[`, counts and atoms.
#[derive(Default, Clone)]
pub(super) struct Pack(pub(super) Vec<u8>);

impl Pack {
    fn map(mut self, n: u8) -> Self {
        self.0.extend([0xde, 0, n]);
        self
    }
    fn array(mut self, n: usize) -> Self {
        let n = u16::try_from(n).unwrap();
        self.0.push(0xdc);
        self.0.extend(n.to_be_bytes());
        self
    }
    fn text(mut self, text: &str) -> Self {
        self.0.push(0xa0 | u8::try_from(text.len()).unwrap());
        self.0.extend(text.as_bytes());
        self
    }
    fn int(mut self, value: i64) -> Self {
        match i8::try_from(value) {
            Ok(small @ -32..) => self.0.push(small.cast_unsigned()),
            _ => {
                self.0.push(0xd3);
                self.0.extend(value.to_be_bytes());
            }
        }
        self
    }
    fn float(mut self, value: f64) -> Self {
        self.0.push(0xcb);
        self.0.extend(value.to_be_bytes());
        self
    }
    fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }
    fn nil(self) -> Self {
        self.raw(&[0xc0])
    }
}

fn pack() -> Pack {
    Pack::default()
}

fn options(threads: usize) -> ReadOptions {
    ReadOptions { threads, ..ReadOptions::default() }
}

/// The content of a frame as text, for comparison.
fn said(frame: &Frame) -> String {
    let block = |b: &Block| format!("{} {:?}", b.grid.dtype.descr(), b.packed());
    let column =
        |c: &Column| format!("{:?} {:?} {:?}", c.data.data_type(), c.tag, make_array(c.data.clone()));
    let axis = |a: &Axis| match &a.labels {
        Labels::Auto { start, stop, step, .. } => format!("{start}..{stop} by {step}"),
        Labels::Levels(levels) => {
            let one = |l: &Level| match l {
                Level::Block(b) => b.strings().map_or_else(|| block(b), |s| format!("{s:?}")),
                Level::Column(c) => c.strings().map_or_else(|| column(c), |s| format!("{s:?}")),
            };
            levels.iter().map(one).collect::<Vec<_>>().join(" | ")
        }
    };
    let mut parts: Vec<(usize, String)> = frame
        .parts
        .iter()
        .map(|part| match part {
            Part::Block(b, at) => (at[0], block(b)),
            Part::Column(c, at) => (*at, column(c)),
        })
        .collect();
    parts.sort();
    format!(
        "{} rows\nindex {}\ncolumns {}\n{parts:#?}",
        frame.nrows,
        axis(&frame.index),
        axis(&frame.columns)
    )
}

/// Decodes with every decoder, checks that they agree, and returns the frame.
fn every_way(bytes: &[u8]) -> Frame {
    let whole = decode(bytes, 0, &options(1)).unwrap();
    assert_eq!(said(&decode(bytes, 0, &options(2)).unwrap()), said(&whole));
    for size in [1, 2, 3, 10, bytes.len()] {
        assert_eq!(said(&in_pieces(bytes, size).unwrap()), said(&whole), "in pieces of {size}");
    }
    whole
}

fn in_pieces(bytes: &[u8], size: usize) -> Result<Frame> {
    let mut foreign = SchemalessDecoder::new(&options(1));
    let mut waiting: Vec<u8> = Vec::new();
    for piece in bytes.chunks(size) {
        waiting.extend(piece);
        let taken = foreign.feed(&waiting)?;
        waiting.drain(..taken);
    }
    foreign.finish()
}

fn ints(frame: &Frame, column: usize) -> Vec<i64> {
    let block = frame.parts.iter().find_map(|p| match p {
        Part::Block(b, at) if at[0] == column => Some(b),
        _ => None,
    });
    let bytes = block.unwrap().packed().unwrap().as_chunks::<8>().0;
    bytes.iter().map(|b| i64::from_le_bytes(*b)).collect()
}

fn column(frame: &Frame, column: usize) -> Column {
    let found = frame.parts.iter().find_map(|p| match p {
        Part::Column(c, at) if *at == column => Some(c.clone()),
        _ => None,
    });
    found.unwrap()
}

fn table() -> Pack {
    pack()
        .map(3)
        .text("n")
        .array(3)
        .int(1)
        .int(-2)
        .int(300)
        .text("x")
        .array(3)
        .float(0.5)
        .float(1.5)
        .float(2.5)
        .text("s")
        .array(3)
        .text("a")
        .nil()
        .text("bc")
}

#[test]
fn a_map_of_arrays_is_columns() {
    let frame = every_way(&table().0);
    assert_eq!((frame.nrows, frame.ncols), (3, 3));
    assert_eq!(frame.columns.strings().unwrap(), ["n", "x", "s"]);
    assert_eq!(ints(&frame, 0), [1, -2, 300]);
    let s = column(&frame, 2);
    assert_eq!((s.string(0), s.data.is_null(1), s.string(2)), (Some("a"), true, Some("bc")));
}

#[test]
fn an_array_of_maps_is_rows_with_keys_in_any_order_or_missing() {
    let rows = pack()
        .array(5)
        .map(2)
        .text("a")
        .int(1)
        .text("b")
        .text("x")
        .map(2)
        .text("b")
        .text("y")
        .text("a")
        .int(2)
        .map(1)
        .text("b")
        .text("z")
        .map(0)
        .map(3)
        .text("a")
        .int(5)
        .text("a key longer than 16 bytes")
        .float(1.0)
        .text("b")
        .nil();
    let frame = every_way(&rows.0);
    assert_eq!((frame.nrows, frame.ncols), (5, 3));
    assert_eq!(frame.columns.strings().unwrap(), ["a", "b", "a key longer than 16 bytes"]);
    assert_eq!(column(&frame, 0).data.null_count(), 2);
    assert_eq!(column(&frame, 1).string(2), Some("z"));
    assert_eq!(column(&frame, 1).data.null_count(), 2);
    assert_eq!(column(&frame, 2).data.null_count(), 4);
}

#[test]
fn keys_of_another_width_are_the_same_keys() {
    let rows = pack().array(2).map(1).text("a").int(1).map(1).raw(&[0xd9, 1, b'a']).int(2);
    assert_eq!(ints(&every_way(&rows.0), 0), [1, 2]);
}

#[test]
fn many_rows_in_many_batches() {
    let n = 5000;
    let mut rows = pack().array(n);
    for i in 0..n {
        let text = "t".repeat(i % 31);
        rows = rows
            .map(if i == 3333 { 4 } else { 3 })
            .text("i")
            .int(i as i64)
            .text("name of it")
            .text(&text)
            .text("f")
            .float(i as f64);
        if i == 3333 {
            rows = rows.text("late").int(7);
        }
    }
    let frame = decode(&rows.0, 0, &options(1)).unwrap();
    assert_eq!(ints(&frame, 0), (0..n as i64).collect::<Vec<_>>());
    assert_eq!(column(&frame, 1).string(30).unwrap().len(), 30);
    assert_eq!(column(&frame, 3).data.null_count(), n - 1);
    assert!(column(&frame, 3).data.is_valid(3333));
    assert_eq!(said(&in_pieces(&rows.0, 1000).unwrap()), said(&frame));
}

#[test]
fn threads_make_no_difference() {
    let n = 40_000;
    let mut rows = pack().raw(&[0xdd, 0, 0, 0x9c, 0x40]);
    let mut columns = pack().map(2).text("i").raw(&[0xdd, 0, 0, 0x9c, 0x40]);
    for i in 0..n {
        rows = rows.map(2).text("i").int(i).text("f").float(i as f64);
        columns = columns.int(i);
    }
    columns = columns.text("f").raw(&[0xdd, 0, 0, 0x9c, 0x40]);
    for i in 0..n {
        columns = columns.float(i as f64);
    }
    let one = said(&decode(&rows.0, 0, &options(1)).unwrap());
    assert_eq!(said(&decode(&rows.0, 0, &options(2)).unwrap()), one);
    assert_eq!(said(&decode(&columns.0, 0, &options(2)).unwrap()), one);
    assert_eq!(said(&decode(&columns.0, 0, &options(1)).unwrap()), one);
    let length = rows.0.len();
    rows.0[length - 9] = 0xc1;
    for threads in [1, 2] {
        let error = decode(&rows.0, 7, &options(threads)).unwrap_err();
        assert_eq!(place(&error), ("$[39999].f", 7 + length as u64 - 9));
    }
}

#[test]
fn split_has_row_labels() {
    let split = pack()
        .map(3)
        .text("index")
        .array(2)
        .text("r")
        .text("s")
        .text("columns")
        .array(2)
        .int(10)
        .int(20)
        .text("data")
        .array(2)
        .array(2)
        .int(1)
        .float(0.5)
        .array(2)
        .int(2)
        .nil();
    let frame = every_way(&split.0);
    assert_eq!(frame.index.strings().unwrap(), ["r", "s"]);
    assert_eq!(ints(&frame, 0), [1, 2]);
    assert!(frame.columns.strings().is_none());
    let automatic = pack()
        .map(3)
        .text("data")
        .array(2)
        .array(1)
        .int(1)
        .array(1)
        .int(2)
        .text("index")
        .array(2)
        .int(0)
        .int(1)
        .text("columns")
        .array(1)
        .text("a");
    let frame = every_way(&automatic.0);
    assert!(matches!(frame.index.labels, Labels::Auto { count: 2, .. }));
    let levels = pack()
        .map(3)
        .text("index")
        .array(1)
        .array(2)
        .text("r")
        .int(9)
        .text("columns")
        .array(1)
        .text("a")
        .text("data")
        .array(1)
        .array(1)
        .int(1);
    let frame = every_way(&levels.0);
    assert_eq!((frame.index.depth(), frame.index.class.as_str()), (2, "IndexHierarchy"));
}

#[test]
fn columns_named_like_the_parts_of_split_stay_columns() {
    let frame = every_way(
        &pack().map(2).text("columns").array(2).int(1).int(2).text("data").array(2).int(3).int(4).0,
    );
    assert_eq!(frame.columns.strings().unwrap(), ["columns", "data"]);
    let bytes = pack().map(1).text("data").array(1).int(3).0;
    assert_eq!(every_way(&bytes).columns.strings().unwrap(), ["data"]);
}

#[test]
fn scalars_are_one_row_and_an_empty_map_is_no_row() {
    let frame = every_way(&pack().map(2).text("a").int(1).text("b").nil().0);
    assert_eq!((frame.nrows, frame.ncols), (1, 2));
    for empty in [pack().map(0), pack().array(0)] {
        let frame = every_way(&empty.0);
        assert_eq!((frame.nrows, frame.ncols), (0, 0));
    }
    let frame = every_way(&pack().map(2).text("a").array(0).text("b").array(0).0);
    assert_eq!((frame.nrows, frame.ncols), (0, 2));
    let frame = every_way(&pack().map(2).text("columns").array(1).text("a").text("data").array(0).0);
    assert_eq!((frame.nrows, frame.ncols), (0, 1));
}

#[test]
fn maps_of_frames_are_bundles() {
    let records = pack().array(1).map(1).text("a").int(1);
    let bundle = pack().map(2).text("one").raw(&records.0).text("two").raw(&table().0);
    let SchemalessLayout::Bundle(frames) = shape_of(&bundle.0, 0, &options(1)).unwrap() else { panic!() };
    assert_eq!(frames.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(bundle.0[frames[1].1.clone()], table().0);
    assert_eq!(
        shape_of(&table().0, 0, &options(1)).unwrap(),
        SchemalessLayout::Frame(MsgpackOrient::Columns)
    );
    let error = decode(&bundle.0, 0, &options(1)).unwrap_err();
    assert!(error.to_string().contains("expected one frame, found a map of 2."), "{error}");
    assert!(in_pieces(&bundle.0, 4).is_err());
    let same = pack().map(2).text("one").raw(&records.0).text("one").raw(&records.0);
    assert_eq!(place(&shape_of(&same.0, 0, &options(1)).unwrap_err()), ("$.one", 16));
}

fn place(error: &Error) -> (&str, u64) {
    (error.location().member.as_deref().unwrap(), error.location().offset.unwrap())
}

#[test]
fn nested_and_mixed_cells_in_rows_and_columns_agree() {
    let rows = pack()
        .array(3)
        .map(2)
        .text("l")
        .array(2)
        .int(1)
        .nil()
        .text("m")
        .int(1)
        .map(2)
        .text("l")
        .nil()
        .text("m")
        .text("x")
        .map(1)
        .text("l")
        .array(0);
    let columns = pack()
        .map(2)
        .text("l")
        .array(3)
        .array(2)
        .int(1)
        .nil()
        .nil()
        .array(0)
        .text("m")
        .array(3)
        .int(1)
        .text("x")
        .nil();
    assert_eq!(said(&every_way(&rows.0)), said(&every_way(&columns.0)));
}

#[test]
fn the_orient_may_be_given() {
    let oriented = |orient| ReadOptions { orient: Some(orient), ..options(1) };
    let structs = pack().map(1).text("a").array(1).map(1).text("x").int(1);
    assert!(matches!(shape_of(&structs.0, 0, &options(1)).unwrap(), SchemalessLayout::Bundle(_)));
    let frame = decode(&structs.0, 0, &oriented(MsgpackOrient::Columns)).unwrap();
    assert_eq!((frame.nrows, frame.ncols), (1, 1));
    assert!(decode(&structs.0, 0, &oriented(MsgpackOrient::Records)).is_err());
    assert!(decode(&structs.0, 0, &oriented(MsgpackOrient::Split)).is_err());
    assert!(decode(&pack().array(0).0, 0, &oriented(MsgpackOrient::Columns)).is_err());
}
