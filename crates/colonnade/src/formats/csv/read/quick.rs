//! Columns of an input: those whose types nobody has told, and those whose types somebody has.
//!
//! Types that cells are inferred as are read as such where they are told, in the same pass. A told column that holds something
//! else is read again by the reader of its type, which is slower, knows every spelling, and says what is wrong.

use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use super::infer::{self, Refused};
use super::kinds::Kind;
use super::options::OnError;
use super::pass::{Piece, Source};
use super::typed;
use super::whole::{Outcome, Reading};
use crate::error::Result;
use crate::frame::Part;
use crate::progress::{Progress, Silent};

/// What makes the readers of columns, by position.
pub(super) type Readers<'m> = dyn FnMut(&[usize]) -> Result<Vec<typed::Column>> + 'm;

/// Columns that have been read, and what is said of their rows.
pub(super) struct Columns {
    /// Those whose types nobody has told, and what they have become.
    pub(super) parts: Vec<Part>,
    pub(super) kinds: Vec<Option<Kind>>,
    /// Those whose types are told, by position.
    pub(super) arrays: Vec<Option<ArrayData>>,
    pub(super) rows: usize,
    pub(super) dropped: u64,
    pub(super) nulled: u64,
}

/// What the cells of a told type are read as; `None` where only the reader of the type knows how.
fn quick(field: &Field) -> Option<Kind> {
    match field.data_type() {
        DataType::Boolean => Some(Kind::Bool),
        DataType::Int64 => Some(Kind::Int),
        DataType::UInt64 => Some(Kind::UInt),
        DataType::Float64 => Some(Kind::Float),
        DataType::LargeUtf8 => Some(Kind::Text),
        _ => None,
    }
}

impl Reading<'_> {
    /// Reads all columns. `told`: position and field of each whose type is told.
    pub(super) fn columns(
        &self,
        (source, pieces): (&Source<'_>, &[Piece]),
        others: &[infer::Column],
        told: &[(usize, &Field)],
        readers: &mut Readers<'_>,
    ) -> Outcome<Columns> {
        let (ncols, body, threads) = (self.opening.ncols, self.opening.body, self.options.threads);
        let skips = self.options.on_error == OnError::Skip;
        let mut arrays: Vec<Option<ArrayData>> = vec![None; ncols];
        let mut list = others.to_vec();
        let mut slow = Vec::new();
        for (position, field) in told {
            // Where rows are left out for their cells, it is known first which: nothing else in them says anything.
            match quick(field).filter(|_| !skips) {
                Some(kind) => list.push(infer::Column::told(*position, kind)),
                None => slow.push(*position),
            }
        }
        // Cells are counted once, whoever reads them first.
        let silent = Silent(self.progress);
        let heard: &dyn Progress = if list.is_empty() { self.progress } else { &silent };
        let mut read = |positions: &[usize], arrays: &mut Vec<Option<ArrayData>>| -> Outcome<(Counts, u64)> {
            let read = match typed::read(source, body, readers(positions)?, threads, heard)? {
                Ok(read) if skips && !read.wrong.is_empty() => return Ok(Err(Refused::Rows(read.wrong))),
                Ok(read) => read,
                Err(fault) => return Ok(Err(Refused::Fault(fault))),
            };
            for (position, data) in positions.iter().zip(read.arrays) {
                if let Some(slot) = arrays.get_mut(*position) {
                    *slot = Some(data);
                }
            }
            let nulled = read.wrong.len() as u64;
            Ok(Ok((Counts { rows: read.rows, dropped: read.dropped, mended: read.mended }, nulled)))
        };
        let mut counts = Counts { rows: 0, dropped: 0, mended: 0 };
        let mut nulled = 0;
        if !slow.is_empty() || list.is_empty() {
            match read(&slow, &mut arrays)? {
                Ok((found, wrong)) => (counts, nulled) = (found, wrong),
                Err(refused) => return Ok(Err(refused)),
            }
        }
        let mut kinds = vec![None; ncols];
        let mut parts = Vec::new();
        if !list.is_empty() {
            let found = infer::read(source, pieces, &list, self.options.big_ints, threads, self.progress)?;
            let infer::Columns { table, filled, rows, dropped, mended, wrong } = match found {
                Ok(found) => found,
                Err(refused) => return Ok(Err(refused)),
            };
            counts = Counts { rows, dropped, mended };
            nulled += wrong.len() as u64;
            let nullable =
                |position: usize| told.iter().any(|(p, field)| *p == position && field.is_nullable());
            let mut again = Vec::new();
            for (column, filled) in list.iter().zip(&filled) {
                let fits =
                    filled.fits && (filled.nulls.is_none() || !column.told || nullable(column.position));
                if !fits {
                    again.push(column.position);
                } else if !column.told
                    && let Some(slot) = kinds.get_mut(column.position)
                {
                    *slot = Some(filled.kind);
                }
            }
            let place = |i: usize| list.get(i).map_or((i, false), |column| (column.position, column.told));
            for part in table.finish(rows, filled)? {
                match part {
                    Part::Block(block, columns) => {
                        parts.push(Part::Block(block, columns.into_iter().map(|i| place(i).0).collect()));
                    }
                    Part::Column(column, i) => match place(i) {
                        (position, true) => {
                            if let Some(slot) = arrays.get_mut(position) {
                                *slot = Some(column.data);
                            }
                        }
                        (position, false) => parts.push(Part::Column(column, position)),
                    },
                }
            }
            if !again.is_empty() {
                match read(&again, &mut arrays)? {
                    Ok((_, wrong)) => nulled += wrong,
                    Err(refused) => return Ok(Err(refused)),
                }
            }
        }
        let Counts { rows, dropped, mended } = counts;
        Ok(Ok(Columns { parts, kinds, arrays, rows, dropped, nulled: mended + nulled }))
    }
}

/// What is said of rows.
struct Counts {
    rows: usize,
    dropped: u64,
    mended: u64,
}
