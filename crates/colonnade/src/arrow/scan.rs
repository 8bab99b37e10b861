//! Finds a few parts of a JSON text without parsing all of it: pandas' metadata of 18,000 columns takes megabytes.

use crate::json_skip::value_end;

/// Returns the text of the value of `key` in the object `text`.
pub(crate) fn value_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let at = place_of(text, key)?;
    text.get(at..end_of_value(text.as_bytes(), at)?)
}

/// Returns the offset of the value of `key` in the object `text`.
pub(crate) fn place_of(text: &str, key: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = skip_space(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    at += 1;
    loop {
        at = skip_space(bytes, at);
        match bytes.get(at)? {
            b',' => at += 1,
            b'"' => {
                let end = end_of_value(bytes, at)?;
                let found = text.get(at + 1..end - 1)?;
                at = skip_space(bytes, end);
                if bytes.get(at) != Some(&b':') {
                    return None;
                }
                at = skip_space(bytes, at + 1);
                if found == key {
                    return Some(at);
                }
                at = end_of_value(bytes, at)?;
            }
            _ => return None,
        }
    }
}

/// Returns the offset of the next byte that is not a space.
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Returns the end of the value at `at`. Only strings and brackets inside it are parsed.
pub(crate) fn end_of_value(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => end_of_string(bytes, at),
        b'{' | b'[' => value_end(bytes, at),
        _ => {
            // A number or a literal.
            let rest = bytes.get(at..)?;
            let n = rest.iter().position(|b| matches!(b, b',' | b'}' | b']') || b.is_ascii_whitespace());
            n.filter(|n| *n > 0).map(|n| at + n)
        }
    }
}

fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
