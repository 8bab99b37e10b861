//! Memory of huge pages, and the limits of writing to it.

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;
use std::time::Instant;

use memmap2::MmapMut;
use pyo3::prelude::*;

use crate::parallel::{self, Task};

const HUGE_PAGE: usize = 2 << 20;

/// Bytes of one task.
pub(crate) const PIECE: usize = 4 << 20;

/// The last region that was returned. Its pages are warm, and the next region of its size or less reuses it.
static KEPT: Mutex<Option<MmapMut>> = Mutex::new(None);

/// Anonymous memory that starts at a huge page.
pub(crate) struct Region {
    map: Option<MmapMut>,
    start: usize,
    nbytes: usize,
}

impl Region {
    /// Takes the kept region if it is large enough, else maps fresh memory.
    pub(crate) fn take(nbytes: usize) -> io::Result<Self> {
        let kept = KEPT.lock().ok().and_then(|mut kept| kept.take());
        match kept.filter(|map| map.len() >= nbytes + HUGE_PAGE) {
            Some(map) => Ok(Self::within(map, nbytes)),
            None => Self::fresh(nbytes),
        }
    }

    /// Maps memory that was never touched.
    pub(crate) fn fresh(nbytes: usize) -> io::Result<Self> {
        // One huge page more, so that the region can start at one.
        let map = MmapMut::map_anon(nbytes + HUGE_PAGE)?;
        #[cfg(target_os = "linux")]
        if nbytes >= HUGE_PAGE {
            map.advise(memmap2::Advice::HugePage).ok(); // without kernel support, the pages are ordinary
        }
        Ok(Self::within(map, nbytes))
    }

    fn within(map: MmapMut, nbytes: usize) -> Self {
        let start = map.as_ptr().align_offset(HUGE_PAGE).min(map.len() - nbytes);
        Self { map: Some(map), start, nbytes }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if let Ok(mut kept) = KEPT.lock() {
            *kept = self.map.take();
        }
    }
}

impl Deref for Region {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        let whole = self.map.as_deref().unwrap_or_default();
        whole.get(self.start..self.start + self.nbytes).unwrap_or_default()
    }
}

impl DerefMut for Region {
    fn deref_mut(&mut self) -> &mut [u8] {
        let whole = self.map.as_deref_mut().unwrap_or_default();
        whole.get_mut(self.start..self.start + self.nbytes).unwrap_or_default()
    }
}

/// Seconds of `repeat` copies of `nbytes` into warm memory, on one thread.
#[pyfunction]
pub(crate) fn limit_memcpy(py: Python<'_>, nbytes: usize, repeat: usize) -> PyResult<Vec<f64>> {
    Ok(py.detach(|| -> io::Result<_> {
        let (mut source, mut target) = (Region::fresh(nbytes)?, Region::take(nbytes)?);
        source.fill(1);
        target.fill(2);
        let mut out = Vec::with_capacity(repeat);
        for _ in 0..repeat {
            let start = Instant::now();
            target.copy_from_slice(&source);
            std::hint::black_box(&mut *target);
            out.push(start.elapsed().as_secs_f64());
        }
        Ok(out)
    })?)
}

/// Seconds to write every byte of a huge-page region once, in parallel: the limit of decoding runs of one value.
#[pyfunction]
pub(crate) fn limit_fill(py: Python<'_>, nbytes: usize, threads: usize) -> PyResult<f64> {
    Ok(py.detach(|| -> io::Result<_> {
        let start = Instant::now();
        let mut region = Region::take(nbytes)?;
        let tasks = region.chunks_mut(PIECE).map(|piece| {
            Box::new(move || {
                piece.fill(1);
                Ok(())
            }) as Task<'_>
        });
        parallel::run(tasks.collect(), threads)?;
        let seconds = start.elapsed().as_secs_f64();
        std::hint::black_box(&mut *region);
        Ok(seconds)
    })?)
}

/// Returns the kept memory to the system.
#[pyfunction]
pub(crate) fn release() {
    drop(KEPT.lock().map(|mut kept| kept.take()));
}
