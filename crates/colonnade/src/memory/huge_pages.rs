//! Requests huge pages, unless the system is slow to give them.
//!
//! A huge page is one fault instead of 512, and a fifth of their time. The exception is a virtual machine whose host has taken
//! back idle memory: there one took 5.8 ms, and 512 ordinary pages 0.8 ms. So the first page is touched at once. If that
//! is slow, memory has ordinary pages for a while.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::platform;

/// Processor time of one fault above which ordinary pages are faster.
const SLOW: Duration = Duration::from_millis(1);

/// From this size on, the first page is always touched: a page of another mapping says little about so many.
const LARGE: usize = 32 << 20;

/// For how long smaller memory gets huge pages without a look, after one that was fast.
const FAST_FOR: Duration = Duration::from_millis(50);

/// For how long ordinary pages are used, after a huge one that was slow. Memory that is freed and taken again is fast.
const SLOW_FOR: Duration = Duration::from_millis(400);

/// The ends of both, in nanoseconds after the first request.
static FAST_UNTIL: AtomicU64 = AtomicU64::new(0);
static SLOW_UNTIL: AtomicU64 = AtomicU64::new(0);

/// Requests huge pages for untouched memory, or ordinary ones.
///
/// # Safety
/// The range is whole huge pages of memory that the caller owns and whose bytes have no meaning yet.
pub(super) unsafe fn request(address: *mut u8, nbytes: usize) {
    // SAFETY: by this function's contract.
    unsafe {
        if are_slow() {
            return platform::advise_ordinary(address, nbytes);
        }
        platform::advise_huge(address, nbytes);
        if nbytes >= LARGE || (nbytes > 0 && now() >= FAST_UNTIL.load(Ordering::Relaxed)) {
            let before = platform::thread_time();
            address.write_volatile(0);
            if judge(platform::thread_time().saturating_sub(before)) {
                // All of the mapping: the kernel does not move one of two kinds.
                platform::advise_ordinary(address, nbytes);
            }
        }
    }
}

/// Whether huge pages were slow a moment ago.
pub(super) fn are_slow() -> bool {
    now() < SLOW_UNTIL.load(Ordering::Relaxed)
}

/// Keeps what the first touch of a huge page tells, and returns whether it was slow.
fn judge(took: Duration) -> bool {
    let is_slow = took > SLOW;
    let (until, lasts) = if is_slow { (&SLOW_UNTIL, SLOW_FOR) } else { (&FAST_UNTIL, FAST_FOR) };
    until.store(now() + nanoseconds(lasts), Ordering::Relaxed);
    is_slow
}

fn now() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    nanoseconds(START.get_or_init(Instant::now).elapsed())
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
