//! Checks that the ordered categories of all chunks agree.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::concat::order;
use super::layout::refuse;
use crate::error::Result;
use crate::frame::{Column, Frame, children};

/// The number of dictionaries that are kept before they are merged, because a later one may bring another order.
const APART: usize = 16;

/// The dictionaries of all chunks so far, by field and position within the field.
#[derive(Debug, Default)]
pub(super) struct CategoryOrders {
    known: Mutex<HashMap<(usize, usize), Vec<ArrayData>>>,
    /// Whether written codes are final, so that values can only be appended.
    grow: bool,
}

impl CategoryOrders {
    /// The orders for a format whose codes mean the same in all chunks.
    pub(super) fn growing() -> Self {
        Self { grow: true, ..Self::default() }
    }

    /// Adds the dictionaries of a chunk.
    ///
    /// # Errors
    /// `Unrepresentable`: two values have the opposite order in earlier chunks; nothing was added.
    pub(super) fn admit(&self, chunk: &Frame, name: &dyn Fn(usize) -> String) -> Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut noted = Vec::new();
        // A chunk without rows contributes nothing, unless codes must mean the same in all chunks.
        let counts = |column: &Column| self.grow || !column.is_empty();
        for (position, column) in chunk.arrow_columns().filter(|(_, column)| counts(column)) {
            let mut own = Vec::new();
            ordered(&column.data, column.ordered, &mut own);
            for (k, values) in own.into_iter().enumerate() {
                let before = known.get(&(position, k)).map_or(&[][..], Vec::as_slice);
                let all: Vec<&ArrayData> = before.iter().chain([values]).collect();
                let one = order::merged_values(&all, self.grow).map_err(|e| e.in_member(name(position)))?;
                let one = one.map_err(|wrong| {
                    let advice = "Give all chunks the same categories, or no order.";
                    refuse(format!("{wrong} {advice}")).in_member(name(position))
                })?;
                let is_one = self.grow || before.len() == APART || all.iter().any(|d| d.len() == one.len());
                let all = if is_one { vec![one] } else { all.into_iter().cloned().collect() };
                noted.push(((position, k), all));
            }
        }
        known.extend(noted);
        Ok(())
    }
}

/// Collects the values of each ordered dictionary, including those inside lists and structs, always in the same order.
pub(super) fn ordered<'d>(data: &'d ArrayData, is_ordered: bool, out: &mut Vec<&'d ArrayData>) {
    match data.data_type() {
        DataType::Dictionary(..) if is_ordered => out.extend(data.child_data().first()),
        DataType::Union(..) | DataType::RunEndEncoded(..) => {}
        other => {
            for (field, child) in children(other).into_iter().zip(data.child_data()) {
                ordered(child, field.dict_is_ordered().unwrap_or(false), out);
            }
        }
    }
}
