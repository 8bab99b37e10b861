//! Recognizes headers that differ from the one before only in the numbers of their batch.

use super::encapsulated_message::EncapsulatedMessage;
use super::message::{BatchHeader, MessageKind, Prefix, VerifiedHeader, prefix};

/// A verified header. A header with the same bytes, except for the numbers of its batch, need not be verified again.
/// Verification dominates the time of reading a stream of small batches.
#[derive(Default)]
pub(super) struct HeaderTemplate {
    header: Vec<u8>,
    batch: Option<BatchHeader>,
    /// Offset of the row count.
    nrows_at: usize,
    /// Offset of the body's length.
    body_at: usize,
    /// The ranges that must be equal, in order.
    constant: Vec<(usize, usize)>,
}

impl HeaderTemplate {
    pub(super) fn of(head: &[u8], header: &VerifiedHeader) -> Self {
        let MessageKind::Batch(batch) = header.kind else { return Self::default() };
        let Some((nrows_at, body_at)) = batch.count_offsets else { return Self::default() };
        let mut variable = vec![
            (nrows_at, nrows_at + 8),
            (body_at, body_at + 8),
            (batch.nodes.at, batch.nodes.at + batch.nodes.count * 16),
            (batch.buffers.at, batch.buffers.at + batch.buffers.count * 16),
        ];
        variable.sort_unstable();
        let mut constant = Vec::new();
        let mut from = 0;
        for (start, end) in variable {
            constant.push((from, start));
            from = end;
        }
        constant.push((from, head.len()));
        Self { header: head.to_vec(), batch: Some(batch), nrows_at, body_at, constant }
    }

    /// The batch and the body's length in `head`, if it matches the template.
    fn matches(&self, head: &[u8]) -> Option<(BatchHeader, u64)> {
        let batch = self.batch?;
        let equal = |&(start, end): &(usize, usize)| head.get(start..end) == self.header.get(start..end);
        if head.len() != self.header.len() || !self.constant.iter().all(equal) {
            return None;
        }
        let number = |at: usize| head.get(at..at + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        let nrows =
            usize::try_from(number(self.nrows_at)?).ok().filter(|&n| n <= isize::MAX.unsigned_abs())?;
        let body_nbytes = number(self.body_at).filter(|&n| i64::try_from(n).is_ok())?;
        Some((BatchHeader { nrows, ..batch }, body_nbytes))
    }

    /// The message at `at`, if its header matches the template and its body is complete.
    pub(super) fn message_at(&self, bytes: &[u8], at: usize) -> Option<EncapsulatedMessage> {
        let rest = bytes.get(at..)?;
        let Ok(Prefix::Message { skip, nbytes }) = prefix(rest) else { return None };
        let (header, body_nbytes) = self.matches(rest.get(skip..skip + nbytes)?)?;
        let (header_at, body_at) = (at + skip, at + skip + nbytes);
        let nbytes_of_body = usize::try_from(body_nbytes).ok()?;
        let inside = body_at.checked_add(nbytes_of_body)? <= bytes.len();
        let header = VerifiedHeader { version: 0, kind: MessageKind::Batch(header), body_nbytes };
        inside.then_some(EncapsulatedMessage {
            header,
            header_at,
            header_nbytes: nbytes,
            body_at,
            body_nbytes: nbytes_of_body,
        })
    }
}
