//! Converts an input in any encoding to UTF-8 while it arrives.

use super::FORMAT;
use crate::cells::place::TextPosition;
use crate::error::{Error, ErrorKind, Result};
use crate::text::encoding::{HALF_A_UNIT, TextEncoding, source_nbytes, unpaired_surrogate};

/// An incremental decoder of an encoding. It keeps the bytes of an incomplete character.
#[derive(Debug)]
pub(super) struct TextStream {
    encoding: TextEncoding,
    /// Whether a byte order mark has been looked for.
    has_started: bool,
    pending: Vec<u8>,
}

/// Kind and message of a decoding error.
type StreamError = (ErrorKind, String);

impl TextStream {
    pub(super) fn new(encoding: TextEncoding) -> Self {
        Self { encoding, has_started: false, pending: Vec::new() }
    }

    /// Appends the complete characters to `text`. `place` is the position of `text`, which moves past a byte order mark.
    pub(super) fn feed(&mut self, bytes: &[u8], text: &mut Vec<u8>, place: &mut TextPosition) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        if !self.has_started && self.pending.len() < 3 {
            return Ok(());
        }
        self.begin(place);
        self.convert(text).map_err(|wrong| self.placed(wrong, text, *place))
    }

    /// Ends the input.
    pub(super) fn finish(&mut self, text: &mut Vec<u8>, place: &mut TextPosition) -> Result<()> {
        self.begin(place);
        self.convert(text).map_err(|wrong| self.placed(wrong, text, *place))?;
        if self.pending.is_empty() {
            return Ok(());
        }
        let wide = !matches!(self.encoding, TextEncoding::Utf8 | TextEncoding::Latin1);
        if wide && let Some(half) = self.pending.first_chunk::<2>() {
            let big = matches!(self.encoding, TextEncoding::Utf16Be);
            let found = if big { u16::from_be_bytes(*half) } else { u16::from_le_bytes(*half) };
            return Err(self.placed((ErrorKind::Malformed, unpaired_surrogate(found)), text, *place));
        }
        if wide {
            let at = self.after(*place, text).byte;
            let kind = ErrorKind::Truncated { needed: at + 2, had: at + 1 };
            return Err(self.placed((kind, HALF_A_UNIT.into()), text, *place));
        }
        let message = "expected a whole character at the end of the input, found the first bytes of one. It was cut short.";
        Err(self.placed((ErrorKind::Malformed, message.into()), text, *place))
    }

    /// The position after `text`, which begins at `place`. Its byte counts in the input's encoding.
    pub(super) fn after(&self, place: TextPosition, text: &[u8]) -> TextPosition {
        TextPosition { byte: place.byte + source_nbytes(text, self.encoding) as u64, ..place.after(text) }
    }

    /// The position after whole lines. Fast if all lines end with line feeds, as most do.
    pub(super) fn after_lines(&self, place: TextPosition, text: &[u8]) -> TextPosition {
        if text.contains(&b'\r') || text.last() != Some(&b'\n') {
            return self.after(place, text);
        }
        let lines = text.iter().filter(|b| **b == b'\n').count() as u64;
        let nbytes = source_nbytes(text, self.encoding) as u64;
        TextPosition { line: place.line + lines, column: 1, byte: place.byte + nbytes }
    }

    #[cold]
    fn placed(&self, (kind, message): StreamError, text: &[u8], place: TextPosition) -> Error {
        self.after(place, text).error(kind, FORMAT, None, message)
    }

    fn begin(&mut self, place: &mut TextPosition) {
        if self.has_started {
            return;
        }
        self.has_started = true;
        let starts = |mark: &[u8]| self.pending.starts_with(mark);
        let (encoding, mark) = match self.encoding {
            TextEncoding::Utf8 if starts(b"\xef\xbb\xbf") => (TextEncoding::Utf8, 3),
            TextEncoding::Utf8 | TextEncoding::Utf16 | TextEncoding::Utf16Le if starts(b"\xff\xfe") => {
                (TextEncoding::Utf16Le, 2)
            }
            TextEncoding::Utf8 | TextEncoding::Utf16 | TextEncoding::Utf16Be if starts(b"\xfe\xff") => {
                (TextEncoding::Utf16Be, 2)
            }
            TextEncoding::Utf16 => (TextEncoding::Utf16Le, 0),
            other => (other, 0),
        };
        self.encoding = encoding;
        self.pending.drain(..mark);
        place.byte += mark as u64;
    }

    fn convert(&mut self, text: &mut Vec<u8>) -> std::result::Result<(), StreamError> {
        let used = match self.encoding {
            TextEncoding::Utf8 => utf8(&self.pending, text)?,
            TextEncoding::Latin1 => {
                self.pending.iter().for_each(|b| push(char::from(*b), text));
                self.pending.len()
            }
            TextEncoding::Utf16Be => utf16(&self.pending, u16::from_be_bytes, text)?,
            TextEncoding::Utf16 | TextEncoding::Utf16Le => utf16(&self.pending, u16::from_le_bytes, text)?,
        };
        self.pending.drain(..used);
        Ok(())
    }
}

fn push(c: char, text: &mut Vec<u8>) {
    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

fn utf8(bytes: &[u8], text: &mut Vec<u8>) -> std::result::Result<usize, StreamError> {
    let (used, whole) = match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => (bytes.len(), true),
        // Keeps a character that the next bytes may complete.
        Err(error) => (error.valid_up_to(), error.error_len().is_none()),
    };
    text.extend_from_slice(bytes.get(..used).unwrap_or_default());
    if whole {
        return Ok(used);
    }
    let found = bytes.get(used).copied().unwrap_or(0);
    let message = format!(
        "expected UTF-8, found the byte {found:02X}. Give encoding= (\"latin-1\", \"utf-16\"), or write the file again as UTF-8."
    );
    Err((ErrorKind::Malformed, message))
}

fn utf16(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
    text: &mut Vec<u8>,
) -> std::result::Result<usize, StreamError> {
    let mut units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
    // The second half of a surrogate pair may arrive later.
    if units.last().is_some_and(|last| (0xD800..0xDC00).contains(last)) {
        units.pop();
    }
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(c) => push(c, text),
            Err(half) => {
                return Err((ErrorKind::Malformed, unpaired_surrogate(half.unpaired_surrogate())));
            }
        }
    }
    Ok(2 * units.len())
}
