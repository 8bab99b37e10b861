//! Appends one cell: starts families, promotes integers to floats, counts nulls.

use crate::cells::msgpack::column::CellError;
use crate::cells::msgpack::head::Head;
use crate::cells::msgpack::options::{Otherwise, ReadOptions};

use super::grow::Grow;
use super::marks::Marks;
use super::nested::Nested;
use super::numbers::widened;
use super::raw::{keep, unknown};
use super::text::{Family, Text, utf8};
use super::time::{Times, instant};
use super::{Inferred, Stop, Values};
use crate::cells::exact::exact;

/// The limit of columns inside columns. Deeper cells are mixed, whatever the limit of depth, because each level uses stack.
const LEVELS: u64 = 128;

impl Inferred {
    /// Appends `n` nils.
    pub(super) fn empty(&mut self, n: usize) -> Result<(), CellError> {
        match &mut self.values {
            // Nulls without a family are counted, not stored.
            Values::Nil | Values::Unknown => {
                self.rows += n;
                return Ok(());
            }
            Values::Bool(cells) => cells.zeros(n)?,
            Values::Int { words, .. } | Values::Float { words, .. } if n == 1 => words.push_word(0)?,
            Values::Int { words, .. } | Values::Float { words, .. } => words.zeros(n.saturating_mul(8))?,
            Values::Text(text) | Values::Mixed(text) => text.empty(n)?,
            Values::Time(times) => times.empty(n)?,
            Values::Ext { codes, data } => {
                codes.zeros(n)?;
                data.empty(n)?;
            }
            Values::Nested { nested, raw } => {
                nested.empty(n)?;
                if let Some(raw) = raw {
                    raw.empty(n)?;
                }
            }
        }
        self.nulls.mark(self.rows, n);
        self.rows += n;
        Ok(())
    }

    /// Appends the cell at the front of `cell`, which is not nil and has a head of `length` bytes. Returns its number of
    /// bytes. The caller updates `rows`.
    pub(super) fn put(&mut self, head: Head, cell: &[u8], length: usize) -> Result<usize, Stop> {
        if let Values::Mixed(cells) = &mut self.values {
            keep(cells, cell, &self.options)?;
            return Ok(cell.len());
        }
        let nbytes = length + head.payload();
        let payload = cell.get(length..nbytes).unwrap_or_default();
        let scalar = match head {
            Head::Array(count) | Head::Map(count) => {
                let row = self.rows;
                let (nested, raw, inner) = self.nested(matches!(head, Head::Array(_)))?;
                let inside = cell.get(length..).unwrap_or_default();
                let taken = nested.take(count, inside, row, inner);
                let nbytes = length + taken.map_err(|stop| stop.map(|e| e.after(0, length)))?;
                if let Some(raw) = raw {
                    raw.push(cell.get(..nbytes).unwrap_or_default())?;
                }
                return Ok(nbytes);
            }
            Head::Bool(value) => Scalar::Bool(value),
            Head::Int(value) => Scalar::Int(value),
            Head::UInt(value) => Scalar::UInt(value),
            Head::F32(bits) => Scalar::Float(widened(bits)),
            Head::F64(bits) => Scalar::Float(bits),
            Head::Str(_) => Scalar::Str(payload),
            Head::Bin(_) => Scalar::Bin(payload),
            Head::Ext(-1, _) => Scalar::Time(payload),
            Head::Ext(..) if self.options.ext == Otherwise::Error => return Err(unknown(head).into()),
            Head::Ext(code, _) => Scalar::Ext(code, payload),
            Head::Nil => return self.empty(1).map(|()| nbytes).map_err(Stop::Cell),
        };
        self.scalar(scalar).map(|()| nbytes)
    }

    /// Appends a scalar. The caller updates `rows`.
    pub(super) fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), Stop> {
        let row = self.rows;
        match (&mut self.values, scalar) {
            (Values::Bool(cells), Scalar::Bool(value)) => cells.push_front(&[u8::from(value)], 1)?,
            (Values::Int { words, negative, big: false }, Scalar::Int(value)) => {
                *negative |= value < 0;
                words.push_word(value.cast_unsigned())?;
            }
            (Values::Int { words, .. }, Scalar::Int(value @ 0..)) => {
                words.push_word(value.cast_unsigned())?
            }
            (Values::Int { words, negative: false, big }, Scalar::UInt(value)) => {
                *big = true;
                words.push_word(value)?;
            }
            (Values::Float { words, .. }, Scalar::Float(bits)) => words.push_word(bits)?,
            (Values::Float { words, ints }, Scalar::Int(_) | Scalar::UInt(_)) => {
                words.push_word(exact(scalar.integer()).ok_or(Stop::Mixed)?)?;
                ints.mark(row, 1);
            }
            (Values::Int { .. }, Scalar::Float(_)) => {
                if !self.ints_to_floats() {
                    return Err(Stop::Mixed);
                }
                return self.scalar(scalar);
            }
            (Values::Text(text), Scalar::Text(value)) if text.family == Family::Str => {
                text.push(value.as_bytes())?;
            }
            (Values::Text(text), Scalar::Str(value)) if text.family == Family::Str => {
                match utf8(value) {
                    Err(error) if self.options.invalid_utf8 == Otherwise::Error => return Err(error.into()),
                    Err(_) => text.family = Family::Loose,
                    Ok(()) => {}
                }
                text.push(value)?;
            }
            (Values::Text(text), Scalar::Str(value) | Scalar::Bin(value)) if text.family == Family::Loose => {
                text.push(value)?;
            }
            (Values::Text(text), Scalar::Bin(value)) if text.family == Family::Bin => text.push(value)?,
            (Values::Time(times), Scalar::Time(value)) => times.push(instant(value)?)?,
            (Values::Ext { codes, data }, Scalar::Ext(code, value)) => {
                codes.push(&code.to_le_bytes())?;
                data.push(value)?;
            }
            _ => {
                if !self.is_empty_family() {
                    return Err(Stop::Mixed);
                }
                self.begin(scalar)?;
                return self.scalar(scalar);
            }
        }
        Ok(())
    }

    /// Whether only nulls have come, so that any family can begin.
    fn is_empty_family(&self) -> bool {
        match self.values {
            Values::Nil => true,
            Values::Mixed(_) | Values::Unknown => false,
            _ => self.nulls.count() == self.rows,
        }
    }

    /// Returns the nested columns, the store of the original cells, and the options and depth of cells. Starts the family
    /// if no cell has come. `is_list`: whether the cells are lists.
    #[allow(clippy::type_complexity)]
    pub(super) fn nested(
        &mut self,
        is_list: bool,
    ) -> Result<(&mut Nested, Option<&mut Text>, (&ReadOptions, u64)), Stop> {
        let is_same = matches!(
            (&self.values, is_list),
            (Values::Nested { nested: Nested::List { .. }, .. }, true)
                | (Values::Nested { nested: Nested::Map(_), .. }, false)
        );
        if !is_same {
            if !self.is_empty_family() || self.depth > LEVELS {
                return Err(Stop::Mixed);
            }
            let raw = if self.keeps_mixed { Some(Text::new(Family::Raw)?) } else { None };
            self.restart(Values::Nested { nested: Nested::new(is_list, &self.options, self.depth)?, raw })?;
        }
        match &mut self.values {
            Values::Nested { nested, raw } => Ok((nested, raw.as_mut(), (&self.options, self.depth))),
            _ => Err(Stop::Mixed),
        }
    }

    /// Starts the family of the first cell that is not null.
    fn begin(&mut self, scalar: Scalar<'_>) -> Result<(), Stop> {
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
        let values = match scalar {
            Scalar::Bool(_) => Values::Bool(reserved(1)?),
            Scalar::Int(_) | Scalar::UInt(_) => {
                Values::Int { words: reserved(8)?, negative: false, big: false }
            }
            Scalar::Float(_) => Values::Float { words: reserved(8)?, ints: Marks::default() },
            Scalar::Text(_) | Scalar::Str(_) => Values::Text(text(Family::Str)?),
            Scalar::Bin(_) => Values::Text(text(Family::Bin)?),
            Scalar::Time(_) => {
                let mut times = Times::default();
                times.reserve(room)?;
                Values::Time(times)
            }
            Scalar::Ext(..) => Values::Ext { codes: Grow::default(), data: Text::new(Family::Bin)? },
        };
        Ok(self.restart(values)?)
    }

    /// Starts an empty family; the nulls so far become nulls of that family.
    pub(super) fn restart(&mut self, values: Values) -> Result<(), CellError> {
        self.values = values;
        self.nulls = Marks::default();
        let nulls = std::mem::take(&mut self.rows);
        self.empty(nulls)
    }

    /// Converts the integers so far to doubles. Returns false and changes nothing if one of them is not exactly a double.
    pub(super) fn ints_to_floats(&mut self) -> bool {
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

/// A cell without nested cells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scalar<'b> {
    Bool(bool),
    Int(i64),
    /// Beyond `i64::MAX`.
    UInt(u64),
    /// The bits of a double.
    Float(u64),
    Text(&'b str),
    /// Text that may not be valid UTF-8.
    Str(&'b [u8]),
    Bin(&'b [u8]),
    /// The payload of a timestamp.
    Time(&'b [u8]),
    /// An unknown extension: its type and payload.
    Ext(i8, &'b [u8]),
}

impl Scalar<'_> {
    /// Returns the value of an integer.
    fn integer(self) -> i128 {
        match self {
            Self::Int(value) => value.into(),
            Self::UInt(value) => value.into(),
            _ => 0,
        }
    }
}
