//! Reads the written bytes by arrow-rs' readers.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, FixedSizeBinaryBuilder, Int32Builder, LargeListBuilder, ListBuilder, ListViewBuilder,
    MapBuilder, StringBuilder, StringRunBuilder, StringViewBuilder, UnionBuilder,
};
use arrow_array::types::{Float64Type, Int8Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Decimal128Array, DictionaryArray, FixedSizeListArray, Int64Array,
    IntervalMonthDayNanoArray, LargeStringArray, NullArray, RecordBatch, StringArray, StructArray,
    make_array,
};
use arrow_buffer::IntervalMonthDayNano;
use arrow_data::ArrayData;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_select::concat::concat;

use super::{WriteOptions, Writer, encode};
use crate::ErrorKind;
use crate::arrow::ipc::BodyCodec;
use crate::formats::arrow::read::Form;
use crate::frame::{Axis, Block, Column, DType, Frame, Grid, Part, Tags};
use crate::memory::Buffer;
use crate::progress::NoProgress;

mod dictionaries;
mod encoder;
mod layout;

use layout::bodies;

const FORMS: [Form; 2] = [Form::Stream, Form::File];

fn columns(arrays: &[ArrayRef]) -> Frame {
    let nrows = arrays.first().map_or(0, |a| a.len());
    let parts = arrays.iter().enumerate().map(|(i, a)| Part::Column(Column::new(a.to_data()), i)).collect();
    Frame::new(Axis::range(nrows), Axis::range(arrays.len()), parts, Tags::default()).unwrap()
}

fn options(batch_nbytes: Option<usize>) -> WriteOptions {
    WriteOptions::new(None, None, batch_nbytes, None, 2).unwrap()
}

fn write(chunks: &[Frame], form: Form, options: WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(form, options);
    for chunk in chunks {
        writer.write(chunk, &mut out, &NoProgress).unwrap();
    }
    writer.finish(&mut out, &NoProgress).unwrap();
    assert_eq!(writer.nrows(), chunks.iter().map(|c| c.nrows).sum::<usize>());
    out
}

fn read(bytes: &[u8], form: Form) -> Vec<RecordBatch> {
    match form {
        Form::Stream => {
            StreamReader::try_new(Cursor::new(bytes), None).unwrap().map(Result::unwrap).collect()
        }
        Form::File => {
            let batches: Vec<_> =
                FileReader::try_new(Cursor::new(bytes), None).unwrap().map(Result::unwrap).collect();
            batches
        }
    }
}

/// The column with decoded dictionaries, so that arrays compare by their values.
fn decoded(batches: &[RecordBatch], column: usize) -> ArrayRef {
    let pieces: Vec<ArrayRef> = batches.iter().map(|b| b.column(column).clone()).collect();
    let borrowed: Vec<&dyn Array> = pieces.iter().map(AsRef::as_ref).collect();
    concat(&borrowed).unwrap()
}

fn list(nrows: i32) -> ArrayRef {
    let mut lists = ListBuilder::new(Int32Builder::new());
    for i in 0..nrows {
        (0..i % 4).for_each(|v| lists.values().append_value(i * 10 + v));
        lists.append(i % 5 != 3);
    }
    Arc::new(lists.finish())
}

fn every_type(nrows: i32) -> Vec<ArrayRef> {
    let count = usize::try_from(nrows).unwrap();
    let text = |i: i32| {
        ["", "a", "fourteen bytes", "éè"][usize::try_from(i % 4).unwrap()]
            .repeat(usize::try_from(i % 7).unwrap())
    };
    let strings: Vec<Option<String>> = (0..nrows).map(|i| (i % 6 != 5).then(|| text(i))).collect();
    let numbers: Vec<Option<i64>> = (0..nrows).map(|i| (i % 3 != 1).then_some(i64::from(i))).collect();
    let mut bools = BooleanBuilder::new();
    let mut fixed = FixedSizeBinaryBuilder::new(3);
    let mut views = StringViewBuilder::new().with_fixed_block_size(64);
    let mut large = LargeListBuilder::new(StringBuilder::new());
    let mut list_views = ListViewBuilder::new(Int32Builder::new());
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    let mut dense = UnionBuilder::new_dense();
    let mut sparse = UnionBuilder::new_sparse();
    let mut runs = StringRunBuilder::<Int16Type>::new();
    for i in 0..nrows {
        bools.append_option((i % 4 != 2).then_some(i % 3 == 0));
        if i % 5 == 4 {
            fixed.append_null()
        } else {
            fixed.append_value([i.to_le_bytes()[0], 1, 2]).unwrap()
        }
        views.append_option(strings[usize::try_from(i).unwrap()].as_deref());
        (0..i % 3).for_each(|v| large.values().append_value(text(v + i)));
        large.append(i % 4 != 1);
        (0..i % 3).for_each(|v| list_views.values().append_value(v));
        list_views.append(true);
        (0..i % 2).for_each(|v| {
            maps.keys().append_value(text(v + 1));
            maps.values().append_value(v);
        });
        maps.append(true).unwrap();
        for union in [&mut dense, &mut sparse] {
            if i % 3 == 0 {
                union.append::<Float64Type>("f", f64::from(i)).unwrap();
            } else {
                union.append::<Int64Type>("i", i64::from(i)).unwrap();
            }
        }
        runs.append_value(text(i / 5));
    }
    let structs = StructArray::from(vec![
        (
            Arc::new(arrow_schema::Field::new("x", arrow_schema::DataType::Int64, true)),
            Arc::new(Int64Array::from(numbers.clone())) as ArrayRef,
        ),
        (Arc::new(arrow_schema::Field::new("l", list(1).data_type().clone(), true)), list(nrows)),
    ]);
    let pairs = (0..nrows).map(|i| (i % 4 != 0).then(|| vec![Some(i), None]));
    let months = (0..nrows).map(|i| IntervalMonthDayNano::new(i, -i, i64::from(i) << 40));
    let codes: DictionaryArray<Int8Type> = strings.iter().map(Option::as_deref).collect();
    vec![
        Arc::new(NullArray::new(count)),
        Arc::new(bools.finish()),
        Arc::new(Int64Array::from(numbers)),
        Arc::new(
            Decimal128Array::from_iter_values((0..nrows).map(i128::from))
                .with_precision_and_scale(30, 2)
                .unwrap(),
        ),
        Arc::new(IntervalMonthDayNanoArray::from_iter_values(months)),
        Arc::new(fixed.finish()),
        Arc::new(StringArray::from_iter(strings.iter().map(Option::as_deref))),
        Arc::new(LargeStringArray::from_iter(strings.iter().map(Option::as_deref))),
        Arc::new(views.finish()),
        list(nrows),
        Arc::new(large.finish()),
        Arc::new(list_views.finish()),
        Arc::new(FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(pairs, 2)),
        Arc::new(structs),
        Arc::new(maps.finish()),
        Arc::new(dense.build().unwrap()),
        Arc::new(sparse.build().unwrap()),
        Arc::new(runs.finish()),
        Arc::new(codes),
    ]
}

#[test]
fn every_type_round_trips_from_any_slice_and_batch() {
    let arrays = every_type(100);
    for form in FORMS {
        for (start, stop) in [(0, 100), (3, 91), (64, 64), (8, 9)] {
            let sliced: Vec<ArrayRef> = arrays.iter().map(|a| a.slice(start, stop - start)).collect();
            for batch_nbytes in [None, Some(1 << 30), Some(2000), Some(1)] {
                let bytes = write(&[columns(&sliced)], form, options(batch_nbytes));
                let batches = read(&bytes, form);
                for (i, expected) in sliced.iter().enumerate() {
                    let got = decoded(&batches, i);
                    assert_eq!(
                        &got,
                        expected,
                        "{form:?} {start}..{stop} {batch_nbytes:?} {}",
                        expected.data_type()
                    );
                }
            }
        }
    }
}

#[test]
fn small_chunks_are_joined_and_large_ones_split() {
    let whole = every_type(300);
    // No kernel compares joined unions; their slices are tested above.
    let arrays: Vec<ArrayRef> =
        whole.into_iter().enumerate().filter(|(i, _)| ![15, 16].contains(i)).map(|(_, a)| a).collect();
    let cuts = [0, 1, 1, 20, 77, 200, 300];
    let chunk = |w: &[usize]| columns(&arrays.iter().map(|a| a.slice(w[0], w[1] - w[0])).collect::<Vec<_>>());
    let mut chunks: Vec<Frame> = cuts.windows(2).map(chunk).collect();
    chunks.iter_mut().for_each(|c| c.index = Axis::range(c.nrows));
    for form in FORMS {
        for (batch_nbytes, expected) in [(None, [1, 6]), (Some(1 << 30), [1, 1]), (Some(4000), [0, 0])] {
            let bytes = write(&chunks, form, options(batch_nbytes));
            let batches = read(&bytes, form);
            if expected[0] > 0 {
                assert_eq!(
                    batches.len(),
                    expected[usize::from(form == Form::File)],
                    "{form:?} {batch_nbytes:?}"
                );
            } else {
                assert!(batches.len() > 3);
            }
            for (i, expected) in arrays.iter().enumerate() {
                assert_eq!(
                    &decoded(&batches, i),
                    expected,
                    "{form:?} {batch_nbytes:?} {}",
                    expected.data_type()
                );
            }
        }
    }
}

fn block(nrows: usize, width: usize) -> Frame {
    let dtype = DType::parse("<f8").unwrap();
    let cells: Vec<u8> =
        (0..nrows * width).flat_map(|i| u32::try_from(i / 7).map_or(0.0, f64::from).to_le_bytes()).collect();
    let block = Block::new(Grid::column_major(dtype, nrows, width, 0), Buffer::from_vec(cells)).unwrap();
    let parts = vec![Part::Block(block, (0..width).collect())];
    Frame::new(Axis::range(nrows), Axis::range(width), parts, Tags::default()).unwrap()
}

#[test]
fn packed_blocks_are_one_batch_of_a_file_byte_for_byte() {
    let frame = block(1000, 3);
    let bytes = write(std::slice::from_ref(&frame), Form::File, options(None));
    let batches = read(&bytes, Form::File);
    assert_eq!((batches.len(), batches[0].num_rows()), (1, 1000));
    let Part::Block(block, _) = &frame.parts[0] else { panic!() };
    let (body, _, buffers) = bodies(&bytes, 8).remove(0);
    let got: Vec<u8> = buffers.iter().flat_map(|&(o, n)| bytes[body + o..body + o + n].to_vec()).collect();
    assert!(got == block.buffer.as_slice());
}

#[test]
fn the_footer_of_a_wide_file_is_its_schema_message_again() {
    let frame = block(3, 1500);
    let mut bytes = Vec::new();
    encode(&frame, Form::File, options(None), &mut bytes, &NoProgress).unwrap();
    let length = u32::from_le_bytes(bytes[bytes.len() - 10..bytes.len() - 6].try_into().unwrap());
    let footer = &bytes[bytes.len() - 10 - usize::try_from(length).unwrap()..bytes.len() - 10];
    let footer =
        arrow_ipc::root_as_footer_with_opts(&flatbuffers::VerifierOptions::default(), footer).unwrap();
    assert_eq!(footer.schema().unwrap().fields().unwrap().get(1499).name(), Some("1499"));
    assert_eq!((footer.recordBatches().unwrap().len(), footer.dictionaries().unwrap().len()), (1, 0));
    assert_eq!(read(&bytes, Form::File)[0].num_columns(), 1500);
}

#[test]
fn compressed_bytes_do_not_depend_on_threads_and_hold_the_values() {
    let frame = block(40_000, 5);
    for codec in [BodyCodec::Lz4, BodyCodec::Zstd] {
        for form in FORMS {
            let with = |threads| {
                let options = WriteOptions::new(Some(codec), None, Some(300_000), None, threads).unwrap();
                write(std::slice::from_ref(&frame), form, options)
            };
            let bytes = with(1);
            assert!(bytes == with(3) && bytes.len() < frame.nbytes() / 2);
            let (mut columns, mut nbatches) = (vec![Vec::new(); 5], 0);
            for (body, _, buffers) in bodies(&bytes, if form == Form::File { 8 } else { 0 }) {
                nbatches += 1;
                for (column, (offset, length)) in buffers.iter().skip(1).step_by(2).enumerate() {
                    let raw = &bytes[body + offset..body + offset + length];
                    let nbytes = usize::try_from(i64::from_le_bytes(raw[..8].try_into().unwrap())).unwrap();
                    let mut target = vec![0; nbytes];
                    match codec {
                        BodyCodec::Lz4 => crate::codec::lz4::decompress(&raw[8..], &mut target).unwrap(),
                        BodyCodec::Zstd => crate::codec::zstd::decompress(&raw[8..], &mut target).unwrap(),
                    }
                    columns[column].extend(target);
                }
            }
            let Part::Block(block, _) = &frame.parts[0] else { panic!() };
            assert!(nbatches == 5 && columns.concat() == block.buffer.as_slice());
        }
    }
}

#[test]
fn frames_without_rows_or_columns_are_written() {
    for form in FORMS {
        for frame in [block(0, 3), columns(&[]), Frame { nrows: 7, index: Axis::range(7), ..columns(&[]) }] {
            let mut bytes = Vec::new();
            encode(&frame, form, options(None), &mut bytes, &NoProgress).unwrap();
            let batches = read(&bytes, form);
            assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), frame.nrows);
        }
        let mut out = Vec::new();
        assert!(Writer::new(form, options(None)).finish(&mut out, &NoProgress).is_err());
    }
}

#[test]
fn a_refused_chunk_leaves_the_writer_open() {
    let mut writer = Writer::new(Form::Stream, options(None));
    let mut out = Vec::new();
    writer.write(&block(5, 2), &mut out, &NoProgress).unwrap();
    let before = out.len();
    assert!(writer.write(&block(5, 3), &mut out, &NoProgress).is_err());
    assert_eq!(out.len(), before);
    writer.write(&block(5, 2), &mut out, &NoProgress).unwrap();
    writer.finish(&mut out, &NoProgress).unwrap();
    assert_eq!(read(&out, Form::Stream).iter().map(RecordBatch::num_rows).sum::<usize>(), 10);
    assert!(writer.write(&block(5, 2), &mut out, &NoProgress).is_err());
}

#[test]
fn the_caller_may_change_its_memory_after_write() {
    // Joined chunks are copies, so later changes of the block's memory have no effect.
    let frame = block(4, 1);
    let Part::Block(block, _) = &frame.parts[0] else { panic!() };
    let address = block.buffer.as_ptr();
    let mut writer = Writer::new(Form::Stream, options(None));
    let mut out = Vec::new();
    writer.write(&frame, &mut out, &NoProgress).unwrap();
    // SAFETY: the frame still holds the memory, and nothing reads it meanwhile.
    unsafe { address.cast_mut().write_bytes(0xEE, 32) };
    writer.finish(&mut out, &NoProgress).unwrap();
    let got: ArrayData = read(&out, Form::Stream)[0].column(0).to_data();
    assert!(make_array(got).to_data().buffers()[0].as_slice().iter().all(|&b| b == 0));
}

/// The number of rows in the first message's metadata.
fn announced_nrows(bytes: &[u8], start: usize) -> Option<String> {
    let length = u32::from_le_bytes(*bytes[start + 4..].first_chunk().unwrap()) as usize;
    let message = arrow_ipc::root_as_message(&bytes[start + 8..start + 8 + length]).unwrap();
    let metadata = message.custom_metadata()?;
    assert_eq!((metadata.len(), metadata.get(0).key()), (1, Some("colonnade.nrows")));
    metadata.get(0).value().map(str::to_owned)
}

#[test]
fn a_stream_announces_a_known_number_of_rows() {
    let frame = columns(&every_type(10));
    let mut bytes = Vec::new();
    encode(&frame, Form::Stream, options(None), &mut bytes, &NoProgress).unwrap();
    assert_eq!(announced_nrows(&bytes, 0).as_deref(), Some("10"));
    let mut bytes = Vec::new();
    encode(&frame, Form::File, options(None), &mut bytes, &NoProgress).unwrap();
    assert_eq!(announced_nrows(&bytes, 8), None);
    assert_eq!(announced_nrows(&write(std::slice::from_ref(&frame), Form::Stream, options(None)), 0), None);
    let twice = WriteOptions::new(None, None, None, Some(20), 1).unwrap();
    assert_eq!(
        announced_nrows(&write(&[frame.clone(), frame], Form::Stream, twice), 0).as_deref(),
        Some("20")
    );
}

#[test]
fn fewer_rows_than_announced_are_an_error() {
    let mut writer = Writer::new(Form::Stream, WriteOptions::new(None, None, None, Some(20), 1).unwrap());
    let mut out = Vec::new();
    writer.write(&columns(&every_type(10)), &mut out, &NoProgress).unwrap();
    let error = writer.finish(&mut out, &NoProgress).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Unrepresentable));
    assert!(
        error.to_string().contains("expected 20 rows, the number declared at the start, found 10"),
        "{error}"
    );
}
