//! Recycles regions: the pool has a maximal size, releases idle memory, and is empty in a forked child.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The most bytes that wait in the pool.
pub const RECYCLE_CAP_NBYTES: usize = 2 << 30;

const IDLE: Duration = Duration::from_secs(10);

/// The origin of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A mapping of huge pages. Only these are recycled.
    Huge,
    /// A mapping of ordinary pages.
    Ordinary,
    /// The allocator.
    Heap,
}

/// Separate memory: a page-aligned mapping, or an allocation of the heap.
#[derive(Debug)]
pub(super) struct Mapping {
    pub(super) address: usize,
    pub(super) nbytes: usize,
    pub(super) origin: Origin,
}

struct IdleMapping {
    mapping: Mapping,
    since: Instant,
}

struct Pool {
    pid: u32,
    waiting: Vec<IdleMapping>,
    janitor: bool,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { pid: 0, waiting: Vec::new(), janitor: false });

impl Pool {
    /// The pool of this process. A forked child starts empty: its copies of these pages belong to the parent until they are
    /// unmapped.
    fn current(&mut self) -> &mut Self {
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

/// Takes a waiting mapping of at least `nbytes` and at most twice that, if there is one.
pub(super) fn take(nbytes: usize) -> Option<Mapping> {
    // `try_lock`: after a fork the lock may be held by a thread that no longer exists; fresh memory is always right.
    let mut guard = POOL.try_lock().ok()?;
    let pool = guard.current();
    let best = pool
        .waiting
        .iter()
        .enumerate()
        .filter(|(_, w)| w.mapping.nbytes >= nbytes && w.mapping.nbytes / 2 <= nbytes)
        .min_by_key(|(_, w)| w.mapping.nbytes)
        .map(|(i, _)| i)?;
    Some(pool.waiting.swap_remove(best).mapping)
}

/// Keeps `mapping` for reuse, or unmaps it if the pool is full.
pub(super) fn give(mapping: Mapping) {
    let Ok(mut guard) = POOL.try_lock() else { return unmap(&mapping) };
    let pool = guard.current();
    let waiting_nbytes: usize = pool.waiting.iter().map(|w| w.mapping.nbytes).sum();
    if waiting_nbytes.saturating_add(mapping.nbytes) > RECYCLE_CAP_NBYTES {
        return unmap(&mapping);
    }
    pool.waiting.push(IdleMapping { mapping, since: Instant::now() });
    if !pool.janitor {
        pool.janitor = std::thread::Builder::new().name("colonnade-idle".into()).spawn(release_idle).is_ok();
    }
}

/// Returns all waiting memory to the system, and returns the number of bytes released.
pub fn trim() -> usize {
    let Ok(mut guard) = POOL.try_lock() else { return 0 };
    let waiting = std::mem::take(&mut guard.current().waiting);
    drop(guard);
    waiting.iter().map(|w| (unmap(&w.mapping), w.mapping.nbytes).1).sum()
}

/// The thread that releases idle memory. It ends as soon as the pool is empty.
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
    // SAFETY: only `region::map` makes a `Mapping`, which has exactly one holder, and this is its end.
    unsafe { libc::munmap(mapping.address as *mut libc::c_void, mapping.nbytes) };
}
