//! One cell at a time: the first of a family, promotions, nils.

use crate::ErrorKind;
use crate::msgpack::cells::{CellError, FORMAT};
use crate::msgpack::head::Head;
use crate::msgpack::options::Otherwise;

use super::grow::Grow;
use super::marks::Marks;
use super::numbers::{exact, widened};
use super::text::{Family, Text, utf8};
use super::{Inferred, Values};

impl Inferred {
    /// Appends `n` nils.
    pub(super) fn empty(&mut self, n: usize) -> Result<(), CellError> {
        match &mut self.values {
            // Nils alone are counted, not stored.
            Values::Nil => {
                self.rows += n;
                return Ok(());
            }
            Values::Bool(cells) => cells.zeros(n)?,
            Values::Int { words, .. } | Values::Float { words, .. } => words.zeros(n.saturating_mul(8))?,
            Values::Text(text) => text.empty(n)?,
        }
        self.nulls.mark(self.rows, n);
        self.rows += n;
        Ok(())
    }

    /// Appends one cell that is no nil; `rows` is the caller's.
    pub(super) fn put(&mut self, head: Head, payload: &[u8]) -> Result<(), CellError> {
        let row = self.rows;
        match (&mut self.values, head) {
            (Values::Nil, _) => {
                self.begin(head)?;
                self.put(head, payload)
            }
            (Values::Bool(cells), Head::Bool(value)) => cells.push(&[u8::from(value)]),
            (Values::Int { words, negative, big: false }, Head::Int(value)) => {
                *negative |= value < 0;
                words.push(&value.to_le_bytes())
            }
            (Values::Int { words, negative: false, .. }, Head::Int(value @ 0..)) => {
                words.push(&value.to_le_bytes())
            }
            (Values::Int { words, negative: false, big }, Head::UInt(value)) => {
                *big = true;
                words.push(&value.to_le_bytes())
            }
            (Values::Float { words, .. }, Head::F64(bits)) => words.push(&bits.to_le_bytes()),
            (Values::Float { words, .. }, Head::F32(bits)) => words.push(&widened(bits).to_le_bytes()),
            (Values::Float { words, ints }, Head::Int(_) | Head::UInt(_)) => match exact(integer(head)) {
                Some(bits) => {
                    ints.mark(row, 1);
                    words.push(&bits.to_le_bytes())
                }
                None => Err(unknown(head)),
            },
            (Values::Int { .. }, Head::F32(_) | Head::F64(_)) => {
                if self.ints_to_floats() {
                    self.put(head, payload)
                } else {
                    Err(unknown(head))
                }
            }
            (Values::Text(text), Head::Str(_)) if text.family == Family::Str => {
                match utf8(payload) {
                    Err(error) if self.options.invalid_utf8 == Otherwise::Error => return Err(error),
                    Err(_) => text.family = Family::Loose,
                    Ok(()) => {}
                }
                text.push(payload)
            }
            (Values::Text(text), Head::Str(_) | Head::Bin(_)) if text.family == Family::Loose => {
                text.push(payload)
            }
            (Values::Text(text), Head::Bin(_)) if text.family == Family::Bin => text.push(payload),
            _ => Err(unknown(head)),
        }
    }

    /// Starts the family of the first cell that is no nil; the nils before it are nulls of that family.
    fn begin(&mut self, head: Head) -> Result<(), CellError> {
        let nils = std::mem::take(&mut self.rows);
        let room = nils.saturating_add(self.likely);
        let reserved = |each: usize| {
            let mut cells = Grow::default();
            cells.reserve(room.saturating_mul(each)).map(|()| cells)
        };
        self.values = match head {
            Head::Bool(_) => Values::Bool(reserved(1)?),
            Head::Int(_) | Head::UInt(_) => Values::Int { words: reserved(8)?, negative: false, big: false },
            Head::F32(_) | Head::F64(_) => Values::Float { words: reserved(8)?, ints: Marks::default() },
            Head::Str(_) | Head::Bin(_) => {
                let family = if matches!(head, Head::Str(_)) { Family::Str } else { Family::Bin };
                let mut text = Text::new(family)?;
                text.offsets.reserve(room.saturating_mul(8))?;
                Values::Text(text)
            }
            _ => return Err(unknown(head)),
        };
        self.empty(nils)
    }

    /// Makes doubles of the integers so far; false, and nothing changed, where one of them is not exactly a double.
    fn ints_to_floats(&mut self) -> bool {
        let Values::Int { words, big, .. } = &mut self.values else { return false };
        let value = |word: &[u8; 8]| match *big {
            true => i128::from(u64::from_le_bytes(*word)),
            false => i128::from(i64::from_le_bytes(*word)),
        };
        if !words.words().iter().all(|word| exact(value(word)).is_some()) {
            return false;
        }
        for word in words.words() {
            *word = exact(value(word)).unwrap_or_default().to_le_bytes();
        }
        let mut ints = Marks::default();
        ints.mark(0, self.rows);
        let words = std::mem::take(words);
        self.values = Values::Float { words, ints };
        true
    }
}

/// The integer of a head.
fn integer(head: Head) -> i128 {
    match head {
        Head::Int(value) => value.into(),
        Head::UInt(value) => value.into(),
        _ => 0,
    }
}

/// What no column here holds.
pub(super) fn unknown(head: Head) -> CellError {
    CellError::new(
        ErrorKind::Unsupported,
        0,
        format!("found {} that no column holds yet ({FORMAT}).", head.name()),
    )
}
