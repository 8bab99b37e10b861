//! Writes text as JSON strings and YAML scalars.

use std::ops::Range;

use super::Syntax;
use crate::cells::simd128;

/// The JSON escape of each byte and its length; 0 if the byte needs no escape.
const ESCAPES: [([u8; 8], usize); 256] = {
    let hex = b"0123456789abcdef";
    let mut out = [([0; 8], 0); 256];
    let mut byte = 0;
    while byte < 0x20 {
        out[byte] = ([b'\\', b'u', b'0', b'0', hex[byte >> 4], hex[byte & 15], 0, 0], 6);
        byte += 1;
    }
    let short = *b"\x08b\tt\nn\x0cf\rr\"\"\\\\";
    let mut i = 0;
    while i < short.len() {
        out[short[i] as usize] = ([b'\\', short[i + 1], 0, 0, 0, 0, 0, 0], 2);
        i += 2;
    }
    out
};

/// Appends the part `range` of `bytes` in the syntax: a JSON string, the text itself in CSV, a YAML scalar.
#[inline]
pub(super) fn put_part(bytes: &[u8], range: Range<usize>, syntax: Syntax, out: &mut Vec<u8>) {
    match syntax {
        Syntax::Json => json_part(bytes, range, out),
        _ => put(bytes.get(range).unwrap_or(&[]), syntax, out),
    }
}

/// Appends text in the syntax.
#[inline]
pub(super) fn put(text: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    match syntax {
        Syntax::Csv => out.extend_from_slice(text),
        Syntax::Json => json(text, out),
        Syntax::Yaml => yaml(text, out),
    }
}

/// Appends a JSON string with only the escapes that JSON requires.
pub fn json(text: &[u8], out: &mut Vec<u8>) {
    json_part(text, 0..text.len(), out);
}

/// Appends the part `range` of `bytes` as a JSON string.
#[inline]
fn json_part(bytes: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
    let Range { start: mut at, end } = range;
    out.push(b'"');
    loop {
        at = simd128::copy(bytes, at..end, out, simd128::escaped);
        match bytes.get(at) {
            Some(&byte) if at < end => escape(byte, out),
            _ => break,
        }
        at += 1;
    }
    out.push(b'"');
}

#[inline]
fn escape(byte: u8, out: &mut Vec<u8>) {
    let Some((text, n)) = ESCAPES.get(usize::from(byte)) else { return };
    simd128::push(text, *n, out);
}

fn numbered(number: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\u{number:04x}").as_bytes());
}

/// Appends a YAML scalar that readers of 1.2 and 1.1 take for text: plain if it is a word, else in double quotes.
pub fn yaml(text: &[u8], out: &mut Vec<u8>) {
    if is_plain(text) {
        out.extend_from_slice(text);
        return;
    }
    quoted_yaml(text, out);
}

/// Appends the key of an object within a cell: quoted also in YAML, because the reader parses cells as JSON.
pub(super) fn key(text: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    if syntax == Syntax::Yaml { quoted_yaml(text, out) } else { json(text, out) }
}

fn quoted_yaml(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            // Characters that YAML does not print, or that some readers take for a line end.
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                numbered(u16::try_from(u32::from(c)).unwrap_or(0), out);
            }
            '\0'..='\u{1f}' | '"' | '\\' => escape(u8::try_from(c).unwrap_or(0), out),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Whether text needs no quotes in YAML: a letter first, no special character, and no word that some version reads as a
/// value.
fn is_plain(text: &[u8]) -> bool {
    let (Some(first), Some(last)) = (text.first(), text.last()) else { return false };
    let inside =
        |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'_' | b'-' | b'.' | b'/' | b'(' | b')');
    (first.is_ascii_alphabetic() || *first == b'_')
        && *last != b' '
        && text.iter().all(inside)
        && !(text.len() <= 5
            && [&b"null"[..], b"true", b"false", b"y", b"n", b"yes", b"no", b"on", b"off"]
                .iter()
                .any(|word| text.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(text: &str) -> (String, String) {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        json(text.as_bytes(), &mut a);
        yaml(text.as_bytes(), &mut b);
        (String::from_utf8(a).unwrap(), String::from_utf8(b).unwrap())
    }

    #[test]
    fn json_is_what_serde_writes_and_reads() {
        for c in (0..0x3000).chain([0xfeff, 0xfffe, 0x1f389]).filter_map(char::from_u32) {
            let text = format!("a{c}b{c}{c}");
            let (json, yaml) = both(&text);
            assert_eq!(json, serde_json::to_string(&text).unwrap());
            // Double-quoted YAML with these escapes is JSON too.
            if yaml.starts_with('"') {
                assert_eq!(serde_json::from_str::<String>(&yaml).unwrap(), text);
            } else {
                assert_eq!(yaml, text);
            }
        }
    }

    #[test]
    fn an_escape_at_any_place_of_any_part_is_written() {
        for len in 0..=100 {
            for special in ['"', '\\', '\u{1}', '\n', '\u{7f}', 'é'] {
                for place in 0..len.max(1) {
                    let mut text: String = "x".repeat(len);
                    if len > 0 {
                        text.replace_range(place..=place, special.encode_utf8(&mut [0; 4]));
                    }
                    let expected = serde_json::to_string(&text).unwrap();
                    // As a cell among others, which must not affect the result.
                    let around = format!("\"\n{text}\"\\{}", "\"".repeat(len % 20));
                    let mut out = Vec::new();
                    put_part(around.as_bytes(), 2..2 + text.len(), Syntax::Json, &mut out);
                    assert_eq!(String::from_utf8(out).unwrap(), expected);
                }
            }
        }
    }

    #[test]
    fn words_are_plain_in_yaml() {
        for text in ["a", "abc", "New York", "a-b/c_d (e)", "x1"] {
            assert_eq!(both(text).1, text);
        }
        for text in [
            "",
            "y",
            "N",
            "null",
            "True",
            "YES",
            "off",
            "1",
            "1e5",
            "-",
            "a: b",
            "a #b",
            "a ",
            " a",
            "2013-01-01",
            "é",
            "a,b",
            "~",
        ] {
            assert!(both(text).1.starts_with('"'), "{text}");
        }
    }
}
