//! Joins the columns of two ranges of one input.

use crate::Result;
use crate::cells::msgpack::column::CellError;
use crate::memory::Growth;

use super::grow::GrowingBuffer;
use super::marks::RowMarks;
use super::nested::{NestedColumns, StructMembers};
use super::text::{TextBuilder, TextFamily};
use super::{InferredColumn, InferredValues, StopReason};

impl InferredColumn {
    /// Whether no single type holds the cells, which are then read in a second pass.
    pub(crate) fn is_unknown(&self) -> bool {
        self.is_unknown_to(self.rows)
    }

    /// Whether the column is unknown once it has nulls up to row `rows`.
    fn is_unknown_to(&self, rows: usize) -> bool {
        match &self.values {
            InferredValues::Unknown | InferredValues::Mixed(_) => true,
            InferredValues::Nested { nested, .. } => nested.is_unknown(rows),
            _ => false,
        }
    }

    /// Whether cells are lists or structs.
    pub(crate) fn is_nested(&self) -> bool {
        matches!(self.values, InferredValues::Nested { .. })
    }

    /// Removes all cells. Memory and family serve the next range, which probably has the same family.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.nulls = RowMarks::default();
        match &mut self.values {
            InferredValues::Nil => {}
            InferredValues::Bool(cells) => cells.clear(),
            InferredValues::Int { words, negative, big } => {
                words.clear();
                (*negative, *big) = (false, false);
            }
            InferredValues::Float { words, ints } => {
                words.clear();
                *ints = RowMarks::default();
            }
            InferredValues::Text(text) => text.clear(),
            other => *other = InferredValues::Nil,
        }
    }

    /// Appends the cells of a range, after which `growth` holds. The cells in `part` may change if both columns are promoted.
    ///
    /// # Errors
    /// The operating system's error if memory runs out.
    pub(crate) fn append(&mut self, part: &mut Self, growth: Growth) -> Result<()> {
        match self.join(part, growth) {
            Ok(()) => Ok(()),
            Err(StopReason::Cell(e)) => Err(e.error),
            Err(StopReason::Mixed) => {
                self.give_up();
                self.rows += part.rows;
                Ok(())
            }
        }
    }

    fn join(&mut self, part: &mut Self, growth: Growth) -> std::result::Result<(), StopReason> {
        if matches!(part.values, InferredValues::Unknown) {
            return Err(StopReason::Mixed);
        }
        if matches!(self.values, InferredValues::Unknown)
            || part.nulls.count() == part.rows
            || matches!(part.values, InferredValues::Nil)
        {
            return Ok(self.empty(part.rows)?);
        }
        if matches!(self.values, InferredValues::Nil) {
            self.begin_as(&part.values)?;
        }
        if matches!((&self.values, &part.values), (InferredValues::Int { .. }, InferredValues::Float { .. }))
        {
            self.ints_to_floats();
        } else if matches!(
            (&self.values, &part.values),
            (InferredValues::Float { .. }, InferredValues::Int { .. })
        ) {
            part.ints_to_floats();
        }
        let rows = self.rows;
        match (&mut self.values, &mut part.values) {
            (InferredValues::Bool(cells), InferredValues::Bool(more)) => cells.join(more.bytes(), growth)?,
            (
                InferredValues::Int { words, negative, big },
                InferredValues::Int { words: more, negative: minus, big: beyond },
            ) => {
                if (*negative || *minus) && (*big || *beyond) {
                    return Err(StopReason::Mixed);
                }
                *negative |= *minus;
                *big |= *beyond;
                words.join(more.bytes(), growth)?;
            }
            (InferredValues::Float { words, ints }, InferredValues::Float { words: more, ints: whole }) => {
                words.join(more.bytes(), growth)?;
                ints.append(rows, whole, part.rows);
            }
            // Bytes after text would not be text.
            (InferredValues::Text(text), InferredValues::Text(more)) if text.family == more.family => {
                text.append(more, growth)?;
            }
            (InferredValues::Nested { nested, .. }, InferredValues::Nested { nested: more, .. }) => {
                nested.append((rows, part.rows), more, growth)?;
            }
            _ => return Err(StopReason::Mixed),
        }
        self.nulls.append(rows, &part.nulls, part.rows);
        self.rows += part.rows;
        Ok(())
    }

    /// Starts the family of `values`.
    fn begin_as(&mut self, values: &InferredValues) -> std::result::Result<(), CellError> {
        let values = match values {
            InferredValues::Bool(_) => InferredValues::Bool(GrowingBuffer::default()),
            InferredValues::Int { .. } => {
                InferredValues::Int { words: GrowingBuffer::default(), negative: false, big: false }
            }
            InferredValues::Float { .. } => {
                InferredValues::Float { words: GrowingBuffer::default(), ints: RowMarks::default() }
            }
            InferredValues::Text(_) => InferredValues::Text(TextBuilder::new(TextFamily::Str)?),
            InferredValues::Nested { nested, .. } => {
                let is_list = matches!(nested, NestedColumns::List { .. });
                InferredValues::Nested {
                    nested: NestedColumns::new(is_list, &self.options, self.depth)?,
                    raw: None,
                }
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

impl TextBuilder {
    fn append(&mut self, more: &mut Self, growth: Growth) -> std::result::Result<(), CellError> {
        shift(&mut self.offsets, &mut more.offsets, self.bytes.nbytes() as u64, growth)?;
        self.bytes.join(more.bytes.bytes(), growth)
    }
}

impl NestedColumns {
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
    fn append(
        &mut self,
        (rows, more_rows): (usize, usize),
        more: &mut Self,
        growth: Growth,
    ) -> std::result::Result<(), StopReason> {
        match (self, more) {
            (Self::List { offsets, item }, Self::List { offsets: more, item: part }) => {
                shift(offsets, more, item.len() as u64, growth)?;
                item.join(part, growth)
            }
            (Self::Map(members), Self::Map(more)) => members.append((rows, more_rows), more, growth),
            _ => Err(StopReason::Mixed),
        }
    }
}

impl StructMembers {
    fn append(
        &mut self,
        (rows, more_rows): (usize, usize),
        more: &mut Self,
        growth: Growth,
    ) -> std::result::Result<(), StopReason> {
        for (name, part) in more.names.iter().zip(&mut more.columns) {
            let (options, depth) = (part.options, part.depth.saturating_sub(1));
            let place = self.place(name, (&options, depth));
            if let Some((column, _)) = self.column(place) {
                column.align(rows)?;
                column.join(part, growth)?;
            }
        }
        self.end(more.entries, rows + more_rows - 1)
    }
}

/// Appends the offsets of `more` except the first, each increased by `by`.
fn shift(
    offsets: &mut GrowingBuffer,
    more: &mut GrowingBuffer,
    by: u64,
    growth: Growth,
) -> std::result::Result<(), CellError> {
    let more = more.words().get(1..).unwrap_or_default();
    offsets.expect(more.len().saturating_mul(8), growth)?;
    let room = offsets.spare(more.len().saturating_mul(8))?;
    for (slot, word) in room.as_chunks_mut::<8>().0.iter_mut().zip(more.iter()) {
        *slot = (by + u64::from_le_bytes(*word)).to_le_bytes();
    }
    offsets.commit(more.len() * 8);
    Ok(())
}
