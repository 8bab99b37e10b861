//! Decodes types without a specialized decoder: an array for each batch, which are then joined.

use arrow_data::ArrayData;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::{concat, import};
use crate::error::{Error, Result};
use crate::frame::{Column, DType, DTypeKind};
use crate::progress::Progress;

use super::{BatchRows, ColumnConversion, ColumnDecoder};
use crate::arrow::ipc::arrays::field_of;

impl ColumnDecoder<'_> {
    /// Decodes the fields `projection[i]` for each `i` of `slots`.
    pub(super) fn decode_general(
        &self,
        projection: &[usize],
        conversions: &[ColumnConversion],
        slots: &[usize],
        pieces: &[BatchRows],
        decoded: &mut DecodedColumns,
        progress: &dyn Progress,
    ) -> Result<()> {
        if slots.is_empty() {
            return Ok(());
        }
        let mut parts: Vec<Vec<ArrayData>> = vec![Vec::with_capacity(pieces.len()); slots.len()];
        for piece in pieces {
            for (list, data) in parts.iter_mut().zip(self.arrays(projection, slots, piece, progress)?) {
                list.push(data);
            }
            progress.advance(0, None)?;
        }
        for (&i, list) in slots.iter().zip(parts) {
            let field = projection.get(i).copied().unwrap_or(0);
            let field_type = field_of(&self.catalog.shape, field)?;
            let named = |e: Error| e.in_member(field_type.name());
            let refs: Vec<&ArrayData> = list.iter().collect();
            let is_ordered = field_type.dict_is_ordered().unwrap_or(false);
            let data = concat::arrays(&self.empty(field)?, &refs, is_ordered).map_err(named)?;
            let dtype = match conversions.get(i) {
                Some(ColumnConversion::General(dtype)) => *dtype,
                _ => None,
            };
            let dtype = dtype.map(|d| widen_text(d, &data));
            match dtype.map(|d| import::to_block(d, &data)).transpose().map_err(named)?.flatten() {
                Some(block) => decoded.blocks.push((block, vec![i])),
                None => decoded.columns.push((i, data)),
            }
        }
        Ok(())
    }
}

/// Widens the dtype of text: a stream declares the width of its first chunk, and later chunks may be wider.
fn widen_text(dtype: DType, data: &ArrayData) -> DType {
    if dtype.kind != DTypeKind::Unicode {
        return dtype;
    }
    let column = Column::new(data.clone());
    let longest = (0..data.len())
        .filter_map(|row| column.string(row))
        .map(|text| text.chars().count())
        .max()
        .unwrap_or(0);
    let itemsize = u32::try_from(longest.saturating_mul(4)).unwrap_or(u32::MAX);
    DType { itemsize: dtype.itemsize.max(itemsize), ..dtype }
}
