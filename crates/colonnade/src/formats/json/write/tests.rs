//! Every orient as literal text.

use arrow_array::{Array, Float64Array, Int64Array, StringArray};
use arrow_data::ArrayData;
use serde_json::{Value, json};

use super::lines::{self, NdjsonChunkWriter};
use super::options::{JsonOrient, LinesOptions, NonfiniteOption, WriteOptions};
use super::{encode, encode_bundle};
use crate::error::{ErrorKind, Result};
use crate::frame::{Axis, Column, Frame, Labels, Level, Part, Tags};
use crate::progress::NoProgress;

const ORIENTS: [JsonOrient; 6] = [
    JsonOrient::Columns,
    JsonOrient::Index,
    JsonOrient::Records,
    JsonOrient::Split,
    JsonOrient::Values,
    JsonOrient::Table,
];

fn named(data: ArrayData, name: &str) -> Axis {
    let levels = vec![Level::Column(Column::new(data))];
    Axis {
        labels: Labels::Levels(levels),
        classes: vec!["Index".into()],
        name: name.into(),
        ..Axis::range(0)
    }
}

fn texts(values: &[&str]) -> ArrayData {
    StringArray::from_iter_values(values).into_data()
}

fn with_index(index: Axis, columns: Vec<(&str, ArrayData)>) -> Frame {
    let names = texts(&columns.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let parts = columns.into_iter().enumerate().map(|(i, (_, data))| Part::Column(Column::new(data), i));
    let tags = Tags { name: "null".into(), ..Tags::default() };
    Frame::new(index, named(names, "null"), parts.collect(), tags).unwrap()
}

fn small(index: Axis) -> Frame {
    let ints = Int64Array::from(vec![Some(1), None]).into_data();
    with_index(index, vec![("a", ints), ("b\"", texts(&["x", "\n"]))])
}

fn text(frame: &Frame, options: WriteOptions) -> Result<String> {
    let mut out = Vec::new();
    encode(frame, &options, &mut out, &NoProgress)?;
    Ok(String::from_utf8(out).unwrap())
}

fn bare(orient: JsonOrient) -> WriteOptions {
    WriteOptions { orient, header: false, ..WriteOptions::default() }
}

#[test]
fn shapes_without_a_header_are_those_of_pandas() {
    let frame = small(Axis::range(2));
    let expected = [
        (JsonOrient::Columns, r#"{"a":{"0":1,"1":null},"b\"":{"0":"x","1":"\n"}}"#),
        (JsonOrient::Index, r#"{"0":{"a":1,"b\"":"x"},"1":{"a":null,"b\"":"\n"}}"#),
        (JsonOrient::Records, r#"[{"a":1,"b\"":"x"},{"a":null,"b\"":"\n"}]"#),
        (JsonOrient::Split, r#"{"columns":["a","b\""],"index":[0,1],"data":[[1,"x"],[null,"\n"]]}"#),
        (JsonOrient::Values, r#"[[1,"x"],[null,"\n"]]"#),
    ];
    for (orient, expected) in expected {
        assert_eq!(text(&frame, bare(orient)).unwrap(), expected);
    }
    let labelled = small(named(texts(&["p", "q"]), "\"k\""));
    assert_eq!(
        text(&labelled, bare(JsonOrient::Records)).unwrap(),
        r#"[{"k":"p","a":1,"b\"":"x"},{"k":"q","a":null,"b\"":"\n"}]"#
    );
    assert!(text(&labelled, bare(JsonOrient::Columns)).unwrap().starts_with(r#"{"a":{"p":1,"q":null}"#));
    let table: Value = serde_json::from_str(&text(&labelled, bare(JsonOrient::Table)).unwrap()).unwrap();
    assert_eq!(table["schema"]["primaryKey"], json!(["k"]));
    assert_eq!(table["schema"]["fields"][1], json!({ "name": "a", "type": "integer", "extDtype": "Int64" }));
    assert_eq!(table["data"][1], json!({ "k": "q", "a": null, "b\"": "\n" }));
}

#[test]
fn headers_come_first() {
    let labelled = small(named(texts(&["p", "q"]), "\"k\""));
    for orient in ORIENTS {
        let text = text(&labelled, WriteOptions { orient, ..WriteOptions::default() }).unwrap();
        assert!(text.starts_with(r#"{"__colonnade__":{"version":1,"#), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["__colonnade__"]["orient"], orient.name());
        let row = json!({ "a": 1, "b\"": "x", "k": "p" });
        let list = json!([1, "x", "p"]);
        match orient {
            JsonOrient::Columns => assert_eq!(value["k"], json!(["p", "q"])),
            JsonOrient::Index => assert_eq!(value["index"]["p"], row),
            JsonOrient::Records => assert_eq!(value["records"][0], row),
            JsonOrient::Split => assert_eq!((&value["columns"][2], &value["data"][0]), (&json!("k"), &list)),
            JsonOrient::Values => assert_eq!(value["data"][0], list),
            JsonOrient::Table => assert_eq!(value["data"][0], row),
        }
    }
}

#[test]
fn empty_frames_are_valid_json() {
    let none = with_index(Axis::range(0), vec![]);
    let rows = with_index(Axis::range(2), vec![]);
    let columns = with_index(Axis::range(0), vec![("a", texts(&[]))]);
    for orient in ORIENTS {
        for header in [true, false] {
            for frame in [&none, &rows, &columns] {
                let text = text(frame, WriteOptions { orient, header, ..WriteOptions::default() }).unwrap();
                serde_json::from_str::<Value>(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            }
        }
    }
}

#[test]
fn keys_that_repeat_get_a_number_or_are_refused() {
    let doubled = with_index(Axis::range(1), vec![("a", texts(&["x"])), ("a", texts(&["y"]))]);
    assert_eq!(text(&doubled, bare(JsonOrient::Records)).unwrap(), r#"[{"a":"x","a_1":"y"}]"#);
    for orient in [JsonOrient::Columns, JsonOrient::Index, JsonOrient::Table] {
        assert!(text(&doubled, bare(orient)).unwrap().contains(r#""a_1":"#));
    }
    assert!(text(&doubled, bare(JsonOrient::Split)).unwrap().starts_with(r#"{"columns":["a","a"]"#));
    let rows = small(named(texts(&["p", "p"]), "null"));
    for options in [bare(JsonOrient::Columns), bare(JsonOrient::Index)] {
        assert!(text(&rows, options).unwrap_err().to_string().contains("again in row 1"));
    }
    text(&rows, WriteOptions::default()).unwrap();
}

#[test]
fn nan_and_infinity_follow_the_option() {
    let floats = Float64Array::from(vec![f64::NAN, f64::INFINITY, 0.1]).into_data();
    let frame = with_index(Axis::range(3), vec![("a", floats)]);
    let values = |nonfinite| text(&frame, WriteOptions { nonfinite, ..bare(JsonOrient::Values) });
    assert_eq!(values(NonfiniteOption::Null).unwrap(), "[[null],[null],[0.1]]");
    assert_eq!(values(NonfiniteOption::Literal).unwrap(), "[[NaN],[Infinity],[0.1]]");
    assert!(matches!(values(NonfiniteOption::Error).unwrap_err().kind(), ErrorKind::Unrepresentable));
}

#[test]
fn pieces_make_no_difference() {
    let many = 30_000;
    let ints = Int64Array::from_iter((0..many).map(|i| if i % 7 == 0 { None } else { Some(i * 31) }));
    let strings = StringArray::from_iter_values((0..many).map(|i| format!("t{i}\"")));
    let frame = with_index(Axis::range(30_000), vec![("i", ints.into_data()), ("t", strings.into_data())]);
    for orient in ORIENTS {
        for header in [true, false] {
            let options = WriteOptions { orient, header, ..WriteOptions::default() };
            let one = text(&frame, options).unwrap();
            serde_json::from_str::<Value>(&one).unwrap();
            assert_eq!(one, text(&frame, WriteOptions { threads: 3, ..options }).unwrap());
        }
    }
    let labels = StringArray::from_iter_values((0..many).map(|i| format!("r{i}"))).into_data();
    let labelled = with_index(named(labels, "null"), vec![("i", texts(&vec!["x"; 30_000]))]);
    let value: Value = serde_json::from_str(&text(&labelled, bare(JsonOrient::Index)).unwrap()).unwrap();
    assert_eq!(value["r29999"], json!({ "i": "x" }));
}

#[test]
fn lines_are_objects() {
    let frame = small(named(texts(&["p", "q"]), "null"));
    let mut out = Vec::new();
    lines::encode(&frame, &LinesOptions::default(), &mut out, &NoProgress).unwrap();
    let got = String::from_utf8(out).unwrap();
    let lines: Vec<Value> = got.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["__colonnade__"]["nrows"], 2);
    assert_eq!(lines[1], json!({ "a": 1, "b\"": "x", "__index_level_0__": "p" }));
    assert!(got.ends_with("}\n"));
    let mut out = Vec::new();
    let bare = LinesOptions { header: false, ..LinesOptions::default() };
    lines::encode(&frame, &bare, &mut out, &NoProgress).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "{\"index\":\"p\",\"a\":1,\"b\\\"\":\"x\"}\n{\"index\":\"q\",\"a\":null,\"b\\\"\":\"\\n\"}\n"
    );
}

#[test]
fn chunks_of_lines_are_one_text() {
    let whole = small(Axis::range(2));
    for header in [true, false] {
        let options = LinesOptions { header, ..LinesOptions::default() };
        let mut writer = NdjsonChunkWriter::new(options);
        let mut out = Vec::new();
        for (start, stop) in [(0, 1), (1, 1), (1, 2)] {
            writer.write(&whole.slice(start, stop), &mut out, &NoProgress).unwrap();
        }
        let got = String::from_utf8(out).unwrap();
        assert_eq!(got.lines().count(), 2 + usize::from(header));
        assert_eq!(got.lines().last().unwrap(), r#"{"a":null,"b\"":"\n"}"#);
        assert!(!got.contains("nrows") || got.contains("\"nrows\":null"));
    }
}

#[test]
fn bundles_are_maps_of_frames() {
    let frames = [("p".to_owned(), small(Axis::range(2))), ("q".to_owned(), small(Axis::range(2)))];
    for indent in [None, Some(2)] {
        let options = WriteOptions { indent, ..bare(JsonOrient::Values) };
        let mut out = Vec::new();
        encode_bundle(&frames, &options, &mut out, &NoProgress).unwrap();
        let value: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(value["q"], json!([[1, "x"], [null, "\n"]]));
    }
    let twice = [frames[0].clone(), frames[0].clone()];
    assert!(encode_bundle(&twice, &bare(JsonOrient::Values), &mut Vec::new(), &NoProgress).is_err());
}
