//! Regions waiting to be used again: bounded, given back after idleness, forgotten across a fork.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Bytes that may wait in the pool at most.
pub const RECYCLE_CAP_NBYTES: usize = 2 << 30;

const IDLE: Duration = Duration::from_secs(10);

/// Where memory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A mapping of huge pages: only these are worth waiting.
    Huge,
    /// A mapping of ordinary pages.
    Ordinary,
    /// The allocator.
    Heap,
}

/// Memory of its own: a mapping, page aligned, or a piece of the heap.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) address: usize,
    pub(super) nbytes: usize,
    pub(super) origin: Origin,
}

struct Waiting {
    mapping: Mapping,
    since: Instant,
}

struct Pool {
    pid: u32,
    waiting: Vec<Waiting>,
    janitor: bool,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { pid: 0, waiting: Vec::new(), janitor: false });

impl Pool {
    /// A forked child starts empty: its copies of these pages are the parent's business until they are unmapped.
    fn own(&mut self) -> &mut Self {
        let pid = std::process::id();
        if self.pid != pid {
            for waiting in self.waiting.drain(..) {
                unmap(&waiting.mapping);
            }
            self.pid = pid;
            self.janitor = false;
        }
        self
    }
}

/// A waiting mapping of at least `nbytes` and at most twice that, if there is one.
pub(super) fn take(nbytes: usize) -> Option<Mapping> {
    // `try_lock`: after a fork the lock may be held by a thread that no longer exists; fresh memory is always right.
    let mut guard = POOL.try_lock().ok()?;
    let pool = guard.own();
    let best = pool
        .waiting
        .iter()
        .enumerate()
        .filter(|(_, w)| w.mapping.nbytes >= nbytes && w.mapping.nbytes / 2 <= nbytes)
        .min_by_key(|(_, w)| w.mapping.nbytes)
        .map(|(i, _)| i)?;
    Some(pool.waiting.swap_remove(best).mapping)
}

/// Keeps `mapping` for the next taker, or gives it back where the pool is full.
pub(super) fn give(mapping: Mapping) {
    let Ok(mut guard) = POOL.try_lock() else { return unmap(&mapping) };
    let pool = guard.own();
    let held: usize = pool.waiting.iter().map(|w| w.mapping.nbytes).sum();
    if held.saturating_add(mapping.nbytes) > RECYCLE_CAP_NBYTES {
        return unmap(&mapping);
    }
    pool.waiting.push(Waiting { mapping, since: Instant::now() });
    if !pool.janitor {
        pool.janitor = std::thread::Builder::new().name("colonnade-idle".into()).spawn(release_idle).is_ok();
    }
}

/// Gives all waiting memory back to the system; answers the bytes released.
pub fn trim() -> usize {
    let Ok(mut guard) = POOL.try_lock() else { return 0 };
    let waiting = std::mem::take(&mut guard.own().waiting);
    drop(guard);
    waiting.iter().map(|w| (unmap(&w.mapping), w.mapping.nbytes).1).sum()
}

/// The janitor: ends as soon as nothing waits.
fn release_idle() {
    loop {
        std::thread::sleep(IDLE / 4);
        let Ok(mut pool) = POOL.lock() else { return };
        pool.waiting.retain(|w| {
            let keep = w.since.elapsed() < IDLE;
            if !keep {
                unmap(&w.mapping);
            }
            keep
        });
        if pool.waiting.is_empty() {
            pool.janitor = false;
            return;
        }
    }
}

pub(super) fn unmap(mapping: &Mapping) {
    // SAFETY: a `Mapping` is made by `region::map` alone, owned by exactly one holder, and this is its end.
    unsafe { libc::munmap(mapping.address as *mut libc::c_void, mapping.nbytes) };
}
