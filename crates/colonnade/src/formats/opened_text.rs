//! `Opened` for text formats.

use std::sync::Arc;

use super::{Fact, Facts, Loaded, Opened};
use crate::codec::file::FileCodec;
use crate::decode::Request;
use crate::error::Result;
use crate::frame::{Axis, Tags};
use crate::progress::Progress;
use crate::source::Source;
use crate::text::opened::{DecodeText, OpenedText};

/// Opens text from any source. Up to `threads` threads read a file.
///
/// # Errors
/// As [`super::Format::open`].
pub(super) fn open_text(
    source: Source<'_>,
    decoder: Arc<dyn DecodeText>,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Box<dyn Opened>> {
    Ok(Box::new(OpenedText::open(source, decoder, threads, progress)?))
}

impl Opened for OpenedText {
    fn format(&self) -> &'static str {
        Self::format(self)
    }

    fn kind(&self) -> &'static str {
        if self.description().is_some() { "frame" } else { "bundle" }
    }

    fn layout(&self) -> &'static str {
        Self::format(self)
    }

    fn shape(&self) -> Result<(usize, usize)> {
        Ok(self.description().map_or((0, 0), |d| (d.nrows, d.columns.len())))
    }

    fn index(&self) -> Result<Axis> {
        Ok(self.description().map_or_else(|| Axis::range(0), |d| d.index.clone()))
    }

    fn columns(&self) -> Result<Axis> {
        Ok(self.description().map_or_else(|| Axis::range(0), |d| d.columns.clone()))
    }

    fn tags(&self) -> Result<&Tags> {
        Ok(match self.description() {
            Some(described) => &described.tags,
            None => Tags::unnamed(),
        })
    }

    fn dtypes(&self) -> Result<Vec<String>> {
        Ok(self.description().map_or_else(Vec::new, |d| d.dtypes.clone()))
    }

    fn version(&self) -> Option<u64> {
        self.description().and_then(|d| d.version)
    }

    fn file_nbytes(&self) -> u64 {
        Self::file_nbytes(self)
    }

    fn nbytes(&self) -> u64 {
        self.description().map_or(self.text_nbytes(), |d| d.nbytes)
    }

    fn load(&self, request: &Request<'_>) -> Result<Loaded> {
        let (frame, private) = Self::load(self, request)?;
        Ok(Loaded { frame, private })
    }

    /// Opening a frame has decoded everything. Of a bundle, every frame is decoded here.
    fn verify(&self, _threads: usize, progress: &dyn Progress) -> Result<()> {
        Self::verify(self, progress)
    }

    /// The text is the only member.
    fn members(&self) -> Result<Vec<Facts>> {
        let shape = self.description().map(|d| Fact::Shape(vec![d.nrows, d.columns.len()]));
        Ok(vec![vec![
            ("name", Self::format(self).into()),
            ("method", self.packing().map_or("stored", FileCodec::name).into()),
            ("nbytes", self.text_nbytes().into()),
            ("compressed_nbytes", Self::file_nbytes(self).into()),
            ("offset", 0usize.into()),
            ("crc32", Fact::None),
            ("descr", Fact::None),
            ("fortran_order", Fact::None),
            ("shape", shape.unwrap_or(Fact::None)),
        ]])
    }

    /// `dialect` is JSON.
    fn facts(&self) -> Facts {
        let described = self.description();
        vec![
            ("orient", described.map_or("columns", |d| d.orient).into()),
            ("packing", self.packing().map(FileCodec::name).into()),
            ("dialect", described.and_then(|d| d.dialect.clone()).into()),
            ("dropped", described.map_or(0, |d| d.dropped).into()),
            ("nulled", described.map_or(0, |d| d.nulled).into()),
        ]
    }

    fn labels(&self) -> Result<Vec<String>> {
        Ok(Self::labels(self))
    }

    fn open_label(&self, label: &str, progress: &dyn Progress) -> Result<Box<dyn Opened>> {
        Ok(Box::new(Self::open_label(self, label, progress)?))
    }
}
