//! Opens a file or stream: reads its headers, but not its bodies.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, OnceLock};

use crate::arrow::import::FramePlan;
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Axis;
use crate::limits::Limits;
use crate::memory::{Buffer, MappedFile};
use crate::progress::{NoProgress, Progress};
use crate::source;

use super::footer;
use super::footer::need_headers;
use super::options::{Form, OpenOptions};
use crate::arrow::ipc::body::{BatchBody, IpcSource};
use crate::arrow::ipc::catalog::{BatchPosition, Catalog};
use crate::arrow::ipc::dictionaries::DictionaryHistory;
use crate::arrow::ipc::scan;

/// Decoded dictionaries, and their ids; `None`: all.
pub(super) type DecodedDictionaries = (Option<HashSet<i64>>, Arc<DictionaryHistory>);

/// An opened file or stream.
#[derive(Debug)]
pub struct Ipc {
    pub(super) source: IpcSource,
    pub(super) mapped: Option<Arc<MappedFile>>,
    pub(super) catalog: Catalog,
    pub(super) plan: FramePlan,
    form: Form,
    pub(super) options: OpenOptions,
    pub(super) history: Mutex<Option<DecodedDictionaries>>,
    pub(super) index: OnceLock<Axis>,
}

impl Ipc {
    /// Opens any source. Reads a stream up to its end mark and no further, and a file to its end. Of a remote file, which
    /// must have a footer, fetches no bodies yet.
    ///
    /// # Errors
    /// Errors of the operating system; malformed or truncated messages; a limit.
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
                Self::open(IpcSource::new_remote(remote), None, options)
            }
            None => Self::open(IpcSource::new(opened.bytes), opened.map, options),
        }
    }

    /// Opens bytes in memory.
    ///
    /// # Errors
    /// Malformed or truncated messages.
    pub fn open_buffer(bytes: Buffer, options: OpenOptions) -> Result<Self> {
        Self::open(IpcSource::new(bytes), None, options)
    }

    pub(super) fn open(
        source: IpcSource,
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
                    // Without its footer a file is the stream that it begins with, whose offset differs.
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
        let mut plan = FramePlan::new(&catalog.shape.schema)?;
        plan.set_nrows(catalog.nrows);
        let (history, index) = (Mutex::new(None), OnceLock::new());
        let batches = catalog.batches.iter().chain(catalog.dictionaries.iter().map(|d| &d.batch));
        check_nbytes(&source, batches, &options.limits)?;
        Ok(Self { source, mapped, catalog, plan, form, options, history, index })
    }

    /// The form: file or stream.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The conversion of its fields to a frame.
    #[must_use]
    pub fn plan(&self) -> &FramePlan {
        &self.plan
    }

    /// The numbers of rows and columns.
    #[must_use]
    pub fn shape(&self) -> (usize, usize) {
        (self.catalog.nrows, self.plan.ncols)
    }

    /// The number of record batches.
    #[must_use]
    pub fn nbatches(&self) -> usize {
        self.catalog.batches.len()
    }

    /// The number of rows of each record batch.
    pub fn batch_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.catalog.batches.iter().map(|b| b.header.nrows)
    }
}

/// Refuses bodies that decompress to more than the limit. Reads the declared lengths of compressed bodies and the number of
/// cells only if they may exceed it.
pub(super) fn check_nbytes<'b>(
    source: &IpcSource,
    batches: impl Iterator<Item = &'b BatchPosition> + Clone,
    limits: &Limits,
) -> Result<()> {
    let input = source.bytes.nbytes() as u64;
    let sum = |of: &dyn Fn(&BatchBody<'_>) -> u64| {
        let mut nbytes = batches.clone().map(|batch| Ok(of(&BatchBody::new(source, batch)?)));
        nbytes.try_fold(0u64, |sum, n: Result<u64>| Ok::<u64, Error>(sum.saturating_add(n?)))
    };
    if sum(&|body| body.max_decompressed_nbytes())? <= limits.decoded_nbytes(input, 0) {
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
