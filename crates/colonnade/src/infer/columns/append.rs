//! Joins the columns of two ranges of one input.

use crate::Result;
use crate::cells::msgpack::column::CellError;

use super::grow::Grow;
use super::marks::Marks;
use super::nested::{Members, Nested};
use super::text::{Family, Text};
use super::{Inferred, Stop, Values};

impl Inferred {
    /// Whether no single type holds the cells, which are then read in a second pass.
    pub(crate) fn is_unknown(&self) -> bool {
        self.is_unknown_to(self.rows)
    }

    /// Whether the column is unknown once it has nulls up to row `rows`.
    fn is_unknown_to(&self, rows: usize) -> bool {
        match &self.values {
            Values::Unknown | Values::Mixed(_) => true,
            Values::Nested { nested, .. } => nested.is_unknown(rows),
            _ => false,
        }
    }

    /// Whether cells are lists or structs.
    pub(crate) fn is_nested(&self) -> bool {
        matches!(self.values, Values::Nested { .. })
    }

    /// Removes all cells. Memory and family serve the next range, which probably has the same family.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.nulls = Marks::default();
        match &mut self.values {
            Values::Nil => {}
            Values::Bool(cells) => cells.clear(),
            Values::Int { words, negative, big } => {
                words.clear();
                (*negative, *big) = (false, false);
            }
            Values::Float { words, ints } => {
                words.clear();
                *ints = Marks::default();
            }
            Values::Text(text) => text.clear(),
            other => *other = Values::Nil,
        }
    }

    /// Appends the cells of a range. The cells in `part` may change if both columns are promoted.
    ///
    /// # Errors
    /// The operating system's error if memory runs out.
    pub(crate) fn append(&mut self, part: &mut Self) -> Result<()> {
        match self.join(part) {
            Ok(()) => Ok(()),
            Err(Stop::Cell(e)) => Err(e.error),
            Err(Stop::Mixed) => {
                self.give_up();
                self.rows += part.rows;
                Ok(())
            }
        }
    }

    fn join(&mut self, part: &mut Self) -> std::result::Result<(), Stop> {
        if matches!(part.values, Values::Unknown) {
            return Err(Stop::Mixed);
        }
        if matches!(self.values, Values::Unknown)
            || part.nulls.count() == part.rows
            || matches!(part.values, Values::Nil)
        {
            return Ok(self.empty(part.rows)?);
        }
        if matches!(self.values, Values::Nil) {
            self.begin_as(&part.values)?;
        }
        if matches!((&self.values, &part.values), (Values::Int { .. }, Values::Float { .. })) {
            self.ints_to_floats();
        } else if matches!((&self.values, &part.values), (Values::Float { .. }, Values::Int { .. })) {
            part.ints_to_floats();
        }
        let rows = self.rows;
        match (&mut self.values, &mut part.values) {
            (Values::Bool(cells), Values::Bool(more)) => cells.push(more.bytes())?,
            (
                Values::Int { words, negative, big },
                Values::Int { words: more, negative: minus, big: beyond },
            ) => {
                if (*negative || *minus) && (*big || *beyond) {
                    return Err(Stop::Mixed);
                }
                *negative |= *minus;
                *big |= *beyond;
                words.push(more.bytes())?;
            }
            (Values::Float { words, ints }, Values::Float { words: more, ints: whole }) => {
                words.push(more.bytes())?;
                ints.append(rows, whole, part.rows);
            }
            (Values::Text(text), Values::Text(more)) => text.append(more)?,
            (Values::Nested { nested, .. }, Values::Nested { nested: more, .. }) => {
                nested.append(rows, more, part.rows)?;
            }
            _ => return Err(Stop::Mixed),
        }
        self.nulls.append(rows, &part.nulls, part.rows);
        self.rows += part.rows;
        Ok(())
    }

    /// Starts the family of `values`.
    fn begin_as(&mut self, values: &Values) -> std::result::Result<(), CellError> {
        let values = match values {
            Values::Bool(_) => Values::Bool(Grow::default()),
            Values::Int { .. } => Values::Int { words: Grow::default(), negative: false, big: false },
            Values::Float { .. } => Values::Float { words: Grow::default(), ints: Marks::default() },
            Values::Text(_) => Values::Text(Text::new(Family::Str)?),
            Values::Nested { nested, .. } => {
                let is_list = matches!(nested, Nested::List { .. });
                Values::Nested { nested: Nested::new(is_list, &self.options, self.depth)?, raw: None }
            }
            _ => return Ok(()),
        };
        self.restart(values)
    }

    /// Adds nulls up to row `row`. Returns false if the column already has that row.
    #[inline(always)]
    pub(super) fn align(&mut self, row: usize) -> std::result::Result<bool, CellError> {
        match row.checked_sub(self.rows) {
            Some(0) => Ok(true),
            Some(missing) => self.empty(missing).map(|()| true),
            None => Ok(false),
        }
    }
}

impl Text {
    fn append(&mut self, more: &mut Self) -> std::result::Result<(), CellError> {
        shift(&mut self.offsets, &mut more.offsets, self.bytes.nbytes() as u64)?;
        self.bytes.push(more.bytes.bytes())
    }
}

impl Nested {
    /// Whether columns inside the `rows` cells are unknown, or mostly nulls.
    fn is_unknown(&self, rows: usize) -> bool {
        match self {
            Self::List { item, .. } => item.is_unknown(),
            Self::Map(members) => {
                members.is_scattered(rows) || members.columns.iter().any(|column| column.is_unknown_to(rows))
            }
        }
    }

    /// Appends the cells of `more_rows` rows after `rows` rows.
    fn append(&mut self, rows: usize, more: &mut Self, more_rows: usize) -> std::result::Result<(), Stop> {
        match (self, more) {
            (Self::List { offsets, item }, Self::List { offsets: more, item: part }) => {
                shift(offsets, more, item.len() as u64)?;
                item.join(part)
            }
            (Self::Map(members), Self::Map(more)) => members.append(rows, more, more_rows),
            _ => Err(Stop::Mixed),
        }
    }
}

impl Members {
    fn append(&mut self, rows: usize, more: &mut Self, more_rows: usize) -> std::result::Result<(), Stop> {
        for (name, part) in more.names.iter().zip(&mut more.columns) {
            let (options, depth) = (part.options, part.depth.saturating_sub(1));
            let place = self.place(name, (&options, depth));
            if let Some((column, _)) = self.column(place) {
                column.align(rows)?;
                column.join(part)?;
            }
        }
        self.end(more.entries, rows + more_rows - 1)
    }
}

/// Appends the offsets of `more` except the first, each increased by `by`.
fn shift(offsets: &mut Grow, more: &mut Grow, by: u64) -> std::result::Result<(), CellError> {
    let more = more.words().get(1..).unwrap_or_default();
    let room = offsets.spare(more.len().saturating_mul(8))?;
    for (slot, word) in room.as_chunks_mut::<8>().0.iter_mut().zip(more.iter()) {
        *slot = (by + u64::from_le_bytes(*word)).to_le_bytes();
    }
    offsets.commit(more.len() * 8);
    Ok(())
}
