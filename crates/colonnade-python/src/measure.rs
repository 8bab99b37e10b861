//! Functions for benchmarks: a pass over every byte, and the limits of this machine.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Instant;

use colonnade::memory::{self, Region};
use colonnade::parallel;
use colonnade::parallel::Task;
use colonnade::progress::NoProgress;
use colonnade_transport::AtomicFile;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::IntoPy;
use crate::guard::Guarded;
use crate::path::PathArgument;

/// A range of contiguous bytes: address and length.
type Run = (usize, usize);

/// Collects the contiguous runs of an array.
fn runs(array: &Bound<'_, PyUntypedArray>, out: &mut Vec<Run>) {
    let (shape, strides) = (array.shape(), array.strides());
    let item = numpy::PyArrayDescrMethods::itemsize(&array.dtype());
    if shape.contains(&0) || item == 0 {
        return;
    }
    // SAFETY: `array` is a live array object, whose data pointer is read but not dereferenced.
    let data = unsafe { (*array.as_array_ptr()).fields.data } as usize;
    if array.is_contiguous() {
        return out.push((data, shape.iter().product::<usize>() * item));
    }
    // Items along the contiguous axis form one run. The other axes are iterated.
    let is_contiguous = |axis: &usize| strides.get(*axis).is_some_and(|&s| s.unsigned_abs() == item);
    let inner = (0..shape.len()).find(is_contiguous);
    let mut starts = vec![data];
    for (axis, (&length, &stride)) in shape.iter().zip(strides).enumerate() {
        if Some(axis) == inner {
            if stride < 0 {
                starts
                    .iter_mut()
                    .for_each(|s| *s = s.wrapping_add_signed(stride.wrapping_mul(length.cast_signed() - 1)));
            }
            continue;
        }
        starts = starts
            .iter()
            .flat_map(|&s| {
                (0..length).map(move |i| s.wrapping_add_signed(stride.wrapping_mul(i.cast_signed())))
            })
            .collect();
    }
    let length = inner.and_then(|axis| shape.get(axis)).map_or(item, |n| n * item);
    out.extend(starts.into_iter().map(|s| (s, length)));
}

/// The sum of all bytes of a run, eight at a time.
fn sum((start, nbytes): Run) -> u64 {
    // SAFETY: a run is part of an array or buffer that the caller keeps alive.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, nbytes) };
    let (words, rest) = bytes.as_chunks::<8>();
    let total = words.iter().fold(0u64, |a, w| a.wrapping_add(u64::from_le_bytes(*w)));
    rest.iter().fold(total, |a, &b| a.wrapping_add(u64::from(b)))
}

/// Reads every byte of each array or buffer once.
#[pyfunction]
#[pyo3(signature = (buffers, threads = 1))]
fn touch(py: Python<'_>, buffers: Vec<Bound<'_, PyAny>>, threads: usize) -> PyResult<u64> {
    let mut all = Vec::with_capacity(buffers.len());
    let mut views = Vec::new();
    for buffer in &buffers {
        if let Ok(array) = buffer.cast::<PyUntypedArray>() {
            runs(array, &mut all);
        } else {
            let view = PyBuffer::<u8>::get(buffer)?;
            if !view.is_c_contiguous() {
                return Err(PyValueError::new_err("expected a contiguous buffer"));
            }
            if view.len_bytes() > 0 {
                all.push((view.buf_ptr() as usize, view.len_bytes()));
            }
            views.push(view);
        }
    }
    if threads <= 1 {
        return py.guarded(|| Ok(all.iter().fold(0u64, |a, &run| a.wrapping_add(sum(run)))));
    }
    let sums: Vec<std::sync::atomic::AtomicU64> = all.iter().map(|_| 0.into()).collect();
    let tasks = all.iter().zip(&sums).map(|(&run, slot)| {
        Task::new(run.1, move || {
            slot.store(sum(run), std::sync::atomic::Ordering::Relaxed);
            Ok(())
        })
    });
    let tasks: Vec<Task<'_>> = tasks.collect();
    py.guarded(|| parallel::run(tasks, threads, &NoProgress)).py()?;
    Ok(sums.iter().fold(0, |a, s| a.wrapping_add(s.load(std::sync::atomic::Ordering::Relaxed))))
}

/// Seconds of `repeat` copies of `nbytes` into warm memory, on one thread.
#[pyfunction]
fn limit_memcpy(py: Python<'_>, nbytes: usize, repeat: usize) -> PyResult<Vec<f64>> {
    py.guarded(|| {
        let (mut source, mut target) = (Region::allocate(nbytes, false)?, Region::allocate(nbytes, false)?);
        source.as_mut_slice().fill(1);
        target.as_mut_slice().fill(2);
        let mut out = Vec::with_capacity(repeat);
        for _ in 0..repeat {
            let start = Instant::now();
            target.as_mut_slice().copy_from_slice(source.as_mut_slice());
            std::hint::black_box(target.as_mut_slice());
            out.push(start.elapsed().as_secs_f64());
        }
        Ok(out)
    })
}

/// A copy that gathers columns: the source has chunks of `columns` pieces each, the target has the pieces of each column in
/// a row. With one column it is an ordinary copy.
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
/// `streaming`: stores bypass the cache. With `columns` and `piece`, the copy gathers columns from chunks as from record
/// batches, without headers. `by_column`: the copy proceeds by column instead of by chunk. `hot`: every chunk is read from
/// the address of the first, as if it had just been received.
#[pyfunction]
#[pyo3(signature = (source, threads, repeat, streaming, columns = 1, piece = 0, by_column = false, hot = false))]
#[allow(clippy::too_many_arguments)]
fn limit_copy(
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
    /// Minimum bytes of one task.
    const TASK: usize = 4 << 20;
    /// Extra bytes of the region. The pool reuses a region for requests up to its size, and readers request padded regions.
    const SLACK: usize = 16 << 20;
    let view = PyBuffer::<u8>::get(source)?;
    if !view.is_c_contiguous() || columns == 0 {
        return Err(PyValueError::new_err("expected a contiguous buffer and one column or more"));
    }
    let (address, nbytes) = (view.buf_ptr() as usize, view.len_bytes());
    py.guarded(|| {
        let piece = if piece == 0 { TASK } else { piece };
        let mut plan = Gather { source: address, nbytes, target: 0, columns, piece, streaming, hot };
        let mut target = Region::allocate(plan.target_nbytes() + SLACK, false)?;
        plan.target = target.as_mut_slice().as_mut_ptr() as usize;
        let (plan, chunks) = (&plan, plan.chunks());
        let step = TASK.div_ceil(if by_column { piece } else { piece * columns });
        let outer = if by_column { columns } else { 1 };
        let mut out = Vec::with_capacity(repeat);
        // The first copy faults in the target's pages and is not counted.
        for number in 0..=repeat {
            let tasks = (0..outer).flat_map(|column| {
                (0..chunks).step_by(step).map(move |start| {
                    let end = chunks.min(start + step);
                    Task::new((end - start) * piece, move || {
                        if by_column {
                            plan.copy((start..end).map(|chunk| (chunk, column)));
                        } else {
                            plan.copy(
                                (start..end)
                                    .flat_map(|chunk| (0..columns).map(move |column| (chunk, column))),
                            );
                        }
                        Ok(())
                    })
                })
            });
            let tasks: Vec<Task<'_>> = tasks.collect();
            let start = Instant::now();
            parallel::run(tasks, threads, &NoProgress)?;
            if number > 0 {
                out.push(start.elapsed().as_secs_f64());
            }
        }
        std::hint::black_box(target.as_mut_slice());
        Ok::<_, colonnade::Error>(out)
    })
    .py()
}

/// Seconds to write every byte of a huge-page region once, in parallel: the limit of decoding runs of one value.
#[pyfunction]
fn limit_fill(py: Python<'_>, nbytes: usize, threads: usize) -> PyResult<f64> {
    const PIECE: usize = 4 << 20;
    py.guarded(|| {
        let start = Instant::now();
        let mut region = Region::allocate(nbytes, false)?;
        let pieces = region.as_mut_slice().chunks_mut(PIECE);
        let tasks: Vec<Task<'_>> = pieces
            .map(|piece| {
                Task::new(piece.len(), move || {
                    piece.fill(1);
                    Ok(())
                })
            })
            .collect();
        parallel::run(tasks, threads, &NoProgress)?;
        let seconds = start.elapsed().as_secs_f64();
        std::hint::black_box(region.as_mut_slice());
        Ok::<f64, colonnade::Error>(seconds)
    })
    .py()
}

/// Seconds to read the whole file into a huge-page region by parallel pread. `fresh`: the memory was never used before.
#[pyfunction]
fn limit_pread(py: Python<'_>, path: PathArgument, threads: usize, fresh: bool) -> PyResult<f64> {
    const PIECE: usize = 4 << 20;
    py.guarded(|| {
        let file = File::open(&path.0)?;
        let nbytes = usize::try_from(file.metadata()?.len()).map_err(std::io::Error::other)?;
        if fresh {
            memory::trim();
        }
        let start = Instant::now();
        let mut region = Region::allocate(nbytes, false)?;
        let pieces = region.as_mut_slice().chunks_mut(PIECE).enumerate();
        let tasks = pieces.map(|(i, piece)| {
            let file = &file;
            Task::new(piece.len(), move || Ok(file.read_exact_at(piece, (i * PIECE) as u64)?))
        });
        let tasks: Vec<Task<'_>> = tasks.collect();
        parallel::run(tasks, threads, &NoProgress)?;
        Ok::<f64, colonnade::Error>(start.elapsed().as_secs_f64())
    })
    .py()
}

/// Seconds to write `nbytes` from warm memory, without encoding.
#[pyfunction]
fn limit_write(
    py: Python<'_>,
    path: PathArgument,
    nbytes: usize,
    reserve: bool,
    replace: bool,
) -> PyResult<f64> {
    py.guarded(|| {
        let mut source = Region::allocate(nbytes, false)?;
        source.as_mut_slice().fill(1);
        if !replace {
            fs::remove_file(&path.0).ok();
        }
        let start = Instant::now();
        let mut file = AtomicFile::create(&path.0)?;
        if reserve {
            file.reserve(nbytes as u64)?;
        }
        file.write(source.as_mut_slice())?;
        file.commit(false)?;
        Ok(start.elapsed().as_secs_f64())
    })
}

/// Returns the recycled memory to the system.
#[pyfunction]
fn pool_trim(py: Python<'_>) -> PyResult<usize> {
    py.guarded(|| Ok(memory::trim()))
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(touch, m)?)?;
    m.add_function(wrap_pyfunction!(limit_memcpy, m)?)?;
    m.add_function(wrap_pyfunction!(limit_copy, m)?)?;
    m.add_function(wrap_pyfunction!(limit_fill, m)?)?;
    m.add_function(wrap_pyfunction!(limit_pread, m)?)?;
    m.add_function(wrap_pyfunction!(limit_write, m)?)?;
    m.add_function(wrap_pyfunction!(pool_trim, m)?)
}
