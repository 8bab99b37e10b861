//! Builds arrays from buffers that the caller has validated.

use arrow_data::{ArrayData, ArrayDataBuilder};

/// Builds an array without validating its buffers. Debug builds, and so the tests, validate all of it.
///
/// The caller guarantees what [`ArrayData::validate_full`] checks: every buffer holds as many values as the array has,
/// offsets never fall and end within the values, text is UTF-8 and each offset is between characters, codes are below the
/// length of their dictionary, and children have the types and lengths that the type declares. A comment at each call names
/// the reason.
pub(crate) fn trusted_array(builder: ArrayDataBuilder) -> ArrayData {
    // SAFETY: the caller guarantees everything that `build` would check.
    let data = unsafe { builder.build_unchecked() };
    debug_assert!(data.validate_full().is_ok(), "{:?}", data.validate_full());
    data
}
