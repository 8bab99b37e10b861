//! Round trips of frames through schema and arrays. `import` reads them back, and arrow-rs validates the arrays.

use arrow_array::{Array, DictionaryArray, Int64Array, StringArray};
use arrow_data::ArrayData;

use serde_json::Value;

use super::export::Exporter;
use super::import::FramePlan;
use super::meta::KEY;
use crate::ErrorKind;
use crate::frame::{Axis, Block, Column, DType, DTypeKind, Frame, Grid, Labels, Level, Part, Tags};
use crate::memory::Buffer;

const DTYPES: [&str; 24] = [
    "|b1", "|i1", "<i2", ">i4", "<i8", "|u1", ">u2", "<u8", "<f2", ">f4", "<f8", "<f16", "<c8", ">c16",
    "<c32", "|S3", "<U2", ">U2", "|V5", "<M8[ns]", ">M8[s]", "<M8[D]", "<M8[25m]", "<m8[us]",
];

fn cells(dtype: DType, count: usize) -> Vec<u8> {
    let big = dtype.order == crate::frame::ByteOrder::Big;
    match dtype.kind {
        DTypeKind::Bool => (0..count).map(|i| u8::from(i % 3 == 1)).collect(),
        DTypeKind::Unicode => (0..count * 2)
            .map(|i| [0x61, 0x1F600, 0, 0xE9, 0x62, 0][i % 6])
            .flat_map(|p: u32| if big { p.to_be_bytes() } else { p.to_le_bytes() })
            .collect(),
        DTypeKind::DateTime | DTypeKind::TimeDelta => (0..count)
            .map(|i| if i % 4 == 2 { i64::MIN } else { i64::try_from(i).unwrap() - 2 })
            .flat_map(|v| if big { v.to_be_bytes() } else { v.to_le_bytes() })
            .collect(),
        _ => (0..=255).cycle().take(count * dtype.itemsize as usize).collect(),
    }
}

fn block(descr: &str, nrows: usize, width: usize, row_major: bool) -> Block {
    let dtype = DType::parse(descr).unwrap();
    let make = if row_major { Grid::row_major } else { Grid::column_major };
    Block::new(make(dtype, nrows, width, 0), Buffer::from_vec(cells(dtype, nrows * width))).unwrap()
}

fn cell_bytes(block: &Block, column: usize) -> Vec<u8> {
    let mut out = Vec::new();
    Block { grid: block.grid.columns(column, 1, 1), buffer: block.buffer.clone() }
        .chunks(&mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        })
        .unwrap();
    out
}

fn frame(parts: Vec<Part>, nrows: usize, ncols: usize) -> Frame {
    let tags = Tags { name: "\"x\"".into(), attrs: Some(r#"{"a":[1,2]}"#.into()), origin: None };
    Frame::new(Axis::range(nrows), Axis::range(ncols), parts, tags).unwrap()
}

fn pandas(exporter: &Exporter) -> Value {
    serde_json::from_str(exporter.schema().metadata().get("pandas").unwrap()).unwrap()
}

fn checked(exporter: &Exporter, frame: &Frame) -> Vec<ArrayData> {
    let arrays = exporter.arrays(frame).unwrap();
    for (array, field) in arrays.iter().zip(exporter.schema().fields()) {
        array.validate_full().unwrap();
        assert_eq!(array.data_type(), field.data_type());
    }
    arrays
}

#[test]
fn every_dtype_comes_back_from_any_strides() {
    for descr in DTYPES {
        for row_major in [false, true] {
            let whole = block(descr, 37, 3, row_major);
            let parts = vec![Part::Block(whole.clone(), vec![2, 0, 1])];
            for (start, stop) in [(0, 37), (5, 20), (4, 4)] {
                let frame = frame(parts.clone(), 37, 3).slice(start, stop);
                let exporter = Exporter::new(&frame, None).unwrap();
                let arrays = checked(&exporter, &frame);
                let mut plan = FramePlan::new(&exporter.schema()).unwrap();
                let back = plan.frames(&[(stop - start, arrays)]).unwrap().remove(0);
                for (position, column) in [(2, 0), (0, 1), (1, 2)] {
                    let slot = back.slots().unwrap()[position];
                    let Part::Block(got, _) = &back.parts[slot.part] else { panic!("{descr}: a column") };
                    let expected = Block { grid: whole.grid.rows(start, stop), buffer: whole.buffer.clone() };
                    assert_eq!(got.grid.dtype.descr(), descr);
                    assert_eq!(cell_bytes(got, slot.column), cell_bytes(&expected, column), "{descr}");
                }
                assert_eq!((back.tags.name.as_str(), back.tags.attrs), ("\"x\"", frame.tags.attrs.clone()));
            }
        }
    }
}

#[test]
fn packed_native_columns_are_not_copied() {
    let whole = block("<f8", 100, 4, false);
    let frame = frame(vec![Part::Block(whole.clone(), vec![0, 1, 2, 3])], 100, 4);
    let arrays = Exporter::new(&frame, Some(100)).unwrap().arrays(&frame.slice(10, 50)).unwrap_err();
    assert!(arrays.to_string().contains("found a range from 10"));
    let arrays = Exporter::new(&frame, Some(100)).unwrap().admitted(&frame.slice(10, 50)).unwrap();
    let address = |i: usize| arrays[i].buffers()[0].as_ptr() as usize - whole.buffer.as_ptr() as usize;
    assert_eq!([address(0), address(3)], [80, 2480]);
}

#[test]
fn a_range_of_known_length_is_described() {
    let mut frame = frame(vec![Part::Block(block("<i8", 4, 1, false), vec![0])], 4, 1);
    frame.index = Axis { name: "\"row\"".into(), ..Axis::range(10).slice(3, 7) };
    let exporter = Exporter::new(&frame, Some(4)).unwrap();
    let found = pandas(&exporter)["index_columns"][0].to_string();
    assert_eq!(found, r#"{"kind":"range","name":"row","start":3,"stop":7,"step":1}"#);
    let open = Exporter::new(&frame, None).unwrap();
    assert_eq!(pandas(&open)["index_columns"], Value::Array(vec![]));
    assert_eq!(pandas(&open)["attributes"].to_string(), r#"{"a":[1,2]}"#);
    assert_eq!(open.schema_of(Some(4)), exporter.schema());
}

#[test]
fn levels_follow_the_columns_under_pandas_names() {
    let text = |values: Vec<&str>| Column::new(StringArray::from(values).into_data());
    let mut frame = frame(vec![Part::Block(block("<i8", 2, 2, false), vec![0, 1])], 2, 2);
    frame.columns = Axis {
        labels: Labels::Levels(vec![Level::Column(text(vec!["a", "b"]))]),
        classes: vec!["Index".into()],
        ..Axis::range(2)
    };
    let zoned = r#"{"pandas":[{"kind":"time","tz":"Europe/Berlin"},null,null]}"#;
    frame.index = Axis {
        labels: Labels::Levels(vec![
            Level::Block(block("<M8[ns]", 2, 1, false)),
            Level::Column(text(vec!["p", "q"])),
            Level::Block(block("<f8", 2, 1, false)),
        ]),
        class: "IndexHierarchy".into(),
        classes: vec!["Index".into(); 3],
        name: r#"{"$tuple":["when","a",null]}"#.into(),
        meta: Some(zoned.into()),
    };
    let exporter = Exporter::new(&frame, Some(2)).unwrap();
    let schema = exporter.schema();
    let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    assert_eq!(names, ["a", "b", "when", "__index_level_1__", "__index_level_2__"]);
    assert_eq!(schema.field(2).data_type().to_string(), "Timestamp(ns, \"Europe/Berlin\")");
    let meta = pandas(&exporter);
    assert_eq!(meta["index_columns"].as_array().unwrap().len(), 3);
    assert_eq!(meta["columns"][2]["metadata"].to_string(), r#"{"timezone":"Europe/Berlin"}"#);
    assert_eq!(meta["columns"][3]["name"], "a");
    let mut plan = FramePlan::new(&schema).unwrap();
    let back = plan.frames(&[(2, checked(&exporter, &frame))]).unwrap().remove(0);
    assert_eq!((back.index.name, back.index.meta), (frame.index.name, Some(zoned.to_owned())));
    let Labels::Levels(levels) = back.index.labels else { panic!() };
    let Level::Block(times) = &levels[0] else { panic!() };
    assert_eq!(times.grid.dtype.descr(), "<M8[ns]");
}

#[test]
fn tags_and_foreign_fields_come_back() {
    let tagged =
        |data: ArrayData, tag: &str| Column { ordered: true, tag: Some(tag.into()), ..Column::new(data) };
    let codes = DictionaryArray::<arrow_array::types::Int8Type>::from_iter(["b", "a", "b"]);
    let foreign =
        r#"{"kind":"field","nullable":false,"metadata":[["ARROW:extension:name","x.y"],["k","v"]]}"#;
    let columns = [
        tagged(codes.into_data(), r#"{"kind":"categorical"}"#),
        tagged(Int64Array::from(vec![1, 2, 3]).into_data(), foreign),
        tagged(Int64Array::from(vec![1, 2, 3]).into_data(), r#"{"kind":"period","freq":"D"}"#),
        tagged(Int64Array::from(vec![Some(1), None, None]).into_data(), r#"{"kind":"masked"}"#),
    ];
    let parts = columns.iter().cloned().enumerate().map(|(i, c)| Part::Column(c, i)).collect();
    let frame = frame(parts, 3, 4);
    let exporter = Exporter::new(&frame, Some(3)).unwrap();
    let schema = exporter.schema();
    assert!(!schema.field(1).is_nullable() && schema.field(1).metadata().get(KEY).is_none());
    assert_eq!(schema.field(2).extension_type_name(), Some("pandas.period"));
    let meta = pandas(&exporter);
    let numpy: Vec<&str> = (0..4).map(|i| meta["columns"][i]["numpy_type"].as_str().unwrap()).collect();
    assert_eq!(numpy, ["int8", "int64", "period[D]", "Int64"]);
    assert_eq!(meta["columns"][0]["metadata"].to_string(), r#"{"num_categories":2,"ordered":true}"#);
    let back = FramePlan::new(&schema).unwrap().frames(&[(3, checked(&exporter, &frame))]).unwrap().remove(0);
    for (part, column) in back.parts.iter().zip(&columns) {
        let Part::Column(got, _) = part else { panic!("a block") };
        assert_eq!((got.data.clone(), got.tag.clone()), (column.data.clone(), column.tag.clone()));
    }
}

#[test]
fn another_layout_is_refused_showing_both() {
    let first = frame(vec![Part::Block(block("<i8", 4, 2, false), vec![0, 1])], 4, 2);
    let exporter = Exporter::new(&first, None).unwrap();
    exporter.arrays(&first).unwrap();
    exporter.arrays(&first).unwrap();
    let next = Frame { index: Axis::range(20).slice(4, 8), ..first.clone() };
    exporter.arrays(&next).unwrap();
    let refused = |chunk: &Frame, pieces: &[&str]| {
        let error = exporter.arrays(chunk).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Unrepresentable));
        assert!(pieces.iter().all(|p| error.to_string().contains(p)), "{error}");
    };
    refused(&Frame { index: Axis::range(30).slice(20, 24), ..first.clone() }, &["8", "20"]);
    refused(
        &frame(vec![Part::Block(block("<i8", 4, 3, false), vec![0, 1, 2])], 4, 3),
        &["[0, 1]", "[0, 1, 2]"],
    );
    let other = vec![
        Part::Block(block("<i8", 4, 1, false), vec![0]),
        Part::Block(block("<f8", 4, 1, false), vec![1]),
    ];
    refused(&frame(other, 4, 2), &["\"1\"", "<i8 (int64)", "<f8"]);
    let stored = Axis {
        labels: Labels::Levels(vec![Level::Block(block("<i8", 4, 1, false))]),
        classes: vec!["Index".into()],
        ..Axis::range(0)
    };
    refused(&Frame { index: stored, ..first.clone() }, &["a range by 1", "1 stored"]);
}

#[test]
fn text_may_grow_wider() {
    let part = |descr: &str| vec![Part::Block(block(descr, 3, 1, false), vec![0])];
    let first = frame(part("<U2"), 3, 1);
    let exporter = Exporter::new(&first, None).unwrap();
    let wide = DType::parse("<U4").unwrap();
    let cells: Vec<u8> = "abcdabc\0x\0\0\0".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    let later = Block::new(Grid::column_major(wide, 3, 1, 0), Buffer::from_vec(cells)).unwrap();
    let arrays = checked(&exporter, &frame(vec![Part::Block(later, vec![0])], 3, 1));
    assert_eq!(StringArray::from(arrays[0].clone()), StringArray::from(vec!["abcd", "abc", "x"]));
    let meta = exporter.schema_of(Some(6)).field(0).metadata().get(KEY).unwrap().clone();
    assert_eq!(meta, r#"{"dtype":"<U4"}"#);
}

#[test]
fn duplicate_and_missing_labels_get_unique_names() {
    let labels = StringArray::from(vec!["a", "a", ""]).into_data();
    let mut frame = frame(vec![Part::Block(block("<i8", 2, 3, false), vec![0, 1, 2])], 2, 3);
    frame.columns = Axis {
        labels: Labels::Levels(vec![Level::Column(Column::new(labels.clone()))]),
        classes: vec!["Index".into()],
        ..Axis::range(3)
    };
    let exporter = Exporter::new(&frame, Some(2)).unwrap();
    let schema = exporter.schema();
    let names: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    assert_eq!(names, ["a", "a_1", ""]);
    assert_eq!(pandas(&exporter)["columns"][1]["name"], "a");
    let back = FramePlan::new(&schema).unwrap().columns;
    assert_eq!(back.strings().unwrap(), ["a", "a", ""]);
}

#[test]
fn invalid_unicode_is_refused_with_its_position() {
    let dtype = DType::parse("<U1").unwrap();
    let cells: Vec<u8> = [0x61u32, 0xD800].iter().flat_map(|p| p.to_le_bytes()).collect();
    let bad = Block::new(Grid::column_major(dtype, 2, 1, 0), Buffer::from_vec(cells)).unwrap();
    let frame = frame(vec![Part::Block(bad, vec![0])], 2, 1);
    let error = Exporter::new(&frame, Some(2)).unwrap().arrays(&frame).unwrap_err().to_string();
    assert!(error.contains("\"0\": row 1: code point 0xd800"), "{error}");
}
