//! The token that a client sends inside TLS, and its two envelopes: 16 bytes, C1 'C' 'N' kind, four zeros, the length.

use std::fmt;

use subtle::ConstantTimeEq;

/// The length of an envelope's header.
pub(crate) const HEAD_NBYTES: usize = 16;
const MIN_TOKEN_NBYTES: usize = 16;
const MAX_TOKEN_NBYTES: usize = 4096;
const MAGIC: [u8; 3] = [0xC1, b'C', b'N'];

/// The listener's answer to the right token.
pub(crate) const ACCEPTED: [u8; HEAD_NBYTES] = head(b'A', 0);

/// A secret of 16 to 4096 bytes that both sides know.
#[derive(Clone)]
pub struct Token(Vec<u8>);

impl Token {
    /// Checks the length of a secret and wraps it.
    ///
    /// # Errors
    /// The length, if it is not 16 to 4096 bytes. The text never has the content.
    pub fn new(bytes: Vec<u8>) -> Result<Self, String> {
        match bytes.len() {
            MIN_TOKEN_NBYTES..=MAX_TOKEN_NBYTES => Ok(Self(bytes)),
            length => Err(format!(
                "token: expected {MIN_TOKEN_NBYTES} to {MAX_TOKEN_NBYTES} bytes, found {length}. Make one with \
                 `python -c \"import secrets; print(secrets.token_urlsafe(32))\"`"
            )),
        }
    }

    /// Returns the message that sends the token.
    pub(crate) fn message(&self) -> Vec<u8> {
        let mut bytes = head(b'T', self.0.len()).to_vec();
        bytes.extend_from_slice(&self.0);
        bytes
    }

    /// Compares the token with `shown`, in the same time for any content and length.
    pub(crate) fn matches(&self, shown: &[u8]) -> bool {
        let padded = |bytes: &[u8]| {
            let mut all = [0; MAX_TOKEN_NBYTES];
            for (to, from) in all.iter_mut().zip(bytes) {
                *to = *from;
            }
            all
        };
        let content = padded(&self.0).ct_eq(&padded(shown));
        let length = self.0.len().ct_eq(&shown.len());
        bool::from(content & length)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// Returns the length of the token after this header; `None` for another message, or a length out of bounds.
pub(crate) fn token_nbytes(found: &[u8; HEAD_NBYTES]) -> Option<usize> {
    let [_, _, _, _, _, _, _, _, length @ ..] = *found;
    let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
    (*found == head(b'T', length) && (MIN_TOKEN_NBYTES..=MAX_TOKEN_NBYTES).contains(&length))
        .then_some(length)
}

const fn head(kind: u8, length: usize) -> [u8; HEAD_NBYTES] {
    let [a, b, c, d, e, f, g, h] = (length as u64).to_le_bytes();
    [MAGIC[0], MAGIC[1], MAGIC[2], kind, 0, 0, 0, 0, a, b, c, d, e, f, g, h]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_token_is_it() {
        let token = Token::new(b"sixteen bytes ok".to_vec()).unwrap();
        assert!(token.matches(b"sixteen bytes ok"));
        for other in [&b"sixteen bytes oK"[..], b"sixteen bytes o", b"sixteen bytes ok\0", b"", &[0; 4096]] {
            assert!(!token.matches(other));
        }
        assert!(!format!("{token:?}").contains("sixteen"));
    }

    #[test]
    fn heads_say_how_long_the_token_is() {
        let message = Token::new(vec![7; 300]).unwrap().message();
        assert_eq!(&message[..8], [0xC1, b'C', b'N', b'T', 0, 0, 0, 0]);
        assert_eq!(token_nbytes(message[..16].try_into().unwrap()), Some(300));
        assert_eq!(token_nbytes(&head(b'T', 15)), None);
        assert_eq!(token_nbytes(&head(b'T', 4097)), None);
        assert_eq!(token_nbytes(&head(b'B', 300)), None);
        assert_eq!(token_nbytes(&[0xFF; 16]), None);
    }

    #[test]
    fn lengths_are_checked() {
        assert!(Token::new(vec![0; 15]).unwrap_err().contains("found 15"));
        assert!(Token::new(vec![0; 4097]).is_err());
        assert!(Token::new(vec![0; 4096]).is_ok());
    }
}
