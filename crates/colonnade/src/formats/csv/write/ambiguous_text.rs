//! Finds text that a reader without a schema would take for a value or for null.

use super::options::WriteOptions;

/// The words that readers take for null: those of `pandas.read_csv`.
const NULLS: [&str; 18] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// The words for truth values.
const TRUTHS: [&str; 6] = ["true", "True", "TRUE", "false", "False", "FALSE"];

/// What a reader without a schema takes a text for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appearance {
    /// Text that is nothing else.
    Text,
    /// A word for null.
    Null,
    /// A number, a truth value, or nothing.
    Value,
}

/// Recognizes text that is read as something else.
#[derive(Debug)]
pub struct AmbiguousText {
    /// Whether a word for null begins with the byte.
    null: [bool; 256],
    own: Vec<u8>,
    decimal: u8,
}

impl AmbiguousText {
    /// For what is written with these options.
    #[must_use]
    pub fn new(options: &WriteOptions) -> Self {
        let mut null = [false; 256];
        let own = options.na_rep.clone().into_bytes();
        for first in NULLS.iter().filter_map(|w| w.bytes().next()).chain(own.first().copied()) {
            if let Some(entry) = null.get_mut(usize::from(first)) {
                *entry = true;
            }
        }
        Self { null, own, decimal: options.decimal }
    }

    /// What a reader takes `text` for. In a column that is `known` to be text, values are text.
    #[inline]
    #[must_use]
    pub fn appearance(&self, text: &[u8], known: bool) -> Appearance {
        let Some(&first) = text.first() else { return Appearance::Value };
        if self.null.get(usize::from(first)) == Some(&true) && self.is_null(text) {
            return Appearance::Null;
        }
        if known || self.is_text(text) { Appearance::Text } else { Appearance::Value }
    }

    /// Whether readers take what is written for null as null; `apart`: and not as NaN.
    #[must_use]
    pub fn is_null_word(&self, apart: bool) -> bool {
        let nan = matches!(self.own.as_slice(), b"NaN" | b"nan" | b"-NaN" | b"-nan");
        self.own.is_empty() || (NULLS.iter().any(|word| word.as_bytes() == self.own) && !(apart && nan))
    }

    fn is_null(&self, text: &[u8]) -> bool {
        text == self.own || NULLS.iter().any(|word| word.as_bytes() == text)
    }

    /// Whether nobody could take it for a number or a truth value: rather too seldom than too often.
    fn is_text(&self, text: &[u8]) -> bool {
        if TRUTHS.iter().any(|word| word.as_bytes() == text) {
            return false;
        }
        let text = text.trim_ascii();
        let number: Vec<u8> =
            text.iter().map(|&byte| if byte == self.decimal { b'.' } else { byte }).collect();
        let Ok(number) = std::str::from_utf8(&number) else { return true };
        !number.is_empty() && number.parse::<f64>().is_err()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_a_value_is_recognized() {
        let texts = AmbiguousText::new(&WriteOptions { na_rep: "-".into(), ..WriteOptions::default() });
        for text in ["a", "2020-01-01", "1-2", "0x10", "1_000", "12:30", "--", "yes", "tRuE", "1 2", "١"] {
            assert_eq!(texts.appearance(text.as_bytes(), false), Appearance::Text, "{text}");
        }
        for value in
            ["1", "-1.5", ".5", "5.", "1e5", " 7 ", "+1", "inf", "Infinity", "true", "FALSE", "", "007"]
        {
            assert_eq!(texts.appearance(value.as_bytes(), false), Appearance::Value, "{value}");
        }
        for null in NULLS.iter().chain(&["-"]) {
            assert_eq!(texts.appearance(null.as_bytes(), true), Appearance::Null, "{null}");
        }
        assert_eq!(texts.appearance(b"7", true), Appearance::Text);
        let comma = AmbiguousText::new(&WriteOptions { decimal: b',', ..WriteOptions::default() });
        assert_eq!(comma.appearance(b"1,5", false), Appearance::Value);
        assert_eq!(texts.appearance(b"1,5", false), Appearance::Text);
    }
}
