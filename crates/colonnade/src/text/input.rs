//! Decodes bytes to UTF-8. UTF-8 input is not copied; no character is replaced or dropped.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, ErrorKind, Result};
use crate::memory::Buffer;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{NoProgress, Progress, SignalsOnly};

use super::encoding::{detect, latin1_to_utf8, source_nbytes, utf8, utf16_to_utf8};
use crate::cells::place::TextPosition;

pub use super::encoding::TextEncoding;

/// The start and length of a part of the source that is a text by itself.
pub type TextPart = (usize, usize);

/// Text as UTF-8.
///
/// UTF-8 input stays in its source: the bytes of a mapped file, which may change at any time. A check of these bytes finds
/// errors in the input but guarantees nothing for later reads. Code that keeps text must check its copy.
#[derive(Debug, Clone)]
pub struct SourceText {
    buffer: Buffer,
    /// The number of bytes of the byte order mark in the source.
    mark: usize,
    /// The bytes of the source between the mark and this text, if it is a part.
    before: Option<Buffer>,
    /// The encoding of the source.
    encoding: TextEncoding,
}

impl SourceText {
    /// Decodes `input` to UTF-8, without the byte order mark. UTF-8 input is not checked.
    ///
    /// # Errors
    /// Malformed, with line, column and byte: bytes that are invalid in another encoding.
    pub fn transcode(format: &'static str, input: &Buffer, encoding: TextEncoding) -> Result<Self> {
        let (encoding, mark) = detect(input.as_slice(), encoding);
        let rest = input.slice(mark, input.nbytes().saturating_sub(mark));
        let rest = rest.ok_or_else(|| Error::malformed(format, "the input changed while it was read."))?;
        Ok(Self { buffer: utf8(format, rest, mark, encoding)?, mark, before: None, encoding })
    }

    /// Decodes `input` to UTF-8 and checks it.
    ///
    /// # Errors
    /// As [`SourceText::transcode`] and [`SourceText::check`].
    pub fn decode(
        format: &'static str,
        input: &Buffer,
        encoding: TextEncoding,
        threads: usize,
    ) -> Result<Self> {
        let text = Self::transcode(format, input, encoding)?;
        text.check(format, threads, &NoProgress).map(|()| text)
    }

    /// Decodes a part of `input`, or all of it. The mark of the source determines the encoding, and places refer to the
    /// source.
    ///
    /// # Errors
    /// As [`SourceText::decode`]; `InvalidOption`: a part beyond the end.
    pub fn of(
        format: &'static str,
        input: &Buffer,
        part: Option<TextPart>,
        encoding: TextEncoding,
        threads: usize,
    ) -> Result<Self> {
        let Some((start, nbytes)) = part else { return Self::decode(format, input, encoding, threads) };
        let (encoding, mark) = detect(input.as_slice(), encoding);
        let start = start.max(mark);
        let (Some(before), Some(inner)) = (input.slice(mark, start - mark), input.slice(start, nbytes))
        else {
            return Err(Error::invalid_option(
                format,
                "expected a part of the input, found one that passes its end.",
            ));
        };
        // A part has no mark: the same bytes in it are text.
        let buffer = utf8(format, inner, start, encoding)?;
        let text = Self { buffer, mark, before: Some(before), encoding };
        text.check(format, threads, &NoProgress).map(|()| text)
    }

    /// Refuses bytes that are not UTF-8, which a UTF-8 source may contain.
    ///
    /// # Errors
    /// Malformed, with line, column and byte of the first invalid byte; `Cancelled` from `progress`.
    pub fn check(&self, format: &'static str, threads: usize, progress: &dyn Progress) -> Result<()> {
        match self.encoding {
            TextEncoding::Utf8 => check(format, self.as_bytes(), self.start_nbytes(), threads, progress),
            _ => Ok(()),
        }
    }

    /// Returns the bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    /// Returns the number of bytes of the source before the text.
    fn start_nbytes(&self) -> usize {
        self.mark + self.before.as_ref().map_or(0, Buffer::nbytes)
    }

    /// Returns the place of byte `at` of the text, in the source.
    #[must_use]
    pub fn place(&self, at: usize) -> TextPosition {
        let text = self.as_bytes();
        let rest = text.get(..at).unwrap_or(text);
        let start = self
            .before
            .as_ref()
            .map_or(TextPosition::of(&[], 0), |before| start_after(before, self.encoding));
        TextPosition {
            byte: (self.start_nbytes() + source_nbytes(rest, self.encoding)) as u64,
            ..start.after(rest)
        }
    }

    /// Returns the number of bytes in the source of a part of the text.
    pub(crate) fn source_nbytes(&self, part: std::ops::Range<usize>) -> usize {
        source_nbytes(self.as_bytes().get(part).unwrap_or(&[]), self.encoding)
    }

    /// Creates an error at byte `at` of the text.
    #[must_use]
    #[cold]
    pub fn error(
        &self,
        kind: ErrorKind,
        format: &'static str,
        at: usize,
        member: Option<&str>,
        message: impl std::fmt::Display,
    ) -> Error {
        self.place(at).error(kind, format, member, message)
    }
}

/// Text in private memory, which cannot change. Only this type gives access to characters.
#[derive(Debug)]
pub struct OwnedText {
    source: SourceText,
    characters: String,
}

impl OwnedText {
    /// Copies a text that was checked.
    ///
    /// # Errors
    /// Malformed: the input changed after it was checked.
    pub fn new(format: &'static str, source: SourceText) -> Result<Self> {
        let characters = String::from_utf8(source.as_bytes().to_vec())
            .map_err(|_| Error::malformed(format, "the input changed while it was read."))?;
        Ok(Self { source, characters })
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.characters
    }

    /// Returns the bytes, which are UTF-8.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.characters.as_bytes()
    }

    /// Returns the text in the source, which gives the places of the source.
    #[must_use]
    pub fn source(&self) -> &SourceText {
        &self.source
    }
}

/// Returns the place after a part of a source. Invalid bytes count as no character.
#[cold]
fn start_after(before: &Buffer, encoding: TextEncoding) -> TextPosition {
    let bytes = before.as_slice();
    let text = match encoding {
        TextEncoding::Utf8 => return TextPosition::of(bytes, bytes.len()),
        TextEncoding::Utf16Be => utf16_to_utf8("text", bytes, 0, u16::from_be_bytes),
        TextEncoding::Utf16 | TextEncoding::Utf16Le => utf16_to_utf8("text", bytes, 0, u16::from_le_bytes),
        TextEncoding::Latin1 => Ok(latin1_to_utf8(bytes)),
    };
    text.map_or(TextPosition::of(&[], 0), |text| TextPosition::of(&text, text.len()))
}

/// Bytes that are checked between two checks for signals.
const SHARE: usize = crate::parallel::split_from(4 << 20);

/// Checks UTF-8 in shares that end between characters. The error names the first invalid byte of the input, whichever
/// thread finds its error first.
fn check(
    format: &'static str,
    bytes: &[u8],
    base: usize,
    threads: usize,
    progress: &dyn Progress,
) -> Result<()> {
    let first = AtomicUsize::new(usize::MAX);
    let mut tasks = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let end = crate::parallel::character_start(bytes, bytes.len().min(start + SHARE));
        let (part, from, first) = (bytes.get(start..end).unwrap_or(&[]), start, &first);
        tasks.push(Task::new(part.len(), move || {
            if simdutf8::basic::from_utf8(part).is_err() {
                let valid = simdutf8::compat::from_utf8(part).map_or_else(|e| e.valid_up_to(), str::len);
                first.fetch_min(from + valid, Ordering::Relaxed);
            }
            Ok(())
        }));
        start = end;
    }
    parallel::run(tasks, threads, &SignalsOnly(progress))?;
    let at = first.into_inner();
    if at == usize::MAX {
        return Ok(());
    }
    let mut place = TextPosition::of(bytes, at);
    place.byte = (base + at) as u64;
    let found = bytes.get(at).copied().unwrap_or(0);
    let message = format!(
        "expected UTF-8, found the byte {found:02X}. Give encoding= (\"latin-1\", \"utf-16\"), or write the file again as UTF-8."
    );
    Err(place.error(ErrorKind::Malformed, format, None, message))
}
