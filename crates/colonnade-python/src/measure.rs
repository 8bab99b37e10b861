//! What benchmarks stand on: one pass over every byte, and the limits of this machine.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Instant;

use colonnade::memory::{self, Region};
use colonnade::plan::{self, NoProgress, Task};
use colonnade_transport::AtomicFile;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::IntoPy;
use crate::path::PathArgument;

/// A run of bytes, as address and length.
type Run = (usize, usize);

/// The packed runs of an array.
fn runs(array: &Bound<'_, PyUntypedArray>, out: &mut Vec<Run>) {
    let (shape, strides) = (array.shape(), array.strides());
    let item = numpy::PyArrayDescrMethods::itemsize(&array.dtype());
    if shape.contains(&0) || item == 0 {
        return;
    }
    // SAFETY: a live array object; its data pointer is read, not followed.
    let data = unsafe { (*array.as_array_ptr()).fields.data } as usize;
    if array.is_contiguous() {
        return out.push((data, shape.iter().product::<usize>() * item));
    }
    // The axis whose items follow each other is one run; the others are walked.
    let packed = |axis: &usize| strides.get(*axis).is_some_and(|&s| s.unsigned_abs() == item);
    let inner = (0..shape.len()).find(packed);
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
    // SAFETY: runs are cells of live arrays or buffers that the caller holds.
    let bytes = unsafe { std::slice::from_raw_parts(start as *const u8, nbytes) };
    let (words, rest) = bytes.as_chunks::<8>();
    let total = words.iter().fold(0u64, |a, w| a.wrapping_add(u64::from_le_bytes(*w)));
    rest.iter().fold(total, |a, &b| a.wrapping_add(u64::from(b)))
}

/// One pass over every byte of each array or buffer.
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
        return Ok(py.detach(|| all.iter().fold(0u64, |a, &run| a.wrapping_add(sum(run)))));
    }
    let sums: Vec<std::sync::atomic::AtomicU64> = all.iter().map(|_| 0.into()).collect();
    let tasks = all.iter().zip(&sums).map(|(&run, slot)| {
        Task::new(run.1, move || {
            slot.store(sum(run), std::sync::atomic::Ordering::Relaxed);
            Ok(())
        })
    });
    let tasks: Vec<Task<'_>> = tasks.collect();
    py.detach(|| plan::run(tasks, threads, &NoProgress)).py()?;
    Ok(sums.iter().fold(0, |a, s| a.wrapping_add(s.load(std::sync::atomic::Ordering::Relaxed))))
}

/// Seconds of `repeat` copies of `nbytes` into warm memory, on one thread.
#[pyfunction]
fn limit_memcpy(py: Python<'_>, nbytes: usize, repeat: usize) -> PyResult<Vec<f64>> {
    py.detach(|| {
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

/// Seconds to read the whole file into a huge-page region by parallel pread. `fresh`: memory never touched before.
#[pyfunction]
fn limit_pread(py: Python<'_>, path: PathArgument, threads: usize, fresh: bool) -> PyResult<f64> {
    const PIECE: usize = 4 << 20;
    py.detach(|| {
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
        plan::run(tasks, threads, &NoProgress)?;
        Ok::<f64, colonnade::Error>(start.elapsed().as_secs_f64())
    })
    .py()
}

/// Seconds of a bare write of `nbytes` from warm memory, in calls of 4 MiB.
#[pyfunction]
fn limit_write(
    py: Python<'_>,
    path: PathArgument,
    nbytes: usize,
    reserve: bool,
    replace: bool,
) -> PyResult<f64> {
    const CALL: usize = 4 << 20;
    py.detach(|| {
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
        for chunk in source.as_mut_slice().chunks(CALL) {
            file.write(chunk)?;
        }
        file.commit(false)?;
        Ok(start.elapsed().as_secs_f64())
    })
}

/// Gives the recycled memory back to the system.
#[pyfunction]
fn pool_trim(py: Python<'_>) -> usize {
    py.detach(memory::trim)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(touch, m)?)?;
    m.add_function(wrap_pyfunction!(limit_memcpy, m)?)?;
    m.add_function(wrap_pyfunction!(limit_pread, m)?)?;
    m.add_function(wrap_pyfunction!(limit_write, m)?)?;
    m.add_function(wrap_pyfunction!(pool_trim, m)?)
}
