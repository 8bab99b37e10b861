//! Tests of what schemas declare, and of false declarations.

use std::collections::HashMap;

use arrow_array::types::Float64Type;
use arrow_array::{
    Array, BooleanArray, Date32Array, FixedSizeListArray, Int64Array, LargeStringArray, StringArray,
};
use arrow_array::{FixedSizeBinaryArray, TimestampNanosecondArray};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};

use super::export::exact_type;
use super::import::{FramePlan, IndexLabels, fill, fits, implied_dtype, to_block};
use crate::frame::{Block, DType, Labels, Level, Part};

fn dtype(descr: &str) -> DType {
    DType::parse(descr).unwrap()
}

fn bytes(block: &Block) -> Vec<u8> {
    block.packed().unwrap().to_vec()
}

fn words(values: &[i64], big: bool) -> Vec<u8> {
    values.iter().flat_map(|v| if big { v.to_be_bytes() } else { v.to_le_bytes() }).collect()
}

fn block(descr: &str, data: &dyn Array) -> Option<Block> {
    to_block(dtype(descr), &data.to_data()).unwrap()
}

#[test]
fn matching_layouts_are_not_copied() {
    let data = Int64Array::from(vec![1, 2, 3]).to_data().slice(1, 2);
    let got = to_block(dtype("<i8"), &data).unwrap().unwrap();
    assert_eq!(bytes(&got), words(&[2, 3], false));
    assert_eq!(got.buffer.as_ptr(), data.buffers()[0].as_ptr());
}

#[test]
fn values_become_the_dtype() {
    assert_eq!(bytes(&block(">i8", &Int64Array::from(vec![1, -2])).unwrap()), words(&[1, -2], true));
    let bits: Vec<bool> = (0..29).map(|i| i % 3 == 0 || i == 10).collect();
    let data = BooleanArray::from(bits.clone()).to_data();
    for start in [0, 1, 7, 8, 9] {
        let got = to_block(dtype("|b1"), &data.slice(start, 29 - start)).unwrap().unwrap();
        let expected: Vec<u8> = bits[start..].iter().map(|&b| u8::from(b)).collect();
        assert_eq!(bytes(&got), expected);
    }
    let days = Date32Array::from(vec![Some(-1), None, Some(3)]);
    assert_eq!(bytes(&block("<M8[D]", &days).unwrap()), words(&[-1, i64::MIN, 3], false));
    let ticks = TimestampNanosecondArray::from(vec![Some(5), None]);
    assert_eq!(bytes(&block(">M8[ns]", &ticks).unwrap()), words(&[5, i64::MIN], true));
    let ints = Int64Array::from(vec![Some(7), None]);
    assert_eq!(bytes(&block("<m8[25s]", &ints).unwrap()), words(&[7, i64::MIN], false));
    assert_eq!(bytes(&block("<M8", &ints).unwrap()), words(&[7, i64::MIN], false));
    let fixed = FixedSizeBinaryArray::try_from_iter([b"ab\0", b"xyz"].into_iter()).unwrap();
    for descr in ["|S3", "|V3"] {
        assert_eq!(bytes(&block(descr, &fixed).unwrap()), b"ab\0xyz");
    }
}

#[test]
fn pairs_are_complex() {
    let pairs = [
        Some(vec![Some(1.0), Some(2.0)]),
        Some(vec![Some(3.0), Some(4.0)]),
        Some(vec![Some(5.0), Some(6.0)]),
    ];
    let list = FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(pairs, 2).to_data().slice(1, 2);
    let flat = |big: bool| -> Vec<u8> {
        [3.0f64, 4.0, 5.0, 6.0]
            .iter()
            .flat_map(|v| if big { v.to_be_bytes() } else { v.to_le_bytes() })
            .collect()
    };
    assert_eq!(bytes(&to_block(dtype("<c16"), &list).unwrap().unwrap()), flat(false));
    assert_eq!(bytes(&to_block(dtype(">c16"), &list).unwrap().unwrap()), flat(true));
    let holes =
        FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>([Some(vec![None, Some(2.0)])], 2);
    assert!(block("<c16", &holes).is_none());
}

#[test]
fn text_becomes_cells() {
    let values = vec!["", "é", "a\u{10FFFF}c", "a\0b"];
    let expected: Vec<u8> = values
        .iter()
        .flat_map(|v| {
            let mut points: Vec<u32> = v.chars().map(u32::from).collect();
            points.resize(3, 0);
            points.into_iter().flat_map(u32::to_be_bytes)
        })
        .collect();
    assert_eq!(bytes(&block(">U3", &StringArray::from(values.clone())).unwrap()), expected);
    assert_eq!(bytes(&block(">U3", &LargeStringArray::from(values.clone())).unwrap()), expected);
    let views = arrow_array::StringViewArray::from(values.clone());
    assert_eq!(bytes(&block(">U3", &views).unwrap()), expected);
    // Text may be longer than the field's dtype: later chunks may have wider text.
    assert_eq!(bytes(&block(">U2", &StringArray::from(values.clone())).unwrap()), expected);
    let error = fill(dtype("<U2"), &StringArray::from(values).to_data(), &mut [0; 32]).unwrap_err();
    assert!(error.to_string().contains("row 2"), "{error}");
    let error = to_block(dtype("<U536870911"), &StringArray::from(vec!["a"]).to_data()).unwrap_err();
    assert!(matches!(error.kind(), crate::ErrorKind::LimitExceeded));
    assert_eq!(block("<U0", &StringArray::from(vec!["", ""])).unwrap().grid.nrows, 2);
}

#[test]
fn values_outside_the_dtype_stay_a_column() {
    assert!(block("<i8", &Int64Array::from(vec![Some(1), None])).is_none());
    assert!(block("<U1", &StringArray::from(vec![Some("a"), None])).is_none());
    assert!(to_block(dtype("<i4"), &Int64Array::from(vec![1]).to_data()).is_err());
    assert!(!fits(dtype("<M8[us]"), &DataType::Timestamp(arrow_schema::TimeUnit::Nanosecond, None)));
    assert_eq!(implied_dtype(&DataType::Utf8), None);
}

#[test]
fn exact_types_imply_their_dtype() {
    let plain = "|b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f2 <f4 <f8";
    let times = "<M8[s] <M8[ms] <M8[us] <M8[ns] <m8[s] <m8[ms] <m8[us] <m8[ns]";
    for descr in plain.split(' ').chain(times.split(' ')) {
        let dtype = dtype(descr);
        assert_eq!(exact_type(dtype).as_ref().and_then(implied_dtype), Some(dtype), "{descr}");
    }
    assert_eq!(exact_type(dtype(">i4")), Some(DataType::Int32));
    for descr in ["<f16", "<c8", "<c16", "|S3", "|V3", "<U3", "<M8[D]", "<M8[25s]", "<M8", "<m8[Y]"] {
        assert_eq!(exact_type(dtype(descr)), None, "{descr}");
    }
}

fn schema(fields: Vec<Field>, metadata: &[(&str, &str)]) -> Schema {
    let metadata: HashMap<String, String> =
        metadata.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    Schema::new(fields).with_metadata(metadata)
}

fn numbers(names: &[&str]) -> Vec<Field> {
    names.iter().map(|n| Field::new(*n, DataType::Int64, true)).collect()
}

fn integers(rows: i64) -> ArrayData {
    Int64Array::from((0..rows).collect::<Vec<_>>()).to_data()
}

#[test]
fn pandas_levels_are_taken_by_name() {
    let pandas = r#"{"index_columns":["__index_level_1__","b"],"columns":[
        {"name":null,"field_name":"__index_level_1__"},{"name":"b","field_name":"b"}],
        "column_indexes":[{"name":"cols"}]}"#;
    let plan = FramePlan::new(&schema(
        numbers(&["a", "b", "c", "__index_level_1__"]),
        &[("pandas", pandas), ("z", "1")],
    ))
    .unwrap();
    assert_eq!((plan.ncols, plan.version), (2, None));
    assert_eq!(plan.index.name, r#"{"$tuple":[null,"b"]}"#);
    assert_eq!(plan.index.class, "IndexHierarchy");
    assert_eq!(plan.columns.name, r#""cols""#);
    assert_eq!(plan.columns.strings().unwrap(), ["a", "c"]);
    let origin = plan.tags.origin.clone().unwrap();
    assert!(origin.starts_with(r#"{"library":"pandas","schema_metadata":[["pandas","#), "{origin}");
    let frame = plan.frame(&vec![integers(3); 4], 3, 0).unwrap();
    assert_eq!((frame.nrows, frame.ncols, frame.index.depth()), (3, 2, 2));
    assert!(frame.parts.iter().all(|p| matches!(p, Part::Column(..))));
}

#[test]
fn a_pandas_range_needs_the_length_of_the_data() {
    let pandas = r#"{"index_columns":[{"kind":"range","name":"r","start":10,"stop":0,"step":-3}]}"#;
    let plan = FramePlan::new(&schema(numbers(&["a"]), &[("pandas", pandas)])).unwrap();
    let mut right = plan.clone();
    right.set_nrows(4);
    assert_eq!(
        (right.index.labels, &*right.index.name),
        (IndexLabels::Auto { start: 10, step: -3 }, r#""r""#)
    );
    let axis = right.index_axis(vec![], 2, 2).unwrap();
    assert!(matches!(axis.labels, Labels::Auto { start: 4, stop: -2, step: -3, count: 2 }));
    let mut wrong = plan;
    wrong.set_nrows(5);
    assert_eq!((wrong.index.labels, &*wrong.index.name), (IndexLabels::Auto { start: 0, step: 1 }, "null"));
}

#[test]
fn unexpected_pandas_metadata_is_ignored() {
    for pandas in [
        "",
        "[",
        "7",
        "{}",
        r#"{"index_columns":7}"#,
        r#"{"index_columns":[7,null]}"#,
        r#"{"index_columns":["zz"]}"#,
        r#"{"index_columns":["a","a"]}"#,
        r#"{"index_columns":["d"]}"#,
        r#"{"index_columns":[{"kind":"range","start":0,"stop":3,"step":0}]}"#,
        r#"{"index_columns":[{"kind":"range","start":0,"stop":99999999999999999999,"step":1}]}"#,
        r#"{"index_columns":[],"columns":{"a":1},"column_indexes":"x"}"#,
    ] {
        let plan = FramePlan::new(&schema(numbers(&["a", "d", "d"]), &[("pandas", pandas)])).unwrap();
        assert_eq!((plan.ncols, plan.index.labels), (3, IndexLabels::Auto { start: 0, step: 1 }), "{pandas}");
    }
}

const OURS: &str = r#"{"version":1,"name":"n","ncols":2,
    "index":{"class":"IndexDate","classes":["IndexDate"],"name":null,"levels":["__index_level_0__"]},
    "columns":{"class":"Index","classes":["Index"],"name":null,"names":{"dtype":"<U5"}}}"#;

fn ours() -> Vec<Field> {
    let field = |name: &str, data_type, text: &str| {
        Field::new(name, data_type, true)
            .with_metadata(HashMap::from([("colonnade".to_owned(), text.to_owned())]))
    };
    vec![
        field("a", DataType::Int64, r#"{"dtype":">i8"}"#),
        field("b", DataType::Int64, r#"{"tag":{"kind":"masked"}}"#),
        field("__index_level_0__", DataType::Date32, r#"{"dtype":"<M8[D]"}"#),
    ]
}

#[test]
fn colonnade_metadata_is_read() {
    let mut plan = FramePlan::new(&schema(ours(), &[("colonnade", OURS)])).unwrap();
    assert_eq!((plan.ncols, plan.version, &*plan.tags.name), (2, Some(1), r#""n""#));
    assert_eq!(plan.fields[1].tag.as_deref(), Some(r#"{"kind":"masked"}"#));
    let days = Date32Array::from(vec![Some(1), None]).to_data();
    let batch = (2, vec![integers(2), integers(2), days]);
    let frames = plan.frames(&[batch.clone(), batch]).unwrap();
    let frame = &frames[1];
    assert!(matches!(&frame.parts[0], Part::Block(b, _) if b.grid.dtype == dtype(">i8")));
    assert!(matches!(&frame.parts[1], Part::Column(..)));
    let Labels::Levels(levels) = &frame.index.labels else { panic!("no levels") };
    assert!(matches!(&levels[0], Level::Block(b) if bytes(b) == words(&[1, i64::MIN], false)));
}

#[test]
fn metadata_of_other_columns_is_ignored() {
    let mut fields = ours();
    fields.remove(0);
    let plan = FramePlan::new(&schema(fields, &[("colonnade", OURS), ("k", "v")])).unwrap();
    assert_eq!((plan.version, plan.ncols), (None, 2));
    assert_eq!(plan.fields[1].dtype, Some(dtype("<M8[D]")));
    assert_eq!(plan.tags.origin.as_deref(), Some(r#"{"library":"pyarrow","schema_metadata":[["k","v"]]}"#));
    let narrow = OURS.replace("<U5", "<U0");
    let plan = FramePlan::new(&schema(ours(), &[("colonnade", &narrow)])).unwrap();
    assert_eq!(plan.columns.strings().unwrap(), ["a", "b"]);
    let auto = OURS.replace(r#""names":{"dtype":"<U5"}"#, r#""auto":[0,2,1]"#);
    assert_eq!(FramePlan::new(&schema(ours(), &[("colonnade", &auto)])).unwrap().version, None);
}

#[test]
fn hostile_metadata_is_refused() {
    for (from, to) in [
        ("<U5", "<U536870911"),
        (r#""names":{"dtype":"<U5"}"#, r#""stream":"!""#),
        (r#""names":{"dtype":"<U5"}"#, r#""stream":"AAAA""#),
        (r#""names":{"dtype":"<U5"}"#, r#""stream":"/////w==""#),
        (r#""classes":["IndexDate"]"#, r#""classes":[]"#),
        (r#""classes":["Index"]"#, r#""classes":["Index","Index"]"#),
    ] {
        let bad = OURS.replace(from, to);
        assert!(FramePlan::new(&schema(ours(), &[("colonnade", &bad)])).is_err(), "{bad}");
    }
    let mut fields = ours();
    fields[0] = fields[0].clone().with_data_type(DataType::Float64);
    let error = FramePlan::new(&schema(fields, &[("colonnade", OURS)])).unwrap_err();
    assert!(error.to_string().contains("\"a\""), "{error}");
    let far = r#"{"version":1,"name":null,"ncols":0,"columns":{"class":"Index","classes":[],"auto":[0,0,1]},
        "index":{"class":"Index","classes":[],"auto":[9223372036854775806,1]}}"#;
    let plan = FramePlan::new(&schema(vec![], &[("colonnade", far)])).unwrap();
    assert!(plan.index_axis(vec![], 5, 0).is_err());
}

#[test]
fn foreign_fields_keep_nullability_and_metadata() {
    let field = Field::new("a", DataType::Int64, false)
        .with_metadata(HashMap::from([("z".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]));
    let plan = FramePlan::new(&Schema::new(vec![field])).unwrap();
    let expected = r#"{"kind":"field","nullable":false,"metadata":[["b","2"],["z","1"]]}"#;
    assert_eq!(plan.fields[0].tag.as_deref(), Some(expected));
}

#[test]
fn wide_schemas_are_planned_at_once() {
    let names: Vec<String> = (0..50_000).map(|i| format!("c{i}")).collect();
    let fields: Vec<Field> = names.iter().map(|n| Field::new(n, DataType::Int64, true)).collect();
    let listed = serde_json::json!({ "index_columns": names[..100], "columns": [] }).to_string();
    let plan = FramePlan::new(&schema(fields, &[("pandas", &listed)])).unwrap();
    assert_eq!((plan.ncols, plan.index.classes.len()), (49_900, 100));
    let arrays = vec![integers(1); 50_000];
    assert_eq!(plan.frame(&arrays, 1, 0).unwrap().ncols, 49_900);
    let error = plan.frame(&arrays[1..], 1, 0).unwrap_err();
    assert!(error.to_string().contains("50000"));
}

#[test]
fn text_of_later_chunks_may_be_longer() {
    let field = Field::new("a", DataType::Utf8, true)
        .with_metadata(HashMap::from([("colonnade".to_owned(), r#"{"dtype":"<U1"}"#.to_owned())]));
    let mut plan = FramePlan::new(&Schema::new(vec![field])).unwrap();
    let piece = |text: &str| (1, vec![StringArray::from(vec![text]).to_data()]);
    let frames = plan.frames(&[piece("é"), piece("ab\u{10FFFF}")]).unwrap();
    for frame in &frames {
        assert!(matches!(&frame.parts[0], Part::Block(b, _) if b.grid.dtype == dtype("<U3")));
    }
    let single = |text: &str, first_row| plan.batch(&piece(text).1, 1, first_row).unwrap();
    let joined = super::concat::concat(&[single("a", 0), single("xyz", 1)]).unwrap();
    let Part::Block(block, _) = &joined.parts[0] else { panic!("a column") };
    assert_eq!(block.strings().unwrap(), ["a", "xyz"]);
    assert!(matches!(joined.index.labels, Labels::Auto { start: 0, stop: 2, .. }));
}
