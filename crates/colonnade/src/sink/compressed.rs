//! Packing while writing.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer, zstd_sys::ZSTD_EndDirective};

use crate::codec::file::Codec;
use crate::codec::{deflate, zstd};
use crate::error::{Error, Result};
use crate::sink::Sink;

/// Packed bytes wait until there are so many.
const STEP_NBYTES: usize = 128 << 10;

/// The state of one file being packed. The same bytes, codec and level make the same file: gzip's header has no time.
pub struct Packer(State);

enum State {
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Zstd(Box<CCtx<'static>>, Vec<u8>),
    Ended,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Packer")
    }
}

impl Packer {
    /// A file of nothing.
    ///
    /// # Errors
    /// `InvalidOption` where the level is outside the codec's range.
    pub fn new(codec: Codec, level: Option<i32>) -> Result<Self> {
        let (levels, default) = match codec {
            Codec::Gzip => (1..=9, deflate::DEFAULT_LEVEL),
            Codec::Zstd => (1..=22, zstd::DEFAULT_LEVEL),
        };
        let level = level.unwrap_or(default);
        if !levels.contains(&level) {
            let message = format!(
                "level: expected {} to {} for {}, found {level}.",
                levels.start(),
                levels.end(),
                codec.name()
            );
            return Err(Error::invalid_option(codec.name(), message));
        }
        Ok(Self(match codec {
            Codec::Gzip => {
                let level = Compression::new(level.unsigned_abs());
                State::Gzip(Box::new(GzEncoder::new(Vec::new(), level)))
            }
            Codec::Zstd => {
                let mut context = CCtx::create();
                for parameter in [CParameter::CompressionLevel(level), CParameter::ChecksumFlag(true)] {
                    context.set_parameter(parameter).map_err(|code| {
                        Error::malformed("zstd", zstd_safe::get_error_name(code).to_owned())
                    })?;
                }
                State::Zstd(Box::new(context), Vec::with_capacity(2 * STEP_NBYTES))
            }
        }))
    }

    /// Packs `bytes`; what is ready goes to `sink`.
    ///
    /// # Errors
    /// The sink's own.
    pub fn write(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> io::Result<()> {
        match &mut self.0 {
            State::Gzip(encoder) => {
                encoder.write_all(bytes)?;
                passed_on(encoder.get_mut(), STEP_NBYTES, sink)
            }
            State::Zstd(context, out) => {
                let mut input = InBuffer::around(bytes);
                while input.pos() < bytes.len() {
                    step(context, out, &mut input, ZSTD_EndDirective::ZSTD_e_continue)?;
                    passed_on(out, STEP_NBYTES, sink)?;
                }
                Ok(())
            }
            State::Ended => Err(io::Error::other("the packed file has ended")),
        }
    }

    /// The end of the file.
    ///
    /// # Errors
    /// The sink's own.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        match std::mem::replace(&mut self.0, State::Ended) {
            State::Gzip(encoder) => passed_on(&mut encoder.finish()?, 1, sink),
            State::Zstd(mut context, mut out) => {
                while step(&mut context, &mut out, &mut InBuffer::around(&[]), ZSTD_EndDirective::ZSTD_e_end)?
                    > 0
                {
                    passed_on(&mut out, 1, sink)?;
                }
                passed_on(&mut out, 1, sink)
            }
            State::Ended => Ok(()),
        }
    }
}

/// One call of the library, whose output goes behind `out`; answers what is left to flush.
fn step(
    context: &mut CCtx<'static>,
    out: &mut Vec<u8>,
    input: &mut InBuffer<'_>,
    end: ZSTD_EndDirective,
) -> io::Result<usize> {
    out.reserve(STEP_NBYTES);
    let filled = out.len();
    let mut output = OutBuffer::around_pos(out, filled);
    context
        .compress_stream2(&mut output, input, end)
        .map_err(|code| io::Error::other(zstd_safe::get_error_name(code)))
}

fn passed_on(out: &mut Vec<u8>, least: usize, sink: &mut dyn Sink) -> io::Result<()> {
    if out.len() >= least {
        sink.write(out)?;
        out.clear();
    }
    Ok(())
}

/// A sink whose bytes are packed on their way to another. The file ends with [`Packer::finish`].
pub struct Packing<'a> {
    /// The state.
    pub packer: &'a mut Packer,
    /// Where packed bytes go.
    pub sink: &'a mut dyn Sink,
}

impl std::fmt::Debug for Packing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Packing")
    }
}

impl Sink for Packing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.packer.write(bytes, self.sink)
    }
}
