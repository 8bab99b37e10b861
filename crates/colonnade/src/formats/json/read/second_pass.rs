//! Reads cells from the bytes a second time: for columns without a single inferred type, or with a type from a header.

use arrow_data::ArrayData;

use crate::Result;
use crate::cells::msgpack::options::ReadOptions;
use crate::cells::text::{CellFault, TextCell, TextReader};
use crate::infer::columns::{BlockOrColumn, InferredColumn};

use super::decimals::Decimals;
use super::target::CellTarget;
use crate::cells::json::fault::{JsonFault, Scanned};
use crate::cells::json::number::JsonNumber;
use crate::cells::json::pack::pack;
use crate::cells::json::scan::Scan;
use crate::cells::json::value::{JsonRules, JsonToken};

/// The treatment of one column's cells in the second pass.
pub(crate) enum SecondPass {
    /// Nothing: the cells are known.
    Skip(usize),
    /// Cells of several types, kept as MessagePack.
    Mixed(Box<InferredColumn>),
    /// Integers of any size.
    Decimals(Decimals),
    /// Cells of a known type.
    Typed(Box<dyn TextReader>),
}

/// The result of a column's second pass.
pub(crate) enum SecondPassColumn {
    Finished(BlockOrColumn),
    Typed(ArrayData),
}

impl SecondPass {
    pub(crate) fn mixed() -> Result<Self> {
        Ok(Self::Mixed(Box::new(InferredColumn::of_mixed(&ReadOptions::default())?)))
    }

    /// Returns the column; `None` if it was skipped.
    pub(crate) fn finish(self) -> Result<Option<SecondPassColumn>> {
        Ok(match self {
            Self::Skip(_) => None,
            Self::Mixed(cells) => Some(SecondPassColumn::Finished(cells.finish()?)),
            Self::Decimals(decimals) => {
                decimals.finish()?.map(|column| SecondPassColumn::Finished(BlockOrColumn::Column(column)))
            }
            Self::Typed(reader) => Some(SecondPassColumn::Typed(reader.finish()?)),
        })
    }
}

impl CellTarget for SecondPass {
    fn len(&self) -> usize {
        match self {
            Self::Skip(rows) => *rows,
            Self::Mixed(cells) => cells.len(),
            Self::Decimals(decimals) => decimals.len(),
            Self::Typed(reader) => reader.len(),
        }
    }

    fn cell(&mut self, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> Scanned<()> {
        let start = scan.at;
        match self {
            Self::Skip(rows) => {
                scan.value(depth, rules)?;
                *rows += 1;
            }
            Self::Mixed(cells) => {
                let mut bytes = Vec::new();
                pack(scan, rules, &mut bytes)?;
                cells.push_mixed(&bytes).map_err(|e| JsonFault::of(start, e))?;
            }
            Self::Decimals(decimals) => match scan.token(rules)? {
                JsonToken::Null => decimals.nulls(1),
                JsonToken::Number(JsonNumber::Int(_) | JsonNumber::UInt(_) | JsonNumber::Big) => {
                    decimals
                        .push(scan.text(start..scan.at))
                        .map_err(|message| JsonFault::malformed(start, message))?;
                }
                token => {
                    if matches!(token, JsonToken::Open(_)) {
                        scan.value(depth, rules)?;
                    }
                    decimals.other();
                }
            },
            Self::Typed(reader) => push(reader.as_mut(), scan, depth, rules)?,
        }
        Ok(())
    }

    fn gap(&mut self, n: usize) -> Scanned<()> {
        match self {
            Self::Skip(rows) => *rows += n,
            Self::Mixed(cells) => cells.nulls(n).map_err(|e| JsonFault::of(0, e))?,
            Self::Decimals(decimals) => decimals.nulls(n),
            Self::Typed(reader) => reader.nulls(n).map_err(|e| fault(0, e))?,
        }
        Ok(())
    }
}

/// Passes the cell at the current position to a reader.
fn push(reader: &mut dyn TextReader, scan: &mut Scan<'_>, depth: u64, rules: &JsonRules) -> Scanned<()> {
    let start = scan.at;
    let token = scan.token(rules)?;
    let pushed = match token {
        JsonToken::Null => reader.push(TextCell::Null),
        JsonToken::Bool(value) => reader.push(TextCell::Bool(value)),
        JsonToken::Number(_) => reader.push(TextCell::Number(scan.text(start..scan.at))),
        JsonToken::Str(quoted) => reader.push(TextCell::Str(&scan.unquoted(quoted))),
        JsonToken::Open(_) => {
            scan.value(depth, rules)?;
            reader.push(TextCell::Raw(scan.text(start..scan.at)))
        }
    };
    pushed.map_err(|e| fault(start, e))
}

/// Converts a reader's error about the cell at `at`.
#[cold]
pub(crate) fn fault(at: usize, found: CellFault) -> Box<JsonFault> {
    let CellFault { kind, path, message } = found;
    let message = if path.is_empty() { message } else { format!("{path}: {message}") };
    let mut fault = JsonFault::new(kind, at, message);
    fault.is_type = true;
    fault
}
