//! An encoding: a format, its options, and the compression of the whole file.

use std::sync::Arc;

use crate::codec::file::FileCodec;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::sink::compressed::{CompressedSink, FileCompressor};
use crate::text::loss::Loss;

use super::{Format, FrameEncoder, FrameWriter, OpenMember, Options, Sidecar, registry};

/// A format with its options, and the codec that compresses the file as a whole (`.csv.gz`).
///
/// All callers write through this type, so they need not name a format, and formats need not know the compression.
#[derive(Clone)]
pub struct FrameEncoding {
    format: &'static dyn Format,
    options: Arc<Options>,
    compression: Option<(FileCodec, Option<i32>)>,
}

impl FrameEncoding {
    /// The format of this name with its options, without compression of the whole file.
    ///
    /// # Errors
    /// `InvalidOption`: a name that is not registered.
    pub fn new(name: &'static str, options: Arc<Options>) -> Result<Self> {
        match registry().by_name(name) {
            Some(format) => Ok(Self { format, options, compression: None }),
            None => Err(Error::invalid_option(name, "format: no format of this name is registered.")),
        }
    }

    /// Sets the codec that compresses the whole file.
    ///
    /// # Errors
    /// `InvalidOption`: a file of this format is never compressed as a whole.
    pub fn compressed(self, codec: Option<FileCodec>, level: Option<i32>) -> Result<Self> {
        let spec = self.format.spec();
        if codec.is_some() && !spec.capabilities.compressed {
            return Err(Error::invalid_option(
                spec.name,
                "compression: the file is not compressed as a whole.",
            ));
        }
        Ok(Self { compression: codec.map(|codec| (codec, level)), ..self })
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> &'static dyn Format {
        self.format
    }

    fn compressor(&self) -> Result<Option<FileCompressor>> {
        self.compression.map(|(codec, level)| FileCompressor::new(codec, level)).transpose()
    }

    /// Runs `work` with `sink`, or with a sink that compresses.
    fn through(&self, sink: &mut dyn Sink, work: impl FnOnce(&mut dyn Sink) -> Result<()>) -> Result<()> {
        let Some(mut compressor) = self.compressor()? else { return work(sink) };
        work(&mut CompressedSink { compressor: &mut compressor, sink: &mut *sink })?;
        Ok(compressor.finish(sink)?)
    }

    /// Writes one frame.
    ///
    /// # Errors
    /// As [`Format::encode`].
    pub fn encode(&self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.through(sink, |sink| self.format.encode(frame, &*self.options, sink, progress))
    }

    /// What writing `frame` loses; see [`Format::losses`].
    ///
    /// # Errors
    /// As [`Format::losses`].
    pub fn losses(&self, frame: &Frame) -> Result<Vec<Loss>> {
        self.format.losses(frame, &*self.options)
    }

    /// Writes one frame with an `encoder` from [`Format::encoder`] of this format.
    ///
    /// # Errors
    /// As [`Format::encode`].
    pub fn encode_with(
        &self,
        encoder: &mut dyn FrameEncoder,
        frame: &Frame,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        self.through(sink, |sink| encoder.encode(frame, &*self.options, sink, progress))
    }

    /// Checks that these frames can be written under their labels; see [`Format::check_bundle`].
    ///
    /// # Errors
    /// As [`Format::check_bundle`].
    pub fn check_bundle(&self, frames: &[(String, Frame)]) -> Result<()> {
        self.format.check_bundle(frames)
    }

    /// Writes several frames under labels.
    ///
    /// # Errors
    /// As [`Format::encode_bundle`].
    pub fn encode_bundle(
        &self,
        frames: &[(String, Frame)],
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        self.through(sink, |sink| self.format.encode_bundle(frames, &*self.options, sink, progress))
    }

    /// Writes one frame as the files of a directory.
    ///
    /// # Errors
    /// As [`Format::encode_directory`].
    pub fn encode_directory(
        &self,
        frame: &Frame,
        open: &mut OpenMember<'_>,
        progress: &dyn Progress,
    ) -> Result<()> {
        self.format.encode_directory(frame, &*self.options, open, progress)
    }

    /// A writer for one frame per call.
    ///
    /// # Errors
    /// As [`Format::writer`]; `InvalidOption`: the codec's level.
    pub fn writer(&self) -> Result<Box<dyn FrameWriter>> {
        let compressor = self.compressor()?;
        let frames = self.format.writer(&*self.options)?;
        Ok(match compressor {
            None => frames,
            Some(compressor) => Box::new(CompressedWriter { frames, compressor }),
        })
    }

    /// A writer whose frames together form one message.
    ///
    /// # Errors
    /// As [`Format::message_writer`].
    pub fn message_writer(&self) -> Result<Box<dyn FrameWriter>> {
        if self.compression.is_some() { Err(endless()) } else { self.format.message_writer(&*self.options) }
    }

    /// Checks that `frame` is a message with these options.
    ///
    /// # Errors
    /// As [`Format::check_message`]; `InvalidOption`: compression of the whole file hides the end of the message.
    pub fn check_message(&self, frame: &Frame) -> Result<()> {
        self.format.check_message(frame, &*self.options)?;
        if self.compression.is_some() { Err(endless()) } else { Ok(()) }
    }

    /// The sidecar next to the data file; see [`Format::sidecar`].
    ///
    /// # Errors
    /// As [`Format::sidecar`].
    pub fn sidecar(&self, frame: Option<&Frame>) -> Result<Option<Sidecar>> {
        self.format.sidecar(frame, &*self.options)
    }
}

/// Writes frames through a codec.
struct CompressedWriter {
    frames: Box<dyn FrameWriter>,
    compressor: FileCompressor,
}

impl FrameWriter for CompressedWriter {
    fn write(&mut self, frame: &Frame, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.frames.write(frame, &mut CompressedSink { compressor: &mut self.compressor, sink }, progress)
    }

    fn finish(&mut self, sink: &mut dyn Sink, progress: &dyn Progress) -> Result<()> {
        self.frames
            .finish(&mut CompressedSink { compressor: &mut self.compressor, sink: &mut *sink }, progress)?;
        Ok(self.compressor.finish(sink)?)
    }

    fn nbatches(&self) -> usize {
        self.frames.nbatches()
    }

    fn nrows(&self) -> usize {
        self.frames.nrows()
    }
}

/// The error for a format without messages. It lists the formats with messages.
pub(super) fn no_message(found: &str) -> Error {
    let formats = registry().iter().map(|format| format.spec());
    let known: Vec<String> =
        formats.filter(|spec| spec.capabilities.messages).map(|spec| format!("{:?}", spec.name)).collect();
    let known = match known.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "none".to_owned(),
    };
    Error::invalid_option("format", format!("expected {known}, found {found:?}."))
}

/// The error for options of text that give a message no end mark.
pub(super) fn endless() -> Error {
    Error::invalid_option(
        "options",
        "expected options of an uncompressed UTF-8 table with Colonnade's header.",
    )
}

#[cfg(test)]
mod tests;
