//! Options of reading CSV.

use super::FORMAT;
use crate::error::{Error, Result};
use crate::limits::Limits;

pub use super::kinds::BigInts;

/// The treatment of rows of another width, and of cells that do not fit `dtypes` or `dates`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// They are errors.
    #[default]
    Raise,
    /// Missing cells become null, surplus cells are dropped, invalid cells become null. All are counted.
    Null,
    /// Rows of another width are dropped and counted. So are rows with invalid cells.
    Skip,
}

/// The columns that are row labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum IndexColumns {
    /// None: rows are numbered.
    #[default]
    None,
    /// The columns at these positions, counted from zero.
    Positions(Vec<usize>),
    /// The columns with these names.
    Names(Vec<String>),
}

/// The columns of instants, among those of inferred type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Dates {
    /// None: instants are text.
    #[default]
    None,
    /// Columns in which all cells are instants.
    All,
    /// The columns with these names. All their cells must be instants.
    Names(Vec<String>),
}

/// The source of declared types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchemaOption {
    /// The first line or a sidecar, if there is one.
    #[default]
    Found,
    /// The first line, which is required.
    Header,
    /// The sidecar, which is required.
    Sidecar,
    /// None: types are inferred, even if a header or sidecar exists.
    Ignore,
}

/// Options for reading.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The delimiter of cells, ASCII; detected if `None`.
    pub delimiter: Option<u8>,
    /// The quote character, ASCII.
    pub quote: Option<u8>,
    /// The escape character, ASCII: the next byte is literal.
    pub escape: Option<u8>,
    /// Whether a doubled quote inside quotes is one quote.
    pub doublequote: bool,
    /// The first character of comments, which extend to the end of the line; ASCII.
    pub comment: Option<u8>,
    /// Decimal point: `.` or `,`.
    pub decimal: u8,
    /// The thousands separator, ASCII.
    pub thousands: Option<u8>,
    /// Additional null values.
    pub na_values: Vec<String>,
    /// Whether the default null values are recognized.
    pub keep_default_na: bool,
    /// Number of rows of column labels; several make hierarchical labels.
    pub header_rows: usize,
    /// The columns that are row labels.
    pub index_columns: IndexColumns,
    /// Number of lines to skip at the front.
    pub skip_rows: usize,
    /// The encoding.
    pub encoding: crate::text::input::TextEncoding,
    /// Types of columns by name, as NumPy, pandas or Arrow spell them.
    pub dtypes: Vec<(String, String)>,
    /// The type of all columns that `dtypes` does not name.
    pub every_dtype: Option<String>,
    /// The columns of instants.
    pub dates: Dates,
    /// A format of `strptime`; ISO 8601 where `None`.
    pub date_format: Option<String>,
    /// The treatment of invalid rows and cells.
    pub on_error: OnError,
    /// The treatment of integers over 64 bits.
    pub big_ints: BigInts,
    /// The source of declared types.
    pub schema: SchemaOption,
    /// The content of the sidecar.
    pub sidecar: Option<Vec<u8>>,
    /// Limits.
    pub limits: Limits,
    /// Number of threads.
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
            every_dtype: None,
            dates: Dates::All,
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
    /// Checks that the options do not contradict each other.
    ///
    /// # Errors
    /// `InvalidOption`, naming the option, the expected and the given value.
    pub fn check(&self) -> Result<()> {
        let marks = [
            ("sep", self.delimiter),
            ("quotechar", self.quote),
            ("escapechar", self.escape),
            ("comment", self.comment),
            ("thousands", self.thousands),
            ("decimal", Some(self.decimal)),
        ];
        for (i, (name, byte)) in marks.iter().enumerate() {
            let Some(byte) = byte else { continue };
            let character = char::from(*byte);
            if !byte.is_ascii() || matches!(byte, b'\n' | b'\r' | 0) {
                let message =
                    format!("{name}: expected an ASCII character that ends no line, found {character:?}.");
                return Err(Error::invalid_option(FORMAT, message));
            }
            // Quotes distinguish a decimal comma from a delimiter. Other characters must differ.
            let other = marks.iter().take(i).find(|(other, found)| {
                *found == Some(*byte) && !(*other == "sep" && matches!(*name, "decimal" | "thousands"))
            });
            if let Some((other, _)) = other {
                let message =
                    format!("{name}: expected another character than {other}, found {character:?}.");
                return Err(Error::invalid_option(FORMAT, message));
            }
        }
        if self.header_rows == 0 && !self.dtypes.is_empty() {
            let number = |name: &str| name.parse::<usize>().is_ok();
            if let Some((name, _)) = self.dtypes.iter().find(|(name, _)| !number(name)) {
                let message =
                    format!("dtype: expected numbers of columns as no row has their names, found {name:?}.");
                return Err(Error::invalid_option(FORMAT, message));
            }
        }
        Ok(())
    }

    /// The type names of `dtypes` and `every_dtype`.
    pub(super) fn declared_dtypes(&self) -> impl Iterator<Item = &str> {
        self.dtypes.iter().map(|(_, dtype)| dtype.as_str()).chain(self.every_dtype.as_deref())
    }
}
