//! Headers like the one before.

use super::encapsulated_message::EncapsulatedMessage;
use super::message::{BatchHeader, Header, Kind, Prefix, prefix};

/// A header like the one before it: all bytes equal but for the numbers of its batch. Such a header need not be proven
/// again, which is what a stream of small batches spends its time on.
#[derive(Default)]
pub(crate) struct Template {
    header: Vec<u8>,
    kind: Option<BatchHeader>,
    /// Offsets of the row count and of the body's length; then ranges that may differ, in order.
    nrows_at: usize,
    body_at: usize,
    same: Vec<(usize, usize)>,
}

impl Template {
    pub(crate) fn of(head: &[u8], header: &Header) -> Self {
        let Kind::Batch(batch) = header.kind else { return Self::default() };
        let Some((nrows_at, body_at)) = batch.numbers_at else { return Self::default() };
        let mut differ = vec![
            (nrows_at, nrows_at + 8),
            (body_at, body_at + 8),
            (batch.nodes.at, batch.nodes.at + batch.nodes.count * 16),
            (batch.buffers.at, batch.buffers.at + batch.buffers.count * 16),
        ];
        differ.sort_unstable();
        let mut same = Vec::new();
        let mut from = 0;
        for (start, end) in differ {
            same.push((from, start));
            from = end;
        }
        same.push((from, head.len()));
        Self { header: head.to_vec(), kind: Some(batch), nrows_at, body_at, same }
    }

    /// The header in `head`, where it is like the template.
    fn matches(&self, head: &[u8]) -> Option<(BatchHeader, u64)> {
        let batch = self.kind?;
        let equal = |&(start, end): &(usize, usize)| head.get(start..end) == self.header.get(start..end);
        if head.len() != self.header.len() || !self.same.iter().all(equal) {
            return None;
        }
        let number = |at: usize| head.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        let nrows =
            usize::try_from(number(self.nrows_at)?).ok().filter(|&n| n <= isize::MAX.unsigned_abs())?;
        let body_nbytes = number(self.body_at).filter(|&n| i64::try_from(n).is_ok())?;
        Some((BatchHeader { nrows, ..batch }, body_nbytes))
    }

    /// The message at `at`, where its header is like the template and its body is there.
    pub(crate) fn message_at(&self, bytes: &[u8], at: usize) -> Option<EncapsulatedMessage> {
        let rest = bytes.get(at..)?;
        let Ok(Prefix::Message { skip, nbytes }) = prefix(rest) else { return None };
        let (header, body_nbytes) = self.matches(rest.get(skip..skip + nbytes)?)?;
        let (header_at, body_at) = (at + skip, at + skip + nbytes);
        let nbytes_of_body = usize::try_from(body_nbytes).ok()?;
        let inside = body_at.checked_add(nbytes_of_body)? <= bytes.len();
        let header = Header { version: 0, kind: Kind::Batch(header), body_nbytes };
        inside.then_some(EncapsulatedMessage {
            header,
            header_at,
            header_nbytes: nbytes,
            body_at,
            body_nbytes: nbytes_of_body,
        })
    }
}
