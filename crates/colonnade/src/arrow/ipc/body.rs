//! The buffers of one body: their ranges, checked against the body, and their decompression.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_buffer::Buffer;

use crate::codec::{lz4, zstd};
use crate::error::{Error, Result};
use crate::memory;

use super::catalog::{BatchPosition, node, span_bytes};
use super::message::BodyCodec;

/// The source's bytes as the core's buffer and as Arrow's. Slices of Arrow's buffer cost no allocation.
#[derive(Debug, Clone)]
pub(crate) struct IpcSource {
    pub(crate) bytes: memory::Buffer,
    arrow: Buffer,
    /// The remote source that fetches missing bytes on demand.
    pub(crate) remote: Option<Arc<memory::Remote>>,
}

impl IpcSource {
    pub(crate) fn new(bytes: memory::Buffer) -> Self {
        Self { arrow: bytes.to_arrow(), bytes, remote: None }
    }

    pub(crate) fn new_remote(remote: Arc<memory::Remote>) -> Self {
        Self { remote: Some(Arc::clone(&remote)), ..Self::new(remote.bytes().clone()) }
    }
}

/// The body of one batch, and the vectors of its header that locate the buffers.
pub(crate) struct BatchBody<'s> {
    batch: &'s BatchPosition,
    nodes: &'s [u8],
    buffers: &'s [u8],
    variadic: &'s [u8],
    source: &'s IpcSource,
    bytes: &'s [u8],
    /// Running sums of the counts in `variadic`, computed when many view columns are skipped.
    variadic_sums: OnceLock<Vec<usize>>,
}

/// Up to this many counts, adding them each time costs less than keeping their sums.
const UNCACHED_VIEWS: usize = 16;

/// Length and null count of a field, as the header declares them.
pub(crate) struct FieldNode {
    pub(crate) length: usize,
    pub(crate) nulls: usize,
}

impl<'s> BatchBody<'s> {
    /// The body of `batch` in `source`.
    ///
    /// # Errors
    /// Truncated: the body passes the end of the source (the scan has excluded this).
    pub(crate) fn new(source: &'s IpcSource, batch: &'s BatchPosition) -> Result<Self> {
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
            variadic_sums: OnceLock::new(),
        })
    }

    /// Bytes of the body after decompression, as its buffers declare. A remote buffer that is not fetched yet counts with
    /// its stored size.
    pub(crate) fn decoded_nbytes(&self) -> u64 {
        if self.codec().is_none() {
            return self.uncompressed_nbytes();
        }
        let nbytes = |i: usize| match (&self.source.remote, self.place(i)) {
            (Some(remote), Ok((start, nbytes))) if remote.fetched_from(start) < nbytes.min(8) => {
                nbytes as u64
            }
            _ => self.decompressed_nbytes(i).unwrap_or(0),
        };
        (0..self.batch.header.buffers.count).map(nbytes).fold(0, u64::saturating_add)
    }

    /// Cells that the fields declare, nested ones included.
    pub(crate) fn ncells(&self) -> u64 {
        let length = |i: usize| self.node(i).map_or(0, |node| node.length as u64);
        (0..self.batch.header.nodes.count).map(length).fold(0, u64::saturating_add)
    }

    /// Bytes of buffer `i` after decompression, as its prefix declares.
    ///
    /// # Errors
    /// Malformed lengths and ranges.
    pub(crate) fn decompressed_nbytes(&self, i: usize) -> Result<u64> {
        let raw = self.bytes(i)?;
        match self.codec().map(|codec| read_length_prefix(raw, codec)).transpose()? {
            None => Ok(raw.len() as u64),
            Some(CompressedBuffer::Stored(bytes)) => Ok(bytes.len() as u64),
            Some(CompressedBuffer::Compressed(_, nbytes)) => Ok(nbytes as u64),
        }
    }

    /// An upper bound of the decompressed size, from the header only.
    pub(crate) fn max_decompressed_nbytes(&self) -> u64 {
        let (count, stored) = (self.batch.header.buffers.count, self.buffers_nbytes());
        match self.codec() {
            None => self.uncompressed_nbytes(),
            Some(BodyCodec::Zstd) => zstd::max_decompressed(stored)
                .saturating_add(zstd::max_decompressed(0).saturating_mul(count as u64)),
            Some(BodyCodec::Lz4) => lz4::max_decompressed(stored),
        }
    }

    /// Stored bytes of all buffers.
    fn buffers_nbytes(&self) -> u64 {
        let count = self.batch.header.buffers.count;
        (0..count).map(|i| self.bytes(i).map_or(0, |b| b.len() as u64)).fold(0, u64::saturating_add)
    }

    /// The decoded size of an uncompressed body. Buffers may overlap and are copied one by one, so their sum may exceed it.
    fn uncompressed_nbytes(&self) -> u64 {
        self.buffers_nbytes().max(self.bytes.len() as u64)
    }

    pub(crate) fn codec(&self) -> Option<BodyCodec> {
        self.batch.header.codec
    }

    /// Node `i`, with a length that a batch may have.
    ///
    /// # Errors
    /// Malformed: negative numbers, more nulls than rows.
    pub(crate) fn node(&self, i: usize) -> Result<FieldNode> {
        let (length, nulls) = node(self.nodes, i);
        match (usize::try_from(length), usize::try_from(nulls)) {
            (Ok(length), Ok(nulls)) if nulls <= length && length <= isize::MAX as usize / 64 => {
                Ok(FieldNode { length, nulls })
            }
            _ => Err(Error::malformed(
                "arrow",
                format!(
                    "expected a field of 0 or more rows with as many nulls at most, found {length} rows with {nulls} nulls."
                ),
            )),
        }
    }

    /// Number of data buffers of view column `i`.
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

    /// Number of data buffers of the view columns `views`.
    ///
    /// # Errors
    /// As [`BatchBody::views`].
    pub(crate) fn variadic_in(&self, mut views: Range<usize>) -> Result<usize> {
        views.try_fold(0usize, |sum, view| Ok(sum.saturating_add(self.views(view)?)))
    }

    /// Number of data buffers of the first `views` view columns.
    ///
    /// # Errors
    /// As [`BatchBody::views`].
    pub(crate) fn variadic_before(&self, views: usize) -> Result<usize> {
        if views <= UNCACHED_VIEWS {
            return self.variadic_in(0..views);
        }
        let sums = self.variadic_sums.get_or_init(|| {
            let counts = (0..self.batch.header.variadic.count).map_while(|view| self.views(view).ok());
            let sums = counts.scan(0usize, |sum, count| {
                *sum = sum.saturating_add(count);
                Some(*sum)
            });
            sums.collect()
        });
        match sums.get(views - 1) {
            Some(&sum) => Ok(sum),
            None => self.views(sums.len()), // the error of the first invalid count
        }
    }

    /// Offset and length of buffer `i` in the body. The offset of an empty buffer means nothing.
    fn range(&self, i: usize) -> Result<(usize, usize)> {
        let (offset, length) = node(self.buffers, i);
        if length == 0 {
            return Ok((0, 0));
        }
        let range = usize::try_from(offset).ok().zip(usize::try_from(length).ok());
        let inside = range.filter(|&(offset, length)| {
            offset.checked_add(length).is_some_and(|end| end <= self.bytes.len())
        });
        inside.ok_or_else(|| {
            let message = format!(
                "buffer {i}: expected a range within the body of {} bytes, found {length} bytes at {offset}.",
                self.bytes.len()
            );
            Error::malformed("arrow", message).at(self.batch.input_at)
        })
    }

    /// Offset and length of buffer `i` in the source.
    ///
    /// # Errors
    /// Malformed: a range outside the body.
    pub(crate) fn place(&self, i: usize) -> Result<(usize, usize)> {
        self.range(i).map(|(offset, length)| (self.batch.body_at + offset, length))
    }

    /// The stored bytes of buffer `i`, borrowed: compressed if the batch is.
    ///
    /// # Errors
    /// Malformed: a range outside the body.
    pub(crate) fn bytes(&self, i: usize) -> Result<&'s [u8]> {
        let (offset, length) = self.range(i)?;
        Ok(self.bytes.get(offset..offset + length).unwrap_or(&[]))
    }

    /// The stored bytes of buffer `i`, sharing ownership.
    ///
    /// # Errors
    /// Malformed: a range outside the body.
    pub(crate) fn raw(&self, i: usize) -> Result<Buffer> {
        let (offset, length) = self.range(i)?;
        Ok(self.source.arrow.slice_with_length(self.batch.body_at + offset, length))
    }

    /// Buffer `i`, decompressed. It must have at least `needed` bytes, and must not declare more than its compressed bytes
    /// can yield.
    ///
    /// # Errors
    /// Malformed or truncated buffers.
    pub(crate) fn buffer(&self, i: usize, needed: usize) -> Result<Buffer> {
        let buffer = match self.codec() {
            None => self.raw(i)?,
            Some(codec) => match read_length_prefix(self.bytes(i)?, codec)? {
                // An uncompressed buffer follows its length prefix. An empty one has no prefix.
                CompressedBuffer::Stored(bytes) => {
                    let raw = self.raw(i)?;
                    raw.slice_with_length(raw.len() - bytes.len(), bytes.len())
                }
                CompressedBuffer::Compressed(_, nbytes) => {
                    if nbytes < needed {
                        return Err(self.too_short(i, needed, nbytes));
                    }
                    let mut target = memory::Region::allocate(nbytes)?;
                    self.fill(i, target.as_mut_slice())?;
                    memory::Buffer::from_region(target.finish(), true).to_arrow()
                }
            },
        };
        if buffer.len() < needed { Err(self.too_short(i, needed, buffer.len())) } else { Ok(buffer) }
    }

    /// Decompresses buffer `i` into `target`, which it must fill exactly.
    ///
    /// # Errors
    /// Malformed or truncated buffers.
    pub(crate) fn fill(&self, i: usize, target: &mut [u8]) -> Result<()> {
        let raw = self.bytes(i)?;
        let stored = match self.codec() {
            None => raw,
            Some(codec) => match read_length_prefix(raw, codec)? {
                CompressedBuffer::Stored(bytes) => bytes,
                CompressedBuffer::Compressed(bytes, nbytes) if nbytes == target.len() => {
                    return decompress(codec, bytes, target).map_err(|e| e.in_member(format!("buffer {i}")));
                }
                CompressedBuffer::Compressed(_, nbytes) => {
                    return Err(self.too_short(i, target.len(), nbytes));
                }
            },
        };
        let from = stored.get(..target.len());
        target.copy_from_slice(from.ok_or_else(|| self.too_short(i, target.len(), stored.len()))?);
        Ok(())
    }

    /// The error of a buffer with too few bytes.
    pub(crate) fn too_short(&self, i: usize, needed: usize, had: usize) -> Error {
        let message = format!(
            "buffer {i}: {needed} bytes are needed for its rows, found {had}. The bytes are damaged."
        );
        Error::malformed("arrow", message).at(self.batch.input_at)
    }
}

/// A buffer of a compressed body.
pub(crate) enum CompressedBuffer<'b> {
    /// Uncompressed bytes: compression did not shrink them.
    Stored(&'b [u8]),
    /// Compressed bytes, and their decompressed size.
    Compressed(&'b [u8], usize),
}

/// Reads the length prefix of a buffer.
///
/// # Errors
/// Malformed lengths, or lengths that the compressed bytes cannot yield.
pub(crate) fn read_length_prefix(raw: &[u8], codec: BodyCodec) -> Result<CompressedBuffer<'_>> {
    if raw.is_empty() {
        return Ok(CompressedBuffer::Stored(raw));
    }
    let Some((word, rest)) = raw.split_first_chunk::<8>() else {
        return Err(Error::malformed("arrow", "a compressed buffer is shorter than its length."));
    };
    let length = i64::from_le_bytes(*word);
    // For an empty buffer some writers store only the length.
    if length == -1 || (length == 0 && rest.is_empty()) {
        return Ok(CompressedBuffer::Stored(rest));
    }
    let max = match codec {
        BodyCodec::Zstd => zstd::max_decompressed(rest.len() as u64),
        BodyCodec::Lz4 => lz4::max_decompressed(rest.len() as u64),
    };
    match usize::try_from(length) {
        Ok(length) if length as u64 <= max => Ok(CompressedBuffer::Compressed(rest, length)),
        _ => Err(Error::limit(
            "arrow",
            format!("{} compressed bytes cannot decompress to {length}.", rest.len()),
        )),
    }
}

/// Decompresses into `target` and fills it exactly.
///
/// # Errors
/// The codec's own.
pub(crate) fn decompress(codec: BodyCodec, source: &[u8], target: &mut [u8]) -> Result<()> {
    match codec {
        BodyCodec::Zstd => zstd::decompress(source, target),
        BodyCodec::Lz4 => lz4::decompress(source, target),
    }
}

/// The column's name in error messages.
pub(crate) fn display_name(name: &str) -> Cow<'_, str> {
    if name.is_empty() { Cow::Borrowed("(no name)") } else { Cow::Borrowed(name) }
}
