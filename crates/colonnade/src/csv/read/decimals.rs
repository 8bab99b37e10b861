//! Whole numbers of any size, as decimals.

use arrow_buffer::i256;
use arrow_data::ArrayDataBuilder;
use arrow_schema::DataType;

use super::FORMAT;
use crate::error::{Error, Result};
use crate::frame::Column;

/// Digits that 128 and 256 bits hold.
const SMALL: usize = 38;
const LARGE: usize = 76;

/// A column of texts, all of them whole numbers, as decimals without a fraction.
pub(super) fn of(texts: &Column) -> Result<Column> {
    let rows = texts.len();
    let text = |row: usize| if texts.data.is_null(row) { None } else { texts.string(row).map(str::trim) };
    let digits = |text: &str| text.trim_start_matches(['-', '+']).trim_start_matches('0').len();
    let most = (0..rows).filter_map(text).map(digits).max().unwrap_or(0);
    if most > LARGE {
        let message = format!(
            "expected whole numbers of at most {LARGE} digits, found one of {most}. Read them with big_ints=\"text\"."
        );
        return Err(Error::unsupported(FORMAT, message));
    }
    let parsed =
        |row: usize| text(row).map_or(Some(i256::ZERO), |t| i256::from_string(t.trim_start_matches('+')));
    let wrong = || Error::malformed(FORMAT, "expected whole numbers.");
    let values: Vec<i256> = (0..rows).map(parsed).collect::<Option<_>>().ok_or_else(wrong)?;
    let (data_type, bytes): (DataType, Vec<u8>) = if most <= SMALL {
        let small =
            values.iter().map(|value| value.to_i128()).collect::<Option<Vec<i128>>>().ok_or_else(wrong)?;
        (DataType::Decimal128(38, 0), small.into_iter().flat_map(i128::to_le_bytes).collect())
    } else {
        (DataType::Decimal256(76, 0), values.into_iter().flat_map(i256::to_le_bytes).collect())
    };
    let builder = ArrayDataBuilder::new(data_type).len(rows).nulls(texts.data.nulls().cloned());
    let data =
        builder.add_buffer(crate::memory::Buffer::from_vec(bytes).to_arrow()).align_buffers(true).build();
    Ok(Column::new(data.map_err(|e| Error::malformed(FORMAT, format!("Arrow refused a column: {e}.")))?))
}
