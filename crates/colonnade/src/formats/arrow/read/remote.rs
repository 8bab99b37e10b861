//! Reads remote files: fetches the footer first, then the headers that it refers to, then the requested buffers.

use std::collections::HashSet;
use std::sync::{Arc, PoisonError};

use arrow_schema::{DataType, Field};

use crate::error::Result;
use crate::frame::children;
use crate::frame::paths::{LeafProjection, Projection};
use crate::progress::{NoProgress, Progress};

use super::open::Ipc;
use crate::arrow::ipc::allowed::DecodeBudget;
use crate::arrow::ipc::arrays::field_of;
use crate::arrow::ipc::body::BatchBody;
use crate::arrow::ipc::catalog::BatchPosition;
use crate::arrow::ipc::dictionaries::DictionaryHistory;
use crate::arrow::ipc::field_position::FieldPosition;
use crate::arrow::ipc::shape::BatchLayout;

impl Ipc {
    /// Fetches the buffers of these fields in these batches.
    pub(super) fn need(
        &self,
        fields: &[usize],
        nested_projection: Option<&Projection>,
        batches: impl Iterator<Item = usize> + Clone,
        progress: &dyn Progress,
    ) -> Result<()> {
        let Some(remote) = &self.source.remote else { return Ok(()) };
        let mut ranges = Vec::new();
        self.each(fields, nested_projection, batches.clone(), &mut |body, i| {
            // A damaged buffer is an error when it is decoded. Validity without nulls is not.
            if let Ok((start, nbytes)) = body.place(i) {
                ranges.push((start, start.saturating_add(nbytes)));
            }
            Ok(())
        })?;
        remote.need(&ranges, progress)?;
        // The decompressed sizes are known only now.
        let mut nbytes = 0u64;
        self.each(fields, nested_projection, batches.clone(), &mut |body, i| {
            nbytes = nbytes.saturating_add(body.decompressed_nbytes(i).unwrap_or(0));
            Ok(())
        })?;
        let selected = batches.filter_map(|i| self.catalog.batches.get(i));
        let ncells =
            selected.map(|batch| Ok(BatchBody::new(&self.source, batch)?.ncells())).sum::<Result<u64>>()?;
        let input = self.source.bytes.nbytes() as u64;
        self.options.limits.check_decoded("arrow", "the columns", nbytes, input, ncells)
    }

    /// Fetches the whole file.
    pub(super) fn need_all(&self, progress: &dyn Progress) -> Result<()> {
        let Some(remote) = &self.source.remote else { return Ok(()) };
        remote.need(&[(0, usize::MAX)], progress)
    }

    /// Calls `work` for each buffer of these fields in these batches, as far as `nested_projection` projects them.
    fn each(
        &self,
        fields: &[usize],
        nested_projection: Option<&Projection>,
        batches: impl Iterator<Item = usize>,
        work: &mut dyn FnMut(&BatchBody<'_>, usize) -> Result<()>,
    ) -> Result<()> {
        let shape = &self.catalog.shape;
        for batch in batches.filter_map(|i| self.catalog.batches.get(i)) {
            let body = BatchBody::new(&self.source, batch)?;
            for &field in fields {
                let Some(place) = shape.places.get(field) else { continue };
                if let Some(leaves) = nested_projection
                    .map(|leaves| leaves.of(field))
                    .filter(|leaves| **leaves != LeafProjection::All)
                {
                    let mut walk = BufferVisitor { body: &body, shape, at: *place, work };
                    let field = field_of(shape, field)?;
                    walk.field(field, shape.extent(field)?, leaves)?;
                    continue;
                }
                let next = shape.places.get(field + 1).unwrap_or(&shape.total);
                let first = place.buffer + body.variadic_before(place.view)?;
                let end = next.buffer + body.variadic_before(next.view)?;
                (first..end).try_for_each(|i| work(&body, i))?;
            }
        }
        Ok(())
    }

    /// Returns the dictionaries of these fields, decoded once. Of a remote file only these are fetched.
    pub(super) fn history(
        &self,
        fields: &[usize],
        nested_projection: Option<&Projection>,
    ) -> Result<Arc<DictionaryHistory>> {
        let mut dictionary_ids = match self.source.remote {
            Some(_) => Some(self.dictionaries_of(fields, nested_projection)?),
            None => None,
        };
        let lock_history = || self.history.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((ids, history)) = lock_history().as_ref() {
            match (&mut dictionary_ids, ids) {
                (Some(dictionary_ids), Some(ids)) if !dictionary_ids.is_subset(ids) => {
                    dictionary_ids.extend(ids)
                }
                _ => return Ok(Arc::clone(history)),
            }
        }
        if let (Some(remote), Some(ids)) = (&self.source.remote, &dictionary_ids) {
            let batches = self.catalog.dictionaries.iter().filter(|d| ids.contains(&d.id)).map(|d| &d.batch);
            let range = |b: &BatchPosition| (b.body_at, b.body_at.saturating_add(b.body_nbytes));
            remote.need(&batches.map(range).collect::<Vec<_>>(), &NoProgress)?;
        }
        let allowed = DecodeBudget::new(&self.options.limits, self.source.bytes.nbytes());
        let history =
            Arc::new(DictionaryHistory::new(&self.source, &self.catalog, &allowed, dictionary_ids.as_ref())?);
        *lock_history() = Some((dictionary_ids, Arc::clone(&history)));
        Ok(history)
    }

    /// The ids of all dictionaries that these fields refer to, including those inside the values of other dictionaries.
    fn dictionaries_of(
        &self,
        fields: &[usize],
        nested_projection: Option<&Projection>,
    ) -> Result<HashSet<i64>> {
        let shape = &self.catalog.shape;
        let mut ids = HashSet::new();
        for &field in fields {
            let leaves = nested_projection.map_or(&LeafProjection::All, |leaves| leaves.of(field));
            collect(&leaves.project_field(field_of(shape, field)?), &mut ids);
        }
        let mut seen = 0;
        while seen < ids.len() {
            seen = ids.len();
            let mut more = HashSet::new();
            let values = ids.iter().filter_map(|id| shape.dictionaries.get(id));
            values.flat_map(children).for_each(|child| collect(child, &mut more));
            ids.extend(more);
        }
        Ok(ids)
    }
}

/// Visits the nodes and buffers of one field in one batch, and calls `work` for the buffers of the projected leaves.
struct BufferVisitor<'w, 'b> {
    body: &'w BatchBody<'b>,
    shape: &'w BatchLayout,
    at: FieldPosition,
    work: &'w mut dyn FnMut(&BatchBody<'_>, usize) -> Result<()>,
}

impl BufferVisitor<'_, '_> {
    /// Visits a field, up to the position `whole`.
    fn field(&mut self, field: &Field, whole: FieldPosition, leaves: &LeafProjection) -> Result<()> {
        if *leaves == LeafProjection::All {
            return self.take(whole);
        }
        let end = self.at.plus(whole);
        let below = children(field.data_type());
        let extents = below.iter().map(|child| self.shape.extent(child));
        let extents: Vec<FieldPosition> = extents.collect::<Result<_>>()?;
        // The field's own nodes and buffers precede those of its children.
        self.take(extents.iter().fold(whole, |remainder, extent| remainder.without(*extent)))?;
        for (number, (child, extent)) in below.into_iter().zip(extents).enumerate() {
            match leaves.child(number) {
                Some(leaves) => self.field(child, extent, leaves)?,
                None => self.at = self.at.plus(extent),
            }
        }
        self.at = end;
        Ok(())
    }

    /// Visits the next nodes and buffers, as many as in `extent`.
    fn take(&mut self, extent: FieldPosition) -> Result<()> {
        let end = self.at.plus(extent);
        let first = self.at.buffer + self.body.variadic_before(self.at.view)?;
        let last = end.buffer + self.body.variadic_before(end.view)?;
        self.at = end;
        (first..last).try_for_each(|i| (self.work)(self.body, i))
    }
}

fn collect(field: &Field, ids: &mut HashSet<i64>) {
    #[allow(deprecated)] // only the field has the id of a dictionary
    ids.extend(field.dict_id());
    match field.data_type() {
        DataType::Dictionary(_, values) => children(values).into_iter().for_each(|f| collect(f, ids)),
        other => children(other).into_iter().for_each(|f| collect(f, ids)),
    }
}
