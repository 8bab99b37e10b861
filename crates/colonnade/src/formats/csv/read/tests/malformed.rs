//! Literal bytes that no reader may hang on, stumble over, or change silently.

use super::super::pass::with_lines_of;
use super::super::split::with_pieces_of;
use super::super::{BigInts, CsvChunks, Dates, IndexColumns, OnError, ReadOptions, decode};
use crate::arrow::export::Exporter;
use crate::frame::Frame;
use crate::memory::Buffer;

fn read(text: &[u8], options: &ReadOptions) -> crate::Result<Frame> {
    Ok(decode(&Buffer::from_vec(text.to_vec()), options)?.frame)
}

/// Type and cells of each column.
fn cell_texts(frame: &Frame) -> Vec<String> {
    let exporter = Exporter::without_metadata(frame).unwrap();
    let cell = |array: &dyn arrow_array::Array, row| match array.is_null(row) {
        true => "null".to_owned(),
        false => text_of(array, row),
    };
    let one = |data: arrow_data::ArrayData| {
        let array = arrow_array::make_array(data);
        let cells: Vec<String> = (0..array.len()).map(|row| cell(&*array, row)).collect();
        format!("{}: {}", array.data_type(), cells.join(" "))
    };
    exporter.arrays(frame).unwrap().into_iter().map(one).collect()
}

fn text_of(array: &dyn arrow_array::Array, row: usize) -> String {
    let any = array.as_any();
    if let Some(found) = any.downcast_ref::<arrow_array::Int64Array>() {
        return found.value(row).to_string();
    }
    if let Some(found) = any.downcast_ref::<arrow_array::Float64Array>() {
        return format!("{:?}", found.value(row));
    }
    match any.downcast_ref::<arrow_array::LargeStringArray>() {
        Some(found) => found.value(row).to_owned(),
        None => "?".into(),
    }
}

#[test]
fn integers_beyond_every_float_are_refused_among_floats() {
    let huge = "9".repeat(400);
    let text = format!("a,b\n1.5,x\n{huge},y\n");
    let found = read(text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string();
    assert!(found.contains("line 3, column 1") && found.contains("float"), "{found}");
    let options = ReadOptions { big_ints: BigInts::Text, ..ReadOptions::default() };
    let found = cell_texts(&read(text.as_bytes(), &options).unwrap());
    assert_eq!(found[0], format!("LargeUtf8: 1.5 {huge}"));
}

#[test]
fn instants_beyond_nanoseconds_are_text_or_refused() {
    let text = b"a,b\n2300-01-01,x\n2000-01-01T00:00:00.000000001,y\n";
    let all = ReadOptions { dates: Dates::All, ..ReadOptions::default() };
    let found = cell_texts(&read(text, &all).unwrap());
    assert_eq!(found[0], "LargeUtf8: 2300-01-01 2000-01-01T00:00:00.000000001");
    let named = ReadOptions { dates: Dates::Names(vec!["a".into()]), ..ReadOptions::default() };
    let found = read(text, &named).unwrap_err().to_string();
    assert!(found.contains("line 2, column 1") && found.contains("2262"), "{found}");
    let micros = cell_texts(&read(b"a\n2300-01-01\n2000-01-01\n", &all).unwrap());
    assert!(micros[0].starts_with("Timestamp(\u{b5}s)"), "{micros:?}");
}

#[test]
fn null_words_may_be_numbers() {
    let options =
        ReadOptions { na_values: vec!["-999".into(), "9999999999".into()], ..ReadOptions::default() };
    let text = b"a,b,c\n1,-999,-999\n-999,1.5,x\n9999999999,2,y\n";
    let found = cell_texts(&read(text, &options).unwrap());
    assert_eq!(found, ["Int64: 1 null null", "Float64: null 1.5 2.0", "LargeUtf8: null x y"]);
}

#[test]
fn nan_is_null_for_declared_types_without_nan() {
    let dtypes = [("a", "Int64"), ("b", "str"), ("c", "Float64")];
    let dtypes = dtypes.iter().map(|(n, t)| ((*n).into(), (*t).into())).collect();
    let options = ReadOptions { dtypes, ..ReadOptions::default() };
    let found = cell_texts(&read(b"a,b,c\nNaN,NaN,NaN\n1,x,2\n", &options).unwrap());
    assert_eq!(found, ["Int64: null 1", "LargeUtf8: null x", "Float64: NaN 2.0"]);
}

fn chunked(text: &[u8], options: &ReadOptions, rows: usize) -> crate::Result<Vec<Vec<String>>> {
    let mut chunks = CsvChunks::new(options.clone())?;
    chunks.feed(text)?;
    chunks.finish()?;
    let mut out = Vec::new();
    while let Some(frame) = chunks.next(rows)? {
        out.push(cell_texts(&frame));
    }
    Ok(out)
}

#[test]
fn a_comment_without_a_line_end_ends_the_chunks() {
    let options = ReadOptions { comment: Some(b'#'), ..ReadOptions::default() };
    assert_eq!(chunked(b"a\n1\n#x", &options, 2).unwrap(), [["Int64: 1"]]);
    assert_eq!(chunked(b"#abc", &options, 2).unwrap(), [[""; 0]]);
    assert_eq!(read(b"#abc", &options).unwrap().ncols, 0);
}

#[test]
fn blank_lines_cost_no_stack_and_types_stay_those_of_the_first_chunk() {
    let mut text = b"a,b\n1,2\n".to_vec();
    text.extend(std::iter::repeat_n(b'\n', 200_000));
    text.extend(b",3\n");
    let found = chunked(&text, &ReadOptions::default(), 1).unwrap();
    assert_eq!(found, [["Int64: 1", "Int64: 2"], ["Int64: null", "Int64: 3"]]);
}

#[test]
fn an_escaped_line_end_does_not_end_a_line() {
    let options = ReadOptions { escape: Some(b'\\'), ..ReadOptions::default() };
    let mut text = b"a,b\n".to_vec();
    for _ in 0..11_000 {
        text.extend(b"x\\\ny,z\n");
    }
    let whole = read(&text, &options).unwrap();
    assert_eq!(whole.nrows, 11_000);
    for end in 0..7 {
        let mut chunks = CsvChunks::new(options.clone()).unwrap();
        let (front, back) = text.split_at(70_000 + end);
        let mut rows = 0;
        for (piece, last) in [(front, false), (back, true)] {
            chunks.feed(piece).unwrap();
            if last {
                chunks.finish().unwrap();
            }
            while let Some(frame) = chunks.next(7).unwrap() {
                rows += frame.nrows;
            }
        }
        assert_eq!(rows, 11_000, "{end}");
    }
}

#[test]
fn truncated_rows_and_invalid_bytes_are_located() {
    let place = |text: &[u8], part: &str| {
        let found = read(text, &ReadOptions::default()).unwrap_err().to_string();
        assert!(found.contains(part), "{found}");
    };
    place(b"a,b\n\"x\ny\",1\n2\n", "line 4, column 1");
    place(b"a,b\n1,\"x\n", "line 2, column 3");
    place(b"a,b\n1,2\r3,4\n", "line 2, column 4");
    place(b"a,b\n1,\x002\n", "line 2, column 3");
    place(b"\xff\xfea\0,\0b\0\n\x001\0\n\0", "at byte 10");
    let options = ReadOptions { on_error: OnError::Skip, ..ReadOptions::default() };
    assert_eq!(
        cell_texts(&read(b"a,b\n1,2\n3\n4,5,6\n7,8\n", &options).unwrap()),
        ["Int64: 1 7", "Int64: 2 8"]
    );
}

#[test]
fn integers_with_nulls_are_exported_as_floats_unless_rounded() {
    let origin = |text: &[u8]| read(text, &ReadOptions::default()).unwrap().tags.origin.is_some();
    assert!(origin(b"a,b\n9007199254740992,x\n,y\n"));
    assert!(!origin(b"a,b\n9007199254740993,x\n,y\n"));
    assert!(!origin(b"a,b\n-9007199254740993,x\n,y\n"));
    assert!(origin(b"a,b\n9007199254740993,x\n1,y\n"));
}

fn refused(text: &[u8], options: &ReadOptions) -> String {
    read(text, options).unwrap_err().to_string()
}

#[test]
fn a_final_escape_character_is_an_error() {
    let options = ReadOptions { escape: Some(b'\\'), ..ReadOptions::default() };
    for (text, place) in [
        (&b"a,b\n1,x\\"[..], "at byte 7: line 2, column 4: expected a character behind the escape"),
        (b"a,b\n1,\"x\\", "at byte 6: line 2, column 3: expected a closing quote"),
        (b"a,b\\", "at byte 3: line 1, column 4: expected a character behind the escape"),
    ] {
        assert!(refused(text, &options).contains(place), "{}", refused(text, &options));
        let found = chunked(text, &options, 1).unwrap_err().to_string();
        assert!(found.contains(place), "{found}");
    }
    // An escaped carriage return is not a part of the line end after it.
    assert_eq!(cell_texts(&read(b"a,b\n1,x\\\r\n2,y\r\n", &options).unwrap())[1], "LargeUtf8: x\r y");
}

#[test]
fn errors_do_not_name_cells_of_dropped_rows() {
    let options = ReadOptions { on_error: OnError::Skip, big_ints: BigInts::Error, ..ReadOptions::default() };
    let found = refused(b"a,b\n1,2\n99999999999999999999\n3,4\n99999999999999999998,5\n", &options);
    assert!(found.contains("line 5, column 1") && found.contains("99999999999999999998"), "{found}");
    // A blank line is not an empty cell.
    let options = ReadOptions { keep_default_na: false, ..ReadOptions::default() };
    let found = chunked(b"a\n1\n\n\nx\n", &options, 1).unwrap_err().to_string();
    assert!(found.contains("line 5, column 1") && found.contains("\"x\""), "{found}");
}

#[test]
fn columns_mixing_zones_are_refused_by_name() {
    let options = ReadOptions { dates: Dates::Names(vec!["a".into()]), ..ReadOptions::default() };
    let found = refused(b"a,b\n2000-01-01,1\n2000-01-01T00:00:00Z,2\n", &options);
    assert!(found.contains("line 3, column 1") && found.contains("without a zone"), "{found}");
}

#[test]
fn numbers_are_instants_if_the_format_allows() {
    let format = Some("%Y%m%d".to_owned());
    let options = ReadOptions { dates: Dates::All, date_format: format.clone(), ..ReadOptions::default() };
    let times = |text: &str| cell_texts(&read(text.as_bytes(), &options).unwrap())[0].clone();
    let text = format!("a,b\n{}20000101,1\n", ",1\n".repeat(100_000));
    assert!(times(&text).starts_with("Timestamp"), "{:.60}", times(&text));
    // In a column that must be instants, a number is never read as an integer.
    let named = Dates::Names(vec!["a".into()]);
    let options = ReadOptions { dates: named, on_error: OnError::Null, ..ReadOptions::default() };
    let text = format!("a,b\n{}5,1\n2000-01-01,1\n", ",1\n".repeat(100_000));
    let found = decode(&Buffer::from_vec(text.into_bytes()), &options).unwrap();
    assert_eq!((found.frame.nrows, found.nulled), (100_002, 1));
}

#[test]
fn blank_lines_without_names_are_nothing() {
    let options = ReadOptions { header_rows: 0, ..ReadOptions::default() };
    for text in [&b""[..], b"\n", b"\n \n", b" \r\n\t\r\n\r\n", b" "] {
        let frame = read(text, &options).unwrap();
        assert_eq!((frame.nrows, frame.ncols), (0, 0), "{text:?}");
        assert_eq!(chunked(text, &options, 1).unwrap(), [[""; 0]], "{text:?}");
    }
    assert_eq!(cell_texts(&read(b"\n \n1,2\n", &options).unwrap()), ["Int64: 1", "Int64: 2"]);
}

#[test]
fn rows_with_invalid_cells_are_dropped_and_counted() {
    let dtypes = vec![("b".to_owned(), "int16".to_owned())];
    let dates = Dates::Names(vec!["c".into()]);
    let text = b"a,b,c\n1,2,2000-01-01\nx,70000,2000-01-02\ny,3,never\n2,4,\n3\n\n4,z,nor\n";
    let with = |on_error| {
        let options =
            ReadOptions { dtypes: dtypes.clone(), dates: dates.clone(), on_error, ..ReadOptions::default() };
        decode(&Buffer::from_vec(text.to_vec()), &options)
    };
    // Other cells of skipped rows do not affect types: column a has integers.
    let found = with(OnError::Skip).unwrap();
    assert_eq!((found.frame.nrows, found.dropped, found.nulled), (2, 4, 0));
    assert_eq!(cell_texts(&found.frame)[0], "Int64: 1 2");
    let found = with(OnError::Null).unwrap();
    assert_eq!((found.frame.nrows, found.dropped, found.nulled), (6, 0, 5));
    assert_eq!(cell_texts(&found.frame)[0], "LargeUtf8: 1 x y 2 3 4");
    let found = with(OnError::Raise).unwrap_err().to_string();
    assert!(found.contains("line 3, column 3") && found.contains("70000"), "{found}");
    let options = ReadOptions { dtypes, dates, on_error: OnError::Skip, ..ReadOptions::default() };
    let rows: usize =
        chunked(text, &options, 2).unwrap().iter().map(|chunk| usize::from(chunk[0].len() > 7)).sum();
    assert_eq!(rows, 2);
}

#[test]
fn the_first_fault_in_the_input_is_reported() {
    let dtypes = ["a", "b"].map(|name| (name.to_owned(), "int8".to_owned())).to_vec();
    let options = ReadOptions { dtypes, threads: 2, ..ReadOptions::default() };
    for text in [
        "a,b\n1,x\ny,2\n3\n",
        "a,b\n1,x\n\"y,2\n",
        "a,b\n1,x\n1,\"2\"3\n",
        "a,b\n1,x\n1,\0 2\n",
        "a,b\n1,x\n1,2,3\n\0,",
    ] {
        let found = refused(text.as_bytes(), &options);
        assert!(found.contains("at byte 6: line 2, column 3") && found.contains("\"x\""), "{text:?} {found}");
    }
}

#[test]
fn a_line_over_the_limit_is_refused_where_it_begins() {
    let long = "x".repeat(200);
    let escaped = ReadOptions { escape: Some(b'\\'), ..ReadOptions::default() };
    with_lines_of(150, || {
        for options in [ReadOptions::default(), escaped] {
            for (text, place) in [
                (format!("a,b\n1,2\n{long},3\n4,5\n"), "at byte 8: line 3, column 1"),
                (format!("a,b\n1,2\n\"{long}\",3\n4,5\n"), "at byte 8: line 3, column 1"),
                (format!("a{long},b\n1,2\n"), "at byte 0: line 1, column 1"),
                (format!("a,b\n1,{long}"), "at byte 4: line 2, column 1"),
            ] {
                let found = read(text.as_bytes(), &options).unwrap_err();
                assert!(matches!(found.kind(), crate::ErrorKind::LimitExceeded), "{text} {found}");
                assert!(found.to_string().contains(place), "{text} {found}");
                let found = chunked(text.as_bytes(), &options, 1).unwrap_err();
                assert!(matches!(found.kind(), crate::ErrorKind::LimitExceeded), "{text} {found}");
                assert!(found.to_string().contains(place), "{text} {found}");
            }
        }
        // Nothing waits for ever for the end of a line.
        let mut chunks = CsvChunks::new(ReadOptions::default()).unwrap();
        chunks.feed(b"a,b\n1,2\n3,\"").unwrap();
        assert_eq!(chunks.next(1).unwrap().unwrap().nrows, 1);
        let found = (0..9).find_map(|_| {
            chunks.feed("y\n".repeat(20).as_bytes()).unwrap();
            chunks.next(1).err()
        });
        assert!(found.unwrap().to_string().contains("at byte 8: line 3, column 1"));
    });
}

#[test]
fn a_comment_ends_with_its_line() {
    let options = ReadOptions { comment: Some(b'#'), ..ReadOptions::default() };
    for text in [&b"#it\"s\ra,b\r1,2\r3,4\r"[..], b"a,b #\"\r1,2\r3,4\r", b"a,b\r1,2 #\"\r#\"\r3,4#"] {
        assert_eq!(cell_texts(&read(text, &options).unwrap()), ["Int64: 1 3", "Int64: 2 4"], "{text:?}");
        let chunks = chunked(text, &options, 1).unwrap();
        assert_eq!(chunks, [["Int64: 1", "Int64: 2"], ["Int64: 3", "Int64: 4"]], "{text:?}");
    }
    for (text, place) in [
        (&b"a,b\n1,2\n#c\r3,4\n5,6\n"[..], "at byte 10: line 3, column 3"),
        (b"a,b\r1,2\r#c\n3,4\n5,6\n", "at byte 10: line 3, column 3"),
        (b"a,b\r1,2 #c\n3,4\n5,6\n", "at byte 10: line 2, column 7"),
        (b"a,b\n1,2 #c\r3,4\n5,6\n", "at byte 10: line 2, column 7"),
        (b"a,b\n1,2\n3,4#\r", "at byte 12: line 3, column 5"),
    ] {
        let found = refused(text, &options);
        assert!(found.contains(place) && found.contains("bare"), "{text:?} {found}");
        let in_pieces = with_pieces_of(1, || refused(text, &ReadOptions { threads: 2, ..options.clone() }));
        assert_eq!(in_pieces, found, "{text:?}");
        assert_eq!(chunked(text, &options, 1).unwrap_err().to_string(), found, "{text:?}");
    }
    // Line ends of two bytes end comments, and the input does.
    let found = read(b"#x\r\na,b # y\r\n1,2#\r\n3,4\r\n#", &options).unwrap();
    assert_eq!(cell_texts(&found), ["Int64: 1 3", "Int64: 2 4"]);
}

#[test]
fn quotes_inside_names_do_not_hide_the_line_end() {
    let plain = ReadOptions::default();
    for text in [&b"height 5\",b\r1,2\r3,4\r"[..], b"x 5\",\"2\ry\"\r1,2\r3,4\r", b"5\"\"\";b\r1;2\r3;4\r"] {
        assert_eq!(cell_texts(&read(text, &plain).unwrap()), ["Int64: 1 3", "Int64: 2 4"], "{text:?}");
        let chunks = chunked(text, &plain, 1).unwrap();
        assert_eq!(chunks, [["Int64: 1", "Int64: 2"], ["Int64: 3", "Int64: 4"]], "{text:?}");
    }
}

#[test]
fn lines_after_an_open_quote_are_not_short_rows() {
    let names = vec!["x"; 100].join(",");
    let text = format!("{names}\n\"x\n{}", "1\n".repeat(1_500_000));
    let options = ReadOptions { comment: Some(b'#'), on_error: OnError::Null, ..ReadOptions::default() };
    let found = refused(text.as_bytes(), &options);
    assert!(found.contains("at byte 200: line 2, column 1: expected a closing quote"), "{found}");
}

#[test]
fn missing_cells_are_null_for_any_null_values() {
    let of = |dtypes: &[(&str, &str)]| ReadOptions {
        keep_default_na: false,
        on_error: OnError::Null,
        dtypes: dtypes.iter().map(|(name, dtype)| ((*name).to_owned(), (*dtype).to_owned())).collect(),
        ..ReadOptions::default()
    };
    let text = b"a,b,c,d,e\n1,2,2.5,x,true\n3\n4,5,1.5,,false\n";
    let expected = ["Int64: 1 3 4", "Int64: 2 null 5", "Float64: 2.5 null 1.5", "LargeUtf8: x null "];
    for dtype in
        [&[][..], &[("b", "Int64"), ("d", "str")], &[("b", "int64"), ("c", "float64"), ("e", "boolean")]]
    {
        let found = decode(&Buffer::from_vec(text.to_vec()), &of(dtype)).unwrap();
        let cells = cell_texts(&found.frame);
        assert_eq!(
            (&cells[..2], &cells[3..4]),
            (&expected.map(str::to_owned)[..2], &expected.map(str::to_owned)[3..])
        );
        assert_eq!((found.frame.nrows, found.nulled, cells[4].as_str()), (3, 1, "Boolean: ? null ?"));
        assert!(cells[2] == expected[2] || cells[2].contains("2.5 NaN 1.5"), "{cells:?}");
    }
}

#[test]
fn selected_columns_keep_their_numbers() {
    let options = ReadOptions {
        header_rows: 0,
        index_columns: IndexColumns::Positions(vec![0]),
        ..ReadOptions::default()
    };
    let frame = read(b"1,2,3\n4,5,6\n", &options).unwrap();
    assert_eq!(
        frame.columns.range_labels().unwrap().buffer.as_slice(),
        [1i64, 2].map(i64::to_le_bytes).concat()
    );
}

/// FF is in no UTF-8. It once stood for a mark that the dialect does not have: an escape or comment character, a quote.
#[test]
fn the_byte_ff_is_refused_in_every_place() {
    let options = ReadOptions { delimiter: Some(b','), ..ReadOptions::default() };
    let without_quotes = ReadOptions { quote: None, ..options.clone() };
    let with_commas = ReadOptions { delimiter: Some(b';'), decimal: b',', ..ReadOptions::default() };
    let cases: [(&[u8], &ReadOptions); 11] = [
        (b"a,b\n\"\xff\",1\n", &options),
        (b"a,b\n\"x\xff\",1\n", &options),
        (b"a,b\n1,\"\xff\xff\"", &options),
        (b"a,b\n\xff1,2\n", &options),
        (b"a,b\n1,2\n\xff\"3\",4\n5,6\n", &options),
        (b"a,b\nx\"y,1\n\xff3,4\n5,6\n", &options),
        (b"a,b\nx\"y,1\nz\xff,4,\n5,6\n", &options),
        (b"\xffa,b\n1,2\n", &options),
        (b"a,\"b\xff\"\n1,2\n", &options),
        (b"a,b\n\xffx\xff,1\n", &without_quotes),
        (b"a;b\n1\xff234;2\n", &with_commas),
    ];
    for (text, options) in cases {
        for found in [read(text, options).map(drop), chunked(text, options, 1).map(drop)] {
            let found = found.expect_err(&format!("{text:?}")).to_string();
            assert!(found.contains("expected UTF-8, found the byte FF"), "{text:?}: {found}");
        }
    }
}
