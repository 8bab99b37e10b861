//! Checks that hold for any bytes. A check panics if they do not hold.
//!
//! | check | input | holds |
//! |---|---|---|
//! | [`read`](mod@read) | a file | each way to read it gives a frame or a typed error, and all ways agree |
//! | [`split`](mod@split) | a file and a schedule of pieces | an incremental reader gives the same for all pieces |
//! | [`messages`](mod@messages) | the bytes of a connection and a schedule | the messages are the same for all pieces |
//! | [`round_trip`] | a frame, as bytes of `arbitrary` | what is written comes back, or the writer refuses it |
//! | [`interface`](mod@interface) | a file and any texts as options | the C interface gives a result or an error with a text |
//!
//! The fuzz target (`fuzz_targets/attack.rs`) runs them on inputs that libFuzzer makes from those in `seeds/`, `corpus/` and
//! `conformance/`. The tests of this crate run them on `conformance/` without a fuzzer.

#![allow(clippy::panic, clippy::expect_used, reason = "a panic reports a finding")]

mod cells;
mod content;
mod filters;
mod frames;
pub mod interface;
mod mend;
pub mod messages;
mod mutate;
pub mod options;
mod read;
pub mod round_trip;
mod sources;
pub mod split;
mod ways;

use colonnade::ErrorKind;
use colonnade::error::Error;
use colonnade::formats::{Format, registry};
use ways::Ways;

/// A check, and the format whose files it gets.
#[derive(Clone, Copy)]
pub enum Target {
    /// See [`read`](mod@read).
    Read(&'static dyn Format),
    /// See [`split`](mod@split).
    Split(&'static dyn Format),
    /// See [`round_trip`].
    RoundTrip(&'static dyn Format),
    /// See [`messages`](mod@messages).
    Messages,
    /// See [`interface`](mod@interface).
    Interface,
}

/// The checks of all formats.
pub fn targets() -> impl Iterator<Item = Target> {
    let of_format = |format: &'static dyn Format| {
        let split = format.spec().capabilities.incremental.then_some(Target::Split(format));
        [Some(Target::Read(format)), split, Some(Target::RoundTrip(format))].into_iter().flatten()
    };
    registry().iter().flat_map(of_format).chain([Target::Messages, Target::Interface])
}

impl Target {
    /// The name: `read-npz`, `split-csv`, `round-trip-yaml`, `messages`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Read(format) => format!("read-{}", format.spec().name),
            Self::Split(format) => format!("split-{}", format.spec().name),
            Self::RoundTrip(format) => format!("round-trip-{}", format.spec().name),
            Self::Messages => "messages".into(),
            Self::Interface => "interface".into(),
        }
    }

    /// Runs the check, and tries all ways.
    ///
    /// # Panics
    /// If the check does not hold.
    pub fn run(&self, input: &[u8]) {
        self.try_ways(input, Ways::All);
    }

    /// Runs the check. Of several ways to read a file, it tries one, which the bytes of the input choose: a fuzzer then tries
    /// many more inputs, and each way with some of them.
    ///
    /// # Panics
    /// If the check does not hold.
    pub fn run_quickly(&self, input: &[u8]) {
        self.try_ways(input, Ways::of_input(input));
    }

    fn try_ways(&self, input: &[u8], ways: Ways) {
        match self {
            Self::Read(format) => read::read(*format, input, ways),
            Self::Split(format) => split::split(*format, input),
            Self::RoundTrip(format) => round_trip::round_trip(*format, input, ways),
            Self::Messages => messages::messages(input),
            Self::Interface => interface::interface(input),
        }
    }

    /// The input of this check for a file of a format; `None` if it takes no such files.
    #[must_use]
    pub fn seed(&self, format: &str, file: &[u8]) -> Option<Vec<u8>> {
        // The schedule: three sizes, which cut a file in pieces of 1, 7 and 41 bytes.
        let schedule = [0, 3, 0, 6, 40];
        // The interface detects the format; the file is encoded in the first one.
        let texts = b"\x0f{}\0a\0{}\0";
        let head: &[u8] = match self {
            Self::Read(own) if own.spec().name == format => &[0],
            Self::Split(own) if own.spec().name == format => &schedule,
            Self::Messages if matches!(format, "arrows" | "msgpack" | "csv" | "ndjson") => &schedule,
            Self::Interface => texts,
            _ => return None,
        };
        Some([head, file].concat())
    }

    /// Changes the first `size` bytes of `input` at a place that the format knows, to at most `max_size` bytes, and returns their
    /// new number. Equal inputs and seeds give equal bytes. `None`, and nothing is changed: there is no such place, no room for
    /// the change, or the input is a frame and not a file.
    pub fn mutate(&self, input: &mut [u8], size: usize, max_size: usize, seed: u32) -> Option<usize> {
        let (format, start) = match self {
            Self::Read(format) => (format.spec().name, 1),
            Self::Split(format) => (format.spec().name, schedule_nbytes(input)?),
            Self::Messages => ("message", schedule_nbytes(input)?),
            Self::Interface => {
                // The third zero after the first byte ends the texts. Without a magic, the first byte tells the format.
                let zeros = input.iter().enumerate().skip(1).filter(|(_, byte)| **byte == 0);
                let start = zeros.map(|(at, _)| at + 1).nth(2)?;
                let format = registry().by_magic(input.get(start..size)?);
                (format.map_or("message", |format| format.spec().name), start)
            }
            Self::RoundTrip(_) => return None,
        };
        let file = input.get(start..size)?;
        let changed = mutate::mutate(format, file, &mut mutate::random::Random::new(seed))?;
        let end = start.checked_add(changed.len()).filter(|end| *end <= max_size)?;
        input.get_mut(start..end)?.copy_from_slice(&changed);
        Some(end)
    }

    /// Makes the checksums right that the format verifies on every read, so that changed bytes reach the code behind them.
    pub fn mend(&self, input: &mut [u8]) {
        if matches!(self, Self::Read(format) if format.spec().name == "npz") {
            mend::zip(input);
        }
    }
}

/// Bytes before the file: the options, the number of sizes, the sizes.
fn schedule_nbytes(input: &[u8]) -> Option<usize> {
    Some(2 + usize::from(input.get(1)? % 16))
}

/// The value of a result. An error is checked.
pub(crate) fn heard<T>(result: colonnade::Result<T>) -> Option<T> {
    result.inspect_err(check_error).ok()
}

/// Checks that an error is typed and short.
pub(crate) fn check_error(error: &Error) {
    assert!(!matches!(error.kind(), ErrorKind::Internal), "a panic was caught: {error}");
    let text = error.to_string();
    assert!(
        text.len() < 20_000,
        "an error of {} bytes: {}...",
        text.len(),
        &text.chars().take(200).collect::<String>()
    );
}
