//! From messages to final memory.
//!
//! A first pass over the headers alone tells rows, types and where each buffer lies ([`crate::arrow::ipc`], [`footer`]); then every buffer is copied
//! once, in parallel, to where it will stay ([`land`]), or handed out where it lies. What is handed out was
//! checked before.

mod arrive;
mod assemble;
mod batches;
mod decoder;
mod describe;
mod footer;
mod land;
mod load;
mod open;
mod options;
mod receive;
mod remote;

pub use crate::decode::Request;
pub use arrive::{Arrival, Arrived, Schemas};
pub use decoder::{Decoder, Event};
pub use describe::Message;
pub use open::Ipc;
pub use options::{Form, OpenOptions};

use std::fs::File;
use std::sync::Arc;

use crate::error::Result;
use crate::memory::{Buffer, MappedFile};
use crate::progress::Progress;

/// The bytes of a regular file: mapped, or read where it is small or `mmap` is off. `progress` is looked at and told nothing.
///
/// # Errors
/// The system's own; `Cancelled` from `progress`.
pub fn bytes_of(file: File, mmap: bool, threads: usize, progress: &dyn Progress) -> Result<Buffer> {
    let nbytes = file.metadata()?.len();
    let length = usize::try_from(nbytes).map_err(std::io::Error::other)?;
    Ok(if nbytes < open::MAP_MIN_NBYTES {
        Buffer::from_region(crate::memory::read_small(&file, length)?, false)
    } else if mmap {
        Arc::new(MappedFile::new(file, nbytes)).map_shared()?
    } else {
        Buffer::from_region(receive::read_whole(&file, length, threads, progress)?.finish(), false)
    })
}
