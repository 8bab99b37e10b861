//! Frames to YAML and back, foreign documents, and input that is refused.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema};
use proptest::collection::{hash_set, vec};
use proptest::option;
use proptest::prelude::*;

use super::options::{ReadOptions, WriteOptions, YamlOrient};
use super::read::{bundle, decode};
use super::write::{encode, encode_bundle};
use crate::arrow::import::FramePlan;
use crate::cells::text::TextStyle;
use crate::error::{ErrorKind, Result};
use crate::frame::Frame;
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::NoProgress;
use crate::text::DecodedText;
use crate::text::header::ExportedFrame;
use crate::text::input::TextEncoding;

fn frame(columns: &[(&str, ArrayRef)]) -> Frame {
    let nrows = columns.first().map_or(0, |(_, array)| array.len());
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let arrays: Vec<ArrayData> = columns.iter().map(|(_, array)| array.to_data()).collect();
    FramePlan::new(&Schema::new(fields)).unwrap().frames(&[(nrows, arrays)]).unwrap().pop().unwrap()
}

fn many() -> Frame {
    let bits = f64::from_bits(0x7ff8_0000_0000_0001);
    let lists = ListArray::from_iter_primitive::<types::Float64Type, _, _>([
        Some(vec![Some(f64::NAN), None]),
        Some(vec![]),
        None,
        Some(vec![Some(1e300), Some(f64::INFINITY)]),
    ]);
    let codes =
        [Some("yes"), None, Some("no\u{7f}"), Some("yes")].into_iter().collect::<DictionaryArray<Int8Type>>();
    let instants =
        TimestampMillisecondArray::from(vec![Some(0), None, Some(1500), Some(i64::MAX)]).with_timezone("UTC");
    frame(&[
        ("ints", Arc::new(Int64Array::from(vec![1, -5, i64::MAX, 0]))),
        ("floats", Arc::new(Float64Array::from(vec![0.1, f64::NAN, bits, -0.0]))),
        (
            "text",
            Arc::new(StringArray::from(vec![
                Some("abc"),
                None,
                Some("null"),
                Some("a: b\n\u{85}\u{feff}🎉"),
            ])),
        ),
        ("", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), Some(true)]))),
        ("when", Arc::new(instants)),
        ("a list: x", Arc::new(lists)),
        ("codes", Arc::new(codes)),
        ("__colonnade__", Arc::new(BinaryArray::from(vec![Some(&b"\xff"[..]), None, Some(b""), Some(b"x")]))),
        ("clock", Arc::new(Time32SecondArray::from(vec![Some(1), None, Some(86_399), Some(-1)]))),
        (&*"long".repeat(400), Arc::new(UInt64Array::from(vec![u64::MAX, 0, 1, 2]))),
        ("nothing", Arc::new(NullArray::new(4))),
    ])
}

fn written(frame: &Frame, orient: YamlOrient, header: bool) -> Vec<u8> {
    let mut out = Vec::new();
    encode(frame, &WriteOptions { orient, header, threads: 2 }, &mut out, &NoProgress).unwrap();
    out
}

fn read(bytes: &[u8]) -> Result<DecodedText> {
    decode(&Buffer::from_vec(bytes.to_vec()), &ReadOptions { threads: 1, ..ReadOptions::default() })
}

/// All cells as JSON.
fn shown(frame: &Frame) -> String {
    let exported = ExportedFrame::new(frame).unwrap();
    let mut out = exported.header("x").to_json(TextStyle::json("json")).unwrap().into_bytes();
    for writer in exported.writers(TextStyle::json("json")).unwrap() {
        for row in 0..frame.nrows {
            out.push(b' ');
            writer.write(row, &mut out).unwrap();
        }
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn frames_come_back() {
    let many = many();
    let frames = [
        many.slice(0, 0),
        many.slice(1, 2),
        frame(&[]),
        frame(&[("x", Arc::new(Int64Array::from(Vec::<i64>::new())))]),
        many,
    ];
    for frame in &frames {
        for orient in [YamlOrient::Records, YamlOrient::Columns] {
            let bytes = written(frame, orient, true);
            let found = read(&bytes).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&bytes)));
            assert_eq!(shown(&found.frame), shown(frame));
            assert_eq!((found.orient, found.version), (orient.name(), Some(1)));
            assert_eq!(written(&found.frame, orient, true), bytes);
        }
    }
}

#[test]
fn many_rows_come_back() {
    let values: Vec<f64> = (0..30_000).map(|i| f64::from(i) / 7.0).collect();
    let texts: Vec<String> = (0..30_000).map(|i| format!("row {i}")).collect();
    let frame =
        frame(&[("x", Arc::new(Float64Array::from(values))), ("t", Arc::new(StringArray::from(texts)))]);
    for orient in [YamlOrient::Records, YamlOrient::Columns] {
        assert_eq!(shown(&read(&written(&frame, orient, true)).unwrap().frame), shown(&frame));
    }
}

#[test]
fn without_a_header_there_is_the_data() {
    let frame = frame(&[
        ("a", Arc::new(Int64Array::from(vec![1, 2]))),
        ("b c", Arc::new(StringArray::from(vec![Some("x"), None]))),
    ]);
    let records = written(&frame, YamlOrient::Records, false);
    assert_eq!(String::from_utf8_lossy(&records), "- a: 1\n  b c: x\n- a: 2\n  b c: null\n");
    let columns = written(&frame, YamlOrient::Columns, false);
    assert_eq!(String::from_utf8_lossy(&columns), "a:\n- 1\n- 2\nb c:\n- x\n- null\n");
    for bytes in [records, columns] {
        let found = read(&bytes).unwrap();
        assert_eq!((found.frame.nrows, found.frame.ncols, found.version), (2, 2, None));
    }
    assert_eq!(written(&frame.slice(0, 0), YamlOrient::Records, false), b"[]\n");
    assert_eq!(written(&frame.slice(0, 0), YamlOrient::Columns, false), b"a: []\nb c: []\n");
}

fn types(frame: &Frame) -> Vec<DataType> {
    ExportedFrame::new(frame).unwrap().schema.fields().iter().map(|f| f.data_type().clone()).collect()
}

#[test]
fn foreign_documents_are_tables() {
    let found = read(b"# comment\n- {a: 1, b: x}\n- a: 0x1F\n  b: ~\n  c: .inf\n").unwrap();
    assert_eq!(types(&found.frame), [DataType::Int64, DataType::LargeUtf8, DataType::Float64]);
    let found = read(b"a: [1, 2.5]\nb: ['1', \"2\"]\n").unwrap();
    assert_eq!(types(&found.frame), [DataType::Float64, DataType::LargeUtf8]);
    let found = read(b"name: demo\nretries: 3\npath: &p /tmp\nother: *p\n").unwrap();
    assert_eq!((found.frame.nrows, found.frame.ncols), (1, 4));
    let found = read("\u{feff}- x: 1\r\n- x: 2\r\n".as_bytes()).unwrap();
    assert_eq!((found.frame.nrows, found.frame.ncols), (2, 1));
    let found = read(b"- &row {x: 1, y: [1, 2]}\n- *row\n- *row\n").unwrap();
    assert_eq!((found.frame.nrows, found.frame.ncols), (3, 2));
}

fn refused(bytes: &[u8]) -> (String, ErrorKind) {
    let error = read(bytes).err().unwrap_or_else(|| panic!("{:?} was read", String::from_utf8_lossy(bytes)));
    (error.to_string(), error.into_kind())
}

#[test]
fn broken_documents_are_refused_with_their_place() {
    let bomb = "a: &a [1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g]\n";
    let deep = "[".repeat(100_000);
    let nested = format!("x: {}{}\n", "[".repeat(80), "]".repeat(80));
    for (bytes, expected) in [
        (&b""[..], "line 1, column 1: expected a document, found none."),
        (b"a: 1\nb: 2\na: 3\n", "line 3, column 1: the key \"a\" occurs here a second time"),
        (b"- {a: 1, a: 2}\n", "at byte 9: line 1, column 10: the key \"a\" occurs here a second time"),
        (b"a: 1\0b", "at byte 4: line 1, column 5: expected printable characters, found U+0000."),
        (b"a: \"x", "expected YAML, found what breaks it"),
        (b"a: [1, 2\n", "expected YAML, found what breaks it"),
        (b"a: 1\n b: 2\n", "line 2"),
        (b"a: *b\n", "line 1, column 4"),
        (b"a: &a [*a]\n", "at byte 7: line 1, column 8: expected an alias of something that has ended"),
        (
            b"a: !!python/object:os.system x\n",
            "the tag \"tag:yaml.org,2002:python/object:os.system\" stands for no value",
        ),
        (b"a: !mine x\n", "the tag \"!mine\" stands for no value"),
        (b"a: !!int x\n", "expected what the tag \"tag:yaml.org,2002:int\" says, found \"x\"."),
        (b"a: 1\n---\na: 2\n", "line 2, column 1: expected one document, found a second one."),
        (b"? [a]\n: 1\n", "expected text or an integer as a key, found a collection."),
        (b"1.5: 1\n", "expected text or an integer as a key, found a float."),
        (b"a: 99999999999999999999\n", "at byte 3: line 1, column 4: expected an integer of 64 bits"),
        (b"a: 1e999\n", "expected a float of 64 bits, found 1e999"),
        (
            b"a: 0x100000000000000000000000000000000\n",
            "at byte 3: line 1, column 4: expected an integer of 64 bits, found 0x100000000000000000000000000000000.",
        ),
        (
            b"b: [1]\n0x100000000000000000000000000000000: [1]\n",
            "at byte 7: line 2, column 1: expected a key of 64 bits, found 0x100000000000000000000000000000000.",
        ),
        (b"0: [1]\n-0: [2]\n", "line 2, column 1: the key \"0\" occurs here a second time"),
        (b"b: [1]\n1: [2]\n", "at byte 0: line 1, column 1: expected column labels of one kind"),
        (b"1: [2]\nb: [1]\n", "at byte 7: line 2, column 1: expected column labels of one kind"),
        (
            b"# x\n%YAML 2.0\n---\na: 1\n",
            "at byte 10: line 2, column 7: expected YAML 1, found version \"2.0\".",
        ),
        (b"a: [1]\nb: [1, 2]\n", "expected"),
        (b"a\n", "expected a table (a map of arrays"),
        (b"a: \xff\n", "at byte 3: line 1, column 4: expected UTF-8, found the byte FF."),
        (bomb.as_bytes(), "aliases stand for more than 1048576 values"),
        (nested.as_bytes(), "nests deeper than 64."),
        (deep.as_bytes(), "line 1, column"),
    ] {
        let (message, _) = refused(bytes);
        assert!(message.starts_with("yaml: ") && message.contains(expected), "{message}");
    }
}

#[test]
fn edited_documents_with_a_header_are_refused_with_their_place() {
    let frame = frame(&[
        ("a", Arc::new(Int64Array::from(vec![1, 2]))),
        ("b", Arc::new(StringArray::from(vec!["x", "y"]))),
    ]);
    for (orient, from, to, expected) in [
        (YamlOrient::Records, "  b: \"y\"", "  b: 5", "\"$.records[1].b\": at byte "),
        (YamlOrient::Records, "  b: \"y\"", "  b: 5", "line 6, column 6: expected large_utf8, found 5."),
        (YamlOrient::Records, "- a: 2\n", "- c: 2\n", "expected a column of the header, found \"c\"."),
        (YamlOrient::Records, "- a: 2\n  b", "- b", "expected 2 members as the header has, found 1."),
        (YamlOrient::Records, "- a: 2\n  b: \"y\"\n", "", "expected 2 rows as the header says, found 1."),
        (YamlOrient::Records, "\"version\":1", "\"version\":7", "expected version 1, found 7."),
        (YamlOrient::Columns, "- 2\n", "- 2.5\n", "\"$.a[1]\": at byte "),
        (YamlOrient::Columns, "- 2\n", "", "expected 2 rows, found 1."),
        (YamlOrient::Columns, "b:\n", "c:\n", "expected the column \"b\", as the header has it."),
        (
            YamlOrient::Columns,
            "b:\n- x\n- \"y\"\n",
            "",
            "expected the column \"b\", as the header has it, found none.",
        ),
    ] {
        let text = String::from_utf8(written(&frame, orient, true)).unwrap();
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}: {text}");
        let (message, _) = refused(broken.as_bytes());
        let expected = expected.replace("large_utf8", "utf8");
        assert!(message.replace("large_utf8", "utf8").contains(&expected), "{message}");
    }
}

#[test]
fn several_frames() {
    let frames = [
        ("first one".to_owned(), many()),
        ("b".to_owned(), many().slice(0, 0)),
        ("c".to_owned(), frame(&[])),
    ];
    for (orient, header) in [(YamlOrient::Records, true), (YamlOrient::Columns, true)] {
        let mut out = Vec::new();
        encode_bundle(&frames, &WriteOptions { orient, header, threads: 1 }, &mut out, &NoProgress).unwrap();
        let input = Buffer::from_vec(out.clone());
        let found = bundle(&input, &ReadOptions::default()).unwrap().unwrap();
        assert_eq!(found.len(), 3);
        for ((label, range), (expected, frame)) in found.into_iter().zip(&frames) {
            assert_eq!(&label, expected);
            assert_eq!(shown(&read(&out[range]).unwrap().frame), shown(frame));
        }
        let (message, _) = refused(&out);
        assert!(!message.is_empty());
    }
    let foreign = b"a: {x: [1, 2], y: [3, 4]}\nb:\n  # rows\n  - x: 5\n  - x: 6\n";
    let found = bundle(&Buffer::from_vec(foreign.to_vec()), &ReadOptions::default()).unwrap().unwrap();
    let shapes: Vec<(String, usize, usize)> = found
        .into_iter()
        .map(|(label, range)| {
            let frame = read(&foreign[range]).unwrap().frame;
            (label, frame.nrows, frame.ncols)
        })
        .collect();
    assert_eq!(shapes, [("a".to_owned(), 2, 2), ("b".to_owned(), 2, 1)]);
    // Sequences in a mapping need no indentation.
    let foreign = "é:\n- x: 1\n- x: 2\n  y: 3\nb:\n- {x: [5, 6]}\nc:\n-\n  x: 1\nd: &rows\n- # none\n  x: 1\n\n-   x: 2\n\
                   ? e\n:\n- x: 1\n- x: 2\nf:\n- x: [1, 2]\n";
    for foreign in [foreign.to_owned(), foreign.replace('\n', "\r\n")] {
        let found = bundle(&Buffer::from_vec(foreign.clone().into_bytes()), &ReadOptions::default());
        let shape = |range: std::ops::Range<usize>| {
            let frame = read(foreign.get(range).unwrap().as_bytes()).unwrap().frame;
            (frame.nrows, frame.ncols)
        };
        let found: Vec<_> = found.unwrap().unwrap().into_iter().map(|(label, r)| (label, shape(r))).collect();
        let shapes =
            [("é", (2, 2)), ("b", (1, 1)), ("c", (1, 1)), ("d", (2, 1)), ("e", (2, 1)), ("f", (1, 1))];
        assert_eq!(found, shapes.map(|(label, shape)| (label.to_owned(), shape)));
    }
    assert!(bundle(&Buffer::from_vec(b"a: [1]\n".to_vec()), &ReadOptions::default()).unwrap().is_none());
}

#[test]
fn limits_hold() {
    let limits = Limits { max_nbytes: 10, ..Limits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let error = decode(&Buffer::from_vec(b"a: [1, 2, 3]\n".to_vec()), &options).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_text_comes_back_as_cell_name_and_category(
        texts in vec(option::of(vec(any::<char>(), 0..6)), 1..8),
        names in hash_set(vec(any::<char>(), 0..4), 1..4),
    ) {
        let texts: Vec<Option<String>> = texts.into_iter().map(|t| t.map(|t| t.into_iter().collect())).collect();
        let names: Vec<String> = names.into_iter().map(|name| name.into_iter().collect()).collect();
        let cells: ArrayRef = Arc::new(StringArray::from(texts.clone()));
        let codes = texts.iter().map(Option::as_deref).collect::<DictionaryArray<Int8Type>>();
        let mut columns: Vec<(&str, ArrayRef)> = names.iter().map(|name| (name.as_str(), cells.clone())).collect();
        columns.push(("categories of it", Arc::new(codes)));
        let frame = frame(&columns);
        for orient in [YamlOrient::Records, YamlOrient::Columns] {
            let bytes = written(&frame, orient, true);
            let found = read(&bytes).unwrap_or_else(|e| panic!("{e}\n{}", String::from_utf8_lossy(&bytes)));
            prop_assert_eq!(shown(&found.frame), shown(&frame));
            let plain = read(&written(&frame, orient, false)).unwrap();
            prop_assert_eq!((plain.frame.nrows, plain.frame.ncols), (frame.nrows, frame.ncols));
        }
    }
}

#[test]
fn naughty_strings_come_back() {
    let here = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let root = std::env::var_os("COLONNADE_CORPORA").map_or(here, std::path::PathBuf::from).join("text-blns");
    let found =
        ["blns.txt", "src/blns.txt", "blns.json"].iter().find_map(|name| std::fs::read(root.join(name)).ok());
    let Some(bytes) = found else {
        eprintln!("skipped: no corpora at {}", root.display());
        return;
    };
    let lines: Vec<String> = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
    let frame = frame(&[("naughty", Arc::new(StringArray::from(lines)))]);
    for orient in [YamlOrient::Records, YamlOrient::Columns] {
        assert_eq!(shown(&read(&written(&frame, orient, true)).unwrap().frame), shown(&frame));
    }
}

/// Options without limits, for tests that deep input ends in an error and not in a stack overflow.
fn unlimited() -> ReadOptions {
    ReadOptions { limits: Limits { max_depth: u64::MAX, ..Limits::default() }, ..ReadOptions::default() }
}

#[test]
fn a_raised_depth_does_not_overflow_the_stack() {
    const DEEP: usize = 100_000;
    let dashes = format!("a:\n- x\n- {}1\n", "- ".repeat(DEEP));
    let foreign = decode(&Buffer::from_vec(dashes.into_bytes()), &unlimited()).unwrap().frame;
    assert_eq!((foreign.nrows, foreign.ncols), (2, 1));
    for orient in [YamlOrient::Records, YamlOrient::Columns] {
        // The bytes are compared: no reader accepts JSON brackets that deep.
        let own = written(&foreign, orient, true);
        let back = decode(&Buffer::from_vec(own.clone()), &unlimited()).unwrap().frame;
        assert!(written(&back, orient, true) == own, "written in another way");
        // The same value in nested sequences, as a user might edit the file.
        let own = String::from_utf8(own).unwrap();
        let cell = if orient == YamlOrient::Records { "- a: \"x\"\n" } else { "- \"x\"\n" };
        let deep = own.replacen(cell, &cell.replace("\"x\"", &format!("\n    {}1", "- ".repeat(DEEP))), 1);
        assert!(deep != own, "no such cell");
        let error = decode(&Buffer::from_vec(deep.into_bytes()), &unlimited()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
        assert!(error.to_string().contains("deeper than 512"), "{error}");
    }
    let brackets = format!("a: {}{}\n", "[".repeat(DEEP), "]".repeat(DEEP));
    let error = decode(&Buffer::from_vec(brackets.into_bytes()), &unlimited()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
    assert!(error.to_string().contains("line 1, column 259: brackets nest deeper"), "{error}");
}

#[test]
fn frames_of_a_bundle_in_any_encoding_are_parts_of_it() {
    let text = "\u{e9}:\n  - {x: 1, y: \u{e9}}\nb: {x: [1, 2]}\nc:\n  - x: 1\n  - 5\n";
    let utf16 = |mark: &[u8], unit: fn(u16) -> [u8; 2]| {
        mark.iter().copied().chain(text.encode_utf16().flat_map(unit)).collect::<Vec<u8>>()
    };
    let latin = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect::<Vec<u8>>();
    for (bytes, encoding, unit) in [
        (text.as_bytes().to_vec(), TextEncoding::Utf8, 1),
        (utf16(b"\xff\xfe", u16::to_le_bytes), TextEncoding::Utf8, 2),
        (utf16(b"\xfe\xff", u16::to_be_bytes), TextEncoding::Utf16, 2),
        (utf16(b"", u16::to_le_bytes), TextEncoding::Utf16Le, 2),
        (latin, TextEncoding::Latin1, 1),
    ] {
        let (nbytes, input) = (bytes.len(), Buffer::from_vec(bytes));
        let options = ReadOptions { encoding, ..ReadOptions::default() };
        let found = bundle(&input, &options).unwrap().unwrap();
        let part = |i: usize| {
            let range: &std::ops::Range<usize> = &found[i].1;
            ReadOptions { part: Some((range.start, range.len())), ..options }
        };
        let shape = |i: usize| {
            let frame = decode(&input, &part(i)).unwrap().frame;
            (found[i].0.as_str(), frame.nrows, frame.ncols)
        };
        assert_eq!((shape(0), shape(1)), (("\u{e9}", 1, 2), ("b", 2, 1)));
        // The error has the position in the whole text.
        let error = decode(&input, &part(2)).unwrap_err();
        assert!(error.to_string().contains("line 6, column 5: expected a map"), "{error}");
        assert_eq!(error.location().offset, Some((nbytes - 2 * unit) as u64), "{error}");
    }
}

#[test]
fn a_long_text_behind_many_aliases_is_refused() {
    let text = format!("a: [&x \"{}\"{}]\n", "y".repeat(1 << 20), ", *x".repeat(100));
    let error = decode(&Buffer::from_vec(text.into_bytes()), &ReadOptions::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LimitExceeded), "{error}");
    assert!(error.to_string().contains("bytes of text"), "{error}");
}

#[test]
fn many_frames_cost_one_pass() {
    let text: String = (0..30_000).map(|i| format!("\u{e9}{i}: [{{x: {i}}}]\n")).collect();
    let found =
        bundle(&Buffer::from_vec(text.clone().into_bytes()), &ReadOptions::default()).unwrap().unwrap();
    assert_eq!(found.len(), 30_000);
    assert_eq!(text.get(found[29_999].1.clone()), Some("[{x: 29999}]"));
}
