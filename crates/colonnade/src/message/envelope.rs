//! The envelope of messages that do not contain their own end.

use crate::error::{Error, Result};

/// Bytes of an envelope.
pub const ENVELOPE_NBYTES: usize = 16;

const MAGIC: [u8; 3] = [0xC1, b'C', b'N'];

/// The content of an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// Opaque bytes, with their number.
    Bytes(u64),
}

/// Writes the envelope of a kind (`B`: bytes, `T`: a token, `A`: accepted) and length.
#[must_use]
pub fn envelope(kind: u8, nbytes: u64) -> [u8; ENVELOPE_NBYTES] {
    let mut out = [0; ENVELOPE_NBYTES];
    let [a, b, c] = MAGIC;
    for (slot, byte) in out.iter_mut().zip([a, b, c, kind]) {
        *slot = byte;
    }
    for (slot, byte) in out.iter_mut().skip(8).zip(nbytes.to_le_bytes()) {
        *slot = byte;
    }
    out
}

/// Whether a message that begins with `start` has an envelope.
pub(super) fn is_envelope(start: &[u8]) -> bool {
    start.starts_with(&MAGIC)
}

/// Reads an envelope.
///
/// # Errors
/// Malformed: an unknown kind, or padding that is not zero.
pub(super) fn parse(bytes: &[u8; ENVELOPE_NBYTES]) -> Result<Envelope> {
    let [_, _, _, kind, a, b, c, d, length @ ..] = *bytes;
    if kind != b'B' {
        let message = format!(
            "expected an envelope of kind 'B' (bytes), found kind {:?}. The peer is of another version, or expects a token.",
            char::from(kind)
        );
        return Err(Error::malformed("message", message));
    }
    if [a, b, c, d] != [0; 4] {
        let message = format!("expected four zero bytes in an envelope, found {:02x?}.", [a, b, c, d]);
        return Err(Error::malformed("message", message).at(4));
    }
    Ok(Envelope::Bytes(u64::from_le_bytes(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_bytes() {
        assert_eq!(envelope(b'B', 5), *b"\xC1CNB\0\0\0\0\x05\0\0\0\0\0\0\0");
        assert_eq!(parse(&envelope(b'B', u64::MAX)).unwrap(), Envelope::Bytes(u64::MAX));
        assert!(parse(&envelope(b'Z', 5)).is_err());
        assert!(parse(b"\xC1CNB\0\0\0\x01\x05\0\0\0\0\0\0\0").is_err());
    }
}
