//! Decodes an opened source to one frame.

use crate::arrow::decoded_columns::DecodedColumns;
use crate::decode::{MemoryLayout, PandasNulls, Request};
use crate::error::Result;
use crate::frame::paths::Projection;
use crate::frame::{Axis, Frame, row_range};
use crate::progress::NoProgress;

use super::decode::ColumnDecoder;
use super::open::Ipc;
use crate::arrow::ipc::allowed::DecodeBudget;

impl Ipc {
    /// Returns the row labels, which are decoded once.
    ///
    /// # Errors
    /// Malformed bodies.
    pub fn index(&self) -> Result<&Axis> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let fields = self.plan.level_fields();
        let request = Request::all(self.options.threads, &NoProgress);
        let decoded = self.decode_columns(&fields, None, (0, self.catalog.nrows), &request)?;
        let axis = self.plan.decoded_index(&fields, decoded, self.catalog.nrows)?;
        Ok(self.index.get_or_init(|| axis))
    }

    /// Decodes all batches, or the requested part, to one frame.
    ///
    /// # Errors
    /// Malformed bodies; a position or row that does not exist; errors of the operating system.
    pub fn load(&self, request: &Request<'_>) -> Result<Frame> {
        let (start, stop) = row_range("arrow", request.rows, self.catalog.nrows)?;
        let chosen = self.plan.chosen("arrow", request.positions)?;
        let (plan, nested_projection) = self.plan.projected(request.projection);
        let decoded =
            self.decode_columns(&chosen.fields, nested_projection.as_ref(), (start, stop), request)?;
        let whole = (start, stop) == (0, self.catalog.nrows);
        let index = if whole { self.index()?.clone() } else { self.index()?.slice(start, stop) };
        plan.decoded_frame(&chosen, decoded, index)
    }

    fn decode_columns(
        &self,
        projection: &[usize],
        nested_projection: Option<&Projection>,
        rows: (usize, usize),
        request: &Request<'_>,
    ) -> Result<DecodedColumns> {
        let in_place = match (&self.mapped, request.private) {
            (_, false) => Some(self.source.bytes.clone()),
            (Some(file), true) if self.nbatches() > 0 => Some(file.map_private()?),
            _ => None,
        };
        let history = self.history(projection, nested_projection)?;
        let (start, stop) = rows;
        let touched = |i: &usize| self.catalog.batches.get(*i).is_some_and(|b| b.meets(start, stop));
        self.need(projection, nested_projection, (0..self.nbatches()).filter(touched), request.progress)?;
        let allowed = DecodeBudget::new(&self.options.limits, self.source.bytes.nbytes());
        let nulls = PandasNulls::new(&self.plan);
        let decoder = ColumnDecoder {
            source: &self.source,
            catalog: &self.catalog,
            plan: &self.plan,
            history: &history,
            nested_projection,
            rows,
            threads: request.threads,
            allowed: &allowed,
            in_place: in_place.as_ref(),
            nulls: (request.layout == MemoryLayout::Pandas).then_some(&nulls),
        };
        decoder.run(projection, request.progress)
    }
}
