//! What a frame is sent as.

use colonnade::Result;
use colonnade::formats::msgpack;
use colonnade::frame::Frame;
use colonnade::ipc::read::Form;
use colonnade::ipc::write;
use colonnade::plan::Progress;
use colonnade::sink::Sink;
use pyo3::prelude::*;

use crate::errors;
use crate::ipc_write::IpcWriteOptions;
use crate::msgpack_options::MsgpackWriteOptions;
use crate::text::{WriteArgument, Writing};

use super::inner::{Inner, lock};

/// Options of one of the formats that connections carry.
#[derive(FromPyObject)]
pub(super) enum SendOptions<'py> {
    Arrow(PyRef<'py, IpcWriteOptions>),
    Msgpack(PyRef<'py, MsgpackWriteOptions>),
    Text(WriteArgument<'py>),
}

/// A format and its options.
pub(super) enum Encoding {
    Arrow(write::WriteOptions),
    Msgpack(msgpack::WriteOptions),
    /// Behind a header, which says how many rows come.
    Text(Writing),
}

impl SendOptions<'_> {
    /// The encoding of that name.
    ///
    /// # Errors
    /// A format that is not for connections, or of which these are no options.
    pub(super) fn encoding(&self, format: &str) -> PyResult<Encoding> {
        match (format, self) {
            ("arrows", Self::Arrow(options)) => Ok(Encoding::Arrow(options.core())),
            ("msgpack", Self::Msgpack(options)) => Ok(Encoding::Msgpack(*options.core())),
            ("csv" | "ndjson", Self::Text(options)) => {
                let writing = options.core();
                if writing.format_name() == format && writing.says_its_rows() {
                    return Ok(Encoding::Text(writing));
                }
                let message = "options: expected those of a table of UTF-8 with our header, not compressed.";
                Err(errors::option(message))
            }
            ("arrows" | "msgpack" | "csv" | "ndjson", _) => {
                Err(errors::option(format!("options: expected those of {format:?}, found another format's.")))
            }
            ("arrow", _) => Err(no_file()),
            _ => {
                let message = format!(
                    "format: expected \"arrows\", \"msgpack\", \"csv\" or \"ndjson\", found {format:?}."
                );
                Err(errors::option(message))
            }
        }
    }
}

impl Encoding {
    /// Writes `frame` as one message.
    pub(super) fn encode(
        &self,
        frame: &Frame,
        inner: &Inner,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        match self {
            Self::Arrow(options) => {
                lock(&inner.encoder).encode(frame, Form::Stream, *options, sink, progress)
            }
            Self::Msgpack(options) => msgpack::encode(frame, options, sink, progress),
            Self::Text(writing) => writing.encode(frame, sink, progress),
        }
    }
}

pub(super) fn no_file() -> PyErr {
    errors::option("format: expected \"arrows\", found \"arrow\": a file has no place on a connection.")
}
