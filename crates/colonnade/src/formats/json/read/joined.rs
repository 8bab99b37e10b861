//! A column's cells from all ranges, in the memory where they stay.

use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::DataType;

use crate::Result;
use crate::arrow::trusted::trusted_array;
use crate::cells::exact::exact;
use crate::frame::{Block, Column, DType, Grid};
use crate::infer::columns::Finished;
use crate::infer::columns::grow::Grow;
use crate::infer::columns::marks::Marks;
use crate::memory::Buffer;

use super::auto::{Auto, Kind};

/// Cells so far.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    rows: usize,
    nulls: Marks,
    cells: Cells,
}

#[derive(Debug, Default)]
enum Cells {
    #[default]
    Nil,
    Bool(Grow),
    Int {
        words: Grow,
        negative: bool,
        big: bool,
    },
    Float(Grow),
    /// 64-bit words: where each cell starts, and where the last one ends.
    Text {
        offsets: Grow,
        bytes: Grow,
    },
    /// No one family holds these.
    Other,
}

impl Joined {
    /// Cells so far.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Whether the cells are of no one family of scalars, and must be read in another way.
    pub(crate) fn is_other(&self) -> bool {
        matches!(self.cells, Cells::Other)
    }

    /// Appends `n` nulls.
    pub(crate) fn gap(&mut self, n: usize) -> Result<()> {
        let zeros = |grow: &mut Grow, each: usize| grow.zeros(n.saturating_mul(each)).map_err(|e| e.error);
        match &mut self.cells {
            Cells::Nil | Cells::Other => {
                self.rows += n;
                return Ok(());
            }
            Cells::Bool(cells) => zeros(cells, 1)?,
            Cells::Int { words, .. } | Cells::Float(words) => zeros(words, 8)?,
            Cells::Text { offsets, bytes } => {
                offsets.repeat((bytes.nbytes() as u64).to_le_bytes(), n).map_err(|e| e.error)?;
            }
        }
        self.nulls.mark(self.rows, n);
        self.rows += n;
        Ok(())
    }

    /// Appends the cells of a range; what they are in `part` may change where both are promoted.
    pub(crate) fn append(&mut self, part: &mut Auto) -> Result<()> {
        if matches!(part.kind, Kind::Other) {
            self.other();
        }
        if matches!(self.cells, Cells::Other)
            || matches!(part.kind, Kind::Nil)
            || part.nulls.count() == part.rows
        {
            return self.gap(part.rows);
        }
        if matches!(self.cells, Cells::Nil) {
            self.begin(&part.kind)?;
        }
        if !self.take(part)? {
            self.promote(part);
            if !self.take(part)? {
                self.other();
                return self.gap(part.rows);
            }
        }
        self.nulls.append(self.rows, &part.nulls, part.rows);
        self.rows += part.rows;
        Ok(())
    }

    /// Starts a family; the nulls before it are nulls of that family.
    fn begin(&mut self, kind: &Kind) -> Result<()> {
        self.cells = match kind {
            Kind::Bool(_) => Cells::Bool(Grow::default()),
            Kind::Int { .. } => Cells::Int { words: Grow::default(), negative: false, big: false },
            Kind::Float(_) => Cells::Float(Grow::default()),
            Kind::Text { .. } => {
                let mut offsets = Grow::default();
                offsets.zeros(8).map_err(|e| e.error)?;
                Cells::Text { offsets, bytes: Grow::default() }
            }
            Kind::Nil | Kind::Other => return Ok(()),
        };
        let rows = std::mem::take(&mut self.rows);
        self.gap(rows)
    }

    /// Appends cells of the family there is; false, and nothing changed, where they are of another.
    fn take(&mut self, part: &Auto) -> Result<bool> {
        match (&mut self.cells, &part.kind) {
            (Cells::Bool(cells), Kind::Bool(more)) => cells.push(more).map_err(|e| e.error)?,
            (
                Cells::Int { words, negative, big },
                Kind::Int { words: more, negative: minus, big: beyond },
            ) => {
                if (*negative || *minus) && (*big || *beyond) {
                    return Ok(false);
                }
                *negative |= minus;
                *big |= beyond;
                put(words, more)?;
            }
            (Cells::Float(words), Kind::Float(more)) => put(words, more)?,
            (Cells::Text { offsets, bytes }, Kind::Text { ends, bytes: more }) => {
                let base = bytes.nbytes() as u64;
                let room = offsets.spare(ends.len().saturating_mul(8)).map_err(|e| e.error)?;
                for (slot, end) in room.as_chunks_mut::<8>().0.iter_mut().zip(ends) {
                    *slot = (base + *end as u64).to_le_bytes();
                }
                offsets.commit(ends.len() * 8);
                bytes.push(more).map_err(|e| e.error)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Makes doubles of the integers on one side where the other has doubles, and each is one exactly.
    fn promote(&mut self, part: &mut Auto) {
        match (&mut self.cells, &mut part.kind) {
            (Cells::Int { words, big, .. }, Kind::Float(_)) => {
                let value = |word: &[u8; 8]| match *big {
                    true => i128::from(u64::from_le_bytes(*word)),
                    false => i128::from(i64::from_le_bytes(*word)),
                };
                if words.words().iter().all(|word| exact(value(word)).is_some()) {
                    for word in words.words() {
                        *word = exact(value(word)).unwrap_or_default().to_le_bytes();
                    }
                    self.cells = Cells::Float(std::mem::take(words));
                }
            }
            (Cells::Float(_), kind) => kind.widen(),
            _ => {}
        }
    }

    fn other(&mut self) {
        self.cells = Cells::Other;
        self.nulls = Marks::default();
    }

    /// The column, in the form that needs no more than what it is.
    pub(crate) fn finish(self) -> Result<Finished> {
        let rows = self.rows;
        if self.nulls.count() == 0 {
            match self.cells {
                Cells::Bool(cells) => return block("|b1", rows, cells.finish()),
                Cells::Int { words, big: false, .. } => return block("<i8", rows, words.finish()),
                Cells::Int { words, .. } => return block("<u8", rows, words.finish()),
                Cells::Float(words) => return block("<f8", rows, words.finish()),
                cells => return Ok(Finished::Column(Column::new(Self { cells, ..self }.data()?))),
            }
        }
        Ok(Finished::Column(Column::new(self.data()?)))
    }

    /// The column in Arrow's layout: of nulls, booleans, 64-bit numbers or text.
    pub(crate) fn data(self) -> Result<ArrayData> {
        let rows = self.rows;
        let (data_type, buffers) = match self.cells {
            Cells::Nil | Cells::Other => return Ok(ArrayData::new_null(&DataType::Null, rows)),
            Cells::Bool(cells) => {
                let bytes = cells.finish();
                let bits: BooleanBuffer = bytes.as_slice().iter().map(|&byte| byte == 1).collect();
                (DataType::Boolean, vec![bits.into_inner()])
            }
            Cells::Int { words, big: false, .. } => (DataType::Int64, vec![words.finish().to_arrow()]),
            Cells::Int { words, .. } => (DataType::UInt64, vec![words.finish().to_arrow()]),
            Cells::Float(words) => (DataType::Float64, vec![words.finish().to_arrow()]),
            Cells::Text { offsets, bytes } => {
                (DataType::LargeUtf8, vec![offsets.finish().to_arrow(), bytes.finish().to_arrow()])
            }
        };
        let nulls: Option<NullBuffer> = self.nulls.validity(rows);
        let builder = ArrayDataBuilder::new(data_type).len(rows).nulls(nulls).buffers(buffers);
        // Trusted: every cell appended one value (or an offset and its bytes, whole texts of input that is UTF-8), `rows`
        // times; each end is at or behind the one before.
        Ok(trusted_array(builder))
    }
}

fn put(words: &mut Grow, more: &[u64]) -> Result<()> {
    let room = words.spare(more.len().saturating_mul(8)).map_err(|e| e.error)?;
    for (slot, word) in room.as_chunks_mut::<8>().0.iter_mut().zip(more) {
        *slot = word.to_le_bytes();
    }
    words.commit(more.len() * 8);
    Ok(())
}

fn block(descr: &str, rows: usize, buffer: Buffer) -> Result<Finished> {
    DType::parse(descr)
        .and_then(|dtype| Block::new(Grid::column_major(dtype, rows, 1, 0), buffer))
        .map(Finished::Block)
        .ok_or_else(|| crate::Error::malformed("json", "a column is shorter than its rows."))
}
