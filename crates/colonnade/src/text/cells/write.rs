//! Arrays as text.

use super::*;

pub(super) fn writer<'a>(
    field: &Field,
    _says: Option<DType>,
    _data: &'a ArrayData,
    style: Style,
) -> Result<Box<dyn TextWriter + 'a>> {
    Err(Error::unsupported(style.format, format!("no text of {} yet.", field.data_type())))
}
