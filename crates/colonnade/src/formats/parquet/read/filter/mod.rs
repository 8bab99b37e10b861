//! Which rows are wanted: terms over columns, in disjunctive normal form as pandas and pyarrow take them.
//!
//! Terms are tested three times, each time on less: on the statistics and bloom filters of row groups, on the statistics of
//! pages, on the values. Null is no value: no term holds of it.

mod bloom;
pub(super) mod bounds;
mod compile;
pub(super) mod mask;
mod pages;
pub(super) mod place;
pub(super) mod prune;
mod shape;

/// How a value is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Equal to the one literal.
    Equal,
    /// Not equal to it.
    NotEqual,
    /// Below it.
    Less,
    /// Below it, or equal.
    LessEqual,
    /// Above it.
    Greater,
    /// Above it, or equal.
    GreaterEqual,
    /// Equal to one of the literals.
    In,
    /// Equal to none of them.
    NotIn,
}

impl Op {
    /// The operator of a word.
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
            _ => return None,
        })
    }

    /// Its word.
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
        }
    }
}

/// What values are compared with. Times count nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number.
    Float(f64),
    /// Digits, and how many of them stand behind the point.
    Decimal(i128, u8),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Since 1970; whether that is of UTC, or of a clock nobody knows the zone of.
    Instant(i128, bool),
    /// Days since 1970.
    Date(i64),
    /// Since midnight.
    Clock(i128),
    /// How long.
    Span(i128),
}

impl Literal {
    /// What it is called in errors.
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

/// One comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// The column, by its name in the file.
    pub column: String,
    /// How.
    pub op: Op,
    /// With what: one, or for `in` and `not in` any number.
    pub literals: Vec<Literal>,
}

/// A row is wanted where all terms of any list hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// The lists.
    pub any: Vec<Vec<Term>>,
}

impl Filter {
    /// The columns that it looks at, each once, in the order of their first use.
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
