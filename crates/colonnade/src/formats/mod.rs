//! Formats: a frame to bytes and back.
//!
//! Each format is one room with one [`Format`] value. The registry lists them; no code outside this room names a format.
//! Formats never import each other: what two of them need is in a room below.

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

pub use encoding::Encoding;
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

/// The formats of this build. Their claims are checked by a test, so that the registry is never empty.
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

/// The options of one format, as its own options type; [`Format`] methods downcast them.
pub type Options = dyn Any + Send + Sync;

/// A format: its description, and how it is opened and written.
///
/// Methods whose capability the [`FormatSpec`] does not claim keep their default, which refuses.
pub trait Format: Sync {
    /// Name, suffixes, magic and capabilities.
    fn spec(&self) -> &'static FormatSpec;

    /// Opens a source: structure is checked, data is decoded by [`Opened::load`] where the format allows it.
    ///
    /// # Errors
    /// `Malformed`, `Truncated`, `Unsupported`, `LimitExceeded` with the byte offset; the system's own.
    fn open(&self, source: Source<'_>, options: &Options, progress: &dyn Progress)
    -> Result<Box<dyn Opened>>;

    /// Decodes the one frame of a stream, for a caller that takes its memory.
    ///
    /// # Errors
    /// As [`Format::open`] and [`Opened::load`].
    fn read_stream(
        &self,
        stream: &mut (dyn Read + Send),
        options: &Options,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Loaded> {
        let opened = self.open(Source::Stream(stream), options, progress)?;
        opened.load(&Request { private: true, ..Request::all(threads, progress) })
    }

    /// A decoder that takes bytes as they come and gives frames of at most `max_rows` rows, where the format leaves the
    /// choice. `path` is that of the file whose bytes come, where they are a file's: a sidecar is stored next to it.
    /// The bytes of a file that is compressed as a whole come decompressed ([`Capabilities::compressed`]).
    ///
    /// # Errors
    /// `Unsupported` where the format must be read whole; `InvalidOption`; the system's own.
    fn reader(
        &self,
        options: &Options,
        max_rows: usize,
        path: Option<&Path>,
    ) -> Result<Box<dyn IncrementalReader>> {
        let _ = (options, max_rows, path);
        Err(self.spec().refuse("it is read whole: a value ends with its last byte."))
    }

    /// Whether more than one frame is stored in the source, one behind the other: [`Format::open`] takes one, a
    /// [`Format::reader`] all of them. Nothing is decoded, and `progress` is told of bytes that are read.
    ///
    /// # Errors
    /// The system's own; `Cancelled` from `progress`. Damage is [`Format::open`]'s to tell.
    fn is_series(&self, source: Source<'_>, options: &Options, progress: &dyn Progress) -> Result<bool> {
        let _ = (source, options, progress);
        Ok(false)
    }

    /// Writes one frame.
    ///
    /// # Errors
    /// `Unrepresentable`, naming column and reason; the sink's own.
    fn encode(
        &self,
        frame: &Frame,
        options: &Options,
        sink: &mut dyn Sink,
        progress: &dyn Progress,
    ) -> Result<()>;

    /// An encoder for frames that follow one another, which remembers what frames of one layout share; `None` where the
    /// format has nothing to remember.
    fn encoder(&self) -> Option<Box<dyn FrameEncoder>> {
        None
    }

    /// Whether the bytes depend on [`Sink::can_patch`], so that a caller with a sink that copies each call gathers the
    /// file in memory first.
    fn patches(&self) -> bool {
        false
    }

    /// A writer that takes a frame a call, all of one schema.
    ///
    /// # Errors
    /// `Unsupported` where the format is written whole.
    fn writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        let _ = options;
        Err(self.spec().refuse("it is written whole."))
    }

    /// Checks that `frame`, written with these options, is a message: that a receiver finds its end in its bytes.
    ///
    /// # Errors
    /// `InvalidOption`: the format or the options say no end. `Unrepresentable`: this frame would be taken for something
    /// else.
    fn check_message(&self, frame: &Frame, options: &Options) -> Result<()> {
        let _ = (frame, options);
        if self.spec().capabilities.messages { Ok(()) } else { Err(encoding::no_message(self.spec().name)) }
    }

    /// A writer whose frames are one message together.
    ///
    /// # Errors
    /// `Unsupported` where each frame is a message of its own; as [`Format::check_message`].
    fn message_writer(&self, options: &Options) -> Result<Box<dyn FrameWriter>> {
        let _ = options;
        if !self.spec().capabilities.messages {
            return Err(encoding::no_message(self.spec().name));
        }
        Err(self.spec().refuse("each frame is a message of its own. Send them one by one."))
    }

    /// Checks that these frames can be written under their labels, before a file is made.
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
    /// `Unsupported` where a file holds one frame; as [`Format::encode`].
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

    /// Writes one frame as the files of a directory; `open` makes each of them.
    ///
    /// # Errors
    /// `Unsupported` where the format has no directories; as [`Format::encode`].
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

    /// Whether a directory of this format may hold a file of this name. Only directories of such files are replaced.
    fn is_member(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// A file that belongs next to the data: the suffix to append to its name, and the bytes to write or `None` to remove
    /// one that an earlier write left. `frame` is `None` for frames written chunk by chunk.
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
    /// What to write; `None` removes the file.
    pub content: Option<Vec<u8>>,
    /// Whether the content of a file is a sidecar: a file that only has the name stays.
    pub is_sidecar: fn(&[u8]) -> bool,
}

/// `options` as the type that `format` takes.
///
/// # Errors
/// `InvalidOption` where they are those of another format: a defect of the caller.
pub fn options_of<'o, T: 'static>(format: &'static str, options: &'o Options) -> Result<&'o T> {
    options.downcast_ref().ok_or_else(|| {
        Error::invalid_option(format, "expected the options of this format, found those of another.")
    })
}
