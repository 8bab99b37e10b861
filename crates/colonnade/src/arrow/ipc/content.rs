//! Looks at all bytes of offsets and text, several at a time, on one thread or on several.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Result;
use crate::parallel;
use crate::parallel::Task;

/// What all bytes of a column tell.
pub(super) struct Scanned {
    /// No offset is negative or less than the one before.
    pub(super) grows: bool,
    /// No byte is above 127; unknown if the offsets do not grow.
    pub(super) is_ascii: bool,
}

/// Reads all offsets and all bytes of text, on up to `threads` threads.
///
/// # Errors
/// Panics of threads.
pub(super) fn scan<const N: usize>(items: &[[u8; N]], text: &[u8], threads: usize) -> Result<Scanned> {
    let threads = pieces(items, text, threads);
    if threads == 1 {
        let grows = grow(items);
        return Ok(Scanned { grows, is_ascii: grows && text.is_ascii() });
    }
    let (grows, ascii) = (AtomicBool::new(true), AtomicBool::new(true));
    on_each(threads, |k| {
        grows.fetch_and(grow(rows(items, k, threads)), Ordering::Relaxed);
        ascii.fetch_and(
            text.get(cut(text, k, threads)..cut(text, k + 1, threads)).is_none_or(<[u8]>::is_ascii),
            Ordering::Relaxed,
        );
    })?;
    Ok(Scanned { grows: grows.into_inner(), is_ascii: ascii.into_inner() })
}

/// Whether `text` is UTF-8, and a character begins at each offset. `begins` decides the second.
///
/// # Errors
/// Panics of threads.
pub(super) fn is_utf8<const N: usize>(
    items: &[[u8; N]],
    text: &[u8],
    begins: impl Fn(&[u8; N]) -> bool + Sync,
    threads: usize,
) -> Result<bool> {
    let valid = AtomicBool::new(true);
    on_each(threads, |k| {
        let piece = text.get(cut(text, k, threads)..cut(text, k + 1, threads));
        let is_valid = piece.is_some_and(|piece| simdutf8::basic::from_utf8(piece).is_ok())
            && rows(items, k, threads).iter().all(&begins);
        valid.fetch_and(is_valid, Ordering::Relaxed);
    })?;
    Ok(valid.into_inner())
}

/// The number of threads to use: pieces that are too small do not pay for a thread.
pub(super) fn pieces<const N: usize>(items: &[[u8; N]], text: &[u8], threads: usize) -> usize {
    threads.min((items.as_flattened().len() + text.len()) / parallel::INLINE_NBYTES).max(1)
}

/// Calls `work` with 0 to `threads` - 1, each on its own thread.
fn on_each(threads: usize, work: impl Fn(usize) + Sync) -> Result<()> {
    let work = &work;
    let task = |k| {
        Task::new(1, move || {
            work(k);
            Ok(())
        })
    };
    parallel::run_short((0..threads).map(task).collect(), threads)
}

/// Piece `k` of the offsets, with the first one of the next piece.
fn rows<T>(items: &[T], k: usize, pieces: usize) -> &[T] {
    let end = (parallel::piece_start(items.len(), k + 1, pieces) + 1).min(items.len());
    items.get(parallel::piece_start(items.len(), k, pieces)..end).unwrap_or(&[])
}

/// Where piece `k` of text begins: the first one with the text, others at a character if the text is UTF-8.
fn cut(text: &[u8], k: usize, pieces: usize) -> usize {
    if k == 0 { 0 } else { parallel::character_start(text, parallel::piece_start(text.len(), k, pieces)) }
}

/// Whether no offset is negative or less than the one before.
fn grow<const N: usize>(items: &[[u8; N]]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        return unsafe { grow_avx2(items) };
    }
    grow_inlined(items)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn grow_avx2<const N: usize>(items: &[[u8; N]]) -> bool {
    grow_inlined(items)
}

/// Without an early exit the compiler vectorizes the folds. A difference of two numbers that are not negative fits their
/// type, so its sign compares them, and `|` collects all signs: comparisons of 64 bits are many instructions without SSE4.2.
#[inline(always)]
fn grow_inlined<const N: usize>(items: &[[u8; N]]) -> bool {
    let bytes = items.as_flattened();
    if N == 4 {
        let items = bytes.as_chunks::<4>().0;
        let first = items.first().map_or(0, |item| i32::from_le_bytes(*item));
        let signs = |signs: i32, (a, b): (&[u8; 4], &[u8; 4])| {
            let (a, b) = (i32::from_le_bytes(*a), i32::from_le_bytes(*b));
            signs | b | b.wrapping_sub(a)
        };
        return items.iter().zip(items.get(1..).unwrap_or(&[])).fold(first, signs) >= 0;
    }
    let items = bytes.as_chunks::<8>().0;
    let first = items.first().map_or(0, |item| i64::from_le_bytes(*item));
    let signs = |signs: i64, (a, b): (&[u8; 8], &[u8; 8])| {
        let (a, b) = (i64::from_le_bytes(*a), i64::from_le_bytes(*b));
        signs | b | b.wrapping_sub(a)
    };
    items.iter().zip(items.get(1..).unwrap_or(&[])).fold(first, signs) >= 0
}
