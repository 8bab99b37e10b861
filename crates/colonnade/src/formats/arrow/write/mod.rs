//! Writes frames as messages.
//!
//! A chunk's columns become arrays ([`crate::arrow::export`]). Dictionaries are extracted, which leaves codes
//! ([`dictionaries`]). Small chunks are joined ([`pending`]), large ones are split into batches. Each array becomes the
//! buffers of its rows ([`flatten`]), which the sink takes without a copy, or which all cores compress ([`body`]).
//!
//! ```text
//! FF FF FF FF | length (4) | flatbuffer, padded | body: buffers, each at a multiple of 64
//! ```
//!
//! Every body begins at a multiple of 64 bytes of the file, so that columns of a mapped file are aligned.

mod batching;
mod body;
mod dictionaries;
mod encoder;
mod flatten;
mod output;
mod pending;
mod slice;
mod writer;

#[cfg(test)]
mod tests;

pub use encoder::{Encoder, encode};
pub use writer::Writer;

use crate::codec::{lz4, zstd};
use crate::error::{Error, Result};

use crate::arrow::ipc::BodyCodec;

/// Options for writing, validated by [`WriteOptions::new`].
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    codec: Option<BodyCodec>,
    level: Option<i32>,
    batch_nbytes: Option<usize>,
    nrows: Option<usize>,
    threads: usize,
}

impl WriteOptions {
    /// Validates options. `batch_nbytes`: bytes of a record batch before compression; `None` is the form's default. `nrows`:
    /// rows of all chunks, if that is known.
    ///
    /// # Errors
    /// `InvalidOption`: a level outside the codec's range, or `batch_nbytes` of 0.
    pub fn new(
        codec: Option<BodyCodec>,
        level: Option<i32>,
        batch_nbytes: Option<usize>,
        nrows: Option<usize>,
        threads: usize,
    ) -> Result<Self> {
        let range = match codec {
            Some(BodyCodec::Lz4) => lz4::LEVELS,
            Some(BodyCodec::Zstd) => zstd::LEVELS,
            None => i32::MIN..=i32::MAX,
        };
        if let Some(level) = level.filter(|l| !range.contains(l)) {
            let name = codec.map_or("none", BodyCodec::name);
            let message = format!(
                "compression_level: expected {} to {} for {name}, found {level}.",
                range.start(),
                range.end()
            );
            return Err(Error::invalid_option("arrow", message));
        }
        if batch_nbytes == Some(0) {
            return Err(Error::invalid_option("arrow", "batch_nbytes: expected 1 at least, found 0."));
        }
        Ok(Self { codec, level, batch_nbytes, nrows, threads })
    }

    /// The codec named `lz4`, `zstd` or `none`.
    ///
    /// # Errors
    /// `InvalidOption` with the known names.
    pub fn codec_of(name: Option<&str>) -> Result<Option<BodyCodec>> {
        match name {
            None | Some("none") => Ok(None),
            Some("lz4") => Ok(Some(BodyCodec::Lz4)),
            Some("zstd") => Ok(Some(BodyCodec::Zstd)),
            Some(other) => {
                let message = format!("compression: expected None, \"lz4\" or \"zstd\", found {other:?}.");
                Err(Error::invalid_option("arrow", message))
            }
        }
    }
}
