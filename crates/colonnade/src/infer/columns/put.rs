//! Appends one cell: starts families, promotes integers to floats, counts nulls.

use crate::cells::msgpack::column::CellError;
use crate::cells::msgpack::head::MsgpackHead;
use crate::cells::msgpack::options::{Fallback, ReadOptions};

use super::grow::GrowingBuffer;
use super::marks::RowMarks;
use super::nested::NestedColumns;
use super::numbers::widen_float;
use super::raw::{push_checked, unknown_extension};
use super::text::{TextBuilder, TextFamily, utf8};
use super::time::{TimestampBuilder, instant};
use super::{InferredColumn, InferredValues, StopReason};
use crate::cells::exact_double::double_from_int;

/// The limit of columns inside columns. Deeper cells are mixed, whatever the limit of depth, because each level uses stack.
const LEVELS: u64 = 128;

impl InferredColumn {
    /// Appends `n` nils.
    pub(super) fn empty(&mut self, n: usize) -> Result<(), CellError> {
        match &mut self.values {
            // Nulls without a family are counted, not stored.
            InferredValues::Nil | InferredValues::Unknown => {
                self.rows += n;
                return Ok(());
            }
            InferredValues::Bool(cells) => cells.zeros(n)?,
            InferredValues::Int { words, .. } | InferredValues::Float { words, .. } if n == 1 => {
                words.push_word(0)?
            }
            InferredValues::Int { words, .. } | InferredValues::Float { words, .. } => {
                words.zeros(n.saturating_mul(8))?
            }
            InferredValues::Text(text) | InferredValues::Mixed(text) => text.empty(n)?,
            InferredValues::Time(times) => times.empty(n)?,
            InferredValues::Ext { codes, data } => {
                codes.zeros(n)?;
                data.empty(n)?;
            }
            InferredValues::Nested { nested, raw } => {
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
    pub(super) fn put(&mut self, head: MsgpackHead, cell: &[u8], length: usize) -> Result<usize, StopReason> {
        if let InferredValues::Mixed(cells) = &mut self.values {
            push_checked(cells, cell, &self.options)?;
            return Ok(cell.len());
        }
        let nbytes = length + head.payload();
        let payload = cell.get(length..nbytes).unwrap_or_default();
        let scalar = match head {
            MsgpackHead::Array(count) | MsgpackHead::Map(count) => {
                let row = self.rows;
                let (nested, raw, inner) = self.nested(matches!(head, MsgpackHead::Array(_)))?;
                let inside = cell.get(length..).unwrap_or_default();
                let taken = nested.take(count, inside, row, inner);
                let nbytes = length + taken.map_err(|stop| stop.map(|e| e.after(0, length)))?;
                if let Some(raw) = raw {
                    raw.push(cell.get(..nbytes).unwrap_or_default())?;
                }
                return Ok(nbytes);
            }
            MsgpackHead::Bool(value) => Scalar::Bool(value),
            MsgpackHead::Int(value) => Scalar::Int(value),
            MsgpackHead::UInt(value) => Scalar::UInt(value),
            MsgpackHead::F32(bits) => Scalar::Float(widen_float(bits)),
            MsgpackHead::F64(bits) => Scalar::Float(bits),
            MsgpackHead::Str(_) => Scalar::Str(payload),
            MsgpackHead::Bin(_) => Scalar::Bin(payload),
            MsgpackHead::Ext(-1, _) => Scalar::Time(payload),
            MsgpackHead::Ext(..) if self.options.ext == Fallback::Error => {
                return Err(unknown_extension(head).into());
            }
            MsgpackHead::Ext(code, _) => Scalar::Ext(code, payload),
            MsgpackHead::Nil => return self.empty(1).map(|()| nbytes).map_err(StopReason::Cell),
        };
        self.scalar(scalar).map(|()| nbytes)
    }

    /// Appends a scalar. The caller updates `rows`.
    pub(super) fn scalar(&mut self, scalar: Scalar<'_>) -> Result<(), StopReason> {
        let row = self.rows;
        match (&mut self.values, scalar) {
            (InferredValues::Bool(cells), Scalar::Bool(value)) => cells.push_front(&[u8::from(value)], 1)?,
            (InferredValues::Int { words, negative, big: false }, Scalar::Int(value)) => {
                *negative |= value < 0;
                words.push_word(value.cast_unsigned())?;
            }
            (InferredValues::Int { words, .. }, Scalar::Int(value @ 0..)) => {
                words.push_word(value.cast_unsigned())?
            }
            (InferredValues::Int { words, negative: false, big }, Scalar::UInt(value)) => {
                *big = true;
                words.push_word(value)?;
            }
            (InferredValues::Float { words, .. }, Scalar::Float(bits)) => words.push_word(bits)?,
            (InferredValues::Float { words, ints }, Scalar::Int(_) | Scalar::UInt(_)) => {
                words.push_word(double_from_int(scalar.integer()).ok_or(StopReason::Mixed)?)?;
                ints.mark(row, 1);
            }
            (InferredValues::Int { .. }, Scalar::Float(_)) => {
                if !self.ints_to_floats() {
                    return Err(StopReason::Mixed);
                }
                return self.scalar(scalar);
            }
            (InferredValues::Text(text), Scalar::Text(value)) if text.family == TextFamily::Str => {
                text.push(value.as_bytes())?;
            }
            (InferredValues::Text(text), Scalar::Str(value)) if text.family == TextFamily::Str => {
                match utf8(value) {
                    Err(error) if self.options.invalid_utf8 == Fallback::Error => return Err(error.into()),
                    Err(_) => text.family = TextFamily::Loose,
                    Ok(()) => {}
                }
                text.push(value)?;
            }
            (InferredValues::Text(text), Scalar::Str(value) | Scalar::Bin(value))
                if text.family == TextFamily::Loose =>
            {
                text.push(value)?;
            }
            (InferredValues::Text(text), Scalar::Bin(value)) if text.family == TextFamily::Bin => {
                text.push(value)?
            }
            (InferredValues::Time(times), Scalar::Time(value)) => times.push(instant(value)?)?,
            (InferredValues::Ext { codes, data }, Scalar::Ext(code, value)) => {
                codes.push(&code.to_le_bytes())?;
                data.push(value)?;
            }
            _ => {
                if !self.is_empty_family() {
                    return Err(StopReason::Mixed);
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
            InferredValues::Nil => true,
            InferredValues::Mixed(_) | InferredValues::Unknown => false,
            _ => self.nulls.count() == self.rows,
        }
    }

    /// Returns the nested columns, the store of the original cells, and the options and depth of cells. Starts the family
    /// if no cell has come. `is_list`: whether the cells are lists.
    #[allow(clippy::type_complexity)]
    pub(super) fn nested(
        &mut self,
        is_list: bool,
    ) -> Result<(&mut NestedColumns, Option<&mut TextBuilder>, (&ReadOptions, u64)), StopReason> {
        let is_same = matches!(
            (&self.values, is_list),
            (InferredValues::Nested { nested: NestedColumns::List { .. }, .. }, true)
                | (InferredValues::Nested { nested: NestedColumns::Map(_), .. }, false)
        );
        if !is_same {
            if !self.is_empty_family() || self.depth > LEVELS {
                return Err(StopReason::Mixed);
            }
            let raw = if self.keeps_mixed { Some(TextBuilder::new(TextFamily::Raw)?) } else { None };
            self.restart(InferredValues::Nested {
                nested: NestedColumns::new(is_list, &self.options, self.depth)?,
                raw,
            })?;
        }
        match &mut self.values {
            InferredValues::Nested { nested, raw } => Ok((nested, raw.as_mut(), (&self.options, self.depth))),
            _ => Err(StopReason::Mixed),
        }
    }

    /// Starts the family of the first cell that is not null.
    fn begin(&mut self, scalar: Scalar<'_>) -> Result<(), StopReason> {
        let room = self.rows.saturating_add(self.likely);
        let reserved = |each: usize| {
            let mut cells = GrowingBuffer::default();
            cells.reserve(room.saturating_mul(each)).map(|()| cells)
        };
        let text = |family: TextFamily| {
            let mut text = TextBuilder::new(family)?;
            text.offsets.reserve(room.saturating_mul(8))?;
            Ok::<_, CellError>(text)
        };
        let values = match scalar {
            Scalar::Bool(_) => InferredValues::Bool(reserved(1)?),
            Scalar::Int(_) | Scalar::UInt(_) => {
                InferredValues::Int { words: reserved(8)?, negative: false, big: false }
            }
            Scalar::Float(_) => InferredValues::Float { words: reserved(8)?, ints: RowMarks::default() },
            Scalar::Text(_) | Scalar::Str(_) => InferredValues::Text(text(TextFamily::Str)?),
            Scalar::Bin(_) => InferredValues::Text(text(TextFamily::Bin)?),
            Scalar::Time(_) => {
                let mut times = TimestampBuilder::default();
                times.reserve(room)?;
                InferredValues::Time(times)
            }
            Scalar::Ext(..) => InferredValues::Ext {
                codes: GrowingBuffer::default(),
                data: TextBuilder::new(TextFamily::Bin)?,
            },
        };
        Ok(self.restart(values)?)
    }

    /// Starts an empty family; the nulls so far become nulls of that family.
    pub(super) fn restart(&mut self, values: InferredValues) -> Result<(), CellError> {
        self.values = values;
        self.nulls = RowMarks::default();
        let nulls = std::mem::take(&mut self.rows);
        self.empty(nulls)
    }

    /// Converts the integers so far to doubles. Returns false and changes nothing if one of them is not exactly a double.
    pub(super) fn ints_to_floats(&mut self) -> bool {
        let InferredValues::Int { words, big, .. } = &mut self.values else { return false };
        let value = |word: &[u8; 8]| match *big {
            true => i128::from(u64::from_le_bytes(*word)),
            false => i128::from(i64::from_le_bytes(*word)),
        };
        if !words.words().iter().all(|word| double_from_int(value(word)).is_some()) {
            return false;
        }
        for word in words.words() {
            *word = double_from_int(value(word)).unwrap_or_default().to_le_bytes();
        }
        let mut ints = RowMarks::default();
        ints.mark(0, self.rows);
        let words = std::mem::take(words);
        self.values = InferredValues::Float { words, ints };
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
