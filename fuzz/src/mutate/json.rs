//! Changes of JSON within a file, such as Colonnade's metadata. The text keeps its length, so no offset of the file changes.

use std::ops::Range;

use super::random::Random;

/// Starts of the metadata that Colonnade and pandas write.
const STARTS: &[&[u8]] =
    &[b"{\"version\"", b"{\"dtype\"", b"{\"tag\"", b"{\"__colonnade__\"", b"{\"index_columns\""];

/// More texts are not looked at.
const MOST_TEXTS: usize = 64;

/// Changes one token of one text; `None` if there is no text.
pub(crate) fn change(bytes: &mut [u8], random: &mut Random) -> Option<()> {
    let texts = texts(bytes);
    let text = bytes.get_mut(random.pick(&texts)?.clone())?;
    let tokens = tokens(text);
    let token = text.get_mut(random.pick(&tokens)?.clone())?;
    let new: &[u8] = match token.first()? {
        b'n' => b"true",
        b't' if random.one_in(2) => b"null",
        b't' => b"1e99",
        b'f' => b"99999",
        b'"' => {
            // A character of the string, or one of its quotes.
            let at = random.below(token.len());
            *token.get_mut(at)? = *random
                .pick(&[b'"', b'\\', b'0', b'9', b'[', b'<', b'>', b'A', b' ', 0xFF, 0, b'u', b'8'])?;
            return Some(());
        }
        b'0'..=b'9' | b'-' => {
            let digits = ["9", "0", "1", "-", "e", ".", "null"];
            let new = random.pick(&digits)?.as_bytes().repeat(token.len());
            let byte = *new.get(random.below(new.len()))?;
            match random.one_in(2) {
                true => token.copy_from_slice(new.get(..token.len())?),
                false => *token.get_mut(random.below(token.len()))? = byte,
            }
            return Some(());
        }
        _ => {
            *token.first_mut()? = *random.pick(b"{}[],: ")?;
            return Some(());
        }
    };
    token.copy_from_slice(new.get(..token.len())?);
    Some(())
}

/// Where texts are, from the brace to the one that closes it.
fn texts(bytes: &[u8]) -> Vec<Range<usize>> {
    let braces = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(at, _)| at);
    let is_text =
        |at: &usize| bytes.get(*at..).is_some_and(|rest| STARTS.iter().any(|start| rest.starts_with(start)));
    braces.filter(is_text).filter_map(|at| Some(at..end(bytes, at)?)).take(MOST_TEXTS).collect()
}

fn end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Strings, numbers, names and marks.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(byte) = text.get(at) {
        let rest = text.get(at + 1..).unwrap_or_default();
        let more = match byte {
            b'"' => string_nbytes(rest),
            b'a'..=b'z' => rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count(),
            b'0'..=b'9' | b'-' => {
                rest.iter().take_while(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte)).count()
            }
            _ => 0,
        };
        out.push(at..at + 1 + more);
        at += 1 + more;
    }
    out
}

/// Bytes of a string after its first quote.
fn string_nbytes(rest: &[u8]) -> usize {
    let mut escaped = false;
    let end = rest.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_text() {
        let bytes = br#"..{"version":1,"a":[null,-2.5e3,"x\"y"]},{"tag":true}.."#;
        let found = texts(bytes);
        let texts: Vec<_> = found.iter().map(|range| &bytes[range.clone()]).collect();
        assert_eq!(texts, [&br#"{"version":1,"a":[null,-2.5e3,"x\"y"]}"#[..], br#"{"tag":true}"#]);
        let words: Vec<_> = tokens(texts[0]).into_iter().map(|range| &texts[0][range]).collect();
        assert_eq!(words.len(), 15);
        assert_eq!(words[1], br#""version""#);
        assert_eq!(words[10], b"-2.5e3");
        assert_eq!(words[12], br#""x\"y""#);
    }
}
