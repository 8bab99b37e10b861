//! Frames compared with serde_json's reading of the same text, and errors with their places.

use serde_json::{Value, json};

use crate::formats::json::write::options::JsonOrient;
use crate::frame::{Axis, Frame, Labels, Level, Part};
use crate::memory::Buffer;

use super::lines;
use super::options::{LinesReadOptions, ReadOptions};
use super::root::{bundle, decode};

fn read_as(text: &str, options: &ReadOptions) -> crate::Result<Frame> {
    decode(&Buffer::from_vec(text.as_bytes().to_vec()), options).map(|decoded| decoded.frame)
}

fn read(text: &str) -> Frame {
    read_as(text, &ReadOptions::default()).unwrap()
}

fn error(text: &str) -> String {
    read_as(text, &ReadOptions::default()).unwrap_err().to_string()
}

fn lines(text: &str) -> crate::Result<Frame> {
    lines::decode(&Buffer::from_vec(text.as_bytes().to_vec()), &LinesReadOptions::default()).map(|d| d.frame)
}

/// The cells of a column with one family of scalars.
fn column(frame: &Frame, position: usize) -> Value {
    for part in &frame.parts {
        match part {
            Part::Block(block, places) if places.contains(&position) => {
                let words = block.packed().unwrap();
                let eight = || words.as_chunks::<8>().0.iter().copied();
                return match block.grid.dtype.descr().as_str() {
                    "|b1" => words.iter().map(|b| *b == 1).collect(),
                    "<i8" => eight().map(i64::from_le_bytes).collect(),
                    "<u8" => eight().map(u64::from_le_bytes).collect(),
                    "<f8" => eight().map(f64::from_le_bytes).collect(),
                    other => panic!("{other}"),
                };
            }
            Part::Column(column, place) if *place == position => {
                let array = arrow_array::make_array(column.data.clone());
                let text = format!("{:?} {array:?}", array.data_type());
                return Value::from(text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            _ => {}
        }
    }
    panic!("no column {position}")
}

fn texts(axis: &Axis) -> Vec<String> {
    match &axis.labels {
        Labels::Auto { start, count, .. } => (0..*count as i64).map(|i| format!("#{}", start + i)).collect(),
        Labels::Levels(levels) => levels
            .iter()
            .flat_map(|level| match level {
                Level::Block(block) if block.grid.dtype.descr().starts_with("<U") => {
                    let size = block.grid.dtype.itemsize as usize;
                    block
                        .packed()
                        .unwrap()
                        .chunks(size)
                        .map(|cell| {
                            let points = cell.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c));
                            points
                                .filter_map(char::from_u32)
                                .collect::<String>()
                                .trim_end_matches('\0')
                                .to_owned()
                        })
                        .collect::<Vec<_>>()
                }
                Level::Block(block) => block
                    .packed()
                    .unwrap()
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .map(|w| i64::from_le_bytes(*w).to_string())
                    .collect(),
                Level::Column(column) => column.strings().unwrap_or_default(),
            })
            .collect(),
    }
}

#[test]
fn every_orient_of_pandas_is_detected() {
    for text in [
        r#"{"a": {"x": 1, "y": 2}, "b": {"x": "p", "y": "q"}}"#,
        r#"{"columns": ["a", "b"], "index": ["x", "y"], "data": [[1, "p"], [2, "q"]]}"#,
    ] {
        let frame = read(text);
        assert_eq!(
            (texts(&frame.index), texts(&frame.columns)),
            (vec!["x".into(), "y".into()], vec!["a".into(), "b".into()])
        );
        assert_eq!(column(&frame, 0), json!([1, 2]));
        assert!(column(&frame, 1).as_str().unwrap().contains(r#""p", "q""#));
    }
    let index = ReadOptions { orient: Some(JsonOrient::Index), ..ReadOptions::default() };
    let frame = read_as(r#"{"x": {"a": 1, "b": "p"}, "y": {"a": 2, "b": "q"}}"#, &index).unwrap();
    assert_eq!(texts(&frame.index), ["x", "y"]);
    assert_eq!(column(&frame, 0), json!([1, 2]));
    let frame = read(r#"[{"a": 1}, {"b": 2.5}]"#);
    assert_eq!(texts(&frame.columns), ["a", "b"]);
    assert_eq!(texts(&frame.index), ["#0", "#1"]);
    let frame = read("[[1, true], [2, false]]");
    assert_eq!(texts(&frame.columns), ["#0", "#1"]);
    assert_eq!((column(&frame, 0), column(&frame, 1)), (json!([1, 2]), json!([true, false])));
    let frame = read(r#"{"a": [1, 2], "b": [0.5, 1]}"#);
    assert_eq!((column(&frame, 0), column(&frame, 1)), (json!([1, 2]), json!([0.5, 1.0])));
    let frame = read(r#"{"a": 1, "b": "x"}"#);
    assert_eq!((frame.nrows, frame.ncols), (1, 2));
    let frame = read(r#"{"schema": {"fields": [{"name": "a", "type": "integer"}]}, "data": [{"a": 1}]}"#);
    assert_eq!(column(&frame, 0), json!([1]));
}

#[test]
fn row_labels_that_are_integers_are_integers() {
    assert_eq!(texts(&read(r#"{"a": {"0": 1, "1": 2}}"#).index), ["#0", "#1"]);
    assert_eq!(texts(&read(r#"{"a": {"7": 1, "-1": 2}}"#).index), ["7", "-1"]);
    assert_eq!(texts(&read(r#"{"a": {"07": 1, "1": 2}}"#).index), ["07", "1"]);
    let split = r#"{"columns": [0, 1], "index": [["p", 1], ["q", 2]], "data": [[1, 2], [3, 4]]}"#;
    assert_eq!(texts(&read(split).index), ["p", "q", "1", "2"]);
}

#[test]
fn the_type_of_a_column_holds_all_its_cells() {
    let columns = ReadOptions { orient: Some(JsonOrient::Columns), ..ReadOptions::default() };
    let of = |cells: Value| column(&read_as(&json!({"a": cells}).to_string(), &columns).unwrap(), 0);
    assert_eq!(of(json!([1, -2])), json!([1, -2]));
    assert_eq!(of(json!([1, u64::MAX])), json!([1, u64::MAX]));
    assert_eq!(of(json!([1, 2.5])), json!([1.0, 2.5]));
    let kind = |cells: Value| of(cells).as_str().unwrap().split(' ').next().unwrap().to_owned();
    assert_eq!(kind(json!([-1, u64::MAX])), "LargeBinary");
    assert_eq!(kind(json!([(1i64 << 53) + 1, 2.5])), "LargeBinary");
    assert_eq!(kind(json!([1, "x"])), "LargeBinary");
    assert_eq!(kind(json!([true, 1])), "LargeBinary");
    assert_eq!(kind(json!([null, null])), "Null");
    assert_eq!(kind(json!([null, 1])), "Int64");
    assert_eq!(kind(json!([null, u64::MAX])), "UInt64");
    assert_eq!(kind(json!([0.5, null])), "Float64");
    assert_eq!(kind(json!([null, true])), "Boolean");
    assert!(kind(json!([["x"], null])).starts_with("LargeList"));
    assert!(kind(json!([{"p": 1}, {"q": "x"}])).starts_with("Struct"));
    assert_eq!(kind(json!([["x"], 1])), "LargeBinary");
}

#[test]
fn text_is_unescaped() {
    let key = "a\"\\/\u{8}\u{c}\n\r\t\u{e9}\u{1F600}\0 and a long rest that takes more than one step";
    let text =
        format!("[{{{}: {}}}]", json!(key), json!(key).to_string().replace('\u{1F600}', "\\ud83d\\ude00"));
    let frame = read(&text);
    assert_eq!(texts(&frame.columns), [key]);
    let Some(Part::Column(column, _)) = frame.parts.first() else { panic!() };
    assert_eq!(column.strings().unwrap(), [key]);
}

#[test]
fn errors_say_line_column_and_byte() {
    for (text, parts) in [
        ("[{\"a\": 1},\n {\"a\": tru}]", ["line 2, column 11", "at byte 21", "the word true"]),
        ("[{\"a\": 1},\n {\"a\": 2, \"a\": 3}]", ["line 2, column 11", "\"a\"", "twice"]),
        ("[{\"a\": 01}]", ["line 1, column 8", "at byte 7", "leading zeros"]),
        ("[{\"a\": 1}", ["line 1, column 10", "at byte 9", "found the end"]),
        ("[{\"a\": 1}] x", ["line 1, column 12", "at byte 11", "the end of the input"]),
        ("[{\"a\": 1e999}]", ["line 1, column 8", "1e999", "beyond"]),
        ("[{\"a\": \"\\ud800\"}]", ["line 1, column 9", "\\ud800", "surrogate"]),
        ("[{\"a\": \"\u{1}\"}]", ["line 1, column 9", "0x01", "control"]),
        ("[{\"a\": \"\\x\"}]", ["line 1, column 9", "backslash", "\\uXXXX"]),
        ("[{\"a\": NaN}]", ["line 1, column 8", "allow_nonfinite", "NaN"]),
        ("[{\"a\": 123456789012345678901}]", ["line 1, column 8", "big_ints", "123456789012345678901"]),
        ("[[1, 2], [3]]", ["line 1, column 10", "2 cells", "found 1"]),
        ("{\"a\": [1], \"b\": [1, 2]}", ["line 1, column 17", "one length", "\"b\""]),
        ("{\"a\": {\"x\": 1}, \"b\": [1]}", ["line 1, column 22", "one form", "\"b\""]),
        ("[1, 2]", ["line 1, column 2", "array of single values", "a table"]),
        ("\"x\"", ["line 1, column 1", "single value", "a table"]),
        ("", ["line 1, column 1", "at byte 0", "found the end"]),
    ] {
        let found = error(text);
        for part in parts {
            assert!(found.contains(part), "{text:?}: {found}");
        }
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(error(&deep).contains("max_depth"));
    let deep = format!("[{{\"a\": {}1{}}}]", "[".repeat(62), "]".repeat(62));
    assert_eq!(read(&deep).nrows, 1);
    let deep = format!("[{{\"a\": {}1{}}}]", "[".repeat(63), "]".repeat(63));
    assert!(error(&deep).contains("max_depth"));
}

#[test]
fn lines_are_one_value_each() {
    let frame = lines("{\"a\": 1}\r\n\n  {\"a\": 2, \"b\": \"x\"} \n{}").unwrap();
    assert_eq!((frame.nrows, frame.ncols), (3, 2));
    assert_eq!(lines("").unwrap().nrows, 0);
    for (text, part) in [
        ("{\"a\": 1,\n\"b\": 2}\n", "line 1, column 9: expected a key in quotes, found the end of the line"),
        ("{\"a\": 1} {\"a\": 2}\n", "line 1, column 10: expected the end of the line"),
        ("{\"a\": 1}\n[1]\n", "line 2, column 1: expected an object"),
        ("{\"a\": 1}\n{\"a\": \"x\n\"}\n", "line 2, column 9: expected the closing quote"),
        ("{\"a\": 1}\n{\"a\"", "line 2, column 5: expected a colon after the key, found the end"),
    ] {
        let found = lines(text).unwrap_err().to_string();
        assert!(found.contains(part), "{text:?}: {found}");
    }
}

#[test]
fn large_integers_are_decimals_where_asked() {
    let options = ReadOptions { big_decimals: true, ..ReadOptions::default() };
    let of = |text: &str| column(&read_as(text, &options).unwrap(), 0);
    let big = "170141183460469231731687303715884105727";
    assert!(of(&format!("{{\"a\": [1, null, -{big}0]}}")).as_str().unwrap().starts_with("Decimal256(76, 0)"));
    assert!(
        of(r#"{"a": [1, null, -18446744073709551616]}"#).as_str().unwrap().starts_with("Decimal128(38, 0)")
    );
    assert_eq!(of(r#"{"a": [1, 2]}"#), json!([1, 2]));
    let mixed = read_as(r#"{"a": [1, "x", 18446744073709551616]}"#, &options).unwrap_err().to_string();
    assert!(mixed.contains("18446744073709551616"), "{mixed}");
    let long = read_as(&format!("{{\"a\": [{}]}}", "9".repeat(77)), &options).unwrap_err().to_string();
    assert!(long.contains("76 digits"), "{long}");
}

#[test]
fn nan_and_infinity_are_numbers_if_allowed() {
    let options = ReadOptions { allow_nonfinite: true, ..ReadOptions::default() };
    let frame = read_as("[[NaN, Infinity, -Infinity, -1], [1, 2.5, 3, -2.5]]", &options).unwrap();
    assert_eq!(column(&frame, 3), json!([-1.0, -2.5]));
    assert_eq!(column(&frame, 1), json!([null, 2.5]));
    assert!(read_as("[[-Inf]]", &options).is_err());
}

#[test]
fn several_frames_are_a_bundle() {
    let text = r#"  {"p": {"a": [1]}, "q": [{"b": 2}], "r": {"a": {"x": 1}}}"#;
    let buffer = Buffer::from_vec(text.as_bytes().to_vec());
    let found = bundle(&buffer, &ReadOptions::default()).unwrap().unwrap();
    let labels: Vec<&str> = found.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["p", "q", "r"]);
    assert_eq!(&text[found[1].1.clone()], r#"[{"b": 2}]"#);
    assert!(error(text).contains("read_bundle"));
    for one in [r#"{"a": [1]}"#, "[1]", r#"{"a": {"x": 1}}"#, "{}"] {
        assert!(
            bundle(&Buffer::from_vec(one.as_bytes().to_vec()), &ReadOptions::default())
                .is_ok_and(|b| b.is_none()),
            "{one}"
        );
    }
}

#[test]
fn one_row_with_many_keys_is_limited_in_missing_cells() {
    let mut options = ReadOptions::default();
    (options.limits.max_unbacked_nbytes, options.limits.max_expansion) = (40_000, 1);
    let wide: Vec<String> = (0..200).map(|i| format!("\"k{i}\": 1")).collect();
    let text = format!("[{{{}}}{}]", wide.join(","), ", {}".repeat(100));
    let error = read_as(&text, &options).unwrap_err().to_string();
    assert!(error.contains("max_unbacked_nbytes") && error.contains("line "), "{error}");
    let labels: Vec<String> = (0..100).map(|i| format!("\"{i}\": 1")).collect();
    let late: Vec<String> = (0..200).map(|i| format!("\"k{i}\": {{\"99\": 1}}")).collect();
    let text = format!("{{\"a\": {{{}}}, {}}}", labels.join(","), late.join(","));
    let error = read_as(&text, &options).unwrap_err().to_string();
    assert!(error.contains("max_unbacked_nbytes") && error.contains("line "), "{error}");
    options.limits.max_unbacked_nbytes = 160_000;
    assert_eq!(read_as(&text, &options).unwrap().ncols, 201);
}

#[test]
fn schemas_of_pandas_declare_labels_times_and_categories() {
    let frame = read(
        r#"{"schema": {"fields": [
            {"name": "lab", "type": "string"}, {"name": "t", "type": "datetime"},
            {"name": "tz", "type": "datetime", "tz": "Europe/Paris"},
            {"name": "c", "type": "any", "constraints": {"enum": ["p", "q"]}, "ordered": true},
            {"name": "none", "type": "number"}], "primaryKey": ["lab"], "pandas_version": "1.4.0"},
         "data": [
            {"lab": "k", "t": "2013-01-01T00:00:00.000", "tz": "2012-12-31T23:00:00.000Z", "c": "q", "none": null},
            {"lab": "l", "t": null, "tz": "2014-02-02T23:00:00.000Z", "c": null, "none": null}]}"#,
    );
    assert_eq!(texts(&frame.columns), ["t", "tz", "c", "none"]);
    assert_eq!((texts(&frame.index), frame.index.name.as_str()), (vec!["k".into(), "l".into()], "\"lab\""));
    let kind = |position: usize| column(&frame, position).as_str().unwrap().to_owned();
    assert!(kind(0).contains("Timestamp(Nanosecond, None)"), "{}", kind(0));
    assert!(kind(1).contains("Some(\"Europe/Paris\")"), "{}", kind(1));
    assert!(kind(2).starts_with("Dictionary(Int32, LargeUtf8)"), "{}", kind(2));
    // NaN, which JSON cannot express.
    assert_eq!(column(&frame, 3), json!([null, null]));
    // pandas writes integers as floats if the column has nulls.
    let frame = read(
        r#"{"schema": {"fields": [{"name": "a", "type": "any", "constraints": {"enum": [3, 1]}}]},
            "data": [{"a": 1.0}, {"a": null}, {"a": 3.0}]}"#,
    );
    let found = column(&frame, 0).as_str().unwrap().to_owned();
    assert!(found.starts_with("Dictionary(Int32, Int64)"), "{found}");
    let error = error(
        r#"{"schema": {"fields": [{"name": "a", "type": "any", "constraints": {"enum": ["p"]}}]}, "data": [{"a": "x"}]}"#,
    );
    assert!(error.contains("categories") && error.contains("\"x\""), "{error}");
}

#[test]
fn bytes_may_be_of_other_encodings() {
    let text = "[{\"é\": 1}]";
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let wide: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for bytes in [marked, wide] {
        let frame = decode(&Buffer::from_vec(bytes), &ReadOptions::default()).unwrap().frame;
        assert_eq!(texts(&frame.columns), ["é"]);
    }
    let error =
        decode(&Buffer::from_vec(b"[{\"a\": \"\n\xff\"}]".to_vec()), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("line 2, column 1") && error.to_string().contains("UTF-8"), "{error}");
}
