//! Appends parsed values, such as the nodes of a YAML document, to inferred columns.

use std::ops::Range;

use crate::Error;
use crate::error::Result;

use super::nested::{NestedColumns, StructMembers};
use super::put::Scalar;
use super::{InferredColumn, InferredValues, ReadOptions, StopReason};

/// A parsed value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NodeValue<'n> {
    Null,
    Bool(bool),
    Int(i64),
    /// Beyond `i64::MAX`.
    UInt(u64),
    Float(f64),
    Text(&'n str),
    /// Number of entries.
    List(usize),
    /// Number of pairs.
    Map(usize),
}

impl NodeValue<'_> {
    /// The name of the value's type, for messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::UInt(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "text",
            Self::List(_) => "an array",
            Self::Map(_) => "a map",
        }
    }
}

/// The values of a parsed document in document order: a collection before its entries, a key before its value.
pub(crate) trait Nodes {
    /// Returns value `i`.
    ///
    /// # Errors
    /// A number that 64 bits do not hold.
    fn value(&self, i: usize) -> Result<NodeValue<'_>>;

    /// Returns the index of the value after value `i` and everything inside it.
    fn next_after(&self, i: usize) -> usize;
}

type NodeResult = std::result::Result<(), StopReason<Error>>;

impl InferredColumn {
    /// Appends node `i` and everything inside it. A column of [`InferredColumn::of_mixed`] stores it as MessagePack. Any other
    /// column only counts its cells once no single type holds them.
    ///
    /// # Errors
    /// As [`Nodes::value`]; the operating system's error if memory runs out.
    pub(crate) fn push_node(&mut self, nodes: &impl Nodes, i: usize) -> Result<()> {
        if let InferredValues::Mixed(_) = self.values {
            let mut cell = Vec::new();
            pack(nodes, i, &mut cell)?;
            return self.push_mixed(&cell);
        }
        match self.put_node(nodes, i) {
            Err(StopReason::Cell(error)) => return Err(error),
            Err(StopReason::Mixed) => {
                self.give_up();
                self.rows += 1;
            }
            Ok(()) => {}
        }
        Ok(())
    }

    fn put_node<N: Nodes>(&mut self, nodes: &N, i: usize) -> NodeResult {
        let scalar = match nodes.value(i).map_err(StopReason::Cell)? {
            NodeValue::Null => return self.empty(1).map_err(|e| StopReason::Cell(e.error)),
            NodeValue::Bool(value) => Scalar::Bool(value),
            NodeValue::Int(value) => Scalar::Int(value),
            NodeValue::UInt(value) => Scalar::UInt(value),
            NodeValue::Float(value) => Scalar::Float(value.to_bits()),
            NodeValue::Text(value) => Scalar::Text(value),
            NodeValue::List(n) => return self.put_list(nodes, i + 1, n),
            NodeValue::Map(n) => return self.put_map(nodes, i + 1, n),
        };
        self.scalar(scalar).map_err(|stop| stop.map(|e| e.error))?;
        self.rows += 1;
        Ok(())
    }

    /// Appends a list of `n` entries, which begin at node `at`.
    fn put_list<N: Nodes>(&mut self, nodes: &N, mut at: usize, n: usize) -> NodeResult {
        let (nested, ..) = self.nested(true).map_err(|stop| stop.map(|e| e.error))?;
        let NestedColumns::List { offsets, item } = nested else { return Err(StopReason::Mixed) };
        for _ in 0..n {
            item.put_node(nodes, at)?;
            at = nodes.next_after(at);
        }
        offsets.push_word(item.len() as u64).map_err(|e| StopReason::Cell(e.error))?;
        self.rows += 1;
        Ok(())
    }

    /// Appends a map of `n` pairs, which begin at node `at`.
    fn put_map<N: Nodes>(&mut self, nodes: &N, at: usize, n: usize) -> NodeResult {
        let row = self.rows;
        let (nested, _, inner) = self.nested(false).map_err(|stop| stop.map(|e| e.error))?;
        let NestedColumns::Map(members) = nested else { return Err(StopReason::Mixed) };
        members.put_nodes(nodes, (at, n), row, inner)?;
        self.rows += 1;
        Ok(())
    }
}

impl StructMembers {
    /// Appends the `n` pairs from node `at` on, which are the map of row `row`.
    fn put_nodes<N: Nodes>(
        &mut self,
        nodes: &N,
        (mut at, n): (usize, usize),
        row: usize,
        inner: (&ReadOptions, u64),
    ) -> NodeResult {
        for turn in 0..n {
            // Keys other than text cannot name members.
            let NodeValue::Text(key) = nodes.value(at).map_err(StopReason::Cell)? else {
                return Err(StopReason::Mixed);
            };
            let place = match self.member_at(turn, key.as_bytes()) {
                Some(place) => place,
                None => self.place(key, inner),
            };
            let Some((column, _)) = self.column(place) else { return Err(StopReason::Mixed) };
            // A struct has one value a member. The parser refuses repeated keys, so this is a second guard.
            if !column.align(row).map_err(|e| StopReason::Cell(e.error))? {
                return Err(StopReason::Mixed);
            }
            column.put_node(nodes, at + 1)?;
            at = nodes.next_after(at + 1);
        }
        self.end(n, row).map_err(|stop| stop.map(|e| e.error))
    }
}

/// Appends node `i` and everything inside it as MessagePack, the form in which mixed cells are stored.
///
/// Heads and scalars follow each other as the nodes do, so that no depth overflows the stack.
///
/// # Errors
/// As [`Nodes::value`].
fn pack(nodes: &impl Nodes, i: usize, out: &mut Vec<u8>) -> Result<()> {
    for i in i..nodes.next_after(i) {
        pack_value(nodes.value(i)?, out);
    }
    Ok(())
}

/// Appends a value, or the head of a list or map. Lengths fit 32 bits, as the caller has checked.
fn pack_value(value: NodeValue<'_>, out: &mut Vec<u8>) {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    // Writing to a vector never fails.
    let _ = match value {
        NodeValue::Null => rmp::encode::write_nil(out).is_ok(),
        NodeValue::Bool(value) => rmp::encode::write_bool(out, value).is_ok(),
        NodeValue::Int(value) => rmp::encode::write_sint(out, value).is_ok(),
        NodeValue::UInt(value) => rmp::encode::write_uint(out, value).is_ok(),
        NodeValue::Float(value) => rmp::encode::write_f64(out, value).is_ok(),
        NodeValue::Text(text) => rmp::encode::write_str(out, text).is_ok(),
        NodeValue::List(n) => rmp::encode::write_array_len(out, count(n)).is_ok(),
        NodeValue::Map(n) => rmp::encode::write_map_len(out, count(n)).is_ok(),
    };
}

/// Returns the bytes that a range of nodes takes as MessagePack.
///
/// # Errors
/// As [`Nodes::value`].
pub(crate) fn packed_nbytes(nodes: &impl Nodes, range: Range<usize>) -> Result<u64> {
    let (mut total, mut out) = (0, Vec::new());
    for i in range {
        out.clear();
        pack_value(nodes.value(i)?, &mut out);
        total += out.len() as u64;
    }
    Ok(total)
}
