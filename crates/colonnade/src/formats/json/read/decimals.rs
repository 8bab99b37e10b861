//! Reads integers beyond 64 bits as decimals.

use arrow_array::{Array as _, Decimal128Array, Decimal256Array};
use arrow_buffer::i256;

use crate::Result;
use crate::error::Error;
use crate::frame::Column;

/// The numbers of digits that always fit 128 and 256 bits.
const MOST_128: usize = 38;
const MOST_256: usize = 76;

/// A column of integers of any size. Any other cell makes it unusable.
#[derive(Debug, Default)]
pub(crate) struct Decimals {
    cells: Vec<Option<i256>>,
    digits: usize,
    is_other: bool,
}

impl Decimals {
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn nulls(&mut self, n: usize) {
        self.cells.resize(self.cells.len() + n, None);
    }

    /// Takes a cell other than an integer.
    pub(crate) fn other(&mut self) {
        self.is_other = true;
        self.cells.push(None);
    }

    /// Takes an integer's sign and digits.
    pub(crate) fn push(&mut self, text: &str) -> std::result::Result<(), String> {
        let digits = text.trim_start_matches('-').len();
        let value = i256::from_string(text).filter(|_| digits <= MOST_256);
        self.digits = self.digits.max(digits);
        self.cells.push(Some(value.ok_or_else(|| {
            format!(
                "expected an integer of at most {MOST_256} digits, found one of {digits}. Write it as text."
            )
        })?));
        Ok(())
    }

    /// Returns the column, in 128 bits if they suffice; `None` if a cell was no integer.
    pub(crate) fn finish(self) -> Result<Option<Column>> {
        if self.is_other {
            return Ok(None);
        }
        let wrong =
            |e: arrow_schema::ArrowError| Error::malformed("json", format!("Arrow refused decimals: {e}."));
        let data = if self.digits <= MOST_128 {
            let cells: Decimal128Array =
                self.cells.into_iter().map(|cell| cell.and_then(i256::to_i128)).collect();
            cells.with_precision_and_scale(38, 0).map_err(wrong)?.into_data()
        } else {
            let cells: Decimal256Array = self.cells.into_iter().collect();
            cells.with_precision_and_scale(76, 0).map_err(wrong)?.into_data()
        };
        Ok(Some(Column::new(data)))
    }
}
