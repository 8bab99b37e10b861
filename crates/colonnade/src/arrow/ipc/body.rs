//! The buffers of one body: found, checked against it, decompressed.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_buffer::{Buffer, MutableBuffer};

use crate::codec::{lz4, zstd};
use crate::error::{Error, Result};
use crate::memory;

use super::catalog::{Batch, node, span_bytes};
use super::message::BodyCodec;

/// All bytes, as the core's buffer and as Arrow's: parts of the latter cost no allocation.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) bytes: memory::Buffer,
    arrow: Buffer,
    /// Where the bytes come from as they are asked for, where they are not all here.
    pub(crate) remote: Option<Arc<memory::Remote>>,
}

impl Source {
    pub(crate) fn new(bytes: memory::Buffer) -> Self {
        Self { arrow: bytes.to_arrow(), bytes, remote: None }
    }

    pub(crate) fn elsewhere(remote: Arc<memory::Remote>) -> Self {
        Self { remote: Some(Arc::clone(&remote)), ..Self::new(remote.bytes().clone()) }
    }
}

/// The body of one batch, and the lists in its header that say what lies where.
pub(crate) struct Body<'s> {
    batch: &'s Batch,
    nodes: &'s [u8],
    buffers: &'s [u8],
    variadic: &'s [u8],
    source: &'s Source,
    bytes: &'s [u8],
    /// Sums of the counts in `variadic`, where somebody passes many of them.
    passed: OnceLock<Vec<usize>>,
}

/// Summing so many counts each time costs less than keeping the sums.
const FEW_VIEWS: usize = 16;

/// Length and null count of a field, as the header claims them.
pub(crate) struct Node {
    pub(crate) length: usize,
    pub(crate) nulls: usize,
}

impl<'s> Body<'s> {
    /// The body of `batch` in `source`.
    ///
    /// # Errors
    /// Truncated where it passes the end (which the scan has ruled out).
    pub(crate) fn new(source: &'s Source, batch: &'s Batch) -> Result<Self> {
        let all = source.bytes.as_slice();
        let bytes = all
            .get(batch.body_at..)
            .and_then(|rest| rest.get(..batch.body_nbytes))
            .ok_or_else(|| Error::truncated("arrow", "the body", batch.body_nbytes as u64, 0))?;
        let header = &batch.header;
        Ok(Self {
            batch,
            nodes: span_bytes(all, batch, header.nodes, 16),
            buffers: span_bytes(all, batch, header.buffers, 16),
            variadic: span_bytes(all, batch, header.variadic, 8),
            source,
            bytes,
            passed: OnceLock::new(),
        })
    }

    /// Bytes of the body once decompressed, as its buffers claim. What is elsewhere and was not fetched yet counts as it
    /// lies there.
    pub(crate) fn decoded_nbytes(&self) -> u64 {
        if self.codec().is_none() {
            return self.laid_nbytes();
        }
        let nbytes = |i: usize| match (&self.source.remote, self.place(i)) {
            (Some(remote), Ok((start, nbytes))) if remote.held_from(start) < nbytes.min(8) => nbytes as u64,
            _ => self.becomes(i).unwrap_or(0),
        };
        (0..self.batch.header.buffers.count).map(nbytes).fold(0, u64::saturating_add)
    }

    /// Cells that the fields declare, those of nested ones too.
    pub(crate) fn ncells(&self) -> u64 {
        let length = |i: usize| self.node(i).map_or(0, |node| node.length as u64);
        (0..self.batch.header.nodes.count).map(length).fold(0, u64::saturating_add)
    }

    /// Bytes of buffer `i` once decompressed, as it claims.
    ///
    /// # Errors
    /// Malformed lengths and ranges.
    pub(crate) fn becomes(&self, i: usize) -> Result<u64> {
        let raw = self.bytes(i)?;
        match self.codec().map(|codec| packed(raw, codec)).transpose()? {
            None => Ok(raw.len() as u64),
            Some(Packed::Stored(bytes)) => Ok(bytes.len() as u64),
            Some(Packed::Compressed(_, nbytes)) => Ok(nbytes as u64),
        }
    }

    /// More than that it cannot become: told by the header alone.
    pub(crate) fn most_nbytes(&self) -> u64 {
        let (count, stored) = (self.batch.header.buffers.count, self.buffers_nbytes());
        match self.codec() {
            None => self.laid_nbytes(),
            Some(BodyCodec::Zstd) => {
                zstd::most(stored).saturating_add(zstd::most(0).saturating_mul(count as u64))
            }
            Some(BodyCodec::Lz4) => lz4::most(stored),
        }
    }

    /// Bytes of all buffers as they lie.
    fn buffers_nbytes(&self) -> u64 {
        let count = self.batch.header.buffers.count;
        (0..count).map(|i| self.bytes(i).map_or(0, |b| b.len() as u64)).fold(0, u64::saturating_add)
    }

    /// The same of a body that is not compressed, or all of it: buffers may lie over each other, and are copied one by one.
    fn laid_nbytes(&self) -> u64 {
        self.buffers_nbytes().max(self.bytes.len() as u64)
    }

    pub(crate) fn codec(&self) -> Option<BodyCodec> {
        self.batch.header.codec
    }

    /// Node `i`, its length within what a batch may say.
    ///
    /// # Errors
    /// Malformed: negative numbers, more nulls than rows.
    pub(crate) fn node(&self, i: usize) -> Result<Node> {
        let (length, nulls) = node(self.nodes, i);
        match (usize::try_from(length), usize::try_from(nulls)) {
            (Ok(length), Ok(nulls)) if nulls <= length && length <= isize::MAX as usize / 64 => {
                Ok(Node { length, nulls })
            }
            _ => Err(Error::malformed(
                "arrow",
                format!(
                    "expected a field of 0 or more rows with as many nulls at most, found {length} rows with {nulls} nulls."
                ),
            )),
        }
    }

    /// Data buffers of view column `i`.
    ///
    /// # Errors
    /// Malformed: a negative number, or more than there are buffers.
    pub(crate) fn views(&self, i: usize) -> Result<usize> {
        let (words, _) = self.variadic.as_chunks::<8>();
        let count = words.get(i).map_or(-1, |word| i64::from_le_bytes(*word));
        usize::try_from(count).ok().filter(|&n| n <= self.batch.header.buffers.count).ok_or_else(|| {
            Error::malformed("arrow", format!("expected a number of view buffers, found {count}."))
        })
    }

    /// Data buffers of these view columns.
    ///
    /// # Errors
    /// As [`Body::views`].
    pub(crate) fn variadic_in(&self, mut views: Range<usize>) -> Result<usize> {
        views.try_fold(0usize, |sum, view| Ok(sum.saturating_add(self.views(view)?)))
    }

    /// Data buffers of the first `views` view columns.
    ///
    /// # Errors
    /// As [`Body::views`].
    pub(crate) fn variadic_before(&self, views: usize) -> Result<usize> {
        if views <= FEW_VIEWS {
            return self.variadic_in(0..views);
        }
        let sums = self.passed.get_or_init(|| {
            let counts = (0..self.batch.header.variadic.count).map_while(|view| self.views(view).ok());
            let sums = counts.scan(0usize, |sum, count| {
                *sum = sum.saturating_add(count);
                Some(*sum)
            });
            sums.collect()
        });
        match sums.get(views - 1) {
            Some(&sum) => Ok(sum),
            None => self.views(sums.len()), // says what is wrong with the first that is none
        }
    }

    /// Where buffer `i` lies in the body: its offset and its length.
    fn range(&self, i: usize) -> Result<(usize, usize)> {
        let (offset, length) = node(self.buffers, i);
        let range = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
        let inside = range.filter(|&(offset, length)| {
            offset.checked_add(length).is_some_and(|end| end <= self.bytes.len())
        });
        inside.ok_or_else(|| {
            let message = format!(
                "buffer {i}: expected a range within the body of {} bytes, found {length} bytes at {offset}.",
                self.bytes.len()
            );
            Error::malformed("arrow", message).at(self.batch.body_at as u64)
        })
    }

    /// Where buffer `i` lies in the source: its offset and its length.
    ///
    /// # Errors
    /// Malformed: a range outside the body.
    pub(crate) fn place(&self, i: usize) -> Result<(usize, usize)> {
        self.range(i).map(|(offset, length)| (self.batch.body_at + offset, length))
    }

    /// The bytes of buffer `i` as they lie, compressed where the batch is; nobody's count of owners is touched.
    ///
    /// # Errors
    /// Malformed: a range outside the body.
    pub(crate) fn bytes(&self, i: usize) -> Result<&'s [u8]> {
        let (offset, length) = self.range(i)?;
        Ok(self.bytes.get(offset..offset + length).unwrap_or(&[]))
    }

    /// The same, kept alive by its owner.
    ///
    /// # Errors
    /// Malformed: a range outside the body.
    pub(crate) fn raw(&self, i: usize) -> Result<Buffer> {
        let (offset, length) = self.range(i)?;
        Ok(self.source.arrow.slice_with_length(self.batch.body_at + offset, length))
    }

    /// Buffer `i`, decompressed. `needed` bytes are wanted: more than the buffer has is an error, and so is a claim that
    /// its compressed bytes cannot back.
    ///
    /// # Errors
    /// Malformed or truncated buffers.
    pub(crate) fn buffer(&self, i: usize, needed: usize) -> Result<Buffer> {
        let made = match self.codec() {
            None => self.raw(i)?,
            Some(codec) => match packed(self.bytes(i)?, codec)? {
                // What did not shrink lies behind its length (an empty buffer has none).
                Packed::Stored(bytes) => {
                    let raw = self.raw(i)?;
                    raw.slice_with_length(raw.len() - bytes.len(), bytes.len())
                }
                Packed::Compressed(bytes, nbytes) => {
                    if nbytes < needed {
                        return Err(self.short(i, needed, nbytes));
                    }
                    let mut target = MutableBuffer::from_len_zeroed(nbytes);
                    decompress(codec, bytes, target.as_slice_mut())
                        .map_err(|e| e.in_member(format!("buffer {i}")))?;
                    target.into()
                }
            },
        };
        if made.len() < needed { Err(self.short(i, needed, made.len())) } else { Ok(made) }
    }

    pub(crate) fn short(&self, i: usize, needed: usize, had: usize) -> Error {
        let message = format!(
            "buffer {i}: {needed} bytes are needed for its rows, found {had}. The bytes are damaged."
        );
        Error::malformed("arrow", message).at(self.batch.body_at as u64)
    }
}

/// A buffer of a compressed body.
pub(crate) enum Packed<'b> {
    /// It did not shrink.
    Stored(&'b [u8]),
    /// Compressed bytes, and how many they become.
    Compressed(&'b [u8], usize),
}

/// Reads the length before a compressed buffer.
///
/// # Errors
/// Malformed lengths, or such as the compressed bytes cannot yield.
pub(crate) fn packed(raw: &[u8], codec: BodyCodec) -> Result<Packed<'_>> {
    if raw.is_empty() {
        return Ok(Packed::Stored(raw));
    }
    let Some((word, rest)) = raw.split_first_chunk::<8>() else {
        return Err(Error::malformed("arrow", "a compressed buffer is shorter than its length."));
    };
    let length = i64::from_le_bytes(*word);
    // Of nothing some writers keep the length alone.
    if length == -1 || (length == 0 && rest.is_empty()) {
        return Ok(Packed::Stored(rest));
    }
    let most = match codec {
        BodyCodec::Zstd => zstd::most(rest.len() as u64),
        BodyCodec::Lz4 => lz4::most(rest.len() as u64),
    };
    match usize::try_from(length) {
        Ok(length) if length as u64 <= most => Ok(Packed::Compressed(rest, length)),
        _ => Err(Error::limit("arrow", format!("{} compressed bytes claim to become {length}.", rest.len()))),
    }
}

/// Decompresses into `target`, which must be filled exactly.
///
/// # Errors
/// The codec's own.
pub(crate) fn decompress(codec: BodyCodec, source: &[u8], target: &mut [u8]) -> Result<()> {
    match codec {
        BodyCodec::Zstd => zstd::decompress(source, target),
        BodyCodec::Lz4 => lz4::decompress(source, target),
    }
}

/// Text for messages about a column.
pub(crate) fn named(name: &str) -> Cow<'_, str> {
    if name.is_empty() { Cow::Borrowed("(no name)") } else { Cow::Borrowed(name) }
}
