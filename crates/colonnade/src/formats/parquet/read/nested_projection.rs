//! Reads some leaves of nested columns: the file is opened again for these leaves, and no others are decoded.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use arrow_schema::DataType;

use crate::arrow::import::FieldRole;
use crate::decode::Request;
use crate::error::Result;
use crate::frame::paths::{LeafProjection, Projection};
use crate::frame::{Frame, children};
use crate::progress::NoProgress;

use super::file::Parquet;
use super::options::ReadOptions;

impl Parquet {
    /// [`Parquet::load`], of nested columns the part that is asked for.
    ///
    /// # Errors
    /// As [`Parquet::load`].
    pub fn load_part(&self, request: &Request<'_>) -> Result<Frame> {
        let Some((file, rest)) = self.narrow(request)? else { return self.load(request) };
        Ok(file.load(&Request { kept: None, ..*request })?.projected(&rest))
    }

    /// [`Parquet::load_arrow`], of nested columns the part that is asked for.
    ///
    /// # Errors
    /// As [`Parquet::load`].
    pub fn load_arrow_part(&self, request: &Request<'_>) -> Result<Vec<Frame>> {
        let Some((file, rest)) = self.narrow(request)? else { return self.load_arrow(request) };
        let frames = file.load_arrow(&Request { kept: None, ..*request })?;
        Ok(frames.into_iter().map(|frame| frame.projected(&rest)).collect())
    }

    /// [`Parquet::batch`], of nested columns the part that is asked for.
    ///
    /// # Errors
    /// As [`Parquet::load`].
    pub fn batch_part(&self, i: usize, request: &Request<'_>) -> Result<Frame> {
        let Some((file, rest)) = self.narrow(request)? else { return self.batch(i, request) };
        Ok(file.batch(i, &Request { kept: None, ..*request })?.projected(&rest))
    }

    /// The file that reads a part of nested columns, and what is left of what it reads; nothing where all is asked for.
    fn narrow(&self, request: &Request<'_>) -> Result<Option<(Arc<Self>, Projection)>> {
        let Some(kept) = request.kept.filter(|kept| !kept.is_all()) else { return Ok(None) };
        let held = || self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = held().as_ref().filter(|(asked, ..)| asked == kept).cloned();
        let (_, file, rest) = match known {
            Some(known) => known,
            None => {
                let (file, rest) = self.opened_for(kept)?;
                let made = (kept.clone(), Arc::new(file), rest);
                *held() = Some(made.clone());
                made
            }
        };
        Ok(Some((file, rest.selected(request.positions))))
    }

    /// The file opened for a part of its columns, with what is left of what it reads, by position.
    fn opened_for(&self, kept: &Projection) -> Result<(Self, Projection)> {
        let (mut only, mut read, mut parts) = (HashSet::new(), BTreeMap::new(), HashMap::new());
        for (field, root) in self.plan.fields.iter().zip(&self.roots) {
            let leaves = self.leaves.get(root.leaves.clone()).unwrap_or_default();
            let mut chosen = vec![true; leaves.len()];
            if let FieldRole::Column(position) = field.place
                && *kept.of(position) != LeafProjection::All
                && !leaves.first().is_some_and(|leaf| self.old_lists.contains(&leaf.root))
            {
                let part = readable(&field.data_type, kept.of(position));
                let mut marks = Vec::new();
                mark(&field.data_type, Some(&part), &mut marks);
                // Types that stand as others in the file are read whole.
                if marks.len() == leaves.len() {
                    chosen = marks;
                    parts.extend(leaves.first().map(|leaf| (leaf.root, part.clone())));
                    read.insert(position, part);
                }
            }
            only.extend(leaves.iter().zip(&chosen).filter(|(_, is)| **is).map(|(leaf, _)| leaf.element));
        }
        let options = ReadOptions { leaves: Some(only), parts, filter: None, ..self.options.clone() };
        let mut file = Self::open(self.unopened.clone(), options, &NoProgress)?;
        // What the filter left is known, and so are the rows and their labels.
        file.selection.clone_from(&self.selection);
        (file.starts, file.nrows) = (self.starts.clone(), self.nrows);
        file.plan.index = self.plan.index.clone();
        file.plan.picked = self.plan.picked.clone();
        file.plan.tags = self.plan.tags.clone();
        if let Some(index) = self.index.get() {
            let _ = file.index.set(index.clone());
        }
        let mut rest = BTreeMap::new();
        for (position, leaves) in kept.parts() {
            let part = read.get(&position).unwrap_or(&LeafProjection::All);
            rest.insert(position, leaves.within(part));
        }
        for field in &mut file.plan.fields {
            if let FieldRole::Column(position) = field.place {
                field.tag = kept.of(position).project_tag(field.tag.take());
            }
        }
        Ok((file, rest.into_iter().collect()))
    }
}

/// What can be read of a part: a map has its keys, whatever is asked of it.
fn readable(data_type: &DataType, kept: &LeafProjection) -> LeafProjection {
    let LeafProjection::Some(some) = kept else { return LeafProjection::All };
    let below = children(data_type);
    let mut out = BTreeMap::new();
    for (&number, kept) in some {
        let inner = below.get(number).map_or(LeafProjection::All, |field| readable(field.data_type(), kept));
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

/// Whether each leaf below a type, in the file's order, is of the part that is wanted.
fn mark(data_type: &DataType, kept: Option<&LeafProjection>, out: &mut Vec<bool>) {
    let below = children(data_type);
    match data_type {
        DataType::RunEndEncoded(_, values) => mark(values.data_type(), kept.and_then(|k| k.child(1)), out),
        _ if below.is_empty() => out.push(kept.is_some()),
        _ => {
            for (number, field) in below.into_iter().enumerate() {
                mark(field.data_type(), kept.and_then(|kept| kept.child(number)), out);
            }
        }
    }
}
