//! Opening a file or stream: its headers are read, its bodies are not.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};

use crate::arrow::import::Plan;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Axis;
use crate::limits::Limits;
use crate::memory::{Buffer, MappedFile};
use crate::progress::{NoProgress, Progress};
use crate::source;

use super::footer;
use super::footer::need_headers;
use super::options::{Form, OpenOptions};
use crate::arrow::ipc::body::{Body, Source};
use crate::arrow::ipc::catalog::{Batch, Catalog};
use crate::arrow::ipc::dictionaries::History;
use crate::arrow::ipc::scan;

/// Dictionaries that were decoded, and of which ids; `None`: all.
pub(super) type Decoded = (Option<HashSet<i64>>, Arc<History>);

/// An opened file or stream.
#[derive(Debug)]
pub struct Ipc {
    pub(super) source: Source,
    pub(super) mapped: Option<Arc<MappedFile>>,
    pub(super) catalog: Catalog,
    pub(super) plan: Plan,
    form: Form,
    pub(super) options: OpenOptions,
    pub(super) history: Mutex<Option<Decoded>>,
    pub(super) index: OnceLock<Axis>,
}

impl Ipc {
    /// Opens any source. A stream is read up to its end mark and no further, a file to the end; of a file elsewhere, which
    /// must be a random-access one, no bodies come yet.
    ///
    /// # Errors
    /// The system's own; malformed or truncated messages; a limit.
    pub fn open_source(
        source: source::Source<'_>,
        options: OpenOptions,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let opened = source.open("arrow", &options.limits, options.threads, progress)?;
        match opened.remote {
            Some(remote) => {
                need_headers(&remote)?;
                let options = OpenOptions { form: Some(Form::File), ..options };
                Self::open(Source::elsewhere(remote), None, options)
            }
            None => Self::open(Source::new(opened.bytes), opened.map, options),
        }
    }

    /// Opens bytes in memory.
    ///
    /// # Errors
    /// Malformed or truncated messages.
    pub fn open_buffer(bytes: Buffer, options: OpenOptions) -> Result<Self> {
        Self::open(Source::new(bytes), None, options)
    }

    pub(super) fn open(
        source: Source,
        mapped: Option<Arc<MappedFile>>,
        options: OpenOptions,
    ) -> Result<Self> {
        let all = source.bytes.as_slice();
        if all.starts_with(b"FEA1") {
            return Err(feather_v1());
        }
        let mut form =
            options.form.unwrap_or(if all.starts_with(scan::MAGIC) { Form::File } else { Form::Stream });
        let catalog = match form {
            Form::File => match footer::file(all, &options.limits) {
                Err(e) if options.allow_truncated && matches!(e.kind(), ErrorKind::Truncated { .. }) => {
                    // Without its footer it is the stream that it begins with, which is somewhere else as a whole.
                    form = Form::Stream;
                    if let Some(remote) = &source.remote {
                        remote.need(&[(0, all.len())], &NoProgress)?;
                    }
                    let mut catalog = scan::stream_from(all, scan::FILE_HEAD_NBYTES, &options.limits, true)?;
                    catalog.truncated = true;
                    catalog
                }
                found => found?,
            },
            Form::Stream => scan::stream(all, &options.limits, options.allow_truncated)?,
        };
        let mut plan = Plan::new(&catalog.shape.schema)?;
        plan.settle(catalog.nrows);
        let (history, index) = (Mutex::new(None), OnceLock::new());
        let batches = catalog.batches.iter().chain(catalog.dictionaries.iter().map(|d| &d.batch));
        check_nbytes(&source, batches, &options.limits)?;
        Ok(Self { source, mapped, catalog, plan, form, options, history, index })
    }

    /// File or stream.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// How its fields become a frame.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// (rows, columns).
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.catalog.nrows, self.plan.ncols)
    }

    /// Record batches.
    #[must_use]
    pub fn nbatches(&self) -> usize {
        self.catalog.batches.len()
    }

    /// Rows of each record batch.
    pub fn batch_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.catalog.batches.iter().map(|b| b.header.nrows)
    }
}

/// Refuses bodies that become more than the limit. What compressed ones claim, and the cells that their fields declare, is
/// read only where it may be too much.
pub(super) fn check_nbytes<'b>(
    source: &Source,
    batches: impl Iterator<Item = &'b Batch> + Clone,
    limits: &Limits,
) -> Result<()> {
    let input = source.bytes.nbytes() as u64;
    let sum = |of: &dyn Fn(&Body<'_>) -> u64| {
        let mut nbytes = batches.clone().map(|batch| Ok(of(&Body::new(source, batch)?)));
        nbytes.try_fold(0u64, |sum, n: Result<u64>| Ok::<u64, Error>(sum.saturating_add(n?)))
    };
    if sum(&|body| body.most_nbytes())? <= limits.decoded_nbytes(input, 0) {
        return Ok(());
    }
    limits.check_decoded(
        "arrow",
        "the bodies",
        sum(&|body| body.decoded_nbytes())?,
        input,
        sum(&|body| body.ncells())?,
    )
}

pub(super) fn feather_v1() -> Error {
    Error::unsupported(
        "arrow",
        "this is Feather V1, an older format that is not Arrow IPC. Read it with pyarrow.feather.read_table (or pandas.read_feather) and write it again.",
    )
}
