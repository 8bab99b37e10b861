//! Nodes as the values that inferred columns take.

use crate::cells::msgpack::column::CellError;
use crate::cells::number::ParsedInt;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::yaml::nodes::Document;
use crate::formats::yaml::numbers::{float, integer64, too_large, too_wide};
use crate::formats::yaml::resolve::YamlValue;
use crate::infer::columns::nodes::{NodeValue, Nodes};

/// A float without an exponent is finite if it has fewer digits than the largest double.
const FINITE_NBYTES: usize = 300;

/// An integer of so many bytes, one of which may be a sign, fits 64 bits.
const INT64_NBYTES: usize = 18;

impl Nodes for Document<'_> {
    fn value(&self, i: usize) -> Result<NodeValue<'_>> {
        let node = self.nodes.get(i).ok_or_else(|| self.malformed(i, "expected a value, found the end."))?;
        Ok(match &node.value {
            YamlValue::Null => NodeValue::Null,
            YamlValue::Bool(value) => NodeValue::Bool(*value),
            YamlValue::Int(digits) => match integer64(digits) {
                ParsedInt::Int(value) => NodeValue::Int(value),
                ParsedInt::UInt(value) => NodeValue::UInt(value),
                ParsedInt::Huge | ParsedInt::Not => return Err(self.malformed(i, too_wide(digits))),
            },
            YamlValue::Float(text) => {
                NodeValue::Float(float(text).ok_or_else(|| self.malformed(i, too_large(text)))?)
            }
            YamlValue::Str(text) => NodeValue::Text(text),
            YamlValue::Sequence(n, _) => NodeValue::List(*n),
            YamlValue::Mapping(n, _) => NodeValue::Map(*n),
        })
    }

    fn next_after(&self, i: usize) -> usize {
        Document::next_after(self, i)
    }
}

impl Document<'_> {
    /// Refuses a number that 64 bits do not hold, and what MessagePack, in which mixed cells are stored, cannot count.
    ///
    /// # Errors
    /// Malformed, at the first such node. No fault of the layout comes before it.
    pub(super) fn check_values(&self) -> Result<()> {
        for (i, node) in self.nodes.iter().enumerate() {
            let n = match &node.value {
                YamlValue::Int(digits) if digits.len() > INT64_NBYTES => {
                    self.value(i)?;
                    continue;
                }
                YamlValue::Float(text)
                    if text.len() > FINITE_NBYTES || text.bytes().any(|byte| matches!(byte, b'e' | b'E')) =>
                {
                    self.value(i)?;
                    continue;
                }
                YamlValue::Str(text) => text.len(),
                YamlValue::Sequence(n, _) | YamlValue::Mapping(n, _) => *n,
                _ => continue,
            };
            if u32::try_from(n).is_err() {
                let message = format!("expected at most 4294967295 entries, found {n}.");
                return Err(self.malformed(i, message));
            }
        }
        Ok(())
    }

    #[cold]
    fn malformed(&self, i: usize, message: impl std::fmt::Display) -> Error {
        self.error(ErrorKind::Malformed, self.at(i), None, message)
    }

    /// Returns the position of node `i`.
    pub(super) fn at(&self, i: usize) -> usize {
        self.nodes.get(i).map_or(0, |node| node.at)
    }

    /// Converts an error of the shared rules to one at node `i`. `path` is the member.
    #[cold]
    pub(super) fn fault(&self, i: usize, path: &str, error: CellError) -> Error {
        let message = error.error.message().to_owned();
        self.error(error.error.into_kind(), self.at(i), Some(path), message)
    }
}
