//! Finds the messages of a stream without reading a body.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

use super::catalog::Catalog;
use super::encapsulated_message::EncapsulatedMessage;
use super::message::{CONTINUATION, MessageKind, Prefix, check_continuation, header, prefix};
use super::shape::BatchLayout;
use super::template::HeaderTemplate;

/// The first and last bytes of a file.
pub const MAGIC: &[u8; 6] = b"ARROW1";

/// The item at an offset of a stream.
pub(crate) enum StreamItem {
    Message(EncapsulatedMessage),
    End(usize),
    /// The bytes from the start that are needed, more than there are.
    Needs(u64),
}

/// Reads the header of the message at `at`.
///
/// # Errors
/// Malformed headers.
pub(crate) fn message_at(bytes: &[u8], at: usize) -> Result<StreamItem> {
    let rest = bytes.get(at..).unwrap_or(&[]);
    let (skip, nbytes) = match prefix(rest).map_err(|e| e.at(at as u64))? {
        Prefix::Short => return Ok(StreamItem::Needs(at as u64 + 8)),
        Prefix::End(skip) => return Ok(StreamItem::End(at + skip)),
        Prefix::Message { skip, nbytes } => (skip, nbytes),
    };
    let header_at = at + skip;
    let Some(head) = rest.get(skip..skip + nbytes) else {
        return Ok(StreamItem::Needs((header_at + nbytes) as u64));
    };
    let header = header(head).map_err(|e| e.at(header_at as u64))?;
    let body_at = header_at + nbytes;
    let end = (body_at as u64).saturating_add(header.body_nbytes);
    let body_nbytes = usize::try_from(header.body_nbytes).ok();
    match body_nbytes.filter(|_| end <= bytes.len() as u64) {
        Some(body_nbytes) => Ok(StreamItem::Message(EncapsulatedMessage {
            header,
            header_at,
            header_nbytes: nbytes,
            body_at,
            body_nbytes,
        })),
        None => Ok(StreamItem::Needs(end)),
    }
}

/// The error of a stream without an end mark.
pub(crate) fn cut_short(batches: usize, nrows: usize, needed: u64, had: u64) -> Error {
    Error::new(
        ErrorKind::Truncated { needed, had },
        "arrow",
        format!(
            "the stream ends without its end mark: {had} bytes are there, {needed} at least are needed. {batches} batches with {nrows} rows were received: \
             pass allow_truncated=True to have them."
        ),
    )
}

/// Scans a stream.
///
/// # Errors
/// Malformed messages. Truncated: the end mark is missing, unless `allow_truncated`.
pub(crate) fn stream(bytes: &[u8], limits: &Limits, allow_truncated: bool) -> Result<Catalog> {
    stream_from(bytes, 0, limits, allow_truncated)
}

/// Bytes of a file before its messages.
pub(crate) const FILE_HEAD_NBYTES: usize = 8;

/// Scans the stream that begins at `at`.
///
/// # Errors
/// As [`stream`].
pub(crate) fn stream_from(
    bytes: &[u8],
    mut at: usize,
    limits: &Limits,
    allow_truncated: bool,
) -> Result<Catalog> {
    let mut catalog: Option<Catalog> = None;
    let mut template = HeaderTemplate::default();
    let is_modern = bytes.get(at..).is_some_and(|rest| rest.starts_with(&CONTINUATION.to_le_bytes()));
    loop {
        if let (Some(found), Some(catalog)) = (template.message_at(bytes, at), catalog.as_mut())
            && let MessageKind::Batch(header) = found.header.kind
        {
            catalog.batch(bytes, found.batch(header), limits)?;
            at = found.next_at();
            prefetch(bytes, at, found.next_at() - found.header_at, found.header_nbytes);
            continue;
        }
        if is_modern {
            check_continuation(bytes.get(at..).unwrap_or(&[])).map_err(|e| e.at(at as u64))?;
        }
        let found = match message_at(bytes, at)? {
            StreamItem::Message(found) => found,
            StreamItem::End(end) => {
                let mut catalog = catalog
                    .ok_or_else(|| Error::malformed("arrow", "expected a schema, found the end mark."))?;
                catalog.check_announced().map_err(|e| e.at(at as u64))?;
                catalog.end = end;
                return Ok(catalog);
            }
            StreamItem::Needs(needed) => {
                let had = bytes.len() as u64;
                return match catalog {
                    Some(mut catalog) if allow_truncated => {
                        catalog.truncated = true;
                        catalog.end = at;
                        Ok(catalog)
                    }
                    Some(catalog) => {
                        Err(cut_short(catalog.batches.len(), catalog.nrows, needed, had).at(at as u64))
                    }
                    None => Err(cut_short(0, 0, needed, had).at(at as u64)),
                };
            }
        };
        add_message(bytes, &found, &mut catalog, limits)?;
        at = found.next_at();
        let head = bytes.get(found.header_at..found.body_at).unwrap_or(&[]);
        template = HeaderTemplate::of(head, &found.header);
    }
}

/// Adds a message to the catalog. The schema message creates it.
///
/// # Errors
/// Malformed: a message before the schema, or a second schema.
pub(crate) fn add_message(
    bytes: &[u8],
    found: &EncapsulatedMessage,
    catalog: &mut Option<Catalog>,
    limits: &Limits,
) -> Result<()> {
    let malformed = |message: &str| Error::malformed("arrow", message.to_owned()).at(found.header_at as u64);
    match (&found.header.kind, catalog.as_mut()) {
        (MessageKind::Schema, None) => {
            let head = bytes.get(found.header_at..found.header_at + found.header_nbytes).unwrap_or(&[]);
            let shape = BatchLayout::of_message(head).map_err(|e| e.at(found.header_at as u64))?;
            check_columns(&shape, limits)?;
            *catalog = Some(Catalog::new(Arc::new(shape)));
            Ok(())
        }
        (MessageKind::Schema, Some(_)) => Err(malformed("expected one schema, found a second one.")),
        (_, None) => Err(malformed("expected a schema as the first message, found another.")),
        (MessageKind::Batch(header), Some(catalog)) => catalog.batch(bytes, found.batch(*header), limits),
        (MessageKind::Dictionary { id, delta, batch }, Some(catalog)) => {
            catalog.dictionary(*id, *delta, found.batch(*batch))
        }
    }
}

pub(crate) fn check_columns(shape: &BatchLayout, limits: &Limits) -> Result<()> {
    let ncols = shape.places.len() as u64;
    if ncols <= limits.max_columns {
        return Ok(());
    }
    Err(Error::limit(
        "arrow",
        format!("{ncols} columns, over the limit of {}. Raise max_columns to read them.", limits.max_columns),
    ))
}

#[cfg(target_arch = "x86_64")]
fn prefetch(bytes: &[u8], at: usize, distance: usize, nbytes: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // Headers are a body apart, so each read would miss the cache. The next distances are most likely equal to this one.
    const AHEAD: usize = 4;
    let at = at.saturating_add(distance.saturating_mul(AHEAD));
    let Some(next) = bytes.get(at..at.saturating_add(nbytes.min(2048))) else { return };
    for line in next.chunks(64) {
        // SAFETY: `line` is a part of `bytes`, and a prefetch changes nothing.
        unsafe { _mm_prefetch(line.as_ptr().cast::<i8>(), _MM_HINT_T0) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn prefetch(_bytes: &[u8], _at: usize, _distance: usize, _nbytes: usize) {}
