//! Fills R's vectors on other threads, while R's own thread makes its strings, which no other thread may.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, available_parallelism};

use colonnade::panics::catch_panic;
use colonnade::parallel::INLINE_NBYTES;
use colonnade::{Error, Result};
use colonnade_capi::error::{CnCode, CnError, report};

use super::{CnrFill, CnrFrame};
use crate::r_memory::{defect, values_of};

/// Vectors that several threads fill.
struct Queue {
    frame: *const CnrFrame,
    fills: Vec<CnrFill>,
    next: AtomicUsize,
    error: Mutex<Option<Error>>,
}

// SAFETY: all threads only read the frame, which has no cells. `next` gives each vector to one thread. The caller of
// `cnr_fills_start` keeps the frame and the vectors until all threads have ended.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Queue {
    /// Fills the next vector. Returns false if there is none.
    fn step(&self) -> bool {
        let Some(fill) = self.fills.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return false };
        // SAFETY: `cnr_fills_start` requires that the frame and R's memory are valid.
        let fill = || unsafe { fill.run(self.frame.as_ref().ok_or_else(|| defect("no frame"))?) };
        if let Err(error) = catch_panic(fill).and_then(|result| result) {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            self.stop();
        }
        true
    }

    fn stop(&self) {
        self.next.store(self.fills.len(), Ordering::Relaxed);
    }
}

/// Vectors that are being filled.
pub struct CnrFills {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

impl CnrFills {
    fn join(&mut self) -> Result<()> {
        let failed = self.threads.drain(..).filter_map(|thread| thread.join().err()).count();
        match self.queue.error.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None if failed == 0 => Ok(()),
            None => Err(defect("a worker thread ended early")),
        }
    }
}

impl Drop for CnrFills {
    fn drop(&mut self) {
        self.queue.stop();
        // The caller of `cnr_fills_end` has the errors.
        let _ = self.join();
    }
}

/// Starts to fill vectors, if they are large, on all cores but the calling thread's. Free the result with `cnr_fills_free`.
///
/// # Safety
/// `frame` is valid, and each of the `count` `fills` is as `cnr_fill` needs it, until `cnr_fills_free`; no two have the same memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_fills_start(
    frame: *const CnrFrame,
    fills: *const CnrFill,
    count: usize,
) -> *mut CnrFills {
    // SAFETY: the caller guarantees each pointer.
    let fills = unsafe { values_of(fills, count) }.to_vec();
    // SAFETY: as above.
    let nrows = unsafe { frame.as_ref() }.map_or(0, |frame| frame.frame().nrows);
    let others = match nrows.saturating_mul(count).saturating_mul(8) < INLINE_NBYTES {
        true => 0,
        false => available_parallelism().map_or(0, |cores| cores.get() - 1).min(count),
    };
    let queue = Arc::new(Queue { frame, fills, next: AtomicUsize::new(0), error: Mutex::new(None) });
    // Without more threads, the calling one does the work.
    let start = |_| {
        let queue = Arc::clone(&queue);
        Builder::new().spawn(move || while queue.step() {}).ok()
    };
    let threads = (0..others).map_while(start).collect();
    Box::into_raw(Box::new(CnrFills { queue, threads }))
}

/// Fills a vector that no thread has begun, on the calling thread. Returns false if there is none.
///
/// # Safety
/// `fills` is of `cnr_fills_start`, and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_fills_step(fills: *const CnrFills) -> bool {
    // SAFETY: the caller guarantees it.
    unsafe { fills.as_ref() }.is_some_and(|fills| fills.queue.step())
}

/// Waits for the vectors that other threads have begun, after `cnr_fills_step` has returned false.
///
/// # Safety
/// As `cnr_fills_step`; no other call uses `fills`; `error` is null or zeroed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_fills_end(fills: *mut CnrFills, error: *mut CnError) -> CnCode {
    // SAFETY: the caller guarantees each pointer.
    unsafe {
        report(error, || {
            let fills = fills.as_mut().ok_or_else(|| defect("no vectors"))?;
            fills.join()
        })
    }
}

/// Stops filling, waits for the vectors that were begun, and frees `fills`. Null is ignored.
///
/// # Safety
/// `fills` is null, or of `cnr_fills_start`, and was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cnr_fills_free(fills: *mut CnrFills) {
    if !fills.is_null() {
        // SAFETY: the caller guarantees it.
        drop(unsafe { Box::from_raw(fills) });
    }
}
