//! Arrays of buffers that their maker has proven.

use arrow_data::{ArrayData, ArrayDataBuilder};

/// Builds an array without a look at its buffers. Debug builds, and so the tests, validate all of it.
///
/// The caller guarantees what [`ArrayData::validate_full`] checks: every buffer holds as many values as the array has,
/// offsets never fall and end within the values, text is UTF-8 and each offset stands between characters, codes are below
/// the length of their dictionary, and children have the types and lengths that the type says. A comment at each call says
/// where that was established.
pub(crate) fn trusted_array(builder: ArrayDataBuilder) -> ArrayData {
    // SAFETY: the caller guarantees all that `build` would check.
    let data = unsafe { builder.build_unchecked() };
    debug_assert!(data.validate_full().is_ok(), "{:?}", data.validate_full());
    data
}
