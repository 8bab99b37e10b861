//! The values of MessagePack, in the order of their bytes. Nothing here calls itself, so that any depth is walked.

use super::bytes::number_at;

/// A family of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Family {
    /// Nil, bool, numbers and the byte that is never used: all in the head.
    Scalar,
    Text,
    Binary,
    Extension,
    Array,
    Map,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) family: Family,
    pub(crate) start: usize,
    /// End of the first byte, the length, and the type of an extension.
    pub(crate) head_end: usize,
    /// End of the value, its children included.
    pub(crate) end: usize,
    /// The length that the head says: bytes, elements or pairs.
    pub(crate) length: u64,
    /// The token of the array or map that it is in, and its number there. The number of a key is even.
    pub(crate) parent: Option<(usize, u64)>,
}

/// All values, one after the other, up to the first damage. A value that is not whole ends there.
pub(crate) fn tokens(bytes: &[u8]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    // Arrays and maps that are not complete: their token, and the next child of how many.
    let mut open: Vec<(usize, u64, u64)> = Vec::new();
    let mut at = 0;
    while let Some(mut token) = head(bytes, at) {
        if let Some((parent, next, _)) = open.last_mut() {
            token.parent = Some((*parent, *next));
            *next += 1;
        }
        at = token.end;
        let children = match token.family {
            Family::Array => token.length,
            Family::Map => token.length.saturating_mul(2),
            _ => 0,
        };
        out.push(token);
        open.push((out.len() - 1, 0, children));
        while let Some((number, _, _)) = open.pop_if(|(_, next, children)| next >= children) {
            if let Some(token) = out.get_mut(number) {
                token.end = at;
            }
        }
    }
    for (number, _, _) in open {
        if let Some(token) = out.get_mut(number) {
            token.end = at;
        }
    }
    out
}

/// The value at `at`, without its children; `None` if it is not whole.
fn head(bytes: &[u8], at: usize) -> Option<Token> {
    use Family::{Array, Binary, Extension, Map, Scalar, Text};
    let first = *bytes.get(at)?;
    // The family, and the bytes of its length or of its value.
    let (family, width) = match first {
        0xC4..=0xC6 => (Binary, 1 << (first - 0xC4)),
        0xC7..=0xC9 => (Extension, 1 << (first - 0xC7)),
        0xD9..=0xDB => (Text, 1 << (first - 0xD9)),
        0xDC | 0xDD => (Array, 2 << (first - 0xDC)),
        0xDE | 0xDF => (Map, 2 << (first - 0xDE)),
        0xCA | 0xCE | 0xD2 => (Scalar, 4),
        0xCB | 0xCF | 0xD3 => (Scalar, 8),
        0xCC | 0xD0 => (Scalar, 1),
        0xCD | 0xD1 => (Scalar, 2),
        0x80..=0x8F => (Map, 0),
        0x90..=0x9F => (Array, 0),
        0xA0..=0xBF => (Text, 0),
        0xD4..=0xD8 => (Extension, 0),
        _ => (Scalar, 0),
    };
    let is_extension = family == Extension;
    let head_end = at + 1 + width + usize::from(is_extension);
    bytes.get(at..head_end)?;
    let length = match family {
        Scalar => 0,
        _ if width > 0 => number_at(bytes, at + 1, width)?.swap_bytes() >> (64 - 8 * width),
        Extension => 1 << (first - 0xD4),
        Text => u64::from(first & 31),
        _ => u64::from(first & 15),
    };
    let has_payload = matches!(family, Text | Binary | Extension);
    let end = if has_payload { head_end.checked_add(usize::try_from(length).ok()?)? } else { head_end };
    bytes.get(head_end..end)?;
    Some(Token { family, start: at, head_end, end, length, parent: None })
}

/// Writes the head of a family with a length, in the shortest form from `form` on. The longest form takes the last bytes of a length.
pub(crate) fn put_head(family: Family, form: usize, length: u64, kind: u8, out: &mut Vec<u8>) {
    let low = length.to_le_bytes()[0];
    let (fixed, forms): (Option<u8>, &[(u8, usize)]) = match family {
        Family::Scalar => return out.push(low),
        Family::Text => ((length < 32).then_some(0xA0 | low), &[(0xD9, 1), (0xDA, 2), (0xDB, 4)]),
        Family::Binary => (None, &[(0xC4, 1), (0xC5, 2), (0xC6, 4)]),
        Family::Array => ((length < 16).then_some(0x90 | low), &[(0xDC, 2), (0xDD, 4)]),
        Family::Map => ((length < 16).then_some(0x80 | low), &[(0xDE, 2), (0xDF, 4)]),
        Family::Extension => {
            let fixed = [1, 2, 4, 8, 16].iter().position(|size| *size == length);
            let fixed = fixed.and_then(|number| u8::try_from(0xD4 + number).ok());
            (fixed, &[(0xC7, 1), (0xC8, 2), (0xC9, 4)])
        }
    };
    match fixed.filter(|_| form == 0) {
        Some(first) => out.push(first),
        None => {
            let rest = forms.get(form.saturating_sub(1)..).unwrap_or_default();
            let fits = rest.iter().find(|(_, width)| length >> (8 * width) == 0);
            if let Some((first, width)) = fits.or(forms.last()) {
                out.push(*first);
                let bytes = length.to_be_bytes();
                out.extend(bytes.get(8 - width..).unwrap_or_default());
            }
        }
    }
    if family == Family::Extension {
        out.push(kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_all_forms() {
        let bytes = b"\x93\x81\xa1a\xcb\0\0\0\0\0\0\0\0\xc4\x02xy\xd6\xff\0\0\0\0\xc0";
        let found: Vec<_> = tokens(bytes)
            .into_iter()
            .map(|token| (token.family, token.start, token.end, token.length, token.parent))
            .collect();
        use Family::{Array, Binary, Extension, Map, Scalar, Text};
        assert_eq!(
            found,
            [
                (Array, 0, 23, 3, None),
                (Map, 1, 13, 1, Some((0, 0))),
                (Text, 2, 4, 1, Some((1, 0))),
                (Scalar, 4, 13, 0, Some((1, 1))),
                (Binary, 13, 17, 2, Some((0, 1))),
                (Extension, 17, 23, 4, Some((0, 2))),
                (Scalar, 23, 24, 0, None),
            ]
        );
    }

    #[test]
    fn heads_are_read_as_they_are_written() {
        use Family::{Array, Binary, Extension, Map, Text};
        for family in [Text, Binary, Extension, Array, Map] {
            for form in 0..4 {
                for length in [0, 1, 4, 15, 16, 31, 32, 255, 256, 65535, 65536] {
                    let mut bytes = Vec::new();
                    put_head(family, form, length, 5, &mut bytes);
                    bytes.resize(bytes.len() + 65536, 0xC0);
                    let token = head(&bytes, 0).unwrap();
                    assert_eq!((token.family, token.length), (family, length));
                }
            }
        }
    }

    #[test]
    fn golden_files_are_walked_to_the_end() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/msgpack");
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().extension().is_some_and(|suffix| suffix == "msgpack") {
                let bytes = std::fs::read(entry.path()).unwrap();
                let tokens = tokens(&bytes);
                assert_eq!(tokens.last().map(|token| token.end), Some(bytes.len()));
                let roots: Vec<_> = tokens.iter().filter(|token| token.parent.is_none()).collect();
                assert_eq!((roots.len(), roots[0].end), (1, bytes.len()), "{:?}", entry.path());
            }
        }
    }
}
