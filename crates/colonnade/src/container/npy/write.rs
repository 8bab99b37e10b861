//! Writes headers in StaticFrame's and NumPy's spelling, byte for byte.

use std::fmt::Write as _;

use super::MAGIC;
use super::descr::{Descr, DescrField};
use crate::frame::dtype::DType;

/// Both writers pad the data to this boundary.
const ALIGNMENT: usize = 64;

/// Digits for which NumPy leaves space, so that a growing array can rewrite its header in place.
const GROWTH_DIGITS: usize = 21;

/// Appends the header that StaticFrame writes: NPY 1.0, double quotes, keys in the order its reader needs.
///
/// `fortran_order` is spelled True wherever both orders are the same bytes (1-D, empty, one row, one column), as
/// StaticFrame does.
pub fn write_header(out: &mut Vec<u8>, dtype: &DType, fortran_order: bool, shape: &[usize]) {
    let order = if fortran_order || order_free(shape) { "True" } else { "False" };
    let text = format!(r#"{{"descr":"{}","fortran_order":{order},"shape":{}}}"#, dtype.descr(), tuple(shape));
    // 64 dimensions of 20 digits are far below the 65,535 bytes of version 1.0.
    wrap(out, text.as_bytes(), 1);
}

/// Appends the header that `np.save` writes, in the oldest version that holds it.
pub fn write_numpy_header(out: &mut Vec<u8>, descr: &Descr, fortran_order: bool, shape: &[usize]) {
    let fortran_order = fortran_order && !order_free(shape);
    let order = if fortran_order { "True" } else { "False" };
    let mut text = format!(
        "{{'descr': {}, 'fortran_order': {order}, 'shape': {}, }}",
        descr_literal(descr),
        tuple(shape)
    );
    let axis = if fortran_order { shape.last() } else { shape.first() };
    if let Some(length) = axis {
        let room = GROWTH_DIGITS.saturating_sub(length.to_string().len());
        text.extend(std::iter::repeat_n(' ', room));
    }
    let latin1: Option<Vec<u8>> = text.chars().map(|character| u8::try_from(character).ok()).collect();
    match latin1 {
        Some(bytes) if bytes.len() + ALIGNMENT < usize::from(u16::MAX) => wrap(out, &bytes, 1),
        Some(bytes) => wrap(out, &bytes, 2),
        None => wrap(out, text.as_bytes(), 3),
    }
}

/// Whether row-major and column-major order give the same bytes.
fn order_free(shape: &[usize]) -> bool {
    shape.contains(&0) || shape.iter().filter(|&&length| length != 1).count() < 2
}

/// Python's repr of a tuple of integers.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [length] => format!("({length},)"),
        lengths => {
            let parts: Vec<String> = lengths.iter().map(usize::to_string).collect();
            format!("({})", parts.join(", "))
        }
    }
}

/// Magic, version, length, text, 1 to 64 spaces, newline; NumPy and StaticFrame both pad a full 64 where 0 would do.
fn wrap(out: &mut Vec<u8>, text: &[u8], version: u8) {
    let prefix = if version == 1 { 10 } else { 12 };
    let bare = text.len() + 1;
    let padding = ALIGNMENT - (prefix + bare) % ALIGNMENT;
    let length = bare + padding;
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[version, 0]);
    let length = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    out.extend_from_slice(if version == 1 { &length[..2] } else { &length });
    out.extend_from_slice(text);
    out.resize(out.len() + padding, b' ');
    out.push(b'\n');
}

fn descr_literal(descr: &Descr) -> String {
    match descr {
        Descr::Scalar(dtype) => format!("'{}'", dtype.descr()),
        Descr::Struct(fields) => {
            let parts: Vec<String> = fields.iter().map(field_literal).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

fn field_literal(field: &DescrField) -> String {
    let name = match &field.title {
        Some(title) => format!("({}, {})", repr(title), repr(&field.name)),
        None => repr(&field.name),
    };
    let descr = descr_literal(&field.descr);
    if field.shape.is_empty() {
        format!("({name}, {descr})")
    } else {
        format!("({name}, {descr}, {})", tuple(&field.shape))
    }
}

/// Python's repr of a str; control characters are escaped, all others are unchanged.
fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if character == quote => {
                out.push('\\');
                out.push(character);
            }
            '\0'..='\x1f' | '\x7f'..='\u{a0}' | '\u{ad}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\x{:02x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push(quote);
    out
}
