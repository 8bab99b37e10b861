//! One cell as text and back, of any Arrow type, exactly.
//!
//! | Arrow | JSON and YAML | CSV |
//! |---|---|---|
//! | bool, integers, durations, months | literal | the same |
//! | floats | shortest form; `"NaN"`, `"Infinity"`, `"-Infinity"`, `"NaN(0x7ff8000000000001)"` (YAML: `.nan`, `.inf`) | `nan`, `inf`, `-inf`, `nan(0x...)` |
//! | text | text | text |
//! | binary of any kind | base64 | base64 |
//! | timestamps, dates, times of day | ISO 8601; a count where ISO has no word for it | the same |
//! | decimals | text of the exact number | the same |
//! | dictionaries | the value; the code where two categories are spelled alike, and inside other types | the same |
//! | complex (two floats) | `[re, im]` | `(1.0+2.0j)` |
//! | intervals of pandas (a struct of left and right, and a tag) | object | the JSON of the object, behind a schema |
//! | lists; structs; maps; unions | array; object, or array where names repeat; object, or array of pairs; `[id, value]` | refused |
//! | intervals of days | array of the parts | the same text |
//! | run-end encoded | the value | the value |
//! | cells of several kinds | themselves where JSON has them, else `{"__colonnade__": base64 of MessagePack}` | refused |
//!
//! Null is null; in CSV what [`TextWriter::is_null`] tells.

mod decode;
mod dictionary;
mod encode;
mod floats;
mod json;
mod mixed;
mod nested;
mod read;
pub mod strings;
pub mod times;
mod write;

use arrow_data::ArrayData;
use arrow_schema::Field;

use crate::cells::msgpack::column::CellError;
use crate::cells::typed::Dictionaries;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::DType;
use crate::limits::Limits;

use crate::cells::place::Place;

/// The syntax that cells stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// A whole JSON value.
    Json,
    /// The text of a field, not yet quoted.
    Csv,
    /// A whole YAML flow value, on one line.
    Yaml,
}

/// What becomes of NaN and infinities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nonfinite {
    /// A text that comes back as the same bits.
    Tagged,
    /// Null.
    Null,
    /// `NaN`, `Infinity`, `-Infinity`, which JSON has not.
    Literal,
    /// An error.
    Error,
}

/// How cells are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The format's name in errors.
    pub format: &'static str,
    /// Where cells stand.
    pub syntax: Syntax,
    /// Infinities and NaN.
    pub nonfinite: Nonfinite,
    /// Whether a header has the types and categories; without it cells are for readers that know neither.
    pub header: bool,
    /// Reading: types were inferred from cells before these. A float then takes no integer that it would round.
    pub inferred: bool,
}

impl Style {
    /// JSON whose header has the types.
    #[must_use]
    pub const fn json(format: &'static str) -> Self {
        Self { format, syntax: Syntax::Json, nonfinite: Nonfinite::Tagged, header: true, inferred: false }
    }

    /// JSON without a header.
    #[must_use]
    pub const fn plain_json(format: &'static str, nonfinite: Nonfinite) -> Self {
        Self { format, syntax: Syntax::Json, nonfinite, header: false, inferred: false }
    }

    /// CSV. `header`: whether a sidecar or a first line has the types.
    #[must_use]
    pub const fn csv(header: bool) -> Self {
        Self { format: "csv", syntax: Syntax::Csv, nonfinite: Nonfinite::Tagged, header, inferred: false }
    }

    /// YAML.
    #[must_use]
    pub const fn yaml(header: bool) -> Self {
        Self { format: "yaml", syntax: Syntax::Yaml, nonfinite: Nonfinite::Tagged, header, inferred: false }
    }

    /// The same, of cells whose types were inferred from others.
    #[must_use]
    pub const fn of_inferred(self) -> Self {
        Self { inferred: true, ..self }
    }
}

/// Writes the cells of one column.
pub trait TextWriter: Send + Sync {
    /// Appends the cell of `row`: a whole value (`null` too), or in CSV the text of a field, empty where it is null.
    ///
    /// # Errors
    /// `Unrepresentable`, without place: a value that the format cannot hold.
    fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()>;

    /// Whether the cell is null (NumPy's NaT too).
    fn is_null(&self, row: usize) -> bool;

    /// CSV: whether no cell holds a comma, a quote, a line's end or white space at its ends, so that none need be quoted.
    fn is_plain(&self) -> bool {
        false
    }
}

/// The float of a text as CSV spells it behind a schema, what is not finite among them.
pub(crate) fn float(text: &str) -> Option<f64> {
    floats::number(text).ok()
}

/// What writes the cells of `data`. `says`: the NumPy dtype that the field's metadata says.
///
/// # Errors
/// Malformed: data that are not what their type says. `Unrepresentable`: a type that the format cannot hold.
pub fn writer<'a>(
    field: &Field,
    says: Option<DType>,
    data: &'a ArrayData,
    style: Style,
) -> Result<Box<dyn TextWriter + 'a>> {
    write::writer(field, says, data, style)
}

/// Refuses a column whose type no cell of the format can hold, whatever stands in it.
///
/// # Errors
/// `Unrepresentable`, without place.
pub fn check(field: &Field, says: Option<DType>, style: Style) -> Result<()> {
    nested::check_field(field, says, style)
}

/// A cell as the format's own tokens have it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Null; in CSV a field that counts as null.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// The text of a number; `NaN`, `Infinity`, `.inf` and so on too, where the format was told to take them.
    Number(&'a str),
    /// Text without its quotes and escapes. In CSV every cell that is not null: types that are no text read it.
    Str(&'a str),
    /// A JSON array or object, known to be valid.
    Raw(&'a str),
}

/// What is wrong with a cell; whoever pushed it knows where it stands.
#[derive(Debug)]
pub struct CellFault {
    /// Which kind of error it is.
    pub kind: ErrorKind,
    /// Where inside the cell, in JSONPath: `.x[3]`; empty for the cell itself.
    pub path: String,
    /// Expected, found, next step.
    pub message: String,
}

impl CellFault {
    /// Malformed.
    #[must_use]
    #[cold]
    pub fn malformed(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Malformed, path: String::new(), message: message.into() }
    }

    /// The same, inside the part `step` of the cell (`.x`, `[3]`).
    #[must_use]
    pub fn inside(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    /// The error: `member` is the column's name or path.
    #[must_use]
    #[cold]
    pub fn placed(self, format: &'static str, member: &str, place: Place) -> Error {
        place.error(self.kind, format, Some(&format!("{member}{}", self.path)), self.message)
    }
}

impl From<CellError> for CellFault {
    fn from(found: CellError) -> Self {
        let CellError { path, error, .. } = found;
        let message = error.message().to_owned();
        Self { kind: error.into_kind(), path, message }
    }
}

/// Takes the cells of one column whose type is known.
pub trait TextReader: Send + Sync {
    /// Takes one cell.
    ///
    /// # Errors
    /// A cell that is not what the column holds; nothing has changed then.
    fn push(&mut self, cell: Cell<'_>) -> std::result::Result<(), CellFault>;

    /// Takes cells up to the first that is wrong: that one's place among them, and its fault. Each implementation compiles
    /// this loop with its own [`TextReader::push`], so that a run of cells costs one dynamic call.
    ///
    /// # Errors
    /// As [`TextReader::push`].
    fn push_run(&mut self, cells: &[Cell<'_>]) -> std::result::Result<(), (usize, CellFault)> {
        cells.iter().enumerate().try_for_each(|(i, cell)| self.push(*cell).map_err(|fault| (i, fault)))
    }

    /// A reader of the same column without cells, for another piece of the input. `rows`: as many cells may come.
    ///
    /// # Errors
    /// As [`reader`].
    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>>;

    /// Appends `n` nulls, whatever the field says of nulls.
    ///
    /// # Errors
    /// Over the limit of memory.
    fn nulls(&mut self, n: usize) -> std::result::Result<(), CellFault>;

    /// Cells so far.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The column of what was taken.
    ///
    /// # Errors
    /// Malformed: cells that make no valid array.
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
    style: Style,
    dictionaries: &mut Dictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    read::reader(field, says, tag, style, dictionaries, limits)
}

#[cfg(test)]
mod tests;
