//! Builds the frame of a complete stream.

use std::borrow::Cow;

use crate::arrow::decoded_columns::DecodedColumns;
use crate::arrow::ipc::allowed::DecodeBudget;
use crate::arrow::ipc::body::IpcSource;
use crate::arrow::ipc::dictionaries::DictionaryHistory;
use crate::decode::missing::into_blocks;
use crate::decode::{MemoryLayout, PandasNulls, Request};
use crate::error::{Error, Result};
use crate::formats::arrow::read::assemble::assemble_frame;
use crate::formats::arrow::read::decode::ColumnDecoder;
use crate::formats::arrow::read::open::{Ipc, check_nbytes};
use crate::formats::arrow::read::options::{Form, OpenOptions};
use crate::limits::Limits;
use crate::memory::Buffer;

use super::event::DecodedStream;
use super::frame::{ReceivedRows, WholeFrame};
use super::missing::MissingValues;

/// The end mark of a stream.
const END_MARK: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];

impl WholeFrame {
    /// Returns the frame, or the opened stream.
    ///
    /// # Errors
    /// Malformed bodies; the number of rows differs from the announced one.
    pub(super) fn finish(mut self, request: &Request<'_>, limits: &Limits) -> Result<DecodedStream> {
        let (threads, progress) = (request.threads, request.progress);
        let none = || Error::malformed("arrow", "expected a schema, found the end mark.");
        let ReceivedRows { schema, mut blocks, texts, catalog } = self.rows.ok_or_else(none)?;
        if schema.keeps_bytes() {
            self.stream_bytes.push(&END_MARK)?;
            let bytes = Buffer::from_region(self.stream_bytes.finish()?, false);
            let options =
                OpenOptions { form: Some(Form::Stream), limits: *limits, allow_truncated: false, threads };
            return Ok(DecodedStream::Opened(Box::new(Ipc::open_buffer(bytes, options)?)));
        }
        let nrows = catalog.nrows;
        catalog.check_announced()?;
        let plan = match schema.shape.announced {
            Some(_) => Cow::Borrowed(&schema.plan),
            None => {
                let mut plan = schema.plan.clone();
                plan.set_nrows(nrows);
                Cow::Owned(plan)
            }
        };
        let source = IpcSource::new(Buffer::from_region(self.stream_bytes.finish()?, false));
        let batches = catalog.batches.iter().chain(catalog.dictionaries.iter().map(|d| &d.batch));
        check_nbytes(&source, batches, limits)?;
        let allowed = DecodeBudget::new(limits, source.bytes.nbytes());
        let history = DictionaryHistory::new(&source, &catalog, &allowed, None)?;
        let nulls = PandasNulls::new(&plan);
        let is_pandas = request.layout == MemoryLayout::Pandas;
        let decoder = ColumnDecoder {
            nested_projection: None,
            source: &source,
            catalog: &catalog,
            plan: &plan,
            history: &history,
            rows: (0, nrows),
            threads,
            allowed: &allowed,
            in_place: None,
            nulls: is_pandas.then_some(&nulls),
        };
        let mut decoded = DecodedColumns::default();
        for rest in schema.layout.rest.iter().filter(|rest| !rest.is_empty()) {
            let rest_columns = decoder.run(rest, progress)?;
            let of = |i: usize| rest.get(i).copied().unwrap_or(0);
            let renamed = |members: Vec<usize>| members.into_iter().map(of).collect();
            decoded
                .blocks
                .extend(rest_columns.blocks.into_iter().map(|(block, members)| (block, renamed(members))));
            decoded.columns.extend(rest_columns.columns.into_iter().map(|(i, data)| (of(i), data)));
        }
        for (&(field, _), received) in schema.layout.texts.iter().zip(texts.finish()?) {
            decoded.columns.push((field, decoder.received_text(field, received, progress)?));
        }
        let missing = MissingValues { decoder: &decoder };
        missing.write(&mut blocks, &schema.layout, progress)?;
        let block_dtype = |field: usize, dtype| missing.block_dtype(field, dtype);
        let filled = blocks.finish(&schema.layout, &decoder, &block_dtype, request.private)?;
        decoded.blocks.extend(filled.blocks);
        decoded.columns.extend(filled.columns);
        if is_pandas {
            // Integers of other widths than a float's, which could not be converted where they were received.
            into_blocks(&mut decoded, &|field| nulls.dtype(field), threads, progress)?;
            decoded.exclusive = request.private && !catalog.shape.big_endian;
        }
        Ok(DecodedStream::Frame(Box::new(assemble_frame(&plan, decoded, nrows)?)))
    }
}
