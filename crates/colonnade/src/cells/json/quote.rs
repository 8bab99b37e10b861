//! Finds the end of a quoted string and decodes its escapes.

use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::simd128::escaped;

/// Counts the bytes before the first quote, backslash or control character.
#[inline(always)]
pub(crate) fn plain_prefix_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<16>()) {
        let mask = escaped(*chunk);
        if mask != 0 {
            return at + mask.trailing_zeros() as usize;
        }
        at += 16;
    }
    let rest = bytes.get(at..).unwrap_or(&[]);
    at + rest.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).unwrap_or(rest.len())
}

/// Decodes the escape at the front of `bytes`. Returns its character and its length in bytes.
pub(crate) fn escape(bytes: &[u8]) -> Scanned<(char, usize)> {
    let plain = match bytes.get(1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(bytes),
        Some(_) => {
            let message = "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX after a backslash. Write \\\\ for a backslash.";
            return Err(JsonFault::malformed(0, message));
        }
        None => return Err(truncated_escape(bytes.len())),
    };
    Ok((plain, 2))
}

#[cold]
fn truncated_escape(had: usize) -> Box<JsonFault> {
    let had = had as u64;
    let kind = crate::ErrorKind::Truncated { needed: had + 1, had };
    JsonFault::new(kind, 0, "expected an escape, found the end. It was cut short: fetch or write it again.")
}

fn unicode(bytes: &[u8]) -> Scanned<(char, usize)> {
    let first = hex(bytes, 2)?;
    if let Some(found) = char::from_u32(first) {
        return Ok((found, 6));
    }
    if first < 0xDC00 && bytes.get(6..8) == Some(b"\\u") {
        let second = hex(bytes, 8)?;
        if (0xDC00..0xE000).contains(&second) {
            let point = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            if let Some(found) = char::from_u32(point) {
                return Ok((found, 12));
            }
        }
    }
    let message = format!(
        "expected a character, found the surrogate \\u{first:04x} without its pair, which UTF-8 cannot hold. Write the pair, or replace it."
    );
    Err(JsonFault::malformed(0, message))
}

fn hex(bytes: &[u8], at: usize) -> Scanned<u32> {
    let mut value = 0;
    for i in at..at + 4 {
        let Some(&byte) = bytes.get(i) else { return Err(truncated_escape(bytes.len())) };
        let Some(digit) = char::from(byte).to_digit(16) else {
            return Err(JsonFault::malformed(i, "expected four hexadecimal digits after \\u."));
        };
        value = value * 16 + digit;
    }
    Ok(value)
}

/// Decodes the escapes of a string that the scanner has checked.
pub(crate) fn unescape(text: &str) -> String {
    let mut out = Vec::new();
    unescape_into(text.as_bytes(), &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends the decoded text of `bytes`, whose escapes the scanner has checked, in one pass with steps of sixteen bytes.
pub(crate) fn unescape_into(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 16);
    let mut rest = bytes;
    loop {
        let used = out.len();
        let count = match rest.first_chunk::<16>() {
            Some(chunk) => {
                // A copy of a fixed size needs no call; the surplus is cut off afterwards.
                out.extend_from_slice(chunk);
                let mask = escaped(*chunk);
                if mask == 0 { 16 } else { mask.trailing_zeros() as usize }
            }
            None => {
                out.extend_from_slice(rest);
                plain_prefix_len(rest)
            }
        };
        out.truncate(used + count);
        rest = rest.get(count..).unwrap_or(&[]);
        let (found, nbytes) = match (rest.first(), rest.get(1)) {
            (None, _) => return,
            (Some(b'\\'), Some(b'n')) => (b'\n', 2),
            (Some(b'\\'), Some(same @ (b'"' | b'\\' | b'/'))) => (*same, 2),
            (Some(b'\\'), _) => {
                let Ok((found, nbytes)) = escape(rest) else { return };
                out.extend_from_slice(found.encode_utf8(&mut [0; 4]).as_bytes());
                rest = rest.get(nbytes..).unwrap_or(&[]);
                continue;
            }
            // Sixteen bytes without an escape. Checked text holds no other special bytes.
            (Some(_), _) if count > 0 => continue,
            (Some(other), _) => (*other, 1),
        };
        out.push(found);
        rest = rest.get(nbytes..).unwrap_or(&[]);
    }
}
