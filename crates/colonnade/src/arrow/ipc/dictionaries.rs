//! The values of dictionaries, as they stand at a record batch.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;

use crate::error::{Error, Result};
use crate::frame::has_validity;

use super::allowed::Allowed;
use super::arrays::Cursor;
use super::body::{Body, Source};
use super::catalog::{Catalog, DictionaryBatch};
use super::shape::{Place, Shape};

/// Values by id, as they stand at some place of a stream.
#[derive(Debug, Default)]
pub(crate) struct Dictionaries {
    held: HashMap<i64, Held>,
}

/// One dictionary: additions wait until somebody asks, so that many of them are joined once.
#[derive(Debug)]
struct Held {
    pieces: Vec<ArrayData>,
    whole: OnceLock<ArrayData>,
}

impl Held {
    fn new(values: ArrayData) -> Self {
        Self { pieces: vec![values], whole: OnceLock::new() }
    }

    fn add(&mut self, values: ArrayData) {
        if let Some(whole) = self.whole.take() {
            self.pieces = vec![whole];
        }
        self.pieces.push(values);
    }

    fn nvalues(&self) -> usize {
        self.pieces.iter().map(ArrayData::len).sum()
    }

    fn whole(&self) -> Result<ArrayData> {
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

impl Dictionaries {
    /// Takes one message.
    ///
    /// # Errors
    /// Malformed values.
    pub(crate) fn take(
        &mut self,
        source: &Source,
        shape: &Shape,
        message: &DictionaryBatch,
        allowed: &Allowed,
    ) -> Result<()> {
        let named =
            |e: Error| e.in_member(format!("dictionary {}", message.id)).at(message.batch.header_at as u64);
        let data_type = shape.dictionaries.get(&message.id).ok_or_else(|| {
            named(Error::malformed("arrow", "no field of the schema has a dictionary of this id."))
        })?;
        let body = Body::new(source, &message.batch).map_err(named)?;
        let mut cursor =
            Cursor::new(&body, shape, Known::Now(self), Place::default(), allowed).map_err(named)?;
        let made = cursor.of_type(data_type).map_err(named)?;
        match self.held.get_mut(&message.id) {
            Some(known) if message.delta => known.add(made),
            _ => {
                self.held.insert(message.id, Held::new(made));
            }
        }
        Ok(())
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
    versions: HashMap<i64, Vec<Version>>,
    /// Whether one was replaced by another, rather than added to.
    pub(crate) replaced: bool,
}

/// A dictionary until it is replaced: all its values, and how many there are from which batch on.
#[derive(Debug)]
struct Version {
    values: ArrayData,
    steps: Vec<(usize, usize)>,
}

impl History {
    /// Decodes all dictionaries, or those of the ids in `only`.
    ///
    /// # Errors
    /// Malformed values.
    pub(crate) fn new(
        source: &Source,
        catalog: &Catalog,
        allowed: &Allowed,
        only: Option<&HashSet<i64>>,
    ) -> Result<Self> {
        let mut now = Dictionaries::default();
        let mut steps: HashMap<i64, Vec<(usize, usize)>> = HashMap::new();
        let mut out = Self { versions: HashMap::new(), replaced: false };
        let wanted = |id: i64| only.is_none_or(|only| only.contains(&id));
        for message in catalog.dictionaries.iter().filter(|m| wanted(m.id)) {
            if !message.delta && now.held.contains_key(&message.id) {
                out.replaced = true;
                out.keep(message.id, &now, &mut steps)?;
            }
            now.take(source, &catalog.shape, message, allowed)?;
            let nvalues = now.held.get(&message.id).map_or(0, Held::nvalues);
            steps.entry(message.id).or_default().push((message.before, nvalues));
        }
        for &id in now.held.keys() {
            out.keep(id, &now, &mut steps)?;
        }
        Ok(out)
    }

    fn keep(
        &mut self,
        id: i64,
        now: &Dictionaries,
        steps: &mut HashMap<i64, Vec<(usize, usize)>>,
    ) -> Result<()> {
        if let (Some(held), Some(steps)) = (now.held.get(&id), steps.remove(&id)) {
            let values = held.whole().map_err(|e| e.in_member(format!("dictionary {id}")))?;
            self.versions.entry(id).or_default().push(Version { values, steps });
        }
        Ok(())
    }

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
