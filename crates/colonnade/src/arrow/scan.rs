//! JSON that is looked through for a few of its parts: pandas' metadata of 18,000 columns are megabytes.

/// The text of the value of `key` in the object that `text` is.
pub(crate) fn value_of<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let mut at = space(bytes, 0);
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    at += 1;
    loop {
        at = space(bytes, at);
        match bytes.get(at)? {
            b',' => at += 1,
            b'"' => {
                let end = past(bytes, at)?;
                let found = text.get(at + 1..end - 1)?;
                at = space(bytes, end);
                if bytes.get(at) != Some(&b':') {
                    return None;
                }
                at = space(bytes, at + 1);
                let end = past(bytes, at)?;
                if found == key {
                    return text.get(at..end);
                }
                at = end;
            }
            _ => return None,
        }
    }
}

/// Where what is no space begins.
pub(crate) fn space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Where the value at `at` ends. What stands in it is not looked at, but for text and brackets.
pub(crate) fn past(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut depth, mut at) = (0usize, at);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = past_text(bytes, at)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b',' | b':' if depth > 0 => {}
            _ if depth == 0 => {
                // A number or a word.
                let rest = bytes.get(at..)?;
                let n = rest.iter().position(|b| matches!(b, b',' | b'}' | b']') || b.is_ascii_whitespace());
                return n.filter(|n| *n > 0).map(|n| at + n);
            }
            _ => {}
        }
        at += 1;
    }
}

fn past_text(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
