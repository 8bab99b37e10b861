//! What has no kernel of its own: arrays of each batch, joined.

use arrow_data::ArrayData;

use crate::arrow::import;
use crate::error::{Error, Result};
use crate::plan::Progress;

use super::super::arrays::field_of;
use super::{Landed, Landing, Piece, Way};

impl Landing<'_> {
    /// Lands the fields `wanted[i]` for `i` of `these`.
    pub(super) fn joined(&self, wanted: &[usize], ways: &[Way], these: &[usize], pieces: &[Piece], landed: &mut Landed, progress: &dyn Progress) -> Result<()> {
        if these.is_empty() {
            return Ok(());
        }
        let mut parts: Vec<Vec<ArrayData>> = vec![Vec::with_capacity(pieces.len()); these.len()];
        for piece in pieces {
            for (list, data) in parts.iter_mut().zip(self.arrays(wanted, these, piece, progress)?) {
                list.push(data);
            }
            progress.advance(0, None)?;
        }
        for (&i, list) in these.iter().zip(parts) {
            let field = wanted.get(i).copied().unwrap_or(0);
            let field_type = field_of(&self.catalog.shape, field)?;
            let named = |e: Error| e.in_member(field_type.name());
            let data = match list.as_slice() {
                [] => ArrayData::new_empty(field_type.data_type()),
                [one] => one.clone(),
                several => concat_arrays(several).map_err(named)?,
            };
            let dtype = match ways.get(i) {
                Some(Way::Joined(dtype)) => *dtype,
                _ => None,
            };
            match dtype.map(|d| import::to_block(d, &data)).transpose().map_err(named)?.flatten() {
                Some(block) => landed.blocks.push((block, vec![i])),
                None => landed.columns.push((i, data)),
            }
        }
        Ok(())
    }
}

fn concat_arrays(parts: &[ArrayData]) -> Result<ArrayData> {
    let arrays: Vec<_> = parts.iter().map(|d| arrow_array::make_array(d.clone())).collect();
    let refs: Vec<&dyn arrow_array::Array> = arrays.iter().map(|a| a.as_ref()).collect();
    Ok(arrow_select::concat::concat(&refs).map_err(|e| Error::malformed("arrow", e.to_string()))?.to_data())
}
