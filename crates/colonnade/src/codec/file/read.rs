//! Unpacking while reading.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use zstd_safe::{DCtx, InBuffer, OutBuffer};

use super::{Codec, HEAD_NBYTES};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::memory::{Buffer, read_to_end};
use crate::progress::Progress;

/// Bytes taken from the source at once.
const STEP_NBYTES: usize = 128 << 10;

type Headed<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// A source, unpacked where it begins as packed bytes do. Its errors hold the typed [`Error`].
pub struct Unpacking<R: Read>(State<R>);

enum State<R: Read> {
    New(Option<R>),
    Plain(Headed<R>),
    Gzip(Box<MultiGzDecoder<Counted<Headed<R>>>>),
    Zstd(Box<Zstd<Headed<R>>>),
}

impl<R: Read> std::fmt::Debug for Unpacking<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Unpacking({:?})", self.codec())
    }
}

impl<R: Read> Unpacking<R> {
    /// Nothing is read before the first bytes are asked for.
    pub fn new(source: R) -> Self {
        Self(State::New(Some(source)))
    }

    /// How the source is packed, once it was read from.
    pub fn codec(&self) -> Option<Codec> {
        match self.0 {
            State::Gzip(_) => Some(Codec::Gzip),
            State::Zstd(_) => Some(Codec::Zstd),
            _ => None,
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        let State::New(waiting) = &mut self.0 else { return Ok(()) };
        let Some(mut source) = waiting.take() else {
            return Err(io::Error::other("the source failed before"));
        };
        let mut head = Vec::with_capacity(HEAD_NBYTES);
        while head.len() < HEAD_NBYTES {
            let mut room = [0; HEAD_NBYTES];
            let room = room.get_mut(head.len()..).unwrap_or_default();
            match source.read(room) {
                Ok(0) => break,
                Ok(count) => head.extend_from_slice(room.get(..count).unwrap_or_default()),
                // The bytes that came stay: whoever is asked again goes on with them.
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        let codec = Codec::told(&head);
        let source = Cursor::new(head).chain(source);
        self.0 = match codec {
            None => State::Plain(source),
            Some(Codec::Gzip) => State::Gzip(Box::new(MultiGzDecoder::new(Counted { source, count: 0 }))),
            Some(Codec::Zstd) => State::Zstd(Box::new(Zstd::new(source))),
        };
        Ok(())
    }
}

impl<R: Read> Read for Unpacking<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.begin()?;
        match &mut self.0 {
            State::New(_) => Ok(0),
            State::Plain(source) => source.read(room),
            State::Gzip(decoder) => {
                decoder.read(room).map_err(|error| gzip_error(error, decoder.get_ref().count))
            }
            State::Zstd(decoder) => decoder.read(room),
        }
    }
}

/// A buffer of text, unpacked where it is packed.
///
/// # Errors
/// Damaged or cut bytes; `LimitExceeded` where more comes out than `limits` allow for what went in.
pub fn unpacked(
    format: &'static str,
    bytes: Buffer,
    limits: &Limits,
    progress: &dyn Progress,
) -> Result<(Buffer, Option<Codec>)> {
    let Some(codec) = Codec::told(bytes.as_slice()) else { return Ok((bytes, None)) };
    let mut source = Unpacking::new(bytes.as_slice());
    let (input, mut growth) = (bytes.nbytes() as u64, Growth::new(limits));
    let mut check = |text: &[u8]| growth.check(format, text, input);
    Ok((read_to_end(&mut source, &mut check, progress)?, Some(codec)))
}

/// Text that is unpacked without a word on how long it will be, held against what it is unpacked from.
///
/// Lines and fields are the cells of the rule in [`Limits`]; they are counted once the text is longer than it may be without.
#[derive(Debug)]
pub struct Growth {
    limits: Limits,
    counted: usize,
    ncells: u64,
}

impl Growth {
    /// For a text of which nothing was unpacked.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self { limits: *limits, counted: 0, ncells: 0 }
    }

    /// Refuses to hold `text`, which `input` bytes became.
    ///
    /// # Errors
    /// As [`Limits::check_decoded`].
    pub fn check(&mut self, format: &'static str, text: &[u8], input: u64) -> Result<()> {
        let nbytes = text.len() as u64;
        if nbytes <= self.limits.decoded_nbytes(input, self.ncells) {
            return Ok(());
        }
        let fresh = text.get(self.counted..).unwrap_or(&[]);
        self.ncells += fresh.iter().filter(|byte| matches!(byte, b'\n' | b',' | b';' | b'\t')).count() as u64;
        self.counted = text.len();
        self.limits.check_decoded(format, "packed texts", nbytes, input, self.ncells)
    }
}

/// A source whose bytes are counted.
struct Counted<R> {
    source: R,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(room)?;
        self.count += count as u64;
        Ok(count)
    }
}

/// What the library says of the bytes, as an error of ours; the source's own errors stay as they are.
fn gzip_error(error: io::Error, near: u64) -> io::Error {
    match error.kind() {
        _ if error.raw_os_error().is_some() || error.get_ref().is_some_and(|inner| inner.is::<Error>()) => {
            error
        }
        io::ErrorKind::UnexpectedEof => cut("gzip", near),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => damaged("gzip", &error.to_string(), near),
        _ => error,
    }
}

fn damaged(codec: &'static str, what: &str, near: u64) -> io::Error {
    let message =
        format!("{what}, in the compressed bytes before {near}. They are damaged: fetch the file again.");
    io::Error::other(Error::malformed(codec, message))
}

fn cut(codec: &'static str, had: u64) -> io::Error {
    let message = format!(
        "expected more after {had} compressed bytes, found the end. The file was cut short: fetch it again."
    );
    io::Error::other(Error::new(ErrorKind::Truncated { needed: had + 1, had }, codec, message))
}

struct Zstd<R> {
    source: R,
    context: DCtx<'static>,
    scratch: Vec<u8>,
    /// Of `scratch`: what was not decoded yet.
    start: usize,
    end: usize,
    count: u64,
    /// Whether a frame has begun that has not ended.
    inside: bool,
    /// Whether the context may hold output that no input is needed for.
    full: bool,
}

impl<R: Read> Zstd<R> {
    fn new(source: R) -> Self {
        let scratch = vec![0; STEP_NBYTES];
        Self {
            source,
            context: DCtx::create(),
            scratch,
            start: 0,
            end: 0,
            count: 0,
            inside: false,
            full: false,
        }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if room.is_empty() {
            return Ok(0);
        }
        loop {
            if self.start == self.end && !self.full {
                self.end = self.source.read(&mut self.scratch)?;
                self.start = 0;
                self.count += self.end as u64;
                if self.end == 0 {
                    return if self.inside { Err(cut("zstd", self.count)) } else { Ok(0) };
                }
            }
            let mut input = InBuffer::around(self.scratch.get(self.start..self.end).unwrap_or_default());
            let mut output = OutBuffer::around(&mut *room);
            let hint = self
                .context
                .decompress_stream(&mut output, &mut input)
                .map_err(|code| damaged("zstd", zstd_safe::get_error_name(code), self.count))?;
            let (taken, made) = (input.pos(), output.pos());
            self.start += taken;
            self.inside = hint != 0;
            // Behind the end of a frame nothing is held back, however full the room is.
            self.full = made == room.len() && self.inside;
            if made > 0 {
                return Ok(made);
            }
            self.full = false;
        }
    }
}
