//! A column's cells from one range of the input, while nobody has told what they are.
//!
//! Only scalars of one family stay here. A column that turns out to be anything else (nested, mixed, decimals) is only
//! checked; it is read again from the bytes once that is known of the whole input.

use crate::cells::exact::exact;
use crate::infer::columns::marks::Marks;

use super::target::Target;
use crate::cells::json::fault::Scanned;
use crate::cells::json::number::Number;
use crate::cells::json::scan::{Quoted, Scan};
use crate::cells::json::value::{Rules, Token};

/// Cells so far.
#[derive(Debug, Default)]
pub(crate) struct Auto {
    pub(crate) rows: usize,
    pub(crate) nulls: Marks,
    pub(crate) kind: Kind,
    /// Whether these are floats of ours, whose NaN and infinities are texts.
    pub(crate) is_tagged: bool,
}

/// What the cells are so far. Nulls have a place in every family.
#[derive(Debug, Default)]
pub(crate) enum Kind {
    #[default]
    Nil,
    Bool(Vec<u8>),
    /// Never both below zero and above `i64::MAX`.
    Int {
        words: Vec<u64>,
        negative: bool,
        big: bool,
    },
    /// Bits of doubles, of integers too where each is one exactly.
    Float(Vec<u64>),
    /// Where each cell ends, and all of them.
    Text {
        ends: Vec<usize>,
        bytes: Vec<u8>,
    },
    /// No one family: only counted.
    Other,
}

impl Kind {
    /// Makes doubles of integers, if each is one exactly.
    pub(crate) fn widen(&mut self) {
        if let Self::Int { words, big, .. } = self
            && to_floats(words, *big)
        {
            *self = Self::Float(std::mem::take(words));
        }
    }
}

impl Target for Auto {
    #[inline(always)]
    fn len(&self) -> usize {
        self.rows
    }

    #[inline(always)]
    fn cell(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &Rules) -> Scanned<()> {
        match (scan.peek(), &mut self.kind) {
            (b'0'..=b'9' | b'-', Kind::Int { words, negative, big: false }) => {
                let start = scan.at;
                let found = scan.number_or_nonfinite(rules)?;
                let Number::Int(value) = found else {
                    return self.odd(scan, start, Token::Number(found), rules);
                };
                *negative |= value < 0;
                words.push(value.cast_unsigned());
            }
            (b'0'..=b'9' | b'-', Kind::Float(words)) => {
                let start = scan.at;
                let found = scan.number_or_nonfinite(rules)?;
                let Number::Float(bits) = found else {
                    return self.odd(scan, start, Token::Number(found), rules);
                };
                words.push(bits);
            }
            (b'"', Kind::Text { ends, bytes }) => {
                let quoted = scan.quoted()?;
                put_text(bytes, scan, quoted);
                ends.push(bytes.len());
            }
            _ => return self.slow(scan, depth, rules),
        }
        self.rows += 1;
        Ok(())
    }

    fn gap(&mut self, n: usize) -> Scanned<()> {
        self.empty(n);
        Ok(())
    }
}

/// Appends the text of a cell.
#[inline(always)]
pub(crate) fn put_text(bytes: &mut Vec<u8>, scan: &Scan<'_>, quoted: Quoted) {
    if quoted.escaped {
        crate::cells::json::quote::unescape_into(
            scan.bytes.get(quoted.start..quoted.end).unwrap_or(&[]),
            bytes,
        );
        return;
    }
    let length = quoted.end - quoted.start;
    let used = bytes.len();
    // A copy of a fixed size needs no call; what is too much is cut off again.
    if let (true, Some(source)) =
        (length <= 16, scan.bytes.get(quoted.start..).and_then(|s| s.first_chunk::<16>()))
    {
        bytes.extend_from_slice(source);
        bytes.truncate(used + length);
        return;
    }
    bytes.extend_from_slice(scan.bytes.get(quoted.start..quoted.end).unwrap_or(&[]));
}

impl Auto {
    /// Empties it, so that its memory serves the next range; the family is what the next range probably has.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.nulls = Marks::default();
        match &mut self.kind {
            Kind::Nil => {}
            Kind::Bool(cells) => cells.clear(),
            Kind::Int { words, negative, big } => {
                words.clear();
                (*negative, *big) = (false, false);
            }
            Kind::Float(words) => words.clear(),
            Kind::Text { ends, bytes } => {
                ends.clear();
                bytes.clear();
            }
            other @ Kind::Other if self.is_tagged => *other = Kind::Float(Vec::new()),
            other @ Kind::Other => *other = Kind::Nil,
        }
    }

    #[inline(never)]
    fn slow(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &Rules) -> Scanned<()> {
        let start = scan.at;
        match scan.token(rules)? {
            Token::Open(_) => {
                scan.value(depth, rules)?;
                self.other();
                self.rows += 1;
                Ok(())
            }
            token => self.odd(scan, start, token, rules),
        }
    }

    /// Takes a scalar of any family.
    #[inline(never)]
    fn odd(&mut self, scan: &Scan<'_>, start: usize, token: Token, rules: &Rules) -> Scanned<()> {
        if matches!(token, Token::Number(Number::Big)) && !rules.decimals {
            return Err(scan.big(start));
        }
        if matches!(token, Token::Null) {
            self.empty(1);
            return Ok(());
        }
        if !self.put(scan, token) {
            // Only nulls so far, or nothing: any family can begin.
            let is_free = self.nulls.count() == self.rows || matches!(self.kind, Kind::Nil);
            if is_free && !self.is_tagged {
                self.begin(token);
            } else {
                self.promote(token);
            }
            if !self.put(scan, token) {
                self.other();
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// Appends a cell of the family there is; false where it is of another.
    fn put(&mut self, scan: &Scan<'_>, token: Token) -> bool {
        match (&mut self.kind, token) {
            (Kind::Bool(cells), Token::Bool(value)) => cells.push(u8::from(value)),
            (Kind::Int { words, negative, big }, Token::Number(Number::Int(value))) => {
                if *big && value < 0 {
                    return false;
                }
                *negative |= value < 0;
                words.push(value.cast_unsigned());
            }
            (Kind::Int { words, negative: false, big }, Token::Number(Number::UInt(value))) => {
                *big = true;
                words.push(value);
            }
            (Kind::Float(words), Token::Number(Number::Float(bits))) => words.push(bits),
            (Kind::Float(words), Token::Number(Number::Int(value))) => match exact(value.into()) {
                Some(bits) => words.push(bits),
                None => return false,
            },
            (Kind::Float(words), Token::Number(Number::UInt(value))) => match exact(value.into()) {
                Some(bits) => words.push(bits),
                None => return false,
            },
            (Kind::Text { ends, bytes }, Token::Str(quoted)) => {
                put_text(bytes, scan, quoted);
                ends.push(bytes.len());
            }
            (Kind::Float(words), Token::Str(quoted)) if self.is_tagged => {
                words.push(match scan.bytes.get(quoted.start..quoted.end) {
                    Some(b"NaN") => f64::NAN.to_bits(),
                    Some(b"Infinity") => f64::INFINITY.to_bits(),
                    Some(b"-Infinity") => f64::NEG_INFINITY.to_bits(),
                    // Another payload: read again, by what knows all of them.
                    _ => return false,
                });
            }
            (Kind::Other, _) => {}
            _ => return false,
        }
        true
    }

    /// Starts the family of `token`, after nulls only.
    fn begin(&mut self, token: Token) {
        let rows = self.rows;
        self.kind = match token {
            Token::Bool(_) => Kind::Bool(vec![0; rows]),
            Token::Number(Number::Int(_) | Number::UInt(_)) => {
                Kind::Int { words: vec![0; rows], negative: false, big: false }
            }
            Token::Number(Number::Float(_)) => Kind::Float(vec![0; rows]),
            Token::Str(_) => Kind::Text { ends: vec![0; rows], bytes: Vec::new() },
            _ => Kind::Other,
        };
        if self.nulls.count() < rows {
            // Nulls alone are counted, not marked.
            self.nulls = Marks::default();
            self.nulls.mark(0, rows);
        }
    }

    /// Makes doubles of integers where a double comes and each is one exactly.
    fn promote(&mut self, token: Token) {
        if matches!(token, Token::Number(Number::Float(_))) {
            self.kind.widen();
        }
    }

    fn empty(&mut self, n: usize) {
        match &mut self.kind {
            Kind::Nil | Kind::Other => {
                self.rows += n;
                return;
            }
            Kind::Bool(cells) => cells.resize(cells.len() + n, 0),
            Kind::Int { words, .. } | Kind::Float(words) => words.resize(words.len() + n, 0),
            Kind::Text { ends, bytes } => ends.resize(ends.len() + n, bytes.len()),
        }
        self.nulls.mark(self.rows, n);
        self.rows += n;
    }

    fn other(&mut self) {
        self.kind = Kind::Other;
        self.nulls = Marks::default();
    }
}

/// Makes bits of doubles of integers; false, and nothing changed, where one of them is not exactly a double.
fn to_floats(words: &mut [u64], big: bool) -> bool {
    let value = |word: u64| if big { i128::from(word) } else { i128::from(word.cast_signed()) };
    if !words.iter().all(|&word| exact(value(word)).is_some()) {
        return false;
    }
    for word in words {
        *word = exact(value(*word)).unwrap_or_default();
    }
    true
}
