//! Finds text that a reader without a schema parses as a value or as null.

use super::options::WriteOptions;

/// The default null values of `pandas.read_csv`.
const NULL_VALUES: [&str; 18] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// Spellings of booleans.
const BOOLEANS: [&str; 6] = ["true", "True", "TRUE", "false", "False", "FALSE"];

/// How a reader without a schema parses a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appearance {
    /// As text.
    Text,
    /// As null.
    Null,
    /// As a number or a boolean, or an empty field.
    Value,
}

/// Recognizes text that is parsed as another value.
#[derive(Debug)]
pub struct AmbiguousText {
    /// Whether a null value begins with the byte.
    null: [bool; 256],
    na_rep: Vec<u8>,
    decimal: u8,
}

impl AmbiguousText {
    /// Recognizes text in files that are written with these options.
    #[must_use]
    pub fn new(options: &WriteOptions) -> Self {
        let mut null = [false; 256];
        let na_rep = options.na_rep.clone().into_bytes();
        for first in NULL_VALUES.iter().filter_map(|w| w.bytes().next()).chain(na_rep.first().copied()) {
            if let Some(entry) = null.get_mut(usize::from(first)) {
                *entry = true;
            }
        }
        Self { null, na_rep, decimal: options.decimal }
    }

    /// How a reader parses `text`. With `in_text_column` the reader has already inferred a text column, so only null values
    /// are ambiguous.
    #[inline]
    #[must_use]
    pub fn appearance(&self, text: &[u8], in_text_column: bool) -> Appearance {
        let Some(&first) = text.first() else { return Appearance::Value };
        if self.null.get(usize::from(first)) == Some(&true) && self.is_null(text) {
            return Appearance::Null;
        }
        if in_text_column || self.is_text(text) { Appearance::Text } else { Appearance::Value }
    }

    /// Whether readers parse the null value of the options as null. With `not_nan`, spellings of NaN do not count.
    #[must_use]
    pub fn is_null_word(&self, not_nan: bool) -> bool {
        let nan = matches!(self.na_rep.as_slice(), b"NaN" | b"nan" | b"-NaN" | b"-nan");
        self.na_rep.is_empty()
            || (NULL_VALUES.iter().any(|word| word.as_bytes() == self.na_rep) && !(not_nan && nan))
    }

    fn is_null(&self, text: &[u8]) -> bool {
        text == self.na_rep || NULL_VALUES.iter().any(|word| word.as_bytes() == text)
    }

    /// Whether no reader parses the text as a number or a boolean. In doubt it returns false, so that the text is refused.
    fn is_text(&self, text: &[u8]) -> bool {
        if BOOLEANS.iter().any(|word| word.as_bytes() == text) {
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
        for null in NULL_VALUES.iter().chain(&["-"]) {
            assert_eq!(texts.appearance(null.as_bytes(), true), Appearance::Null, "{null}");
        }
        assert_eq!(texts.appearance(b"7", true), Appearance::Text);
        let comma = AmbiguousText::new(&WriteOptions { decimal: b',', ..WriteOptions::default() });
        assert_eq!(comma.appearance(b"1,5", false), Appearance::Value);
        assert_eq!(texts.appearance(b"1,5", false), Appearance::Text);
    }
}
