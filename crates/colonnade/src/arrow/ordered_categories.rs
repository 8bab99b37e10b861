//! Checks that the ordered categories of all chunks agree.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::concat::order;
use super::layout::unrepresentable;
use crate::error::Result;
use crate::frame::{Column, Frame, children};

/// The number of dictionaries that are kept before they are merged, because a later one may bring another order.
const MAX_UNMERGED: usize = 16;

/// The dictionaries of all chunks so far, by field and position within the field.
#[derive(Debug, Default)]
pub(super) struct CategoryOrders {
    dictionaries: Mutex<HashMap<(usize, usize), Vec<ArrayData>>>,
    /// Whether written codes are final, so that values can only be appended.
    append_only: bool,
}

impl CategoryOrders {
    /// The orders for a format whose codes mean the same in all chunks.
    pub(super) fn append_only() -> Self {
        Self { append_only: true, ..Self::default() }
    }

    /// Adds the dictionaries of a chunk.
    ///
    /// # Errors
    /// `Unrepresentable`: two values have the opposite order in earlier chunks; nothing was added.
    pub(super) fn admit(&self, chunk: &Frame, name: &dyn Fn(usize) -> String) -> Result<()> {
        let mut dictionaries = self.dictionaries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut updates = Vec::new();
        // A chunk without rows contributes nothing, unless codes must mean the same in all chunks.
        let counts = |column: &Column| self.append_only || !column.is_empty();
        for (position, column) in chunk.arrow_columns().filter(|(_, column)| counts(column)) {
            let mut found = Vec::new();
            collect_ordered(&column.data, column.ordered, &mut found);
            for (k, values) in found.into_iter().enumerate() {
                let before = dictionaries.get(&(position, k)).map_or(&[][..], Vec::as_slice);
                let all: Vec<&ArrayData> = before.iter().chain([values]).collect();
                let merged =
                    order::merged_values(&all, self.append_only).map_err(|e| e.in_member(name(position)))?;
                let merged = merged.map_err(|message| {
                    let advice = "Give all chunks the same categories, or no order.";
                    unrepresentable(format!("{message} {advice}")).in_member(name(position))
                })?;
                let is_merged = self.append_only
                    || before.len() == MAX_UNMERGED
                    || all.iter().any(|d| d.len() == merged.len());
                let all = if is_merged { vec![merged] } else { all.into_iter().cloned().collect() };
                updates.push(((position, k), all));
            }
        }
        dictionaries.extend(updates);
        Ok(())
    }
}

/// Collects the values of each ordered dictionary, including those inside lists and structs, always in the same order.
pub(super) fn collect_ordered<'d>(data: &'d ArrayData, is_ordered: bool, out: &mut Vec<&'d ArrayData>) {
    match data.data_type() {
        DataType::Dictionary(..) if is_ordered => out.extend(data.child_data().first()),
        DataType::Union(..) | DataType::RunEndEncoded(..) => {}
        other => {
            for (field, child) in children(other).into_iter().zip(data.child_data()) {
                collect_ordered(child, field.dict_is_ordered().unwrap_or(false), out);
            }
        }
    }
}
