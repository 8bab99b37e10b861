//! Reads frames from YAML text.

use std::ops::Range;

use crate::error::{ErrorKind, Result};
use crate::infer::dates;
use crate::memory::Buffer;
use crate::progress::{NoProgress, Progress, ScaledProgress};
use crate::text::DecodedText;
use crate::text::header::VERSION;
use crate::text::input::{OwnedText, SourceText};

use super::FORMAT;
use super::extents::extents;
use super::nodes::Document;
use super::options::ReadOptions;
use super::resolve::YamlValue;
use super::{check, schemaless, with_header};

fn text_of(input: &Buffer, options: &ReadOptions) -> Result<OwnedText> {
    let (nbytes, most) = (input.nbytes() as u64, options.limits.max_nbytes);
    if nbytes > most {
        let message = format!("{nbytes} bytes, the limit is {most}. Raise max_nbytes to read it.");
        return Err(crate::Error::limit(FORMAT, message));
    }
    let text = SourceText::of(FORMAT, input, options.part, options.encoding, options.threads)?;
    OwnedText::new(FORMAT, text)
}

/// Decodes the only frame of `input`.
///
/// # Errors
/// Malformed, with line, column and byte; over a limit; no frame or several.
pub fn decode(input: &Buffer, options: &ReadOptions) -> Result<DecodedText> {
    decode_with(input, options, &NoProgress)
}

/// Like [`decode`], and reports to `progress`.
///
/// # Errors
/// As [`decode`], and `Cancelled` from `progress`.
pub fn decode_with(input: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<DecodedText> {
    let found = decoded(input, options, progress)?;
    let nbytes = input.nbytes() as u64;
    progress.advance(nbytes, Some(nbytes)).map(|()| found)
}

fn decoded(input: &Buffer, options: &ReadOptions, progress: &dyn Progress) -> Result<DecodedText> {
    let text = text_of(input, options)?;
    let progress = &ScaledProgress::new(progress, text.as_bytes().len() as u64, input.nbytes() as u64);
    let document = Document::read(&text, options, progress)?;
    progress.interrupted()?;
    if with_header::has_header(&document) {
        if options.part.is_none() {
            check::end(&text)?;
        }
        let (frame, orient) = with_header::decode(&document, options)?;
        return Ok(DecodedText::new(frame, orient.name(), Some(VERSION)));
    }
    let (mut frame, orient) = schemaless::decode(&document, options)?;
    if options.dates {
        frame = dates::in_frame(frame, options.threads, progress)?;
    }
    Ok(DecodedText::new(frame, orient.name(), None))
}

/// Labels, and the byte range of each frame.
pub type FrameExtents = Vec<(String, Range<usize>)>;

/// Returns the labels of a bundle and the byte range of each frame in `input`; `None` if it is one frame.
///
/// # Errors
/// As [`decode`].
pub fn bundle(input: &Buffer, options: &ReadOptions) -> Result<Option<FrameExtents>> {
    bundle_with(input, options, &NoProgress)
}

/// Like [`bundle`], and reports to `progress`.
///
/// # Errors
/// As [`bundle`], and `Cancelled` from `progress`.
pub fn bundle_with(
    input: &Buffer,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Option<FrameExtents>> {
    let text = text_of(input, options)?;
    // Most documents are one frame. Their first nodes show it, so that they are parsed only once.
    if !check::may_be_bundle(&text) {
        return Ok(None);
    }
    let document = Document::read(&text, options, progress)?;
    let Some(labels) = labels(&document, options)? else { return Ok(None) };
    if labels.len() != document.values.len() {
        let message = "expected frames that are not aliases. Write each of them out.";
        return Err(document.error(ErrorKind::Unsupported, 0, None, message));
    }
    Ok(Some(labels.into_iter().zip(extents(&document)).collect()))
}

/// Returns the labels of a mapping of frames, with or without headers.
fn labels(document: &Document<'_>, options: &ReadOptions) -> Result<Option<Vec<String>>> {
    let mut labels = Vec::new();
    if let Some(YamlValue::Mapping(n @ 1.., _)) = document.nodes.first().map(|node| &node.value) {
        let mut at = 1;
        for _ in 0..*n {
            let inner = document.nodes.get(at + 1..at + 3).unwrap_or(&[]);
            let [first, second] = inner else { break };
            let own = matches!(&first.value, YamlValue::Mapping(1.., _))
                && matches!(&second.value, YamlValue::Str(key) if key == crate::text::header::KEY);
            match document.nodes.get(at).map(|node| &node.value) {
                Some(YamlValue::Str(label)) if own => labels.push(label.to_string()),
                _ => break,
            }
            at = document.next_after(at + 1);
        }
        if labels.len() == *n {
            check::end(document.text)?;
            return Ok(Some(labels));
        }
    }
    schemaless::labels(document, options)
}
