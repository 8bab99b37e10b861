//! Nodes as the values that inferred columns take.

use crate::cells::msgpack::column::CellError;
use crate::cells::number::ParsedInt;
use crate::error::{Error, ErrorKind, Result};
use crate::formats::yaml::nodes::Document;
use crate::formats::yaml::numbers::{float, integer64, too_large, too_wide};
use crate::formats::yaml::resolve::YamlValue;
use crate::infer::columns::nodes::{NodeValue, Nodes};

impl Nodes for Document<'_> {
    fn value(&self, i: usize) -> Result<NodeValue<'_>> {
        let node = self.nodes.get(i).ok_or_else(|| self.malformed(i, "expected a value, found the end."))?;
        // MessagePack, in which mixed cells are stored, counts with 32 bits.
        let count = |n: usize| match u32::try_from(n) {
            Ok(_) => Ok(n),
            Err(_) => Err(self.malformed(i, format!("expected at most 4294967295 entries, found {n}."))),
        };
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
            YamlValue::Str(text) => {
                count(text.len())?;
                NodeValue::Text(text)
            }
            YamlValue::Sequence(n, _) => NodeValue::List(count(*n)?),
            YamlValue::Mapping(n, _) => NodeValue::Map(count(*n)?),
        })
    }

    fn next_after(&self, i: usize) -> usize {
        Document::next_after(self, i)
    }
}

impl Document<'_> {
    /// Refuses the first value that no cell holds.
    ///
    /// # Errors
    /// As [`Nodes::value`].
    pub(super) fn check_values(&self) -> Result<()> {
        (0..self.nodes.len()).try_for_each(|i| self.value(i).map(|_| ()))
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
