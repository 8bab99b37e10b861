//! The frame of a stream that has come whole.

use crate::arrow::ipc::allowed::Allowed;
use crate::arrow::ipc::body::Source;
use crate::arrow::ipc::dictionaries::History;
use crate::arrow::landed::Landed;
use crate::error::{Error, Result};
use crate::formats::arrow::read::assemble::assembled;
use crate::formats::arrow::read::land::Landing;
use crate::formats::arrow::read::open::{Ipc, check_nbytes};
use crate::formats::arrow::read::options::{Form, OpenOptions};
use crate::memory::Buffer;
use crate::progress::Progress;

use super::{Arrival, Arrived, Expected};

impl Arrival {
    /// The frame, or the opened stream, once the end mark has come. `private`: in memory that no other frame sees.
    ///
    /// # Errors
    /// Malformed bodies; another number of rows than was announced.
    pub fn finish(self, private: bool, threads: usize, progress: &dyn Progress) -> Result<Arrived> {
        if !self.is_done() {
            return Err(self.cut_short());
        }
        let (Some(known), Some(expected)) = (&self.known, self.expected) else {
            let options = OpenOptions {
                form: Some(Form::Stream),
                limits: self.limits,
                allow_truncated: false,
                threads,
            };
            let bytes = Buffer::from_region(self.kept.finish()?, false);
            return Ok(Arrived::Opened(Box::new(Ipc::open_buffer(bytes, options)?)));
        };
        let Expected { blocks, catalog } = *expected;
        let nrows = blocks.nrows;
        if catalog.nrows != nrows {
            let message =
                format!("{nrows} rows were announced, and {} came. The bytes are damaged.", catalog.nrows);
            return Err(Error::malformed("arrow", message));
        }
        let source = Source::new(Buffer::from_region(self.kept.finish()?, false));
        let batches = catalog.batches.iter().chain(catalog.dictionaries.iter().map(|d| &d.batch));
        check_nbytes(&source, batches, &self.limits)?;
        let allowed = Allowed::new(&self.limits, source.bytes.nbytes());
        let history = History::new(&source, &catalog, &allowed, None)?;
        let landing = Landing {
            kept: None,
            source: &source,
            catalog: &catalog,
            plan: &known.plan,
            history: &history,
            rows: (0, nrows),
            threads,
            allowed: &allowed,
            in_place: None,
            nulls: None,
        };
        let mut landed = Landed::default();
        for rest in known.layout.rest.iter().filter(|rest| !rest.is_empty()) {
            let made = landing.run(rest, progress)?;
            let of = |i: usize| rest.get(i).copied().unwrap_or(0);
            let renamed = |members: Vec<usize>| members.into_iter().map(of).collect();
            landed.blocks.extend(made.blocks.into_iter().map(|(block, members)| (block, renamed(members))));
            landed.columns.extend(made.columns.into_iter().map(|(i, data)| (of(i), data)));
        }
        let validity = |field: usize| landing.validity_of(field);
        blocks.finish(&known.layout, &known.plan, &catalog.nulls, private, &validity, &mut landed)?;
        Ok(Arrived::Landed(Box::new(assembled(&known.plan, landed, nrows)?)))
    }
}
