//! The limit of decoding a stream: a copy, and a copy that gathers columns.

use std::io;
use std::time::Instant;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::memory::{PIECE, Region};
use crate::parallel::{self, Task};

/// A copy that gathers columns. Each chunk of the source has `columns` pieces. The target has all pieces of a
/// column in a row. With one column it is an ordinary copy.
struct Gather {
    source: usize,
    nbytes: usize,
    target: usize,
    columns: usize,
    piece: usize,
    streaming: bool,
    hot: bool,
}

impl Gather {
    fn chunks(&self) -> usize {
        self.nbytes.div_ceil(self.columns * self.piece)
    }

    fn target_nbytes(&self) -> usize {
        self.chunks() * self.columns * self.piece
    }

    /// Copies the cells (chunk, column) of one task, in order.
    fn copy(&self, cells: impl Iterator<Item = (usize, usize)>) {
        for (chunk, column) in cells {
            let start = (chunk * self.columns + column) * self.piece;
            let length = self.piece.min(self.nbytes.saturating_sub(start));
            let from = (self.source + if self.hot { column * self.piece } else { start }) as *const u8;
            let to = (self.target + (column * self.chunks() + chunk) * self.piece) as *mut u8;
            // SAFETY: `from` points into the buffer that the caller keeps alive, `to` into a region of `target_nbytes`.
            // Cells do not overlap in the target, and each belongs to one task.
            unsafe {
                if self.streaming {
                    copy_streaming(from, to, length);
                } else {
                    std::ptr::copy_nonoverlapping(from, to, length);
                }
            }
        }
        #[cfg(target_arch = "x86_64")]
        if self.streaming {
            // SAFETY: every x86-64 processor has SSE.
            unsafe { std::arch::x86_64::_mm_sfence() };
        }
    }
}

/// Copies with stores that bypass the cache. On other processors than x86-64 this is an ordinary copy.
///
/// # Safety
/// As for `copy_nonoverlapping`. The caller must execute a store fence afterwards.
unsafe fn copy_streaming(from: *const u8, to: *mut u8, nbytes: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: all offsets stay below `nbytes`, and `to + head` is aligned to a cache line.
    unsafe {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        let head = to.align_offset(64).min(nbytes);
        std::ptr::copy_nonoverlapping(from, to, head);
        let lines = (nbytes - head) / 64;
        for line in 0..lines {
            let (from, to) =
                (from.add(head + line * 64).cast::<__m128i>(), to.add(head + line * 64).cast::<__m128i>());
            let quarters = [0, 1, 2, 3].map(|k| _mm_loadu_si128(from.add(k)));
            quarters.into_iter().enumerate().for_each(|(k, quarter)| _mm_stream_si128(to.add(k), quarter));
        }
        let done = head + lines * 64;
        std::ptr::copy_nonoverlapping(from.add(done), to.add(done), nbytes - done);
    }
    #[cfg(not(target_arch = "x86_64"))]
    // SAFETY: the caller guarantees it.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, nbytes);
    }
}

/// Seconds of `repeat` copies of a buffer into recycled huge-page memory: the limit of decoding a stream into blocks.
///
/// With `streaming`, stores bypass the cache. With `columns` and `piece`, the copy gathers columns from chunks, like record
/// batches without headers. With `by_column`, it proceeds by column instead of by chunk. With `hot`, it reads every chunk
/// from the address of the first one, as if the chunk had just been received.
#[pyfunction]
#[pyo3(signature = (source, threads, repeat, streaming, columns = 1, piece = 0, by_column = false, hot = false))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn limit_copy(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    threads: usize,
    repeat: usize,
    streaming: bool,
    columns: usize,
    piece: usize,
    by_column: bool,
    hot: bool,
) -> PyResult<Vec<f64>> {
    let view = PyBuffer::<u8>::get(source)?;
    if !view.is_c_contiguous() || columns == 0 {
        return Err(PyValueError::new_err("expected a contiguous buffer and one column or more"));
    }
    let (address, nbytes) = (view.buf_ptr() as usize, view.len_bytes());
    py.detach(|| -> io::Result<_> {
        let piece = if piece == 0 { PIECE } else { piece };
        let mut plan = Gather { source: address, nbytes, target: 0, columns, piece, streaming, hot };
        let mut target = Region::take(plan.target_nbytes())?;
        plan.target = target.as_mut_ptr() as usize;
        let (plan, chunks) = (&plan, plan.chunks());
        let step = PIECE.div_ceil(if by_column { piece } else { piece * columns });
        let outer = if by_column { columns } else { 1 };
        let mut out = Vec::with_capacity(repeat);
        // The first copy faults in the target's pages and is not counted.
        for number in 0..=repeat {
            let tasks = (0..outer).flat_map(|column| {
                (0..chunks).step_by(step).map(move |start| {
                    let end = chunks.min(start + step);
                    Box::new(move || {
                        if by_column {
                            plan.copy((start..end).map(|chunk| (chunk, column)));
                        } else {
                            plan.copy(
                                (start..end)
                                    .flat_map(|chunk| (0..columns).map(move |column| (chunk, column))),
                            );
                        }
                        Ok(())
                    }) as Task<'_>
                })
            });
            let tasks: Vec<Task<'_>> = tasks.collect();
            let start = Instant::now();
            parallel::run(tasks, threads)?;
            if number > 0 {
                out.push(start.elapsed().as_secs_f64());
            }
        }
        std::hint::black_box(&mut *target);
        Ok(out)
    })
    .map_err(PyErr::from)
}
