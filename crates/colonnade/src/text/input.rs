//! Decodes bytes to UTF-8. Bytes that are UTF-8 are not copied; no character is replaced or dropped.

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, ErrorKind, Result};
use crate::memory::Buffer;
use crate::parallel;
use crate::parallel::Task;
use crate::progress::{NoProgress, Progress, SignalsOnly};

use crate::cells::place::Place;

/// How bytes stand for characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// UTF-8, or UTF-16 where a byte order mark says so.
    #[default]
    Utf8,
    /// UTF-16 of the byte order that its mark says, little-endian without one.
    Utf16,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// The first 256 characters, a byte each (ISO 8859-1).
    Latin1,
}

impl Encoding {
    /// The encoding of a name, as Python spells it.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn named(format: &'static str, name: &str) -> Result<Self> {
        let plain: String = name.chars().filter(|c| !"-_ ".contains(*c)).collect();
        match plain.to_ascii_lowercase().as_str() {
            "utf8" | "utf8sig" | "ascii" | "usascii" => Ok(Self::Utf8),
            "utf16" => Ok(Self::Utf16),
            "utf16le" => Ok(Self::Utf16Le),
            "utf16be" => Ok(Self::Utf16Be),
            "latin1" | "iso88591" | "l1" => Ok(Self::Latin1),
            _ => Err(Error::invalid_option(
                format,
                format!(
                    "encoding: expected \"utf-8\", \"utf-16\", \"utf-16-le\", \"utf-16-be\" or \"latin-1\", found {name:?}."
                ),
            )),
        }
    }
}

/// Bytes of a source that are a text of their own: from where, and how many.
pub type Part = (usize, usize);

/// Text as UTF-8.
///
/// Text that is UTF-8 in its source stays there: bytes of a mapped file, which may change at any time. So the check of these
/// bytes says what is wrong with an input, but proves nothing for later: whoever keeps text checks what is kept.
#[derive(Debug, Clone)]
pub struct Text {
    buffer: Buffer,
    /// Bytes of the mark in front of it in the source.
    mark: usize,
    /// Bytes of the source between the mark and this text, where this is a part of it.
    before: Option<Buffer>,
    /// The source's.
    encoding: Encoding,
}

const MARK_8: &[u8] = b"\xef\xbb\xbf";
const MARK_LE: &[u8] = b"\xff\xfe";
const MARK_BE: &[u8] = b"\xfe\xff";

impl Text {
    /// The text of `input`, not checked where it is UTF-8. A byte order mark is no part of it.
    ///
    /// # Errors
    /// Malformed, with line, column and byte: bytes that another encoding has not.
    pub fn transcode(format: &'static str, input: &Buffer, encoding: Encoding) -> Result<Self> {
        let (encoding, mark) = detect(input.as_slice(), encoding);
        let rest = input.slice(mark, input.nbytes().saturating_sub(mark));
        let rest = rest.ok_or_else(|| Error::malformed(format, "the input changed while it was read."))?;
        Ok(Self { buffer: utf8(format, rest, mark, encoding)?, mark, before: None, encoding })
    }

    /// The same, checked.
    ///
    /// # Errors
    /// As [`Text::transcode`] and [`Text::check`].
    pub fn decode(format: &'static str, input: &Buffer, encoding: Encoding, threads: usize) -> Result<Self> {
        let text = Self::transcode(format, input, encoding)?;
        text.check(format, threads, &NoProgress).map(|()| text)
    }

    /// The text of a part of `input`, or of all of it: the source's mark tells the encoding, and places are the source's.
    ///
    /// # Errors
    /// As [`Text::decode`]; `InvalidOption`: a part that passes the end.
    pub fn of(
        format: &'static str,
        input: &Buffer,
        part: Option<Part>,
        encoding: Encoding,
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
        // A part has no mark: what looks like one is text.
        let buffer = utf8(format, inner, start, encoding)?;
        let text = Self { buffer, mark, before: Some(before), encoding };
        text.check(format, threads, &NoProgress).map(|()| text)
    }

    /// Refuses bytes that are not UTF-8, as a source in UTF-8 may hold them.
    ///
    /// # Errors
    /// Malformed, with line, column and byte: the first of them; `Cancelled` from `progress`.
    pub fn check(&self, format: &'static str, threads: usize, progress: &dyn Progress) -> Result<()> {
        match self.encoding {
            Encoding::Utf8 => check(format, self.as_bytes(), self.front(), threads, progress),
            _ => Ok(()),
        }
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    /// Bytes of the source before the text.
    fn front(&self) -> usize {
        self.mark + self.before.as_ref().map_or(0, Buffer::nbytes)
    }

    /// The place of byte `at` of the text; its byte is the source's.
    #[must_use]
    pub fn place(&self, at: usize) -> Place {
        let text = self.as_bytes();
        let behind = text.get(..at).unwrap_or(text);
        let start =
            self.before.as_ref().map_or(Place::of(&[], 0), |before| start_behind(before, self.encoding));
        Place { byte: (self.front() + source_nbytes(behind, self.encoding)) as u64, ..start.after(behind) }
    }

    /// Bytes that a part of the text took in the source.
    pub(crate) fn source_nbytes(&self, part: std::ops::Range<usize>) -> usize {
        source_nbytes(self.as_bytes().get(part).unwrap_or(&[]), self.encoding)
    }

    /// An error at byte `at` of the text.
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

/// Text in memory of its own, which nothing outside changes: only this has characters.
#[derive(Debug)]
pub struct OwnedText {
    source: Text,
    characters: String,
}

impl OwnedText {
    /// A copy of a text that was checked.
    ///
    /// # Errors
    /// Malformed: the input changed after it was checked.
    pub fn new(format: &'static str, source: Text) -> Result<Self> {
        let characters = String::from_utf8(source.as_bytes().to_vec())
            .map_err(|_| Error::malformed(format, "the input changed while it was read."))?;
        Ok(Self { source, characters })
    }

    /// The characters.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.characters
    }

    /// The bytes, which are UTF-8.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.characters.as_bytes()
    }

    /// The text in the source: its places are the source's.
    #[must_use]
    pub fn source(&self) -> &Text {
        &self.source
    }
}

/// The place behind a part of a source; bytes that are no text count as none.
#[cold]
fn start_behind(before: &Buffer, encoding: Encoding) -> Place {
    let bytes = before.as_slice();
    let made = match encoding {
        Encoding::Utf8 => return Place::of(bytes, bytes.len()),
        Encoding::Utf16Be => wide("text", bytes, 0, u16::from_be_bytes),
        Encoding::Utf16 | Encoding::Utf16Le => wide("text", bytes, 0, u16::from_le_bytes),
        Encoding::Latin1 => Ok(latin(bytes)),
    };
    made.map_or(Place::of(&[], 0), |text| Place::of(&text, text.len()))
}

/// Bytes at `start` of the source as UTF-8.
fn utf8(format: &'static str, bytes: Buffer, start: usize, encoding: Encoding) -> Result<Buffer> {
    Ok(Buffer::from_vec(match encoding {
        Encoding::Utf8 => return Ok(bytes),
        Encoding::Utf16Be => wide(format, bytes.as_slice(), start, u16::from_be_bytes)?,
        Encoding::Utf16 | Encoding::Utf16Le => wide(format, bytes.as_slice(), start, u16::from_le_bytes)?,
        Encoding::Latin1 => latin(bytes.as_slice()),
    }))
}

/// Detects the encoding by its mark. Answers it, and the length of the mark.
fn detect(bytes: &[u8], asked: Encoding) -> (Encoding, usize) {
    let starts = |mark: &[u8]| bytes.starts_with(mark);
    match asked {
        Encoding::Utf8 if starts(MARK_8) => (asked, MARK_8.len()),
        Encoding::Utf8 | Encoding::Utf16 | Encoding::Utf16Le if starts(MARK_LE) => (Encoding::Utf16Le, 2),
        Encoding::Utf8 | Encoding::Utf16 | Encoding::Utf16Be if starts(MARK_BE) => (Encoding::Utf16Be, 2),
        Encoding::Utf16 => (Encoding::Utf16Le, 0),
        other => (other, 0),
    }
}

/// Bytes that UTF-8 text took in its source.
pub(crate) fn source_nbytes(text: &[u8], encoding: Encoding) -> usize {
    match encoding {
        Encoding::Utf8 => text.len(),
        Encoding::Latin1 => text.iter().filter(|&&b| b & 0xc0 != 0x80).count(),
        // Characters of four bytes are two units, all others one.
        _ => 2 * text.iter().map(|&b| usize::from(b & 0xc0 != 0x80) + usize::from(b >= 0xf0)).sum::<usize>(),
    }
}

/// Bytes that are checked between two looks for signals.
const SHARE: usize = 4 << 20;

/// Checks UTF-8, in shares that end between characters. The error names the first wrong byte of the input, whichever thread
/// finds one first.
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
        let mut end = bytes.len().min(start + SHARE);
        // A character has four bytes at most; where there are more such bytes in a row the check finds it.
        for _ in 0..3 {
            end -= usize::from(bytes.get(end).is_some_and(|b| b & 0xc0 == 0x80));
        }
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
    let mut place = Place::of(bytes, at);
    place.byte = (base + at) as u64;
    let found = bytes.get(at).copied().unwrap_or(0);
    let message = format!(
        "expected UTF-8, found the byte {found:02X}. Give encoding= (\"latin-1\", \"utf-16\"), or write the file again as UTF-8."
    );
    Err(place.error(ErrorKind::Malformed, format, None, message))
}

/// What is said of UTF-16 with an odd byte at its end.
pub(crate) const HALF_A_UNIT: &str = "expected UTF-16, found half a unit of two bytes at the end. The file was cut short, or is of another \
     encoding.";

/// What is said of a surrogate alone.
pub(crate) fn half_a_pair(found: u16) -> String {
    format!("expected UTF-16, found half a pair of surrogates ({found:04X}).")
}

fn wide(format: &'static str, bytes: &[u8], mark: usize, unit: fn([u8; 2]) -> u16) -> Result<Vec<u8>> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut out = String::with_capacity(bytes.len());
    let mut at = 0;
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        let Ok(c) = decoded else {
            let found = pairs.get(at).map_or(0, |pair| unit(*pair));
            let message = half_a_pair(found);
            return Err(placed(&out, mark + 2 * at).error(ErrorKind::Malformed, format, None, message));
        };
        at += c.len_utf16();
        out.push(c);
    }
    if !rest.is_empty() {
        let (needed, had) = ((mark + 2 * at + 2) as u64, (mark + bytes.len()) as u64);
        let place = placed(&out, mark + 2 * at);
        return Err(place.error(ErrorKind::Truncated { needed, had }, format, None, HALF_A_UNIT));
    }
    Ok(out.into_bytes())
}

fn placed(before: &str, byte: usize) -> Place {
    Place { byte: byte as u64, ..Place::of(before.as_bytes(), before.len()) }
}

fn latin(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.iter().filter(|b| !b.is_ascii()).count());
    for &byte in bytes {
        if byte.is_ascii() {
            out.push(byte);
        } else {
            out.extend([0xc0 | byte >> 6, 0x80 | byte & 0x3f]);
        }
    }
    out
}
