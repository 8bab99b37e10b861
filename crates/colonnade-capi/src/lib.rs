//! The C interface of Colonnade. `include/colonnade.h` declares it; cbindgen writes that file from this crate.
//!
//! # Rules of the interface
//!
//! - A frame crosses the interface as a stream of the [Arrow C data interface](https://arrow.apache.org/docs/format/CStreamInterface.html),
//!   with the metadata that `colonnade` and `pandas` readers use. Every Arrow library can read and make one.
//! - A function that can fail returns a [`CnCode`] and fills a [`CnError`]. The caller owns the texts in it.
//! - Options are the text of a JSON object, with the names of the Python package. An unknown option is an error.
//! - Long calls poll a [`CnProgress`], by which the caller reports interrupts.
//! - No panic crosses the interface: it becomes the code [`CnCode::Internal`].
//! - A handle may be used from any thread, by one thread at a time.

pub mod bytes;
pub mod convert;
pub mod describe;
pub mod detect;
pub mod error;
pub mod file;
pub mod options;
pub mod progress;
pub mod reader;
pub mod sink;
pub mod stream;
pub mod text;
pub mod write;
pub mod writer;

pub use bytes::{CnBuffer, cn_buffer_free};
pub use error::{CnCode, CnError, cn_error_clear};
pub use file::CnFile;
pub use progress::CnProgress;
pub use writer::CnWriter;
