//! An opened text: its bytes, its description, and the frame until a caller takes it. All text formats share it.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::arrow::ranges::check_ranges;
use crate::codec::file::{DecompressReader, FileCodec, TextSizeLimit, unpacked};
use crate::decode::Request;
use crate::error::{Error, Result};
use crate::frame::{Frame, FrameCache};
use crate::limits::Limits;
use crate::memory::Buffer;
use crate::progress::{Progress, SignalsOnly};
use crate::source::{Source, collect_checked};

use super::DecodedText;
use super::description::TextDescription;
use super::input::TextPart;

/// Labels of a bundle's frames, and the range of each in the text.
pub type LabelledRanges = Vec<(String, Range<usize>)>;

/// The interface to a text format, implemented by its read options.
pub trait DecodeText: Send + Sync {
    /// The format's name.
    fn format(&self) -> &'static str;

    /// The limits.
    fn limits(&self) -> &Limits;

    /// Decodes the text, or its `part` that is one frame of a bundle.
    ///
    /// # Errors
    /// `Malformed`, `Unsupported`, `LimitExceeded` with line, column and byte; `Cancelled` from `progress`.
    fn decode(&self, text: &Buffer, part: Option<TextPart>, progress: &dyn Progress) -> Result<DecodedText>;

    /// Returns the frames of a bundle; `None` if the text, or the part of it, is one frame.
    ///
    /// # Errors
    /// As [`DecodeText::decode`].
    fn bundle(
        &self,
        text: &Buffer,
        part: Option<TextPart>,
        progress: &dyn Progress,
    ) -> Result<Option<LabelledRanges>> {
        let _ = (text, part, progress);
        Ok(None)
    }

    /// Returns advice to append to the error of a bundle that is read as one frame. It starts with a comma.
    fn bundle_advice(&self) -> &'static str {
        ""
    }
}

/// An opened text, which is decoded once for its description.
pub struct OpenedText {
    decoder: Arc<dyn DecodeText>,
    /// The whole text, which contains the frames of a bundle.
    text: Buffer,
    part: Option<TextPart>,
    text_nbytes: u64,
    file_nbytes: u64,
    packing: Option<FileCodec>,
    content: TextContent,
}

enum TextContent {
    Frame(Box<(TextDescription, FrameCache)>),
    Bundle(LabelledRanges),
}

impl OpenedText {
    /// Opens a source, which may be compressed. Reading a file uses `threads`.
    ///
    /// # Errors
    /// The operating system's error; damaged or truncated gzip or zstd; as [`DecodeText::decode`].
    pub fn open(
        source: Source<'_>,
        decoder: Arc<dyn DecodeText>,
        threads: usize,
        progress: &dyn Progress,
    ) -> Result<Self> {
        match source {
            Source::Stream(stream) => Self::from_stream(stream, decoder, progress),
            source => {
                let bytes = source.read(decoder.format(), decoder.limits(), threads, progress)?;
                let file_nbytes = bytes.nbytes() as u64;
                let (text, packing) = unpacked(decoder.format(), bytes, decoder.limits(), progress)?;
                Self::whole(text, decoder, packing, file_nbytes, progress)
            }
        }
    }

    /// Decompresses a stream as it arrives, because only its end determines its size.
    fn from_stream(
        stream: &mut (dyn Read + Send),
        decoder: Arc<dyn DecodeText>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let (format, limits, count) = (decoder.format(), decoder.limits(), AtomicU64::new(0));
        let mut growth = TextSizeLimit::new(limits);
        let mut unpacking = DecompressReader::new(CountingSource { source: stream, count: &count });
        let mut check = |text: &[u8]| growth.check(format, text, count.load(Ordering::Relaxed));
        let text = collect_checked(&mut unpacking, format, limits, &mut check, progress)?;
        let (packing, file_nbytes) = (unpacking.codec(), count.load(Ordering::Relaxed));
        Self::whole(text, decoder, packing, file_nbytes, progress)
    }

    fn whole(
        text: Buffer,
        decoder: Arc<dyn DecodeText>,
        packing: Option<FileCodec>,
        file_nbytes: u64,
        progress: &dyn Progress,
    ) -> Result<Self> {
        let text_nbytes = text.nbytes() as u64;
        let content = TextContent::of(&*decoder, &text, None, progress)?;
        Ok(Self { decoder, text, part: None, text_nbytes, file_nbytes, packing, content })
    }

    /// Returns the format's name.
    #[must_use]
    pub fn format(&self) -> &'static str {
        self.decoder.format()
    }

    /// Returns the description of the frame; `None` for a bundle.
    #[must_use]
    pub fn description(&self) -> Option<&TextDescription> {
        match &self.content {
            TextContent::Frame(frame) => Some(&frame.0),
            TextContent::Bundle(_) => None,
        }
    }

    /// Returns the codec of the file.
    #[must_use]
    pub fn packing(&self) -> Option<FileCodec> {
        self.packing
    }

    /// Returns the size of the file in bytes.
    #[must_use]
    pub fn file_nbytes(&self) -> u64 {
        self.file_nbytes
    }

    /// Returns the size of the decompressed text in bytes.
    #[must_use]
    pub fn text_nbytes(&self) -> u64 {
        self.text_nbytes
    }

    /// Returns the frame, or the requested part of it, and whether its memory is not shared.
    ///
    /// # Errors
    /// `Malformed`: several frames; `NotFound`: a position or row out of range; as [`DecodeText::decode`].
    pub fn load(&self, request: &Request<'_>) -> Result<(Frame, bool)> {
        let TextContent::Frame(frame_entry) = &self.content else { return Err(self.is_bundle()) };
        let is_part = request.positions.is_some() || request.rows.is_some();
        let (frame, private) = match frame_entry.1.take(is_part, request.private) {
            Some(taken) => taken,
            None => {
                let decoded = self.decoder.decode(&self.text, self.part, request.progress)?;
                (decoded.frame, request.private)
            }
        };
        Ok((frame.part(self.format(), request.positions, request.rows)?, private))
    }

    /// Checks that all values fit their types, also in all frames of a bundle. `progress` is only checked for cancellation,
    /// because opening has already decoded everything.
    ///
    /// # Errors
    /// `Malformed`, naming the column; of a bundle as [`DecodeText::decode`].
    pub fn verify(&self, progress: &dyn Progress) -> Result<()> {
        let silent = SignalsOnly(progress);
        match &self.content {
            TextContent::Frame(frame_entry) => {
                let frame = match frame_entry.1.get() {
                    Some(frame) => frame,
                    None => self.decoder.decode(&self.text, self.part, &silent)?.frame,
                };
                check_ranges(self.format(), &frame, 0)
            }
            TextContent::Bundle(frames) => {
                frames.iter().try_for_each(|(label, _)| self.open_label(label, &silent)?.verify(&silent))
            }
        }
    }

    /// Returns the labels of a bundle; empty for a frame.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        match &self.content {
            TextContent::Frame(_) => Vec::new(),
            TextContent::Bundle(frames) => frames.iter().map(|(label, _)| label.clone()).collect(),
        }
    }

    /// Opens one frame of a bundle.
    ///
    /// # Errors
    /// `NotFound`; as [`DecodeText::decode`].
    pub fn open_label(&self, label: &str, progress: &dyn Progress) -> Result<Self> {
        let missing =
            || Error::not_found(self.format(), format!("no frame labelled {label:?} in the bundle."));
        let TextContent::Bundle(frames) = &self.content else { return Err(missing()) };
        let (_, extent) = frames.iter().find(|(name, _)| name == label).ok_or_else(missing)?;
        let (part, nbytes) = (Some((extent.start, extent.len())), extent.len() as u64);
        let content = TextContent::of(&*self.decoder, &self.text, part, progress).map_err(|e| {
            let inner = e.location().clone();
            let member = inner.member.map_or_else(|| label.to_owned(), |place| format!("{label}: {place}"));
            e.moved(member, inner.offset)
        })?;
        let (decoder, text, packing) = (Arc::clone(&self.decoder), self.text.clone(), self.packing);
        Ok(Self { decoder, text, part, text_nbytes: nbytes, file_nbytes: nbytes, packing, content })
    }

    fn is_bundle(&self) -> Error {
        let labels = self.labels();
        let some: Vec<&str> = labels.iter().take(5).map(String::as_str).collect();
        let message = format!(
            "expected one frame, found a map of {} frames: {}. Open one by its label, read_bundle(source)[{:?}]{}.",
            labels.len(),
            some.join(", "),
            some.first().unwrap_or(&""),
            self.decoder.bundle_advice()
        );
        Error::malformed(self.format(), message)
    }
}

impl TextContent {
    fn of(
        decoder: &dyn DecodeText,
        text: &Buffer,
        part: Option<TextPart>,
        progress: &dyn Progress,
    ) -> Result<Self> {
        if let Some(frames) = decoder.bundle(text, part, progress)? {
            return Ok(Self::Bundle(frames));
        }
        let decoded = decoder.decode(text, part, progress)?;
        let described = TextDescription::of(decoder.format(), &decoded, decoder.limits())?;
        Ok(Self::Frame(Box::new((described, FrameCache::new(decoded.frame)))))
    }
}

/// A source that counts the bytes read.
struct CountingSource<'a> {
    source: &'a mut (dyn Read + Send),
    count: &'a AtomicU64,
}

impl Read for CountingSource<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let count = self.source.read(room)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
