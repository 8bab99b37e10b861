//! The error type of the core: what, where, expected, found, next step.
//!
//! Every decoder and encoder returns [`Error`]. The bindings map each [`ErrorKind`] to one Python class.

use std::fmt;

use crate::excerpt::shorten;

/// Result of functions in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Start of an internal error's text.
const INTERNAL: &str = "internal error: ";

/// The kind of an error. The variants are the rows of the error table in `docs/design`.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes break the specification.
    Malformed,
    /// The bytes end early: a structure needs `needed` bytes, the input has `had`.
    Truncated {
        /// Bytes that the structure needs.
        needed: u64,
        /// Bytes that the input has.
        had: u64,
    },
    /// Legal, but not implemented or not built in.
    Unsupported,
    /// The format cannot hold this column exactly.
    Unrepresentable,
    /// An option outside its range.
    InvalidOption,
    /// A declared size over a limit, or more than the bytes can hold.
    LimitExceeded,
    /// A column, member or label that does not exist.
    NotFound,
    /// An error of the operating system, unchanged.
    Io(std::io::Error),
    /// The caller's progress callback or a signal asked to stop.
    Cancelled,
    /// A panic, which is a bug; see [`crate::panics`].
    Internal,
}

/// The position of the error in the input or the frame.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Location {
    /// Member of an archive, column of a frame, message of a stream.
    pub member: Option<String>,
    /// Offset in bytes from the start of the source.
    pub offset: Option<u64>,
    /// Line of text, from 1. The message names it too.
    pub line: Option<u64>,
    /// Row of the frame, from 0.
    pub row: Option<usize>,
}

/// An error with its format, its location and a sentence that names the next step.
pub struct Error(Box<ErrorData>);

struct ErrorData {
    kind: ErrorKind,
    format: &'static str,
    location: Location,
    message: String,
}

impl Error {
    /// An error of `kind` in `format`; `message` has expected, found and next step.
    #[must_use]
    pub fn new(kind: ErrorKind, format: &'static str, message: impl Into<String>) -> Self {
        Self(Box::new(ErrorData { kind, format, location: Location::default(), message: message.into() }))
    }

    /// The bytes break the specification.
    #[must_use]
    pub fn malformed(format: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, format, message)
    }

    /// The input ends inside a structure.
    #[must_use]
    pub fn truncated(format: &'static str, what: &str, needed: u64, had: u64) -> Self {
        let message = format!(
            "{what} needs {needed} bytes, found {had}. The file was cut short: fetch or write it again."
        );
        Self::new(ErrorKind::Truncated { needed, had }, format, message)
    }

    /// Legal input that this build does not read.
    #[must_use]
    pub fn unsupported(format: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, format, message)
    }

    /// A column that the format cannot hold exactly.
    #[must_use]
    pub fn unrepresentable(format: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unrepresentable, format, message)
    }

    /// An option outside its range.
    #[must_use]
    pub fn invalid_option(format: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidOption, format, message)
    }

    /// A declared size over a limit.
    #[must_use]
    pub fn limit(format: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::LimitExceeded, format, message)
    }

    /// A panic with this message, at this place in the code if known.
    #[must_use]
    pub fn internal(message: &str, place: Option<&str>) -> Self {
        if let Some(text) = message.strip_prefix(INTERNAL) {
            // The text is already complete if the error passed through another language.
            return Self::new(ErrorKind::Internal, "internal error", text);
        }
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        let message = format!("{message}{place}. This is a bug in Colonnade. Report it with the input.");
        Self::new(ErrorKind::Internal, "internal error", message)
    }

    /// A frame that exceeds the address space.
    #[must_use]
    pub fn too_large(format: &'static str) -> Self {
        Self::limit(format, "the frame is too large for this machine's addresses.")
    }

    /// Something requested that does not exist.
    #[must_use]
    pub fn not_found(format: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, format, message)
    }

    /// Adds the member (or column) unless an inner layer already named one.
    #[must_use]
    pub fn in_member(mut self, member: impl Into<String>) -> Self {
        self.0.location.member.get_or_insert_with(|| member.into());
        self
    }

    /// Adds the byte offset unless an inner layer already gave one.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.0.location.offset.get_or_insert(offset);
        self
    }

    /// Sets the row of the frame. An outer layer's row replaces that of a part of a cell.
    #[must_use]
    pub fn in_row(mut self, row: usize) -> Self {
        self.0.location.row = Some(row);
        self
    }

    /// Sets the line of text.
    #[must_use]
    pub(crate) fn on_line(mut self, line: u64) -> Self {
        self.0.location.line = Some(line);
        self
    }

    /// Adds `base`, for example a header's offset in its file, to the offset; without an offset sets it to `base`.
    #[must_use]
    pub fn shifted(mut self, base: u64) -> Self {
        let inner = self.0.location.offset.unwrap_or(0);
        self.0.location.offset = Some(base.saturating_add(inner));
        self
    }

    /// Replaces the offset that an inner layer set in its own terms.
    #[must_use]
    pub fn moved_to(mut self, offset: u64) -> Self {
        self.0.location.offset = Some(offset);
        self
    }

    /// Replaces the member and offset that an inner layer set in its own terms.
    #[must_use]
    pub fn moved(mut self, member: impl Into<String>, offset: Option<u64>) -> Self {
        self.0.location = Location { member: Some(member.into()), offset, ..self.0.location };
        self
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Consumes the error and returns its kind, which holds the original of an I/O error.
    #[must_use]
    pub fn into_kind(self) -> ErrorKind {
        self.0.kind
    }

    /// The message, without format and position.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Sets another format, for errors of a decoder that several formats use.
    #[must_use]
    pub fn in_format(mut self, format: &'static str) -> Self {
        if !matches!(self.0.kind, ErrorKind::Internal) {
            self.0.format = format;
        }
        self
    }

    /// The format, or the part of one that several formats have.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.0.format
    }

    /// The position.
    #[must_use]
    pub fn location(&self) -> &Location {
        &self.0.location
    }
}

/// Characters of a member's name in the text of an error: a ZIP may give it 64 KiB.
const MOST_MEMBER_CHARS: usize = 300;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ErrorKind::Io(error) = &self.0.kind {
            return write!(f, "{error}");
        }
        write!(f, "{}: ", self.0.format)?;
        if let Some(member) = &self.0.location.member {
            write!(f, "{:?}: ", shorten(member, MOST_MEMBER_CHARS))?;
        }
        if let Some(offset) = self.0.location.offset {
            write!(f, "at byte {offset}: ")?;
        }
        if let Some(row) = self.0.location.row {
            write!(f, "row {row}: ")?;
        }
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?}, {self})", self.0.kind)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        // A decoding reader returns an I/O error that contains its typed error.
        error.downcast::<Self>().unwrap_or_else(|error| Self::new(ErrorKind::Io(error), "io", ""))
    }
}
