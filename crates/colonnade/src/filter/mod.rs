//! Row filters: terms over columns, in the disjunctive normal form of pandas and pyarrow, for frames of every format.
//!
//! No comparison matches a null; `is null` asks for it.

mod compile;
mod frame;
mod keep;
mod mask;
mod value_set;

pub(crate) use compile::{CompiledTerms, Test};
pub use frame::matching_rows;
pub(crate) use keep::KeptRows;
pub(crate) use mask::mask;
pub(crate) use value_set::ValueSet;

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Equal to the literal.
    Equal,
    /// Not equal to the literal.
    NotEqual,
    /// Below the literal.
    Less,
    /// Below the literal, or equal.
    LessEqual,
    /// Above the literal.
    Greater,
    /// Above the literal, or equal.
    GreaterEqual,
    /// Equal to one of the literals.
    In,
    /// Equal to none of them.
    NotIn,
    /// Null.
    IsNull,
    /// Not null.
    IsNotNull,
}

impl Op {
    /// Returns the operator with this spelling.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "==" | "=" => Self::Equal,
            "!=" => Self::NotEqual,
            "<" => Self::Less,
            "<=" => Self::LessEqual,
            ">" => Self::Greater,
            ">=" => Self::GreaterEqual,
            "in" => Self::In,
            "not in" => Self::NotIn,
            "is" => Self::IsNull,
            "is not" => Self::IsNotNull,
            _ => return None,
        })
    }

    /// Returns the spelling of the operator.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
            Self::IsNull => "is null",
            Self::IsNotNull => "is not null",
        }
    }
}

/// A literal that values are compared with. Times are in nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A float.
    Float(f64),
    /// Unscaled digits, and the number of digits after the decimal point.
    Decimal(i128, u8),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Since 1970; whether in UTC, or in an unknown time zone.
    Instant(i128, bool),
    /// Days since 1970.
    Date(i64),
    /// Since midnight.
    Clock(i128),
    /// A duration.
    Span(i128),
}

impl Literal {
    /// The name of its type in errors.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a bool",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Decimal(..) => "a decimal",
            Self::Text(_) => "text",
            Self::Bytes(_) => "bytes",
            Self::Instant(_, true) => "a time with a zone",
            Self::Instant(_, false) => "a time without a zone",
            Self::Date(_) => "a date",
            Self::Clock(_) => "a time of day",
            Self::Span(_) => "a duration",
        }
    }
}

/// A comparison of a column with literals.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The column, by its name in the file.
    pub column: String,
    /// The operator.
    pub op: Op,
    /// One literal, any number for `in` and `not in`, none for `is null`.
    pub literals: Vec<Literal>,
}

/// A filter. A row passes if all terms of at least one list match.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowFilter {
    /// The lists of terms.
    pub any: Vec<Vec<Term>>,
}

impl RowFilter {
    /// Returns the columns of all terms, each once, in the order of first use.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        let mut out: Vec<&str> = Vec::new();
        for term in self.any.iter().flatten() {
            if !out.contains(&term.column.as_str()) {
                out.push(&term.column);
            }
        }
        out
    }
}
