//! Parses numbers of RFC 8259. Integers are exact, other numbers become the nearest double.

use crate::excerpt::number_excerpt;

use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::scan::Scan;

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

const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Powers of ten that a double holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Every integer up to this one is a double.
const MANTISSA: u64 = 1 << 53;

/// Any number with this many digits fits 64 bits.
const SAFE_DIGITS: usize = 19;

impl Scan<'_> {
    /// Appends decimal digits to `value`, which wraps. Returns the number of digits.
    #[inline]
    fn digits(&mut self, value: &mut u64) -> usize {
        let start = self.at;
        while let Some(chunk) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*chunk) ^ 0x3030_3030_3030_3030;
            let above = (word & 0x7f7f_7f7f_7f7f_7f7f).wrapping_add(0x7676_7676_7676_7676);
            let others = (above | word) & 0x8080_8080_8080_8080;
            let count = (others.trailing_zeros() / 8) as usize;
            if count == 0 {
                return self.at - start;
            }
            // The digits move to the top, with zeros before them.
            let word = word << (64 - 8 * count);
            let pairs = word.wrapping_mul(10).wrapping_add(word >> 8);
            let fours = (pairs & 0xff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
            let others = (pairs >> 16 & 0xff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
            let eight = fours.wrapping_add(others) >> 32;
            let power = POWERS.get(count).copied().unwrap_or(0);
            *value = value.wrapping_mul(power).wrapping_add(eight);
            self.at += count;
            if count < 8 {
                return self.at - start;
            }
        }
        while let Some(digit @ b'0'..=b'9') = self.bytes.get(self.at) {
            *value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        self.at - start
    }

    /// Scans the number at the current position, which starts with a digit or a minus.
    #[inline]
    pub(crate) fn number(&mut self) -> Scanned<JsonNumber> {
        let start = self.at;
        let negative = self.peek() == b'-';
        self.at += usize::from(negative);
        let first = self.at;
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
        let text = self.text(start..self.at);
        match (text.parse::<i64>(), text.parse::<u64>()) {
            (Ok(value), _) => JsonNumber::Int(value),
            (_, Ok(value)) => JsonNumber::UInt(value),
            _ => JsonNumber::Big,
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
            // A wrapped exponent is never used: the standard library parses exponents with so many digits.
            let exponent = if digits > 9 { i64::from(u32::MAX) } else { exponent.cast_signed() };
            power += if sign == b'-' { -exponent } else { exponent };
        }
        let scale = usize::try_from(power.unsigned_abs()).ok().and_then(|p| EXACT.get(p));
        if let (Some(scale), true) = (scale, value <= MANTISSA && count <= SAFE_DIGITS) {
            // Both operands are exact, so the one operation rounds once.
            #[allow(clippy::cast_precision_loss)]
            let value = value as f64;
            let value = if power < 0 { value / scale } else { value * scale };
            return Ok(JsonNumber::Float(if negative { -value } else { value }.to_bits()));
        }
        self.parse_with_std(start)
    }

    /// Parses a double with the standard library, which rounds correctly for any number of digits.
    #[inline(never)]
    fn parse_with_std(&self, start: usize) -> Scanned<JsonNumber> {
        let text = self.text(start..self.at);
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(JsonNumber::Float(value.to_bits())),
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
