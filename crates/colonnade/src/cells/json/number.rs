//! Parses numbers of RFC 8259. Integers are exact, other numbers become the nearest double.

use crate::excerpt::number_excerpt;

use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::scan::Scan;
use crate::cells::number::{
    ParsedInt, exact_product, float, integer, leading_digits, leading_short_float, leading_short_int,
};

/// A number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonNumber {
    Int(i64),
    /// An integer beyond `i64::MAX`.
    UInt(u64),
    /// An integer that does not fit 64 bits.
    Big,
    /// The bits of a double.
    Float(u64),
}

/// Digits of which 64 bits hold any number.
const SAFE_DIGITS: usize = 19;

impl Scan<'_> {
    /// Appends decimal digits to `value`, which wraps. Returns the number of digits.
    #[inline]
    fn digits(&mut self, value: &mut u64) -> usize {
        let count = leading_digits(self.bytes.get(self.at..).unwrap_or_default(), value);
        self.at += count;
        count
    }

    /// Scans the number at the current position, which starts with a digit or a minus.
    #[inline(always)]
    pub(crate) fn number(&mut self) -> Scanned<JsonNumber> {
        let negative = self.peek() == b'-';
        let start = self.at + usize::from(negative);
        let Some((value, count)) = self.bytes.get(start..).and_then(leading_short_int) else {
            return self.number_of_any_length();
        };
        self.at = start + count;
        Ok(JsonNumber::Int(if negative { -value } else { value }))
    }

    /// As [`Scan::number`], for numbers of every length.
    #[inline(never)]
    fn number_of_any_length(&mut self) -> Scanned<JsonNumber> {
        let start = self.at;
        let negative = self.peek() == b'-';
        self.at += usize::from(negative);
        let first = self.at;
        if let Some((value, count)) = self.bytes.get(first..).and_then(leading_short_float) {
            self.at = first + count;
            return Ok(JsonNumber::Float(if negative { -value } else { value }.to_bits()));
        }
        let mut value = 0;
        let count = self.digits(&mut value);
        if count == 0 || (count > 1 && self.bytes.get(first) == Some(&b'0')) {
            return Err(self.number_fault(first));
        }
        match self.peek() {
            b'.' | b'e' | b'E' => self.float(start, negative, value, count),
            _ if count < SAFE_DIGITS => {
                let value = value.cast_signed();
                Ok(JsonNumber::Int(if negative { -value } else { value }))
            }
            _ => Ok(self.long_integer(start)),
        }
    }

    /// Parses an integer with many digits.
    #[cold]
    fn long_integer(&self, start: usize) -> JsonNumber {
        match integer(self.text(start..self.at).as_bytes()) {
            ParsedInt::Int(value) => JsonNumber::Int(value),
            ParsedInt::UInt(value) => JsonNumber::UInt(value),
            ParsedInt::Huge | ParsedInt::Not => JsonNumber::Big,
        }
    }

    /// Scans the fraction and exponent after `count` digits with the value `value`.
    #[inline]
    fn float(
        &mut self,
        start: usize,
        negative: bool,
        mut value: u64,
        mut count: usize,
    ) -> Scanned<JsonNumber> {
        let mut power: i64 = 0;
        if self.peek() == b'.' {
            self.at += 1;
            let fraction = self.digits(&mut value);
            if fraction == 0 {
                return Err(self.unexpected("a digit after the decimal point"));
            }
            count += fraction;
            power -= fraction as i64;
        }
        if self.peek() | 0x20 == b'e' {
            self.at += 1;
            let sign = self.peek();
            self.at += usize::from(sign == b'-' || sign == b'+');
            let mut exponent = 0;
            let digits = self.digits(&mut exponent);
            if digits == 0 {
                return Err(self.unexpected("a digit of the exponent"));
            }
            // A wrapped exponent is never used: the standard library parses exponents with so many digits.
            let exponent = if digits > 9 { i64::from(u32::MAX) } else { exponent.cast_signed() };
            power += if sign == b'-' { -exponent } else { exponent };
        }
        if let (Some(value), true) = (exact_product(value, power), count <= SAFE_DIGITS) {
            return Ok(JsonNumber::Float(if negative { -value } else { value }.to_bits()));
        }
        self.parse_with_std(start)
    }

    /// Parses a double with the standard library, which rounds correctly for any number of digits.
    #[inline(never)]
    fn parse_with_std(&self, start: usize) -> Scanned<JsonNumber> {
        let text = self.text(start..self.at);
        match float(text) {
            Some(value) if value.is_finite() => Ok(JsonNumber::Float(value.to_bits())),
            _ => {
                let shown = number_excerpt(text);
                let message = format!(
                    "expected a number that float64 holds, found {shown}, which is beyond it. Write it as text to keep it."
                );
                Err(JsonFault::malformed(start, message))
            }
        }
    }

    #[cold]
    fn number_fault(&mut self, first: usize) -> Box<JsonFault> {
        if self.at == first {
            return self.unexpected("a digit");
        }
        JsonFault::malformed(first, "expected a number without leading zeros. Write it as text to keep them.")
    }
}
