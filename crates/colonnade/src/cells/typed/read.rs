//! Reads cells into arrays.
//!
//! Arrays are validated when they are built. Properties of the whole array (offsets that fit, text, codes, nulls) are also
//! checked cell by cell, so that the error has a place.

use std::sync::Arc;

use arrow_buffer::NullBufferBuilder;
use arrow_data::{ArrayData, ArrayDataBuilder};
use arrow_schema::{DataType, Field, IntervalUnit, UnionMode};

use super::allowance::SharedAllowance;
use super::{CellError, CellExtent, CellReader, HeaderDictionaries, TypedCells, is_cells, names_are_unique};
use crate::cells::msgpack::column::{FORMAT, malformed};
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::msgpack::skip::{Skipper, skip};
use crate::error::{Error, Result};

mod flat;
mod lists;
mod make;
mod numbers;
mod structs;
mod unions;

type TakeResult = std::result::Result<Option<usize>, CellError>;
type BuildResult = std::result::Result<(), CellError>;

/// The message about a null that the field does not allow, in MessagePack's words.
pub(crate) const NO_NULLS: &str = "expected a value, as the field holds no nulls, found nil.";

/// A builder of one array's values.
trait BuildValues: Send + Sync {
    /// Takes one cell other than nil from the front of `bytes`. Returns its length, or `None` without a change if the cell
    /// is incomplete. Types with children receive only whole cells.
    fn push(&mut self, bytes: &[u8]) -> TakeResult;

    /// Appends a null.
    fn null(&mut self) -> BuildResult;

    /// Returns the array of `len` cells.
    fn finish(&mut self, len: usize) -> Result<ArrayData>;
}

/// A builder with the nulls around its values.
struct SlotBuilder {
    build: Box<dyn BuildValues>,
    len: usize,
    nullable: bool,
    /// Bytes of memory for a null.
    cost: u64,
    budget: SharedAllowance,
}

impl SlotBuilder {
    /// Takes one cell.
    #[inline]
    fn push(&mut self, bytes: &[u8]) -> TakeResult {
        let pushed = if bytes.first() == Some(&super::out::NIL) {
            if !self.nullable {
                return Err(malformed(0, NO_NULLS));
            }
            self.budget.charge(self.cost)?;
            self.build.null()?;
            Some(1)
        } else {
            self.build.push(bytes)?
        };
        self.len += usize::from(pushed.is_some());
        Ok(pushed)
    }

    /// Takes one whole cell of an entry at `at`, and advances `at`.
    fn push_at(&mut self, bytes: &[u8], at: &mut usize) -> BuildResult {
        let pushed = self.push(bytes.get(*at..).unwrap_or_default()).map_err(|e| e.after(0, *at))?;
        *at += pushed.ok_or_else(|| truncated_cell(*at))?;
        Ok(())
    }

    /// Appends a null that no input byte backs; the caller has charged it.
    fn fill(&mut self) -> BuildResult {
        self.build.null()?;
        self.len += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<ArrayData> {
        self.build.finish(self.len)
    }
}

#[cold]
fn truncated_cell(at: usize) -> CellError {
    malformed(at, "expected a whole value, found the end of the cell around it.")
}

/// Builds and validates an array.
fn build_array(builder: ArrayDataBuilder) -> Result<ArrayData> {
    builder.build().map_err(|e| Error::malformed(FORMAT, format!("the cells make no valid array: {e}.")))
}

/// The validity of the cells.
#[derive(Debug)]
struct ValidityBuilder(NullBufferBuilder);

impl Default for ValidityBuilder {
    fn default() -> Self {
        Self(NullBufferBuilder::new(0))
    }
}

/// The reader of one column's cells.
pub(super) struct TypedReader {
    slot: SlotBuilder,
    /// Whether cells are checked as a whole before they are read, so that a partial cell changes nothing.
    nested: bool,
    /// Whether a null of the type may take far more memory than its one byte of input.
    wide: bool,
    max_depth: u64,
    /// The skipper of the next cell, and the number of bytes that it has seen.
    begun: Option<(Skipper, usize)>,
}

impl TypedReader {
    pub(super) fn new(
        field: &Field,
        tag: Option<&str>,
        options: &ReadOptions,
        dictionaries: &mut HeaderDictionaries,
    ) -> Result<Self> {
        let max_depth = options.limits.max_depth;
        let budget = dictionaries.budget(&options.limits);
        let mut maker = make::BuilderFactory { dictionaries, budget, max_depth, cells: is_cells(tag) };
        let slot = maker.slot(field, 0)?;
        let nested = field.data_type().is_nested() || is_cells(tag);
        let wide = make::is_wide(field.data_type());
        Ok(Self { slot, nested, wide, max_depth: options.limits.max_depth, begun: None })
    }

    /// Whether the cell at the front is complete. Bytes that an earlier call has seen are not scanned again.
    fn is_whole(&mut self, bytes: &[u8]) -> std::result::Result<bool, CellError> {
        if self.begun.is_none() {
            if skip(bytes, self.max_depth)?.is_some() {
                return Ok(true);
            }
            self.begun = Some((Skipper::new(self.max_depth), 0));
        }
        if let Some((skipper, seen)) = &mut self.begun {
            let fresh = bytes.get(*seen..).unwrap_or_default();
            *seen += skipper.feed(fresh).map_err(|e| e.after(0, *seen))?;
            if !skipper.is_whole() {
                return Ok(false);
            }
        }
        self.begun = None;
        Ok(true)
    }
}

impl CellReader for TypedReader {
    fn take(&mut self, bytes: &[u8], wanted: usize) -> std::result::Result<CellExtent, CellError> {
        let mut taken = CellExtent::default();
        while taken.cells < wanted {
            let rest = bytes.get(taken.nbytes..).unwrap_or_default();
            let here = |e: CellError| e.after(taken.cells, taken.nbytes);
            if self.nested && !self.is_whole(rest).map_err(here)? {
                break;
            }
            match self.slot.push(rest).map_err(here)? {
                Some(length) => {
                    taken = CellExtent { cells: taken.cells + 1, nbytes: taken.nbytes + length };
                    if self.wide {
                        self.slot.budget.grant(length);
                    }
                }
                None if self.nested => return Err(here(truncated_cell(0))),
                None => break,
            }
        }
        Ok(taken)
    }
}

impl TypedCells for TypedReader {
    fn finish(mut self: Box<Self>) -> Result<ArrayData> {
        self.slot.finish()
    }
}
