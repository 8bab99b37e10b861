//! Texts of an input in messages: cut where they are long, and never without saying so.

/// Characters of a text that a message shows.
const MOST: usize = 60;

/// `text` in quotes; one that is long is cut, and its length is said.
#[must_use]
pub(crate) fn shown(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}... ({})", text.get(..end).unwrap_or(text), length(text)),
        None => format!("{text:?}"),
    }
}

/// The same of a number, without quotes.
#[must_use]
pub(crate) fn shown_number(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}... ({})", text.get(..end).unwrap_or(text), length(text)),
        None => text.to_owned(),
    }
}

/// A name or a path that an error carries: where it is longer than `most` characters, its front and three points.
#[must_use]
pub(crate) fn cut(name: &str, most: usize) -> String {
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
    fn messages_are_short_and_say_what_they_leave_out() {
        assert_eq!(shown("a\"\n"), r#""a\"\n""#);
        assert_eq!(shown(&"é".repeat(100)), format!("{:?}... (100 characters)", "é".repeat(60)));
        assert_eq!(shown_number(&"1".repeat(61)), format!("{}... (61 characters)", "1".repeat(60)));
        assert_eq!(shown_number("-1e400"), "-1e400");
        assert_eq!((cut("é", 1), cut("éa", 1)), ("é".to_owned(), "é...".to_owned()));
    }
}
