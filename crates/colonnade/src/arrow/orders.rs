//! Categories whose order means something: that of all chunks.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::concat::order;
use super::layout::refuse;
use crate::error::Result;
use crate::frame::{Column, Frame, children};

/// Dictionaries that are kept as they came, before they become one: a later one may still bring another order to them.
const APART: usize = 16;

/// The dictionaries of all chunks so far: by the place of their field, and which of its dictionaries.
#[derive(Debug, Default)]
pub(super) struct Orders {
    known: Mutex<HashMap<(usize, usize), Vec<ArrayData>>>,
    /// Whether what was written keeps its codes, so that an order can only grow at its end.
    grow: bool,
}

impl Orders {
    /// Those of a format whose codes mean the same in all chunks.
    pub(super) fn growing() -> Self {
        Self { grow: true, ..Self::default() }
    }

    /// Takes note of those of a chunk.
    ///
    /// # Errors
    /// `Unrepresentable`: two of them stand the other way round than in the chunks before; nothing was noted.
    pub(super) fn admit(&self, chunk: &Frame, name: &dyn Fn(usize) -> String) -> Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut noted = Vec::new();
        // Of a chunk without rows nothing is kept, where codes need not mean the same in all.
        let counts = |column: &Column| self.grow || !column.is_empty();
        for (position, column) in chunk.arrow_columns().filter(|(_, column)| counts(column)) {
            let mut own = Vec::new();
            ordered(&column.data, column.ordered, &mut own);
            for (k, values) in own.into_iter().enumerate() {
                let before = known.get(&(position, k)).map_or(&[][..], Vec::as_slice);
                let all: Vec<&ArrayData> = before.iter().chain([values]).collect();
                let one = order::joined(&all, self.grow).map_err(|e| e.in_member(name(position)))?;
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

/// The values of each dictionary whose order means something, those inside lists and structs too, always in the same order.
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
