//! The values of dictionaries at each record batch.

use std::collections::HashMap;
use std::sync::OnceLock;

use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;

use crate::error::{Error, Result};
use crate::frame::has_validity;

/// Values by id, at one position of a stream.
#[derive(Debug, Default)]
pub(crate) struct DictionaryMap {
    pub(super) values: HashMap<i64, DictionaryValues>,
}

/// One dictionary. Deltas are joined when its values are first read, so that many deltas are joined once.
#[derive(Debug)]
pub(super) struct DictionaryValues {
    pieces: Vec<ArrayData>,
    whole: OnceLock<ArrayData>,
}

impl DictionaryValues {
    pub(super) fn new(values: ArrayData) -> Self {
        Self { pieces: vec![values], whole: OnceLock::new() }
    }

    pub(super) fn add(&mut self, values: ArrayData) {
        if let Some(whole) = self.whole.take() {
            self.pieces = vec![whole];
        }
        self.pieces.push(values);
    }

    pub(super) fn nvalues(&self) -> usize {
        self.pieces.iter().map(ArrayData::len).sum()
    }

    pub(super) fn whole(&self) -> Result<ArrayData> {
        if let [one] = self.pieces.as_slice() {
            return Ok(one.clone());
        }
        if let Some(whole) = self.whole.get() {
            return Ok(whole.clone());
        }
        let values = join(&self.pieces)?;
        Ok(self.whole.get_or_init(|| values).clone())
    }
}

fn join(pieces: &[ArrayData]) -> Result<ArrayData> {
    let malformed = |e| Error::malformed("arrow", format!("the addition does not fit the dictionary: {e}."));
    let nulls = pieces.iter().any(has_validity);
    let total = pieces.iter().map(ArrayData::len).sum();
    let mut out = MutableArrayData::try_new(pieces.iter().collect(), nulls, total).map_err(malformed)?;
    for (i, piece) in pieces.iter().enumerate() {
        out.try_extend(i, 0, piece.len()).map_err(malformed)?;
    }
    Ok(out.freeze())
}

/// The position at which values are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DictionaryLookup<'a> {
    /// The current values of a stream that is being read.
    Now(&'a DictionaryMap),
    /// The values at a record batch.
    At(&'a DictionaryHistory, usize),
}

impl DictionaryLookup<'_> {
    /// The values of dictionary `id`; `None` if it was not sent.
    ///
    /// # Errors
    /// Malformed: a delta does not fit the dictionary.
    pub(crate) fn get(self, id: i64) -> Result<Option<ArrayData>> {
        match self {
            Self::Now(dictionaries) => dictionaries.values.get(&id).map(DictionaryValues::whole).transpose(),
            Self::At(history, batch) => Ok(history.get(id, batch)),
        }
    }
}

/// The dictionaries at each record batch. A dictionary that grew is stored once, and each batch sees a prefix of it.
#[derive(Debug)]
pub(crate) struct DictionaryHistory {
    pub(super) versions: HashMap<i64, Vec<DictionaryVersion>>,
    /// Whether a dictionary was replaced, rather than extended.
    pub(crate) replaced: bool,
}

/// A dictionary until its replacement: all its values, and steps `(first batch, number of values)`.
#[derive(Debug)]
pub(super) struct DictionaryVersion {
    pub(super) values: ArrayData,
    pub(super) steps: Vec<(usize, usize)>,
}

impl DictionaryHistory {
    fn get(&self, id: i64, batch: usize) -> Option<ArrayData> {
        let versions = self.versions.get(&id)?;
        let nversions = versions.partition_point(|v| v.steps.first().is_some_and(|(from, _)| *from <= batch));
        let version = versions.get(nversions.checked_sub(1)?)?;
        let nsteps = version.steps.partition_point(|(from, _)| *from <= batch);
        let (_, nvalues) = *version.steps.get(nsteps.checked_sub(1)?)?;
        Some(if nvalues == version.values.len() {
            version.values.clone()
        } else {
            version.values.slice(0, nvalues)
        })
    }

    /// The values at batch `i`.
    pub(crate) fn at(&self, i: usize) -> DictionaryLookup<'_> {
        DictionaryLookup::At(self, i)
    }

    /// The values at the end.
    pub(crate) fn last(&self) -> DictionaryLookup<'_> {
        self.at(usize::MAX)
    }
}
