//! Bodies: where each buffer stands, and how it is compressed.

use arrow_buffer::Buffer;
use arrow_ipc as fb;

use crate::codec::{lz4, zstd};
use crate::error::Result;
use crate::plan::{self, Progress, Task};

use super::super::read::BodyCodec;
use super::WriteOptions;
use super::flatten::Flat;
use super::message::ALIGNMENT;

/// Small buffers are compressed together in tasks of about this size.
const TASK_NBYTES: usize = 256 << 10;

/// What stands at a buffer's place.
#[derive(Debug)]
pub(super) enum Piece {
    /// The bytes as they lie in memory.
    Plain(Buffer),
    /// -1 and the bytes as they are: they did not shrink.
    Stored(Buffer),
    /// Their length and the compressed bytes.
    Packed(Vec<u8>),
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
        let mut pieces: Vec<&mut Piece> = all.iter_mut().flatten().filter(|p| p.nbytes() > 0).collect();
        let mut tasks = Vec::new();
        let mut rest = pieces.as_mut_slice();
        while !rest.is_empty() {
            let mut nbytes = 0;
            let fits = |piece: &&&mut Piece| {
                let first = nbytes == 0;
                nbytes += piece.nbytes();
                first || nbytes <= TASK_NBYTES
            };
            let count = rest.iter().take_while(fits).count();
            let (now, later) = std::mem::take(&mut rest).split_at_mut(count);
            let total = now.iter().map(|p| p.nbytes()).sum();
            tasks.push(Task::new(total, move || {
                now.iter_mut().try_for_each(|p| pack(p, codec, options.level))
            }));
            rest = later;
        }
        // The bytes written are what is reported; a signal is noticed here all the same.
        plan::run(tasks, options.threads, &Silent(progress))?;
    }
    Ok(all.into_iter().map(Body::new).collect())
}

/// Looks for signals, reports nothing.
struct Silent<'p>(&'p dyn Progress);

impl Progress for Silent<'_> {
    fn advance(&self, _done: u64, _total: Option<u64>) -> Result<()> {
        self.0.interrupted()
    }
}

fn pack(piece: &mut Piece, codec: BodyCodec, level: Option<i32>) -> Result<()> {
    let Piece::Plain(bytes) = piece else { return Ok(()) };
    let length = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let mut out = Vec::with_capacity(bytes.len() / 2 + 64);
    out.extend_from_slice(&length.to_le_bytes());
    match codec {
        BodyCodec::Lz4 => lz4::compress(bytes, level.unwrap_or(lz4::DEFAULT_LEVEL), &mut out)?,
        BodyCodec::Zstd => zstd::append(bytes, level.unwrap_or(zstd::DEFAULT_LEVEL), &mut out)?,
    }
    *piece = if out.len() < 8 + bytes.len() { Piece::Packed(out) } else { Piece::Stored(bytes.clone()) };
    Ok(())
}
