//! The prefix of a message and its header (a flatbuffer), which is verified before any field of it is used.

use arrow_ipc::{CompressionType, MessageHeader, MetadataVersion};
use flatbuffers::VerifierOptions;

use crate::error::{Error, Result};
use crate::limits::Limits;

/// The first word of every message since Arrow 0.15. Before, a message began with its length.
pub(crate) const CONTINUATION: u32 = 0xFFFF_FFFF;

/// The decoded prefix of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// A header of `nbytes` begins `skip` bytes further.
    Message {
        /// Bytes of the prefix itself.
        skip: usize,
        /// Bytes of the header.
        nbytes: usize,
    },
    /// The end mark, with its length in bytes.
    End(usize),
    /// The prefix is incomplete.
    Short,
}

/// Reads the prefix at the front of `bytes`.
///
/// # Errors
/// Malformed: a negative length.
pub(crate) fn prefix(bytes: &[u8]) -> Result<Prefix> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let Some(first) = word(0) else { return Ok(Prefix::Short) };
    let (skip, length) = if first == CONTINUATION {
        match word(4) {
            Some(length) => (8, length),
            None => return Ok(Prefix::Short),
        }
    } else {
        (4, first)
    };
    if length == 0 {
        return Ok(Prefix::End(skip));
    }
    match i32::try_from(length) {
        Ok(_) => Ok(Prefix::Message { skip, nbytes: length as usize }),
        Err(_) => Err(Error::malformed(
            "arrow",
            format!(
                "expected the length of a message, found 0x{length:08x}. The bytes are no Arrow stream, or damaged."
            ),
        )),
    }
}

/// Checks that a stream whose messages begin with the continuation mark goes on with it. Without this check, zeros behind the
/// data of a damaged file would be the end mark of streams before Arrow 0.15, and batches would be missing without an error.
///
/// # Errors
/// Malformed: other bytes.
pub(crate) fn check_continuation(bytes: &[u8]) -> Result<()> {
    let mark = CONTINUATION.to_le_bytes();
    let start = bytes.get(..8).unwrap_or(bytes);
    if start.get(..4).is_none_or(|found| found == mark) {
        return Ok(());
    }
    let message = format!("expected a message of an Arrow stream, found the bytes {start:02x?}.");
    Err(Error::malformed("arrow", message))
}

/// Refuses a header over the limit before its bytes are read.
///
/// # Errors
/// `LimitExceeded`.
pub(crate) fn check_header_nbytes(nbytes: usize, limits: &Limits) -> Result<()> {
    if nbytes as u64 <= limits.max_meta_nbytes {
        return Ok(());
    }
    let message = format!(
        "the header of a message has {nbytes} bytes, over the limit of {}. Raise max_meta_nbytes to read it.",
        limits.max_meta_nbytes
    );
    Err(Error::limit("arrow", message))
}

/// A vector of structs inside a header: the offset of the first, from the header's start, and their count.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HeaderVector {
    pub(crate) at: usize,
    pub(crate) count: usize,
}

/// How the buffers of a body are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyCodec {
    /// LZ4 frames.
    Lz4,
    /// Zstandard frames.
    Zstd,
}

impl BodyCodec {
    /// `lz4`, `zstd`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

/// The header of a record batch, or of a dictionary's values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchHeader {
    pub(crate) nrows: usize,
    pub(crate) nodes: HeaderVector,
    pub(crate) buffers: HeaderVector,
    pub(crate) variadic: HeaderVector,
    pub(crate) codec: Option<BodyCodec>,
    /// Offsets of the row count and of the body's length. `None`: the flatbuffer omits one of them.
    pub(crate) count_offsets: Option<(usize, usize)>,
}

/// The type of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MessageKind {
    Schema,
    Dictionary { id: i64, delta: bool, batch: BatchHeader },
    Batch(BatchHeader),
}

/// A verified header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VerifiedHeader {
    pub(crate) version: i16,
    pub(crate) kind: MessageKind,
    pub(crate) body_nbytes: u64,
}

/// How deep tables of a header may nest: two for each level of a type.
const MAX_DEPTH: usize = 128;

pub(crate) fn verifier(nbytes: usize) -> VerifierOptions {
    // A table takes at least four bytes, which bounds their number. The default limit would forbid 300,000 columns.
    // The verifier visits shared data once for each table that refers to it. Real headers share some, but never gigabytes.
    let max_apparent_size = nbytes.saturating_mul(32).max(1 << 20);
    VerifierOptions {
        max_tables: nbytes / 4 + 1,
        max_depth: MAX_DEPTH,
        max_apparent_size,
        ..VerifierOptions::default()
    }
}

/// Runs `work` on a copy of a header. The copy is aligned, as flatbuffers require, and cannot change between verification
/// and use. (Another process may write to a mapped file, another thread to an array.)
pub(crate) fn with_aligned_copy<T>(bytes: &[u8], work: impl FnOnce(&[u8]) -> T) -> T {
    // Arrow's buffers are 64-byte aligned.
    work(arrow_buffer::Buffer::from_slice_ref(bytes).as_slice())
}

fn damaged(what: &str) -> Error {
    Error::malformed("arrow", format!("{what} The header of the message is damaged."))
}

/// The codec of messages of Arrow 0.17, which declared compression only in the message's metadata.
fn legacy_codec(message: arrow_ipc::Message<'_>) -> Result<Option<BodyCodec>> {
    if message.version() != MetadataVersion::V4 {
        return Ok(None);
    }
    let Some(metadata) = message.custom_metadata() else { return Ok(None) };
    let name = metadata
        .iter()
        .find(|pair| pair.key() == Some("ARROW:experimental_compression"))
        .and_then(|pair| pair.value());
    match name.map(str::to_ascii_lowercase).as_deref() {
        None => Ok(None),
        Some("lz4" | "lz4_frame") => Ok(Some(BodyCodec::Lz4)),
        Some("zstd") => Ok(Some(BodyCodec::Zstd)),
        Some(other) => Err(Error::unsupported(
            "arrow",
            format!("expected buffers compressed with lz4 or zstd, found {other:?}."),
        )),
    }
}

/// Verifies and parses a header.
///
/// # Errors
/// Malformed flatbuffers; `Unsupported` metadata versions, kinds of messages and codecs, by name.
pub(crate) fn header(bytes: &[u8]) -> Result<VerifiedHeader> {
    with_aligned_copy(bytes, |bytes| {
        let message = arrow_ipc::root_as_message_with_opts(&verifier(bytes.len()), bytes).map_err(|e| {
            damaged(&format!("expected a flatbuffer, found other bytes ({}).", first_line(&e)))
        })?;
        let version = check_version(message.version())?;
        let body_nbytes = u64::try_from(message.bodyLength())
            .map_err(|_| damaged(&format!("the body's length is {}.", message.bodyLength())))?;
        let missing = || damaged("expected the header that the message's type declares, found none.");
        let kind = match message.header_type() {
            MessageHeader::Schema => MessageKind::Schema,
            MessageHeader::RecordBatch => MessageKind::Batch(batch(
                bytes,
                message,
                message.header_as_record_batch().ok_or_else(missing)?,
            )?),
            MessageHeader::DictionaryBatch => {
                let dictionary = message.header_as_dictionary_batch().ok_or_else(missing)?;
                let batch = batch(bytes, message, dictionary.data().ok_or_else(missing)?)?;
                MessageKind::Dictionary { id: dictionary.id(), delta: dictionary.isDelta(), batch }
            }
            other => {
                let name = other.variant_name().unwrap_or("unknown");
                return Err(Error::unsupported(
                    "arrow",
                    format!(
                        "expected a schema, a dictionary or a record batch, found a message of kind {name} ({}).",
                        other.0
                    ),
                ));
            }
        };
        Ok(VerifiedHeader { version, kind, body_nbytes })
    })
}

/// The first line of a verifier's error; the rest is a trace.
pub(crate) fn first_line(error: &impl std::fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or("").trim_end_matches('.').to_owned()
}

pub(crate) fn check_version(version: MetadataVersion) -> Result<i16> {
    match version {
        MetadataVersion::V4 | MetadataVersion::V5 => Ok(version.0),
        other => Err(Error::unsupported(
            "arrow",
            format!(
                "expected metadata version V4 or V5, found V{}. Write the data again with a current library.",
                i32::from(other.0) + 1
            ),
        )),
    }
}

/// Offsets of a batch's row count and of its message's body length.
fn count_offsets(
    message: arrow_ipc::Message<'_>,
    batch: arrow_ipc::RecordBatch<'_>,
) -> Option<(usize, usize)> {
    let at = |table: &flatbuffers::Table<'_>, field| match table.vtable().get(field) {
        0 => None,
        offset => Some(table.loc() + usize::from(offset)),
    };
    let nrows = at(&batch._tab, arrow_ipc::RecordBatch::VT_LENGTH)?;
    Some((nrows, at(&message._tab, arrow_ipc::Message::VT_BODYLENGTH)?))
}

fn batch(
    bytes: &[u8],
    message: arrow_ipc::Message<'_>,
    batch: arrow_ipc::RecordBatch<'_>,
) -> Result<BatchHeader> {
    let base = bytes.as_ptr().addr();
    let span = |vector: &[u8], item: usize| HeaderVector {
        at: vector.as_ptr().addr() - base,
        count: vector.len() / item,
    };
    let nrows = usize::try_from(batch.length())
        .map_err(|_| damaged(&format!("expected a number of rows, found {}.", batch.length())))?;
    let codec = match batch.compression() {
        None => legacy_codec(message)?,
        Some(body) if body.method() != arrow_ipc::BodyCompressionMethod::BUFFER => {
            let message = format!(
                "expected buffers compressed one by one (method 0), found method {}.",
                body.method().0
            );
            return Err(Error::unsupported("arrow", message));
        }
        Some(body) => Some(match body.codec() {
            CompressionType::LZ4_FRAME => BodyCodec::Lz4,
            CompressionType::ZSTD => BodyCodec::Zstd,
            other => {
                return Err(Error::unsupported(
                    "arrow",
                    format!(
                        "expected buffers compressed as LZ4 frames or with ZSTD, found codec {}.",
                        other.0
                    ),
                ));
            }
        }),
    };
    Ok(BatchHeader {
        nrows,
        nodes: batch.nodes().map_or(HeaderVector::default(), |v| span(v.bytes(), 16)),
        buffers: batch.buffers().map_or(HeaderVector::default(), |v| span(v.bytes(), 16)),
        variadic: batch.variadicBufferCounts().map_or(HeaderVector::default(), |v| span(v.bytes(), 8)),
        codec,
        count_offsets: count_offsets(message, batch),
    })
}
