//! Character encodings: their names, their byte order marks, and their conversion to UTF-8.

use crate::cells::place::TextPosition;
use crate::error::{Error, ErrorKind, Result};
use crate::memory::Buffer;

pub(super) const MARK_8: &[u8] = b"\xef\xbb\xbf";
pub(super) const MARK_LE: &[u8] = b"\xff\xfe";
pub(super) const MARK_BE: &[u8] = b"\xfe\xff";

/// A character encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextEncoding {
    /// UTF-8, or UTF-16 if there is a byte order mark of UTF-16.
    #[default]
    Utf8,
    /// UTF-16 in the byte order of its mark, little-endian without a mark.
    Utf16,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// The first 256 characters, one byte each (ISO 8859-1).
    Latin1,
}

impl TextEncoding {
    /// Parses the name of an encoding in Python's spelling.
    ///
    /// # Errors
    /// `InvalidOption` with the valid names.
    pub fn from_name(format: &'static str, name: &str) -> Result<Self> {
        let plain: String = name.chars().filter(|c| !"-_ ".contains(*c)).collect();
        match plain.to_ascii_lowercase().as_str() {
            "utf8" | "utf8sig" | "ascii" | "usascii" => Ok(Self::Utf8),
            "utf16" => Ok(Self::Utf16),
            "utf16le" => Ok(Self::Utf16Le),
            "utf16be" => Ok(Self::Utf16Be),
            "latin1" | "iso88591" | "l1" => Ok(Self::Latin1),
            _ => Err(Error::invalid_option(
                format,
                format!(
                    "encoding: expected \"utf-8\", \"utf-16\", \"utf-16-le\", \"utf-16-be\" or \"latin-1\", found {name:?}."
                ),
            )),
        }
    }
}

/// Decodes bytes at `start` of the source to UTF-8.
pub(super) fn utf8(
    format: &'static str,
    bytes: Buffer,
    start: usize,
    encoding: TextEncoding,
) -> Result<Buffer> {
    Ok(Buffer::from_vec(match encoding {
        TextEncoding::Utf8 => return Ok(bytes),
        TextEncoding::Utf16Be => utf16_to_utf8(format, bytes.as_slice(), start, u16::from_be_bytes)?,
        TextEncoding::Utf16 | TextEncoding::Utf16Le => {
            utf16_to_utf8(format, bytes.as_slice(), start, u16::from_le_bytes)?
        }
        TextEncoding::Latin1 => latin1_to_utf8(bytes.as_slice()),
    }))
}

/// Detects the encoding by its mark. Returns it and the length of the mark.
pub(super) fn detect(bytes: &[u8], declared: TextEncoding) -> (TextEncoding, usize) {
    let starts = |mark: &[u8]| bytes.starts_with(mark);
    match declared {
        TextEncoding::Utf8 if starts(MARK_8) => (declared, MARK_8.len()),
        TextEncoding::Utf8 | TextEncoding::Utf16 | TextEncoding::Utf16Le if starts(MARK_LE) => {
            (TextEncoding::Utf16Le, 2)
        }
        TextEncoding::Utf8 | TextEncoding::Utf16 | TextEncoding::Utf16Be if starts(MARK_BE) => {
            (TextEncoding::Utf16Be, 2)
        }
        TextEncoding::Utf16 => (TextEncoding::Utf16Le, 0),
        other => (other, 0),
    }
}

/// Returns the number of bytes of a UTF-8 text in its source.
pub(crate) fn source_nbytes(text: &[u8], encoding: TextEncoding) -> usize {
    match encoding {
        TextEncoding::Utf8 => text.len(),
        TextEncoding::Latin1 => text.iter().filter(|&&b| b & 0xc0 != 0x80).count(),
        // Characters of four bytes are two UTF-16 units, all others one.
        _ => 2 * text.iter().map(|&b| usize::from(b & 0xc0 != 0x80) + usize::from(b >= 0xf0)).sum::<usize>(),
    }
}

/// The message for UTF-16 with an odd number of bytes.
pub(crate) const HALF_A_UNIT: &str = "expected UTF-16, found half a unit of two bytes at the end. The file was cut short, or is of another \
     encoding.";

/// Returns the message for an unpaired surrogate.
pub(crate) fn unpaired_surrogate(found: u16) -> String {
    format!("expected UTF-16, found an unpaired surrogate ({found:04X}).")
}

pub(super) fn utf16_to_utf8(
    format: &'static str,
    bytes: &[u8],
    mark: usize,
    unit: fn([u8; 2]) -> u16,
) -> Result<Vec<u8>> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        let Ok(c) = decoded else {
            let found = pairs.get(at).map_or(0, |pair| unit(*pair));
            let message = unpaired_surrogate(found);
            return Err(position_after(&out, mark + 2 * at).error(
                ErrorKind::Malformed,
                format,
                None,
                message,
            ));
        };
        at += c.len_utf16();
        out.push(c);
    }
    if !rest.is_empty() {
        let (needed, had) = ((mark + 2 * at + 2) as u64, (mark + bytes.len()) as u64);
        let place = position_after(&out, mark + 2 * at);
        return Err(place.error(ErrorKind::Truncated { needed, had }, format, None, HALF_A_UNIT));
    }
    Ok(out.into_bytes())
}

fn position_after(before: &str, byte: usize) -> TextPosition {
    TextPosition { byte: byte as u64, ..TextPosition::of(before.as_bytes(), before.len()) }
}

pub(super) fn latin1_to_utf8(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.iter().filter(|b| !b.is_ascii()).count());
    for &byte in bytes {
        if byte.is_ascii() {
            out.push(byte);
        } else {
            out.extend([0xc0 | byte >> 6, 0x80 | byte & 0x3f]);
        }
    }
    out
}
