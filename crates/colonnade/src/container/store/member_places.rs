//! The place of one member's array, and limits on the declared rows and columns.

use crate::container::npy::Descr;
use crate::decode::GroupKey;
use crate::error::{Error, Result};
use crate::frame::{Grid, Part};

use super::opened::Store;
use super::place::{ArrayPlace, ColumnPlace};
use super::scan::{ScannedArray, StoredMember};

/// Key and offset of a member's 1-D or 2-D array of scalars.
pub(super) fn grid_of(store: &Store, member: &StoredMember) -> Result<(GroupKey, usize)> {
    if let Some(filtered) = store.filtered_of(member) {
        return Ok((filtered.key, member.start));
    }
    match store.array_of(member) {
        ScannedArray::Plain { key, head } => Ok((*key, member.start + head)),
        ScannedArray::Other(header) => {
            let message = match header.descr {
                Descr::Struct(_) => "expected a scalar dtype, found a structured one.".to_owned(),
                Descr::Scalar(_) => format!("expected 1 or 2 dimensions, found {}.", header.shape.len()),
            };
            Err(Error::unsupported("npz", format!("{message} Read it with read_arrays."))
                .at(member.offset as u64))
        }
        ScannedArray::None => Err(Error::malformed("npz", "expected an NPY array.").at(member.offset as u64)),
    }
}

/// The place of a member's 1-D array.
pub(super) fn vector_of(store: &Store, member: &StoredMember) -> Result<ArrayPlace> {
    let (key, offset) = grid_of(store, member)?;
    if key.two_dimensional {
        let message = format!("expected 1 dimension, found 2 ({} x {}).", key.nrows, key.width);
        return Err(Error::malformed("npz", message).at(member.offset as u64));
    }
    Ok(ArrayPlace { space: member.space, grid: Grid::column_major(key.dtype, key.nrows, 1, offset) })
}

/// Limits rows that store no bytes (automatic labels, null columns, types of no width), since a file can declare any number.
pub(super) fn check_rows(store: &Store, nrows: usize, parts: &[Part<ArrayPlace, ColumnPlace>]) -> Result<()> {
    let backed = parts.iter().any(|part| match part {
        Part::Block(place, positions) => place.grid.dtype.itemsize > 0 && !positions.is_empty(),
        Part::Column(column, _) => column.has_bits_for(nrows),
    });
    let cap = store.limits.max_unbacked_rows;
    if backed || nrows as u64 <= cap {
        return Ok(());
    }
    let message = format!(
        "declares {nrows} rows that store no bytes, the limit is {cap}. Raise Limits(max_unbacked_rows=...) if you trust the file."
    );
    Err(Error::limit("npz", message))
}

pub(super) fn check_width(store: &Store, ncols: usize) -> Result<()> {
    let cap = store.limits.max_columns;
    if ncols as u64 <= cap {
        return Ok(());
    }
    let message = format!(
        "declares {ncols} columns, the limit is {cap}. Raise Limits(max_columns=...) if you trust the file."
    );
    Err(Error::limit("npz", message))
}
