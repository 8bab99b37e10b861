//! The scanned columns, and the positions of their cells for a second pass.

use crate::error::Result;
use crate::infer::columns::{Finished, Inferred};

use super::cells;
use super::context::Context;
use super::decimals::Decimals;
use super::keys::Keys;
use super::rows::{Source, scan_rows};
use super::second_pass::{SecondPass, Taken};
use super::target::Target;
use super::walk::Walk;
use crate::cells::json::fault::Scanned;
use crate::cells::json::scan::Scan;

/// The position of the cells.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Row by row.
    Rows(Source),
    /// Column by column: the start of each column's array or object, and the number of arrays and objects around it.
    Columns(Vec<usize>, u64),
}

/// The scanned columns.
#[derive(Debug)]
pub(crate) struct Table {
    /// Names of the columns; empty if columns have positions only.
    pub(crate) keys: Keys,
    pub(crate) columns: Vec<Inferred>,
    pub(crate) rows: usize,
    /// The row labels, if they are keys.
    pub(crate) labels: Option<Keys>,
    /// Number of missing cells.
    pub(crate) missing: u64,
    pub(crate) body: Body,
}

impl Table {
    /// Passes every column's cells to its entry in `targets`.
    pub(crate) fn second_pass(
        &self,
        context: &Context<'_>,
        mut targets: Vec<SecondPass>,
    ) -> Scanned<Vec<SecondPass>> {
        let rules = &context.rules;
        match &self.body {
            Body::Rows(source) => {
                let mut walk = Walk::new(self.keys.clone(), targets);
                walk.labels = self.labels.as_ref().map(|_| Keys::default());
                let all = (source.start, usize::MAX);
                let input = (context.bytes, source);
                let (end, _) = scan_rows(input, all, &mut walk, rules, |_| SecondPass::Skip(0))?;
                walk.fill(end, rules)?;
                Ok(walk.columns)
            }
            Body::Columns(starts, depth) => {
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
    pub(crate) fn finish(self, context: &Context<'_>) -> Result<(Keys, Vec<Finished>)> {
        let mut others: Vec<Option<Finished>> = self.columns.iter().map(|_| None).collect();
        let mut left: Vec<bool> = self.columns.iter().map(Inferred::is_unknown).collect();
        if context.rules.decimals && left.contains(&true) {
            let one = |&other: &bool| {
                if other { SecondPass::Decimals(Decimals::default()) } else { SecondPass::Skip(0) }
            };
            let taken = context.scanned(self.second_pass(context, left.iter().map(one).collect()))?;
            for ((slot, left), taken) in others.iter_mut().zip(&mut left).zip(taken) {
                if let SecondPass::Decimals(decimals) = taken
                    && let Some(column) = decimals.finish()?
                {
                    *slot = Some(Finished::Column(column));
                    *left = false;
                }
            }
        }
        if left.contains(&true) {
            let one = |&other: &bool| if other { SecondPass::mixed() } else { Ok(SecondPass::Skip(0)) };
            let targets = left.iter().map(one).collect::<Result<_>>()?;
            let taken = context.scanned(self.second_pass(context, targets))?;
            for (slot, taken) in others.iter_mut().zip(taken) {
                if let Some(Taken::Finished(column)) = taken.finish()? {
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
