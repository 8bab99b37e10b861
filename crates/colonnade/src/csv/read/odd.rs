//! Literal bytes that no reader may hang on, stumble over, or change silently.

use super::{BigInts, Chunks, Dates, OnError, ReadOptions, decode};
use crate::arrow::export::Exporter;
use crate::frame::Frame;
use crate::memory::Buffer;

fn read(text: &[u8], options: &ReadOptions) -> crate::Result<Frame> {
    Ok(decode(&Buffer::from_vec(text.to_vec()), options)?.frame)
}

/// Type and cells of each column.
fn shown(frame: &Frame) -> Vec<String> {
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
fn whole_numbers_over_every_float_among_floats_are_refused() {
    let huge = "9".repeat(400);
    let text = format!("a,b\n1.5,x\n{huge},y\n");
    let found = read(text.as_bytes(), &ReadOptions::default()).unwrap_err().to_string();
    assert!(found.contains("line 3, column 1") && found.contains("float"), "{found}");
    let options = ReadOptions { big_ints: BigInts::Text, ..ReadOptions::default() };
    let found = shown(&read(text.as_bytes(), &options).unwrap());
    assert_eq!(found[0], format!("LargeUtf8: 1.5 {huge}"));
}

#[test]
fn instants_that_nanoseconds_do_not_reach_are_text_or_refused() {
    let text = b"a,b\n2300-01-01,x\n2000-01-01T00:00:00.000000001,y\n";
    let all = ReadOptions { dates: Dates::All, ..ReadOptions::default() };
    let found = shown(&read(text, &all).unwrap());
    assert_eq!(found[0], "LargeUtf8: 2300-01-01 2000-01-01T00:00:00.000000001");
    let named = ReadOptions { dates: Dates::Names(vec!["a".into()]), ..ReadOptions::default() };
    let found = read(text, &named).unwrap_err().to_string();
    assert!(found.contains("line 2, column 1") && found.contains("2262"), "{found}");
    let micros = shown(&read(b"a\n2300-01-01\n2000-01-01\n", &all).unwrap());
    assert!(micros[0].starts_with("Timestamp(\u{b5}s)"), "{micros:?}");
}

#[test]
fn null_words_may_be_numbers() {
    let options =
        ReadOptions { na_values: vec!["-999".into(), "9999999999".into()], ..ReadOptions::default() };
    let text = b"a,b,c\n1,-999,-999\n-999,1.5,x\n9999999999,2,y\n";
    let found = shown(&read(text, &options).unwrap());
    assert_eq!(found, ["Int64: 1 null null", "Float64: null 1.5 2.0", "LargeUtf8: null x y"]);
}

#[test]
fn nan_is_null_where_the_told_type_has_none() {
    let dtypes = [("a", "Int64"), ("b", "str"), ("c", "Float64")];
    let dtypes = dtypes.iter().map(|(n, t)| ((*n).into(), (*t).into())).collect();
    let options = ReadOptions { dtypes, ..ReadOptions::default() };
    let found = shown(&read(b"a,b,c\nNaN,NaN,NaN\n1,x,2\n", &options).unwrap());
    assert_eq!(found, ["Int64: null 1", "LargeUtf8: null x", "Float64: NaN 2.0"]);
}

fn chunked(text: &[u8], options: &ReadOptions, rows: usize) -> crate::Result<Vec<Vec<String>>> {
    let mut chunks = Chunks::new(options.clone())?;
    chunks.feed(text)?;
    chunks.finish()?;
    let mut out = Vec::new();
    while let Some(frame) = chunks.next(rows)? {
        out.push(shown(&frame));
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
fn an_escaped_line_end_ends_no_line_however_the_text_comes() {
    let options = ReadOptions { escape: Some(b'\\'), ..ReadOptions::default() };
    let mut text = b"a,b\n".to_vec();
    for _ in 0..11_000 {
        text.extend(b"x\\\ny,z\n");
    }
    let whole = read(&text, &options).unwrap();
    assert_eq!(whole.nrows, 11_000);
    for end in 0..7 {
        let mut chunks = Chunks::new(options.clone()).unwrap();
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
fn rows_cut_short_and_odd_bytes_have_their_places() {
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
    assert_eq!(shown(&read(b"a,b\n1,2\n3\n4,5,6\n7,8\n", &options).unwrap()), ["Int64: 1 7", "Int64: 2 8"]);
}

#[test]
fn integers_beside_nulls_are_floats_to_others_only_where_no_float_rounds_them() {
    let origin = |text: &[u8]| read(text, &ReadOptions::default()).unwrap().tags.origin.is_some();
    assert!(origin(b"a,b\n9007199254740992,x\n,y\n"));
    assert!(!origin(b"a,b\n9007199254740993,x\n,y\n"));
    assert!(!origin(b"a,b\n-9007199254740993,x\n,y\n"));
    assert!(origin(b"a,b\n9007199254740993,x\n1,y\n"));
}
