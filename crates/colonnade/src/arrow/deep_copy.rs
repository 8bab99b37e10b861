//! Deep copies of arrays, which share no memory with their source.

use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType};

use super::trusted::trusted_array;
use crate::error::{Error, Result};
use crate::frame::{children, has_validity};

/// Copies an array, including its dictionaries. Text views still share the bytes that they refer to, which no library
/// changes.
///
/// # Errors
/// Malformed: the type cannot be copied.
pub(crate) fn deep_copy(data: &ArrayData) -> Result<ArrayData> {
    let failed = |e: ArrowError| Error::malformed("frame", format!("it cannot be copied: {e}."));
    let mut copy = MutableArrayData::try_new(vec![data], has_validity(data), data.len()).map_err(failed)?;
    copy.try_extend(0, 0, data.len()).map_err(failed)?;
    copy_dictionaries(copy.freeze())
}

/// Copies the values of dictionaries, the only part that is still shared.
fn copy_dictionaries(data: ArrayData) -> Result<ArrayData> {
    if !has_dictionary(data.data_type()) {
        return Ok(data);
    }
    let is_dictionary = matches!(data.data_type(), DataType::Dictionary(..));
    let copies = data.child_data().iter().map(|child| match is_dictionary {
        true => deep_copy(child),
        false => copy_dictionaries(child.clone()),
    });
    let copies: Vec<ArrayData> = copies.collect::<Result<_>>()?;
    // Trusted: the same array, with copies of the values of its children.
    Ok(trusted_array(data.into_builder().child_data(copies)))
}

fn has_dictionary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(..))
        || children(data_type).iter().any(|field| has_dictionary(field.data_type()))
}
