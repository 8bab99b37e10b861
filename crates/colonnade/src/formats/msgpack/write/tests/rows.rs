//! Compares layouts with literal bytes, and pieces with the whole.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, Int64Array, StringArray, make_array};
use arrow_data::ArrayData;
use arrow_schema::Field;

use super::super::rows::{ExportedArrays, encode};
use crate::arrow::export::Exporter;
use crate::cells::msgpack::column::{CellWriter, changed};
use crate::cells::msgpack::heads;
use crate::cells::msgpack::options::MsgpackOrient;
use crate::error::Result;
use crate::formats::msgpack::options::WriteOptions;
use crate::frame::{Axis, Column, Frame, Labels, Level, Part, Tags};
use crate::progress::NoProgress;

/// A minimal writer of small integers and text.
struct Simple(ArrayRef);

impl Simple {
    fn cells(&self, rows: Range<usize>) -> Vec<u8> {
        let mut out = Vec::new();
        for row in rows {
            if let Some(texts) = self.0.as_any().downcast_ref::<StringArray>() {
                heads::text(&mut out, texts.value(row), false).unwrap();
            } else {
                let values = self.0.as_any().downcast_ref::<Int64Array>().unwrap();
                out.push(u8::try_from(values.value(row) & 0x7f).unwrap());
            }
        }
        out
    }
}

impl CellWriter for Simple {
    fn measure(&self, rows: Range<usize>) -> Result<usize> {
        Ok(self.cells(rows).len())
    }
    fn write(&self, rows: Range<usize>, out: &mut [u8]) -> Result<usize> {
        let cells = self.cells(rows);
        out.get_mut(..cells.len()).ok_or_else(changed)?.copy_from_slice(&cells);
        Ok(cells.len())
    }
}

#[allow(clippy::unnecessary_wraps)] // as the real one
fn simple<'a>(_: &'a Field, data: &'a ArrayData) -> Result<Box<dyn CellWriter + 'a>> {
    Ok(Box::new(Simple(make_array(data.clone()))))
}

fn texts(values: &[&str]) -> ArrayData {
    StringArray::from_iter_values(values).into_data()
}

fn named(levels: Vec<ArrayData>, name: &str) -> Axis {
    let classes = vec!["Index".into(); levels.len()];
    let levels = levels.into_iter().map(|data| Level::Column(Column::new(data)));
    Axis { labels: Labels::Levels(levels.collect()), classes, name: name.into(), ..Axis::range(0) }
}

fn frame(index: Axis, names: &[&str], columns: Vec<ArrayData>) -> Frame {
    let parts = columns.into_iter().enumerate().map(|(i, data)| Part::Column(Column::new(data), i));
    Frame::new(index, named(vec![texts(names)], "null"), parts.collect(), Tags::default()).unwrap()
}

fn two(index: Axis) -> Frame {
    frame(index, &["a", "b"], vec![Int64Array::from(vec![1, 2]).into_data(), texts(&["x", "yz"])])
}

fn written(frame: &Frame, orient: MsgpackOrient, header: Option<&[u8]>, threads: usize) -> Vec<u8> {
    let exporter = Exporter::new(frame, Some(frame.nrows)).unwrap();
    let (schema, arrays) = (exporter.schema(), exporter.arrays(frame).unwrap());
    let options = WriteOptions { orient, header: header.is_some(), threads, ..WriteOptions::default() };
    let keys: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
    let header = header.map(|h| (h, keys.as_slice()));
    let exported = ExportedArrays { schema: &schema, arrays: &arrays, header };
    let mut out = Vec::new();
    encode(frame, exported, &options, &simple, &mut out, &NoProgress).unwrap();
    out
}

#[test]
fn layouts_are_the_literal_bytes() {
    let plain = two(Axis::range(2));
    assert_eq!(
        written(&plain, MsgpackOrient::Columns, None, 1),
        b"\x82\xa1a\x92\x01\x02\xa1b\x92\xa1x\xa2yz"
    );
    assert_eq!(
        written(&plain, MsgpackOrient::Records, None, 1),
        b"\x92\x82\xa1a\x01\xa1b\xa1x\x82\xa1a\x02\xa1b\xa2yz"
    );
    assert_eq!(
        written(&plain, MsgpackOrient::Split, None, 1),
        b"\x83\xa5index\x92\x00\x01\xa7columns\x92\xa1a\xa1b\xa4data\x92\x92\x01\xa1x\x92\x02\xa2yz"
    );
    assert_eq!(
        written(&plain, MsgpackOrient::Records, Some(b"\xa1h\xc0"), 1),
        b"\x82\xa1h\xc0\xa7records\x92\x82\xa1a\x01\xa1b\xa1x\x82\xa1a\x02\xa1b\xa2yz"
    );
    assert_eq!(
        written(&plain, MsgpackOrient::Split, Some(b"\xa1h\xc0"), 1),
        b"\x83\xa1h\xc0\xa7columns\x92\xa1a\xa1b\xa4data\x92\x92\x01\xa1x\x92\x02\xa2yz"
    );
}

#[test]
fn row_labels_come_first_as_in_reset_index() {
    let labelled = two(named(vec![texts(&["p", "q"])], "null"));
    assert_eq!(
        written(&labelled, MsgpackOrient::Columns, None, 1),
        b"\x83\xa5index\x92\xa1p\xa1q\xa1a\x92\x01\x02\xa1b\x92\xa1x\xa2yz"
    );
    assert!(
        written(&labelled, MsgpackOrient::Split, None, 1)
            .starts_with(b"\x83\xa5index\x92\xa1p\xa1q\xa7columns")
    );
    let called = two(named(vec![texts(&["p", "q"])], "\"k\""));
    assert!(written(&called, MsgpackOrient::Records, None, 1).starts_with(b"\x92\x83\xa1k\xa1p\xa1a\x01"));
    let called = two(named(vec![texts(&["p", "q"])], "\"a\""));
    assert!(written(&called, MsgpackOrient::Records, None, 1).starts_with(b"\x92\x83\xa2a_\xa1p\xa1a\x01"));
    let deep = two(named(vec![texts(&["p", "q"]), texts(&["r", "s"])], "null"));
    assert!(
        written(&deep, MsgpackOrient::Columns, None, 1)
            .starts_with(b"\x84\xa7level_0\x92\xa1p\xa1q\xa7level_1\x92\xa1r")
    );
    assert!(
        written(&deep, MsgpackOrient::Split, None, 1)
            .starts_with(b"\x83\xa5index\x92\x92\xa1p\xa1r\x92\xa1q\xa1s\xa7")
    );
    let stepped =
        two(Axis { labels: Labels::Auto { start: 5, stop: 9, step: 2, count: 2 }, ..Axis::range(2) });
    assert!(
        written(&stepped, MsgpackOrient::Columns, None, 1).starts_with(b"\x83\xa5index\x92\x05\x07\xa1a")
    );
    assert!(
        written(&stepped, MsgpackOrient::Split, None, 1).starts_with(b"\x83\xa5index\x92\x05\x07\xa7columns")
    );
}

#[test]
fn integer_labels_of_columns_stay_integers_in_split() {
    let data = Int64Array::from(vec![7]).into_data();
    let parts = vec![Part::Column(Column::new(data), 0)];
    let ranged = Frame::new(Axis::range(1), Axis::range(1), parts, Tags::default()).unwrap();
    assert_eq!(
        written(&ranged, MsgpackOrient::Split, None, 1),
        b"\x83\xa5index\x91\x00\xa7columns\x91\x00\xa4data\x91\x91\x07"
    );
    assert_eq!(written(&ranged, MsgpackOrient::Columns, None, 1), b"\x81\xa10\x91\x07");
}

#[test]
fn empty_frames_are_written() {
    let empty = frame(Axis::range(0), &[], vec![]);
    assert_eq!(written(&empty, MsgpackOrient::Columns, None, 1), b"\x80");
    assert_eq!(written(&empty, MsgpackOrient::Records, None, 1), b"\x90");
    let rows = frame(Axis::range(3), &[], vec![]);
    assert_eq!(written(&rows, MsgpackOrient::Records, None, 1), b"\x93\x80\x80\x80");
    let none = frame(Axis::range(0), &["a"], vec![Int64Array::from(Vec::<i64>::new()).into_data()]);
    assert_eq!(written(&none, MsgpackOrient::Columns, None, 1), b"\x81\xa1a\x90");
}

#[test]
fn pieces_do_not_depend_on_threads() {
    let nrows = 70_000;
    let long = "z".repeat(600_000);
    let wide: Vec<String> =
        (0..nrows).map(|i| if i == 300 { long.clone() } else { "t".repeat(i % 40) }).collect();
    let wide: Vec<&str> = wide.iter().map(String::as_str).collect();
    let numbers = Int64Array::from_iter_values(0..nrows as i64).into_data();
    let whole = frame(Axis::range(nrows), &["a", "b"], vec![numbers, texts(&wide)]);
    let mut expected = Vec::new();
    heads::array(&mut expected, nrows).unwrap();
    for (row, text) in wide.iter().enumerate() {
        expected.extend(b"\x82\xa1a");
        expected.push(u8::try_from(row & 0x7f).unwrap());
        expected.extend(b"\xa1b");
        heads::text(&mut expected, text, false).unwrap();
    }
    for threads in [1, 2, 3] {
        assert!(written(&whole, MsgpackOrient::Records, None, threads) == expected);
        let columns = written(&whole, MsgpackOrient::Columns, None, threads);
        assert!(columns.starts_with(b"\x82\xa1a\xdd\x00\x01\x11\x70\x00\x01\x02"));
    }
}
