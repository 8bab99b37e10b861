//! The headers of a source, batch by batch.

use std::collections::HashSet;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::limits::Limits;

use super::message::{BatchHeader, HeaderVector};
use super::shape::BatchLayout;

/// The position of a record batch, or of a dictionary's values, in the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchPosition {
    /// Offset of the header. The spans of `header` count from here.
    pub(crate) header_at: usize,
    pub(crate) header: BatchHeader,
    pub(crate) body_at: usize,
    pub(crate) body_nbytes: usize,
    /// Offset of the body in the input, for errors. It differs from `body_at` if the body was moved as it came.
    pub(crate) input_at: u64,
    /// Rows of the batches before it.
    pub(crate) first_row: usize,
}

impl BatchPosition {
    /// Whether the batch has rows of `start..stop`.
    pub(crate) fn meets(&self, start: usize, stop: usize) -> bool {
        self.first_row < stop && self.first_row + self.header.nrows > start
    }
}

/// A dictionary batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DictionaryBatch {
    pub(crate) id: i64,
    pub(crate) delta: bool,
    pub(crate) batch: BatchPosition,
    /// The first record batch that uses these values.
    pub(crate) before: usize,
}

/// All that the headers declare.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) shape: Arc<BatchLayout>,
    pub(crate) batches: Vec<BatchPosition>,
    pub(crate) dictionaries: Vec<DictionaryBatch>,
    /// Ids of the dictionaries so far.
    pub(crate) dictionary_ids: HashSet<i64>,
    pub(crate) nrows: usize,
    /// Whether a batch declares nulls, for each field.
    pub(crate) nulls: Vec<bool>,
    /// The end mark is missing, and `allow_truncated` permits that.
    pub(crate) truncated: bool,
    /// Batches that an incremental reader has returned and dropped.
    pub(crate) dropped: usize,
    /// Offset after the end mark.
    pub(crate) end: usize,
}

impl Catalog {
    pub(crate) fn new(shape: Arc<BatchLayout>) -> Self {
        let nulls = vec![false; shape.places.len()];
        let (batches, dictionaries, dictionary_ids) = (Vec::new(), Vec::new(), HashSet::new());
        Self {
            shape,
            batches,
            dictionaries,
            dictionary_ids,
            nrows: 0,
            nulls,
            truncated: false,
            dropped: 0,
            end: 0,
        }
    }

    /// Checks, at the end mark, that as many rows came as the schema message announced, if it did.
    ///
    /// # Errors
    /// Malformed.
    pub(crate) fn check_announced(&self) -> Result<()> {
        let nrows = self.nrows;
        match self.shape.announced.filter(|announced| *announced != nrows as u64) {
            Some(announced) => {
                let message =
                    format!("{announced} rows were announced, and {nrows} came. The bytes are damaged.");
                Err(Error::malformed("arrow", message))
            }
            None => Ok(()),
        }
    }

    /// Validates and adds a record batch. `bytes` is the source that its offsets refer to.
    ///
    /// # Errors
    /// Malformed: nodes or buffers do not fit the schema. Limit: a row count that the body cannot hold.
    pub(crate) fn batch(&mut self, bytes: &[u8], mut batch: BatchPosition, limits: &Limits) -> Result<()> {
        let number = self.dropped + self.batches.len();
        let in_batch = |e: Error| e.in_member(format!("batch {number}")).at(batch.header_at as u64);
        self.check(&batch, limits).map_err(in_batch)?;
        let nodes = batch.header.nodes;
        let start = batch.header_at + nodes.at;
        let all = bytes.get(start..start + nodes.count * 16).unwrap_or(&[]);
        for (place, has_nulls) in self.shape.places.iter().zip(&mut self.nulls) {
            let (length, nulls) = node(all, place.node);
            if usize::try_from(length).ok() != Some(batch.header.nrows) {
                let message = format!(
                    "a field has {length} rows in a batch of {}. The bytes are damaged.",
                    batch.header.nrows
                );
                return Err(in_batch(Error::malformed("arrow", message)));
            }
            if nulls < 0 || nulls > length {
                let message = format!("expected 0 to {length} nulls, found {nulls}. The bytes are damaged.");
                return Err(in_batch(Error::malformed("arrow", message)));
            }
            *has_nulls |= nulls > 0;
        }
        batch.first_row = self.nrows;
        let total = self.nrows.checked_add(batch.header.nrows).filter(|&n| i64::try_from(n).is_ok());
        self.nrows =
            total.ok_or_else(|| in_batch(Error::limit("arrow", "the number of rows passes 64 bits.")))?;
        if self.shape.row_bits == 0 && self.nrows as u64 > limits.max_unbacked_rows {
            let message = format!(
                "{} rows that store no bytes, over the limit of {}.",
                self.nrows, limits.max_unbacked_rows
            );
            return Err(in_batch(Error::limit("arrow", message)));
        }
        self.batches.push(batch);
        Ok(())
    }

    fn check(&self, batch: &BatchPosition, limits: &Limits) -> Result<()> {
        let header = &batch.header;
        let total = self.shape.total;
        let variadic = header.buffers.count.checked_sub(total.buffer);
        let views = header.variadic.count == total.view || total.view == 0;
        if header.nodes.count != total.node || variadic.is_none_or(|n| total.view == 0 && n > 0) || !views {
            return Err(Error::malformed(
                "arrow",
                format!(
                    "expected {} fields, {} buffers and {} counts of view buffers by the schema, found {}, {} and {}.",
                    total.node,
                    total.buffer,
                    total.view,
                    header.nodes.count,
                    header.buffers.count,
                    header.variadic.count
                ),
            ));
        }
        let available = match header.codec {
            None => batch.body_nbytes as u64,
            Some(_) => crate::codec::zstd::max_decompressed(batch.body_nbytes as u64).min(limits.max_nbytes),
        };
        let needed = u128::from(self.shape.row_bits) * header.nrows as u128 / 8;
        if needed > u128::from(available) {
            return Err(Error::limit(
                "arrow",
                format!(
                    "{} rows take {needed} bytes at least, and the body has {}. The bytes are damaged.",
                    header.nrows, batch.body_nbytes
                ),
            ));
        }
        Ok(())
    }

    /// Adds a dictionary batch.
    ///
    /// # Errors
    /// Malformed: an id that no field has.
    pub(crate) fn dictionary(&mut self, id: i64, delta: bool, batch: BatchPosition) -> Result<()> {
        let in_dictionary = |e: Error| e.in_member(format!("dictionary {id}")).at(batch.header_at as u64);
        if !self.shape.dictionaries.contains_key(&id) {
            return Err(in_dictionary(Error::malformed(
                "arrow",
                "no field of the schema has a dictionary of this id.",
            )));
        }
        if self.dictionary_ids.insert(id) && delta {
            return Err(in_dictionary(Error::malformed(
                "arrow",
                "expected the dictionary itself before an addition to it.",
            )));
        }
        self.dictionaries.push(DictionaryBatch { id, delta, batch, before: self.batches.len() });
        Ok(())
    }
}

/// Length and null count of node `i`.
pub(crate) fn node(nodes: &[u8], i: usize) -> (i64, i64) {
    let (pairs, _) = nodes.as_chunks::<16>();
    let word = |b: &[u8]| b.try_into().map_or(-1, i64::from_le_bytes);
    pairs.get(i).map_or((-1, -1), |pair| {
        let (length, nulls) = pair.split_at(8);
        (word(length), word(nulls))
    })
}

/// The bytes of a header's span of structs of `item` bytes.
pub(crate) fn span_bytes<'b>(
    bytes: &'b [u8],
    batch: &BatchPosition,
    span: HeaderVector,
    item: usize,
) -> &'b [u8] {
    let start = batch.header_at + span.at;
    bytes.get(start..start + span.count * item).unwrap_or(&[])
}
