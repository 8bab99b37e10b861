//! Options for writing CSV. Their constructor validates them.

use crate::error::{Error, Result};

use super::FORMAT;

/// The fields that are quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quoting {
    /// Fields that a reader could parse as something else.
    #[default]
    Minimal,
    /// All fields except numbers and booleans.
    Nonnumeric,
    /// All fields.
    All,
}

/// The character encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputEncoding {
    /// UTF-8 without a byte order mark.
    #[default]
    Utf8,
    /// UTF-8 after a byte order mark, which spreadsheets expect.
    Utf8Sig,
    /// Little-endian UTF-16 after a byte order mark.
    Utf16,
    /// Little-endian UTF-16 without a byte order mark.
    Utf16Le,
    /// Big-endian UTF-16 without a byte order mark.
    Utf16Be,
    /// One byte per character. Characters above U+00FF are refused.
    Latin1,
}

impl OutputEncoding {
    /// The encoding with this name.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn named(name: &str) -> Result<Self> {
        Ok(match name {
            "utf-8" => Self::Utf8,
            "utf-8-sig" => Self::Utf8Sig,
            "utf-16" => Self::Utf16,
            "utf-16-le" => Self::Utf16Le,
            "utf-16-be" => Self::Utf16Be,
            "latin-1" => Self::Latin1,
            other => {
                let message = format!(
                    "encoding: expected one of utf-8, utf-8-sig, utf-16, utf-16-le, utf-16-be, latin-1, found {other:?}."
                );
                return Err(Error::invalid_option(FORMAT, message));
            }
        })
    }

    /// The name of the encoding, as readers spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Utf8Sig => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf16Le => "utf-16-le",
            Self::Utf16Be => "utf-16-be",
            Self::Latin1 => "latin-1",
        }
    }
}

/// The place of the schema: names, types and axes that CSV itself cannot store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchemaPlace {
    /// Not stored. [`super::losses`] says what is lost.
    #[default]
    Nowhere,
    /// In the first line, as a comment.
    Header,
    /// In a sidecar file; see [`super::sidecar`].
    Sidecar,
}

/// Options for writing CSV.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// The delimiter of fields, an ASCII character.
    pub delimiter: u8,
    /// The quote character, in ASCII.
    pub quotechar: u8,
    /// Whether the first record holds the column names.
    pub header: bool,
    /// Whether row labels are written as the first columns. `None`: if they are not automatic.
    pub index: Option<bool>,
    /// The fields that are quoted.
    pub quoting: Quoting,
    /// Whether records end with CR LF instead of LF.
    pub crlf: bool,
    /// The text of null.
    pub na_rep: String,
    /// The decimal mark: `.` or `,`.
    pub decimal: u8,
    /// The character encoding.
    pub encoding: OutputEncoding,
    /// The place of the schema.
    pub schema: SchemaPlace,
    /// Number of threads.
    pub threads: usize,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            delimiter: b',',
            quotechar: b'"',
            header: true,
            index: None,
            quoting: Quoting::Minimal,
            crlf: false,
            na_rep: String::new(),
            decimal: b'.',
            encoding: OutputEncoding::Utf8,
            schema: SchemaPlace::Nowhere,
            threads: 1,
        }
    }
}

impl WriteOptions {
    /// Checks that the options do not contradict each other.
    ///
    /// # Errors
    /// `InvalidOption`: the option, with the expected and the found value.
    pub fn check(self) -> Result<Self> {
        let refuse = |message: String| Err(Error::invalid_option(FORMAT, message));
        let shown = |byte: u8| char::from(byte);
        for (name, byte) in [("sep", self.delimiter), ("quotechar", self.quotechar)] {
            let cells = byte.is_ascii_alphanumeric() || b"+-.\r\n\0".contains(&byte) || !byte.is_ascii();
            if cells {
                return refuse(format!(
                    "{name}: expected an ASCII character that no number has and no line end, found {:?}.",
                    shown(byte)
                ));
            }
        }
        if self.delimiter == self.quotechar {
            return refuse(format!(
                "quotechar: expected another character than sep, found {:?}.",
                shown(self.quotechar)
            ));
        }
        if !matches!(self.decimal, b'.' | b',') {
            return refuse(format!("decimal: expected \".\" or \",\", found {:?}.", shown(self.decimal)));
        }
        let dialect = [self.delimiter, self.quotechar, b'\r', b'\n', b'#'];
        if let Some(bad) = self.na_rep.bytes().find(|b| dialect.contains(b)) {
            return refuse(format!(
                "na_rep: expected a word without {:?}, found {:?}.",
                shown(bad),
                self.na_rep
            ));
        }
        let word = self.na_rep.replace(char::from(self.decimal), ".");
        let is_value = word.trim().parse::<f64>().is_ok()
            || matches!(word.as_str(), "true" | "false")
            || word.bytes().any(|b| b.is_ascii_digit());
        if self.schema != SchemaPlace::Nowhere && is_value {
            return refuse(format!(
                "na_rep: expected a word that no value of a column is spelled as, found {:?}. Leave schema away, or take \"NA\".",
                self.na_rep
            ));
        }
        if self.schema != SchemaPlace::Nowhere && !self.header {
            return refuse(
                "header: expected True, as the schema knows columns by their names. Leave schema away, or write the names."
                    .into(),
            );
        }
        if self.schema != SchemaPlace::Nowhere && self.index == Some(false) {
            return refuse(
                "index: expected None or True, as the schema says that the row labels come back. Reset the index first."
                    .into(),
            );
        }
        Ok(self)
    }
}
