//! Values of one width: into blocks, or into Arrow's layout.

use arrow_schema::DataType;

use crate::arrow::landed::Landed;
use crate::error::{Error, Result};
use crate::parquet::types::Physical;
use crate::plan::Progress;

use super::super::schema::Flat;
use super::{Landing, Piece};

/// Whether a leaf lands here.
pub(super) fn is_fixed(_data_type: &DataType, flat: &Flat) -> bool {
    flat.physical != Physical::Bytes
}

impl Landing<'_> {
    /// Lands the fields `wanted[i]` for `i` of `these`.
    pub(super) fn fixed(
        &self,
        _wanted: &[usize],
        _these: &[usize],
        _pieces: &[Piece],
        _landed: &mut Landed,
        _progress: &dyn Progress,
    ) -> Result<()> {
        Err(Error::unsupported("parquet", ""))
    }
}
