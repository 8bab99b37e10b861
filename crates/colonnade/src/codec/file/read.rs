//! Decompresses a whole file while it is read.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use zstd_safe::{DCtx, InBuffer, OutBuffer};

use super::{FileCodec, HEAD_NBYTES};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::memory::{Buffer, read_to_end};
use crate::progress::Progress;

/// Bytes read from the source at once.
const STEP_NBYTES: usize = 128 << 10;

type WithHead<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// A reader that decompresses its source if the first bytes belong to a codec. Its I/O errors contain the typed [`Error`].
pub struct DecompressReader<R: Read>(ReadState<R>);

enum ReadState<R: Read> {
    New(Option<R>),
    Plain(WithHead<R>),
    Gzip(Box<MultiGzDecoder<CountingReader<WithHead<R>>>>),
    Zstd(Box<ZstdReader<WithHead<R>>>),
}

impl<R: Read> std::fmt::Debug for DecompressReader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DecompressReader({:?})", self.codec())
    }
}

impl<R: Read> DecompressReader<R> {
    /// Wraps a source. Reading starts with the first call of `read`.
    pub fn new(source: R) -> Self {
        Self(ReadState::New(Some(source)))
    }

    /// The codec of the source; `None` before the first read.
    pub fn codec(&self) -> Option<FileCodec> {
        match self.0 {
            ReadState::Gzip(_) => Some(FileCodec::Gzip),
            ReadState::Zstd(_) => Some(FileCodec::Zstd),
            _ => None,
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        let ReadState::New(waiting) = &mut self.0 else { return Ok(()) };
        let Some(mut source) = waiting.take() else {
            return Err(io::Error::other("the source failed before"));
        };
        let mut head = Vec::with_capacity(HEAD_NBYTES);
        while head.len() < HEAD_NBYTES {
            let mut target = [0; HEAD_NBYTES];
            let target = target.get_mut(head.len()..).unwrap_or_default();
            match source.read(target) {
                Ok(0) => break,
                Ok(count) => head.extend_from_slice(target.get(..count).unwrap_or_default()),
                // Retries, and keeps the bytes that were read.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        let codec = FileCodec::detect(&head);
        let source = Cursor::new(head).chain(source);
        self.0 = match codec {
            None => ReadState::Plain(source),
            Some(FileCodec::Gzip) => {
                ReadState::Gzip(Box::new(MultiGzDecoder::new(CountingReader { source, count: 0 })))
            }
            Some(FileCodec::Zstd) => ReadState::Zstd(Box::new(ZstdReader::new(source))),
        };
        Ok(())
    }
}

impl<R: Read> Read for DecompressReader<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        self.begin()?;
        match &mut self.0 {
            ReadState::New(_) => Ok(0),
            ReadState::Plain(source) => source.read(target),
            ReadState::Gzip(decoder) => {
                decoder.read(target).map_err(|error| gzip_error(error, decoder.get_ref().count))
            }
            ReadState::Zstd(decoder) => decoder.read(target),
        }
    }
}

/// Decompresses a buffer of text if its first bytes belong to a codec.
///
/// # Errors
/// Damaged or truncated bytes; `LimitExceeded`: the text is longer than `limits` allow for the input.
pub fn unpacked(
    format: &'static str,
    bytes: Buffer,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<(Buffer, Option<FileCodec>)> {
    let Some(codec) = FileCodec::detect(bytes.as_slice()) else { return Ok((bytes, None)) };
    let mut source = DecompressReader::new(bytes.as_slice());
    let (input, mut growth) = (bytes.nbytes() as u64, TextSizeLimit::new(limits));
    let mut check = |text: &[u8]| growth.check(format, text, input);
    Ok((read_to_end(&mut source, &mut check, progress)?, Some(codec)))
}

/// Limits the decompressed size of text whose length is not declared.
///
/// Separators of lines and fields count as the cells of the rule in [`Limits`]. They are counted only when the text exceeds the
/// limit without them.
#[derive(Debug)]
pub struct TextSizeLimit {
    limits: Limits,
    counted: usize,
    ncells: u64,
}

impl TextSizeLimit {
    /// The limit for one text.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self { limits: *limits, counted: 0, ncells: 0 }
    }

    /// Refuses `text` that is too long for `input` compressed bytes.
    ///
    /// # Errors
    /// As [`Limits::check_decoded`].
    pub fn check(&mut self, format: &'static str, text: &[u8], input: u64) -> Result<()> {
        let nbytes = text.len() as u64;
        if nbytes <= self.limits.decoded_nbytes(input, self.ncells) {
            return Ok(());
        }
        let added = text.get(self.counted..).unwrap_or(&[]);
        self.ncells += added.iter().filter(|byte| matches!(byte, b'\n' | b',' | b';' | b'\t')).count() as u64;
        self.counted = text.len();
        self.limits.check_decoded(format, "compressed texts", nbytes, input, self.ncells)
    }
}

/// Counts the bytes read from a source.
struct CountingReader<R> {
    source: R,
    count: u64,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(target)?;
        self.count += count as u64;
        Ok(count)
    }
}

/// Converts the library's errors about the bytes. Errors of the source are unchanged.
fn gzip_error(error: io::Error, near: u64) -> io::Error {
    match error.kind() {
        _ if error.raw_os_error().is_some() || error.get_ref().is_some_and(|inner| inner.is::<Error>()) => {
            error
        }
        io::ErrorKind::UnexpectedEof => truncated("gzip", near),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            malformed("gzip", &error.to_string(), near)
        }
        _ => error,
    }
}

fn malformed(codec: &'static str, what: &str, near: u64) -> io::Error {
    let message =
        format!("{what}, in the compressed bytes before {near}. They are damaged: fetch the file again.");
    io::Error::other(Error::malformed(codec, message))
}

fn truncated(codec: &'static str, had: u64) -> io::Error {
    let message = format!(
        "expected more after {had} compressed bytes, found the end. The file was cut short: fetch it again."
    );
    io::Error::other(Error::new(ErrorKind::Truncated { needed: had + 1, had }, codec, message))
}

struct ZstdReader<R> {
    source: R,
    context: DCtx<'static>,
    scratch: Vec<u8>,
    /// `start..end` of `scratch` is not decoded yet.
    start: usize,
    end: usize,
    count: u64,
    /// Whether decoding is inside a frame.
    in_frame: bool,
    /// Whether the context may hold more output without further input.
    has_output: bool,
}

impl<R: Read> ZstdReader<R> {
    fn new(source: R) -> Self {
        let scratch = vec![0; STEP_NBYTES];
        Self {
            source,
            context: DCtx::create(),
            scratch,
            start: 0,
            end: 0,
            count: 0,
            in_frame: false,
            has_output: false,
        }
    }
}

impl<R: Read> Read for ZstdReader<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if target.is_empty() {
            return Ok(0);
        }
        loop {
            if self.start == self.end && !self.has_output {
                self.end = self.source.read(&mut self.scratch)?;
                self.start = 0;
                self.count += self.end as u64;
                if self.end == 0 {
                    return if self.in_frame { Err(truncated("zstd", self.count)) } else { Ok(0) };
                }
            }
            let mut input = InBuffer::around(self.scratch.get(self.start..self.end).unwrap_or_default());
            let mut output = OutBuffer::around(&mut *target);
            let hint = self
                .context
                .decompress_stream(&mut output, &mut input)
                .map_err(|code| malformed("zstd", zstd_safe::get_error_name(code), self.count))?;
            let (consumed, written) = (input.pos(), output.pos());
            self.start += consumed;
            self.in_frame = hint != 0;
            // At the end of a frame the context holds no more output.
            self.has_output = written == target.len() && self.in_frame;
            if written > 0 {
                return Ok(written);
            }
            self.has_output = false;
        }
    }
}
