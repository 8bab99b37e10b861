//! Options of reading CSV.

use super::FORMAT;
use crate::error::{Error, Result};
use crate::limits::Limits;

pub use super::kinds::BigInts;

/// What becomes of rows with too few or too many cells, and of cells that are not what `dtypes` or `dates` say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// They are errors.
    #[default]
    Raise,
    /// Missing cells are null, cells too many are left out, wrong cells are null: counted.
    Null,
    /// Rows with too few or too many cells are left out: counted. Wrong cells are errors.
    Skip,
}

/// Which columns are row labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IndexColumns {
    /// None: rows are numbered.
    #[default]
    None,
    /// So many at the left.
    Count(usize),
    /// Those of these names.
    Names(Vec<String>),
}

/// Which columns are instants, among those whose types are inferred.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Dates {
    /// None: they are text.
    #[default]
    None,
    /// Those whose cells all are.
    All,
    /// Those of these names, all of whose cells must be.
    Names(Vec<String>),
}

/// Where the types are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchemaOption {
    /// By a first line or a sidecar, where there is one.
    #[default]
    Found,
    /// By the first line, which must be there.
    Header,
    /// By the sidecar, which must be there.
    Sidecar,
    /// They are inferred, whatever is there.
    Ignore,
}

/// Options for reading.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Between cells, ASCII; sniffed where `None`.
    pub delimiter: Option<u8>,
    /// Around cells, ASCII.
    pub quote: Option<u8>,
    /// Before a byte that is meant literally, ASCII.
    pub escape: Option<u8>,
    /// Whether two quotes between quotes are one.
    pub doublequote: bool,
    /// Begins what is no data, up to the line's end; ASCII.
    pub comment: Option<u8>,
    /// Decimal point: `.` or `,`.
    pub decimal: u8,
    /// Between thousands, ASCII.
    pub thousands: Option<u8>,
    /// More null words.
    pub na_values: Vec<String>,
    /// Whether the usual null words count.
    pub keep_default_na: bool,
    /// Rows of column labels; hierarchical where there are several.
    pub header_rows: usize,
    /// Columns that are row labels.
    pub index_columns: IndexColumns,
    /// Lines before everything else.
    pub skip_rows: usize,
    /// The encoding's name.
    pub encoding: crate::text::input::TextEncoding,
    /// Types of columns by name: NumPy's or Arrow's words.
    pub dtypes: Vec<(String, String)>,
    /// Columns of instants.
    pub dates: Dates,
    /// A format of `strptime`; ISO 8601 where `None`.
    pub date_format: Option<String>,
    /// Wrong rows and cells.
    pub on_error: OnError,
    /// Whole numbers over 64 bits.
    pub big_ints: BigInts,
    /// Where types are declared.
    pub schema: SchemaOption,
    /// The sidecar's text.
    pub sidecar: Option<Vec<u8>>,
    /// Caps.
    pub limits: Limits,
    /// Threads.
    pub threads: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            delimiter: None,
            quote: Some(b'"'),
            escape: None,
            doublequote: true,
            comment: None,
            decimal: b'.',
            thousands: None,
            na_values: Vec::new(),
            keep_default_na: true,
            header_rows: 1,
            index_columns: IndexColumns::None,
            skip_rows: 0,
            encoding: crate::text::input::TextEncoding::Utf8,
            dtypes: Vec::new(),
            dates: Dates::None,
            date_format: None,
            on_error: OnError::Raise,
            big_ints: BigInts::Error,
            schema: SchemaOption::Found,
            sidecar: None,
            limits: Limits::default(),
            threads: 1,
        }
    }
}

impl ReadOptions {
    /// Checks that the options go together.
    ///
    /// # Errors
    /// `InvalidOption`: which ones, what was expected and what was found.
    pub fn check(&self) -> Result<()> {
        let marks = [
            ("delimiter", self.delimiter),
            ("quotechar", self.quote),
            ("escapechar", self.escape),
            ("comment", self.comment),
            ("thousands", self.thousands),
            ("decimal", Some(self.decimal)),
        ];
        for (i, (name, byte)) in marks.iter().enumerate() {
            let Some(byte) = byte else { continue };
            let shown = char::from(*byte);
            if !byte.is_ascii() || matches!(byte, b'\n' | b'\r' | 0) {
                let message =
                    format!("{name}: expected an ASCII character that ends no line, found {shown:?}.");
                return Err(Error::invalid_option(FORMAT, message));
            }
            // Quotes distinguish a decimal comma from a delimiter; nothing distinguishes the others.
            let other = marks.iter().take(i).find(|(other, found)| {
                *found == Some(*byte) && !(*other == "delimiter" && matches!(*name, "decimal" | "thousands"))
            });
            if let Some((other, _)) = other {
                let message = format!("{name}: expected another character than {other}, found {shown:?}.");
                return Err(Error::invalid_option(FORMAT, message));
            }
        }
        if self.header_rows == 0 && !self.dtypes.is_empty() {
            let number = |name: &str| name.parse::<usize>().is_ok();
            if let Some((name, _)) = self.dtypes.iter().find(|(name, _)| !number(name)) {
                let message =
                    format!("dtypes: expected numbers of columns as no row has their names, found {name:?}.");
                return Err(Error::invalid_option(FORMAT, message));
            }
        }
        Ok(())
    }
}
