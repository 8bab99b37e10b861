//! Recycles regions: what a dropped frame held serves the next read.
//!
//! The pool has a limit, returns idle memory to the system, and is empty in a forked child.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The most bytes that wait in the pool unless [`set_limit`] says otherwise.
pub const DEFAULT_LIMIT_NBYTES: usize = 2 << 30;

const IDLE: Duration = Duration::from_secs(10);

/// No thread watches a pool of no more bytes than this: the allocator keeps as much, and a process of one thread stays one.
const UNWATCHED_NBYTES: usize = 32 << 20;

/// The most mappings that wait: the kernel allows a process 65,530 of them.
const MAX_WAITING: usize = 4096;

/// The origin of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A mapping of huge pages. It is recycled.
    Huge,
    /// A mapping of huge pages with a rest of ordinary ones. It is recycled, but the kernel cannot move it as one.
    Exact,
    /// A mapping of ordinary pages, shorter than a huge page. It is recycled.
    Small,
    /// A mapping of ordinary pages of which little is touched. It is not recycled.
    Sparse,
    /// The allocator, which recycles by itself.
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
    /// By length; the last of each list was given last, so its pages are the likeliest to be in the cache.
    waiting: BTreeMap<usize, Vec<IdleMapping>>,
    count: usize,
    nbytes: usize,
    janitor: bool,
}

static POOL: Mutex<Pool> =
    Mutex::new(Pool { pid: 0, waiting: BTreeMap::new(), count: 0, nbytes: 0, janitor: false });

static LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT_NBYTES);

impl Pool {
    /// The pool of this process. A forked child starts empty: its copies of these pages belong to the parent until they are
    /// unmapped.
    fn current(&mut self) -> &mut Self {
        let pid = std::process::id();
        if self.pid != pid {
            self.release(|_| true);
            self.pid = pid;
            self.janitor = false;
        }
        self
    }

    /// Unmaps what waits and is `unwanted`; returns how many bytes.
    fn release(&mut self, mut unwanted: impl FnMut(&IdleMapping) -> bool) -> usize {
        let before = self.nbytes;
        let (count, nbytes) = (&mut self.count, &mut self.nbytes);
        self.waiting.retain(|_, list| {
            list.retain(|idle| {
                let goes = unwanted(idle);
                if goes {
                    unmap(&idle.mapping);
                    *count -= 1;
                    *nbytes -= idle.mapping.nbytes;
                }
                !goes
            });
            !list.is_empty()
        });
        before - self.nbytes
    }
}

/// Takes a waiting mapping of at least `nbytes` and at most `most`, if there is one.
pub(super) fn take(nbytes: usize, most: usize) -> Option<Mapping> {
    if nbytes > most {
        return None; // such a range would panic while the pool is locked
    }
    // `try_lock`: after a fork the lock may be held by a thread that no longer exists; fresh memory is always right.
    let mut guard = POOL.try_lock().ok()?;
    let pool = guard.current();
    let (&length, list) = pool.waiting.range_mut(nbytes..=most).next()?;
    let idle = list.pop()?;
    if list.is_empty() {
        pool.waiting.remove(&length);
    }
    pool.count -= 1;
    pool.nbytes -= length;
    Some(idle.mapping)
}

/// Keeps `mapping` for reuse, or unmaps it if the pool is full.
pub(super) fn give(mapping: Mapping) {
    let Ok(mut guard) = POOL.try_lock() else { return unmap(&mapping) };
    let pool = guard.current();
    let fits = pool.nbytes.saturating_add(mapping.nbytes) <= LIMIT.load(Ordering::Relaxed);
    if !fits || pool.count >= MAX_WAITING {
        return unmap(&mapping);
    }
    pool.count += 1;
    pool.nbytes += mapping.nbytes;
    pool.waiting.entry(mapping.nbytes).or_default().push(IdleMapping { mapping, since: Instant::now() });
    if !pool.janitor && pool.nbytes > UNWATCHED_NBYTES {
        pool.janitor = std::thread::Builder::new().name("colonnade-idle".into()).spawn(release_idle).is_ok();
    }
}

/// Returns all waiting memory to the system, and returns the number of bytes released.
pub fn trim() -> usize {
    POOL.try_lock().map_or(0, |mut pool| pool.current().release(|_| true))
}

/// Sets the most bytes that wait, releases all if more do, and returns the limit before. 0 keeps nothing.
pub fn set_limit(nbytes: usize) -> usize {
    let before = LIMIT.swap(nbytes, Ordering::Relaxed);
    if let Ok(mut pool) = POOL.try_lock()
        && pool.current().nbytes > nbytes
    {
        pool.release(|_| true);
    }
    before
}

/// The thread that releases idle memory. It ends when [`UNWATCHED_NBYTES`] or less wait.
fn release_idle() {
    loop {
        std::thread::sleep(IDLE / 4);
        let Ok(mut pool) = POOL.lock() else { return };
        pool.release(|idle| idle.since.elapsed() >= IDLE);
        if pool.nbytes <= UNWATCHED_NBYTES {
            pool.janitor = false;
            return;
        }
    }
}

pub(super) fn unmap(mapping: &Mapping) {
    // SAFETY: the callers pass only mappings that `region::map` or `region::remap` made, none of the heap. A mapping has one holder,
    // a region or the pool, and this is its end.
    unsafe { libc::munmap(mapping.address as *mut libc::c_void, mapping.nbytes) };
}
