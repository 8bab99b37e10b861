//! Bodies: the offset of each buffer, and its compression.

use arrow_buffer::Buffer;
use arrow_ipc as fb;

use crate::codec::{lz4, zstd};
use crate::error::Result;
use crate::memory::Region;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, SignalsOnly};

use super::WriteOptions;
use super::flatten::FlatBatch;
use crate::arrow::ipc::BodyCodec;
use crate::arrow::ipc::encode::ALIGNMENT;

/// Small buffers are compressed together in tasks of about this size.
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
    fn nbytes(&self) -> usize {
        match self {
            Self::Uncompressed(bytes) => bytes.len(),
            Self::Incompressible(bytes) => 8 + bytes.len(),
            Self::Compressed(bytes) => bytes.len(),
        }
    }
}

/// The buffers of a batch in order, and their offsets.
#[derive(Debug)]
pub(super) struct EncodedBody {
    pub(super) places: Vec<fb::Buffer>,
    pub(super) buffers: Vec<BodyBuffer>,
    pub(super) nbytes: usize,
}

impl EncodedBody {
    fn new(buffers: Vec<BodyBuffer>) -> Self {
        let mut places = Vec::with_capacity(buffers.len());
        let mut at = 0usize;
        for buffer in &buffers {
            let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
            places.push(fb::Buffer::new(number(at), number(buffer.nbytes())));
            at += buffer.nbytes().next_multiple_of(ALIGNMENT);
        }
        Self { places, buffers, nbytes: at }
    }
}

/// The bodies of several batches, whose buffers are compressed in parallel. The bytes do not depend on `threads`.
///
/// # Errors
/// The codec's own, and cancellation.
pub(super) fn bodies(
    batches: &mut [FlatBatch],
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<Vec<EncodedBody>> {
    let mut all: Vec<Vec<BodyBuffer>> = batches
        .iter_mut()
        .map(|batch| std::mem::take(&mut batch.buffers).into_iter().map(BodyBuffer::Uncompressed).collect())
        .collect();
    if let Some(codec) = options.codec {
        compress(&mut all, codec, options, progress)?;
    }
    Ok(all.into_iter().map(EncodedBody::new).collect())
}

/// Compresses every buffer into one region, whose memory the next batches reuse.
fn compress(
    all: &mut [Vec<BodyBuffer>],
    codec: BodyCodec,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<()> {
    let capacity = |buffer: &BodyBuffer| (8 + bound(codec, buffer.nbytes())).next_multiple_of(ALIGNMENT);
    let buffers: Vec<&mut BodyBuffer> = all.iter_mut().flatten().filter(|p| p.nbytes() > 0).collect();
    let total = buffers.iter().map(|p| capacity(p)).sum();
    let mut region = Region::allocate(total)?;
    let mut lengths = vec![None; buffers.len()];
    let mut tasks = Vec::new();
    let (mut rest, mut places, mut results) =
        (buffers.as_slice(), region.as_mut_slice(), lengths.as_mut_slice());
    while !rest.is_empty() {
        let mut nbytes = 0;
        let fits = |buffer: &&&mut BodyBuffer| {
            let first = nbytes == 0;
            nbytes += buffer.nbytes();
            first || nbytes <= TASK_NBYTES
        };
        let count = rest.iter().take_while(fits).count();
        let (group, later) = rest.split_at(count);
        let (place, further) =
            std::mem::take(&mut places).split_at_mut(group.iter().map(|p| capacity(p)).sum());
        let (lengths, others) = std::mem::take(&mut results).split_at_mut(count);
        let nbytes = group.iter().map(|p| p.nbytes()).sum();
        tasks.push(Task::new(nbytes, move || {
            let mut place = place;
            for (buffer, length) in group.iter().zip(lengths) {
                let (target, further) = std::mem::take(&mut place).split_at_mut(capacity(buffer));
                if let BodyBuffer::Uncompressed(bytes) = &**buffer {
                    *length = compress_buffer(bytes, codec, options.level, target)?;
                }
                place = further;
            }
            Ok(())
        }));
        (rest, places, results) = (later, further, others);
    }
    // Progress counts written bytes, not compressed ones. Cancellation is still noticed here.
    parallel::run(tasks, options.threads, &SignalsOnly(progress))?;
    let region = crate::memory::Buffer::from_region(region.finish(), false).to_arrow();
    let mut start = 0;
    for (buffer, length) in buffers.into_iter().zip(lengths) {
        let next = start + capacity(buffer);
        *buffer = match (length, &*buffer) {
            (Some(length), _) => BodyBuffer::Compressed(region.slice_with_length(start, length)),
            (None, BodyBuffer::Uncompressed(bytes)) => BodyBuffer::Incompressible(bytes.clone()),
            (None, _) => continue,
        };
        start = next;
    }
    Ok(())
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
