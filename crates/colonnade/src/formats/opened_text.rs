//! Opened text, as the registry knows it: the same for every text format.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Opened;
use crate::codec::packed::Codec;
use crate::error::Result;
use crate::frame::{Axis, Frame, Tags};
use crate::plan::{Progress, Request};
use crate::source::Source;
use crate::text::opened::{DecodeText, OpenedText};

/// Opens text from any source. `threads` may read a file.
///
/// # Errors
/// As [`super::Format::open`].
pub(super) fn open_text(
    source: Source<'_>,
    decoder: Arc<dyn DecodeText>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Box<dyn Opened>> {
    Ok(Box::new(match source {
        Source::Memory(bytes) => OpenedText::from_bytes(bytes, decoder, progress)?,
        Source::Path { path, mmap } => {
            let bytes = crate::ipc::read::bytes_of(std::fs::File::open(path)?, mmap, threads, progress)?;
            OpenedText::from_bytes(bytes, decoder, progress)?
        }
        Source::Stream(stream) => OpenedText::from_stream(stream, decoder, progress)?,
        Source::Ranges(remote) => {
            remote.need(&[(0, remote.bytes().nbytes())], progress)?;
            OpenedText::from_bytes(remote.bytes().clone(), decoder, progress)?
        }
    }))
}

impl Opened for OpenedText {
    fn kind(&self) -> &'static str {
        if self.described().is_some() { "frame" } else { "bundle" }
    }

    fn layout(&self) -> &'static str {
        self.format()
    }

    fn shape(&self) -> Result<(usize, usize)> {
        Ok(self.described().map_or((0, 0), |d| (d.nrows, d.columns.len())))
    }

    fn index(&self) -> Result<Axis> {
        Ok(self.described().map_or_else(|| Axis::range(0), |d| d.index.clone()))
    }

    fn columns(&self) -> Result<Axis> {
        Ok(self.described().map_or_else(|| Axis::range(0), |d| d.columns.clone()))
    }

    fn tags(&self) -> Result<Tags> {
        Ok(self.described().map_or_else(Tags::unnamed, |d| d.tags.clone()))
    }

    fn dtypes(&self) -> Result<Vec<String>> {
        Ok(self.described().map_or_else(Vec::new, |d| d.dtypes.clone()))
    }

    fn arrow_type(&self, position: usize) -> Option<arrow_schema::DataType> {
        self.described()?.types.get(position)?.clone()
    }

    fn version(&self) -> Option<u64> {
        self.described().and_then(|d| d.version)
    }

    fn file_nbytes(&self) -> u64 {
        Self::file_nbytes(self)
    }

    fn nbytes(&self) -> u64 {
        self.described().map_or(self.text_nbytes(), |d| d.nbytes)
    }

    fn load(&self, request: &Request<'_>) -> Result<Frame> {
        Self::load(self, request)
    }

    /// Opening has decoded everything; of a bundle every frame is decoded here.
    fn verify(&self, _threads: usize, progress: &dyn Progress) -> Result<()> {
        Self::verify(self, progress)
    }

    /// One: the text.
    fn members(&self) -> Vec<Value> {
        vec![json!({
            "name": self.format(),
            "method": self.packing().map_or("stored", Codec::name),
            "nbytes": self.text_nbytes(),
            "compressed_nbytes": Self::file_nbytes(self),
            "offset": 0,
            "crc32": null,
            "descr": null,
            "fortran_order": null,
            "shape": self.described().map(|d| (d.nrows, d.columns.len())),
        })]
    }

    fn facts(&self) -> Value {
        let described = self.described();
        json!({
            "orient": described.map_or("columns", |d| d.orient),
            "packing": self.packing().map(Codec::name),
            "dialect": described.and_then(|d| d.dialect.as_deref()),
            "dropped": described.map_or(0, |d| d.dropped),
            "nulled": described.map_or(0, |d| d.nulled),
        })
    }

    fn labels(&self) -> Result<Vec<String>> {
        Ok(Self::labels(self))
    }

    fn open_label(&self, label: &str, progress: &dyn Progress) -> Result<Box<dyn Opened>> {
        Ok(Box::new(Self::open_label(self, label, progress)?))
    }
}
