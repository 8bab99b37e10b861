//! The position of an encapsulated message in its source.

use super::catalog::BatchPosition;
use super::message::{BatchHeader, VerifiedHeader};

/// One message: its header, and the offsets of header and body.
#[derive(Debug)]
pub(crate) struct EncapsulatedMessage {
    pub(crate) header: VerifiedHeader,
    pub(crate) header_at: usize,
    pub(crate) header_nbytes: usize,
    pub(crate) body_at: usize,
    pub(crate) body_nbytes: usize,
}

impl EncapsulatedMessage {
    /// Offset of the next message.
    pub(crate) fn next_at(&self) -> usize {
        self.body_at + self.body_nbytes
    }

    pub(crate) fn batch(&self, header: BatchHeader) -> BatchPosition {
        let (header_at, body_at, body_nbytes) = (self.header_at, self.body_at, self.body_nbytes);
        BatchPosition { header_at, header, body_at, body_nbytes, input_at: body_at as u64, first_row: 0 }
    }
}
