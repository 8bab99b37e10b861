//! Dictionary batches decoded, into the values that stand at each record batch.

use std::collections::{HashMap, HashSet};

use crate::error::{Error, Result};

use super::allowed::Allowed;
use super::arrays::Cursor;
use super::body::{Body, Source};
use super::catalog::{Catalog, DictionaryBatch};
use super::dictionaries::{Dictionaries, Held, History, Known, Version};
use super::shape::{Place, Shape};

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
}
