//! Columns as sequences of cells, and rows as sequences of cells.

use crate::cells::msgpack::column::CellError;
use crate::error::{Error, Result};
use crate::formats::yaml::nodes::Document;
use crate::infer::columns::BlockOrColumn;
use crate::infer::columns::node_table::{NodeCell, WalkCells, infer_columns};
use crate::infer::columns::nodes::{NodeValue, Nodes};
use crate::infer::schemaless::{ColumnKey, ColumnKeys, ColumnLengths, expected, wrong_width};
use crate::limits::Limits;

/// Columns whose cells follow each other.
pub(super) struct SequenceColumns<'d, 't> {
    pub(super) document: &'d Document<'t>,
    /// The node of each column's first cell.
    pub(super) first: Vec<usize>,
    pub(super) rows: usize,
}

impl WalkCells for SequenceColumns<'_, '_> {
    fn walk(&mut self, each: &mut dyn FnMut(NodeCell) -> Result<()>) -> Result<()> {
        for (column, &first) in self.first.iter().enumerate() {
            let mut node = first;
            for row in 0..self.rows {
                each(NodeCell { column, row, node })?;
                node = self.document.next_after(node);
            }
        }
        Ok(())
    }

    fn width(&self) -> usize {
        self.first.len()
    }
}

/// Rows, each a sequence of as many cells as there are columns.
pub(super) struct SequenceRows<'d, 't> {
    pub(super) document: &'d Document<'t>,
    /// The node of the first row.
    pub(super) first: usize,
    pub(super) rows: usize,
    pub(super) width: usize,
    /// The path of the sequence of rows.
    pub(super) path: &'static str,
}

impl WalkCells for SequenceRows<'_, '_> {
    fn walk(&mut self, each: &mut dyn FnMut(NodeCell) -> Result<()>) -> Result<()> {
        let mut at = self.first;
        for row in 0..self.rows {
            let error = match self.document.value(at)? {
                NodeValue::List(n) if n == self.width => None,
                NodeValue::List(n) => Some(wrong_width(self.width, n)),
                other => Some(expected("an array, as every row is one", other.name())),
            };
            if let Some(error) = error {
                return Err(self.document.fault(at, &format!("{}[{row}]", self.path), error));
            }
            at += 1;
            for column in 0..self.width {
                each(NodeCell { column, row, node: at })?;
                at = self.document.next_after(at);
            }
        }
        Ok(())
    }

    fn width(&self) -> usize {
        self.width
    }
}

/// Reads the root, a mapping of `n` labels to sequences. Returns its labels, columns and number of rows.
pub(super) fn columns(
    document: &Document<'_>,
    n: usize,
    limits: &Limits,
) -> Result<(ColumnKeys, Vec<BlockOrColumn>, usize)> {
    let (mut keys, mut lengths, mut first) = (ColumnKeys::default(), ColumnLengths::default(), Vec::new());
    let mut at = 1;
    for _ in 0..n {
        let key = ColumnKey::of_node(document.value(at)?).map_err(|e| document.fault(at, "$", e))?;
        let path = format!("${}", key.step());
        let fault = |node: usize, e: CellError| -> Error { document.fault(node, &path, e) };
        keys.push(key, limits).map_err(|e| fault(at, e))?;
        let value = at + 1;
        match document.value(value)? {
            NodeValue::List(rows) => lengths.add(rows, &keys).map_err(|e| fault(value, e))?,
            other => {
                let what = "an array of cells, as a map of columns has them";
                return Err(fault(value, expected(what, other.name())));
            }
        }
        first.push(value + 1);
        at = document.next_after(value);
    }
    let rows = lengths.rows();
    let columns = infer_columns(document, rows, &mut SequenceColumns { document, first, rows })?;
    Ok((keys, columns, rows))
}
