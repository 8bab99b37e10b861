//! Converts cells of a known Arrow type to MessagePack as specified in `docs/formats/msgpack.md`, and back.
//!
//! | Arrow | MessagePack |
//! |---|---|
//! | integers, times of day, durations, months | int, smallest form |
//! | floats | `float 32` (halves too), `float 64`, by their bits |
//! | text; binary | str; bin |
//! | timestamps, dates | extension -1, smallest form |
//! | decimals | str of the exact number |
//! | dictionaries | the code; the value where there is no header |
//! | lists; structs; maps | array; map of names (array where a name repeats); map |
//! | unions; day-time and month-day-nano intervals | `[type id, value]`; array of the parts |
//! | run-end encoded | the value |
//!
//! Null is nil.

use std::collections::HashSet;
use std::ops::Range;

use arrow_data::ArrayData;
use arrow_schema::{Field, Fields};

use crate::cells::msgpack::column::{CellError, CellExtent, CellReader, CellWriter};
use crate::cells::msgpack::options::ReadOptions;
use crate::error::Result;
use crate::frame::DType;

mod allowance;
mod codes;
mod decimal;
mod dictionaries;
pub(crate) mod half;
mod out;
mod read;
mod write;

pub(crate) use codes::{IntegerCodes, native};
pub use dictionaries::{
    HeaderDictionaries, dictionaries_inside, dictionaries_of, dictionary_types, read_dictionaries,
    write_dictionaries,
};
pub(crate) use read::NO_NULLS;

/// The adapter's tag of a binary column whose cells are MessagePack values.
pub const CELLS_TAG: &str = r#"{"cells":"msgpack"}"#;

/// The tag of cells whose extensions are those of `docs/formats/msgpack.md`: tuples, dates, decimals and others.
pub const MIXED_TAG: &str = r#"{"cells":"msgpack","extensions":1}"#;

/// How values are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MsgpackStyle {
    /// Whether a header has the values of dictionaries; cells are codes then.
    pub header: bool,
    /// Whether to write for readers of the specification before 2013: no `bin`, no `str 8`, no extensions.
    pub compatible: bool,
}

/// Creates the writer of the cells of `data`. `numpy_dtype`: the NumPy dtype in the field's metadata.
///
/// # Errors
/// Malformed: data that violate their type.
pub fn writer(
    field: &Field,
    numpy_dtype: Option<DType>,
    data: &ArrayData,
    style: MsgpackStyle,
) -> Result<Box<dyn CellWriter>> {
    Ok(Box::new(write::TypedWriter::new(field, numpy_dtype, data, style)?))
}

/// Reads the cells of one column with a known type.
pub trait TypedCells: CellReader {
    /// Returns the column of the cells.
    ///
    /// # Errors
    /// Malformed: cells that [`CellReader::take`] accepted but that form no valid array.
    fn finish(self: Box<Self>) -> Result<ArrayData>;
}

/// Creates the reader of a column of `field`. `tag`: the adapter's tag; `dictionaries`: those of the header, from which the
/// reader takes the field's.
///
/// # Errors
/// Malformed: fewer dictionaries than the field has. `LimitExceeded`: a type that nests deeper than allowed.
pub fn reader(
    field: &Field,
    numpy_dtype: Option<DType>,
    tag: Option<&str>,
    options: &ReadOptions,
    dictionaries: &mut HeaderDictionaries,
) -> Result<Box<dyn TypedCells>> {
    // If the field says so, null is NaT; the code that builds the block handles it.
    let _ = numpy_dtype;
    Ok(Box::new(read::TypedReader::new(field, tag, options, dictionaries)?))
}

/// Whether an adapter's tag says that the cells are MessagePack values.
#[must_use]
pub fn is_cells(tag: Option<&str>) -> bool {
    let value = tag.and_then(|tag| serde_json::from_str::<serde_json::Value>(tag).ok());
    value.is_some_and(|value| value.get("cells").and_then(|cells| cells.as_str()) == Some("msgpack"))
}

/// Returns the version of Colonnade's extensions that an adapter's tag declares for its cells; `None` for other
/// MessagePack.
#[must_use]
pub fn extensions(tag: Option<&str>) -> Option<u64> {
    let value = serde_json::from_str::<serde_json::Value>(tag?).ok()?;
    value.get("extensions")?.as_u64()
}

/// Whether the children of a struct have unique names. The struct is then a map, else an array.
fn names_are_unique(fields: &Fields) -> bool {
    let mut seen = HashSet::new();
    fields.iter().all(|field| seen.insert(field.name().as_str()))
}

#[cfg(test)]
mod tests;
