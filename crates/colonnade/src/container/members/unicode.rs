//! Strings in Arrow's layout as NumPy's `<U`: code points of four bytes, padded with zeros.

use arrow_schema::DataType;

use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Column, DType, type_name};
use crate::limits::Limits;

fn refuse(message: String) -> Error {
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
        return Err(refuse(format!(
            "StaticFrame's NPZ cannot hold {name} with {count} nulls. Fill them first, or leave compat out."
        )));
    }
    match column.data.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => cells(column),
        _ => Err(refuse(format!(
            "StaticFrame's NPZ cannot hold {name}. Convert it to a NumPy dtype first, or leave compat out."
        ))),
    }
}

fn cells(column: &Column) -> Result<(DType, Vec<u8>)> {
    let (mut longest, mut values) = (0, Vec::with_capacity(column.len()));
    for i in 0..column.len() {
        let text = column.string(i).unwrap_or("");
        if text.ends_with('\0') {
            return Err(refuse(format!(
                "row {i}: a string that ends in NUL cannot be held by <U. Strip it first."
            )));
        }
        longest = longest.max(if text.is_ascii() { text.len() } else { text.chars().count() });
        values.push(text);
    }
    // NumPy knows no <U0 cells in files that others read.
    let width = longest.max(1);
    let dtype =
        DType::parse(&format!("<U{width}")).ok_or_else(|| refuse(format!("<U{width} is too wide.")))?;
    let total = width.checked_mul(4).and_then(|w| w.checked_mul(values.len()));
    let total = total.ok_or_else(|| refuse("the strings are too long for <U.".into()))?;
    let text: usize = values.iter().map(|v| v.len()).sum();
    // One long string among many short ones would make cells of mostly nothing.
    if total as u64 > Limits::default().decoded_nbytes(text as u64, values.len() as u64) {
        return Err(refuse(format!(
            "{text} bytes of text would be {total} bytes of <U{width}. Shorten the longest string first."
        )));
    }
    let mut out = Vec::new();
    out.try_reserve_exact(total).map_err(|_| refuse(format!("no memory for {total} bytes of <U{width}.")))?;
    out.resize(total, 0u8);
    for (cell, text) in out.chunks_exact_mut(width * 4).zip(values) {
        for (slot, c) in cell.chunks_exact_mut(4).zip(text.chars()) {
            slot.copy_from_slice(&u32::from(c).to_le_bytes());
        }
    }
    Ok((dtype, out))
}
