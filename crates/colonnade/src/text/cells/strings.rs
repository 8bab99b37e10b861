//! Text as strings of JSON and scalars of YAML.

use super::Syntax;

/// What stands for each byte in a JSON string: 0 for itself, `u` for a number, else the letter behind the backslash.
const ESCAPES: [u8; 256] = {
    let mut out = [0; 256];
    let mut byte = 0;
    while byte < 0x20 {
        out[byte] = b'u';
        byte += 1;
    }
    out[0x08] = b'b';
    out[0x09] = b't';
    out[0x0a] = b'n';
    out[0x0c] = b'f';
    out[0x0d] = b'r';
    out[b'"' as usize] = b'"';
    out[b'\\' as usize] = b'\\';
    out
};

/// Appends text as the syntax has it: a JSON string, the text itself in CSV, a YAML scalar.
#[inline]
pub(super) fn put(text: &[u8], syntax: Syntax, out: &mut Vec<u8>) {
    match syntax {
        Syntax::Csv => out.extend_from_slice(text),
        Syntax::Json => json(text, out),
        Syntax::Yaml => yaml(text, out),
    }
}

/// Appends a JSON string with no more escapes than JSON asks for.
pub fn json(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| ESCAPES.get(byte as usize) != Some(&0)) {
        let (before, behind) = rest.split_at(at);
        out.extend_from_slice(before);
        if let Some((&byte, behind)) = behind.split_first() {
            escape(byte, out);
            rest = behind;
        }
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

#[cold]
fn escape(byte: u8, out: &mut Vec<u8>) {
    match ESCAPES.get(byte as usize).copied().unwrap_or(0) {
        b'u' => numbered(byte.into(), out),
        letter => out.extend([b'\\', letter]),
    }
}

fn numbered(number: u16, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\\u{number:04x}").as_bytes());
}

/// Appends a YAML scalar that is text for every reader of 1.2 and of 1.1: plain where it is a word, else in double quotes.
pub fn yaml(text: &[u8], out: &mut Vec<u8>) {
    if is_plain(text) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            // What YAML does not print, and what is a line's end to some readers.
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                numbered(u16::try_from(u32::from(c)).unwrap_or(0), out);
            }
            '\0'..='\u{1f}' | '"' | '\\' => escape(u8::try_from(c).unwrap_or(0), out),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Whether text needs no quotes: a letter first, no mark that means anything, and no word that some version reads as a value.
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
            // Double-quoted YAML of this kind is JSON too.
            if yaml.starts_with('"') {
                assert_eq!(serde_json::from_str::<String>(&yaml).unwrap(), text);
            } else {
                assert_eq!(yaml, text);
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
