//! Any split of the input into ranges or chunks gives the same frame, or the same error.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::cells::place::TextPosition;
use crate::formats::json::write::options::JsonOrient;
use crate::frame::{Frame, Part};
use crate::progress::NoProgress;

use super::chunks::NdjsonDecoder;
use super::context::Context;
use super::options::{LinesReadOptions, ReadOptions};
use super::{lines, root};

/// Names, types, cells and labels of a frame, as text.
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
    // Addresses differ between equal frames.
    out.join("\n").lines().filter(|line| !line.contains("ptr: 0x")).collect::<Vec<_>>().join("\n")
}

fn read(bytes: &[u8], by_lines: bool, range_nbytes: usize, threads: usize) -> String {
    let options = ReadOptions { threads, ..ReadOptions::default() };
    let place = |at: usize| TextPosition::of(bytes, at);
    let rules = options.rules(0);
    let context = Context {
        bytes,
        options: &options,
        rules,
        format: "json",
        range_nbytes,
        hint: "",
        progress: &NoProgress,
        place: &place,
        label: |_, _| None,
    };
    let found = if by_lines { lines::decode_text(&context) } else { root::decode_text(&context) };
    match found {
        Ok(decoded) => format!("{} {}", decoded.orient, cells(&decoded.frame)),
        Err(error) => error.to_string(),
    }
}

fn cells(frame: &Frame) -> String {
    // The debug text of label buffers has addresses, so the axes are compared by their texts.
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

/// Rows whose columns mostly have one type.
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

/// Fragments of JSON, valid and broken.
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
    fn json_that_serde_refuses_is_refused(text in pieces()) {
        let options = ReadOptions::default();
        let place = |at: usize| TextPosition::of(text.as_bytes(), at);
        let rules = options.rules(0);
        let mut scan = crate::cells::json::scan::Scan::new(text.as_bytes(), 0, false);
        scan.space();
        let ours = scan.value(0, &rules).map(|()| scan.space());
        let is_whole = ours.is_ok() && scan.at == text.len();
        let theirs = serde_json::from_str::<Value>(&text);
        if is_whole {
            prop_assert!(theirs.is_ok(), "{:?}", text);
        } else if theirs.is_ok() {
            // Valid JSON that is still refused, by name.
            let fault = ours.unwrap_err();
            let named = ["twice", "big_ints", "beyond"].iter().any(|word| fault.message.contains(word));
            prop_assert!(named, "{:?} {}", text, fault.message);
        }
        // As frames: errors have places, nothing panics, and ranges make no difference.
        for by_lines in [true, false] {
            let context = Context {
                bytes: text.as_bytes(), options: &options, rules, format: "json", range_nbytes: 3, hint: "", progress: &NoProgress, place: &place, label: |_, _| None,
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
    let mut chunks = NdjsonDecoder::new(LinesReadOptions::default()).unwrap();
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

/// Columns as members of an object: arrays, or objects by row label, valid and broken.
fn by_columns() -> impl Strategy<Value = String> {
    let column = (prop::collection::vec(cell(), 8..=8), 0..9usize);
    (prop::collection::vec(column, 0..8), any::<bool>(), 0..8usize).prop_map(|(columns, labelled, rows)| {
        let members = columns.into_iter().enumerate().map(|(i, (cells, odd))| {
            // Some columns lack a label or a cell.
            let cells =
                cells.into_iter().take(rows).enumerate().filter(|(row, _)| odd < 7 || *row != odd - 6);
            let value = match labelled {
                true => Value::from(
                    cells.map(|(row, cell)| (format!("r\u{e9}{row}"), cell)).collect::<Map<_, _>>(),
                ),
                false => cells.map(|(_, cell)| cell).collect(),
            };
            (format!("c{i}"), value)
        });
        Value::from(members.collect::<Map<_, _>>()).to_string()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn columns_scanned_in_parallel_equal_sequential_ones(
        text in by_columns(),
        broken in prop::option::of((0..900usize, prop::sample::select(b"]}[{\",:\\x ".to_vec()))),
        range in 1..60usize,
    ) {
        let mut bytes = text.into_bytes();
        if let Some((at, byte)) = broken
            && let Some(slot) = bytes.get_mut(at).filter(|b| b.is_ascii())
        {
            *slot = byte;
        }
        let whole = read(&bytes, false, usize::MAX, 1);
        prop_assert_eq!(&read(&bytes, false, range, 2), &whole);
        prop_assert_eq!(&read(&bytes, false, 1, 3), &whole);
    }
}

/// Lines of NDJSON with every kind of line end, including blank lines.
fn any_lines() -> impl Strategy<Value = Vec<u8>> {
    let line = (0..7u8, -99i64..99, prop::sample::select(vec!["\n", "\r\n", "\n\n", "\r\n \t\r\n"]));
    (prop::collection::vec(line, 0..20), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text: String = lines
            .into_iter()
            .map(|(kind, value, end)| match kind {
                0 => end.to_owned(),
                1 => format!("{{}}{end}"),
                2 => format!(" {{ \"a\" :{value} , \"b\":\"\\n{value}\"}} {end}"),
                3 => format!("{{\"\\u0061\":{value},\"b\":null}}{end}"),
                _ => format!("{{\"a\":{value},\"b\":\"{value}\"}}{end}"),
            })
            .collect();
        if !ends {
            text.truncate(text.trim_end().len());
        }
        text.into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn lines_may_be_split_anywhere(bytes in any_lines(), piece in 1..9usize, max_rows in 1..5usize) {
        let whole = read(&bytes, true, usize::MAX, 1);
        for range in 1..40 {
            prop_assert_eq!(&read(&bytes, true, range, 2), &whole);
        }
        let all = chunks(&bytes, &[bytes.len().max(1)], max_rows);
        prop_assert_eq!(chunks(&bytes, &[piece], max_rows), all);
        // The rows that another JSON reader finds in the lines.
        let text = String::from_utf8(bytes).unwrap();
        let rows = text.lines().filter(|line| !line.trim().is_empty());
        let rows: Vec<Value> = rows.map(|line| serde_json::from_str(line).unwrap()).collect();
        let array = Value::from(rows).to_string();
        prop_assert_eq!(read(array.as_bytes(), false, usize::MAX, 1), whole);
    }
}

/// The number of bytes scanned in ranges.
fn work(text: &str, row: super::walk::RowForm, range_nbytes: usize) -> usize {
    use super::rows::{JsonRows, RowContainer};
    let source = JsonRows { start: 1, rows: RowContainer::Array, row, depth: 1 };
    let rules = ReadOptions::default().rules(0);
    let found = super::ranges::collect(
        (text.as_bytes(), &source),
        &rules,
        &super::declared::DeclaredColumns::default(),
        (2, range_nbytes),
        &NoProgress,
    );
    found.unwrap().unwrap().work_nbytes
}

#[test]
fn apparent_rows_cost_a_few_times_their_bytes_at_most() {
    use super::walk::RowForm;
    // Apparent rows, inside a string and in arrays inside a row, that begin in each range and never end.
    let never = format!("],[{},[", "1,".repeat(400)).repeat(400);
    let inner = format!("[[{}1]", "1],[".repeat(100_000));
    let nested = format!("[{}0{}", "[1],[".repeat(40), "]".repeat(41));
    for (text, row) in [
        (format!("[[\"{never}\"],[\"a\"]]"), RowForm::Listed),
        (format!("[[\"{}\"]]", "],[".repeat(100_000)), RowForm::Listed),
        (format!("[{{\"a\":\"{}\"}}]", "},{".repeat(100_000)), RowForm::Named),
        (format!("[{{\"a\":[{{}}{}]}}]", ",{\"b\":[{}".repeat(25) + &"]}".repeat(25)), RowForm::Named),
        (format!("[[{inner}],0]]"), RowForm::Listed),
        (format!("[[{nested}]]"), RowForm::Listed),
    ] {
        let nbytes = work(&text, row, 1000);
        assert!(nbytes <= 8 * text.len(), "{nbytes} bytes of {}", text.len());
        let whole = read(text.as_bytes(), false, usize::MAX, 1);
        assert_eq!(read(text.as_bytes(), false, 1000, 2), whole);
    }
}

#[test]
fn many_threads_and_ranges_give_the_same_frame() {
    let row = |i: i64| json!({"a": i, "b": i as f64 / 7.0, "c": format!("text {i}"), "d": (i % 3 == 0).then_some(i)});
    let mut text: String = (0..40_000).map(|i| format!("{}\n", row(i))).collect();
    text.push_str("{\"a\": 2.5, \"e\": [1]}\n");
    let whole = read(text.as_bytes(), true, usize::MAX, 1);
    assert_eq!(read(text.as_bytes(), true, 100_000, 4), whole);
    let array = format!("[{}]", text.trim_end().replace('\n', " ,\n "));
    let records = read(array.as_bytes(), false, 100_000, 4);
    assert_eq!(records, whole);
    let _ = JsonOrient::Records;
}
