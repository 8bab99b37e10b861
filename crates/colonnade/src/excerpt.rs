//! Shortens input text for error messages, and marks every omission.

/// The maximum number of characters of a text in a message.
const MAX_CHARS: usize = 60;

/// Quotes `text`. A long text is truncated and followed by its length.
#[must_use]
pub(crate) fn excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{:?}... ({})", text.get(..end).unwrap_or(text), length(text)),
        None => format!("{text:?}"),
    }
}

/// Formats a number's text without quotes. A long text is truncated and followed by its length.
#[must_use]
pub(crate) fn number_excerpt(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}... ({})", text.get(..end).unwrap_or(text), length(text)),
        None => text.to_owned(),
    }
}

/// Truncates a name or path in an error to `most` characters, followed by three points.
#[must_use]
pub(crate) fn shorten(name: &str, most: usize) -> String {
    match name.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or(name)),
        None => name.to_owned(),
    }
}

fn length(text: &str) -> String {
    format!("{} characters", text.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_mark_the_omission() {
        assert_eq!(excerpt("a\"\n"), r#""a\"\n""#);
        assert_eq!(excerpt(&"é".repeat(100)), format!("{:?}... (100 characters)", "é".repeat(60)));
        assert_eq!(number_excerpt(&"1".repeat(61)), format!("{}... (61 characters)", "1".repeat(60)));
        assert_eq!(number_excerpt("-1e400"), "-1e400");
        assert_eq!((shorten("é", 1), shorten("éa", 1)), ("é".to_owned(), "é...".to_owned()));
    }
}
