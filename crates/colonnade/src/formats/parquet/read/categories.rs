//! Text columns that the caller requests as categoricals.

use arrow_schema::{DataType, Field};

use crate::error::{Error, Result};

use super::schema::{RootColumn, RootKind};

/// Changes the type of the text columns `names` to a dictionary.
///
/// # Errors
/// `InvalidOption`: a column that is no text.
pub(super) fn make_categorical(names: &[String], fields: &mut [Field], roots: &[RootColumn]) -> Result<()> {
    for (field, root) in fields.iter_mut().zip(roots) {
        if !names.contains(field.name()) || matches!(field.data_type(), DataType::Dictionary(..)) {
            continue;
        }
        let text = matches!(
            field.data_type(),
            DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
                | DataType::Binary
                | DataType::LargeBinary
        );
        if !text || !matches!(root.kind, RootKind::Flat(_)) {
            let (name, found) = (field.name(), field.data_type());
            let message = format!("categories: expected columns of text, found column {name:?} of {found}.");
            return Err(Error::invalid_option("parquet", message));
        }
        let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(field.data_type().clone()));
        // The field keeps no metadata: the writer's metadata describe a text column.
        *field = Field::new(field.name(), data_type, field.is_nullable());
    }
    Ok(())
}
