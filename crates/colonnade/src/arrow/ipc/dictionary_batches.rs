//! Decodes dictionary batches into the values at each record batch.

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result};

use super::allowed::DecodeBudget;
use super::arrays::FieldCursor;
use super::body::{BatchBody, IpcSource};
use super::catalog::{Catalog, DictionaryBatch};
use super::dictionaries::{
    DictionaryHistory, DictionaryLookup, DictionaryMap, DictionaryValues, DictionaryVersion,
};
use super::field_position::FieldPosition;
use super::shape::BatchLayout;

impl DictionaryMap {
    /// Decodes one message and adds its values.
    ///
    /// # Errors
    /// Malformed values.
    pub(crate) fn decode(
        &mut self,
        source: &IpcSource,
        shape: &BatchLayout,
        message: &DictionaryBatch,
        budget: &DecodeBudget,
    ) -> Result<()> {
        let in_dictionary =
            |e: Error| e.in_member(format!("dictionary {}", message.id)).at(message.batch.input_at);
        let data_type = shape.dictionaries.get(&message.id).ok_or_else(|| {
            in_dictionary(Error::malformed("arrow", "no field of the schema has a dictionary of this id."))
        })?;
        let body = BatchBody::new(source, &message.batch).map_err(in_dictionary)?;
        let mut cursor =
            FieldCursor::new(&body, shape, DictionaryLookup::Now(self), FieldPosition::default(), budget)
                .map_err(in_dictionary)?;
        let values = cursor.of_type(data_type).map_err(in_dictionary)?;
        match self.values.get_mut(&message.id) {
            Some(dictionary) if message.delta => dictionary.add(values),
            _ => {
                self.values.insert(message.id, DictionaryValues::new(values));
            }
        }
        Ok(())
    }
}

impl DictionaryHistory {
    /// Decodes all dictionaries, or only those with ids in `only`.
    ///
    /// # Errors
    /// Malformed values.
    pub(crate) fn new(
        source: &IpcSource,
        catalog: &Catalog,
        budget: &DecodeBudget,
        only: Option<&HashSet<i64>>,
    ) -> Result<Self> {
        let mut current = DictionaryMap::default();
        let mut steps: HashMap<i64, Vec<(usize, usize)>> = HashMap::new();
        let mut out = Self { versions: HashMap::new(), replaced: false };
        let selected = |id: i64| only.is_none_or(|only| only.contains(&id));
        for message in catalog.dictionaries.iter().filter(|m| selected(m.id)) {
            if !message.delta && current.values.contains_key(&message.id) {
                out.replaced = true;
                out.add_version(message.id, &current, &mut steps)?;
            }
            current.decode(source, &catalog.shape, message, budget)?;
            let nvalues = current.values.get(&message.id).map_or(0, DictionaryValues::nvalues);
            steps.entry(message.id).or_default().push((message.before, nvalues));
        }
        for &id in current.values.keys() {
            out.add_version(id, &current, &mut steps)?;
        }
        Ok(out)
    }

    /// Stores the current values of a dictionary as a version.
    fn add_version(
        &mut self,
        id: i64,
        current: &DictionaryMap,
        steps: &mut HashMap<i64, Vec<(usize, usize)>>,
    ) -> Result<()> {
        if let (Some(stored), Some(steps)) = (current.values.get(&id), steps.remove(&id)) {
            let values = stored.whole().map_err(|e| e.in_member(format!("dictionary {id}")))?;
            self.versions.entry(id).or_default().push(DictionaryVersion { values, steps });
        }
        Ok(())
    }
}
