//! Text as arrays.

use super::*;

pub(super) fn reader(
    field: &Field,
    _says: Option<DType>,
    _tag: Option<&str>,
    style: Style,
    _dictionaries: &mut Dictionaries,
    _limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    Err(Error::unsupported(style.format, format!("no text of {} yet.", field.data_type())))
}
