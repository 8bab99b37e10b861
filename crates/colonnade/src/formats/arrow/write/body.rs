//! Bodies: the offset of each buffer, and its compression.

use std::ops::Range;

use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_ipc::{self as fb, FieldNode};

use crate::codec::{lz4, zstd};
use crate::error::Result;
use crate::memory::Region;

use super::WriteOptions;
use super::flatten::FlatBatch;
use crate::arrow::ipc::BodyCodec;
use crate::arrow::ipc::encode::ALIGNMENT;

/// Columns are compressed together in tasks of at least about this size.
const TASK_NBYTES: usize = 256 << 10;

/// The default level of zstd: that of other Arrow libraries.
const ZSTD_LEVEL: i32 = 1;

/// A buffer of a body.
#[derive(Debug)]
pub(super) enum BodyBuffer {
    /// A buffer of a body without compression.
    Uncompressed(Buffer),
    /// A buffer that compression did not shrink; the prefix -1 precedes it.
    Incompressible(Buffer),
    /// Compressed bytes after their decompressed length.
    Compressed(Buffer),
}

impl BodyBuffer {
    pub(super) fn nbytes(&self) -> usize {
        match self {
            Self::Uncompressed(bytes) => bytes.len(),
            Self::Incompressible(bytes) => 8 + bytes.len(),
            Self::Compressed(bytes) => bytes.len(),
        }
    }
}

/// Consecutive columns of a message: their nodes and buffers, in order.
#[derive(Debug, Default)]
pub(super) struct EncodedColumns {
    pub(super) nodes: Vec<FieldNode>,
    pub(super) buffers: Vec<BodyBuffer>,
    /// Number of data buffers of each view column.
    pub(super) variadic: Vec<i64>,
}

impl EncodedColumns {
    /// Encodes columns. A dictionary array counts as its codes.
    ///
    /// # Errors
    /// Malformed arrays; the codec's own.
    pub(super) fn new(arrays: &[ArrayData], options: &WriteOptions) -> Result<Self> {
        let mut batch = FlatBatch::with_capacity(arrays.len());
        arrays.iter().try_for_each(|array| batch.push(array))?;
        let FlatBatch { nodes, buffers, variadic } = batch;
        let buffers = match options.codec {
            None => buffers.into_iter().map(BodyBuffer::Uncompressed).collect(),
            Some(codec) => compress(&buffers, codec, options.level)?,
        };
        Ok(Self { nodes, buffers, variadic })
    }

    /// Adds the columns after these.
    pub(super) fn append(&mut self, next: &mut Self) {
        self.nodes.append(&mut next.nodes);
        self.buffers.append(&mut next.buffers);
        self.variadic.append(&mut next.variadic);
    }

    /// The places of the buffers in the body, and the length of the body.
    pub(super) fn places(&self) -> (Vec<fb::Buffer>, usize) {
        let mut places = Vec::with_capacity(self.buffers.len());
        let mut at = 0usize;
        for buffer in &self.buffers {
            let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
            places.push(fb::Buffer::new(number(at), number(buffer.nbytes())));
            at += buffer.nbytes().next_multiple_of(ALIGNMENT);
        }
        (places, at)
    }
}

/// Divides messages, each of some columns, into tasks: the number of a message and a range of its columns. Without a codec a
/// task is a message. Returns the number of bytes too.
pub(super) fn tasks<'m>(
    messages: impl Iterator<Item = &'m [ArrayData]>,
    options: &WriteOptions,
) -> (Vec<(usize, Range<usize>)>, usize) {
    let (mut tasks, mut total) = (Vec::new(), 0usize);
    for (i, columns) in messages.enumerate() {
        let (mut start, mut nbytes) = (0, 0usize);
        for (column, array) in columns.iter().enumerate().filter(|_| options.codec.is_some()) {
            nbytes = nbytes.saturating_add(array.get_slice_memory_size().unwrap_or(0));
            if nbytes >= TASK_NBYTES && column + 1 < columns.len() {
                tasks.push((i, start..column + 1));
                total = total.saturating_add(nbytes);
                (start, nbytes) = (column + 1, 0);
            }
        }
        tasks.push((i, start..columns.len()));
        total = total.saturating_add(nbytes);
    }
    (tasks, total)
}

/// Compresses buffers into one region.
fn compress(buffers: &[Buffer], codec: BodyCodec, level: Option<i32>) -> Result<Vec<BodyBuffer>> {
    let capacity = |buffer: &Buffer| match buffer.len() {
        0 => 0,
        nbytes => (8 + bound(codec, nbytes)).next_multiple_of(ALIGNMENT),
    };
    let mut region = Region::allocate(buffers.iter().map(capacity).sum())?;
    let mut rest = region.as_mut_slice();
    let mut lengths = Vec::with_capacity(buffers.len());
    for buffer in buffers {
        let (target, further) = std::mem::take(&mut rest).split_at_mut(capacity(buffer));
        lengths.push(match buffer.len() {
            0 => None,
            _ => compress_buffer(buffer, codec, level, target)?,
        });
        rest = further;
    }
    let region = crate::memory::Buffer::from_region(region.finish(), false).to_arrow();
    let mut start = 0;
    let encoded = buffers.iter().zip(lengths).map(|(buffer, length)| {
        let place = start;
        start += capacity(buffer);
        match length {
            Some(length) => BodyBuffer::Compressed(region.slice_with_length(place, length)),
            None if buffer.is_empty() => BodyBuffer::Uncompressed(buffer.clone()),
            None => BodyBuffer::Incompressible(buffer.clone()),
        }
    });
    Ok(encoded.collect())
}

fn bound(codec: BodyCodec, nbytes: usize) -> usize {
    match codec {
        BodyCodec::Lz4 => lz4::bound(nbytes),
        BodyCodec::Zstd => zstd::bound(nbytes),
    }
}

/// Writes the length of `bytes` and their compressed form to `target`. Returns the number of bytes written; `None` if the
/// bytes do not shrink.
fn compress_buffer(
    bytes: &[u8],
    codec: BodyCodec,
    level: Option<i32>,
    target: &mut [u8],
) -> Result<Option<usize>> {
    let Some((length, rest)) = target.split_first_chunk_mut::<8>() else { return Ok(None) };
    *length = (bytes.len() as u64).to_le_bytes();
    let count = match codec {
        BodyCodec::Lz4 => lz4::compress(bytes, level.unwrap_or(lz4::DEFAULT_LEVEL), rest)?,
        BodyCodec::Zstd => zstd::compress_into(bytes, level.unwrap_or(ZSTD_LEVEL), rest)?,
    };
    Ok((count < bytes.len()).then_some(8 + count))
}
