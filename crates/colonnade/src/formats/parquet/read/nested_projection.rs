//! Reads some leaves of nested columns: opens the file again for these leaves, so that only they are decoded.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use arrow_schema::DataType;

use crate::arrow::import::FieldRole;
use crate::decode::Request;
use crate::error::Result;
use crate::formats::parquet::lowered;
use crate::frame::paths::{LeafProjection, Projection};
use crate::frame::{Frame, children};
use crate::progress::NoProgress;

use super::file::Parquet;
use super::options::ReadOptions;

impl Parquet {
    /// [`Parquet::load`], for a projection that may select a part of nested columns.
    ///
    /// # Errors
    /// As [`Parquet::load`].
    pub fn load_part(&self, request: &Request<'_>) -> Result<Frame> {
        let Some((file, rest)) = self.project(request)? else { return self.load(request) };
        Ok(file.load(&Request { projection: None, ..*request })?.projected(&rest))
    }

    /// [`Parquet::load_arrow`], for a projection that may select a part of nested columns.
    ///
    /// # Errors
    /// As [`Parquet::load`].
    pub fn load_arrow_part(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        let Some((file, rest)) = self.project(request)? else { return self.load_arrow(request) };
        let frames = file.load_arrow(&Request { projection: None, ..*request })?;
        Ok(frames.into_iter().map(|frame| frame.projected(&rest)).collect())
    }

    /// [`Parquet::batch`], for a projection that may select a part of nested columns.
    ///
    /// # Errors
    /// As [`Parquet::load`].
    pub fn batch_part(&self, i: usize, request: &Request<'_>) -> Result<Frame> {
        let Some((file, rest)) = self.project(request)? else { return self.batch(i, request) };
        Ok(file.batch(i, &Request { projection: None, ..*request })?.projected(&rest))
    }

    /// Returns the file that reads the selected leaves, and the projection that remains to be applied; `None` if whole columns
    /// are selected.
    fn project(&self, request: &Request<'_>) -> Result<Option<(Arc<Self>, Projection)>> {
        let Some(projection) = request.projection.filter(|projection| !projection.is_all()) else {
            return Ok(None);
        };
        let held = || self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held().as_ref().filter(|(asked, ..)| asked == projection).cloned();
        let (_, file, rest) = match known {
            Some(known) => known,
            None => {
                let (file, rest) = self.open_for(projection)?;
                let entry = (projection.clone(), Arc::new(file), rest);
                *held() = Some(entry.clone());
                entry
            }
        };
        Ok(Some((file, rest.selected(request.positions))))
    }

    /// Opens the file for the leaves of `projection`; also returns the projection that remains to be applied, by position.
    fn open_for(&self, projection: &Projection) -> Result<(Self, Projection)> {
        let (mut only, mut read, mut parts) = (HashSet::new(), BTreeMap::new(), HashMap::new());
        for (field, root) in self.plan.fields.iter().zip(&self.roots) {
            let leaves = self.leaves.get(root.leaves.clone()).unwrap_or_default();
            let mut chosen = vec![true; leaves.len()];
            if let FieldRole::Column(position) = field.place
                && *projection.of(position) != LeafProjection::All
            {
                let part = readable(&field.data_type, projection.of(position));
                let mut marks = Vec::new();
                mark(&field.data_type, Some(&part), &mut marks);
                // A type that the file stores as another type is read whole.
                if marks.len() == leaves.len() {
                    chosen = marks;
                    parts.extend(leaves.first().map(|leaf| (leaf.root, part.clone())));
                    read.insert(position, part);
                }
            }
            only.extend(leaves.iter().zip(&chosen).filter(|(_, is)| **is).map(|(leaf, _)| leaf.element));
        }
        let options = ReadOptions { leaves: Some(only), parts, filter: None, ..self.options.clone() };
        let mut file = Self::open(self.stored_bytes.clone(), options, &NoProgress)?;
        // The filter has already been applied, and the row labels are decoded.
        file.selection.clone_from(&self.selection);
        (file.starts, file.nrows) = (self.starts.clone(), self.nrows);
        file.plan.index = self.plan.index.clone();
        file.plan.picked = self.plan.picked.clone();
        file.plan.tags = self.plan.tags.clone();
        if let Some(index) = self.index.get() {
            let _ = file.index.set(index.clone());
        }
        let mut rest = BTreeMap::new();
        for (position, leaves) in projection.parts() {
            let part = read.get(&position).unwrap_or(&LeafProjection::All);
            rest.insert(position, leaves.within(part));
        }
        for field in &mut file.plan.fields {
            if let FieldRole::Column(position) = field.place {
                field.tag = lowered::project_tag(projection.of(position), field.tag.take());
            }
        }
        Ok((file, rest.into_iter().collect()))
    }
}

/// The part of `projection` that can be decoded separately: a map always keeps its keys.
fn readable(data_type: &DataType, projection: &LeafProjection) -> LeafProjection {
    let LeafProjection::Some(some) = projection else { return LeafProjection::All };
    let below = children(data_type);
    let mut out = BTreeMap::new();
    for (&number, projection) in some {
        let inner =
            below.get(number).map_or(LeafProjection::All, |field| readable(field.data_type(), projection));
        out.insert(number, inner);
    }
    if matches!(data_type, DataType::Map(..))
        && let Some(LeafProjection::Some(pair)) = out.get_mut(&0)
    {
        pair.insert(0, LeafProjection::All);
        pair.entry(1).or_insert(LeafProjection::All);
        if pair.values().all(|inner| *inner == LeafProjection::All) {
            return LeafProjection::All;
        }
    }
    LeafProjection::Some(out)
}

/// Appends, for each leaf below a type in file order, whether `projection` selects it.
fn mark(data_type: &DataType, projection: Option<&LeafProjection>, out: &mut Vec<bool>) {
    let below = children(data_type);
    match data_type {
        DataType::RunEndEncoded(_, values) => {
            mark(values.data_type(), projection.and_then(|k| k.child(1)), out)
        }
        _ if below.is_empty() => out.push(projection.is_some()),
        _ => {
            for (number, field) in below.into_iter().enumerate() {
                mark(field.data_type(), projection.and_then(|projection| projection.child(number)), out);
            }
        }
    }
}
