//! Dictionary pages straight to the codes of categoricals.

use crate::arrow::landed::Landed;
use crate::error::{Error, Result};
use crate::plan::Progress;

use super::{Landing, Piece};

impl Landing<'_> {
    /// Lands the fields `wanted[i]` for `i` of `these`.
    pub(super) fn category(
        &self,
        wanted: &[usize],
        these: &[usize],
        _pieces: &[Piece],
        _landed: &mut Landed,
        _progress: &dyn Progress,
    ) -> Result<()> {
        let Some(&field) = these.first().and_then(|&i| wanted.get(i)) else { return Ok(()) };
        let name = self.field(field)?.name();
        Err(Error::unsupported("parquet", format!("column {name:?}: its type is not read yet.")))
    }
}
