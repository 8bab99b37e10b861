//! Round trips: every orient, with a header, and pandas' shapes.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array,
    LargeBinaryArray, LargeStringArray, ListArray, StringArray, StructArray, TimestampMicrosecondArray,
    UInt64Array, make_array,
};
use arrow_schema::{DataType, Field};

use crate::arrow::export::Exporter;
use crate::formats::json::write::lines::{NdjsonChunkWriter, encode as encode_lines};
use crate::formats::json::write::options::{JsonOrient, LinesOptions, WriteOptions};
use crate::formats::json::write::{encode, encode_bundle};
use crate::frame::{Axis, Block, Column, DType, Frame, Grid, Labels, Level, Part, Tags};
use crate::memory::Buffer;
use crate::progress::NoProgress;

use super::chunks::NdjsonDecoder;
use super::options::{LinesReadOptions, ReadOptions};
use super::{lines, root};

fn text_axis(names: &[&str]) -> Axis {
    crate::arrow::text_labels(names, "null".into()).unwrap()
}

fn tags() -> Tags {
    Tags { name: r#""a name""#.into(), attrs: Some(r#"{"k":1}"#.into()), origin: None }
}

fn block(descr: &str, bytes: Vec<u8>) -> Block {
    let dtype = DType::parse(descr).unwrap();
    let rows = bytes.len() / dtype.itemsize as usize;
    Block { grid: Grid::column_major(dtype, rows, 1, 0), buffer: Buffer::from_vec(bytes) }
}

/// Columns for every conversion of cells.
fn frame() -> Frame {
    let floats = [f64::NAN, -0.0, f64::INFINITY, 0.1, f64::from_bits(0x7ff8_0000_0000_0001)];
    let words = |values: &[i64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>();
    let blocks = vec![
        block("<f8", floats.iter().flat_map(|f| f.to_bits().to_le_bytes()).collect()),
        block("<i8", words(&[i64::MIN, -1, 0, 1, i64::MAX])),
        block("<u8", words(&[-1, 0, 1, 2, 3])),
        block("|i1", vec![128, 255, 0, 1, 127]),
        block(">i2", vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        block("|b1", vec![0, 1, 1, 0, 1]),
        block("<M8[ns]", words(&[i64::MIN, 0, 1, -1, 1_000_000_000])),
        block("<m8[s]", words(&[i64::MIN, 0, 1, -1, 7])),
        block("<f4", [0.1f32, f32::NAN, -0.0, 1e-40, 3.0].iter().flat_map(|f| f.to_le_bytes()).collect()),
        block("<U2", "abçd\0\0z\0é\0".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()),
        block("|S2", b"ab\0\0c\0\xff\xfeq\0".to_vec()),
    ];
    let list = ListArray::from_iter_primitive::<arrow_array::types::Int64Type, _, _>(vec![
        Some(vec![Some(1), None]),
        None,
        Some(vec![]),
        Some(vec![Some(2)]),
        None,
    ]);
    let structure = StructArray::from(vec![(
        Arc::new(Field::new("p", DataType::Utf8, true)),
        Arc::new(StringArray::from(vec![Some("x"), None, Some("\u{1F600}"), Some("\"\\\n"), Some("")]))
            as ArrayRef,
    )]);
    let mut codes: DictionaryArray<Int8Type> =
        vec![Some("q"), Some("p"), None, Some("q"), Some("p")].into_iter().collect();
    codes =
        DictionaryArray::try_new(codes.keys().clone(), Arc::new(StringArray::from(vec!["q", "p", "unused"])))
            .unwrap();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![Some(1), None, Some(-3), Some(i64::MAX), None])),
        Arc::new(UInt64Array::from(vec![Some(u64::MAX), None, Some(0), Some(1), None])),
        Arc::new(Int8Array::from(vec![Some(-128), None, Some(0), Some(1), Some(127)])),
        Arc::new(Float64Array::from(vec![Some(0.5), None, Some(f64::NAN), Some(1e300), Some(-0.0)])),
        Arc::new(Float32Array::from(vec![Some(0.1), None, Some(f32::NEG_INFINITY), Some(1.0), Some(2.0)])),
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true), None])),
        Arc::new(LargeStringArray::from(vec![
            Some("a"),
            None,
            Some("NaN"),
            Some("null\0"),
            Some("é\u{2028}"),
        ])),
        Arc::new(StringArray::from(vec![
            Some("1"),
            None,
            Some(""),
            Some("true"),
            Some("long enough for several steps"),
        ])),
        Arc::new(LargeBinaryArray::from(vec![Some(&b"\xff\0"[..]), None, Some(b""), Some(b"a"), None])),
        Arc::new(
            TimestampMicrosecondArray::from(vec![
                Some(0),
                None,
                Some(-1),
                Some(1),
                Some(1_600_000_000_000_000),
            ])
            .with_timezone("Europe/Paris"),
        ),
        Arc::new(codes),
        Arc::new(list),
        Arc::new(structure),
        Arc::new(arrow_array::NullArray::new(5)),
    ];
    let mut parts: Vec<Part> = blocks.into_iter().enumerate().map(|(i, b)| Part::Block(b, vec![i])).collect();
    for array in columns {
        let place = parts.len();
        parts.push(Part::Column(Column::new(array.to_data()), place));
    }
    let names: Vec<String> = (0..parts.len())
        .map(|i| if i == 3 { "__colonnade__".into() } else { format!("c \"{i}\"") })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let labels = Column::new(LargeStringArray::from(vec!["v", "w", "x", "y", "z"]).into_data());
    let index = Axis {
        labels: Labels::Levels(vec![Level::Column(labels)]),
        class: "Index".into(),
        classes: vec!["Index".into()],
        name: r#""lab""#.into(),
        meta: None,
    };
    Frame::new(index, text_axis(&names), parts, tags()).unwrap()
}

fn empty(rows: usize) -> Frame {
    Frame::new(Axis::range(rows), Axis::range(0), Vec::new(), tags()).unwrap()
}

fn no_rows() -> Frame {
    let whole = frame();
    whole.slice(0, 0)
}

/// The content of a frame as text, without addresses.
fn shown(frame: &Frame) -> String {
    let exporter = Exporter::new(frame, Some(frame.nrows)).unwrap();
    let schema = exporter.schema();
    if frame.nrows == 0 {
        // Whether a nullable column is a block depends on its cells.
        return format!(
            "{:?}",
            schema.fields().iter().map(|f| (f.name(), f.data_type())).collect::<Vec<_>>()
        );
    }
    let mut metadata: Vec<_> = schema.metadata().iter().collect();
    metadata.sort();
    let mut out = vec![format!("{metadata:?}")];
    for (field, data) in schema.fields().iter().zip(exporter.arrays(frame).unwrap()) {
        // NaN equals nothing, so bits are compared.
        let bits = match data.data_type() {
            DataType::Float64 | DataType::Float32 => {
                format!("{:?}", data.buffers().iter().map(|b| b.as_slice().to_vec()).collect::<Vec<_>>())
            }
            _ => String::new(),
        };
        let nulls: Vec<bool> = (0..data.len()).map(|row| data.is_null(row)).collect();
        let bits = if nulls.contains(&true) { String::new() } else { bits };
        out.push(format!("{field:?} {nulls:?} {bits} {:?}", make_array(data)));
    }
    let kinds = frame.slots().unwrap().into_iter().map(|slot| match &frame.parts[slot.part] {
        Part::Block(block, _) => block.grid.dtype.descr(),
        Part::Column(column, _) => {
            format!("{:?} {:?} {}", column.data.data_type(), column.tag, column.ordered)
        }
    });
    out.extend(kinds);
    out.join("\n")
}

#[test]
fn every_orient_gives_the_frame_back() {
    for whole in [frame(), no_rows(), empty(0), empty(3), frame().slice(1, 4)] {
        for name in ["columns", "index", "records", "split", "values", "table"] {
            for indent in [None, Some(2)] {
                let orient = JsonOrient::from_name(name).unwrap();
                let options = WriteOptions { orient, indent, ..WriteOptions::default() };
                let mut text: Vec<u8> = Vec::new();
                encode(&whole, &options, &mut text, &NoProgress).unwrap();
                let shown_text = String::from_utf8_lossy(&text).into_owned();
                for threads in [1, 3] {
                    let options = ReadOptions { threads, ..ReadOptions::default() };
                    let found = root::decode(&Buffer::from_vec(text.clone()), &options)
                        .unwrap_or_else(|e| panic!("{name}: {e}\n{shown_text}"));
                    assert_eq!((found.orient, found.version), (name, Some(1)));
                    assert_eq!(shown(&found.frame), shown(&whole), "{name} {shown_text}");
                }
            }
        }
    }
}

#[test]
fn lines_give_the_frame_back() {
    for whole in [frame(), no_rows(), empty(0), empty(3)] {
        let mut text: Vec<u8> = Vec::new();
        encode_lines(&whole, &LinesOptions::default(), &mut text, &NoProgress).unwrap();
        let found = lines::decode(&Buffer::from_vec(text), &LinesReadOptions::default()).unwrap();
        assert_eq!(shown(&found.frame), shown(&whole));
    }
}

#[test]
fn chunks_with_a_header_have_its_types() {
    let whole = frame();
    let mut text: Vec<u8> = Vec::new();
    let mut writer = NdjsonChunkWriter::new(LinesOptions::default());
    writer.write(&whole.slice(0, 2), &mut text, &NoProgress).unwrap();
    writer.write(&whole.slice(2, 5), &mut text, &NoProgress).unwrap();
    writer.finish(&mut text).unwrap();
    let mut chunks = NdjsonDecoder::new(LinesReadOptions::default()).unwrap();
    for piece in text.chunks(100) {
        chunks.feed(piece).unwrap();
    }
    chunks.finish().unwrap();
    let mut rows = 0;
    while let Some(frame) = chunks.next(2).unwrap() {
        let types = |frame: &Frame| -> Vec<DataType> {
            let exporter = Exporter::new(frame, Some(frame.nrows)).unwrap();
            exporter.schema().fields().iter().map(|f| f.data_type().clone()).collect()
        };
        assert_eq!(types(&frame), types(&whole));
        rows += frame.nrows;
    }
    assert_eq!(rows, 5);
}

#[test]
fn types_of_later_chunks_are_those_of_the_first() {
    let read = |text: &str| {
        let mut chunks = NdjsonDecoder::new(LinesReadOptions::default()).unwrap();
        chunks.feed(text.as_bytes()).unwrap();
        chunks.finish().unwrap();
        let first = chunks.next(1)?.map(|f| f.nrows);
        let second = chunks.next(1)?.map(|f| f.nrows);
        Ok::<_, crate::Error>((first, second))
    };
    assert_eq!(read("{\"a\": 1}\n{\"a\": null}\n").unwrap(), (Some(1), Some(1)));
    assert_eq!(read("{\"a\": [1]}\n{\"a\": [2, null]}\n").unwrap(), (Some(1), Some(1)));
    assert_eq!(read("").unwrap(), (Some(0), None));
    let error = read("{\"a\": 1}\n{\"a\": \"x\"}\n").unwrap_err().to_string();
    assert!(error.contains("line 2") && error.contains("\"a\"") && error.contains("first"), "{error}");
    let error = read("{\"a\": 1}\n{\"b\": 1}\n").unwrap_err().to_string();
    assert!(error.contains("\"b\""), "{error}");
}

#[test]
fn bundles_give_their_frames_back() {
    let frames = [("p".to_owned(), frame()), ("q \"".to_owned(), empty(2))];
    let mut text: Vec<u8> = Vec::new();
    encode_bundle(&frames, &WriteOptions::default(), &mut text, &NoProgress).unwrap();
    let buffer = Buffer::from_vec(text);
    let found = root::bundle(&buffer, &ReadOptions::default()).unwrap().unwrap();
    assert_eq!(found.len(), 2);
    for ((label, extent), (name, whole)) in found.into_iter().zip(&frames) {
        assert_eq!(label, *name);
        let one = root::decode(&buffer.slice(extent.start, extent.len()).unwrap(), &ReadOptions::default())
            .unwrap();
        assert_eq!(shown(&one.frame), shown(whole));
    }
}

#[test]
fn headers_that_contradict_what_follows_are_refused() {
    let mut text: Vec<u8> = Vec::new();
    let small = frame().slice(0, 2);
    encode(
        &small,
        &WriteOptions { orient: JsonOrient::Records, ..WriteOptions::default() },
        &mut text,
        &NoProgress,
    )
    .unwrap();
    let text = String::from_utf8(text).unwrap();
    let error = |text: String| {
        root::decode(&Buffer::from_vec(text.into_bytes()), &ReadOptions::default()).unwrap_err().to_string()
    };
    let mut split: Vec<u8> = Vec::new();
    encode(
        &small,
        &WriteOptions { orient: JsonOrient::Split, ..WriteOptions::default() },
        &mut split,
        &NoProgress,
    )
    .unwrap();
    let split = String::from_utf8(split).unwrap();
    let swapped = split.replacen(r#""c \"0\"","c \"1\"""#, r#""c \"1\"","c \"0\"""#, 1);
    assert!(swapped != split && error(swapped).contains("in their order"));
    for (from, to, part) in [
        ("\"nrows\":2", "\"nrows\":3", "3 rows"),
        ("\"version\":1", "\"version\":2", "version 1"),
        ("\"orient\":\"records\"", "\"orient\":\"spiral\"", "orient"),
        ("\"records\":[", "\"other\":[", "\"other\""),
        ("\"lab\":\"v\"", "\"bal\":\"v\"", "bal"),
        (":-9223372036854775808", ":\"x\"", "line 1"),
    ] {
        assert!(text.contains(from), "{from} {text}");
        let found = error(text.replacen(from, to, 1));
        assert!(found.contains(part), "{from}: {found}");
    }
}
