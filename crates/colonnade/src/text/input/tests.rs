use super::super::encoding::{MARK_8, MARK_BE, MARK_LE};
use super::*;

fn decode(bytes: &[u8], encoding: TextEncoding) -> Result<OwnedText> {
    OwnedText::new("csv", SourceText::decode("csv", &Buffer::from_vec(bytes.to_vec()), encoding, 2)?)
}

fn message(bytes: &[u8], encoding: TextEncoding) -> String {
    decode(bytes, encoding).unwrap_err().to_string()
}

#[test]
fn byte_order_marks_determine_the_encoding_and_are_no_text() {
    for bytes in [
        &b"a\xc3\xa9\xf0\x9f\x8e\x89"[..],
        b"\xef\xbb\xbfa\xc3\xa9\xf0\x9f\x8e\x89",
        b"\xff\xfea\0\xe9\0\x3c\xd8\x89\xdf",
        b"\xfe\xff\0a\0\xe9\xd8\x3c\xdf\x89",
    ] {
        assert_eq!(decode(bytes, TextEncoding::Utf8).unwrap().as_str(), "aé🎉");
    }
    assert_eq!(decode(b"a\0", TextEncoding::Utf16).unwrap().as_str(), "a");
    assert_eq!(decode(b"\0a", TextEncoding::Utf16Be).unwrap().as_str(), "a");
    assert_eq!(decode(b"a\xe9\xff\x80", TextEncoding::Latin1).unwrap().as_str(), "aéÿ\u{80}");
    assert_eq!(decode(b"", TextEncoding::Utf16).unwrap().as_str(), "");
}

#[test]
fn places_count_bytes_of_the_source() {
    let text = decode(b"\xff\xfea\0\n\0\x3c\xd8\x89\xdfb\0", TextEncoding::Utf8).unwrap();
    let at = text.as_str().find('b').unwrap();
    assert_eq!(text.source().place(at), TextPosition { line: 2, column: 2, byte: 10 });
    let text = decode(b"\xe9\nb", TextEncoding::Latin1).unwrap();
    assert_eq!(text.source().place(3), TextPosition { line: 2, column: 1, byte: 2 });
    let text = decode(b"\xef\xbb\xbfab", TextEncoding::Utf8).unwrap();
    assert_eq!(text.source().place(1).byte, 4);
}

#[test]
fn parts_have_the_places_of_the_whole() {
    let whole = "a\né: x\r\n  b🎉c\n";
    let start = whole.find("  b").unwrap();
    let utf16 = |unit: fn(u16) -> [u8; 2]| whole.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    for (mark, bytes, encoding) in [
        (&b""[..], whole.as_bytes().to_vec(), TextEncoding::Utf8),
        (MARK_8, whole.as_bytes().to_vec(), TextEncoding::Utf8),
        (MARK_LE, utf16(u16::to_le_bytes), TextEncoding::Utf8),
        (MARK_BE, utf16(u16::to_be_bytes), TextEncoding::Utf16),
    ] {
        let input = Buffer::from_vec([mark, &bytes].concat());
        let text = SourceText::decode("yaml", &input, encoding, 1).unwrap();
        let (from, to) = (text.place(start), text.place(whole.len()));
        let range = (usize::try_from(from.byte).unwrap(), usize::try_from(to.byte - from.byte).unwrap());
        let part = SourceText::of("yaml", &input, Some(range), encoding, 1).unwrap();
        assert_eq!(part.as_bytes(), "  b🎉c\n".as_bytes());
        for at in [0, 2, 3, 7] {
            assert_eq!(part.place(at), text.place(start + at));
        }
        SourceText::of("yaml", &input, Some((range.0, range.1 + 1)), encoding, 1).unwrap_err();
    }
    let latin = Buffer::from_vec(b"\xe9\nab\xe9c".to_vec());
    let part = SourceText::of("yaml", &latin, Some((3, 3)), TextEncoding::Latin1, 1).unwrap();
    assert_eq!(part.as_bytes(), "béc".as_bytes());
    assert_eq!(part.place(3), TextPosition { line: 2, column: 4, byte: 5 });
}

#[test]
fn broken_bytes_have_a_place() {
    assert_eq!(
        message(b"a\nb\xff", TextEncoding::Utf8),
        "csv: at byte 3: line 2, column 2: expected UTF-8, found the byte FF. Give encoding= (\"latin-1\", \"utf-16\"), or \
         write the file again as UTF-8."
    );
    assert!(message(b"ab\xed\xa0\x80", TextEncoding::Utf8).contains("at byte 2: line 1, column 3"));
    assert!(
        message(b"a\0\n\0\0\xd8b\0", TextEncoding::Utf16Le)
            .contains("at byte 4: line 2, column 1: expected UTF-16, found an unpaired surrogate")
    );
    assert!(message(b"\xff\xfea\0b", TextEncoding::Utf8).contains("at byte 4: line 1, column 2"));
}

#[test]
fn shares_end_between_characters() {
    let mut bytes = "aé€🎉".repeat(3 << 20).into_bytes();
    decode(&bytes, TextEncoding::Utf8).unwrap();
    let at = bytes.len() - 10;
    bytes[at] = 0xff;
    assert!(message(&bytes, TextEncoding::Utf8).contains(&format!("at byte {at}")));
    decode(&[0x80; 9 << 20], TextEncoding::Utf8).unwrap_err();
}

#[test]
fn the_error_names_the_first_invalid_byte() {
    let mut bytes = vec![b'a'; 3 * SHARE];
    for at in [2 * SHARE + 1, SHARE + 5, 3 * SHARE - 1] {
        if let Some(byte) = bytes.get_mut(at) {
            *byte = 0xff;
        }
        let first = if at == 2 * SHARE + 1 { at } else { SHARE + 5 };
        assert!(message(&bytes, TextEncoding::Utf8).contains(&format!("byte {first}:")), "{first}");
    }
}

#[test]
fn the_utf8_check_can_be_cancelled() {
    struct StopAtOnce;
    impl Progress for StopAtOnce {
        fn advance(&self, _: u64, _: Option<u64>) -> Result<()> {
            Ok(())
        }
        fn check(&self) -> Result<()> {
            Err(Error::new(ErrorKind::Cancelled, "core", "stopped by the caller."))
        }
    }
    let bytes = Buffer::from_vec(vec![b'a'; 2 * SHARE]);
    for threads in [1, 2] {
        let text = SourceText::transcode("csv", &bytes, TextEncoding::Utf8).unwrap();
        let stopped = text.check("csv", threads, &StopAtOnce).unwrap_err();
        assert!(matches!(stopped.kind(), ErrorKind::Cancelled));
    }
}

#[test]
fn encodings_have_the_names_of_python() {
    for (name, expected) in [
        ("UTF-8", TextEncoding::Utf8),
        ("utf_16_be", TextEncoding::Utf16Be),
        ("latin-1", TextEncoding::Latin1),
    ] {
        assert_eq!(TextEncoding::from_name("csv", name).unwrap(), expected);
    }
    TextEncoding::from_name("csv", "cp1252").unwrap_err();
}
