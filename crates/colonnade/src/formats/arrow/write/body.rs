//! Bodies: where each buffer stands, and how it is compressed.

use arrow_buffer::Buffer;
use arrow_ipc as fb;

use crate::codec::{lz4, zstd};
use crate::error::Result;
use crate::memory::Region;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{Progress, Silent};

use super::WriteOptions;
use super::flatten::Flat;
use crate::arrow::ipc::BodyCodec;
use crate::arrow::ipc::encode::ALIGNMENT;

/// Small buffers are compressed together in tasks of about this size.
const TASK_NBYTES: usize = 256 << 10;

/// Level of zstd where none is asked for: that of the other Arrow libraries.
const ZSTD_LEVEL: i32 = 1;

/// What stands at a buffer's place.
#[derive(Debug)]
pub(super) enum Piece {
    /// The bytes as they lie in memory.
    Plain(Buffer),
    /// -1 and the bytes as they are: they did not shrink.
    Stored(Buffer),
    /// Their length and the compressed bytes.
    Packed(Buffer),
}

impl Piece {
    fn nbytes(&self) -> usize {
        match self {
            Self::Plain(bytes) => bytes.len(),
            Self::Stored(bytes) => 8 + bytes.len(),
            Self::Packed(bytes) => bytes.len(),
        }
    }
}

/// The buffers of a batch in their order, and where each begins.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) places: Vec<fb::Buffer>,
    pub(super) pieces: Vec<Piece>,
    pub(super) nbytes: usize,
}

impl Body {
    fn new(pieces: Vec<Piece>) -> Self {
        let mut places = Vec::with_capacity(pieces.len());
        let mut at = 0usize;
        for piece in &pieces {
            let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
            places.push(fb::Buffer::new(number(at), number(piece.nbytes())));
            at += piece.nbytes().next_multiple_of(ALIGNMENT);
        }
        Self { places, pieces, nbytes: at }
    }
}

/// The bodies of several batches; all their buffers are compressed side by side. The bytes do not depend on `threads`.
///
/// # Errors
/// The codec's own, and cancellation.
pub(super) fn bodies(
    flats: &mut [Flat],
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<Vec<Body>> {
    let mut all: Vec<Vec<Piece>> = flats
        .iter_mut()
        .map(|flat| std::mem::take(&mut flat.buffers).into_iter().map(Piece::Plain).collect())
        .collect();
    if let Some(codec) = options.codec {
        compress(&mut all, codec, options, progress)?;
    }
    Ok(all.into_iter().map(Body::new).collect())
}

/// Compresses every buffer into a region of the whole, which is recycled with the next batches.
fn compress(
    all: &mut [Vec<Piece>],
    codec: BodyCodec,
    options: &WriteOptions,
    progress: &dyn Progress,
) -> Result<()> {
    let room = |piece: &Piece| (8 + bound(codec, piece.nbytes())).next_multiple_of(ALIGNMENT);
    let pieces: Vec<&mut Piece> = all.iter_mut().flatten().filter(|p| p.nbytes() > 0).collect();
    let total = pieces.iter().map(|p| room(p)).sum();
    let mut region = Region::allocate(total, false)?;
    let mut lengths = vec![None; pieces.len()];
    let mut tasks = Vec::new();
    let (mut rest, mut places, mut results) =
        (pieces.as_slice(), region.as_mut_slice(), lengths.as_mut_slice());
    while !rest.is_empty() {
        let mut nbytes = 0;
        let fits = |piece: &&&mut Piece| {
            let first = nbytes == 0;
            nbytes += piece.nbytes();
            first || nbytes <= TASK_NBYTES
        };
        let count = rest.iter().take_while(fits).count();
        let (now, later) = rest.split_at(count);
        let (place, further) = std::mem::take(&mut places).split_at_mut(now.iter().map(|p| room(p)).sum());
        let (lengths, others) = std::mem::take(&mut results).split_at_mut(count);
        let nbytes = now.iter().map(|p| p.nbytes()).sum();
        tasks.push(Task::new(nbytes, move || {
            let mut place = place;
            for (piece, length) in now.iter().zip(lengths) {
                let (target, further) = std::mem::take(&mut place).split_at_mut(room(piece));
                if let Piece::Plain(bytes) = &**piece {
                    *length = pack(bytes, codec, options.level, target)?;
                }
                place = further;
            }
            Ok(())
        }));
        (rest, places, results) = (later, further, others);
    }
    // The bytes written are what is reported; a signal is noticed here all the same.
    parallel::run(tasks, options.threads, &Silent(progress))?;
    let whole = crate::memory::Buffer::from_region(region.finish(), false).to_arrow();
    let mut start = 0;
    for (piece, length) in pieces.into_iter().zip(lengths) {
        let next = start + room(piece);
        *piece = match (length, &*piece) {
            (Some(length), _) => Piece::Packed(whole.slice_with_length(start, length)),
            (None, Piece::Plain(bytes)) => Piece::Stored(bytes.clone()),
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

/// The length of `bytes` and their compressed form into `target`; answers how many bytes that takes, `None` where they do
/// not shrink.
fn pack(bytes: &[u8], codec: BodyCodec, level: Option<i32>, target: &mut [u8]) -> Result<Option<usize>> {
    let Some((length, rest)) = target.split_first_chunk_mut::<8>() else { return Ok(None) };
    *length = (bytes.len() as u64).to_le_bytes();
    let count = match codec {
        BodyCodec::Lz4 => lz4::compress(bytes, level.unwrap_or(lz4::DEFAULT_LEVEL), rest)?,
        BodyCodec::Zstd => zstd::compress_into(bytes, level.unwrap_or(ZSTD_LEVEL), rest)?,
    };
    Ok((count < bytes.len()).then_some(8 + count))
}
