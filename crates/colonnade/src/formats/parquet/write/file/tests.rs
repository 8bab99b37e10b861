//! Files written from frames, read by Colonnade's footer reader and by the parquet crate.

use std::io::Write;
use std::sync::Arc;

use arrow_array::make_array;
use arrow_array::types::{Int8Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int8Array, Int32Array, Int64Array, ListArray,
    RecordBatch, RunArray, StringArray, StructArray, TimestampSecondArray,
};
use arrow_schema::Field;
use arrow_select::concat::concat;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{RawWriteOptions, WriteOptions, Writer, encode};
use crate::arrow::samples;
use crate::decode::Request;
use crate::formats::parquet::footer::Footer;
use crate::formats::parquet::read::{Parquet, ReadOptions};
use crate::formats::parquet::schema::Repetition;
use crate::formats::parquet::types::DICTIONARY;
use crate::frame::{Axis, Block, Column, DType, Frame, Grid, Part, Tags};
use crate::memory::Buffer;
use crate::progress::NoProgress;

const ASKED: RawWriteOptions<'_> = RawWriteOptions {
    compression: Some("auto"),
    level: None,
    encoding: None,
    dictionary: true,
    profile: None,
    group_rows: None,
    page_nbytes: None,
    version_2: false,
    statistics: true,
    page_index: true,
    crc: true,
};

fn columns(arrays: &[ArrayRef]) -> Frame {
    let nrows = arrays.first().map_or(0, |a| a.len());
    let parts = arrays.iter().enumerate().map(|(i, a)| Part::Column(Column::new(a.to_data()), i)).collect();
    Frame::new(Axis::range(nrows), Axis::range(arrays.len()), parts, Tags::default()).unwrap()
}

fn block(cells: &[i64], nrows: usize, row_major: bool) -> Frame {
    let dtype = DType::parse("<i8").unwrap();
    let width = cells.len() / nrows;
    let grid = if row_major {
        Grid::row_major(dtype, nrows, width, 0)
    } else {
        Grid::column_major(dtype, nrows, width, 0)
    };
    let bytes = cells.iter().flat_map(|c| c.to_le_bytes()).collect();
    let block = Block::new(grid, Buffer::from_vec(bytes)).unwrap();
    let parts = vec![Part::Block(block, (0..width).collect())];
    Frame::new(Axis::range(nrows), Axis::range(width), parts, Tags::default()).unwrap()
}

fn bytes(frame: &Frame, asked: RawWriteOptions<'_>, threads: usize) -> Vec<u8> {
    let mut out = Vec::new();
    encode(frame, WriteOptions::new(&asked, threads, None).unwrap(), &mut out, &NoProgress).unwrap();
    out
}

fn chunks(frames: &[Frame], asked: RawWriteOptions<'_>) -> Vec<u8> {
    let mut writer = Writer::new(WriteOptions::new(&asked, 2, None).unwrap());
    let mut out = Vec::new();
    frames.iter().for_each(|frame| writer.write(frame, &mut out, &NoProgress).unwrap());
    writer.finish(&mut out, &NoProgress).unwrap();
    out
}

fn footer(bytes: &[u8]) -> (&[u8], u64) {
    let tail = bytes.len() - 8;
    assert_eq!(&bytes[tail + 4..], b"PAR1");
    let length = u32::from_le_bytes(bytes[tail..tail + 4].try_into().unwrap()) as usize;
    (&bytes[tail - length..tail], (tail - length) as u64)
}

fn read_footer(bytes: &[u8]) -> Footer<'_> {
    let (footer, at) = footer(bytes);
    Footer::read(footer, at, |_, leaves| Ok((0..leaves.len()).collect())).unwrap()
}

fn read(bytes: &[u8]) -> Vec<RecordBatch> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    builder.build().unwrap().map(Result::unwrap).collect()
}

fn column(batches: &[RecordBatch], i: usize) -> ArrayRef {
    let all: Vec<&dyn Array> = batches.iter().map(|b| b.column(i).as_ref()).collect();
    concat(&all).unwrap()
}

#[test]
fn arrays_of_every_flat_type_are_written() {
    let all = samples::leaves();
    let data = bytes(&columns(&all), ASKED, 1);
    let found = read_footer(&data);
    assert_eq!((found.nrows, found.leaves.len(), found.groups.len()), (4, all.len(), 1));
    assert!(found.groups[0].chunks.iter().all(|chunk| chunk.nvalues == 4));
    // Only the types that the crate reads with the same names.
    for (i, array) in
        all.iter().enumerate().filter(|(_, a)| a.data_type().is_integer() || a.data_type().is_floating())
    {
        assert_eq!(column(&read(&data), i).to_data(), array.to_data(), "{}", array.data_type());
    }
}

#[test]
fn blocks_are_required_and_packed_from_anywhere() {
    let cells: Vec<i64> = (0..600).collect();
    let rows = bytes(&block(&cells, 20, true), ASKED, 1);
    let turned: Vec<i64> = (0..600).map(|k| cells[k % 20 * 30 + k / 20]).collect();
    let columns = bytes(&block(&turned, 20, false), ASKED, 1);
    assert_eq!(rows, columns);
    assert!(read_footer(&rows).elements[1..].iter().all(|e| e.repetition == Repetition::Required));
    let found = column(&read(&rows), 7);
    let expected: Int64Array = (0..20).map(|row| Some(row * 30 + 7)).collect();
    assert_eq!(found.to_data(), expected.to_data());
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let frame = block(&(0..300_000).collect::<Vec<_>>(), 30_000, false);
    let asked = RawWriteOptions { group_rows: Some(7000), ..ASKED };
    let one = bytes(&frame, asked, 1);
    assert_eq!(
        read_footer(&one).groups.iter().map(|g| g.nrows).collect::<Vec<_>>(),
        [7000, 7000, 7000, 7000, 2000]
    );
    for threads in [2, 3, 8] {
        assert!(bytes(&frame, asked, threads) == one, "{threads}");
    }
}

#[test]
fn chunks_wait_for_a_row_group() {
    let frame = |k: i64| block(&(k * 100..k * 100 + 100).collect::<Vec<_>>(), 100, false);
    let data =
        chunks(&(0..10).map(frame).collect::<Vec<_>>(), RawWriteOptions { group_rows: Some(250), ..ASKED });
    assert_eq!(read_footer(&data).groups.iter().map(|g| g.nrows).collect::<Vec<_>>(), [250; 4]);
    let expected: Int64Array = (0..1000).map(Some).collect();
    assert_eq!(column(&read(&data), 0).to_data(), expected.to_data());
    let data = chunks(&(0..10).map(frame).collect::<Vec<_>>(), ASKED);
    assert_eq!(read_footer(&data).groups.len(), 1);
}

#[test]
fn incomplete_row_groups_wait_for_the_next_chunk() {
    let frame = |k: i64| block(&[3 * k, 3 * k + 1, 3 * k + 2], 3, false);
    let data =
        chunks(&(0..10).map(frame).collect::<Vec<_>>(), RawWriteOptions { group_rows: Some(5), ..ASKED });
    assert_eq!(read_footer(&data).groups.iter().map(|g| g.nrows).collect::<Vec<_>>(), [5; 6]);
    let expected: Int64Array = (0..30).map(Some).collect();
    assert_eq!(column(&read(&data), 0).to_data(), expected.to_data());
}

#[test]
fn lists_have_the_names_of_the_specification() {
    let list =
        ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![])]);
    let data =
        bytes(&columns(&[Arc::new(list.clone()), Arc::new(Int64Array::from(vec![1, 2, 3]))]), ASKED, 1);
    let names: Vec<&str> = read_footer(&data).elements.iter().map(|e| e.name).collect();
    assert_eq!(names, ["schema", "0", "list", "element", "1"]);
    let found = column(&read(&data), 0);
    assert_eq!(found.len(), 3);
    assert_eq!(found.null_count(), 1);
}

#[test]
fn a_second_that_is_no_millisecond_keeps_its_number() {
    let near: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(5), None]));
    let far: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(i64::MIN), None]));
    let data = bytes(&columns(&[near, far]), ASKED, 1);
    let logical: Vec<bool> = read_footer(&data).elements[1..].iter().map(|e| e.logical.is_some()).collect();
    assert_eq!(logical, [true, false]);
}

#[test]
fn dictionaries_that_no_page_holds_are_stored_in_the_metadata() {
    let codes = Int8Array::from(vec![Some(1), None, Some(0)]);
    let truth = Arc::new(BooleanArray::from(vec![true, false]));
    let bools: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(codes.clone(), truth));
    let lists: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1)]), None]));
    let nested: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(codes.clone(), lists));
    let text: ArrayRef =
        Arc::new(DictionaryArray::<Int8Type>::new(codes, Arc::new(StringArray::from(vec!["b", "a"]))));
    let frame = columns(&[bools, nested, text]);
    let data = bytes(&frame, ASKED, 1);
    let kept = |data: &[u8]| {
        (0..3).map(|i| read_footer(data).value(&format!("{DICTIONARY}{i}")).is_some()).collect::<Vec<_>>()
    };
    assert_eq!(kept(&data), [true, true, false]);
    assert_eq!(kept(&bytes(&frame.slice(0, 0), ASKED, 1)), [true, true, true]);
    assert_eq!(kept(&chunks(&[frame.slice(0, 0), frame.clone()], ASKED)), [true, true, false]);
}

#[test]
fn chunks_that_differ_are_refused_and_others_may_follow() {
    let codes = Int8Array::from(vec![Some(0), None]);
    let bools = |values: Vec<bool>| {
        let data: ArrayRef =
            Arc::new(DictionaryArray::<Int8Type>::new(codes.clone(), Arc::new(BooleanArray::from(values))));
        columns(&[data])
    };
    let mut writer = Writer::new(WriteOptions::new(&ASKED, 2, None).unwrap());
    let mut out = Vec::new();
    writer.write(&bools(vec![true, false]), &mut out, &NoProgress).unwrap();
    let error = writer.write(&bools(vec![false, true]), &mut out, &NoProgress).unwrap_err();
    assert!(error.to_string().contains("categories of the first chunk"), "{error}");
    writer.write(&bools(vec![true, false]), &mut out, &NoProgress).unwrap();
    writer.finish(&mut out, &NoProgress).unwrap();
    assert_eq!(read_footer(&out).nrows, 4);
}

#[test]
fn frames_of_no_rows_or_columns() {
    let none = bytes(&columns(&[]), ASKED, 1);
    assert_eq!((read_footer(&none).nrows, read_footer(&none).leaves.len()), (0, 0));
    let rows = Frame::new(Axis::range(3), Axis::range(0), Vec::new(), Tags::default()).unwrap();
    assert_eq!(read_footer(&bytes(&rows, ASKED, 1)).nrows, 3);
    let columns = bytes(&block(&[1, 2], 1, false).slice(0, 0), ASKED, 1);
    assert_eq!((read_footer(&columns).nrows, read_footer(&columns).groups.len()), (0, 0));
}

#[test]
fn dictionaries_come_back_as_they_were() {
    let codes = Int8Array::from(vec![Some(1), None, Some(0)]);
    let truth = Arc::new(BooleanArray::from(vec![true, false]));
    let lists: ArrayRef =
        Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1)]), Some(vec![])]));
    let all: [ArrayRef; 4] = [
        Arc::new(DictionaryArray::<Int8Type>::new(codes.clone(), truth)),
        Arc::new(DictionaryArray::<Int8Type>::new(codes.clone(), lists)),
        Arc::new(DictionaryArray::<Int8Type>::new(
            codes.clone(),
            Arc::new(StringArray::from(vec!["b", "a", "z"])),
        )),
        Arc::new(DictionaryArray::<Int8Type>::new(codes, Arc::new(Int64Array::from(vec![9, 3, 7])))),
    ];
    let frame = columns(&all);
    for (frame, groups) in [(frame.clone(), None), (frame.clone(), Some(1)), (frame.slice(0, 0), None)] {
        let data = bytes(&frame, RawWriteOptions { group_rows: groups, ..ASKED }, 1);
        let file = Parquet::open_buffer(Buffer::from_vec(data), ReadOptions::default(), &NoProgress).unwrap();
        let request = Request::all(2, &NoProgress);
        let found = file.load(&request).unwrap();
        for part in &found.parts {
            let Part::Column(column, at) = part else { panic!("a block") };
            let expected = all[*at].slice(0, frame.nrows);
            assert_eq!(column.data.data_type(), expected.data_type());
            assert_eq!(make_array(column.data.clone()).as_ref(), expected.as_ref(), "{at}");
            let values = |data: &arrow_data::ArrayData| make_array(data.child_data()[0].clone());
            assert_eq!(values(&column.data).as_ref(), values(&all[*at].to_data()).as_ref(), "{at}");
        }
        assert_eq!(found.parts.len(), 4);
    }
}

fn back(frame: &Frame, asked: RawWriteOptions<'_>) -> Frame {
    let bytes = Buffer::from_vec(bytes(frame, asked, 1));
    let file = Parquet::open_buffer(bytes, ReadOptions::default(), &NoProgress).unwrap();
    let request = Request::all(2, &NoProgress);
    file.load(&request).unwrap()
}

fn column_of(frame: &Frame, position: usize) -> ArrayRef {
    let found = frame.parts.iter().find_map(|part| match part {
        Part::Column(column, at) if *at == position => Some(column.data.clone()),
        _ => None,
    });
    make_array(found.expect("a column in Arrow's layout"))
}

#[test]
fn runs_come_back() {
    let ends = Int32Array::from(vec![2, 3, 7]);
    let values = StringArray::from(vec![Some("a"), None, Some("b")]);
    let runs: ArrayRef = Arc::new(RunArray::<Int32Type>::try_new(&ends, &values).unwrap());
    for group_rows in [None, Some(3)] {
        let found =
            column_of(&back(&columns(&[Arc::clone(&runs)]), RawWriteOptions { group_rows, ..ASKED }), 0);
        assert_eq!(found.data_type(), runs.data_type());
        let found = found.as_any().downcast_ref::<RunArray<Int32Type>>().unwrap();
        let texts: Vec<Option<&str>> = found.downcast::<StringArray>().unwrap().into_iter().collect();
        assert_eq!(texts, [Some("a"), Some("a"), None, Some("b"), Some("b"), Some("b"), Some("b")]);
    }
}

#[test]
fn numbers_without_categories_are_nulls() {
    let codes = Int8Array::from(vec![None::<i8>, None]);
    let none: ArrayRef =
        Arc::new(DictionaryArray::<Int8Type>::new(codes, Arc::new(Int64Array::from(vec![0i64; 0]))));
    let found = column_of(&back(&columns(&[Arc::clone(&none)]), ASKED), 0);
    assert_eq!(found.as_ref(), none.as_ref());
}

#[test]
fn a_chunk_that_does_not_fit_is_refused_before_it_is_lost() {
    let seconds = |value: i64| -> Frame {
        let all: ArrayRef = Arc::new(TimestampSecondArray::from(vec![Some(value), None]));
        columns(&[all])
    };
    let mut writer = Writer::new(WriteOptions::new(&ASKED, 2, None).unwrap());
    let mut out = Vec::new();
    writer.write(&seconds(1), &mut out, &NoProgress).unwrap();
    let error = writer.write(&seconds(i64::MAX), &mut out, &NoProgress).unwrap_err();
    assert!(error.to_string().contains("fit what the first chunk's are stored as"), "{error}");
    writer.write(&seconds(2), &mut out, &NoProgress).unwrap();
    writer.finish(&mut out, &NoProgress).unwrap();
    assert_eq!(read_footer(&out).nrows, 4);
}

#[test]
fn unsupported_nested_types_are_refused() {
    let ends = Int32Array::from(vec![1]);
    let runs = RunArray::<Int32Type>::try_new(&ends, &Int64Array::from(vec![1])).unwrap();
    let field = Arc::new(Field::new("x", runs.data_type().clone(), true));
    let nested: ArrayRef = Arc::new(StructArray::from(vec![(field, Arc::new(runs) as ArrayRef)]));
    let mut out = Vec::new();
    let options = WriteOptions::new(&ASKED, 1, None).unwrap();
    let error = encode(&columns(&[nested]), options, &mut out, &NoProgress).unwrap_err();
    assert!(error.to_string().contains("run-ends within another type"), "{error}");
    assert!(out.is_empty());
}
