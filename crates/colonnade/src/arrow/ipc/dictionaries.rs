//! The values of dictionaries, as they stand at a record batch.

use std::collections::HashMap;
use std::sync::OnceLock;

use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;

use crate::error::{Error, Result};
use crate::frame::has_validity;

/// Values by id, as they stand at some place of a stream.
#[derive(Debug, Default)]
pub(crate) struct Dictionaries {
    pub(super) held: HashMap<i64, Held>,
}

/// One dictionary: additions wait until somebody asks, so that many of them are joined once.
#[derive(Debug)]
pub(super) struct Held {
    pieces: Vec<ArrayData>,
    whole: OnceLock<ArrayData>,
}

impl Held {
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
        let made = joined(&self.pieces)?;
        Ok(self.whole.get_or_init(|| made).clone())
    }
}

fn joined(pieces: &[ArrayData]) -> Result<ArrayData> {
    let wrong = |e| Error::malformed("arrow", format!("the addition does not fit the dictionary: {e}."));
    let nulls = pieces.iter().any(has_validity);
    let total = pieces.iter().map(ArrayData::len).sum();
    let mut out = MutableArrayData::try_new(pieces.iter().collect(), nulls, total).map_err(wrong)?;
    for (i, piece) in pieces.iter().enumerate() {
        out.try_extend(i, 0, piece.len()).map_err(wrong)?;
    }
    Ok(out.freeze())
}

/// Where values are looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Known<'a> {
    /// As they stand now.
    Now(&'a Dictionaries),
    /// As they stood at a record batch.
    At(&'a History, usize),
}

impl Known<'_> {
    /// The values of dictionary `id`, if it is there.
    ///
    /// # Errors
    /// Malformed: additions that do not fit.
    pub(crate) fn get(self, id: i64) -> Result<Option<ArrayData>> {
        match self {
            Self::Now(dictionaries) => dictionaries.held.get(&id).map(Held::whole).transpose(),
            Self::At(history, batch) => Ok(history.get(id, batch)),
        }
    }
}

/// The dictionaries at each record batch. One that grew is held once, and each batch sees its beginning.
#[derive(Debug)]
pub(crate) struct History {
    pub(super) versions: HashMap<i64, Vec<Version>>,
    /// Whether one was replaced by another, rather than added to.
    pub(crate) replaced: bool,
}

/// A dictionary until it is replaced: all its values, and how many there are from which batch on.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) values: ArrayData,
    pub(super) steps: Vec<(usize, usize)>,
}

impl History {
    fn get(&self, id: i64, batch: usize) -> Option<ArrayData> {
        let versions = self.versions.get(&id)?;
        let begun = versions.partition_point(|v| v.steps.first().is_some_and(|(from, _)| *from <= batch));
        let version = versions.get(begun.checked_sub(1)?)?;
        let step = version.steps.partition_point(|(from, _)| *from <= batch);
        let (_, nvalues) = *version.steps.get(step.checked_sub(1)?)?;
        Some(if nvalues == version.values.len() {
            version.values.clone()
        } else {
            version.values.slice(0, nvalues)
        })
    }

    /// As they stand at batch `i`.
    pub(crate) fn at(&self, i: usize) -> Known<'_> {
        Known::At(self, i)
    }

    /// As they stand at the end.
    pub(crate) fn last(&self) -> Known<'_> {
        self.at(usize::MAX)
    }
}
