//! Interprets the text of a cell: quotes, null values, decimal point.

use std::borrow::Cow;

use super::kinds::CellClasses;
use super::null_values::{NullValue, NullValues, truth};
use super::number::is_infinite_by_name;
use super::time::{self, TimeFormat};
use crate::cells::number::{ParsedInt, float, integer};

/// The dialect and null values of one input.
#[derive(Debug, Clone)]
pub(super) struct DialectRules {
    pub(super) delimiter: u8,
    /// Quote character; `None` if there is none. The others likewise.
    pub(super) quote: Option<u8>,
    pub(super) escape: Option<u8>,
    pub(super) comment: Option<u8>,
    /// The last byte of a line end.
    pub(super) newline: u8,
    /// Whether a doubled quote inside quotes is one quote.
    pub(super) doublequote: bool,
    pub(super) point: u8,
    pub(super) thousands: Option<u8>,
    pub(super) null_values: NullValues,
    /// Whether quoted text can be a null value.
    pub(super) quoted_null_values: bool,
    /// The spelling of instants, in columns that may hold them.
    pub(super) time: Option<TimeFormat>,
    /// Whether other cells of such columns become null.
    pub(super) lenient: bool,
}

/// The text of a cell.
#[derive(Debug, Clone)]
pub(super) struct CellText<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Whether the cell is quoted.
    pub(super) quoted: bool,
}

impl DialectRules {
    /// Removes quotes and escapes from the bytes of a cell.
    #[inline]
    pub(super) fn text<'a>(&self, raw: &'a [u8]) -> CellText<'a> {
        if !self.opens(raw) && self.escape.is_none() {
            return CellText { bytes: Cow::Borrowed(raw), quoted: false };
        }
        self.unquoted(raw)
    }

    /// Whether a cell begins with a quote.
    #[inline]
    pub(super) fn opens(&self, raw: &[u8]) -> bool {
        raw.first().is_some_and(|byte| self.quote == Some(*byte))
    }

    #[cold]
    fn unquoted<'a>(&self, raw: &'a [u8]) -> CellText<'a> {
        let (quoted, quote) = (self.opens(raw), self.quote.unwrap_or_default());
        let (escapes, escape) = (self.escape.is_some(), self.escape.unwrap_or(quote));
        let inner = if quoted { raw.get(1..).unwrap_or_default() } else { raw };
        let inner = match inner.split_last() {
            Some((last, rest)) if quoted && *last == quote => rest,
            _ => inner,
        };
        // Without an exit inside a chunk the compiler vectorizes the search, which long texts need.
        let is_special = |byte: u8| (escapes & (byte == escape)) | (quoted & (byte == quote));
        if !inner.chunks(128).any(|some| some.iter().fold(false, |any, byte| any | is_special(*byte))) {
            return CellText { bytes: Cow::Borrowed(inner), quoted };
        }
        let mut out = Vec::with_capacity(inner.len());
        let mut rest = inner.iter();
        while let Some(byte) = rest.next() {
            // The byte after an escape, or after the first of two quotes, is literal.
            if (escapes && *byte == escape) || (quoted && *byte == quote && self.doublequote) {
                out.extend(rest.next());
            } else {
                out.push(*byte);
            }
        }
        CellText { bytes: Cow::Owned(out), quoted }
    }

    /// Looks up a text among the null values. Quoted empty text is not null.
    pub(super) fn null_value(&self, text: &CellText<'_>) -> NullValue {
        let counts = !text.quoted || (self.quoted_null_values && !text.bytes.is_empty());
        if counts { self.null_values.value(&text.bytes) } else { NullValue::Other }
    }

    /// Whether the text of a number may have another meaning: a null value, or an instant in a format without separators.
    #[inline]
    pub(super) fn numbers_are_looked_up(&self) -> bool {
        self.null_values.numbers() || matches!(self.time, Some(TimeFormat::Fields(_)))
    }

    /// Whether a text of digits, signs and points is a number without conversion.
    #[inline]
    pub(super) fn has_plain_numbers(&self) -> bool {
        let converts = self.point != b'.' || self.thousands.is_some() || self.escape.is_some();
        !converts && !self.numbers_are_looked_up()
    }

    /// The class of a cell.
    pub(super) fn class(&self, raw: &[u8]) -> CellClasses {
        let text = self.text(raw);
        self.class_of(&text)
    }

    /// The class of a cell's text.
    pub(super) fn class_of(&self, text: &CellText<'_>) -> CellClasses {
        let cell = &*text.bytes;
        if cell.is_empty() {
            return match (text.quoted, self.null_values.empty_is_null()) {
                (true, _) => CellClasses::EMPTY,
                (false, true) => CellClasses::NULL,
                (false, false) => CellClasses::TEXT,
            };
        }
        match self.null_value(text) {
            NullValue::Null => return CellClasses::NULL,
            NullValue::NaN => return CellClasses::NAN,
            NullValue::Other => {}
        }
        if let Some(found) = self.time.as_ref().and_then(|format| time::parse(cell, format)) {
            return time::class(found);
        }
        if self.lenient {
            return CellClasses::NULL;
        }
        if truth(cell).is_some() {
            return CellClasses::BOOL;
        }
        let plain = self.plain_number(cell);
        match integer(&plain) {
            ParsedInt::Int(value) if value < 0 => return CellClasses::NEGATIVE,
            ParsedInt::Int(_) => return CellClasses::INT,
            ParsedInt::UInt(_) => return CellClasses::BIG,
            ParsedInt::Huge => {
                let value = std::str::from_utf8(&plain).ok().and_then(float);
                let fits = value.is_some_and(f64::is_finite);
                return if fits { CellClasses::HUGE } else { CellClasses::HUGE | CellClasses::VAST };
            }
            ParsedInt::Not => {}
        }
        match std::str::from_utf8(&plain).ok().and_then(|t| float(t).map(|v| (t, v))) {
            Some((t, value)) if value.is_infinite() && !is_infinite_by_name(t) => CellClasses::OVERFLOW,
            Some(_) => CellClasses::FLOAT,
            None => CellClasses::TEXT,
        }
    }

    /// Converts the text of a number: removes surrounding white space and thousands separators, and replaces the decimal point by
    /// `.`. The result for other texts is not a number either.
    pub(super) fn plain_number<'a>(&self, cell: &'a [u8]) -> Cow<'a, [u8]> {
        let cell = cell.trim_ascii();
        if self.point == b'.' && self.thousands.is_none() {
            return Cow::Borrowed(cell);
        }
        // A thousands separator is before the decimal point, with digits on both sides.
        let digit = |i: Option<usize>| i.and_then(|i| cell.get(i)).is_some_and(u8::is_ascii_digit);
        let point = cell.iter().position(|b| *b == self.point).unwrap_or(cell.len());
        let mut out = Vec::with_capacity(cell.len());
        for (i, byte) in cell.iter().enumerate() {
            if self.thousands == Some(*byte) && i < point && digit(i.checked_sub(1)) && digit(Some(i + 1)) {
                continue;
            }
            out.push(match *byte {
                b if b == self.point => b'.',
                b'.' => b'?',
                b => b,
            });
        }
        Cow::Owned(out)
    }
}
