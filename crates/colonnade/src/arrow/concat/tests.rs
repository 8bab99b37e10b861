use arrow_array::types::{Int8Type, UInt8Type};
use arrow_array::{Array, DictionaryArray, Int8Array, Int64Array, StringArray, UInt8Array, cast::AsArray};
use std::sync::Arc;

use super::concat;
use crate::frame::{Axis, Block, Column, DType, Frame, Grid, Labels, Level, Part, Tags};
use crate::memory::Buffer;

fn dtype(descr: &str) -> DType {
    DType::parse(descr).unwrap()
}

fn cells(descr: &str, bytes: Vec<u8>, nrows: usize, width: usize, rows_first: bool) -> Block {
    let make = if rows_first { Grid::row_major } else { Grid::column_major };
    Block::new(make(dtype(descr), nrows, width, 0), Buffer::from_vec(bytes)).unwrap()
}

fn ints(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn frame(index: Axis, parts: Vec<Part>) -> Frame {
    let ncols = parts.iter().map(|p| if let Part::Block(_, at) = p { at.len() } else { 1 }).sum();
    Frame::new(index, Axis::range(ncols), parts, Tags { name: "null".into(), ..Tags::default() }).unwrap()
}

#[test]
fn each_dtype_becomes_one_block() {
    let a = frame(
        Axis::range(2),
        vec![
            Part::Block(cells("<i8", ints(&[1, 2, 3, 4]), 2, 2, true), vec![2, 0]),
            Part::Block(cells("|u1", vec![7, 8], 2, 1, false), vec![1]),
        ],
    );
    let b = frame(
        Axis::range(1),
        vec![
            Part::Block(cells("<i8", ints(&[5]), 1, 1, false), vec![0]),
            Part::Block(cells("|u1", vec![9], 1, 1, false), vec![1]),
            Part::Block(cells("<i8", ints(&[6]), 1, 1, false), vec![2]),
        ],
    );
    let got = concat(&[a, b]).unwrap();
    let [Part::Block(wide, at), Part::Block(bytes, place)] = got.parts.as_slice() else { panic!("{got:?}") };
    assert_eq!((at.as_slice(), place.as_slice()), (&[0, 2][..], &[1][..]));
    assert_eq!(wide.packed().unwrap(), ints(&[2, 4, 5, 1, 3, 6]));
    assert_eq!(bytes.packed().unwrap(), [7, 8, 9]);
    assert!(matches!(got.index.labels, Labels::Auto { start: 0, stop: 3, step: 1, count: 3 }));
}

#[test]
fn tall_columns_are_split_and_complete() {
    let values: Vec<i64> = (0..700_000).collect();
    let parts = |v: &[i64]| vec![Part::Block(cells("<i8", ints(v), v.len(), 1, false), vec![0])];
    let frames: Vec<Frame> = values.chunks(300_001).map(|v| frame(Axis::range(v.len()), parts(v))).collect();
    let got = concat(&frames).unwrap();
    let Part::Block(block, _) = &got.parts[0] else { panic!() };
    assert_eq!(block.packed().unwrap(), ints(&values));
}

fn auto(start: i64, count: usize) -> Axis {
    let stop = start + i64::try_from(count).unwrap();
    Axis { labels: Labels::Auto { start, stop, step: 1, count }, ..Axis::range(0) }
}

#[test]
fn adjacent_ranges_stay_ranges() {
    let join = |axes: Vec<Axis>| {
        let frames: Vec<Frame> = axes.into_iter().map(|a| frame(a, vec![])).collect();
        concat(&frames).unwrap().index.labels
    };
    assert!(matches!(
        join(vec![auto(5, 2), auto(0, 0), auto(7, 3)]),
        Labels::Auto { start: 5, stop: 10, count: 5, .. }
    ));
    assert!(matches!(join(vec![auto(0, 2), auto(0, 2)]), Labels::Auto { start: 0, stop: 4, count: 4, .. }));
    let Labels::Levels(levels) = join(vec![auto(0, 2), auto(9, 2)]) else { panic!("a range") };
    let Level::Block(block) = &levels[0] else { panic!("a column") };
    assert_eq!(block.packed().unwrap(), ints(&[0, 1, 9, 10]));
}

fn level(level: Level) -> Axis {
    Axis { labels: Labels::Levels(vec![level]), classes: vec!["Index".into()], ..Axis::range(0) }
}

#[test]
fn labels_of_text_widen_and_labels_with_nulls_become_columns() {
    let narrow = Level::Block(cells("|S1", b"ab".to_vec(), 2, 1, false));
    let wide = Level::Block(cells("|S3", b"xyz".to_vec(), 1, 1, false));
    let got = concat(&[frame(level(narrow), vec![]), frame(level(wide), vec![])]).unwrap();
    let Labels::Levels(levels) = &got.index.labels else { panic!() };
    assert!(matches!(&levels[0], Level::Block(b) if b.packed().unwrap() == b"a\0\0b\0\0xyz"));

    let plain = Level::Block(cells("<i8", ints(&[1, 2]), 2, 1, false));
    let holes = Level::Column(Column::new(Int64Array::from(vec![None, Some(4)]).to_data()));
    let got = concat(&[frame(level(plain.clone()), vec![]), frame(level(holes), vec![])]).unwrap();
    let Labels::Levels(levels) = &got.index.labels else { panic!() };
    let Level::Column(column) = &levels[0] else { panic!() };
    assert_eq!(column.data, Int64Array::from(vec![Some(1), Some(2), None, Some(4)]).to_data());
    let other = frame(level(Level::Block(cells("<f8", ints(&[1]), 1, 1, false))), vec![]);
    assert!(concat(&[frame(level(plain), vec![]), other]).unwrap_err().to_string().contains("<f8"));
}

fn column(data: arrow_data::ArrayData) -> Frame {
    frame(Axis::range(data.len()), vec![Part::Column(Column::new(data), 0)])
}

fn joined(pieces: Vec<arrow_data::ArrayData>) -> arrow_data::ArrayData {
    let frames: Vec<Frame> = pieces.into_iter().map(column).collect();
    match concat(&frames).unwrap().parts.remove(0) {
        Part::Column(column, _) => column.data,
        Part::Block(..) => panic!("a block"),
    }
}

fn words(codes: Vec<Option<i8>>, values: &[&str]) -> arrow_data::ArrayData {
    let values = Arc::new(StringArray::from(values.to_vec()));
    DictionaryArray::<Int8Type>::try_new(Int8Array::from(codes), values).unwrap().to_data()
}

#[test]
fn dictionaries_are_merged_in_the_order_of_appearance() {
    let got = joined(vec![
        words(vec![Some(1), None, Some(0)], &["b", "a", "unused"]),
        words(vec![Some(0), Some(1), None], &["c", "b"]),
    ]);
    let got = DictionaryArray::<Int8Type>::from(got);
    assert_eq!(
        got.values().as_string::<i32>().iter().flatten().collect::<Vec<_>>(),
        ["b", "a", "unused", "c"]
    );
    assert_eq!(got.keys(), &Int8Array::from(vec![Some(1), None, Some(0), Some(3), Some(0), None]));
    // A dictionary of which the others are a prefix is used unchanged.
    let long = words(vec![Some(2)], &["x", "y", "z"]);
    let got = joined(vec![words(vec![Some(1)], &["x", "y"]).slice(0, 1), long.clone()]);
    assert_eq!(got.child_data()[0].buffers()[1].as_ptr(), long.child_data()[0].buffers()[1].as_ptr());
}

#[test]
fn codes_widen_for_too_many_values() {
    let piece = |first: i64| {
        let values = Arc::new(Int64Array::from((first..first + 200).collect::<Vec<_>>()));
        let keys = UInt8Array::from((0..200u8).collect::<Vec<_>>());
        DictionaryArray::<UInt8Type>::try_new(keys, values).unwrap().to_data()
    };
    let got = joined(vec![piece(0), piece(100)]);
    let got = DictionaryArray::<arrow_array::types::Int16Type>::from(got);
    let values = got.values().as_primitive::<arrow_array::types::Int64Type>();
    let decoded: Vec<i64> =
        got.keys().iter().flatten().map(|k| values.value(usize::try_from(k).unwrap())).collect();
    assert_eq!(decoded, (0..200).chain(100..300).collect::<Vec<_>>());
    assert_eq!(values.len(), 300);
}

#[test]
fn errors_show_the_difference() {
    let text = column(StringArray::from(vec!["a"]).to_data());
    let number = column(Int64Array::from(vec![1]).to_data());
    let error = concat(&[text.clone(), number]).unwrap_err().to_string();
    assert!(error.contains("utf8") && error.contains("int64") && error.contains("column 0"), "{error}");
    let mut tagged = text.clone();
    if let Part::Column(column, _) = &mut tagged.parts[0] {
        column.tag = Some(r#"{"kind":"x"}"#.into());
    }
    assert!(concat(&[text.clone(), tagged]).unwrap_err().to_string().contains("kind"));
    let mut other = text.clone();
    other.columns = auto(1, 1);
    assert!(concat(&[text, other]).unwrap_err().to_string().contains("column labels"));
    assert!(concat(&[]).is_err());
}
