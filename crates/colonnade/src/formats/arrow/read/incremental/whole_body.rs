//! A body that is received as a whole, after its header.

use crate::arrow::ipc::body::{BatchBody, IpcSource};
use crate::arrow::ipc::catalog::BatchPosition;
use crate::arrow::ipc::encapsulated_message::EncapsulatedMessage;
use crate::arrow::ipc::message::VerifiedHeader;
use crate::error::Result;
use crate::formats::arrow::read::decode::{too_large, values_into};
use crate::memory::{Buffer, Region, RegionMut};

use super::blocks::Blocks;
use super::body::{owners, set_pair};
use super::layout::{BlockLayout, BufferOwner};
use super::stream_bytes::StreamBytes;
use super::texts::TextColumns;

/// The first allocation for a body. Further ones are as large as the received bytes, so a false length takes little memory.
const BELIEVED_NBYTES: usize = 4 << 20;

/// A message in separate memory: the header, then the body at a multiple of 64.
#[derive(Debug)]
pub(super) struct WholeBody {
    region: RegionMut,
    pub(super) filled: usize,
    pub(super) needed_nbytes: usize,
    message: EncapsulatedMessage,
    /// The offset of the header in the stream.
    input_at: u64,
}

impl WholeBody {
    /// Allocates memory for a message whose header is `head`, at `input_at` in the stream.
    ///
    /// # Errors
    /// Too large for memory.
    pub(super) fn new(
        head: &[u8],
        header: VerifiedHeader,
        body_nbytes: usize,
        input_at: u64,
    ) -> Result<Self> {
        let body_at = head.len().next_multiple_of(64);
        let needed_nbytes = body_at.checked_add(body_nbytes).ok_or_else(too_large)?;
        let first = needed_nbytes.min(body_at + BELIEVED_NBYTES);
        let mut region = Region::allocate(first)?;
        if let Some(place) = region.as_mut_slice().get_mut(..head.len()) {
            place.copy_from_slice(head);
        }
        let header_nbytes = head.len();
        let message = EncapsulatedMessage { header, header_at: 0, header_nbytes, body_at, body_nbytes };
        Ok(Self { region, filled: body_at, needed_nbytes, message, input_at })
    }

    /// The buffer for the next bytes.
    pub(super) fn place(&mut self) -> Result<&mut [u8]> {
        let end = self.needed_nbytes.min((self.filled * 2).max(BELIEVED_NBYTES));
        if self.region.nbytes() < end {
            self.region.grow(end)?;
        }
        Ok(self.region.as_mut_slice().get_mut(self.filled..end).unwrap_or(&mut []))
    }

    /// The received bytes of the body.
    pub(super) fn received(&mut self) -> &[u8] {
        self.region.as_mut_slice().get(self.message.body_at..self.filled).unwrap_or(&[])
    }

    /// The offset of the header in the stream.
    pub(super) fn input_at(&self) -> u64 {
        self.input_at
    }

    /// Returns the message and its memory.
    pub(super) fn into_source(self) -> (EncapsulatedMessage, IpcSource) {
        (self.message, IpcSource::new(Buffer::from_region(self.region.finish(), true)))
    }

    /// Copies the rows of the blocks and the text to their positions, and keeps the other buffers after the header. Returns the offsets
    /// of header and body, and the length of the kept body.
    ///
    /// # Errors
    /// Malformed buffers.
    pub(super) fn settle(
        self,
        position: &BatchPosition,
        (layout, blocks, texts): (&BlockLayout, &mut Blocks, &mut TextColumns),
        stream_bytes: &mut StreamBytes,
    ) -> Result<(usize, usize, usize)> {
        let (message, source) = self.into_source();
        let (header, first_row, body_nbytes) = (&position.header, position.first_row, message.body_nbytes);
        let batch = BatchPosition { input_at: position.input_at, ..message.batch(*header) };
        let body = BatchBody::new(&source, &batch)?;
        let mut head = source.bytes.as_slice().get(..message.header_nbytes).unwrap_or(&[]).to_vec();
        let owners = owners(header, &head, layout)?;
        texts.grant(body_nbytes);
        for (i, &owner) in owners.iter().enumerate() {
            let target = match owner {
                BufferOwner::StreamBytes => continue,
                BufferOwner::Text(column) => {
                    texts.take(column, &body, i, header.nrows)?;
                    continue;
                }
                BufferOwner::Block(target) => *blocks.targets.get(target).ok_or_else(too_large)?,
            };
            let nbytes = header.nrows.checked_mul(target.item).ok_or_else(too_large)?;
            let place = blocks.place(&target, first_row, nbytes).ok_or_else(too_large)?;
            values_into(&body, i, (0, header.nrows), target.item, place, false)?;
        }
        let mut sum = 0usize;
        for (i, _) in owners.iter().enumerate().filter(|(_, owner)| **owner == BufferOwner::StreamBytes) {
            sum = sum.saturating_add(body.bytes(i)?.len());
        }
        if sum > body_nbytes {
            // Buffers that share bytes are kept once and unchanged.
            let bytes = source.bytes.as_slice().get(message.body_at..).unwrap_or(&[]);
            let header_at = stream_bytes.push_aligned(&head)?;
            let body_at = stream_bytes.push_aligned(bytes.get(..body_nbytes).unwrap_or(&[]))?;
            return Ok((header_at, body_at, body_nbytes));
        }
        let mut end = 0;
        let mut places = Vec::new();
        for (i, &owner) in owners.iter().enumerate() {
            let bytes = if owner == BufferOwner::StreamBytes { body.bytes(i)? } else { &[] };
            let start = if bytes.is_empty() { 0 } else { end };
            places.push((start, bytes));
            set_pair(&mut head, header.buffers, i, start, bytes.len());
            end = if bytes.is_empty() { end } else { (start + bytes.len()).next_multiple_of(64) };
        }
        let header_at = stream_bytes.push_aligned(&head)?;
        let body_at = stream_bytes.push_aligned(&[])?;
        for (start, bytes) in places.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
            stream_bytes.put(body_at + start, bytes)?;
        }
        let nbytes = stream_bytes.len() - body_at;
        Ok((header_at, body_at, nbytes))
    }
}
