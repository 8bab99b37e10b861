//! Encodes frames to `bytes`.

use std::sync::{Mutex, MutexGuard};

use colonnade::formats::{FrameEncoder, FrameEncoding};
use colonnade::frame::Frame;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_sink::BytesSink;
use crate::frame::CoreFrame;
use crate::run::{Callback, run_with_progress};
use crate::write_options::WriteOptions;

/// For frames up to this size, encoding the schema takes longer than encoding the data.
const SMALL_NBYTES: usize = 256 << 10;

/// Encoders do not cache layouts of more columns between calls.
const CACHED_COLUMNS: usize = 1000;

type Encoders = Vec<(&'static str, Box<dyn FrameEncoder>)>;

/// The encoder of each format, which caches the layouts of the last small frames.
static ENCODERS: Mutex<Encoders> = Mutex::new(Vec::new());

/// The encoder of `encoding`'s format, as an index of `ENCODERS`; `None` if the format caches nothing.
///
/// `try_lock`: while another thread encodes, a frame is encoded without the cache. After a fork, a thread that no longer
/// exists may hold the lock.
fn cached_encoder(encoding: &FrameEncoding) -> Option<(MutexGuard<'static, Encoders>, usize)> {
    let mut encoders = ENCODERS.try_lock().ok()?;
    let format = encoding.format();
    let name = format.spec().name;
    if let Some(at) = encoders.iter().position(|(of, _)| *of == name) {
        return Some((encoders, at));
    }
    encoders.push((name, format.encoder()?));
    let last = encoders.len() - 1;
    Some((encoders, last))
}

#[pyfunction]
#[pyo3(signature = (frame, options, progress = None))]
fn encode(
    py: Python<'_>,
    frame: &CoreFrame,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<Py<PyBytes>> {
    let (frame, encoding) = (&*frame.frame, &options.encoding);
    let nbytes = frame.nbytes();
    let mut sink = BytesSink::of(nbytes);
    let is_small = frame.ncols <= CACHED_COLUMNS && nbytes <= SMALL_NBYTES;
    run_with_progress(py, progress, None, |watch| {
        if is_small
            && let Some((mut encoders, at)) = cached_encoder(encoding)
            && let Some((_, encoder)) = encoders.get_mut(at)
        {
            return encoding.encode_with(&mut **encoder, frame, &mut sink, watch);
        }
        encoding.encode(frame, &mut sink, watch)
    })?;
    sink.finish(py)
}

/// Clones labels and frames. The clones share cells.
pub(crate) fn clone_frames(frames: &[(String, PyRef<'_, CoreFrame>)]) -> Vec<(String, Frame)> {
    frames.iter().map(|(label, frame)| (label.clone(), (*frame.frame).clone())).collect()
}

#[pyfunction]
#[pyo3(signature = (frames, options, progress = None))]
fn encode_bundle(
    py: Python<'_>,
    frames: Vec<(String, PyRef<'_, CoreFrame>)>,
    options: &WriteOptions,
    progress: Callback,
) -> PyResult<Py<PyBytes>> {
    let frames = clone_frames(&frames);
    let mut sink = BytesSink::of(frames.iter().map(|(_, frame)| frame.nbytes()).sum());
    run_with_progress(py, progress, None, |watch| options.encoding.encode_bundle(&frames, &mut sink, watch))?;
    sink.finish(py)
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(encode, m)?)?;
    m.add_function(wrap_pyfunction!(encode_bundle, m)?)
}
