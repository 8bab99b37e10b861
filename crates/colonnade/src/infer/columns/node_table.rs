//! Infers the columns of a table of parsed values.

use crate::cells::msgpack::options::ReadOptions;
use crate::error::Result;

use super::nodes::Nodes;
use super::{BlockOrColumn, InferredColumn};

/// The place of a cell in a table, and its node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeCell {
    pub(crate) column: usize,
    pub(crate) row: usize,
    pub(crate) node: usize,
}

/// Passes each cell of a table to a function: the cells of one column in the order of their rows.
pub(crate) trait WalkCells {
    /// Passes the cells. A second call passes the same cells again.
    ///
    /// # Errors
    /// A layout that is no table; errors of `each`.
    fn walk(&mut self, each: &mut dyn FnMut(NodeCell) -> Result<()>) -> Result<()>;

    /// Returns the number of columns, which the first walk may have found.
    fn width(&self) -> usize;
}

/// Infers the columns of a table of `rows` rows. Rows without a cell are null.
///
/// The cells of a column without a single type are only counted. A second walk stores them as MessagePack.
///
/// # Errors
/// Errors of `table`; the operating system's error if memory runs out.
pub(crate) fn infer_columns(
    nodes: &impl Nodes,
    rows: usize,
    table: &mut impl WalkCells,
) -> Result<Vec<BlockOrColumn>> {
    let options = ReadOptions::default();
    let empty = || InferredColumn::of_one_type(&options, 0);
    let mut columns = Vec::new();
    table.walk(&mut |cell| {
        if columns.len() <= cell.column {
            columns.resize_with(cell.column + 1, empty);
        }
        columns.get_mut(cell.column).map_or(Ok(()), |column| put(column, nodes, cell))
    })?;
    columns.resize_with(table.width(), empty);
    columns.iter_mut().try_for_each(|column| end(column, rows))?;
    if columns.iter().any(InferredColumn::is_unknown) {
        let unknown = |column: &InferredColumn| {
            column.is_unknown().then(|| InferredColumn::of_mixed(&options)).transpose()
        };
        let mut mixed = columns.iter().map(unknown).collect::<Result<Vec<_>>>()?;
        table.walk(&mut |cell| match mixed.get_mut(cell.column) {
            Some(Some(column)) => put(column, nodes, cell),
            _ => Ok(()),
        })?;
        for (column, mixed) in columns.iter_mut().zip(mixed) {
            if let Some(mut mixed) = mixed {
                end(&mut mixed, rows)?;
                *column = mixed;
            }
        }
    }
    columns.into_iter().map(InferredColumn::finish).collect()
}

fn put(column: &mut InferredColumn, nodes: &impl Nodes, cell: NodeCell) -> Result<()> {
    end(column, cell.row)?;
    column.push_node(nodes, cell.node)
}

/// Adds nulls up to row `rows`.
fn end(column: &mut InferredColumn, rows: usize) -> Result<()> {
    match rows.saturating_sub(column.len()) {
        0 => Ok(()),
        missing => column.nulls(missing),
    }
}
