//! The values of dictionaries, as they stand at a record batch.

use std::collections::HashMap;

use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;

use crate::error::{Error, Result};

use super::arrays::Cursor;
use super::body::{Body, Source};
use super::scan::{Catalog, DictionaryBatch};
use super::shape::{Place, Shape};

/// Values by id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dictionaries {
    values: HashMap<i64, ArrayData>,
}

impl Dictionaries {
    pub(crate) fn get(&self, id: i64) -> Option<ArrayData> {
        self.values.get(&id).cloned()
    }

    /// Takes one message.
    ///
    /// # Errors
    /// Malformed values.
    pub(crate) fn take(&mut self, source: &Source, shape: &Shape, message: &DictionaryBatch, limits: u64) -> Result<()> {
        let named = |e: Error| e.in_member(format!("dictionary {}", message.id)).at(message.batch.header_at as u64);
        let data_type = shape
            .dictionaries
            .get(&message.id)
            .ok_or_else(|| named(Error::malformed("arrow", "no field of the schema has a dictionary of this id.")))?;
        let body = Body::new(source, &message.batch).map_err(named)?;
        let mut cursor = Cursor::new(&body, shape, self, Place::default(), limits).map_err(named)?;
        let made = cursor.of_type(data_type).map_err(named)?;
        let made = match self.values.get(&message.id) {
            Some(known) if message.delta => joined(known, &made).map_err(named)?,
            _ => made,
        };
        self.values.insert(message.id, made);
        Ok(())
    }
}

fn joined(first: &ArrayData, second: &ArrayData) -> Result<ArrayData> {
    let mut out = MutableArrayData::new(vec![first, second], first.nulls().or(second.nulls()).is_some(), first.len() + second.len());
    let added = out.try_extend(0, 0, first.len()).and_then(|()| out.try_extend(1, 0, second.len()));
    added.map_err(|e| Error::malformed("arrow", format!("the addition does not fit the dictionary: {e}.")))?;
    Ok(out.freeze())
}

/// The dictionaries at each record batch: `steps[i]` holds from batch `from` on.
#[derive(Debug)]
pub(crate) struct History {
    steps: Vec<(usize, Dictionaries)>,
    /// Whether one was replaced by another, rather than added to.
    pub(crate) replaced: bool,
}

impl History {
    /// Decodes all dictionaries.
    ///
    /// # Errors
    /// Malformed values.
    pub(crate) fn new(source: &Source, catalog: &Catalog, limits: u64) -> Result<Self> {
        let mut now = Dictionaries::default();
        let mut steps: Vec<(usize, Dictionaries)> = Vec::new();
        let mut replaced = false;
        for message in &catalog.dictionaries {
            replaced |= !message.delta && now.values.contains_key(&message.id);
            now.take(source, &catalog.shape, message, limits)?;
            match steps.last_mut() {
                Some((from, last)) if *from == message.before => *last = now.clone(),
                _ => steps.push((message.before, now.clone())),
            }
        }
        if steps.first().is_none_or(|(from, _)| *from > 0) {
            steps.insert(0, (0, Dictionaries::default()));
        }
        Ok(Self { steps, replaced })
    }

    /// As they stand at batch `i`.
    pub(crate) fn at(&self, i: usize) -> &Dictionaries {
        let after = self.steps.partition_point(|(from, _)| *from <= i);
        // The first step begins at 0.
        self.steps.get(after.saturating_sub(1)).map_or_else(|| unreachable_step(), |(_, d)| d)
    }

    /// As they stand at the end.
    pub(crate) fn last(&self) -> &Dictionaries {
        self.at(usize::MAX)
    }
}

fn unreachable_step() -> &'static Dictionaries {
    static EMPTY: std::sync::LazyLock<Dictionaries> = std::sync::LazyLock::new(Dictionaries::default);
    &EMPTY
}
