//! Converts pieces of UTF-8 to another encoding.

use crate::error::{Error, Result};

use super::FORMAT;
use super::options::OutputEncoding;

/// The byte order mark in UTF-8. Some encodings begin with it.
#[must_use]
pub fn mark(encoding: OutputEncoding) -> &'static [u8] {
    match encoding {
        OutputEncoding::Utf8Sig | OutputEncoding::Utf16 => "\u{feff}".as_bytes(),
        _ => b"",
    }
}

/// Whether the encoding writes the bytes of UTF-8 unchanged.
#[must_use]
pub fn is_utf8(encoding: OutputEncoding) -> bool {
    matches!(encoding, OutputEncoding::Utf8 | OutputEncoding::Utf8Sig)
}

/// Converts `text` to another encoding.
///
/// # Errors
/// `Unrepresentable`: a character that Latin-1 lacks, with the number of its record.
pub fn encode(encoding: OutputEncoding, text: &mut Vec<u8>) -> Result<()> {
    let utf8 = || {
        std::str::from_utf8(text).map_err(|e| {
            Error::malformed(FORMAT, format!("expected text in UTF-8, found {e}. Make the column again."))
        })
    };
    *text = match encoding {
        OutputEncoding::Utf8 | OutputEncoding::Utf8Sig => return Ok(()),
        OutputEncoding::Utf16 | OutputEncoding::Utf16Le => {
            utf8()?.encode_utf16().flat_map(u16::to_le_bytes).collect()
        }
        OutputEncoding::Utf16Be => utf8()?.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        OutputEncoding::Latin1 => {
            let text = utf8()?;
            let byte = |(at, c): (usize, char)| u8::try_from(u32::from(c)).map_err(|_| foreign(text, at, c));
            text.char_indices().map(byte).collect::<Result<_>>()?
        }
    };
    Ok(())
}

#[cold]
fn foreign(text: &str, at: usize, c: char) -> Error {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |i| i + 1);
    let record = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or("");
    let record: String = record.chars().take(60).collect();
    let message = format!(
        "encoding: latin-1 has no {c:?} (U+{:04X}), in the record that begins {record:?}. Write encoding=\"utf-8\".",
        u32::from(c)
    );
    Error::unrepresentable(FORMAT, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(encoding: OutputEncoding, text: &str) -> Result<Vec<u8>> {
        let mut bytes = text.as_bytes().to_vec();
        encode(encoding, &mut bytes)?;
        Ok(bytes)
    }

    #[test]
    fn every_encoding_has_its_bytes() {
        assert_eq!(encoded(OutputEncoding::Utf8, "é").unwrap(), b"\xc3\xa9");
        assert_eq!(encoded(OutputEncoding::Latin1, "aé").unwrap(), b"a\xe9");
        assert_eq!(encoded(OutputEncoding::Utf16, "a\u{1f600}").unwrap(), b"a\0\x3d\xd8\0\xde");
        assert_eq!(encoded(OutputEncoding::Utf16Be, "a\u{1f600}").unwrap(), b"\0a\xd8\x3d\xde\0");
        let error = encoded(OutputEncoding::Latin1, "a,b\n7,5€\n").unwrap_err().to_string();
        assert!(error.contains("U+20AC") && error.contains("\"7,5€\""), "{error}");
    }
}
