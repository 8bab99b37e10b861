//! However the input is split into ranges or chunks: the same frame, or the same error.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::frame::{Frame, Part};
use crate::json::write::options::Orient;
use crate::text::place::Place;

use super::chunks::Chunks;
use super::context::Context;
use super::options::{LinesReadOptions, ReadOptions};
use super::{lines, root};

/// Names, types, cells and labels of a frame.
fn shown(frame: &Frame) -> String {
    let mut out = vec![format!("{} x {} {:?} {:?}", frame.nrows, frame.ncols, frame.index, frame.columns)];
    for part in &frame.parts {
        out.push(match part {
            Part::Block(block, places) => {
                format!("{places:?} {:?} {:?}", block.grid.dtype, block.packed().unwrap())
            }
            Part::Column(column, place) => {
                format!("{place} {:?} {:?}", column.tag, arrow_array::make_array(column.data.clone()))
            }
        });
    }
    // Addresses tell nothing.
    out.join("\n").lines().filter(|line| !line.contains("ptr: 0x")).collect::<Vec<_>>().join("\n")
}

fn read(bytes: &[u8], by_lines: bool, range_nbytes: usize, threads: usize) -> String {
    let options = ReadOptions { threads, ..ReadOptions::default() };
    let place = |at: usize| Place::of(bytes, at);
    let rules = options.rules();
    let context =
        Context { bytes, options: &options, rules, format: "json", range_nbytes, hint: "", place: &place };
    let found = if by_lines { lines::decode_text(&context) } else { root::decode_text(&context) };
    match found {
        Ok(decoded) => format!("{} {}", decoded.orient, cells(&decoded.frame)),
        Err(error) => error.to_string(),
    }
}

fn cells(frame: &Frame) -> String {
    // Buffers of labels print their addresses: the axes are compared by their texts.
    let axis = |axis: &crate::frame::Axis| format!("{:?}", axis.labels).replace(char::is_numeric, "");
    let plain = Frame {
        index: crate::frame::Axis::range(frame.nrows),
        columns: crate::frame::Axis::range(frame.ncols),
        ..frame.clone()
    };
    format!("{} {} {}", shown(&plain), axis(&frame.index).len(), axis(&frame.columns).len())
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(Value::Null),
        3 => any::<bool>().prop_map(Value::from),
        8 => (-3i64..300).prop_map(Value::from),
        2 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        4 => (-1e9f64..1e9).prop_map(Value::from),
        6 => "[a-c\"\\\\\u{e9}\n]{0,20}".prop_map(Value::from),
    ]
}

fn cell() -> impl Strategy<Value = Value> {
    prop_oneof![
        12 => scalar(),
        1 => prop::collection::vec(scalar(), 0..3).prop_map(Value::from),
        1 => scalar().prop_map(|value| json!({"p": value})),
    ]
}

/// Rows whose columns are mostly of one kind.
fn rows() -> impl Strategy<Value = Vec<Value>> {
    let row = (0..6u8, -5i64..500, "[a-z]{0,9}", cell(), any::<bool>());
    prop::collection::vec(row, 0..30).prop_map(|rows| {
        rows.into_iter()
            .map(|(kind, int, text, odd, swap)| {
                let mut row = Map::new();
                if kind != 0 {
                    row.insert("int".into(), int.into());
                }
                if kind == 1 {
                    row.insert("rare".into(), odd.clone());
                }
                row.insert("text".into(), if kind == 2 { Value::Null } else { text.into() });
                row.insert("odd".into(), odd);
                if swap {
                    row = row.into_iter().rev().collect();
                }
                Value::from(row)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn ranges_make_no_difference(rows in rows(), broken in prop::option::of(0..2000usize), range in 1..200usize) {
        let joined: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let array = Value::from(rows).to_string();
        for (text, by_lines) in [(joined, true), (array, false)] {
            let mut bytes = text.into_bytes();
            if let Some(at) = broken.filter(|at| *at < bytes.len() && bytes[*at].is_ascii()) {
                bytes[at] = b'}';
            }
            let whole = read(&bytes, by_lines, usize::MAX, 1);
            prop_assert_eq!(&read(&bytes, by_lines, range, 1), &whole);
            prop_assert_eq!(&read(&bytes, by_lines, 1, 2), &whole);
        }
    }

    #[test]
    fn rows_of_arrays_too(rows in prop::collection::vec(prop::collection::vec(cell(), 2..=2), 0..30), ragged in prop::option::of(0..40usize), range in 1..100usize) {
        let mut rows = rows;
        if let Some(row) = ragged.and_then(|at| rows.get_mut(at)) {
            row.push(Value::Null);
        }
        let text = json!(rows).to_string();
        let whole = read(text.as_bytes(), false, usize::MAX, 1);
        prop_assert_eq!(read(text.as_bytes(), false, range, 2), whole);
    }

    #[test]
    fn pieces_make_no_difference(rows in rows(), sizes in prop::collection::vec(1..50usize, 1..5), max_rows in 1..9usize) {
        let bytes = rows.iter().map(|row| format!("{row}\n")).collect::<String>().into_bytes();
        let all = chunks(&bytes, &[bytes.len().max(1)], max_rows);
        prop_assert_eq!(chunks(&bytes, &sizes, max_rows), all);
    }
}

/// Pieces of JSON, whole and broken.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "\"\\u00e9\\n\"",
        "\"",
        "\\",
        "1",
        "-0",
        "01",
        "2.5e-3",
        "1e",
        ".5",
        "-",
        "1e400",
        "18446744073709551616",
        "true",
        "false",
        "null",
        "nul",
        "NaN",
        " ",
        "\n",
        "\r",
        "\u{0}",
        "\u{e9}",
        "{\"a\":",
        "[{\"a\":1},",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_serde_refuses_is_refused(text in pieces()) {
        let options = ReadOptions::default();
        let place = |at: usize| Place::of(text.as_bytes(), at);
        let rules = options.rules();
        let mut scan = super::super::scan::Scan::new(text.as_bytes(), 0, false);
        scan.space();
        let ours = scan.value(0, &rules).map(|()| scan.space());
        let is_whole = ours.is_ok() && scan.at == text.len();
        let theirs = serde_json::from_str::<Value>(&text);
        if is_whole {
            prop_assert!(theirs.is_ok(), "{:?}", text);
        } else if theirs.is_ok() {
            // What is legal and still refused, by name.
            let fault = ours.unwrap_err();
            let named = ["twice", "big_ints", "beyond"].iter().any(|word| fault.message.contains(word));
            prop_assert!(named, "{:?} {}", text, fault.message);
        }
        // As frames: errors have places, nothing panics, and ranges make no difference.
        for by_lines in [true, false] {
            let context = Context {
                bytes: text.as_bytes(), options: &options, rules, format: "json", range_nbytes: 3, hint: "", place: &place,
            };
            let found = if by_lines { lines::decode_text(&context) } else { root::decode_text(&context) };
            if let Err(error) = found {
                prop_assert!(error.to_string().contains("line "), "{}", error);
            }
            prop_assert_eq!(read(text.as_bytes(), by_lines, 3, 2), read(text.as_bytes(), by_lines, usize::MAX, 1));
        }
    }
}

fn chunks(bytes: &[u8], sizes: &[usize], max_rows: usize) -> Vec<String> {
    let mut chunks = Chunks::new(LinesReadOptions::default()).unwrap();
    let mut out = Vec::new();
    let mut rest = bytes;
    for size in sizes.iter().cycle() {
        let (piece, tail) = rest.split_at(rest.len().min(*size));
        chunks.feed(piece).unwrap();
        rest = tail;
        if rest.is_empty() {
            chunks.finish().unwrap();
        }
        loop {
            match chunks.next(max_rows) {
                Ok(Some(frame)) => out.push(cells(&frame)),
                Ok(None) if rest.is_empty() => return out,
                Ok(None) => break,
                Err(error) => {
                    out.push(error.to_string());
                    return out;
                }
            }
        }
    }
    out
}

#[test]
fn many_threads_and_ranges_give_what_one_gives() {
    let row = |i: i64| json!({"a": i, "b": i as f64 / 7.0, "c": format!("text {i}"), "d": (i % 3 == 0).then_some(i)});
    let mut text: String = (0..40_000).map(|i| format!("{}\n", row(i))).collect();
    text.push_str("{\"a\": 2.5, \"e\": [1]}\n");
    let whole = read(text.as_bytes(), true, usize::MAX, 1);
    assert_eq!(read(text.as_bytes(), true, 100_000, 4), whole);
    let array = format!("[{}]", text.trim_end().replace('\n', " ,\n "));
    let records = read(array.as_bytes(), false, 100_000, 4);
    assert_eq!(records, whole);
    let _ = Orient::Records;
}
