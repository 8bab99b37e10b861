//! Bytes in any encoding as UTF-8, as they come in.

use super::FORMAT;
use crate::error::{Error, ErrorKind, Result};
use crate::text::input::Encoding;
use crate::text::place::Place;

/// Bytes whose characters are not whole yet, and how the others are read.
#[derive(Debug)]
pub(super) struct Stream {
    encoding: Encoding,
    /// Whether the mark at the front has been looked for.
    begun: bool,
    pending: Vec<u8>,
}

/// What is wrong with bytes.
type Wrong = (ErrorKind, String);

impl Stream {
    pub(super) fn new(encoding: Encoding) -> Self {
        Self { encoding, begun: false, pending: Vec::new() }
    }

    /// Appends the characters that are whole to `text`; `place` is where `text` begins.
    pub(super) fn feed(&mut self, bytes: &[u8], text: &mut Vec<u8>, place: Place) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        if !self.begun && self.pending.len() < 3 {
            return Ok(());
        }
        self.begin();
        self.convert(text).map_err(|wrong| placed(wrong, text, place))
    }

    /// No more bytes come.
    pub(super) fn finish(&mut self, text: &mut Vec<u8>, place: Place) -> Result<()> {
        self.begin();
        self.convert(text).map_err(|wrong| placed(wrong, text, place))?;
        if self.pending.is_empty() {
            return Ok(());
        }
        let message = "expected a whole character at the end of the input, found the first bytes of one. It was cut short.";
        Err(placed((ErrorKind::Malformed, message.into()), text, place))
    }

    fn begin(&mut self) {
        if self.begun {
            return;
        }
        self.begun = true;
        let starts = |mark: &[u8]| self.pending.starts_with(mark);
        let (encoding, mark) = match self.encoding {
            Encoding::Utf8 if starts(b"\xef\xbb\xbf") => (Encoding::Utf8, 3),
            Encoding::Utf8 | Encoding::Utf16 | Encoding::Utf16Le if starts(b"\xff\xfe") => {
                (Encoding::Utf16Le, 2)
            }
            Encoding::Utf8 | Encoding::Utf16 | Encoding::Utf16Be if starts(b"\xfe\xff") => {
                (Encoding::Utf16Be, 2)
            }
            Encoding::Utf16 => (Encoding::Utf16Le, 0),
            other => (other, 0),
        };
        self.encoding = encoding;
        self.pending.drain(..mark);
    }

    fn convert(&mut self, text: &mut Vec<u8>) -> std::result::Result<(), Wrong> {
        let used = match self.encoding {
            Encoding::Utf8 => utf8(&self.pending, text)?,
            Encoding::Latin1 => {
                self.pending.iter().for_each(|b| push(char::from(*b), text));
                self.pending.len()
            }
            Encoding::Utf16Be => utf16(&self.pending, u16::from_be_bytes, text)?,
            Encoding::Utf16 | Encoding::Utf16Le => utf16(&self.pending, u16::from_le_bytes, text)?,
        };
        self.pending.drain(..used);
        Ok(())
    }
}

fn push(c: char, text: &mut Vec<u8>) {
    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cold]
fn placed((kind, message): Wrong, text: &[u8], place: Place) -> Error {
    place.after(text).error(kind, FORMAT, None, message)
}

fn utf8(bytes: &[u8], text: &mut Vec<u8>) -> std::result::Result<usize, Wrong> {
    let (used, whole) = match simdutf8::compat::from_utf8(bytes) {
        Ok(_) => (bytes.len(), true),
        // A character that the next bytes may complete is kept.
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

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, text: &mut Vec<u8>) -> std::result::Result<usize, Wrong> {
    let mut units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect();
    // The second half of a pair may come later.
    if units.last().is_some_and(|last| (0xD800..0xDC00).contains(last)) {
        units.pop();
    }
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok(c) => push(c, text),
            Err(half) => {
                let found = half.unpaired_surrogate();
                let message = format!("expected UTF-16, found half a pair of surrogates ({found:04X}).");
                return Err((ErrorKind::Malformed, message));
            }
        }
    }
    Ok(2 * units.len())
}
