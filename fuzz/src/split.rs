//! Feeds a file to an incremental reader in pieces.
//!
//! Input: a byte that chooses the options, the number of sizes, the sizes of the pieces less one, then the file.

use colonnade::arrow::concat::concat;
use colonnade::formats::{Event, Format, IncrementalReader, Options};
use colonnade::frame::Frame;
use colonnade::progress::NoProgress;

use crate::content::check_same;
use crate::{check_error, options};

/// Rows of a batch at most.
const MAX_ROWS: usize = 3;

/// Reads the file in pieces of the given sizes, and in pieces as large as the reader takes.
///
/// # Panics
/// If the pieces change the frames, or whether there is an error.
pub fn split(format: &'static dyn Format, input: &[u8]) {
    let [choice, count, rest @ ..] = input else { return };
    let (sizes, file) = rest.split_at(usize::from(count % 16).min(rest.len()));
    let options = options::reading(format, *choice);
    let whole = Reading::of(format, &*options, file, &[]);
    let pieces = Reading::of(format, &*options, file, sizes);
    assert_eq!(pieces.error.is_some(), whole.error.is_some(), "{:?}, {:?}", pieces.error, whole.error);
    // Of several errors, each piece may show another one first. Then the batches before it are compared.
    let count =
        if whole.error.is_none() { whole.frames.len() } else { pieces.frames.len().min(whole.frames.len()) };
    assert!(whole.error.is_some() || pieces.frames.len() == count, "the number of batches");
    let parts = [&pieces.frames, &whole.frames].map(|frames| concat(frames.get(..count).unwrap_or_default()));
    if let [Ok(pieces), Ok(whole)] = parts {
        check_same(&pieces, &whole, "the batches");
    }
}

/// The frames of an input, and the error that ended it.
pub(crate) struct Reading {
    pub(crate) frames: Vec<Frame>,
    pub(crate) error: Option<String>,
}

impl Reading {
    pub(crate) fn of(format: &'static dyn Format, options: &Options, file: &[u8], sizes: &[u8]) -> Self {
        let mut frames = Vec::new();
        let reader = format.reader(options, MAX_ROWS, None);
        let ended = reader.and_then(|mut reader| feed(&mut *reader, file, sizes, &mut frames));
        let error = ended.err().inspect(check_error).map(|error| error.to_string());
        Self { frames, error }
    }
}

fn feed(
    reader: &mut dyn IncrementalReader,
    mut file: &[u8],
    sizes: &[u8],
    frames: &mut Vec<Frame>,
) -> colonnade::Result<()> {
    let mut sizes = sizes.iter().map(|size| usize::from(*size) + 1).cycle();
    while !file.is_empty() {
        let room = reader.room()?;
        assert!(!room.is_empty(), "a reader that has not ended lends no memory");
        let count = sizes.next().unwrap_or(usize::MAX).min(room.len()).min(file.len());
        let (piece, rest) = file.split_at(count);
        room[..count].copy_from_slice(piece);
        file = rest;
        if take(reader, count, frames)? {
            return Ok(());
        }
    }
    reader.finish()?;
    take(reader, 0, frames)?;
    reader.schema()?;
    Ok(())
}

/// Takes all events; whether the input has ended.
fn take(
    reader: &mut dyn IncrementalReader,
    mut count: usize,
    frames: &mut Vec<Frame>,
) -> colonnade::Result<bool> {
    loop {
        match reader.filled(count, &NoProgress)? {
            Event::Batch(frame) => frames.push(*frame),
            Event::Schema => {}
            Event::Need => return Ok(false),
            Event::End => return Ok(true),
        }
        count = 0;
    }
}
