//! Strings in Arrow's layout as NumPy's `<U`: code points of four bytes, padded with zeros.

use arrow_schema::DataType;

use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Column, DType, type_name};
use crate::limits::Limits;

fn unrepresentable(message: String) -> Error {
    Error::new(ErrorKind::Unrepresentable, "npz", message)
}

/// `column` as `<U` cells.
///
/// # Errors
/// `Unrepresentable`: other types than strings, nulls, and values that end in NUL, which `<U` cannot hold.
pub fn fixed(column: &Column) -> Result<(DType, Vec<u8>)> {
    let name = type_name(column.data.data_type(), column.ordered);
    if column.data.null_count() > 0 {
        let count = column.data.null_count();
        return Err(unrepresentable(format!(
            "StaticFrame's NPZ cannot hold {name} with {count} nulls. Fill them first, or leave compat out."
        )));
    }
    match column.data.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => encode_cells(column),
        _ => Err(unrepresentable(format!(
            "StaticFrame's NPZ cannot hold {name}. Convert it to a NumPy dtype first, or leave compat out."
        ))),
    }
}

fn encode_cells(column: &Column) -> Result<(DType, Vec<u8>)> {
    let (mut longest, mut values) = (0, Vec::with_capacity(column.len()));
    for i in 0..column.len() {
        let text = column.string(i).unwrap_or("");
        if text.ends_with('\0') {
            return Err(unrepresentable(format!(
                "row {i}: a string that ends in NUL cannot be held by <U. Strip it first."
            )));
        }
        longest = longest.max(if text.is_ascii() { text.len() } else { text.chars().count() });
        values.push(text);
    }
    // NPY readers other than NumPy may reject `<U0`.
    let width = longest.max(1);
    let dtype = DType::parse(&format!("<U{width}"))
        .ok_or_else(|| unrepresentable(format!("<U{width} is too wide.")))?;
    let total = width.checked_mul(4).and_then(|w| w.checked_mul(values.len()));
    let total = total.ok_or_else(|| unrepresentable("the strings are too long for <U.".into()))?;
    let text: usize = values.iter().map(|v| v.len()).sum();
    // One long string among many short ones would pad every cell to its width.
    if total as u64 > Limits::default().decoded_nbytes(text as u64, values.len() as u64) {
        return Err(unrepresentable(format!(
            "{text} bytes of text would be {total} bytes of <U{width}. Shorten the longest string first."
        )));
    }
    let mut out = Vec::new();
    out.try_reserve_exact(total)
        .map_err(|_| unrepresentable(format!("no memory for {total} bytes of <U{width}.")))?;
    out.resize(total, 0u8);
    for (cell, text) in out.chunks_exact_mut(width * 4).zip(values) {
        for (slot, c) in cell.chunks_exact_mut(4).zip(text.chars()) {
            slot.copy_from_slice(&u32::from(c).to_le_bytes());
        }
    }
    Ok((dtype, out))
}
