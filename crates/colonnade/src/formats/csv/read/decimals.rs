//! Converts integers of any size to decimals.

use arrow_buffer::{NullBuffer, i256};
use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use super::FORMAT;
use super::number::integer_digits;
use super::rules::DialectRules;
use crate::error::{Error, Result};
use crate::frame::Column;

/// Most digits of a decimal of 128 bits, and of one of 256 bits.
const SMALL: usize = 38;
pub(super) const LARGE: usize = 76;

/// Converts a text column to decimals without a fraction. Returns the column and its number of digits, which is `digits` if given.
/// `None` if a text is not an integer, or has more digits.
pub(super) fn decimals_of(
    texts: &Column,
    rules: &DialectRules,
    digits: Option<usize>,
) -> Result<Option<(Column, usize)>> {
    let rows = texts.len();
    let mut values: Vec<Option<i256>> = Vec::with_capacity(rows);
    let mut most = 0;
    for row in 0..rows {
        // Quoted empty text is null in a column of numbers.
        let text =
            if texts.data.is_null(row) { None } else { texts.string(row).filter(|text| !text.is_empty()) };
        let Some(text) = text else {
            values.push(None);
            continue;
        };
        let plain = rules.plain_number(text.as_bytes());
        let Some(found) = integer_digits(&plain).filter(|found| *found <= digits.unwrap_or(LARGE)) else {
            return Ok(None);
        };
        let plain = plain.strip_prefix(b"+").unwrap_or(&plain);
        let Some(value) = std::str::from_utf8(plain).ok().and_then(i256::from_string) else {
            return Ok(None);
        };
        most = most.max(found);
        values.push(Some(value));
    }
    let width = digits.unwrap_or(if most <= SMALL { SMALL } else { LARGE });
    let numbers = values.iter().map(|value| value.unwrap_or(i256::ZERO));
    let (data_type, bytes): (DataType, Vec<u8>) = if width <= SMALL {
        (DataType::Decimal128(38, 0), numbers.flat_map(|value| value.as_i128().to_le_bytes()).collect())
    } else {
        (DataType::Decimal256(76, 0), numbers.flat_map(i256::to_le_bytes).collect())
    };
    let nulls: NullBuffer = values.iter().map(Option::is_some).collect::<Vec<bool>>().into();
    let nulls = (nulls.null_count() > 0).then_some(nulls);
    let builder = ArrayDataBuilder::new(data_type).len(rows).nulls(nulls);
    let data =
        builder.add_buffer(crate::memory::Buffer::from_vec(bytes).to_arrow()).align_buffers(true).build();
    let data = data.map_err(|e| Error::malformed(FORMAT, format!("Arrow refused a column: {e}.")))?;
    Ok(Some((Column::new(data), width)))
}
