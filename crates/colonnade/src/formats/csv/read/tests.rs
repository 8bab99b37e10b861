//! Whole inputs: what becomes of them, and that neither pieces nor threads nor chunks change it.

mod malformed;
mod pieces;

use super::{BigInts, CsvChunks, Dates, IndexColumns, OnError, ReadOptions, decode};
use crate::arrow::export::Exporter;
use crate::frame::Frame;
use crate::memory::Buffer;
use crate::text::DecodedText;

fn read_with(text: &[u8], options: &ReadOptions) -> crate::Result<DecodedText> {
    decode(&Buffer::from_vec(text.to_vec()), options)
}

fn read(text: &str) -> Frame {
    read_with(text.as_bytes(), &ReadOptions::default()).unwrap().frame
}

fn error(text: &str) -> String {
    read_with(text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string()
}

/// Columns as text: name, type, cells.
fn cell_texts(frame: &Frame) -> Vec<String> {
    let exporter = Exporter::without_metadata(frame).unwrap();
    let arrays = exporter.arrays(frame).unwrap();
    let fields = exporter.schema();
    let one = |(field, data): (&arrow_schema::FieldRef, &arrow_data::ArrayData)| {
        let array = arrow_array::make_array(data.clone());
        format!("{} {}: {:?}", field.name(), field.data_type(), array).replace('\n', "")
    };
    fields.fields().iter().zip(&arrays).map(one).collect()
}

fn dtypes(frame: &Frame) -> Vec<String> {
    let exporter = Exporter::without_metadata(frame).unwrap();
    exporter.schema().fields().iter().map(|f| format!("{}: {}", f.name(), f.data_type())).collect()
}

#[test]
fn column_types_hold_all_cells() {
    let frame = read("a,b,c,d,e,f\n1,1.5,x,true,,18446744073709551615\n-2,3,\"y,\"\"z\",False,NA,1\n");
    assert_eq!(
        dtypes(&frame),
        ["a: Int64", "b: Float64", "c: LargeUtf8", "d: Boolean", "e: Float64", "f: UInt64"]
    );
    let text = cell_texts(&frame).join("|");
    assert!(text.contains("y,\\\"z") || text.contains("y,\"z"), "{text}");
    assert_eq!(frame.nrows, 2);
}

#[test]
fn a_late_cell_promotes_the_whole_column() {
    let mut text = String::from("a,b,c\n");
    for i in 0..50_000 {
        text.push_str(&format!("{i},{i},00{i}\n"));
    }
    text.push_str("1.5,x,\n");
    let frame = read(&text);
    assert_eq!(dtypes(&frame), ["a: Float64", "b: LargeUtf8", "c: Int64"]);
    let crate::frame::Part::Column(column, _) =
        frame.parts.iter().find(|p| matches!(p, crate::frame::Part::Column(_, 1))).unwrap()
    else {
        panic!()
    };
    assert_eq!(column.string(7), Some("7"));
    assert_eq!(column.string(50_000), Some("x"));
    // The text of every cell is the one that stood there.
    text.push_str("1,1,x\n");
    let frame = read(&text);
    let found = frame.parts.iter().find_map(|p| match p {
        crate::frame::Part::Column(column, 2) => column.string(3).map(str::to_owned),
        _ => None,
    });
    assert_eq!(found.as_deref(), Some("003"));
}

#[test]
fn a_late_negative_number_is_no_unsigned_one() {
    let large = |nrows| "18446744073709551615\n".repeat(nrows);
    // A sample has rows of the begin and the end.
    for (before, after) in [(50_000, 0), (30_000, 20_000), (1, 0)] {
        let found = error(&format!("a\n{}-1\n{}", large(before), large(after)));
        assert!(found.contains("64 bits") && found.contains("\"a\""), "{found}");
    }
}

#[test]
fn quotes_hold_line_ends_and_delimiters() {
    let frame = read("a,b\r\n\"x\r\ny\",\"1\"\r\n\"\",2\r\n");
    assert_eq!(dtypes(&frame), ["a: LargeUtf8", "b: Int64"]);
    assert_eq!(frame.nrows, 2);
    // A quote inside a cell that does not begin with one is itself, wherever it stands.
    let frame = read("a,b\n5\" pipe,1\n\"x\ny\",2\n");
    assert_eq!(frame.nrows, 2);
    assert!(cell_texts(&frame)[0].contains("pipe"));
}

#[test]
fn blank_lines_are_skipped() {
    assert_eq!(read("a,b\n\n1,2\n  \n\n3,4\n\n").nrows, 2);
    assert_eq!(read("\n\na\n1\n\n2").nrows, 2);
    assert_eq!(read("a\n\"\"\nx\n").nrows, 2);
    assert_eq!(read("").nrows, 0);
    assert_eq!(read("a,b").ncols, 2);
    assert_eq!(read("a,b\n").nrows, 0);
}

#[test]
fn every_kind_of_line_end_ends_lines() {
    for text in ["a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\r1,2\r3,4\r", "a,b\r\n1,2\n3,4"] {
        let frame = read(text);
        assert_eq!((frame.nrows, frame.ncols), (2, 2), "{text:?}");
        assert_eq!(dtypes(&frame), ["a: Int64", "b: Int64"], "{text:?}");
    }
}

#[test]
fn bad_input_is_refused_with_its_position() {
    for (text, parts) in [
        ("a,b\n1,2\n3\n", ["line 3, column 1", "at byte 8", "expected 2 fields"]),
        ("a,b\n1,2,3\n", ["line 2, column 5", "at byte 8", "found 3 fields"]),
        ("a,b\n1,\"x\n2,3\n", ["line 2, column 3", "at byte 6", "closing quote"]),
        ("a,b\n1,\"x\"y\n", ["line 2, column 6", "at byte 9", "behind the closing quote"]),
        ("a,b\n1,x\ry\n2,3\n", ["line 2, column 4", "at byte 7", "bare \\r"]),
        ("a,b\r1,x\ny\r", ["line 2, column 4", "at byte 7", "bare \\n"]),
        ("a,b\n1,x\0y\n", ["line 2, column 4", "at byte 7", "NUL"]),
        ("a,b\n1,99999999999999999999\n", ["line 2, column 3", "\"b\"", "64 bits"]),
        ("a,b\n1,2\n1,1e999\n", ["line 3, column 3", "\"b\"", "64-bit float"]),
        ("a,b\n-1,2\n9223372036854775808,3\n", ["line 3, column 1", "\"a\"", "64 bits"]),
    ] {
        let found = error(text);
        for part in parts {
            assert!(found.contains(part), "{text:?}: {found}");
        }
    }
    let bad = read_with(b"a,b\n1,\xff\n", &ReadOptions::default()).unwrap_err().to_string();
    assert!(bad.contains("line 2, column 3") && bad.contains("at byte 6"), "{bad}");
}

#[test]
fn ragged_rows_are_filled_or_dropped_and_counted() {
    let text = "a,b\n1,2\n3\n4,5,6\n7,8\n";
    let with = |on_error| {
        let options = ReadOptions { on_error, ..ReadOptions::default() };
        read_with(text.as_bytes(), &options).unwrap()
    };
    let found = with(OnError::Null);
    assert_eq!((found.frame.nrows, found.dropped, found.nulled), (4, 0, 2));
    let found = with(OnError::Skip);
    assert_eq!((found.frame.nrows, found.dropped, found.nulled), (2, 2, 0));
    assert_eq!(cell_texts(&found.frame), cell_texts(&read("a,b\n1,2\n7,8\n")));
}

#[test]
fn missing_cells_of_short_rows_are_bounded() {
    let names = vec!["x"; 100_000].join(",");
    let text = format!("{names}\n{}", "1\n".repeat(100_000));
    let options = ReadOptions { on_error: OnError::Null, ..ReadOptions::default() };
    let found = read_with(text.as_bytes(), &options).unwrap_err();
    assert!(matches!(found.kind(), crate::ErrorKind::LimitExceeded), "{found}");
    assert!(error(&text).contains("expected 100000 fields"));
}

#[test]
fn lines_may_be_longer_than_pieces() {
    let long = "x".repeat(3 << 20);
    let mut text = String::from("a,b\n");
    for i in 0..4 {
        text.push_str(&format!("{long}{i},\"{long}\n{i}\"\n{i},y\n"));
    }
    let found =
        read_with(text.as_bytes(), &ReadOptions { threads: 2, ..ReadOptions::default() }).unwrap().frame;
    assert_eq!(found.nrows, 8);
    let column = |place: usize| {
        found.parts.iter().find_map(|p| match p {
            crate::frame::Part::Column(column, at) if *at == place => Some(column),
            _ => None,
        })
    };
    assert_eq!(column(0).unwrap().string(6), Some(format!("{long}3").as_str()));
    assert_eq!(column(1).unwrap().string(4), Some(format!("{long}\n2").as_str()));
    assert_eq!(column(1).unwrap().string(7), Some("y"));
}

#[test]
fn dialects_are_sniffed() {
    for (text, delimiter) in [
        ("a;b\n1,5;2\n", ";"),
        ("a\tb\n1\t2\n", "\\t"),
        ("a|b\n1|2\n", "|"),
        ("a,b;c\n1,\"x;y\"\n", ","),
        ("a\n1\n", ","),
    ] {
        let found = read_with(text.as_bytes(), &ReadOptions::default()).unwrap();
        let dialect = found.dialect.unwrap();
        assert!(dialect.contains(&format!("\"sep\":\"{delimiter}\"")), "{text:?}: {dialect}");
    }
    let options = ReadOptions { decimal: b',', thousands: Some(b'.'), ..ReadOptions::default() };
    let found = read_with(b"a;b\n1.234,5;-2\n,0;3\n", &options).unwrap().frame;
    assert_eq!(dtypes(&found), ["a: Float64", "b: Int64"]);
    assert!(cell_texts(&found)[0].contains("1234.5"));
}

#[test]
fn escapes_and_comments_are_read_byte_by_byte() {
    let options = ReadOptions {
        escape: Some(b'\\'),
        comment: Some(b'#'),
        doublequote: false,
        ..ReadOptions::default()
    };
    let text = b"name,year\n# nothing\n\"\\\"Big\\\" Ernie\",1964\nx\\,y,1 # end\n";
    let found = read_with(text, &options).unwrap().frame;
    assert_eq!(dtypes(&found), ["name: LargeUtf8", "year: Int64"]);
    assert!(cell_texts(&found)[0].contains("x,y"), "{:?}", cell_texts(&found));
}

#[test]
fn null_values_are_those_of_pandas() {
    let frame = read("a,b,c\n1,x,1.5\nNA,,nan\n<NA>,\"\",\n");
    assert_eq!(dtypes(&frame), ["a: Int64", "b: LargeUtf8", "c: Float64"]);
    let nulls: Vec<usize> = frame
        .parts
        .iter()
        .filter_map(|p| match p {
            crate::frame::Part::Column(c, _) => Some(c.data.null_count()),
            crate::frame::Part::Block(..) => None,
        })
        .collect();
    assert_eq!(nulls, [2, 1, 1]);
    let options =
        ReadOptions { keep_default_na: false, na_values: vec!["-".into()], ..ReadOptions::default() };
    let frame = read_with(b"a,b\nNA,1\n,-\n", &options).unwrap().frame;
    assert_eq!(dtypes(&frame), ["a: LargeUtf8", "b: Int64"]);
}

#[test]
fn dates_are_read_unless_an_option_says_otherwise() {
    let text = b"a,b,c\n2013-01-01,x,2013-01-01T10:00:00Z\n,2013-01-02,2013-01-01 05:00-05:00\n";
    let with = |dates, format: Option<&str>| {
        let options = ReadOptions { dates, date_format: format.map(str::to_owned), ..ReadOptions::default() };
        read_with(text, &options)
    };
    let all = with(Dates::All, None).unwrap().frame;
    assert_eq!(dtypes(&all), ["a: Timestamp(µs)", "b: LargeUtf8", "c: Timestamp(µs, \"UTC\")"]);
    assert_eq!(dtypes(&read(std::str::from_utf8(text).unwrap())), dtypes(&all));
    assert_eq!(dtypes(&with(Dates::None, None).unwrap().frame)[0], "a: LargeUtf8");
    let found = with(Dates::Names(vec!["b".into()]), None).unwrap_err().to_string();
    assert!(found.contains("line 2, column 12") && found.contains("\"x\""), "{found}");
    assert!(with(Dates::Names(vec!["z".into()]), None).is_err());
    let options = ReadOptions {
        dates: Dates::Names(vec!["b".into()]),
        on_error: OnError::Null,
        ..ReadOptions::default()
    };
    let found = read_with(text, &options).unwrap();
    assert_eq!((dtypes(&found.frame)[1].as_str(), found.nulled), ("b: Timestamp(µs)", 1));
    assert!(with(Dates::All, Some("%Q")).unwrap_err().to_string().contains("%Q"));
}

#[test]
fn labels_come_from_rows_and_columns() {
    let options = ReadOptions {
        header_rows: 2,
        index_columns: IndexColumns::Positions(vec![0]),
        ..ReadOptions::default()
    };
    let frame = read_with(b"k,a,a\n,x,y\np,1,2\nq,3,4\n", &options).unwrap().frame;
    assert_eq!((frame.ncols, frame.columns.depth(), frame.index.depth()), (2, 2, 1));
    let options = ReadOptions { header_rows: 0, ..ReadOptions::default() };
    let frame = read_with(b"1,2\n3,4\n", &options).unwrap().frame;
    assert_eq!((frame.nrows, frame.ncols), (2, 2));
    let options =
        ReadOptions { index_columns: IndexColumns::Names(vec!["b".into()]), ..ReadOptions::default() };
    let frame = read_with(b"a,b\n1,x\n", &options).unwrap().frame;
    assert_eq!((frame.ncols, frame.index.name.as_str()), (1, "\"b\""));
}

#[test]
fn big_ints_option_decides_about_big_integers() {
    let text = b"a\n1\n-18446744073709551616\n";
    let with = |big_ints| read_with(text, &ReadOptions { big_ints, ..ReadOptions::default() }).unwrap().frame;
    assert_eq!(dtypes(&with(BigInts::Text)), ["a: LargeUtf8"]);
    assert_eq!(dtypes(&with(BigInts::Decimal)), ["a: Decimal128(38, 0)"]);
    assert!(cell_texts(&with(BigInts::Decimal))[0].contains("-18446744073709551616"));
}

#[test]
fn declared_types_are_read() {
    let dtypes_of = |pairs: &[(&str, &str)], text: &[u8], on_error| {
        let dtypes = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        read_with(text, &ReadOptions { dtypes, on_error, ..ReadOptions::default() })
    };
    let text = b"a,b,c,d\n007,1,2013-01-01,x\n,2,NA,y\n";
    let pairs = [("a", "str"), ("b", "int16"), ("c", "datetime64[ns]")];
    let found = dtypes_of(&pairs, text, OnError::Raise).unwrap().frame;
    assert_eq!(dtypes(&found), ["a: LargeUtf8", "b: Int16", "c: Timestamp(ns)", "d: LargeUtf8"]);
    assert!(cell_texts(&found)[0].contains("007"));
    let wrong = b"a,b\nx,1\ny,70000\n";
    let error = dtypes_of(&[("b", "int16")], wrong, OnError::Raise).unwrap_err().to_string();
    assert!(
        error.contains("line 3, column 3") && error.contains("\"b\"") && error.contains("70000"),
        "{error}"
    );
    let found = dtypes_of(&[("b", "int16")], wrong, OnError::Null).unwrap();
    assert_eq!((found.frame.nrows, found.nulled), (2, 1));
    assert!(dtypes_of(&[("z", "int16")], text, OnError::Raise).is_err());
    assert!(dtypes_of(&[("a", "object")], text, OnError::Raise).is_err());
}

/// A frame with many types, by way of `dtypes`.
fn many_types() -> Frame {
    let text = b"s,i,u,f,h,b,t,z,d,q,n\n\
        \"\",-128,255,-0.0,1.5,true,2013-01-01T00:00:00.000000001,2013-01-01T10:00:00Z,2013-02-03,12.50,\n\
        NA,,0,nan,,,,,,,1\n\"a,\"\"b\n#\",7,9,inf,2,false,1969-12-31,2000-01-01T00:00:00Z,1900-01-01,-0.01,\n";
    let pairs = [
        ("s", "str"),
        ("i", "Int8"),
        ("u", "uint8"),
        ("f", "float64"),
        ("h", "float32"),
        ("b", "boolean"),
        ("t", "datetime64[ns]"),
        ("z", "timestamp[s, UTC]"),
        ("d", "date32"),
        ("q", "decimal128(6, 2)"),
        ("n", "Int64"),
    ];
    let dtypes = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    read_with(text, &ReadOptions { dtypes, ..ReadOptions::default() }).unwrap().frame
}

#[test]
fn files_with_a_schema_round_trip() {
    use crate::formats::csv::write::options::{Quoting, SchemaPlace, WriteOptions};
    use crate::formats::csv::write::{encode, sidecar};
    let frame = many_types();
    for (delimiter, decimal, crlf, na_rep, quoting) in [
        (b',', b'.', false, "", Quoting::Minimal),
        (b';', b',', true, "-", Quoting::All),
        (b'\t', b'.', false, "NA", Quoting::Nonnumeric),
    ] {
        let options = WriteOptions {
            delimiter,
            decimal,
            crlf,
            na_rep: na_rep.into(),
            quoting,
            ..WriteOptions::default()
        };
        let with = |schema| WriteOptions { schema, ..options.clone() };
        let mut out = Vec::new();
        encode(&frame, &with(SchemaPlace::Header), &mut out, &crate::progress::NoProgress).unwrap();
        let found = read_with(&out, &ReadOptions { threads: 2, ..ReadOptions::default() }).unwrap();
        assert_eq!(found.version, Some(1));
        assert_eq!(cell_texts(&found.frame), cell_texts(&frame));
        let mut chunks = CsvChunks::new(ReadOptions::default()).unwrap();
        chunks.feed(&out).unwrap();
        chunks.finish().unwrap();
        assert_eq!(chunks.next(2).unwrap().unwrap().nrows, 2);
        assert_eq!(chunks.next(2).unwrap().unwrap().nrows, 1);
        assert!(chunks.next(2).unwrap().is_none());

        let mut out = Vec::new();
        encode(&frame, &with(SchemaPlace::Sidecar), &mut out, &crate::progress::NoProgress).unwrap();
        let sidecar_text = Some(sidecar(&frame, &with(SchemaPlace::Sidecar)).unwrap());
        let options = ReadOptions { sidecar: sidecar_text, ..ReadOptions::default() };
        assert_eq!(cell_texts(&read_with(&out, &options).unwrap().frame), cell_texts(&frame));
        // A file that was cut, or is another one, is not the sidecar's.
        let cut = out.len() - out.iter().rev().skip(1).position(|b| *b == b'\n').unwrap() - 1;
        let found = read_with(&out[..cut], &options).unwrap_err().to_string();
        assert!(found.contains("expected 3 rows, found 2") || found.contains("closing quote"), "{found}");
        let found = read_with(b"a,b\n1,2\n", &options).unwrap_err().to_string();
        assert!(found.contains("the schema is not this file's"), "{found}");
    }
}

#[test]
fn chunks_keep_the_types_of_the_first() {
    let mut chunks = CsvChunks::new(ReadOptions::default()).unwrap();
    chunks.feed(b"a,b\n1,x\n2,y\n,z\n4.5,w\n").unwrap();
    chunks.finish().unwrap();
    assert_eq!(chunks.next(2).unwrap().unwrap().nrows, 2);
    let found = chunks.next(2).unwrap_err().to_string();
    assert!(found.contains("line 5, column 1") && found.contains("dtype="), "{found}");
    let mut empty = CsvChunks::new(ReadOptions::default()).unwrap();
    assert!(empty.next(9).unwrap().is_none());
    empty.feed(b"a,b\n").unwrap();
    empty.finish().unwrap();
    let frame = empty.next(9).unwrap().unwrap();
    assert_eq!((frame.nrows, frame.ncols), (0, 2));
    assert!(empty.next(9).unwrap().is_none());
}
