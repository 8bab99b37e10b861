//! A pass over every byte: what makes a result *usable*.

use std::sync::atomic::{AtomicU64, Ordering};

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::parallel::{self, Task};

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
pub(crate) fn touch(py: Python<'_>, buffers: Vec<Bound<'_, PyAny>>, threads: usize) -> PyResult<u64> {
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
    py.detach(|| {
        if threads <= 1 {
            return Ok(all.iter().fold(0, |total: u64, &run| total.wrapping_add(sum(run))));
        }
        let total = AtomicU64::new(0); // wraps, as `sum` does
        let tasks = all.iter().map(|&run| {
            let total = &total;
            Box::new(move || {
                total.fetch_add(sum(run), Ordering::Relaxed);
                Ok(())
            }) as Task<'_>
        });
        parallel::run(tasks.collect(), threads)?;
        Ok(total.load(Ordering::Relaxed))
    })
}
