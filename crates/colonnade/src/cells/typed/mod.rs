//! Cells of any Arrow type, with the type known: written as `docs/formats/msgpack.md` says, and read back.
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

use crate::cells::msgpack::column::{CellError, CellWriter, Cells, Taken};
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

pub(crate) use codes::{Codes, native};
pub use dictionaries::{
    Dictionaries, dictionaries_inside, dictionaries_of, dictionary_types, read_dictionaries,
    write_dictionaries,
};

/// The adapter's tag of a binary column whose cells are MessagePack values.
pub const CELLS_TAG: &str = r#"{"cells":"msgpack"}"#;

/// The same, where extensions in the cells are those that `docs/formats/msgpack.md` lists: tuples, dates, decimals...
pub const MIXED_TAG: &str = r#"{"cells":"msgpack","extensions":1}"#;

/// How values are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether a header has the values of dictionaries: cells are codes then.
    pub header: bool,
    /// For readers of the specification before 2013: no `bin`, no `str 8`, no extensions.
    pub compatible: bool,
}

/// What writes the cells of `data`. `says`: the NumPy dtype that the field's metadata says.
///
/// # Errors
/// Malformed: data that are not what their type says.
pub fn writer(
    field: &Field,
    says: Option<DType>,
    data: &ArrayData,
    style: Style,
) -> Result<Box<dyn CellWriter>> {
    Ok(Box::new(write::Writer::new(field, says, data, style)?))
}

/// Takes the cells of one column whose type is known.
pub trait TypedCells: Cells {
    /// The column of what was taken.
    ///
    /// # Errors
    /// Malformed: cells that make no valid array, which [`Cells::take`] has not refused.
    fn finish(self: Box<Self>) -> Result<ArrayData>;
}

/// What reads the cells of a column of `field`. `tag`: the adapter's; `dictionaries`: those of the header, from which the
/// field's are taken.
///
/// # Errors
/// Malformed: fewer dictionaries than the field has. `LimitExceeded`: a type that nests deeper than allowed.
pub fn reader(
    field: &Field,
    says: Option<DType>,
    tag: Option<&str>,
    options: &ReadOptions,
    dictionaries: &mut Dictionaries,
) -> Result<Box<dyn TypedCells>> {
    // Null is NaT where the field says so: whoever makes a block of it knows.
    let _ = says;
    Ok(Box::new(read::Reader::new(field, tag, options, dictionaries)?))
}

/// Whether an adapter's tag says that the cells are MessagePack values.
#[must_use]
pub fn is_cells(tag: Option<&str>) -> bool {
    let value = tag.and_then(|tag| serde_json::from_str::<serde_json::Value>(tag).ok());
    value.is_some_and(|value| value.get("cells").and_then(|cells| cells.as_str()) == Some("msgpack"))
}

/// The version of our extensions that an adapter's tag says its cells have; `None` where they are anybody's.
#[must_use]
pub fn extensions(tag: Option<&str>) -> Option<u64> {
    let value = serde_json::from_str::<serde_json::Value>(tag?).ok()?;
    value.get("extensions")?.as_u64()
}

/// Whether no two children of a struct have one name: it is a map then, else an array.
fn names_are_unique(fields: &Fields) -> bool {
    let mut seen = HashSet::new();
    fields.iter().all(|field| seen.insert(field.name().as_str()))
}

#[cfg(test)]
mod tests;
