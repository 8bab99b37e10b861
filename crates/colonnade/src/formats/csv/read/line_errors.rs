//! Errors for lines that cannot be split into cells.

use super::fields::TokenError;
use super::rules::DialectRules;
use crate::error::ErrorKind;

/// The message for a line over the limit.
pub(super) const TOO_LONG: &str =
    "a line of more than 2**30 bytes. Is a quote missing, or a line end of another kind?";

/// The kind of a tokenization error.
pub(super) fn kind(found: TokenError) -> ErrorKind {
    match found {
        TokenError::Long(_) => ErrorKind::LimitExceeded,
        _ => ErrorKind::Malformed,
    }
}

/// The offset and message of a tokenization error.
pub(super) fn message(found: TokenError, rules: &DialectRules) -> (usize, String) {
    let quote = char::from(rules.quote.unwrap_or(b'"'));
    match found {
        TokenError::Quote(at) => (
            at,
            format!(
                "expected a delimiter or a line end behind the closing quote, found another character. Double the quotes \
                 inside the cell, or name what escapes them with escapechar= (or quotechar=None where {quote:?} is no quote)."
            ),
        ),
        TokenError::Return(at) => {
            let (found, usual) =
                if rules.newline == b'\n' { ("\\r", "\\n or \\r\\n") } else { ("\\n", "\\r") };
            (
                at,
                format!(
                    "expected {usual} at line ends, as the first line has, found a bare {found}. Put the cell between \
                     quotes, or convert the line ends."
                ),
            )
        }
        TokenError::Nul(at) => (
            at,
            "expected text, found a NUL outside quotes. Name the encoding with encoding=, or remove it."
                .to_owned(),
        ),
        TokenError::Unclosed(at) => {
            let message = format!(
                "expected a closing quote {quote:?} for the one that opens here, found the end of the input. The file was \
                 cut short, or pass quotechar=None where {quote:?} is no quote."
            );
            (at, message)
        }
        TokenError::Long(at) => (at, TOO_LONG.to_owned()),
        TokenError::Escape(at) => {
            let escape = char::from(rules.escape.unwrap_or_default());
            let message = format!(
                "expected a character behind the escape character {escape:?}, found the end of the input. The file was cut \
                 short, or name another one with escapechar=."
            );
            (at, message)
        }
    }
}
