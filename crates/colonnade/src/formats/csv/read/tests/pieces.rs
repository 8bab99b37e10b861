//! Pieces, threads and chunks of the input change neither the result nor the error.

use proptest::prelude::*;

use super::super::{CsvChunks, OnError, ReadOptions, split};
use super::{cell_texts, read_with};

/// All that is said of an input.
fn describe(text: &[u8], options: &ReadOptions) -> String {
    match read_with(text, options) {
        Ok(found) => format!("{:?} {} {}", cell_texts(&found.frame), found.dropped, found.nulled),
        Err(error) => error.to_string(),
    }
}

/// Describes the text as read in pieces of `nbytes`, by two threads.
fn in_pieces(text: &[u8], options: &ReadOptions, nbytes: usize) -> String {
    split::with_pieces_of(nbytes, || describe(text, &ReadOptions { threads: 2, ..options.clone() }))
}

/// The frames of chunks, and the error at their end, of bytes that come in portions.
fn chunked(text: &[u8], options: &ReadOptions, portion: usize, max_rows: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut all = || -> crate::Result<()> {
        let mut chunks = CsvChunks::new(options.clone())?;
        let mut take = |chunks: &mut CsvChunks| -> crate::Result<()> {
            while let Some(frame) = chunks.next(max_rows)? {
                out.push(format!("{:?}", cell_texts(&frame)));
            }
            Ok(())
        };
        for bytes in text.chunks(portion) {
            chunks.feed(bytes)?;
            take(&mut chunks)?;
        }
        chunks.finish()?;
        take(&mut chunks)
    };
    let failed = all().err();
    out.extend(failed.map(|error| error.to_string()));
    out
}

/// Rows whose quotes, line ends and escapes stand at every distance from each other.
const HARD: [&str; 8] = [
    "a,b\r\n\"x\r\ny\",1\r\n\"\"\"\",\"\"\r\n3,\"\r\n\"\r\n",
    "a,b\n\"\"\"\"\"\",\"\n\n\n\"\n\"a\"\"\nb\",2\n\n,\n",
    "a,b\n5\" pipe,1\n\"x\ny\",2\n6\" pipe,3\n",
    "a;b\r\"x\r\ny\";1\r2;3\r",
    "a,b\n1,2\n\"never closed,3\n4,5\n6,7\n",
    "a,b\r\n1,2\r\n3,4\r5,6\r\n",
    "a,b\n1,2\n3,4,5\n6\n\n7,8\n\"9\"x,10\n",
    "a\n\n1\n\n\n\"\"\n2\n\r\n3",
];

#[test]
fn piece_borders_at_every_byte_change_nothing() {
    let escaped = ReadOptions {
        escape: Some(b'\\'),
        comment: Some(b'#'),
        doublequote: false,
        ..ReadOptions::default()
    };
    let hard = HARD.iter().map(|text| (*text, ReadOptions::default()));
    let more = ["a,b\n# x\n1\\\n2,\"x\\\"\n\"\n3,4 # \"\n\\,,5\n", "a,b\n1,2\n3,4\\", "a,b\n1,\"2\\"];
    let skips = ReadOptions { on_error: OnError::Skip, ..ReadOptions::default() };
    let nulls = ReadOptions { on_error: OnError::Null, ..ReadOptions::default() };
    let all = hard.chain(more.iter().map(|text| (*text, escaped.clone())));
    for (text, options) in all.chain([(HARD[6], skips), (HARD[6], nulls)]) {
        let whole = describe(text.as_bytes(), &options);
        for nbytes in 1..=text.len() + 1 {
            assert_eq!(in_pieces(text.as_bytes(), &options, nbytes), whole, "{text:?} {nbytes}");
        }
        for max_rows in [1, 2, 9] {
            let whole = chunked(text.as_bytes(), &options, text.len(), max_rows);
            for portion in 1..text.len() {
                let parts = chunked(text.as_bytes(), &options, portion, max_rows);
                assert_eq!(parts, whole, "{text:?} {portion} {max_rows}");
            }
        }
    }
}

#[test]
fn error_positions_do_not_depend_on_portions_or_encoding() {
    use crate::text::input::TextEncoding;
    let units =
        |text: &str, unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for (text, escape) in
        [("é,b\nß,2\nü,3,4\n5,6\n", None), ("a,é\n1,\"ü\n", None), ("é,b\né,2\nx,ü\\", Some(b'\\'))]
    {
        let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let big = [&b"\xfe\xff"[..], &units(text, u16::to_be_bytes)].concat();
        let little = [&b"\xff\xfe"[..], &units(text, u16::to_le_bytes)].concat();
        for (encoding, bytes) in [
            (TextEncoding::Utf8, text.as_bytes().to_vec()),
            (TextEncoding::Utf8, marked),
            (TextEncoding::Utf8, big.clone()),
            (TextEncoding::Utf16, little),
            (TextEncoding::Utf16Be, big),
            (TextEncoding::Utf16Le, units(text, u16::to_le_bytes)),
            (TextEncoding::Latin1, latin),
        ] {
            let options = ReadOptions { encoding, escape, ..ReadOptions::default() };
            let whole = read_with(&bytes, &options).unwrap_err();
            for portion in 1..bytes.len() {
                let found = chunked(&bytes, &options, portion, 1).pop();
                assert_eq!(found, Some(whole.to_string()), "{encoding:?} {portion}");
            }
        }
    }
}

#[test]
fn rows_come_as_soon_as_there_are_enough() {
    let plain = ReadOptions::default();
    let commented = ReadOptions { comment: Some(b'#'), skip_rows: 1, ..ReadOptions::default() };
    for (options, head) in [(plain, "a,b\n"), (commented, "x\n# y\n\na;b\n")] {
        let mut chunks = CsvChunks::new(options).unwrap();
        chunks.feed(head.as_bytes()).unwrap();
        assert!(chunks.next(4).unwrap().is_none());
        for n in 0..40 {
            let line = if head.contains(';') { format!("{n};x\n") } else { format!("{n},x\n") };
            let (front, end) = line.split_at(line.len() - 1);
            chunks.feed(front.as_bytes()).unwrap();
            assert!(chunks.next(4).unwrap().is_none(), "{n}");
            chunks.feed(end.as_bytes()).unwrap();
            let found = chunks.next(4).unwrap().map(|frame| (frame.nrows, frame.ncols));
            assert_eq!(found, (n % 4 == 3).then_some((4, 2)), "{n}");
        }
    }
}

/// Cells of a table that is as hard as tables are.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => any::<i32>().prop_map(|v| v.to_string()),
        2 => "-?[0-9]{1,12}\\.[0-9]{0,8}",
        1 => "[a-zé ]{0,12}",
        1 => Just("NA".to_owned()),
        1 => Just(String::new()),
        1 => "[a,\"\n\r\0]{0,6}".prop_map(|v| format!("\"{}\"", v.replace('"', "\"\""))),
    ]
}

fn table() -> impl Strategy<Value = String> {
    (1usize..5).prop_flat_map(|width| {
        let row = proptest::collection::vec(cell(), width);
        let rows = proptest::collection::vec(row, 0..40);
        (rows, proptest::sample::select(vec!["\n", "\r\n"])).prop_map(move |(rows, end)| {
            let names: Vec<String> = (0..width).map(|i| format!("c{i}")).collect();
            let lines = std::iter::once(names.join(",")).chain(rows.iter().map(|row| row.join(",")));
            lines.map(|line| line + end).collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn pieces_change_nothing(text in table(), cut in 0usize..200, nbytes in 1usize..60) {
        let mut text = text.into_bytes();
        // Some inputs are broken somewhere.
        if cut < 40 && cut < text.len() {
            text.remove(cut);
        }
        let text = String::from_utf8(text).unwrap_or_default();
        let options = ReadOptions::default();
        prop_assert_eq!(in_pieces(text.as_bytes(), &options, nbytes), describe(text.as_bytes(), &options));
    }

    #[test]
    fn declared_types_are_read_the_same_by_both_readers(
        text in table(), dtype in proptest::sample::select(vec!["int64", "uint64", "float64", "boolean", "str"])
    ) {
        // If rows may be skipped, only typed readers read; otherwise they read what the loops of inference refuse.
        let dtypes = vec![("c0".to_owned(), dtype.to_owned())];
        let quick = ReadOptions { dtypes, ..ReadOptions::default() };
        let slow = ReadOptions { on_error: OnError::Skip, ..quick.clone() };
        match read_with(text.as_bytes(), &slow) {
            Ok(found) if found.dropped == 0 => {
                prop_assert_eq!(self::describe(text.as_bytes(), &quick), self::describe(text.as_bytes(), &slow));
            }
            _ => prop_assert!(read_with(text.as_bytes(), &quick).is_err()),
        }
    }

    #[test]
    fn bytes_may_come_in_any_portions(text in table(), portion in 1usize..50, max_rows in 1usize..9) {
        let one = |portion| chunked(text.as_bytes(), &ReadOptions::default(), portion, max_rows);
        prop_assert_eq!(one(portion), one(text.len().max(1)));
    }
}
