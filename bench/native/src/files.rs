//! Limits of files: a bare parallel read, and a bare write.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::Instant;

use pyo3::prelude::*;

use crate::memory::{PIECE, Region, release};
use crate::parallel::{self, Task};

/// The bytes of one system call that writes.
const WRITE_NBYTES: usize = 1 << 20;

/// Seconds to read the whole file into a huge-page region by parallel pread. With `fresh`, the memory was never
/// used before.
#[pyfunction]
pub(crate) fn limit_pread(py: Python<'_>, path: PathBuf, threads: usize, fresh: bool) -> PyResult<f64> {
    Ok(py.detach(|| -> io::Result<_> {
        let file = File::open(&path)?;
        let nbytes = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
        if fresh {
            release();
        }
        let start = Instant::now();
        let mut region = Region::take(nbytes)?;
        let file = &file;
        let tasks = region
            .chunks_mut(PIECE)
            .enumerate()
            .map(|(i, piece)| Box::new(move || file.read_exact_at(piece, (i * PIECE) as u64)) as Task<'_>);
        parallel::run(tasks.collect(), threads)?;
        Ok(start.elapsed().as_secs_f64())
    })?)
}

/// Seconds to write `nbytes` from warm memory, without encoding. The complete file is renamed to `path`.
#[pyfunction]
pub(crate) fn limit_write(
    py: Python<'_>,
    path: PathBuf,
    nbytes: usize,
    reserve: bool,
    replace: bool,
) -> PyResult<f64> {
    Ok(py.detach(|| -> io::Result<_> {
        let mut source = Region::take(nbytes)?;
        source.fill(1);
        if !replace {
            fs::remove_file(&path).ok();
        }
        let mut part = path.clone().into_os_string();
        part.push(".part");
        let start = Instant::now();
        let mut file = File::create(&part)?;
        if reserve && nbytes > 0 {
            // Some file systems cannot reserve space. The write then goes on without it.
            #[cfg(target_os = "linux")]
            rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, nbytes as u64).ok();
        }
        for piece in source.chunks(WRITE_NBYTES) {
            file.write_all(piece)?;
        }
        drop(file);
        fs::rename(&part, &path)?;
        Ok(start.elapsed().as_secs_f64())
    })?)
}
