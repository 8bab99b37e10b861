//! Frames as literal text, and what plain CSV loses.

use arrow_array::{
    Array, BooleanArray, Float64Array, Int64Array, LargeStringArray, ListArray, StringArray, UInt64Array,
    types,
};
use arrow_data::ArrayData;

use super::options::{OutputEncoding, Quoting, SchemaPlace, WriteOptions};
use super::{COMMENT, CsvChunkWriter, encode, losses, sidecar};
use crate::error::{ErrorKind, Result};
use crate::frame::{Axis, Column, Frame, Labels, Level, Part, Tags};
use crate::progress::NoProgress;
use crate::text::loss::Loss;

fn named(levels: Vec<ArrayData>, name: &str) -> Axis {
    let classes = vec!["Index".into(); levels.len()];
    let levels = levels.into_iter().map(|data| Level::Column(Column::new(data)));
    Axis { labels: Labels::Levels(levels.collect()), classes, name: name.into(), ..Axis::range(0) }
}

fn texts(values: &[&str]) -> ArrayData {
    StringArray::from_iter_values(values).into_data()
}

fn with_index(index: Axis, columns: Vec<(&str, ArrayData)>) -> Frame {
    let names = texts(&columns.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let parts = columns.into_iter().enumerate().map(|(i, (_, data))| Part::Column(Column::new(data), i));
    let tags = Tags { name: "null".into(), ..Tags::default() };
    Frame::new(index, named(vec![names], "null"), parts.collect(), tags).unwrap()
}

fn frame(columns: Vec<(&str, ArrayData)>) -> Frame {
    let nrows = columns.first().map_or(0, |(_, data)| data.len());
    with_index(Axis::range(nrows), columns)
}

fn small() -> Frame {
    frame(vec![
        ("i", Int64Array::from(vec![Some(1), None, Some(i64::MIN)]).into_data()),
        ("f", Float64Array::from(vec![1.0, -0.0, 1e300]).into_data()),
        ("t", LargeStringArray::from(vec![Some("a,b"), Some(""), None]).into_data()),
    ])
}

fn text(frame: &Frame, options: &WriteOptions) -> Result<String> {
    let mut out = Vec::new();
    encode(frame, options, &mut out, &NoProgress)?;
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn records_follow_the_rfc() {
    let plain = WriteOptions::default();
    let expected = "i,f,t\n1,1.0,\"a,b\"\n,-0.0,\"\"\n-9223372036854775808,1e+300,\n";
    let got = text(&small(), &plain).unwrap();
    assert_eq!(got.replace("1e300", "1e+300"), expected);
    let all = WriteOptions {
        delimiter: b';',
        decimal: b',',
        crlf: true,
        na_rep: "NA".into(),
        quoting: Quoting::Nonnumeric,
        ..plain.clone()
    };
    let expected = "\"i\";\"f\";\"t\"\r\n1;\"1,0\";\"a,b\"\r\nNA;\"-0,0\";\"\"\r\n";
    assert!(text(&small(), &all).unwrap().starts_with(expected), "{}", text(&small(), &all).unwrap());
    let all = WriteOptions { quoting: Quoting::All, ..plain };
    let expected = "\"i\",\"f\",\"t\"\n\"1\",\"1.0\",\"a,b\"\n,\"-0.0\",\"\"\n";
    assert!(text(&small(), &all).unwrap().starts_with(expected));
}

#[test]
fn pieces_make_no_difference() {
    let many = 30_000;
    let ints = Int64Array::from_iter((0..many).map(|i| if i % 7 == 0 { None } else { Some(i * 31) }));
    let strings = StringArray::from_iter_values((0..many).map(|i| format!("t{i}\"")));
    let frame = frame(vec![("i", ints.into_data()), ("t", strings.into_data())]);
    let one = text(&frame, &WriteOptions::default()).unwrap();
    assert_eq!(one.lines().count(), 30_001);
    assert_eq!(one, text(&frame, &WriteOptions { threads: 3, ..WriteOptions::default() }).unwrap());
}

#[test]
fn losses_are_told_by_name() {
    let bools = || BooleanArray::from(vec![true]).into_data();
    let list = ListArray::from_iter_primitive::<types::Int32Type, _, _>([Some(vec![Some(1)])]);
    let cases: Vec<(Frame, Option<&str>, &str)> = vec![
        (
            frame(vec![("x", texts(&["1", "007"]))]),
            Some("x"),
            "text whose cells all look like numbers comes back as them",
        ),
        (frame(vec![("x", texts(&["a", "NA"]))]), Some("x"), "the text \"NA\" comes back as null"),
        (frame(vec![("x", list.into_data())]), Some("x"), "list<item: int32> comes back as JSON text"),
        (
            with_index(named(vec![texts(&["a"])], "null"), vec![("x", bools())]),
            None,
            "row labels (the index) come back as columns",
        ),
        (
            with_index(Axis { name: "\"n\"".into(), ..Axis::range(1) }, vec![("x", bools())]),
            None,
            "the name of the row labels (\"n\") is not written",
        ),
        (with_index(Axis::range(2), vec![]), None, "2 rows of no column are not written"),
    ];
    for (frame, column, what) in cases {
        let found = losses(&frame, &WriteOptions::default()).unwrap();
        assert_eq!(found, [Loss { column: column.map(str::to_owned), what: what.into() }]);
        let header = WriteOptions { schema: SchemaPlace::Header, ..WriteOptions::default() };
        assert_eq!(losses(&frame, &header).unwrap(), []);
        text(&frame, &WriteOptions::default()).unwrap();
    }
    let fits = vec![
        ("b", BooleanArray::from(vec![Some(true), None]).into_data()),
        ("u", UInt64Array::from(vec![3, 1]).into_data()),
        ("i", arrow_array::Int8Array::from(vec![1, 2]).into_data()),
        ("t", texts(&["1", "2020-01-01"])),
        ("n", StringArray::from(vec![None::<&str>, None]).into_data()),
    ];
    assert_eq!(losses(&frame(fits), &WriteOptions::default()).unwrap(), []);
}

#[test]
fn row_labels_are_written_first() {
    let index = named(vec![texts(&["a", "b"]), Int64Array::from(vec![1, 2]).into_data()], "null");
    let frame = with_index(index, vec![("x", Int64Array::from(vec![3, 4]).into_data())]);
    assert_eq!(text(&frame, &WriteOptions::default()).unwrap(), "level_0,level_1,x\na,1,3\nb,2,4\n");
    let label = with_index(named(vec![texts(&["a"])], "\"k\""), vec![("x", texts(&["b"]))]);
    assert_eq!(text(&label, &WriteOptions::default()).unwrap(), "k,x\na,b\n");
    let without = WriteOptions { index: Some(false), ..WriteOptions::default() };
    assert_eq!(text(&frame, &without).unwrap(), "x\n3\n4\n");
    let range = with_index(Axis::range(1), vec![("index", Int64Array::from(vec![3]).into_data())]);
    let always = WriteOptions { index: Some(true), ..WriteOptions::default() };
    assert_eq!(text(&range, &always).unwrap(), "level_0,index\n0,3\n");
}

#[test]
fn a_schema_is_written_to_the_first_line_or_the_sidecar() {
    let options = WriteOptions { schema: SchemaPlace::Header, ..WriteOptions::default() };
    let got = text(&small(), &options).unwrap();
    let (first, rest) = got.split_once('\n').unwrap();
    assert!(rest.starts_with("i,f,t\n1,1.0,\"a,b\"\n"));
    let header: serde_json::Value = serde_json::from_str(first.strip_prefix(COMMENT).unwrap()).unwrap();
    assert_eq!(header["nrows"], 3);
    assert_eq!(header["csv"]["null"], "");
    let options = WriteOptions { schema: SchemaPlace::Sidecar, ..options };
    let beside: serde_json::Value = serde_json::from_slice(&sidecar(&small(), &options).unwrap()).unwrap();
    assert_eq!(beside, header);
    assert_eq!(text(&small(), &options).unwrap(), rest);
    let one = frame(vec![("x", LargeStringArray::from(vec![None, Some("NA"), Some("")]).into_data())]);
    assert_eq!(text(&one, &options).unwrap(), "x\nNA\n\"NA\"\n\"\"\n");
}

#[test]
fn chunks_are_one_file() {
    for schema in [SchemaPlace::Nowhere, SchemaPlace::Header] {
        let options = WriteOptions { schema, ..WriteOptions::default() };
        let whole = frame(vec![("x", Int64Array::from(vec![1, 2, 3]).into_data())]);
        let mut writer = CsvChunkWriter::new(options.clone());
        let mut out = Vec::new();
        for (start, stop) in [(0, 2), (2, 2), (2, 3)] {
            writer.write(&whole.slice(start, stop), &mut out, &NoProgress).unwrap();
        }
        writer.finish(&mut out).unwrap();
        let records =
            |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
        let got = String::from_utf8(out).unwrap();
        assert_eq!(records(&got), records(&text(&whole, &options).unwrap()));
        let other = frame(vec![("y", Int64Array::from(vec![1]).into_data())]);
        assert!(writer.write(&other, &mut Vec::new(), &NoProgress).is_err());
    }
}

#[test]
fn encodings_have_their_byte_order_marks() {
    let frame = frame(vec![("é", texts(&["a€"]))]);
    let bytes = |encoding| {
        let mut out = Vec::new();
        encode(&frame, &WriteOptions { encoding, ..WriteOptions::default() }, &mut out, &NoProgress)?;
        Ok::<_, crate::Error>(out)
    };
    assert!(bytes(OutputEncoding::Utf8Sig).unwrap().starts_with(b"\xef\xbb\xbf\xc3\xa9\n"));
    assert!(bytes(OutputEncoding::Utf16).unwrap().starts_with(b"\xff\xfe\xe9\0\n\0a\0\xac\x20"));
    assert!(bytes(OutputEncoding::Utf16Be).unwrap().starts_with(b"\0\xe9\0\n"));
    let error = bytes(OutputEncoding::Latin1).unwrap_err();
    assert!(error.to_string().contains("'€'"), "{error}");
}

#[test]
fn invalid_dialects_are_refused() {
    let odd = [
        WriteOptions { delimiter: b'1', ..WriteOptions::default() },
        WriteOptions { quotechar: b',', ..WriteOptions::default() },
        WriteOptions { decimal: b'x', ..WriteOptions::default() },
        WriteOptions { na_rep: "a,b".into(), ..WriteOptions::default() },
        WriteOptions { header: false, schema: SchemaPlace::Header, ..WriteOptions::default() },
    ];
    for options in odd {
        assert!(matches!(options.check().unwrap_err().kind(), ErrorKind::InvalidOption));
    }
}

#[test]
fn nan_is_null_unless_the_library_has_nulls() {
    let floats =
        Float64Array::from(vec![Some(f64::NAN), None, Some(1.5), Some(f64::NEG_INFINITY)]).into_data();
    let mut frame = frame(vec![("x", floats), ("y", Int64Array::from(vec![1, 2, 3, 4]).into_data())]);
    assert_eq!(text(&frame, &WriteOptions::default()).unwrap(), "x,y\n,1\n,2\n1.5,3\n-inf,4\n");
    frame.tags.origin = Some(r#"{"library":"polars"}"#.into());
    assert_eq!(text(&frame, &WriteOptions::default()).unwrap(), "x,y\nNaN,1\n,2\n1.5,3\n-inf,4\n");
    let comma = WriteOptions { decimal: b',', ..WriteOptions::default() };
    assert_eq!(text(&frame, &comma).unwrap(), "x,y\nNaN,1\n,2\n\"1,5\",3\n-inf,4\n");
    let header = WriteOptions { schema: SchemaPlace::Header, ..WriteOptions::default() };
    assert!(text(&frame, &header).unwrap().ends_with("x,y\nnan,1\n,2\n1.5,3\n-inf,4\n"));
}

#[test]
fn text_of_blanks_and_nul_comes_back() {
    use crate::formats::csv::read::{ReadOptions, decode};
    for cells in [["a\0b", "\0"], [" ", "x"], ["\u{3000}", "\t"], ["\u{b}", "\u{85}"]] {
        let name = cells[0];
        let whole = frame(vec![(name, texts(&[cells[0], cells[1]]))]);
        let options = WriteOptions { schema: SchemaPlace::Header, ..WriteOptions::default() };
        for options in [options, WriteOptions::default()] {
            let text = text(&whole, &options).unwrap();
            let found =
                decode(&crate::memory::Buffer::from_vec(text.clone().into_bytes()), &ReadOptions::default());
            let found = found.unwrap_or_else(|e| panic!("{text:?}: {e}")).frame;
            assert_eq!((found.nrows, found.columns.strings()), (2, Some(vec![name.to_owned()])), "{text:?}");
            let Part::Column(column, _) = &found.parts[0] else { panic!() };
            assert_eq!((column.string(0), column.string(1)), (Some(cells[0]), Some(cells[1])), "{text:?}");
        }
    }
}

#[test]
fn null_text_is_not_a_value() {
    let whole = frame(vec![("x", Int64Array::from(vec![Some(0), None]).into_data())]);
    for word in ["0", "-999", "1e5", "inf", "true", "2020-01-01"] {
        let options =
            WriteOptions { na_rep: word.into(), schema: SchemaPlace::Header, ..WriteOptions::default() };
        assert!(matches!(options.check().unwrap_err().kind(), ErrorKind::InvalidOption), "{word}");
        let found = losses(&whole, &WriteOptions { na_rep: word.into(), ..WriteOptions::default() }).unwrap();
        assert_eq!(found[0].what, format!("null, spelled {word:?}, comes back as a value"));
    }
    for word in ["", "NA", "null", "NaN"] {
        let options = WriteOptions { na_rep: word.into(), ..WriteOptions::default() };
        assert_eq!(losses(&whole, &options).unwrap(), []);
    }
    let mut floats = frame(vec![("x", Float64Array::from(vec![Some(0.5), None]).into_data())]);
    let options = WriteOptions { na_rep: "NaN".into(), ..WriteOptions::default() };
    assert_eq!(losses(&floats, &options).unwrap(), []);
    floats.tags.origin = Some(r#"{"library":"polars"}"#.into());
    assert_eq!(losses(&floats, &options).unwrap().len(), 1);
}
