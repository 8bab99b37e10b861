//! Writes a frame and reads it back.
//!
//! Input: bytes from which `arbitrary` makes a choice of options and a frame.

use arbitrary::Unstructured;
use colonnade::ErrorKind;
use colonnade::arrow::concat::concat;
use colonnade::decode::Request;
use colonnade::error::Error;
use colonnade::formats::{Format, FrameEncoding};
use colonnade::frame::Frame;
use colonnade::memory::Buffer;
use colonnade::progress::NoProgress;
use colonnade::source::Source;

use crate::content::check_same;
use crate::ways::Ways;
use crate::{check_error, frames, options, split};

/// Writes the frame whole and, if the format can, in two chunks.
///
/// # Panics
/// If the frame that is read differs, and the writer did not say so.
pub(crate) fn round_trip(format: &'static dyn Format, input: &[u8], ways: Ways) {
    let mut source = Unstructured::new(input);
    let Ok(choice) = source.arbitrary::<u8>() else { return };
    let Ok(frame) = frames::frame(&mut source) else { return };
    let (encoding, keeps_all) = options::writing(format, choice, frame.nrows);
    if let Err(error) = encoding.losses(&frame) {
        return check_refusal(&error);
    }
    let all: &[Way] = if format.spec().capabilities.chunks {
        &[(whole, load), (chunks, load_chunks)]
    } else {
        &[(whole, load)]
    };
    for (write, read) in ways.of(all) {
        match write(&encoding, &frame) {
            // A plain text file may be read as something else: a list as cells of a column, say.
            Ok(bytes) => {
                if let Some(found) = keeps_all.then(|| read(format, bytes)).flatten() {
                    check_same(&found, &frame, "the frame that is read");
                }
            }
            Err(error) => check_refusal(&error),
        }
    }
}

type Way = (
    fn(&FrameEncoding, &Frame) -> colonnade::Result<Vec<u8>>,
    fn(&'static dyn Format, Vec<u8>) -> Option<Frame>,
);

fn whole(encoding: &FrameEncoding, frame: &Frame) -> colonnade::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    encoding.encode(frame, &mut bytes, &NoProgress)?;
    Ok(bytes)
}

fn chunks(encoding: &FrameEncoding, frame: &Frame) -> colonnade::Result<Vec<u8>> {
    let mut writer = encoding.writer()?;
    let (mut bytes, half) = (Vec::new(), frame.nrows / 2);
    for (start, stop) in [(0, half), (half, frame.nrows)] {
        writer.write(&frame.slice(start, stop), &mut bytes, &NoProgress)?;
    }
    writer.finish(&mut bytes, &NoProgress)?;
    Ok(bytes)
}

/// The frame of all chunks; `None` if their layouts differ, because one of them has nulls and another has not.
fn load_chunks(format: &'static dyn Format, bytes: Vec<u8>) -> Option<Frame> {
    if !format.spec().capabilities.incremental {
        return load(format, bytes);
    }
    let reading = split::Reading::of(format, &*options::reading_with_default_limits(format), &bytes, &[]);
    assert_eq!(reading.error, None, "chunks are written, and not read");
    concat(&reading.frames).ok()
}

fn load(format: &'static dyn Format, bytes: Vec<u8>) -> Option<Frame> {
    let options = options::reading_with_default_limits(format);
    let opened = format.open(Source::Memory(Buffer::from_vec(bytes)), &*options, &NoProgress);
    let opened = opened.unwrap_or_else(|error| panic!("it is written, and not opened: {error}"));
    if let Err(error) = opened.verify(1, &NoProgress) {
        panic!("it is written, and not verified: {error}");
    }
    match opened.load(&Request::all(1, &NoProgress)) {
        Ok(loaded) => Some(loaded.frame),
        Err(error) => panic!("it is written, and not read: {error}"),
    }
}

/// A writer may refuse data, and nothing else may go wrong.
fn check_refusal(error: &Error) {
    check_error(error);
    assert!(
        matches!(
            error.kind(),
            ErrorKind::Unrepresentable | ErrorKind::Unsupported | ErrorKind::InvalidOption
        ),
        "a writer failed: {error}"
    );
}
