//! Formats convert frames to bytes and back.
//!
//! Each format is one room with one [`Format`] value. The registry lists the formats, and no code outside this room names one.
//! Formats never import each other; shared code is in the rooms below.

pub mod arrow;
pub mod csv;
pub mod json;
pub mod msgpack;
pub mod npy;
pub mod npz;
pub mod parquet;
pub mod yaml;

mod chunk_reader;
mod encoding;
mod fact;
mod opened;
mod opened_text;
mod registry;
mod spec;
#[cfg(test)]
mod tests;
mod writer;

pub use encoding::FrameEncoding;
pub use fact::{Fact, Facts};
pub use opened::{Event, IncrementalReader, Loaded, Opened};
pub use registry::Registry;
pub use spec::{Capabilities, FormatSpec};
pub use writer::{FrameEncoder, FrameWriter, MemberSink, OpenMember};

use std::any::Any;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use crate::decode::Request;
use crate::error::{Error, Result};
use crate::frame::Frame;
use crate::progress::Progress;
use crate::sink::Sink;
use crate::source::Source;
use crate::text::loss::Loss;

/// The formats of this build. A test checks their claims, so building the registry never fails.
#[must_use]
pub fn registry() -> &'static Registry {
    static BUILT: LazyLock<Registry> = LazyLock::new(|| {
        let formats: Vec<&'static dyn Format> = vec![
            &npz::NpzFormat,
            &npy::NpyFormat,
            &arrow::ArrowFileFormat,
            &arrow::stream::ArrowStreamFormat,
            &parquet::ParquetFormat,
            &msgpack::MsgpackFormat,
            &csv::CsvFormat,
            &json::JsonFormat,
            &json::lines::NdjsonFormat,
            &yaml::YamlFormat,
        ];
        Registry::new(formats).unwrap_or_default()
    });
    &BUILT
}

/// The options of one format. The methods of [`Format`] downcast them to the format's type.
pub type Options = dyn Any + Send + Sync;

/// A format: its description, reading and writing.
///
/// Methods for capabilities that the [`FormatSpec`] does not claim keep their default, which returns an error.
pub trait Format: Sync {
    /// Name, suffixes, magic and capabilities.
    fn spec(&self) -> &'static FormatSpec;

    /// Opens a source and checks its structure. If the format allows it, data is decoded later, by [`Opened::load`].
    ///
    /// # Errors
    /// `Malformed`, `Truncated`, `Unsupported`, `LimitExceeded` with the byte offset; errors of the operating system.
    fn open(&self, source: Source<'_>, options: &Options, progress: &dyn Progress)
    -> Result<Box<dyn Opened>>;

    /// Decodes the only frame of a stream. `request` asks for everything.
    ///
    /// # Errors
    /// As [`Format::open`] and [`Opened::load`].
    fn read_stream(
        &self,
        stream: &mut (dyn Read + Send),
        options: &Options,
        request: &Request<'_>,
    ) -> Result<Loaded> {
        self.open(Source::Stream(stream), options, request.progress)?.load(request)
    }

    /// An incremental decoder. Frames have at most `max_rows` rows, if the format does not fix their size. `path` is the path of
    /// the file, if the bytes come from one: a sidecar may be next to it. A file that is compressed as a whole is fed
    /// decompressed ([`Capabilities::compressed`]).
    ///
    /// # Errors
    /// `Unsupported`: the format must be read whole; `InvalidOption`; errors of the operating system.
    fn reader(
        &self,
        options: &Options,
        max_rows: usize,
        path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        let _ = (options, max_rows, path);
        Err(self.spec().refuse("it is read whole: a value ends with its last byte."))
    }

    /// Whether the source holds more than one frame. [`Format::open`] reads the only one, a [`Format::reader`] reads all.
    /// Decodes nothing, and reports the bytes read to `progress`.
    ///
    /// # Errors
    /// Errors of the operating system; `Cancelled` from `progress`. [`Format::open`] reports damage.
    fn is_series(&self, source: Source<'_>, options: &Options, progress: &dyn Progress) -> Result<bool> {
        let _ = (source, options, progress);
        Ok(false)
    }

    /// Writes one frame.
    ///
    /// # Errors
    /// `Unrepresentable`, naming column and reason; errors of the sink.
    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()>;

    /// What [`Format::encode`] with these options does not bring back, when the file is read with default options.
    ///
    /// # Errors
    /// Malformed metadata; labels or dtypes that the format cannot hold.
    fn losses(&self, frame: &Frame, options: &Options) -> Result<Vec<Loss>> {
        let _ = (frame, options);
        Ok(Vec::new())
    }

    /// An encoder for a sequence of frames, which caches the parts that frames of one layout share; `None` if the format has no
    /// such parts.
    fn encoder(&self) -> Option<Box<dyn FrameEncoder>> {
        None
    }

    /// Whether the output depends on [`Sink::can_patch`]. Callers whose sink copies each call then collect the file in memory
    /// first.
    fn patches(&self) -> bool {
        false
    }

    /// A writer for one frame per call, all of one schema.
    ///
    /// # Errors
    /// `Unsupported`: the format is written whole.
    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        let _ = options;
        Err(self.spec().refuse("it is written whole."))
    }

    /// Checks that `frame`, written with these options, is a message: its bytes mark their end for the receiver.
    ///
    /// # Errors
    /// `InvalidOption`: the format or the options give no end mark. `Unrepresentable`: the receiver would misread this frame.
    fn check_message(&self, frame: &Frame, options: &Options) -> Result<()> {
        let _ = (frame, options);
        if self.spec().capabilities.messages { Ok(()) } else { Err(encoding::no_message(self.spec().name)) }
    }

    /// A writer whose frames together form one message.
    ///
    /// # Errors
    /// `Unsupported`: each frame is a separate message; as [`Format::check_message`].
    fn message_writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        let _ = options;
        if !self.spec().capabilities.messages {
            return Err(encoding::no_message(self.spec().name));
        }
        Err(self.spec().refuse("each frame is a message of its own. Send them one by one."))
    }

    /// Checks that these frames can be written under their labels, before a file is created.
    ///
    /// # Errors
    /// `Unrepresentable`, naming the label; `InvalidOption`.
    fn check_bundle(&self, frames: &[(String, Frame)]) -> Result<()> {
        let _ = frames;
        Ok(())
    }

    /// Writes several frames under labels.
    ///
    /// # Errors
    /// `Unsupported`: a file holds one frame; as [`Format::encode`].
    fn encode_bundle(
        &self,
        frames: &[(String, Frame)],
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()> {
        let _ = (frames, options, sink, progress);
        Err(self.spec().refuse("it holds one frame. Write a file for each."))
    }

    /// Writes one frame as the files of a directory; `open` creates each file.
    ///
    /// # Errors
    /// `Unsupported`: the format has no directories; as [`Format::encode`].
    fn encode_directory(
        &self,
        frame: &Frame,
        options: &Options,
        open: &mut OpenMember<'_>,
        progress: &dyn Progress,
    ) -> Result<()> {
        let _ = (frame, options, open, progress);
        Err(self.spec().refuse("it is one file, not a directory."))
    }

    /// Whether a directory of this format may hold a file of this name. Only directories of such files may be replaced.
    fn is_member(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// The sidecar file next to the data file. `frame` is `None` for frames written chunk by chunk.
    ///
    /// # Errors
    /// As [`Format::encode`].
    fn sidecar(&self, frame: Option<&Frame>, options: &Options) -> Result<Option<Sidecar>> {
        let _ = (frame, options);
        Ok(None)
    }
}

/// See [`Format::sidecar`].
pub struct Sidecar {
    /// Appended to the name of the data file.
    pub suffix: &'static str,
    /// The bytes to write; `None` removes the sidecar of an earlier write.
    pub content: Option<Vec<u8>>,
    /// Whether a file's content is a sidecar. Other files with this name are kept.
    pub is_sidecar: fn(&[u8]) -> bool,
}

/// Downcasts `options` to the type of `format`.
///
/// # Errors
/// `InvalidOption`: the options belong to another format, which is a defect of the caller.
pub fn options_of<'o, T: 'static>(format: &'static str, options: &'o Options) -> Result<&'o T> {
    options.downcast_ref().ok_or_else(|| {
        Error::invalid_option(format, "expected the options of this format, found options of another format.")
    })
}
