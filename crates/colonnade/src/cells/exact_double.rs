//! Integers that a double holds exactly.

/// Returns the bits of the double that equals an integer, or `None`.
pub(crate) fn double_from_int(value: i128) -> Option<u64> {
    // The conversion rounds to the nearest double, which is exact where converting back gives the integer.
    #[allow(clippy::cast_precision_loss)]
    let near = value as f64;
    (int_from_double(near) == Some(value)).then(|| near.to_bits())
}

/// Returns the integer that equals a double, or `None`.
pub(crate) fn int_from_double(value: f64) -> Option<i128> {
    let inside = value.trunc() == value && value.abs() < 1e30;
    #[allow(clippy::cast_possible_truncation)]
    inside.then_some(value as i128)
}
