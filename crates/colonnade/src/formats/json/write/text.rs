//! Writes JSON strings.

use crate::cells::text::strings;

/// Appends `text` in quotes, with only the escapes that JSON requires.
pub fn put_string(text: &str, out: &mut Vec<u8>) {
    strings::json(text.as_bytes(), out);
}

/// Returns `text` as the key of an object, with its colon.
#[must_use]
pub fn key(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 3);
    put_string(text, &mut out);
    out.push(b':');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_parse_back_with_serde() {
        let all: String = (0..0x250).filter_map(char::from_u32).chain("\u{1f600}\u{2028}".chars()).collect();
        for text in ["", "a\"b\\c/d", "\u{0}\u{1f}\u{7f}", &all] {
            let mut out = Vec::new();
            put_string(text, &mut out);
            let back: String = serde_json::from_slice(&out).unwrap();
            assert_eq!(back, text);
        }
        assert_eq!(key("a"), b"\"a\":");
    }
}
