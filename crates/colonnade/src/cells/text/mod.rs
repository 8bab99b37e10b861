//! Converts single cells of any Arrow type to text and back, exactly.
//!
//! | Arrow | JSON and YAML | CSV |
//! |---|---|---|
//! | bool, integers, durations, months | literal | the same |
//! | floats | shortest form; `"NaN"`, `"Infinity"`, `"-Infinity"`, `"NaN(0x7ff8000000000001)"` (YAML: `.nan`, `.inf`) | `nan`, `inf`, `-inf`, `nan(0x...)` |
//! | text | text | text |
//! | binary of any kind | base64 | base64 |
//! | timestamps, dates, times of day | ISO 8601; a count if ISO 8601 cannot express it | the same |
//! | decimals | text of the exact number | the same |
//! | dictionaries | the value; the code if two categories have the same text, and inside other types | the same |
//! | complex (two floats) | `[re, im]` | `(1.0+2.0j)` |
//! | lists; structs; maps; unions | array; object, or array if names repeat; object, or array of pairs; `[id, value]` | the text of that JSON |
//! | intervals of days | array of the parts | the same text |
//! | run-end encoded | the value | the value |
//! | cells of several kinds | JSON if JSON holds them, else `{"__colonnade__": base64 of MessagePack}` | the text of that JSON |
//!
//! Null is `null`; in CSV the caller spells the cells for which [`TextWriter::is_null`] is true.

mod decode;
mod dictionary;
mod encode;
mod floats;
mod json;
mod mixed;
mod nested;
mod numpy_cells;
mod read;
pub mod strings;
pub mod times;
mod write;

use arrow_data::ArrayData;
use arrow_schema::Field;

use crate::cells::msgpack::column::CellError;
use crate::cells::typed::{self, HeaderDictionaries};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::DType;
use crate::limits::Limits;

use crate::cells::place::TextPosition;

/// The syntax of the text around the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// A whole JSON value.
    Json,
    /// The text of a field, not yet quoted.
    Csv,
    /// A whole YAML flow value, on one line.
    Yaml,
}

/// How NaN and infinities are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nonfinite {
    /// A text that parses to the same bits.
    Tagged,
    /// Null.
    Null,
    /// `NaN`, `Infinity`, `-Infinity`, which are not JSON.
    Literal,
    /// An error.
    Error,
}

/// How cells are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// The format's name in errors.
    pub format: &'static str,
    /// The syntax around the cells.
    pub syntax: Syntax,
    /// Infinities and NaN.
    pub nonfinite: Nonfinite,
    /// Whether a header has the types and categories. Without a header cells are for readers without them.
    pub header: bool,
    /// For writing CSV: NaN becomes null, as readers without the types take it for a missing value.
    pub nan_is_null: bool,
    /// For reading: types were inferred from earlier cells. A float then refuses integers that it would round.
    pub inferred: bool,
}

impl TextStyle {
    /// The style of JSON whose header has the types.
    #[must_use]
    pub const fn json(format: &'static str) -> Self {
        Self {
            format,
            syntax: Syntax::Json,
            nonfinite: Nonfinite::Tagged,
            header: true,
            nan_is_null: false,
            inferred: false,
        }
    }

    /// The style of JSON without a header.
    #[must_use]
    pub const fn plain_json(format: &'static str, nonfinite: Nonfinite) -> Self {
        Self { format, syntax: Syntax::Json, nonfinite, header: false, nan_is_null: false, inferred: false }
    }

    /// The style of CSV. `header`: whether a sidecar or a first line has the types.
    #[must_use]
    pub const fn csv(header: bool) -> Self {
        Self {
            format: "csv",
            syntax: Syntax::Csv,
            nonfinite: Nonfinite::Tagged,
            header,
            nan_is_null: false,
            inferred: false,
        }
    }

    /// The style of YAML.
    #[must_use]
    pub const fn yaml(header: bool) -> Self {
        Self {
            format: "yaml",
            syntax: Syntax::Yaml,
            nonfinite: Nonfinite::Tagged,
            header,
            nan_is_null: false,
            inferred: false,
        }
    }

    /// The same style for cells whose types were inferred from other cells.
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

    /// Whether the cell is null; NumPy's NaT counts as null.
    fn is_null(&self, row: usize) -> bool;

    /// For CSV: whether no cell contains a comma, a quote, a line end or white space at its ends, so that no cell needs
    /// quotes.
    fn is_plain(&self) -> bool {
        false
    }
}

/// Parses a float as CSV with a schema spells it, including NaN and infinities.
pub(crate) fn float(text: &str) -> Option<f64> {
    floats::number(text).ok()
}

/// Creates the writer of the cells of `data`. `numpy_dtype`: the NumPy dtype in the field's metadata.
///
/// # Errors
/// Malformed: data that violate their type. `Unrepresentable`: a type that the format cannot hold.
pub fn writer<'a>(
    field: &Field,
    numpy_dtype: Option<DType>,
    data: &'a ArrayData,
    style: TextStyle,
) -> Result<Box<dyn TextWriter + 'a>> {
    write::writer(field, numpy_dtype, data, style)
}

/// A cell as a token of the format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TextCell<'a> {
    /// Null; in CSV a null value of the dialect.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// The text of a number, including `NaN`, `Infinity`, `.inf` and so on if the format accepts them.
    Number(&'a str),
    /// Text without its quotes and escapes. In CSV every cell that is not null, for columns of any type.
    Str(&'a str),
    /// A valid JSON array or object.
    Raw(&'a str),
}

/// The message about a null that the field does not allow.
const NO_NULLS: &str = "expected a value, as the field holds no nulls, found null.";

/// An error in a cell. The caller of `push` knows the cell's place.
#[derive(Debug)]
pub struct CellFault {
    /// The kind of the error.
    pub kind: ErrorKind,
    /// JSONPath inside the cell: `.x[3]`; empty for the cell itself.
    pub path: String,
    /// What was expected, what was found, and the next step.
    pub message: String,
}

impl CellFault {
    /// Creates a `Malformed` fault.
    #[must_use]
    #[cold]
    pub fn malformed(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Malformed, path: String::new(), message: message.into() }
    }

    /// Puts the fault inside the part `step` of the cell (`.x`, `[3]`).
    #[must_use]
    pub fn inside(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    /// Returns the error with its place. `member` is the column's name or path.
    #[must_use]
    #[cold]
    pub fn placed(self, format: &'static str, member: &str, place: TextPosition) -> Error {
        place.error(self.kind, format, Some(&format!("{member}{}", self.path)), self.message)
    }
}

impl From<CellError> for CellFault {
    fn from(found: CellError) -> Self {
        let CellError { path, error, .. } = found;
        // MessagePack says nil, text null.
        let message = match error.message() {
            typed::NO_NULLS => NO_NULLS,
            other => other,
        };
        let message = message.to_owned();
        Self { kind: error.into_kind(), path, message }
    }
}

/// Reads the cells of one column with a known type.
pub trait TextReader: Send + Sync {
    /// Takes one cell.
    ///
    /// # Errors
    /// A cell that does not fit the column; the reader is unchanged.
    fn push(&mut self, cell: TextCell<'_>) -> std::result::Result<(), CellFault>;

    /// Takes cells up to the first faulty one. The error is its index and its fault. Each implementation compiles this loop
    /// with its own [`TextReader::push`], so that a run of cells costs one dynamic call.
    ///
    /// # Errors
    /// As [`TextReader::push`].
    fn push_run(&mut self, cells: &[TextCell<'_>]) -> std::result::Result<(), (usize, CellFault)> {
        cells.iter().enumerate().try_for_each(|(i, cell)| self.push(*cell).map_err(|fault| (i, fault)))
    }

    /// Creates an empty reader of the same column for another piece of the input. `rows`: the expected number of cells.
    ///
    /// # Errors
    /// As [`reader`].
    fn fork(&self, rows: usize) -> Result<Box<dyn TextReader>>;

    /// Appends `n` nulls, even if the field is not nullable.
    ///
    /// # Errors
    /// Over the limit of memory.
    fn nulls(&mut self, n: usize) -> std::result::Result<(), CellFault>;

    /// Returns the number of cells so far.
    fn len(&self) -> usize;

    /// Whether the reader has no cells.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the column of the cells.
    ///
    /// # Errors
    /// Malformed: cells that form no valid array.
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
    style: TextStyle,
    dictionaries: &mut HeaderDictionaries,
    limits: &Limits,
) -> Result<Box<dyn TextReader>> {
    read::reader(field, numpy_dtype, tag, style, dictionaries, limits)
}

#[cfg(test)]
mod tests;
