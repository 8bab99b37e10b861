//! The texts of null values and of booleans.

/// The default null values of `pandas.read_csv`.
pub(super) const DEFAULT: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// The result of looking up a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NullValue {
    /// Null.
    Null,
    /// NaN: a value in a column of floats, null in other columns.
    NaN,
    /// Something else.
    Other,
}

/// The null values of one input.
#[derive(Debug, Clone)]
pub(super) struct NullValues {
    /// Whether a null value begins with this byte, which is false for most cells.
    first: [bool; 256],
    list: Vec<Vec<u8>>,
    longest: usize,
    empty: bool,
    /// Whether a null value may be the text of a number.
    numbers: bool,
    /// Whether NaN differs from null.
    nan: bool,
}

impl NullValues {
    /// A single null value, for input with a schema. `NaN` is then a value.
    pub(super) fn only(word: &str) -> Self {
        Self { nan: false, ..Self::new(false, &[word.to_owned()]) }
    }

    pub(super) fn new(default: bool, more: &[String]) -> Self {
        let defaults = if default { DEFAULT.as_slice() } else { &[] };
        let mut list: Vec<Vec<u8>> = defaults.iter().map(|w| w.as_bytes().to_vec()).collect();
        list.extend(more.iter().map(|w| w.as_bytes().to_vec()));
        list.sort();
        list.dedup();
        let mut first = [false; 256];
        for word in &list {
            if let Some(byte) = word.first() {
                first[usize::from(*byte)] = true;
            }
        }
        let longest = list.iter().map(Vec::len).max().unwrap_or(0);
        let empty = list.first().is_some_and(Vec::is_empty);
        let number = |word: &Vec<u8>| {
            let digits = word.iter().any(u8::is_ascii_digit);
            let has_letters =
                word.iter().any(|b| b.is_ascii_alphabetic() && !matches!(b, b'e' | b'E') || *b == b'#');
            digits && !has_letters
        };
        let numbers = list.iter().any(number);
        Self { first, list, longest, empty, numbers, nan: true }
    }

    /// Whether a null value may be the text of a number. Numbers must then be looked up first.
    #[inline]
    pub(super) fn numbers(&self) -> bool {
        self.numbers
    }

    /// Whether NaN is always a value, as in input with a schema.
    pub(super) fn has_values_only(&self) -> bool {
        !self.nan
    }

    /// Whether an empty cell is null.
    #[inline]
    pub(super) fn empty_is_null(&self) -> bool {
        self.empty
    }

    /// Whether the cell may be a null value, which is rare.
    #[inline(always)]
    pub(super) fn may_be(&self, first: u8, length: usize) -> bool {
        self.first[usize::from(first)] && length <= self.longest
    }

    /// Looks up a cell.
    pub(super) fn value(&self, cell: &[u8]) -> NullValue {
        match cell.first() {
            None if self.empty => NullValue::Null,
            Some(first) if self.may_be(*first, cell.len()) => {
                match self.list.binary_search_by(|word| word.as_slice().cmp(cell)) {
                    Ok(_) if self.nan && matches!(cell, b"NaN" | b"nan" | b"-NaN" | b"-nan") => {
                        NullValue::NaN
                    }
                    Ok(_) => NullValue::Null,
                    Err(_) => NullValue::Other,
                }
            }
            _ => NullValue::Other,
        }
    }
}

/// Parses a boolean.
#[inline]
pub(super) fn truth(cell: &[u8]) -> Option<bool> {
    match cell {
        b"true" | b"True" | b"TRUE" => Some(true),
        b"false" | b"False" | b"FALSE" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_values_match_whole_cells() {
        let values = NullValues::new(true, &["-".into(), "missing value".into()]);
        assert_eq!(values.value(b""), NullValue::Null);
        assert_eq!(values.value(b"NA"), NullValue::Null);
        assert_eq!(values.value(b"nan"), NullValue::NaN);
        assert_eq!(values.value(b"-"), NullValue::Null);
        assert_eq!(values.value(b"missing value"), NullValue::Null);
        for other in ["NAN", "Na", "N", "nul", "nulls", "--", "missing"] {
            assert_eq!(values.value(other.as_bytes()), NullValue::Other, "{other}");
        }
        assert!(!NullValues::new(false, &[]).empty_is_null());
        assert_eq!(NullValues::new(false, &[]).value(b"NA"), NullValue::Other);
    }
}
