//! Reads the footer of a file, and compares it with the messages that it refers to.

use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::memory::Remote;
use crate::progress::NoProgress;

use crate::arrow::ipc::catalog::Catalog;
use crate::arrow::ipc::encapsulated_message::EncapsulatedMessage;
use crate::arrow::ipc::message::{MessageKind, Prefix, first_line, prefix, verifier, with_aligned_copy};
use crate::arrow::ipc::scan::{MAGIC, StreamItem, check_columns, message_at};
use crate::arrow::ipc::shape::BatchLayout;

/// Bytes that contain the footer of most files, or the schema at their start.
const ENDS_NBYTES: usize = 64 << 10;

/// Scans a file by its footer.
///
/// # Errors
/// Malformed or truncated footers; blocks that do not match their messages.
pub(crate) fn file(bytes: &[u8], limits: &Limits) -> Result<Catalog> {
    let (start, end) = footer_range(bytes)?;
    let foot = bytes.get(start..end).unwrap_or(&[]);
    with_aligned_copy(foot, |foot| {
        let damaged =
            |message: String| Error::malformed("arrow", message).in_member("footer").at(start as u64);
        let footer = arrow_ipc::root_as_footer_with_opts(&verifier(foot.len()), foot).map_err(|e| {
            damaged(format!("expected a flatbuffer, found bytes that are none ({}).", first_line(&e)))
        })?;
        let declared = footer_version(bytes.get(..start).unwrap_or(&[]), footer.version())?;
        if let Some(at) = shared(&footer) {
            return Err(damaged(format!("two blocks point at the bytes from {at} on.")));
        }
        let first = footer.recordBatches().and_then(|blocks| blocks.iter().next().copied());
        // pyarrow's footers declare V5 even if the messages are written as V4. The version of the messages determines their
        // layout.
        let version = match first {
            Some(block) => pointed_at(bytes, block, start)?.header.version,
            None => declared,
        };
        let schema = footer.schema().ok_or_else(|| damaged("expected a schema, found none.".into()))?;
        agree(bytes.get(..start).unwrap_or(&[]), schema, start)?;
        let shape = BatchLayout::of_schema(foot, schema, version).map_err(|e| e.in_member("footer"))?;
        check_columns(&shape, limits)?;
        let mut catalog = Catalog::new(Arc::new(shape));
        let blocks = |list: Option<flatbuffers::Vector<'_, arrow_ipc::Block>>| -> Vec<arrow_ipc::Block> {
            list.map_or_else(Vec::new, |list| list.iter().copied().collect())
        };
        let mut dictionaries = Vec::new();
        for block in blocks(footer.dictionaries()) {
            let found = pointed_at(bytes, block, start)?;
            let MessageKind::Dictionary { id, delta, batch } = found.header.kind else {
                return Err(damaged(format!(
                    "expected a dictionary at byte {}, found another message.",
                    block.offset()
                )));
            };
            dictionaries.push((id, delta, found.batch(batch)));
        }
        // A delta follows the dictionary that it extends, wherever the footer lists it.
        dictionaries.sort_by_key(|(_, delta, batch)| (*delta, batch.header_at));
        for (id, delta, batch) in dictionaries {
            if !delta && catalog.dictionary_ids.contains(&id) {
                return Err(damaged(format!("dictionary {id} occurs twice: a file cannot replace one.")));
            }
            catalog.dictionary(id, delta, batch)?;
        }
        for block in blocks(footer.recordBatches()) {
            let found = pointed_at(bytes, block, start)?;
            let MessageKind::Batch(header) = found.header.kind else {
                return Err(damaged(format!(
                    "expected a record batch at byte {}, found another message.",
                    block.offset()
                )));
            };
            catalog.batch(bytes, found.batch(header), limits)?;
        }
        catalog.end = bytes.len();
        Ok(catalog)
    })
}

/// Returns the version of the messages. Footers of Arrow 0.14 declare V1 although their messages are V4; then the first
/// message determines it.
fn footer_version(messages: &[u8], declared: arrow_ipc::MetadataVersion) -> Result<i16> {
    let error = match crate::arrow::ipc::message::check_version(declared) {
        Ok(version) => return Ok(version),
        Err(error) => error.in_member("footer"),
    };
    match message_at(messages, 8) {
        Ok(StreamItem::Message(found))
            if declared.0 < found.header.version
                && found.header.version == arrow_ipc::MetadataVersion::V4.0 =>
        {
            Ok(found.header.version)
        }
        _ => Err(error),
    }
}

/// Checks that the schema at the start of the file equals that of the footer. polars writes a schema without a prefix
/// there, which is not a message and is not compared.
fn agree(messages: &[u8], footer: arrow_ipc::Schema<'_>, footer_at: usize) -> Result<()> {
    let found = match message_at(messages, 8) {
        Ok(StreamItem::Message(found)) if matches!(found.header.kind, MessageKind::Schema) => found,
        _ => return Ok(()),
    };
    let head = messages.get(found.header_at..found.body_at).unwrap_or(&[]);
    let same = with_aligned_copy(head, |head| {
        // `message_at` has verified it.
        let message = arrow_ipc::root_as_message_with_opts(&verifier(head.len()), head).ok()?;
        Some(crate::arrow::ipc::shape::same_schema(message.header_as_schema()?, footer))
    });
    if same == Some(true) {
        return Ok(());
    }
    let message = "the footer's schema is not that of the first message. The file is damaged.";
    Err(Error::malformed("arrow", message).in_member("footer").at(footer_at as u64))
}

/// Finds two blocks that overlap. Without this check a few bytes of footer each could have a large message parsed again and
/// again.
fn shared(footer: &arrow_ipc::Footer<'_>) -> Option<i64> {
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
    let end = |b: &arrow_ipc::Block| {
        i128::from(b.offset()) + i128::from(b.metaDataLength().max(1)) + i128::from(b.bodyLength().max(0))
    };
    let mut ranges: Vec<(i64, i128)> = blocks.map(|b| (b.offset(), end(b))).collect();
    ranges.sort_unstable();
    ranges.windows(2).find_map(|pair| match pair {
        [(_, end), (next, _)] if *end > i128::from(*next) => Some(*next),
        _ => None,
    })
}

/// Returns the range of the footer.
fn footer_range(bytes: &[u8]) -> Result<(usize, usize)> {
    let total = bytes.len();
    let cut = |needed: usize| {
        let message = format!(
            "the file ends without its footer ({total} bytes are there): it was cut short. Its batches may still be there: pass \
             allow_truncated=True to have them."
        );
        Error::new(ErrorKind::Truncated { needed: needed as u64, had: total as u64 }, "arrow", message)
    };
    if !bytes.starts_with(MAGIC) {
        return Err(Error::malformed("arrow", "expected the first bytes \"ARROW1\", found others.").at(0));
    }
    if total < 8 + 10 || !bytes.ends_with(MAGIC) {
        return Err(cut(total + 1));
    }
    let end = total - 10;
    let length = bytes.get(end..end + 4).and_then(|b| b.try_into().ok()).map_or(-1, i32::from_le_bytes);
    let start = usize::try_from(length)
        .ok()
        .and_then(|n| end.checked_sub(n))
        .filter(|&start| start >= 8 && start < end);
    start.map(|start| (start, end)).ok_or_else(|| {
        Error::malformed(
            "arrow",
            format!("expected the length of the footer, 1 to {}, found {length}.", end.saturating_sub(8)),
        )
        .in_member("footer")
        .at(end as u64)
    })
}

/// Returns the ranges of the message headers that the footer refers to; none if it is not a footer.
fn header_ranges(foot: &[u8], footer_at: usize) -> Vec<(usize, usize)> {
    let end = |block: &arrow_ipc::Block| {
        let start = usize::try_from(block.offset()).ok()?;
        let nbytes = usize::try_from(block.metaDataLength()).ok()?;
        Some((start, start.checked_add(nbytes).filter(|&end| end <= footer_at)?))
    };
    with_aligned_copy(foot, |foot| {
        let Ok(footer) = arrow_ipc::root_as_footer_with_opts(&verifier(foot.len()), foot) else {
            return Vec::new();
        };
        let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
        blocks.filter_map(end).collect()
    })
}

/// Returns the message that a block of the footer refers to.
fn pointed_at(bytes: &[u8], block: arrow_ipc::Block, footer_at: usize) -> Result<EncapsulatedMessage> {
    let (offset, header_nbytes, body_nbytes) = (block.offset(), block.metaDataLength(), block.bodyLength());
    let wrong = |what: &str| {
        let message = format!(
            "the footer points at a message at byte {offset} with a header of {header_nbytes} and a body of {body_nbytes} bytes: {what}. \
             The file is damaged."
        );
        Error::malformed("arrow", message).in_member("footer")
    };
    let at = usize::try_from(offset)
        .ok()
        .filter(|&at| at >= 8 && at < footer_at)
        .ok_or_else(|| wrong("there is none"))?;
    let inside = bytes.get(..footer_at).unwrap_or(&[]);
    let StreamItem::Message(found) = message_at(inside, at)? else { return Err(wrong("it passes the end")) };
    let agrees = i64::from(header_nbytes) == i64::try_from(found.body_at - at).unwrap_or(-1)
        && body_nbytes == i64::try_from(found.body_nbytes).unwrap_or(-1);
    if agrees { Ok(found) } else { Err(wrong("the message says otherwise")) }
}

/// Fetches the footer, the schema at the start of the file and all message headers.
pub(super) fn need_headers(remote: &Remote) -> Result<()> {
    let bytes = remote.bytes();
    let total = bytes.nbytes();
    let need = |ranges: &[(usize, usize)]| remote.need(ranges, &NoProgress);
    need(&[(0, ENDS_NBYTES), (total.saturating_sub(ENDS_NBYTES), total)])?;
    // The scan reads the same bytes and reports the error.
    let Ok((start, end)) = footer_range(bytes.as_slice()) else { return Ok(()) };
    need(&[(start, end)])?;
    if let Some(Ok(Prefix::Message { skip, nbytes })) = bytes.as_slice().get(8..start).map(prefix) {
        need(&[(8, (8 + skip).saturating_add(nbytes).min(start))])?;
    }
    need(&header_ranges(bytes.as_slice().get(start..end).unwrap_or(&[]), start))
}
