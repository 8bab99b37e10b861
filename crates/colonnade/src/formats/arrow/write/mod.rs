//! From frames to messages.
//!
//! A chunk's columns become arrays ([`crate::arrow::export`]), dictionaries leave them as codes ([`dictionaries`]), small
//! chunks wait to be joined ([`pending`]), large ones are cut to batches; what is left of each array are the buffers of its
//! rows ([`flatten`]), which go to the sink from where they lie, or compressed on all cores ([`body`]).
//!
//! ```text
//! FF FF FF FF | length (4) | flatbuffer, padded | body: buffers, each at a multiple of 64
//! ```
//!
//! Every body begins at a multiple of 64 bytes of the whole, so that a map of a file has aligned columns.

mod batching;
mod body;
mod cut;
mod dictionaries;
mod encoder;
mod flatten;

mod output;
mod pending;
mod writer;

#[cfg(test)]
mod encoder_tests;
#[cfg(test)]
mod tests;

pub use encoder::{Encoder, encode};
pub use writer::Writer;

use crate::codec::{lz4, zstd};
use crate::error::{Error, Result};

use crate::arrow::ipc::BodyCodec;

/// Options for writing, validated when they are made.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    codec: Option<BodyCodec>,
    level: Option<i32>,
    batch_nbytes: Option<usize>,
    nrows: Option<usize>,
    threads: usize,
}

impl WriteOptions {
    /// Options. `batch_nbytes`: bytes of a record batch, before compression; the form's default where `None`. `nrows`: rows
    /// of all chunks together, where that is known.
    ///
    /// # Errors
    /// `InvalidOption`: a level outside the codec's range, batches of no bytes.
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
            let message =
                format!("level: expected {} to {} for {name}, found {level}.", range.start(), range.end());
            return Err(Error::invalid_option("arrow", message));
        }
        if batch_nbytes == Some(0) {
            return Err(Error::invalid_option("arrow", "batch_nbytes: expected 1 at least, found 0."));
        }
        Ok(Self { codec, level, batch_nbytes, nrows, threads })
    }

    /// The codec of a name: `lz4`, `zstd`, `none`.
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
