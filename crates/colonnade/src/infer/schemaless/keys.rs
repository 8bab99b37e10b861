//! Column labels: unique texts or integers.

use std::collections::HashMap;

use crate::arrow::text_labels;
use crate::cells::msgpack::column::{CellError, FORMAT, malformed, step};
use crate::cells::msgpack::head::{MsgpackHead, head};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::{Axis, Block, DType, Grid, Labels, Level};
use crate::infer::columns::nodes::NodeValue;
use crate::limits::Limits;
use crate::memory::Buffer;

/// One label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ColumnKey {
    Text(String),
    Int(i64),
}

impl ColumnKey {
    /// Reads the key at the front of `bytes`. Returns it and its length, or `None` if it is incomplete.
    pub(super) fn take(bytes: &[u8]) -> std::result::Result<Option<(Self, usize)>, CellError> {
        let Some((found, length)) = head(bytes)? else { return Ok(None) };
        match found {
            MsgpackHead::Int(value) => Ok(Some((Self::Int(value), length))),
            MsgpackHead::Str(n) => {
                let end = length + n as usize;
                let Some(raw) = bytes.get(length..end) else { return Ok(None) };
                match simdutf8::compat::from_utf8(raw) {
                    Ok(text) => Ok(Some((Self::Text(text.to_owned()), end))),
                    Err(e) => Err(malformed(length + e.valid_up_to(), "expected a column label in UTF-8.")),
                }
            }
            MsgpackHead::UInt(value) => Err(unsigned_label(value)),
            other => Err(label_error(other.name())),
        }
    }

    /// Converts a parsed value.
    pub(crate) fn of_node(value: NodeValue<'_>) -> std::result::Result<Self, CellError> {
        match value {
            NodeValue::Text(text) => Ok(Self::Text(text.to_owned())),
            NodeValue::Int(value) => Ok(Self::Int(value)),
            NodeValue::UInt(value) => Err(unsigned_label(value)),
            other => Err(label_error(other.name())),
        }
    }

    /// Whether the key is this parsed value.
    #[inline]
    pub(crate) fn is_node(&self, value: NodeValue<'_>) -> bool {
        match (self, value) {
            (Self::Text(text), NodeValue::Text(other)) => text == other,
            (Self::Int(value), NodeValue::Int(other)) => *value == other,
            _ => false,
        }
    }

    /// Formats the key as one step of a path.
    pub(crate) fn step(&self) -> String {
        match self {
            Self::Text(text) => step(text),
            Self::Int(value) => format!("[{value}]"),
        }
    }
}

#[cold]
fn label_error(found: &str) -> CellError {
    let message = format!(
        "expected a column label that is text or an integer, found {found}. Name the columns with text first."
    );
    CellError::new(ErrorKind::Unsupported, 0, message)
}

#[cold]
fn unsigned_label(value: u64) -> CellError {
    label_error(&format!("the integer {value}, which 64 signed bits do not hold"))
}

/// Labels in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct ColumnKeys {
    list: Vec<ColumnKey>,
    places: HashMap<ColumnKey, usize>,
}

impl ColumnKeys {
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn get(&self, place: usize) -> Option<&ColumnKey> {
        self.list.get(place)
    }

    pub(crate) fn place(&self, key: &ColumnKey) -> Option<usize> {
        self.places.get(key).copied()
    }

    /// Appends a new label.
    pub(crate) fn push(&mut self, key: ColumnKey, limits: &Limits) -> std::result::Result<(), CellError> {
        let place = self.list.len();
        if place as u64 >= limits.max_columns {
            let message = format!(
                "more than {} columns, the limit. Raise Limits(max_columns=...) to read them.",
                limits.max_columns
            );
            return Err(CellError::new(ErrorKind::LimitExceeded, 0, message));
        }
        if self.places.insert(key.clone(), place).is_some() {
            return Err(repeated_label());
        }
        self.list.push(key);
        Ok(())
    }

    /// Returns the axis of column labels.
    pub(super) fn axis(&self) -> Result<Axis> {
        let texts: Vec<&str> = self
            .list
            .iter()
            .filter_map(|k| if let ColumnKey::Text(t) = k { Some(t.as_str()) } else { None })
            .collect();
        if texts.len() == self.list.len() {
            return text_labels(&texts, "null".into());
        }
        if !texts.is_empty() {
            let odd = |text: bool| self.list.iter().find(|k| matches!(k, ColumnKey::Text(_)) == text);
            let at = odd(true).map_or(String::new(), |k| format!("${}", k.step()));
            let other = odd(false).map_or(String::new(), |k| format!("${}", k.step()));
            let message = format!(
                "expected column labels of one kind, found text and integers ({at} and {other}). Name all columns with \
                 text."
            );
            return Err(Error::unsupported(FORMAT, message).in_member(at));
        }
        let ints = self.list.iter().filter_map(|k| if let ColumnKey::Int(i) = k { Some(*i) } else { None });
        let bytes: Vec<u8> = ints.flat_map(i64::to_le_bytes).collect();
        let dtype = DType::parse("<i8").ok_or_else(|| Error::unsupported(FORMAT, "no dtype <i8."))?;
        let grid = Grid::column_major(dtype, self.list.len(), 1, 0);
        Ok(levels(vec![Level::Block(Block { grid, buffer: Buffer::from_vec(bytes) })]))
    }
}

/// Returns the error for a repeated label.
#[cold]
pub(super) fn repeated_label() -> CellError {
    malformed(
        0,
        "this column label occurs here a second time: one of the two values would be lost. Rename one.",
    )
}

/// Returns an axis of labels without names.
pub(super) fn levels(levels: Vec<Level>) -> Axis {
    let classes = vec!["Index".into(); levels.len()];
    let class = if levels.len() > 1 { "IndexHierarchy" } else { "Index" };
    Axis { labels: Labels::Levels(levels), class: class.into(), classes, name: "null".into(), meta: None }
}
