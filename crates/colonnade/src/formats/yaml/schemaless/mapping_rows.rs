//! Rows as mappings of keys to cells.

use crate::cells::msgpack::column::CellError;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::yaml::nodes::Document;
use crate::infer::columns::node_table::{NodeCell, WalkCells};
use crate::infer::columns::nodes::{NodeValue, Nodes, packed_nbytes};
use crate::infer::schemaless::{ColumnKey, ColumnKeys, expected, no_rows};
use crate::limits::{Limits, over_missing};

/// The cells of mappings, any of which may lack keys of the others.
pub(super) struct MappingRows<'d, 't> {
    document: &'d Document<'t>,
    limits: &'d Limits,
    rows: usize,
    /// Whether the root is the only row, a mapping of scalars. Otherwise its entries are the rows.
    is_root: bool,
    /// Whether the layout was detected, not declared.
    is_detected: bool,
    pub(super) keys: ColumnKeys,
    /// Counts the cells of missing keys in the first walk.
    missing: Option<MissingCells>,
}

/// Cells of keys that other rows have. They could exceed any proportion to the input.
struct MissingCells {
    cells: u64,
    /// Bytes of the rows before node `end` as MessagePack.
    nbytes: u64,
    end: usize,
}

/// A row and its node.
type RowNode = (usize, usize);

impl<'d, 't> MappingRows<'d, 't> {
    /// The `rows` entries of the root, a sequence.
    pub(super) fn entries(
        document: &'d Document<'t>,
        rows: usize,
        is_detected: bool,
        limits: &'d Limits,
    ) -> Self {
        let missing = Some(MissingCells { cells: 0, nbytes: 0, end: 1 });
        Self { document, limits, rows, is_root: false, is_detected, keys: ColumnKeys::default(), missing }
    }

    /// The root, a mapping of scalars, as the only row.
    pub(super) fn root(document: &'d Document<'t>, limits: &'d Limits) -> Self {
        Self { is_root: true, ..Self::entries(document, 1, true, limits) }
    }

    #[cold]
    fn fault(&self, node: usize, row: usize, error: CellError) -> Error {
        let path = if self.is_root { "$".into() } else { format!("$[{row}]") };
        self.document.fault(node, &path, error)
    }

    /// Returns the column of the key at node `at`, and adds a new one. `next` is the column that usually comes here.
    fn column(&mut self, at: usize, next: usize, row: RowNode) -> Result<usize> {
        let value = self.document.value(at)?;
        if self.keys.get(next).is_some_and(|key| key.is_node(value)) {
            return Ok(next);
        }
        let key = ColumnKey::of_node(value).map_err(|e| self.fault(at, row.0, e))?;
        if let Some(place) = self.keys.place(&key) {
            return Ok(place);
        }
        self.add_missing(row.0, at, row)?;
        self.keys.push(key, self.limits).map_err(|e| self.fault(at, row.0, e))?;
        Ok(self.keys.len() - 1)
    }

    /// Counts missing cells. `at` is the node of an error.
    fn add_missing(&mut self, cells: usize, at: usize, (row, start): RowNode) -> Result<()> {
        let Some(missing) = &mut self.missing else { return Ok(()) };
        missing.cells = missing.cells.saturating_add(cells as u64);
        // Longer rows allow more missing cells, but few tables need that.
        if missing.cells <= self.limits.missing_cells(0) {
            return Ok(());
        }
        missing.nbytes += packed_nbytes(self.document, missing.end..start)?;
        missing.end = start;
        let (cells, nbytes) = (missing.cells, missing.nbytes);
        let most = self.limits.missing_cells(nbytes);
        if cells <= most {
            return Ok(());
        }
        let message = over_missing(cells, nbytes, most);
        Err(self.fault(at, row, CellError::new(ErrorKind::LimitExceeded, 0, message)))
    }

    /// Checks the value at node `at`, after its key, where the root is a mapping of scalars.
    fn check_scalar(&self, at: usize) -> Result<()> {
        match self.document.value(at)? {
            found @ (NodeValue::List(_) | NodeValue::Map(_)) => {
                let key = ColumnKey::of_node(self.document.value(at - 1)?).map(|key| key.step());
                let path = format!("${}", key.unwrap_or_default());
                let error = expected("a scalar, as the entries before", found.name());
                Err(self.document.fault(at, &path, error))
            }
            _ => Ok(()),
        }
    }
}

impl WalkCells for MappingRows<'_, '_> {
    fn walk(&mut self, each: &mut dyn FnMut(NodeCell) -> Result<()>) -> Result<()> {
        let mut start = usize::from(!self.is_root);
        for row in 0..self.rows {
            let found = self.document.value(start)?;
            let NodeValue::Map(pairs) = found else {
                let is_first = row == 0 && self.is_detected;
                let error = match is_first {
                    true => no_rows(found.name()),
                    false => expected("a map, as every row is one", found.name()),
                };
                return Err(self.fault(start, row, error));
            };
            let (mut at, mut next) = (start + 1, 0);
            for _ in 0..pairs {
                let column = self.column(at, next, (row, start))?;
                next = column + 1;
                if self.is_root {
                    self.check_scalar(at + 1)?;
                }
                each(NodeCell { column, row, node: at + 1 })?;
                at = self.document.next_after(at + 1);
            }
            // The parser has refused repeated keys.
            self.add_missing(self.keys.len().saturating_sub(pairs), start, (row, start))?;
            start = at;
        }
        self.missing = None;
        Ok(())
    }

    fn width(&self) -> usize {
        self.keys.len()
    }
}
