//! Options for writing CSV, validated when they are made.

use crate::error::{Error, Result};

use super::FORMAT;

/// Which fields stand between quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quoting {
    /// Those that could be taken for something else.
    #[default]
    Minimal,
    /// All but numbers and booleans.
    Nonnumeric,
    /// All.
    All,
}

/// How characters become bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputEncoding {
    /// Without a byte order mark.
    #[default]
    Utf8,
    /// Behind a byte order mark, as spreadsheets want it.
    Utf8Sig,
    /// Little-endian, behind a byte order mark.
    Utf16,
    /// Without a byte order mark.
    Utf16Le,
    /// Without a byte order mark.
    Utf16Be,
    /// One byte a character; those over U+00FF are refused.
    Latin1,
}

impl OutputEncoding {
    /// The encoding of a name.
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

    /// The name under which readers know it.
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

/// Where names, types and axes stand that CSV has no place for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SchemaPlace {
    /// Nowhere: a frame that would not come back exactly is refused, unless it may be `lossy`.
    #[default]
    Nowhere,
    /// In a comment, the first line.
    Header,
    /// In a file of their own, beside this one: see [`super::sidecar`].
    Sidecar,
}

/// Options for writing CSV.
#[derive(Debug, Clone)]
pub struct WriteOptions {
    /// Between fields; an ASCII character.
    pub delimiter: u8,
    /// Around fields; an ASCII character.
    pub quotechar: u8,
    /// Whether the first record holds the column names.
    pub header: bool,
    /// Whether row labels are the first columns; where they are not automatic if `None`.
    pub index: Option<bool>,
    /// Which fields are quoted.
    pub quoting: Quoting,
    /// Whether records end with CR LF rather than LF.
    pub crlf: bool,
    /// What stands for null.
    pub na_rep: String,
    /// The decimal mark: `.` or `,`.
    pub decimal: u8,
    /// How characters become bytes.
    pub encoding: OutputEncoding,
    /// Where the schema stands.
    pub schema: SchemaPlace,
    /// Whether plain CSV is written that does not come back exactly.
    pub lossy: bool,
    /// Threads.
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
            lossy: false,
            threads: 1,
        }
    }
}

impl WriteOptions {
    /// Checks that the options go together.
    ///
    /// # Errors
    /// `InvalidOption`: which option, what was expected and what was found.
    pub fn check(self) -> Result<Self> {
        let refuse = |message: String| Err(Error::invalid_option(FORMAT, message));
        let shown = |byte: u8| char::from(byte);
        for (name, byte) in [("delimiter", self.delimiter), ("quotechar", self.quotechar)] {
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
                "quotechar: expected another character than the delimiter, found {:?}.",
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
