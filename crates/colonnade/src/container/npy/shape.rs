//! The `shape` key: the length of each dimension.

use super::literal::{LiteralNode, LiteralValue};
use super::{FORMAT, to_u64};
use crate::error::{Error, Result};

/// NumPy's limit of dimensions.
pub const MAX_NDIM: usize = 64;

/// Parses a tuple of non-negative integers.
pub(super) fn shape_from_literal(node: &LiteralNode) -> Result<Vec<usize>> {
    let LiteralValue::Tuple(items) = &node.value else {
        return Err(node.unexpected("a tuple of lengths as shape"));
    };
    if items.len() > MAX_NDIM {
        let message = format!("expected at most {MAX_NDIM} dimensions, found {}.", items.len());
        return Err(Error::limit(FORMAT, message).at(to_u64(node.at)));
    }
    items
        .iter()
        .map(|item| match item.value {
            LiteralValue::Int(length) => {
                usize::try_from(length).map_err(|_| item.unexpected("a length of 0 or more"))
            }
            _ => Err(item.unexpected("an integer as length")),
        })
        .collect()
}
