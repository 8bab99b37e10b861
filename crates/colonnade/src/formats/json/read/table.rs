//! The scanned columns, and the positions of their cells for a second pass.

use crate::error::Result;
use crate::infer::columns::{BlockOrColumn, InferredColumn};

use super::cells;
use super::context::Context;
use super::decimals::Decimals;
use super::keys::RowKeys;
use super::rows::{JsonRows, scan_rows};
use super::second_pass::{SecondPass, SecondPassColumn};
use super::target::CellTarget;
use super::walk::RowScanner;
use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;

/// The position of the cells.
#[derive(Debug, Clone)]
pub(crate) enum CellPositions {
    /// Row by row.
    Rows(JsonRows),
    /// Column by column: the start of each column's array or object, and the number of arrays and objects around it.
    Columns(Vec<usize>, u64),
}

/// The scanned columns.
#[derive(Debug)]
pub(crate) struct ScannedTable {
    /// Names of the columns; empty if columns have positions only.
    pub(crate) keys: RowKeys,
    pub(crate) columns: Vec<InferredColumn>,
    pub(crate) rows: usize,
    /// The row labels, if they are keys.
    pub(crate) labels: Option<RowKeys>,
    /// Number of missing cells.
    pub(crate) missing: u64,
    pub(crate) body: CellPositions,
}

impl ScannedTable {
    /// Passes every column's cells to its entry in `targets`.
    pub(crate) fn second_pass(
        &self,
        context: &Context<'_>,
        mut targets: Vec<SecondPass>,
    ) -> Scanned<Vec<SecondPass>> {
        let rules = &context.rules;
        match &self.body {
            CellPositions::Rows(source) => {
                let mut walk = RowScanner::new(self.keys.clone(), targets);
                walk.labels = self.labels.as_ref().map(|_| RowKeys::default());
                let all = (source.start, usize::MAX);
                let input = (context.bytes, source);
                let (end, _) = scan_rows(input, all, &mut walk, rules, |_| SecondPass::Skip(0))?;
                walk.fill(end, rules)?;
                Ok(walk.columns)
            }
            CellPositions::Columns(starts, depth) => {
                let mut labels = self.labels.clone().unwrap_or_default();
                for (place, (target, &start)) in targets.iter_mut().zip(starts).enumerate() {
                    if !matches!(target, SecondPass::Skip(_)) {
                        let mut scan = Scan::new(context.bytes, start, false);
                        cells::take(&mut scan, target, &mut labels, (*depth, rules))
                            .map_err(|fault| fault.within(self.keys.name(place)))?;
                        target.gap(self.rows - target.len())?;
                    }
                }
                Ok(targets)
            }
        }
    }

    /// Returns the finished columns, of any type.
    pub(crate) fn finish(self, context: &Context<'_>) -> Result<(RowKeys, Vec<BlockOrColumn>)> {
        let mut others: Vec<Option<BlockOrColumn>> = self.columns.iter().map(|_| None).collect();
        let mut left: Vec<bool> = self.columns.iter().map(InferredColumn::is_unknown).collect();
        if context.rules.decimals && left.contains(&true) {
            let one = |&other: &bool| {
                if other { SecondPass::Decimals(Decimals::default()) } else { SecondPass::Skip(0) }
            };
            let taken = context.locate(self.second_pass(context, left.iter().map(one).collect()))?;
            for ((slot, left), taken) in others.iter_mut().zip(&mut left).zip(taken) {
                if let SecondPass::Decimals(decimals) = taken
                    && let Some(column) = decimals.finish()?
                {
                    *slot = Some(BlockOrColumn::Column(column));
                    *left = false;
                }
            }
        }
        if left.contains(&true) {
            let one = |&other: &bool| if other { SecondPass::mixed() } else { Ok(SecondPass::Skip(0)) };
            let targets = left.iter().map(one).collect::<Result<_>>()?;
            let taken = context.locate(self.second_pass(context, targets))?;
            for (slot, taken) in others.iter_mut().zip(taken) {
                if let Some(SecondPassColumn::Finished(column)) = taken.finish()? {
                    *slot = Some(column);
                }
            }
        }
        let mut out = Vec::with_capacity(others.len());
        for (column, other) in self.columns.into_iter().zip(others) {
            out.push(match other {
                Some(column) => column,
                None => column.finish()?,
            });
        }
        Ok((self.keys, out))
    }
}
