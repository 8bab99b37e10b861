//! Compresses a whole file while it is written.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zstd_safe::{CCtx, CParameter, InBuffer, OutBuffer, zstd_sys::ZSTD_EndDirective};

use crate::codec::file::FileCodec;
use crate::codec::{deflate, zstd};
use crate::error::{Error, Result};
use crate::sink::Sink;

/// Compressed bytes are passed to the sink in steps of about this size.
const STEP_NBYTES: usize = 128 << 10;

/// Compresses one file. Equal bytes, codec and level give equal files, since the gzip header has no time.
pub struct FileCompressor(CompressorState);

enum CompressorState {
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Zstd(Box<CCtx<'static>>, Vec<u8>),
    Ended,
}

impl std::fmt::Debug for FileCompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FileCompressor")
    }
}

impl FileCompressor {
    /// Starts a file.
    ///
    /// # Errors
    /// `InvalidOption`: the level is outside the codec's range.
    pub fn new(codec: FileCodec, level: Option<i32>) -> Result<Self> {
        let (levels, default) = match codec {
            FileCodec::Gzip => (1..=9, deflate::DEFAULT_LEVEL),
            FileCodec::Zstd => (1..=22, zstd::DEFAULT_LEVEL),
        };
        let level = level.unwrap_or(default);
        if !levels.contains(&level) {
            let message = format!(
                "compression_level: expected {} to {} for {}, found {level}.",
                levels.start(),
                levels.end(),
                codec.name()
            );
            return Err(Error::invalid_option(codec.name(), message));
        }
        Ok(Self(match codec {
            FileCodec::Gzip => {
                let level = Compression::new(level.unsigned_abs());
                CompressorState::Gzip(Box::new(GzEncoder::new(Vec::new(), level)))
            }
            FileCodec::Zstd => {
                let mut context = CCtx::create();
                for parameter in [CParameter::CompressionLevel(level), CParameter::ChecksumFlag(true)] {
                    context.set_parameter(parameter).map_err(|code| {
                        Error::malformed("zstd", zstd_safe::get_error_name(code).to_owned())
                    })?;
                }
                CompressorState::Zstd(Box::new(context), Vec::with_capacity(2 * STEP_NBYTES))
            }
        }))
    }

    /// Compresses `bytes`, and passes finished output to `sink`.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn write(&mut self, bytes: &[u8], sink: &mut dyn Sink) -> io::Result<()> {
        match &mut self.0 {
            CompressorState::Gzip(encoder) => {
                encoder.write_all(bytes)?;
                drain(encoder.get_mut(), STEP_NBYTES, sink)
            }
            CompressorState::Zstd(context, out) => {
                let mut input = InBuffer::around(bytes);
                while input.pos() < bytes.len() {
                    compress_step(context, out, &mut input, ZSTD_EndDirective::ZSTD_e_continue)?;
                    drain(out, STEP_NBYTES, sink)?;
                }
                Ok(())
            }
            CompressorState::Ended => Err(io::Error::other("the compressed file has ended")),
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// Errors of the sink.
    pub fn finish(&mut self, sink: &mut dyn Sink) -> io::Result<()> {
        match std::mem::replace(&mut self.0, CompressorState::Ended) {
            CompressorState::Gzip(encoder) => drain(&mut encoder.finish()?, 1, sink),
            CompressorState::Zstd(mut context, mut out) => {
                while compress_step(
                    &mut context,
                    &mut out,
                    &mut InBuffer::around(&[]),
                    ZSTD_EndDirective::ZSTD_e_end,
                )? > 0
                {
                    drain(&mut out, 1, sink)?;
                }
                drain(&mut out, 1, sink)
            }
            CompressorState::Ended => Ok(()),
        }
    }
}

/// Calls the library once, appends its output to `out`, and returns the number of bytes left to flush.
fn compress_step(
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

fn drain(out: &mut Vec<u8>, least: usize, sink: &mut dyn Sink) -> io::Result<()> {
    if out.len() >= least {
        sink.write(out)?;
        out.clear();
    }
    Ok(())
}

/// A sink that compresses its bytes and passes them to another sink. The file ends with [`FileCompressor::finish`].
pub struct CompressedSink<'a> {
    /// The compressor.
    pub compressor: &'a mut FileCompressor,
    /// The sink for compressed bytes.
    pub sink: &'a mut dyn Sink,
}

impl std::fmt::Debug for CompressedSink<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CompressedSink")
    }
}

impl Sink for CompressedSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.compressor.write(bytes, self.sink)
    }
}

#[cfg(test)]
mod tests;
