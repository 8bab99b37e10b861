//! The cells of an array of text, whatever its layout.

use arrow_array::{LargeStringArray, StringArray, StringViewArray};
use arrow_data::ArrayData;
use arrow_schema::DataType;

/// Passes the cells of `data` to `work`, and returns its result; `None` if `data` is not text.
pub(crate) fn with_strings<R>(
    data: &ArrayData,
    work: impl FnOnce(&mut dyn Iterator<Item = Option<&str>>) -> R,
) -> Option<R> {
    Some(match data.data_type() {
        DataType::Utf8 => work(&mut StringArray::from(data.clone()).iter()),
        DataType::LargeUtf8 => work(&mut LargeStringArray::from(data.clone()).iter()),
        DataType::Utf8View => work(&mut StringViewArray::from(data.clone()).iter()),
        _ => return None,
    })
}
