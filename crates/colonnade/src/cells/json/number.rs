//! Numbers of RFC 8259. Integers are exact, other numbers are the nearest double.

use crate::shown::number_excerpt;

use crate::cells::json::fault::{Fault, Scanned};
use crate::cells::json::scan::Scan;
use crate::cells::number::{ParsedInt, exact_product, float, integer, leading_digits};

/// A number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Int(i64),
    /// Beyond `i64::MAX`.
    UInt(u64),
    /// Digits without fraction and exponent that 64 bits do not hold.
    Big,
    /// The bits of a double.
    Float(u64),
}

/// Digits of which 64 bits hold any number.
const SAFE_DIGITS: usize = 19;

impl Scan<'_> {
    /// Appends decimal digits to `value`, which wraps; answers how many there were.
    #[inline]
    fn digits(&mut self, value: &mut u64) -> usize {
        let count = leading_digits(self.bytes.get(self.at..).unwrap_or_default(), value);
        self.at += count;
        count
    }

    /// The number that begins here, with a digit or a minus.
    #[inline]
    pub(crate) fn number(&mut self) -> Scanned<Number> {
        let start = self.at;
        let negative = self.peek() == b'-';
        self.at += usize::from(negative);
        let first = self.at;
        let mut value = 0;
        let count = self.digits(&mut value);
        if count == 0 || (count > 1 && self.bytes.get(first) == Some(&b'0')) {
            return Err(self.no_number(first));
        }
        match self.peek() {
            b'.' | b'e' | b'E' => self.float(start, negative, value, count),
            _ if count < SAFE_DIGITS => {
                let value = value.cast_signed();
                Ok(Number::Int(if negative { -value } else { value }))
            }
            _ => Ok(self.long(start)),
        }
    }

    /// An integer of many digits.
    #[cold]
    fn long(&self, start: usize) -> Number {
        match integer(self.text(start..self.at).as_bytes()) {
            ParsedInt::Int(value) => Number::Int(value),
            ParsedInt::UInt(value) => Number::UInt(value),
            ParsedInt::Huge | ParsedInt::Not => Number::Big,
        }
    }

    /// Fraction and exponent behind `count` digits that are `value`.
    #[inline]
    fn float(&mut self, start: usize, negative: bool, mut value: u64, mut count: usize) -> Scanned<Number> {
        let mut power: i64 = 0;
        if self.peek() == b'.' {
            self.at += 1;
            let fraction = self.digits(&mut value);
            if fraction == 0 {
                return Err(self.unexpected("a digit behind the decimal point"));
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
            // A wrapped exponent is not used: so many digits are parsed by the standard library.
            let exponent = if digits > 9 { i64::from(u32::MAX) } else { exponent.cast_signed() };
            power += if sign == b'-' { -exponent } else { exponent };
        }
        if let (Some(value), true) = (exact_product(value, power), count <= SAFE_DIGITS) {
            return Ok(Number::Float(if negative { -value } else { value }.to_bits()));
        }
        self.far(start)
    }

    /// A double by the standard library, which rounds exactly whatever the digits.
    #[inline(never)]
    fn far(&self, start: usize) -> Scanned<Number> {
        let text = self.text(start..self.at);
        match float(text) {
            Some(value) if value.is_finite() => Ok(Number::Float(value.to_bits())),
            _ => {
                let shown = number_excerpt(text);
                let message = format!(
                    "expected a number that float64 holds, found {shown}, which is beyond it. Write it as text to keep it."
                );
                Err(Fault::malformed(start, message))
            }
        }
    }

    #[cold]
    fn no_number(&mut self, first: usize) -> Box<Fault> {
        if self.at == first {
            return self.unexpected("a digit");
        }
        Fault::malformed(first, "expected a number without leading zeros. Write it as text to keep them.")
    }
}
