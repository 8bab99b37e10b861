//! One cell at a time: the first of a family, promotions, nils.

use crate::cells::msgpack::column::CellError;
use crate::cells::msgpack::head::Head;
use crate::cells::msgpack::options::Otherwise;

use super::grow::Grow;
use super::marks::Marks;
use super::nested::Nested;
use super::numbers::widened;
use super::raw::{keep, unknown};
use super::text::{Family, Text, utf8};
use super::time::{Times, instant};
use super::{Inferred, Stop, Values};
use crate::cells::exact::exact;

/// Columns inside columns; what is deeper is kept as it came, whatever the limit is, as each level takes some stack.
const LEVELS: u64 = 128;

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
            Values::Text(text) | Values::Mixed(text) => text.empty(n)?,
            Values::Time(times) => times.empty(n)?,
            Values::Ext { codes, data } => {
                codes.zeros(n)?;
                data.empty(n)?;
            }
            Values::Nested { nested, raw } => {
                nested.empty(n)?;
                raw.empty(n)?;
            }
        }
        self.nulls.mark(self.rows, n);
        self.rows += n;
        Ok(())
    }

    /// Appends the cell at the front of `cell`, which is no nil and has a head of `length` bytes; answers its bytes. `rows`
    /// is the caller's.
    pub(super) fn put(&mut self, head: Head, cell: &[u8], length: usize) -> Result<usize, Stop> {
        let row = self.rows;
        let nbytes = length + head.payload();
        let payload = cell.get(length..nbytes).unwrap_or_default();
        match (&mut self.values, head) {
            (Values::Nil, _) => {
                self.begin(head)?;
                return self.put(head, cell, length);
            }
            (Values::Bool(cells), Head::Bool(value)) => cells.push(&[u8::from(value)])?,
            (Values::Int { words, negative, big: false }, Head::Int(value)) => {
                *negative |= value < 0;
                words.push(&value.to_le_bytes())?;
            }
            (Values::Int { words, .. }, Head::Int(value @ 0..)) => words.push(&value.to_le_bytes())?,
            (Values::Int { words, negative: false, big }, Head::UInt(value)) => {
                *big = true;
                words.push(&value.to_le_bytes())?;
            }
            (Values::Float { words, .. }, Head::F64(bits)) => words.push(&bits.to_le_bytes())?,
            (Values::Float { words, .. }, Head::F32(bits)) => words.push(&widened(bits).to_le_bytes())?,
            (Values::Float { words, ints }, Head::Int(_) | Head::UInt(_)) => {
                let bits = exact(integer(head)).ok_or(Stop::Mixed)?;
                ints.mark(row, 1);
                words.push(&bits.to_le_bytes())?;
            }
            (Values::Int { .. }, Head::F32(_) | Head::F64(_)) => {
                if !self.ints_to_floats() {
                    return Err(Stop::Mixed);
                }
                return self.put(head, cell, length);
            }
            (Values::Text(text), Head::Str(_)) if text.family == Family::Str => {
                match utf8(payload) {
                    Err(error) if self.options.invalid_utf8 == Otherwise::Error => return Err(error.into()),
                    Err(_) => text.family = Family::Loose,
                    Ok(()) => {}
                }
                text.push(payload)?;
            }
            (Values::Text(text), Head::Str(_) | Head::Bin(_)) if text.family == Family::Loose => {
                text.push(payload)?;
            }
            (Values::Text(text), Head::Bin(_)) if text.family == Family::Bin => text.push(payload)?,
            (Values::Time(times), Head::Ext(-1, _)) => times.push(instant(payload)?)?,
            (Values::Ext { codes, data }, Head::Ext(code, _)) if code != -1 => {
                codes.push(&code.to_le_bytes())?;
                data.push(payload)?;
            }
            (Values::Nested { nested, raw }, Head::Array(count) | Head::Map(count)) if nested.takes(head) => {
                let inside = cell.get(length..).unwrap_or_default();
                let taken = nested.put(count, inside, row, (&self.options, self.depth));
                let nbytes = length + taken.map_err(|stop| behind(stop, length))?;
                let kept = if self.is_inner { &[] } else { cell.get(..nbytes).unwrap_or_default() };
                raw.push(kept)?;
                return Ok(nbytes);
            }
            (Values::Mixed(cells), _) => {
                keep(cells, cell, &self.options)?;
                return Ok(cell.len());
            }
            (_, Head::Ext(code, _)) if code != -1 && self.options.ext == Otherwise::Error => {
                return Err(unknown(head).into());
            }
            _ => return Err(Stop::Mixed),
        }
        Ok(nbytes)
    }

    /// Starts the family of the first cell that is no nil; the nils before it are nulls of that family.
    fn begin(&mut self, head: Head) -> Result<(), Stop> {
        let room = self.rows.saturating_add(self.likely);
        let reserved = |each: usize| {
            let mut cells = Grow::default();
            cells.reserve(room.saturating_mul(each)).map(|()| cells)
        };
        let text = |family: Family| {
            let mut text = Text::new(family)?;
            text.offsets.reserve(room.saturating_mul(8))?;
            Ok::<_, CellError>(text)
        };
        self.values = match head {
            Head::Nil => Values::Nil,
            Head::Bool(_) => Values::Bool(reserved(1)?),
            Head::Int(_) | Head::UInt(_) => Values::Int { words: reserved(8)?, negative: false, big: false },
            Head::F32(_) | Head::F64(_) => Values::Float { words: reserved(8)?, ints: Marks::default() },
            Head::Str(_) => Values::Text(text(Family::Str)?),
            Head::Bin(_) => Values::Text(text(Family::Bin)?),
            Head::Ext(-1, _) => {
                let mut times = Times::default();
                times.reserve(room)?;
                Values::Time(times)
            }
            Head::Ext(..) if self.options.ext == Otherwise::Error => return Err(unknown(head).into()),
            Head::Ext(..) => Values::Ext { codes: Grow::default(), data: Text::new(Family::Bin)? },
            Head::Array(_) | Head::Map(_) => {
                if self.depth > LEVELS {
                    return Err(Stop::Mixed);
                }
                let nested = Nested::new(head, &self.options, self.depth)?;
                Values::Nested { nested, raw: Text::new(Family::Raw)? }
            }
        };
        let nils = std::mem::take(&mut self.rows);
        Ok(self.empty(nils)?)
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

/// What stopped `nbytes` behind the front of the cell.
fn behind(stop: Stop, nbytes: usize) -> Stop {
    match stop {
        Stop::Cell(e) => Stop::Cell(e.after(0, nbytes)),
        Stop::Mixed => Stop::Mixed,
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
