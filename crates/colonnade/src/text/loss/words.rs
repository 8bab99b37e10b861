//! Finds text that a reader of CSV without a schema parses as a value or as null.

use crate::cells::iso8601::{self, IsoSpelling};

/// The default null values of `pandas.read_csv`.
const NULL_VALUES: [&str; 18] = [
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// Spellings of booleans.
const BOOLEANS: [&str; 6] = ["true", "True", "TRUE", "false", "False", "FALSE"];

/// The kind of value that a text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Number,
    Boolean,
    /// A date, or a date and a time of day.
    Instant,
}

impl ValueKind {
    /// The kind in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Number => "numbers",
            Self::Boolean => "booleans",
            Self::Instant => "dates or times",
        }
    }
}

/// How a reader without a schema parses the cells of a column of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Appearance {
    /// There is no cell but empty ones.
    #[default]
    Empty,
    /// As values of one kind.
    Value(ValueKind),
    /// As text.
    Text,
    /// One of them as null.
    Null,
}

impl Appearance {
    /// The appearance of a column with these cells and more.
    pub(super) fn and(self, more: Self) -> Self {
        match (self, more) {
            (_, Self::Null) | (Self::Null, _) => Self::Null,
            (one, Self::Empty) | (Self::Empty, one) => one,
            (one, other) if one == other => one,
            _ => Self::Text,
        }
    }
}

/// Recognizes text that is parsed as another value.
#[derive(Debug)]
pub(super) struct ValueWords {
    /// Whether a null value begins with the byte.
    null: [bool; 256],
    na_rep: String,
    decimal: u8,
}

impl ValueWords {
    /// Recognizes text in files with this text of null and this decimal mark.
    pub(super) fn new(na_rep: &str, decimal: u8) -> Self {
        let mut null = [false; 256];
        for first in NULL_VALUES.iter().filter_map(|w| w.bytes().next()).chain(na_rep.bytes().next()) {
            if let Some(entry) = null.get_mut(usize::from(first)) {
                *entry = true;
            }
        }
        Self { null, na_rep: na_rep.to_owned(), decimal }
    }

    /// How a reader parses a cell. In a column that is text already, only null values differ.
    #[inline]
    pub(super) fn appearance(&self, cell: &str, column: Appearance) -> Appearance {
        let Some(&first) = cell.as_bytes().first() else { return Appearance::Empty };
        if self.null.get(usize::from(first)) == Some(&true) && self.is_null(cell) {
            return Appearance::Null;
        }
        if column == Appearance::Text {
            return Appearance::Text;
        }
        self.kind(cell).map_or(Appearance::Text, Appearance::Value)
    }

    /// Whether readers parse the text of null as null. With `not_nan`, spellings of NaN do not count.
    pub(super) fn is_null_word(&self, not_nan: bool) -> bool {
        let nan = matches!(self.na_rep.as_str(), "NaN" | "nan" | "-NaN" | "-nan");
        self.na_rep.is_empty() || NULL_VALUES.contains(&self.na_rep.as_str()) && !(not_nan && nan)
    }

    fn is_null(&self, cell: &str) -> bool {
        cell == self.na_rep || NULL_VALUES.contains(&cell)
    }

    /// The kind of value that a reader parses the cell as.
    fn kind(&self, cell: &str) -> Option<ValueKind> {
        if BOOLEANS.contains(&cell) {
            return Some(ValueKind::Boolean);
        }
        if is_instant(cell.as_bytes()) {
            return Some(ValueKind::Instant);
        }
        let text = cell.trim_ascii();
        let is_number = if self.decimal == b'.' {
            text.parse::<f64>().is_ok()
        } else {
            text.replace(char::from(self.decimal), ".").parse::<f64>().is_ok()
        };
        // White space alone is no number, and readers differ on whether it is text.
        (is_number || text.is_empty()).then_some(ValueKind::Number)
    }
}

/// Whether readers parse the text as a date or an instant.
#[inline]
pub(super) fn is_instant(cell: &[u8]) -> bool {
    cell.get(4) == Some(&b'-') && iso8601::instant(cell, IsoSpelling::Lenient).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_a_value_is_recognized() {
        let words = ValueWords::new("-", b'.');
        let of = |cell: &str| words.appearance(cell, Appearance::Empty);
        for text in ["a", "1-2", "0x10", "1_000", "12:30", "--", "yes", "tRuE", "1 2", "١", "2020-13-01"] {
            assert_eq!(of(text), Appearance::Text, "{text}");
        }
        for number in ["1", "-1.5", ".5", "5.", "1e5", " 7 ", "+1", "inf", "Infinity", "007", " "] {
            assert_eq!(of(number), Appearance::Value(ValueKind::Number), "{number}");
        }
        assert_eq!(of("true"), Appearance::Value(ValueKind::Boolean));
        assert_eq!(of("2020-01-01"), Appearance::Value(ValueKind::Instant));
        assert_eq!(of("2020-01-01T10:00:00Z"), Appearance::Value(ValueKind::Instant));
        assert_eq!(of(""), Appearance::Empty);
        for null in NULL_VALUES.iter().chain(&["-"]) {
            assert_eq!(words.appearance(null, Appearance::Text), Appearance::Null, "{null}");
        }
        assert_eq!(words.appearance("7", Appearance::Text), Appearance::Text);
        let comma = ValueWords::new("", b',');
        assert_eq!(comma.appearance("1,5", Appearance::Empty), Appearance::Value(ValueKind::Number));
        assert_eq!(of("1,5"), Appearance::Text);
    }

    #[test]
    fn values_of_two_kinds_are_text() {
        let (number, date) = (Appearance::Value(ValueKind::Number), Appearance::Value(ValueKind::Instant));
        assert_eq!(number.and(date), Appearance::Text);
        assert_eq!(Appearance::Empty.and(number).and(Appearance::Empty), number);
        assert_eq!(Appearance::Text.and(Appearance::Null), Appearance::Null);
    }
}
