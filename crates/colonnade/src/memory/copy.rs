//! Copies that bypass the cache: data that is not read soon need not be fetched into it.

/// Copies of more bytes than this in total bypass the cache.
pub const STREAMING_FROM_NBYTES: usize = 24 << 20;

/// Below this size bypassing the cache costs more than it saves.
const PIECE_NBYTES: usize = 256;

/// Copies `source` to `target` (of the same length). `streaming`: with non-temporal stores if the machine has them. Then the task calls
/// [`fence`] before it ends. (A task that fails need not: its memory is not read, and the lock of the task queue or of the pool, which
/// it passes before another thread has the memory, waits for such stores too.)
pub fn copy(target: &mut [u8], source: &[u8], streaming: bool) {
    debug_assert_eq!(target.len(), source.len());
    #[cfg(target_arch = "x86_64")]
    if streaming
        && target.len() >= PIECE_NBYTES
        && target.len() == source.len()
        && std::arch::is_x86_feature_detected!("avx2")
    {
        // SAFETY: the machine has AVX2, and both slices have the given length. `&mut` excludes that they overlap.
        unsafe { stream(target.as_mut_ptr(), source.as_ptr(), target.len()) };
        return;
    }
    target.copy_from_slice(source);
}

/// Makes streamed bytes visible to other threads.
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of every x86-64.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// # Safety
/// AVX2; `nbytes` readable at `source` and writable at `target`, which do not overlap.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn stream(target: *mut u8, source: *const u8, nbytes: usize) {
    use std::arch::x86_64::{__m256i, _MM_HINT_NTA, _mm_prefetch, _mm256_loadu_si256, _mm256_stream_si256};
    const AHEAD: usize = 1024;
    let head = target.align_offset(64).min(nbytes);
    let lines = (nbytes - head) / 128;
    // SAFETY: `head` bytes, `lines` times 128 bytes and the rest are `nbytes` together. After `head` bytes the target is aligned to 64,
    // as the stores require; loads need no alignment. Prefetches may point anywhere.
    unsafe {
        std::ptr::copy_nonoverlapping(source, target, head);
        let (mut from, mut to) = (source.add(head), target.add(head));
        for _ in 0..lines {
            _mm_prefetch::<_MM_HINT_NTA>(from.wrapping_add(AHEAD).cast());
            _mm_prefetch::<_MM_HINT_NTA>(from.wrapping_add(AHEAD + 64).cast());
            let a = _mm256_loadu_si256(from.cast::<__m256i>());
            let b = _mm256_loadu_si256(from.add(32).cast::<__m256i>());
            let c = _mm256_loadu_si256(from.add(64).cast::<__m256i>());
            let d = _mm256_loadu_si256(from.add(96).cast::<__m256i>());
            _mm256_stream_si256(to.cast::<__m256i>(), a);
            _mm256_stream_si256(to.add(32).cast::<__m256i>(), b);
            _mm256_stream_si256(to.add(64).cast::<__m256i>(), c);
            _mm256_stream_si256(to.add(96).cast::<__m256i>(), d);
            from = from.add(128);
            to = to.add(128);
        }
        let done = head + lines * 128;
        std::ptr::copy_nonoverlapping(source.add(done), target.add(done), nbytes - done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streamed_bytes_are_the_same_at_any_alignment() {
        let source: Vec<u8> = (0..5000u32).map(|i| i.to_le_bytes()[0] ^ i.to_le_bytes()[1]).collect();
        for start in 0..70 {
            for length in [0, 1, 63, 255, 256, 300, 511, 1024, 4000] {
                let mut target = vec![0; start + length + 7];
                copy(&mut target[start..start + length], &source[3..3 + length], true);
                fence();
                assert_eq!(target[start..start + length], source[3..3 + length]);
                assert!(target[start + length..].iter().all(|&b| b == 0));
            }
        }
    }
}
